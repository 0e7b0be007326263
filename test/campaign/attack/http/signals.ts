/**
 * Attacks that need a service of their own: signals in the middle of things, a log that cannot be written, few files, a
 * toolchain that is missing for a moment.
 */
import { cp, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { REPOSITORY } from '../../../support/llvm.js';
import { base64, LINES, tinyKernel } from '../../../support/service.js';
import { compileRequest, largeModule } from './clients.js';
import { head, open, pause } from './raw.js';
import type { ServiceProcess, StartOptions } from './service-process.js';

export interface OwnAttack {
  readonly name: string;
  readonly start: StartOptions;
  readonly run: (service: ServiceProcess) => Promise<string | null>;
}

const MIB = 2 ** 20;
/** After a signal: bodies that are being read, jobs that run, answers that are being sent. */
const SHUTDOWN_MS = 40_000;
const FLAGS = ['-j', '1', '--body-timeout', '3', '--timeout', '20'];
const QUICK = { flags: FLAGS };

const compile = (service: ServiceProcess, number: number): Promise<Response> =>
  fetch(`${service.url}/v1/compile`, { method: 'POST', body: tinyKernel(number), signal: AbortSignal.timeout(60_000) });

async function ends(service: ServiceProcess, expected: number | string = 0, ms = SHUTDOWN_MS): Promise<string | null> {
  const how = await service.endedWithin(ms);
  return how === expected ? null : `after the signal it ended with ${how}: ${service.lastWords}`;
}

/**
 * Reads an answer at a rate, during which the signal comes: it must be whole, or end in an error that a client sees.
 */
async function readWhileEnding(service: ServiceProcess, megabytes: number, pauseMs: number): Promise<string | null> {
  const answer = await fetch(`${service.url}/v1/compile`, { method: 'POST', body: largeModule(megabytes * MIB) });
  if (answer.status !== 200) return `the status is ${answer.status}`;
  const length = Number(answer.headers.get('content-length') ?? -1);
  const reader = answer.body!.getReader();
  let got = (await reader.read()).value?.length ?? 0;
  service.child.kill('SIGTERM');
  let broken = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      got += value.length;
      await pause(pauseMs);
    }
  } catch {
    broken = true;
  }
  const whole = got >= megabytes * MIB && (length < 0 || got === length);
  if (!whole && !broken) return `the answer ended after ${got} bytes as if it were whole`;
  if (!whole && pauseMs === 0) return `a client that reads at once got ${got} bytes only`;
  return await ends(service);
}

/** A folder of the toolchain that lacks its files at first. */
async function missingToolchain(service: ServiceProcess, folder: string): Promise<string | null> {
  const first = await compile(service, 1);
  if (first.status < 500) return `without a toolchain the status was ${first.status}`;
  const ready = await fetch(`${service.url}/readyz`);
  await rename(path.join(folder, 'away.json'), path.join(folder, 'manifest.json'));
  const deadline = performance.now() + 20_000;
  let last = 0;
  while (performance.now() < deadline) {
    last = (await compile(service, 1)).status;
    if (last === 200) break;
    await pause(500);
  }
  if (last !== 200) return `when the toolchain is back, the status stays ${last}`;
  return ready.status === 503 ? null : `without a toolchain /readyz said ${ready.status}`;
}

export async function withMissingToolchain(use: (attack: OwnAttack) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'darm-attack-'));
  try {
    await cp(path.join(REPOSITORY, 'wasm', 'dist'), folder, { recursive: true });
    await rename(path.join(folder, 'manifest.json'), path.join(folder, 'away.json'));
    await use({
      name: 'a toolchain that is missing for a moment',
      start: { flags: FLAGS, env: { DARM_WASM: folder } },
      run: (service) => missingToolchain(service, folder),
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export const SIGNALS: readonly OwnAttack[] = [
  { name: 'SIGTERM while a client reads 60 MB', start: QUICK, run: (service) => readWhileEnding(service, 60, 0) },
  { name: 'SIGTERM while a client reads 60 MB slowly', start: QUICK, run: (service) => readWhileEnding(service, 60, 15) },
  {
    name: 'SIGTERM in a batch',
    start: QUICK,
    run: async (service) => {
      const body = Array.from({ length: 60 }, (_, i) => JSON.stringify({ module: base64(tinyKernel(i)) })).join('\n');
      const answer = await fetch(`${service.url}/v1/batch`, { method: 'POST', body, ...LINES });
      service.child.kill('SIGTERM');
      const lines = (await answer.text()).trimEnd().split('\n');
      const last = JSON.parse(lines.at(-1)!) as { done?: boolean };
      if (last.done !== true || lines.length !== 61) return `${lines.length} lines, the last: ${lines.at(-1)!.slice(0, 200)}`;
      return await ends(service);
    },
  },
  {
    name: 'SIGTERM while a body arrives',
    start: QUICK,
    run: async (service) => {
      const socket = await open(service.port);
      socket.resume().write(head('POST /v1/compile HTTP/1.1', 'Content-Length: 1000') + 'x');
      await pause(500);
      service.child.kill('SIGTERM');
      const complaint = await ends(service);
      socket.destroy();
      return complaint;
    },
  },
  {
    name: 'SIGTERM with clients that do not read',
    start: QUICK,
    run: async (service) => {
      const sockets = await Promise.all(Array.from({ length: 4 }, () => open(service.port)));
      for (const socket of sockets) socket.pause().write(compileRequest(largeModule(20 * MIB)));
      await pause(4000);
      service.child.kill('SIGTERM');
      const complaint = await ends(service);
      sockets.forEach((socket) => socket.destroy());
      return complaint;
    },
  },
  {
    name: 'SIGTERM with 100 idle connections',
    start: QUICK,
    run: async (service) => {
      const sockets = await Promise.all(Array.from({ length: 100 }, () => open(service.port)));
      for (const socket of sockets) socket.resume().write(head('GET /healthz HTTP/1.1'));
      await pause(500);
      service.child.kill('SIGTERM');
      const complaint = await ends(service, 0, 15_000);
      sockets.forEach((socket) => socket.destroy());
      return complaint;
    },
  },
  {
    name: 'two signals',
    start: QUICK,
    run: async (service) => {
      const socket = await open(service.port);
      socket.resume().write(head('POST /v1/compile HTTP/1.1', 'Content-Length: 1000'));
      await pause(300);
      service.child.kill('SIGTERM');
      await pause(500);
      service.child.kill('SIGTERM');
      const complaint = await ends(service, 'SIGTERM', 10_000);
      socket.destroy();
      return complaint;
    },
  },
  {
    name: 'a log on a full disk',
    start: { ...QUICK, log: '/dev/full' },
    run: async (service) => {
      for (let i = 0; i < 20; i++) {
        const { status } = await compile(service, i);
        if (status !== 200) return `request ${i} got ${status}`;
      }
      service.child.kill('SIGTERM');
      return await ends(service);
    },
  },
  {
    name: 'a log that nobody reads',
    start: { ...QUICK, log: 'unread' },
    run: async (service) => {
      const headers = { 'X-Request-Id': 'x'.repeat(128) };
      for (let i = 0; i < 2000; i++) {
        const { status } = await fetch(`${service.url}/healthz`, { headers, signal: AbortSignal.timeout(20_000) });
        if (status !== 200) return `request ${i} got ${status}`;
      }
      service.child.kill('SIGTERM');
      return await ends(service);
    },
  },
  {
    name: 'a log whose reader has gone',
    start: { ...QUICK, log: 'closed' },
    run: async (service) => {
      for (let i = 0; i < 20; i++) {
        const { status } = await compile(service, i);
        if (status !== 200) return `request ${i} got ${status}`;
      }
      service.child.kill('SIGTERM');
      return await ends(service);
    },
  },
  {
    name: 'few open files',
    start: { ...QUICK, shell: 'ulimit -n 64;' },
    run: async (service) => {
      const sockets = await Promise.all(Array.from({ length: 120 }, () => open(service.port)));
      for (const socket of sockets) socket.resume().write(compileRequest(tinyKernel(1)));
      await pause(3000);
      sockets.forEach((socket) => socket.destroy());
      await pause(500);
      const statuses: number[] = [];
      for (let i = 0; i < 10; i++) {
        statuses.push((await compile(service, 1)).status);
        if (statuses.at(-1) === 200) break;
        await pause(500);
      }
      if (statuses.at(-1) !== 200) return `afterwards requests get ${statuses.join(', ')}`;
      service.child.kill('SIGTERM');
      return await ends(service);
    },
  },
]; // prettier-ignore

/**
 * Attacks on `darm serve` on loopback. After each the service must answer a good request rightly, and its log and
 * metrics be sane.
 */
import { createHash } from 'node:crypto';
import { createCompiler } from '../../../src/index.js';
import { tinyKernel } from '../../support/service.js';
import type { Findings } from './findings.js';
import type { Attack } from './http/attack.js';
import { BODIES } from './http/bodies.js';
import { CLIENTS, LARGE_ANSWERS } from './http/clients.js';
import { HEADS } from './http/heads.js';
import { OPTIONS } from './http/options.js';
import { pause } from './http/raw.js';
import { ServiceProcess } from './http/service-process.js';
import { SIGNALS, withMissingToolchain, type OwnAttack } from './http/signals.js';
import { SMUGGLING } from './http/smuggling.js';
import type { Phase } from './phase.js';

const ATTACKS: readonly Attack[] = [...SMUGGLING, ...HEADS, ...OPTIONS, ...BODIES, ...CLIENTS];

const FLAGS = ['-j', '2', '--memory-limit', '128', '--max-body', '4', '--max-batch', '1000', '--queue', '16', '--body-timeout', '3', '--timeout', '15', '--queue-timeout', '15']; // prettier-ignore
/** The default limits. */
const LARGE_FLAGS = ['-j', '2', '--body-timeout', '5'];

const MIB = 2 ** 20;
const ATTACK_MS = 90_000;
/** Until everything that an attack began has ended: jobs, bodies, answers. */
const SETTLE_MS = 30_000;
/** Longest time that a look at the health may take while an attack runs: longer means that the loop was blocked. */
const MOST_BLOCKED_MS = 2500;
/** On a busy machine everything takes longer, as our own timers show: by so many times their delay. */
const DELAYS = 8;
/** Most memory after an attack, of two workers that may keep 512 MiB each. */
const MOST_RESIDENT = 2200 * MIB;

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const messageOf = (error: unknown): string => (error instanceof Error ? `${error.message} ${error.cause instanceof Error ? error.cause.message : ''}` : String(error)); // prettier-ignore

const GOOD = tinyKernel(42);

async function expectedHash(): Promise<string> {
  await using compiler = createCompiler({ threads: 1, tierPolicy: 'short' });
  return sha256((await compiler.compile(GOOD)).artifacts[0]!.bytes);
}

/**
 * Looks at the health again and again, and remembers the longest time that it took, and by how much our own timers were
 * late.
 */
class Pulse {
  #longest = 0;
  #delay = 0;
  #beating = true;
  readonly #done: Promise<void>;

  constructor(service: ServiceProcess) {
    this.#done = this.#beat(service);
  }

  async #beat({ url }: ServiceProcess): Promise<void> {
    while (this.#beating) {
      const started = performance.now();
      await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(60_000) }).then((answer) => answer.text(), () => ''); // prettier-ignore
      const answered = performance.now();
      this.#longest = Math.max(this.#longest, answered - started);
      await pause(50);
      this.#delay = Math.max(this.#delay, performance.now() - answered - 50);
    }
  }

  async complaint(): Promise<string | null> {
    this.#beating = false;
    await this.#done;
    const most = MOST_BLOCKED_MS + DELAYS * this.#delay;
    return this.#longest > most ? `another client waited ${Math.round(this.#longest)} ms for /healthz` : null;
  }
}

const within = <T>(ms: number, what: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not over after ${ms / 1000} s`)), ms);
  });
  return Promise.race([what, late]).finally(() => clearTimeout(timer));
};

/** What is wrong with the service after an attack, or null. */
async function stateComplaint(service: ServiceProcess, expected: string): Promise<string | null> {
  if (!service.alive) return `the service has ended: ${service.lastWords}`;
  const deadline = performance.now() + SETTLE_MS;
  const open = async (): Promise<number> =>
    (await service.metric('darm_requests_in_flight')) + (await service.metric('darm_jobs_running'));
  while ((await open()) > 0)
    if (performance.now() > deadline) return `${await open()} requests and jobs never end`;
    else await pause(100);
  const answer = await fetch(`${service.url}/v1/compile`, { method: 'POST', body: GOOD, signal: AbortSignal.timeout(30_000) }); // prettier-ignore
  const bytes = new Uint8Array(await answer.arrayBuffer());
  if (answer.status !== 200) return `a good request gets ${answer.status}: ${new TextDecoder().decode(bytes)}`;
  if (sha256(bytes) !== expected) return 'a good request gets other bytes';
  const resident = await service.metric('darm_resident_memory_bytes');
  if (resident > MOST_RESIDENT) return `the service has ${Math.round(resident / MIB)} MiB`;
  const text = await (await fetch(`${service.url}/metrics`)).text();
  const bad = text.split('\n').find((line) => line !== '' && !/^(# |\w+(\{[^\n]*\})? -?[\d.e+-]+$|\w+(\{[^\n]*\})? (NaN|\+Inf)$)/.test(line)); // prettier-ignore
  if (bad !== undefined || text.length > 2 ** 18)
    return `the metrics are not sane: ${bad?.slice(0, 200) ?? text.length}`;
  return service.logComplaint();
}

/**
 * Requests after which V8 has optimised most of what they use: memory that grows from then on is the attacks' doing.
 */
const WARMING = 800;

async function warmService(flags: readonly string[]): Promise<ServiceProcess> {
  const service = await ServiceProcess.start({ flags });
  for (let i = 0; i < WARMING; i += 4) {
    const one = async (number: number): Promise<void> => {
      const answer = await fetch(`${service.url}/v1/compile`, { method: 'POST', body: tinyKernel(number) });
      await answer.arrayBuffer();
    };
    await Promise.all([one(i), one(i + 1), one(i + 2), one(i + 3)]);
  }
  return service;
}

/** Makes attacks, one after the other, on one service; on a new one where an attack has harmed it. */
async function attackShared(
  findings: Findings,
  attacks: readonly Attack[],
  flags: readonly string[],
  deadline: number,
): Promise<void> {
  if (attacks.length === 0) return;
  const isOver = (): boolean => {
    const over = performance.now() > deadline || findings.hopeless;
    if (over) console.log(`http: not all attacks were made: the time was up, or too much failed`);
    return over;
  };
  // A service takes minutes to warm on a busy machine.
  if (isOver()) return;
  const expected = await expectedHash();
  let service = await warmService(flags);
  for (const { name, run } of attacks) {
    if (isOver()) break;
    const pulse = new Pulse(service);
    const complaints: string[] = [];
    const note = (complaint: string | null): void => void (complaint !== null && complaints.push(complaint));
    note(await within(ATTACK_MS, run(service)).catch((error: unknown) => `${messageOf(error)} ${service.lastWords}`));
    note(await pulse.complaint());
    const state = await within(ATTACK_MS, stateComplaint(service, expected)).catch(messageOf);
    note(state);
    if (complaints.length === 0) findings.pass();
    else findings.fail(name, complaints.join('; '));
    if (state === null) findings.memory(await service.metric('darm_resident_memory_bytes'));
    else {
      await service.kill();
      service = await ServiceProcess.start({ flags });
    }
  }
  service.child.kill('SIGTERM');
  const how = await service.endedWithin(30_000);
  if (how === 0) findings.pass();
  else findings.fail('the end', `after SIGTERM the service ended with ${how}`);
  await service.kill();
}

async function attackOwn(findings: Findings, { name, start, run }: OwnAttack): Promise<void> {
  let service: ServiceProcess | undefined;
  try {
    service = await ServiceProcess.start(start);
    const complaint = await within(ATTACK_MS, run(service));
    if (complaint === null) findings.pass();
    else findings.fail(name, complaint);
  } catch (error) {
    findings.fail(name, `${messageOf(error)} ${service?.lastWords ?? ''}`);
  } finally {
    await service?.kill();
  }
}

export const http: Phase = {
  name: 'http',
  share: 1,
  async run({ only, deadline }, findings) {
    const wanted = <T extends { readonly name: string }>(attacks: readonly T[]): T[] =>
      attacks.filter(({ name }) => name.includes(only));
    for (const attack of wanted(SIGNALS)) await attackOwn(findings, attack);
    await withMissingToolchain(async (attack) => {
      for (const each of wanted([attack])) await attackOwn(findings, each);
    });
    await attackShared(findings, wanted(LARGE_ANSWERS), LARGE_FLAGS, deadline);
    await attackShared(findings, wanted(ATTACKS), FLAGS, deadline);
  },
};

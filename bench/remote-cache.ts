/**
 * What a remote cache is worth, and what a useless one costs: `darm batch` over many different kernels without one,
 * with an empty one that is filled, with a full one, and with a server that hangs.
 * usage: node dist/bench/remote-cache.js [--kernels N] [--jobs N]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { KERNELS, kernelPath, option, printTable, REPOSITORY, timeProcess } from './support.js';

const kernels = option('kernels', 200);
const jobs = option('jobs', 2);
const MAIN = `${REPOSITORY}dist/src/cli/main.js`;
const folder = await mkdtemp(path.join(tmpdir(), 'darm-bench-'));

// Different options make different jobs of the same kernel.
const lines = Array.from({ length: kernels }, (_, n) =>
  JSON.stringify({
    input: kernelPath(`${KERNELS[n % KERNELS.length]!}.gfx906.O3`),
    output: `${n}.hsaco`,
    options: { threshold: 0.1 + 0.0001 * Math.floor(n / KERNELS.length) },
  }),
);
const manifest = path.join(folder, 'jobs.jsonl');
await writeFile(manifest, lines.join('\n') + '\n');

let runs = 0;
function batch(...flags: string[]): number {
  const common = ['--out-dir', path.join(folder, `out${runs++}`), '--no-cache', '--quiet', '-j', String(jobs)];
  return timeProcess(process.execPath, [MAIN, 'batch', manifest, ...common, ...flags]) / 1000;
}

const served = path.join(folder, 'served');
await mkdir(served);
const server = spawn(process.execPath, [MAIN, 'cache', 'serve', '--cache', served, '--port', '0'], {
  stdio: ['ignore', 'ignore', 'pipe'],
});
const ended = once(server, 'exit');
const [line] = (await once(createInterface({ input: server.stderr }), 'line')) as [string];
const { url } = JSON.parse(line) as { url: string };
const hanging = createServer(() => {}).listen(0, '127.0.0.1');
await once(hanging, 'listening');

const remote = (address: string): string[] => ['--remote-cache', address, '--remote-cache-mode', 'read-write'];
const without = [batch(), 0];
const filled = batch(...remote(url));
const full = batch(...remote(url));
const hangs = batch(...remote(`http://127.0.0.1:${(hanging.address() as AddressInfo).port}`));
without[1] = batch();
hanging.close();
server.kill('SIGTERM');
await ended;
await rm(folder, { recursive: true });

const base = (without[0]! + without[1]!) / 2;
const row = (name: string, seconds: number): string[] => [name, `${seconds.toFixed(1)} s`, (base / seconds).toFixed(2)];
printTable(
  [`${kernels} jobs, ${jobs} workers`, 'time', 'as fast'],
  [
    row('without', without[0]!),
    row('an empty remote cache, which is filled', filled),
    row('a full remote cache', full),
    row('a server that hangs', hangs),
    row('without, again', without[1]!),
  ],
);

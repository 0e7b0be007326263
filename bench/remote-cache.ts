/**
 * What a remote cache is worth, and what a useless one costs: `darm batch` over many different kernels without one,
 * with an empty one that is filled, with a full one, and with servers that hang. All in turn, several times; the
 * figures are medians.
 * usage: node dist/bench/remote-cache.js [--kernels N] [--jobs N] [--rounds N]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { KERNELS, kernelPath, median, option, printTable, REPOSITORY, timeProcess } from './support.js';

const kernels = option('kernels', 200);
const jobs = option('jobs', 2);
const rounds = option('rounds', 3);
const MAIN = `${REPOSITORY}dist/command/main.js`;
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
const hangingUrl = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}`;
const variants: readonly (readonly [string, () => number])[] = [
  ['without', () => batch()],
  ['a server that hangs', () => batch(...remote(hangingUrl))],
  // Nobody answers there, and nobody says so: the address is reserved for documentation (RFC 5737).
  ['an address that swallows everything', () => batch(...remote('http://192.0.2.1'))],
  ['a full remote cache', () => batch(...remote(url))],
];
const filled = batch(...remote(url));
const times = new Map(variants.map(([name]) => [name, [] as number[]]));
for (let round = 0; round < rounds; round++) for (const [name, run] of variants) times.get(name)!.push(run());
hanging.close();
server.kill('SIGTERM');
await ended;
await rm(folder, { recursive: true });

const base = median(times.get('without')!);
const row = (name: string, seconds: number): string[] => [name, `${seconds.toFixed(1)} s`, (base / seconds).toFixed(2)];
printTable(
  [`${kernels} jobs, ${jobs} workers`, 'time', 'as fast'],
  [
    row('an empty remote cache, which is filled (once)', filled),
    ...[...times].map(([name, all]) => row(name, median(all))),
  ],
);

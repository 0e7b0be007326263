/**
 * A build that calls the compiler once per file: as many processes of `darm compile` with a warm `darm serve`, without
 * one, and of native `llc-23` and `ld.lld-23`, if `build.sh --native` made them. All in turn, in one run. Where the
 * server has the result in its cache, the client takes next to all of the time; its start-up ends when it calls the
 * server.
 * usage: node dist/bench/server-client.js [--processes N]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { kernelPath, median, ms, nativeTool, option, printTable, REPOSITORY, sum, timeProcess } from './support.js';

const processes = option('processes', 200);
const KERNELS = ['bitonic.gfx906.O3', 'sb1.gfx906.O3', 'sb2.gfx906.O3', 'pcm.gfx906.O3'];
/** The server's LLVM is optimised after some jobs. */
const WARM_UP = 40;

const folder = await mkdtemp(path.join(tmpdir(), 'darm-bench-'));
const [output, object] = [path.join(folder, 'kernel.hsaco'), path.join(folder, 'kernel.o')];
const MAIN = `${REPOSITORY}dist/command/main.js`;
async function serve(name: string, ...cache: string[]) {
  const address = `unix:${path.join(folder, name)}`;
  const server = spawn(process.execPath, [MAIN, 'serve', '-j', '1', '--listen', address, ...cache], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(server, 'exit');
  await once(createInterface({ input: server.stderr }), 'line');
  return { address, end: () => (server.kill('SIGTERM'), ended) };
}
const server = await serve('darm.sock', '--no-cache');
const caching = await serve('caching.sock', '--cache', path.join(folder, 'cache'));

const darm = (input: string, ...flags: string[]): number =>
  timeProcess(process.execPath, [MAIN, 'compile', input, '-o', output, '--quiet', ...flags]);

const variants: [string, (input: string) => number][] = [
  ['darm compile --server', (input) => darm(input, '--server', server.address)],
  ['darm compile --server --meld off', (input) => darm(input, '--server', server.address, '--meld', 'off')],
  ['darm compile --server, from its cache', (input) => darm(input, '--server', caching.address)],
  ['darm compile', (input) => darm(input)],
  ['node, nothing else', () => timeProcess(process.execPath, ['-e', ''])],
];
if (existsSync(nativeTool('llc-23')))
  variants.push([
    'llc-23 and ld.lld-23',
    (input) =>
      timeProcess(nativeTool('llc-23'), ['-mcpu=gfx906', '-filetype=obj', input, '-o', object]) +
      timeProcess(nativeTool('ld.lld-23'), ['-shared', object, '-o', output]),
  ]);
const inputs = Array.from({ length: processes }, (_, n) => kernelPath(KERNELS[n % KERNELS.length]!));
for (let n = 0; n < WARM_UP; n++) variants[0]![1](inputs[n % inputs.length]!);
for (const name of KERNELS) variants[2]![1](kernelPath(name));
const times = new Map(variants.map(([name]) => [name, [] as number[]]));
for (const input of inputs) for (const [name, run] of variants) times.get(name)!.push(run(input));

/** How long a client takes from the start of its process to its call. */
async function startUp(input: string): Promise<number> {
  const place = path.join(folder, 'called.sock');
  const called = createServer().listen(place);
  await once(called, 'listening');
  const start = performance.now();
  const client = spawn(process.execPath, [MAIN, 'compile', input, '-o', output, '--server', `unix:${place}`], {
    stdio: 'ignore',
  });
  const [socket] = (await once(called, 'connection')) as [Socket];
  const took = performance.now() - start;
  socket.destroy();
  await once(client, 'exit');
  await new Promise((resolve) => called.close(resolve));
  return took;
}
const starts: number[] = [];
for (const input of inputs) starts.push(await startUp(input));

await Promise.all([server.end(), caching.end()]);
await rm(folder, { recursive: true });
const native = times.get('llc-23 and ld.lld-23');
printTable(
  [`${processes} processes, one after the other`, 'together', 'median', ...(native ? ['as fast as native'] : [])],
  [...times].map(([name, all]) => [
    name,
    `${(sum(all) / 1000).toFixed(1)} s`,
    ms(median(all)),
    ...(native ? [(sum(native) / sum(all)).toFixed(2)] : []),
  ]),
);
console.log(`start-up of a client, until it calls the server: ${ms(median(starts))} (median of ${starts.length})`);

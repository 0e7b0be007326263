/**
 * What a fleet costs and how far it goes: four workers with one thread each against `darm batch -j 4`, on this machine;
 * the queue alone, without compiling; and, by simulation from what was measured, more workers than there are here.
 * usage: node dist/bench/fleet.js [--kernels N] [--rounds N] [--jobs N]
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Carrier } from '../src/fleet/carrier.js';
import { FleetClient } from '../src/fleet/client.js';
import { DEFAULT_OPTIONS } from '../src/job/options.js';
import { Draw } from '../test/support/draw.js';
import { connectionTo } from '../test/support/fleet.js';
import { TestRedis } from '../test/support/redis.js';
import { tinyKernel } from '../test/support/service.js';
import { KERNELS, kernelPath, median, option, printTable, REPOSITORY, sum, timeProcess } from './support.js';

const kernels = option('kernels', 1000);
const rounds = option('rounds', 3);
const queued = option('jobs', 5000);
const WORKERS = 4;
const MAIN = `${REPOSITORY}dist/command/main.js`;
const folder = await mkdtemp(path.join(tmpdir(), 'darm-bench-'));
const redis = await TestRedis.start(folder);

// --- four workers against four threads ---

/**
 * Different options make different jobs of the same kernel. Equal jobs would be done once: so each round has others.
 */
async function manifest(round: number): Promise<string> {
  const lines = Array.from({ length: kernels }, (_, n) =>
    JSON.stringify({
      input: kernelPath(`${KERNELS[n % KERNELS.length]!}.gfx906.O3`),
      output: `${n}.hsaco`,
      options: { threshold: 0.1 + 1e-3 * round + 1e-6 * n },
    }),
  );
  const file = path.join(folder, `${round}.jsonl`);
  await writeFile(file, lines.join('\n') + '\n');
  return file;
}

const workers: ChildProcess[] = [];
for (let n = 0; n < WORKERS; n++) {
  const flags = ['--queue', redis.url, '-j', '1', '--no-cache'];
  const worker = spawn(process.execPath, [MAIN, 'worker', ...flags], { stdio: ['ignore', 'ignore', 'pipe'] });
  await once(createInterface({ input: worker.stderr }), 'line');
  workers.push(worker);
}
let runs = 0;
const batch = (file: string, ...flags: string[]): number =>
  timeProcess(process.execPath, [
    ...[MAIN, 'batch', file, '--out-dir', path.join(folder, `out${runs++}`), '--no-cache', '--quiet', ...flags],
  ]) / 1000;

// The first round is for LLVM's optimised code, which workers keep, and the batch makes anew.
batch(await manifest(0), '--queue', redis.url);
const times = { threads: [] as number[], fleet: [] as number[] };
for (let round = 1; round <= rounds; round++) {
  const file = await manifest(round);
  times.threads.push(batch(file, '-j', String(WORKERS)));
  times.fleet.push(batch(file, '--queue', redis.url));
}
for (const worker of workers) {
  const exit = once(worker, 'exit');
  worker.kill('SIGTERM');
  await exit;
}
const [threads, fleet] = [median(times.threads), median(times.fleet)];
printTable(
  [`${kernels} kernels, medians of ${rounds}`, 'time', 'as fast'],
  [
    [`darm batch -j ${WORKERS}`, `${threads.toFixed(1)} s`, '1.00'],
    [`${WORKERS} workers with one thread each`, `${fleet.toFixed(1)} s`, (threads / fleet).toFixed(2)],
  ],
);

// --- the queue alone ---

/** Workers that answer at once, in a process of their own, with as many bytes as a small kernel has. */
const IDLE = `
const { QueueConnection } = await import('${REPOSITORY}dist/src/fleet/connection.js');
const { parseQueueAddress } = await import('${REPOSITORY}dist/src/fleet/address.js');
const [url, toolchain] = process.argv.slice(1);
const connection = await QueueConnection.load({ address: parseQueueAddress(url), name: 'test', toolchain });
connection.openWorker(() => Promise.resolve({ schema: 1, result: { inline: 'A'.repeat(8000) } }), { concurrency: 32 });
console.log('ready');
`;

/** Seconds of the processor that Redis has had. */
async function redisSeconds(): Promise<number> {
  const text = String(await redis.command('INFO', 'cpu'));
  return sum([...text.matchAll(/^used_cpu_(?:user|sys):([\d.]+)/gm)].map(([, seconds]) => Number(seconds)));
}

const toolchain = 'b'.repeat(64);
const idle: ChildProcess[] = [];
for (let n = 0; n < 2; n++) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', IDLE, redis.url, toolchain], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  idle.push(child);
}
const client = await FleetClient.open({
  connection: await connectionTo(redis.url, toolchain),
  carrier: new Carrier(null),
  say: (what) => console.error(what),
});
await sleep(500);
const before = { redis: await redisSeconds(), cpu: process.cpuUsage(), clock: performance.now() };
const numbers = Array.from({ length: queued }, (_, n) => n).values();
const hand = async (): Promise<void> => {
  for (const n of numbers)
    await client.compile(tinyKernel(n), DEFAULT_OPTIONS, { timeoutMs: 0, signal: undefined, events: null });
};
await Promise.all(Array.from({ length: 512 }, hand));
const seconds = (performance.now() - before.clock) / 1000;
const { user, system } = process.cpuUsage(before.cpu);
const perJob = { redis: ((await redisSeconds()) - before.redis) / queued, batch: (user + system) / 1e6 / queued };
await client.close();
for (const child of idle) child.kill('SIGKILL');
await redis.stop();
await rm(folder, { recursive: true });
console.log(`\nthe queue alone, ${queued} jobs: ${(queued / seconds).toFixed(0)} per second on this machine;`);
const micro = (value: number): string => `${(value * 1e6).toFixed(0)} µs`;
console.log(`per job, ${micro(perJob.redis)} of Redis and ${micro(perJob.batch)} of the batch's processor\n`);

// --- more workers, by simulation ---

/** What is measured here, and what is assumed about a store: a gigabit, and that a job and its result go through it. */
const serviceSeconds = (threads * Math.min(WORKERS, 2)) / kernels;
const STORE_BYTES_PER_SECOND = 1e9 / 8;
const JOB_BYTES = 60_000;

interface Station {
  readonly name: string;
  readonly servers: number;
  /** Seconds. */
  readonly service: () => number;
}

/**
 * A line of stations with queues before them; at most `window` jobs are on their way, and one that ends lets the next
 * one in. Only the last station may have several servers: so jobs come to each in their order.
 *
 * @returns seconds for all jobs, and how busy each station was
 */
function simulate(stations: readonly Station[], jobs: number, window: number): { end: number; busy: number[] } {
  const free = stations.map(({ servers }) => new Float64Array(servers));
  const busy = stations.map(() => 0);
  /** When the jobs that are on their way end, in ascending order. */
  const ends: number[] = [];
  let end = 0;
  for (let job = 0; job < jobs; job++) {
    let at = ends.length < window ? 0 : ends.shift()!;
    for (const [s, { service }] of stations.entries()) {
      const servers = free[s]!;
      let first = 0;
      for (let each = 1; each < servers.length; each++) if (servers[each]! < servers[first]!) first = each;
      const time = service();
      at = Math.max(at, servers[first]!) + time;
      servers[first] = at;
      busy[s]! += time;
    }
    let place = ends.length;
    while (place > 0 && ends[place - 1]! > at) place--;
    ends.splice(place, 0, at);
    end = Math.max(end, at);
  }
  return { end, busy: busy.map((time, s) => time / (end * stations[s]!.servers)) };
}

const JOBS = 50_000;
const rows = [1, 4, 10, 30, 100, 300, 1000].map((count) => {
  const draw = new Draw(1);
  const stations: Station[] = [
    { name: 'the batch', servers: 1, service: () => perJob.batch },
    { name: 'Redis', servers: 1, service: () => perJob.redis },
    { name: 'the store', servers: 1, service: () => JOB_BYTES / STORE_BYTES_PER_SECOND },
    // Kernels differ: an exponential distribution is a pessimist's.
    { name: 'workers', servers: count, service: () => -Math.log(1 - draw.next()) * serviceSeconds },
  ];
  const { end, busy } = simulate(stations, JOBS, Math.max(512, 2 * count));
  const rate = JOBS / end;
  const most = busy.indexOf(Math.max(...busy));
  return [
    String(count),
    rate.toFixed(0),
    `${stations[most]!.name} (${(100 * busy[most]!).toFixed(0)} %)`,
    `${(1e6 / rate / 3600).toFixed(2)} h`,
  ];
});
console.log(`by simulation, with ${(serviceSeconds * 1000).toFixed(0)} ms per kernel as measured here:`);
printTable(['workers', 'jobs per second', 'busiest', 'a million kernels'], rows);
process.exit();

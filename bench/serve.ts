/**
 * The service: requests per second and latency for small kernels with several numbers of clients, and its behaviour
 * when requests come at up to four times the rate that it can handle.
 * usage: node dist/bench/serve.js [--jobs N] [--seconds N] [--warm SECONDS] [--queue N] [--cache FOLDER]
 *
 * The clients run in this process, the service in another one. On a machine with no more cores than workers they
 * compete for the cores.
 */
import { figureAt, startServer } from '../test/support/server.js';
import { kernel, option, printTable } from './support.js';

const jobs = option('jobs', 2);
const seconds = option('seconds', 8);
const warm = option('warm', 15);
const queue = option('queue', 16);
const CLIENTS = [1, 2, 4, 8] as const;

const INPUTS = ['sb1.gfx906.O3', 'sb2.gfx906.O3', 'dct.gfx1100.O3', 'bitonic.gfx906.O3'];
const bodies = await Promise.all(INPUTS.map(async (name) => new Uint8Array(await kernel(name))));
const cache = process.argv.indexOf('--cache');
const server = await startServer(
  '-j',
  String(jobs),
  '--queue',
  String(queue),
  ...(cache < 0 ? [] : ['--cache', process.argv[cache + 1]!]),
);

let sent = 0;
/** Sends one request; the result is its time and status. */
async function request(): Promise<{ readonly ms: number; readonly status: number }> {
  const body = bodies[sent++ % bodies.length]!;
  const started = performance.now();
  const answer = await fetch(`${server.url}/v1/compile`, { method: 'POST', body });
  await answer.arrayBuffer();
  if (answer.status !== 200 && answer.status !== 429) throw new Error(`status ${answer.status}`);
  return { ms: performance.now() - started, status: answer.status };
}

const quantile = (sorted: readonly number[], q: number): string =>
  sorted.length === 0 ? '-' : `${sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))]!.toFixed(0)} ms`;
const sorted = (times: readonly number[]): number[] => times.toSorted((a, b) => a - b);

/** Clients that send a request as soon as the one before is answered. */
async function closedLoop(clients: number, forSeconds: number): Promise<{ rate: number; times: number[] }> {
  const times: number[] = [];
  const started = performance.now();
  const client = async (): Promise<void> => {
    while (performance.now() - started < forSeconds * 1000) times.push((await request()).ms);
  };
  await Promise.all(Array.from({ length: clients }, client));
  return { rate: times.length / ((performance.now() - started) / 1000), times: sorted(times) };
}

/** Requests at a fixed rate that does not depend on the answers. */
async function openLoop(rate: number): Promise<{ accepted: number[]; refused: number[]; rate: number }> {
  const requests: Promise<{ ms: number; status: number }>[] = [];
  const started = performance.now();
  for (let elapsed = 0; elapsed < seconds * 1000; elapsed = performance.now() - started) {
    while (requests.length < (elapsed / 1000) * rate) requests.push(request());
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const offered = requests.length / ((performance.now() - started) / 1000);
  const answers = await Promise.all(requests);
  const times = (accepted: boolean): number[] =>
    sorted(answers.filter(({ status }) => (status === 200) === accepted).map(({ ms }) => ms));
  return { accepted: times(true), refused: times(false), rate: offered };
}

await closedLoop(jobs, warm);
const rows: string[][] = [];
let capacity = 0;
for (const clients of CLIENTS) {
  const { rate, times } = await closedLoop(clients, seconds);
  capacity = Math.max(capacity, rate);
  rows.push([String(clients), rate.toFixed(1), quantile(times, 0.5), quantile(times, 0.99)]);
}
console.log(`${INPUTS.join(', ')} in turn, ${jobs} workers`);
printTable(['clients', 'requests/s', 'p50', 'p99'], rows);

const loads: string[][] = [];
for (const factor of [0.5, 1, 2, 4]) {
  const { accepted, refused, rate } = await openLoop(capacity * factor);
  loads.push([
    `${factor}x`,
    rate.toFixed(1),
    String(accepted.length),
    String(refused.length),
    quantile(accepted, 0.5),
    quantile(accepted, 0.99),
    quantile(refused, 0.99),
  ]);
}
console.log(`\noffered at a fixed rate, as a multiple of ${capacity.toFixed(1)} requests/s; ${queue} may wait`);
printTable(['load', 'requests/s', 'accepted', 'refused', 'p50', 'p99', 'p99 of refusals'], loads);
const memory = (await figureAt(server.url, 'darm_resident_memory_bytes')) / 2 ** 20;
console.log(`memory of the service: ${memory.toFixed(0)} MiB`);
server.child.kill('SIGTERM');
process.exitCode = (await server.exit) === 0 ? 0 : 1;

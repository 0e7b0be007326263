/**
 * A fleet in trouble: many kernels, workers in processes of their own, and everything that goes wrong in a data centre.
 *
 *   node dist/test/campaign/fleet.js [--kernels N] [--workers N] [--kill-every S] [--suspend S] [--poison PERCENT]
 *                                    [--minutes M] [--server redis|postgres]
 *
 * While `darm batch --queue` runs: a worker is killed (SIGKILL) every few seconds and replaced; one sleeps for a minute
 * (SIGSTOP); the server of the queue is killed once and starts again (Redis with nothing in it); a worker of another
 * version is at the same server; and one percent of the modules is poison, which crashes, hangs or exhausts LLVM, is
 * damaged, or ends the process that compiles it. Every result must be there and equal to that of a batch without a
 * fleet, every poison must have failed with its reason, and modules must not be compiled more than 1.05 times on
 * average. Exit code 1 if not, or when it takes longer than M minutes.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { MAIN } from '../support/command.js';
import { connectionTo, startWorker, type TestWorker } from '../support/fleet.js';
import { MARK } from '../support/fleet-mark.js';
import { plainCache } from '../support/http-server.js';
import { kernelPath } from '../support/llvm.js';
import { hasPostgres, TestPostgres } from '../support/postgres.js';
import { hasRedis, TestRedis } from '../support/redis.js';
import { POISON, text, tinyKernel } from '../support/service.js';

const { values: args } = parseArgs({
  options: {
    kernels: { type: 'string', default: '2000' },
    workers: { type: 'string', default: '4' },
    'kill-every': { type: 'string', default: '10' },
    suspend: { type: 'string', default: '60' },
    poison: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '20' },
    server: { type: 'string', default: 'redis' },
  },
});
const kernels = Number(args.kernels);
const poisonEvery = Math.round(100 / Number(args.poison));
const REAL = ['bitonic', 'sb1', 'sb2', 'sb3', 'pcm'];
const MOST_COMPILATIONS = 1.05;
/** Poison that never ends is ended then. */
const TIMEOUT_SECONDS = 20;

interface Line {
  readonly event: string;
  readonly output: string;
  readonly sha256?: string;
  readonly error?: { readonly code: string; readonly message: string };
}

interface Ended {
  readonly code: number | null;
  readonly lines: ReadonlyMap<string, Line>;
  readonly seconds: number;
}

if (!(args.server === 'postgres' ? hasPostgres() : hasRedis())) process.exit(1);
const started = performance.now();
let over = false;
const children: ChildProcess[] = [];
const crew: TestWorker[] = [];
const folder = await mkdtemp(path.join(tmpdir(), 'darm-fleet-'));
const server = args.server === 'postgres' ? await TestPostgres.start() : await TestRedis.start(folder);
const limit = setTimeout(
  () => {
    console.log(`not done after ${args.minutes} minutes`);
    over = true;
    for (const child of [...children, ...crew.map((worker) => worker.child)]) child.kill('SIGKILL');
    void server[Symbol.asyncDispose]().then(() => process.exit(1));
  },
  Number(args.minutes) * 60_000,
);
const complaints: string[] = [];
const wrong = (what: string): void => void complaints.push(what);

// --- modules ---

const poison = [...Object.values(POISON).map(({ bytes }) => bytes), text('BC damaged'), null];
const marked = new Set<string>();
const jobs: object[] = [];
await mkdir(path.join(folder, 'in'));
for (let n = 0; n < kernels; n++) {
  const file = path.join(folder, 'in', `${n}.ll`);
  const output = `${n}.hsaco`;
  // A fifth are kernels of the paper, each with another threshold, so that each is another job.
  const real = n % 5 === 0 ? kernelPath(`${REAL[(n / 5) % REAL.length]!}.gfx906.O3`) : null;
  if (n % poisonEvery === poisonEvery - 1) {
    const bytes = poison[Math.floor(n / poisonEvery) % poison.length]!;
    if (bytes === null) marked.add(output);
    const comment = bytes === null ? `${MARK}\n` : `; ${n}\n`;
    await writeFile(file, Buffer.concat([Buffer.from(comment), bytes ?? tinyKernel(n)]));
    jobs.push({ input: file, output });
  } else if (real !== null) {
    jobs.push({ input: real, output, options: { threshold: 0.1 + n * 1e-5 } });
  } else {
    await writeFile(file, tinyKernel(n));
    jobs.push({ input: file, output });
  }
}
const manifest = path.join(folder, 'jobs.jsonl');
await writeFile(manifest, jobs.map((job) => JSON.stringify(job)).join('\n'));

async function batch(name: string, ...flags: string[]): Promise<Ended> {
  const begun = performance.now();
  const common = ['--json', '--no-cache', '--memory-limit', '256', '--timeout', String(TIMEOUT_SECONDS)];
  const child = spawn(
    process.execPath,
    [MAIN, 'batch', manifest, '--out-dir', path.join(folder, name), ...common, ...flags],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  children.push(child);
  const pieces: Buffer[] = [];
  child.stdout.on('data', (piece: Buffer) => pieces.push(piece));
  const [code] = (await once(child, 'close')) as [number | null];
  const all = Buffer.concat(pieces).toString().split('\n').filter(Boolean);
  const lines = all
    .map((line) => JSON.parse(line) as Line)
    .filter(({ event }) => event === 'done' || event === 'failed');
  return {
    code,
    lines: new Map(lines.map((line) => [line.output, line])),
    seconds: (performance.now() - begun) / 1000,
  };
}

// --- the batch without a fleet ---

const local = await batch('local', '-j', '2');
console.log(`${kernels} modules without a fleet: ${local.seconds.toFixed(0)} s`);

// --- the fleet, and its troubles ---

const store = await plainCache();
let compilations = 0;
let replaced = 0;
/** Of the compilations that succeeded: how near they came to the time limit on this machine. */
let slowestMs = 0;
/** What workers said of attempts in vain. */
const failures: Record<string, unknown>[] = [];

/** Keeps one place filled: whoever ends is replaced, as a supervisor does it. */
async function place(n: number): Promise<void> {
  while (!over) {
    const worker = await startWorker(server.url, { lockMs: 15_000, remoteCache: [store.url] });
    crew[n] = worker;
    if (over) worker.child.kill('SIGKILL');
    else if (worker.child.exitCode === null && worker.child.signalCode === null) await once(worker.child, 'exit');
    compilations += worker.log.filter(({ msg }) => msg === 'compiles').length;
    // The last one sleeps.
    if (n < crew.length - 1)
      for (const { msg, ms } of worker.log) if (msg === 'compiled') slowestMs = Math.max(slowestMs, Number(ms));
    failures.push(...worker.log.filter(({ msg }) => msg === 'a job failed'));
    if (!over) replaced++;
  }
}

const places = Array.from({ length: Number(args.workers) }, (_, n) => place(n));
let stranger = 0;
const other = (await connectionTo(server.url, 'f'.repeat(64))).openWorker(() => Promise.resolve(void stranger++), {});
other.on('error', () => {});

const happened: string[] = [];
const stop = new AbortController();
const pause = async (seconds: number): Promise<boolean> =>
  sleep(seconds * 1000, true, { signal: stop.signal }).catch(() => false);

/** The last one sleeps; the others are killed in turn. */
async function kill(): Promise<void> {
  for (let n = 0; await pause(Number(args['kill-every'])); n++) {
    crew[n % (crew.length - 1)]?.child.kill('SIGKILL');
    happened.push('killed');
  }
}
async function suspend(): Promise<void> {
  if (!(await pause(Number(args['kill-every']) / 2))) return;
  const sleeper = crew.at(-1)!;
  sleeper.child.kill('SIGSTOP');
  happened.push('suspended');
  await pause(Number(args.suspend));
  sleeper.child.kill('SIGCONT');
}
async function restart(): Promise<void> {
  if (!(await pause(1.5 * Number(args['kill-every'])))) return;
  await server.stop();
  await sleep(1000);
  await server.start();
  happened.push('restarted');
}

const troubles = Promise.all([kill(), suspend(), restart()]);
const remote = ['--remote-cache', store.url, '--remote-cache-mode', 'read-write'];
const fleet = await batch('fleet', '-j', '1', '--queue', server.url, '--queue-name', 'test', ...remote);
stop.abort();
await troubles;
over = true;
for (const { child } of crew) child.kill('SIGKILL');
await Promise.all(places);
await other.close().catch(() => {});
await server[Symbol.asyncDispose]();
await store[Symbol.asyncDispose]();

// --- what must hold ---

let poisoned = 0;
for (const [output, line] of local.lines) {
  const theirs = fleet.lines.get(output);
  if (theirs === undefined) wrong(`${output}: no result`);
  else if (marked.has(output)) {
    poisoned++;
    if (!/ended the process that compiled it/.test(theirs.error?.message ?? ''))
      wrong(`${output}: ended its workers, and the batch says ${JSON.stringify(theirs.error ?? theirs.event)}`);
  } else if (line.event === 'failed') {
    poisoned++;
    if (JSON.stringify(theirs.error) !== JSON.stringify(line.error))
      wrong(`${output}: fails with ${JSON.stringify(theirs.error)}, and not with ${JSON.stringify(line.error)}`);
  } else {
    const [one, two] = await Promise.all(
      ['local', 'fleet'].map((name) => readFile(path.join(folder, name, output)).catch(() => null)),
    );
    if (theirs.event === 'failed')
      wrong(`${output}: fails with ${JSON.stringify(theirs.error)}, and not without a fleet`);
    else if (one === null || two === null || !one.equals(two)) wrong(`${output}: other bytes than without a fleet`);
  }
}
const expectedCode = marked.size > 0 ? 3 : local.code;
if (fleet.code !== expectedCode) wrong(`the batch ends with ${fleet.code}, and not with ${expectedCode}`);
const average = compilations / kernels;
if (average > MOST_COMPILATIONS) wrong(`modules were compiled ${average.toFixed(3)} times on average`);
if (stranger > 0) wrong(`a worker of another version took ${stranger} jobs`);
for (const what of ['killed', 'suspended', 'restarted'])
  if (!happened.includes(what)) wrong(`nobody was ${what}: the batch was over before (take more kernels)`);
await rm(folder, { recursive: true, force: true });
clearTimeout(limit);

const killed = happened.filter((each) => each === 'killed').length;
console.log(
  `${kernels} modules with ${args.workers} workers: ${fleet.seconds.toFixed(0)} s; ${killed} killed, ${replaced} replaced, ` +
    `${poisoned} poisonous of which ${marked.size} end their worker, ${average.toFixed(3)} compilations per module, ` +
    `the slowest ${(slowestMs / 1000).toFixed(1)} s of ${TIMEOUT_SECONDS} s`,
);
for (const complaint of complaints.slice(0, 20)) console.log(`WRONG: ${complaint}`);
if (complaints.length > 0) for (const failure of failures) console.log(JSON.stringify(failure));
const seconds = ((performance.now() - started) / 1000).toFixed(0);
console.log(complaints.length === 0 ? `all well, ${seconds} s` : `${complaints.length} complaints, ${seconds} s`);
process.exit(complaints.length === 0 ? 0 : 1);

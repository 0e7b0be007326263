/**
 * A soak test of `darm serve`: mixed requests from two clients at once, some of them poison. Every answer is compared
 * with what the library made beforehand.
 *
 *   node dist/test/campaign/soak.js [--requests N] [--minutes M] [--poison PERCENT] [--shutdowns N] [--seed S]
 *
 * Requests are compilations of different kernels in different ways, analyses and batches. Poison is a module that
 * crashes, hangs or exhausts a worker, or a client that goes away. Meanwhile other clients ask for large answers and do
 * not read them. It ends after N requests or M minutes. Then the service is started and ended by SIGTERM several times,
 * in the middle of requests: each must be answered or refused, and an answer that breaks off must not look complete.
 * Exit code 1 on a lost, wrong or mixed-up answer, on memory that grows, or when the service does not end cleanly. A
 * request depends only on the seed and its number.
 */
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createCompiler, type JobOptions } from '../../src/index.js';
import { analyzeDocument } from '../../src/report/json/analyze-document.js';
import { drawFor } from '../support/draw.js';
import { kernel } from '../support/llvm.js';
import { figureAt, readSlowly, startServer, unread } from '../support/server.js';
import { base64, largeModule, POISON, tinyKernel } from '../support/service.js';

const { values: args } = parseArgs({
  options: {
    requests: { type: 'string', default: '10000' },
    minutes: { type: 'string', default: '60' },
    poison: { type: 'string', default: '2' },
    shutdowns: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
  },
});
const wanted = Number(args.requests);
const poisonShare = Number(args.poison) / 100;
const CLIENTS = 2;
const MEMORY_LIMIT_MIB = 64;
/** Clients that do not read, and the seconds after which the service cuts them off. */
const STUCK_CLIENTS = 2;
const STALL_SECONDS = 5;
/** Clients that are there when the service is shut down, how long it has been up by then, and its grace in seconds. */
const LAST_CLIENTS = 6;
const UP_MS = 4000;
const GRACE_SECONDS = 10;
/** For the process to end when everything is answered: V8 may be compiling. */
const EXIT_SECONDS = 10;
/** Largest ratio of the memory in the second half to that in the first. */
const MOST_GROWTH = 1.2;
/** Requests between two measurements of the memory. */
const LOOK_EVERY = 50;

const sha256 = (data: Uint8Array | string): string => createHash('sha256').update(data).digest('hex');

/** A request, and how to check its answer; `check` returns a complaint or null. */
interface Case {
  readonly kind: string;
  readonly path: string;
  readonly body: Uint8Array<ArrayBuffer> | string;
  readonly type?: string;
  /** Milliseconds after which the client goes away without waiting for the answer. */
  readonly leaveAfter?: number;
  readonly check: (status: number, body: Uint8Array) => string | null;
}

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const wrong = (status: number, body: Uint8Array): string => `status ${status}: ${text(body.subarray(0, 200))}`;

interface Compilation {
  readonly kind: 'quick' | 'code' | 'real';
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly options: Partial<JobOptions>;
  readonly expected: string;
}

/** Without code generation, which is most of the cost of a small kernel: this allows many more requests. */
const QUICK: readonly Partial<JobOptions>[] = [{ emit: ['bc'] }, { emit: ['ll'] }, { emit: ['bc'], meld: 'off' }];
const CODE: readonly Partial<JobOptions>[] = [
  {},
  { emit: ['asm'] },
  { emit: ['obj'], mcpu: 'gfx1100' },
  { emit: ['ll'], optimize: 'O1' },
  { codegenLevel: 0 },
];

/** Small kernels in all forms, and some real ones. */
async function compilations(): Promise<Compilation[]> {
  await using compiler = createCompiler({ threads: CLIENTS, tierPolicy: 'short' });
  const jobs: Promise<Compilation>[] = [];
  const add = (
    kind: Compilation['kind'],
    bytes: Uint8Array<ArrayBuffer>,
    forms: readonly Partial<JobOptions>[],
  ): void => {
    for (const options of forms) {
      const compiled = compiler.compile(bytes, options);
      jobs.push(compiled.then(({ artifacts }) => ({ kind, bytes, options, expected: sha256(artifacts[0]!.bytes) })));
    }
  };
  for (let i = 0; i < 16; i++) {
    for (const form of QUICK) add('quick', tinyKernel(i, form.mcpu ?? undefined), [form]);
    for (const form of CODE) add('code', tinyKernel(i, form.mcpu ?? undefined), [form]);
  }
  for (const name of ['sb1.gfx906.O3', 'dct.gfx1100.O3', 'bitonic.gfx906.O3'])
    add('real', new Uint8Array(await kernel(name)), [{}]);
  return await Promise.all(jobs);
}

const query = (options: Partial<JobOptions>): string =>
  new URLSearchParams(Object.entries(options).map(([name, value]) => [name, String(value)])).toString();

function compileCase({ kind, bytes, options, expected }: Compilation): Case {
  return {
    kind: `compile, ${kind}`,
    path: `/v1/compile?${query(options)}`,
    body: bytes,
    check: (status, body) => (status === 200 && sha256(body) === expected ? null : wrong(status, body)),
  };
}

async function analyses(): Promise<Case[]> {
  await using compiler = createCompiler({ threads: CLIENTS, tierPolicy: 'short' });
  const inputs = [...Array.from({ length: 8 }, (_, i) => tinyKernel(i)), await kernel('sb1.gfx906.O3')];
  return await Promise.all(
    inputs.map(async (bytes) => {
      const expected = JSON.stringify(analyzeDocument(await compiler.analyze(bytes)));
      return {
        kind: 'analyze',
        path: '/v1/analyze',
        body: new Uint8Array(bytes),
        check: (status, body) => (status === 200 && text(body) === expected ? null : wrong(status, body)),
      } satisfies Case;
    }),
  );
}

interface BatchAnswer {
  readonly index: number;
  readonly name: string;
  readonly done?: true;
  readonly artifacts?: readonly { readonly data: string }[];
  readonly error?: { readonly code: string };
}

function batchCase(items: readonly Compilation[]): Case {
  const lines = items.map(({ bytes, options }, i) => ({ name: `item ${i}`, module: base64(bytes), options }));
  return {
    kind: 'batch',
    path: '/v1/batch',
    type: 'application/x-ndjson',
    body: lines.map((line) => JSON.stringify(line)).join('\n'),
    check(status, body) {
      const seen = new Set<number>();
      for (const line of text(body).trimEnd().split('\n')) {
        const answer = JSON.parse(line) as BatchAnswer;
        if (answer.done) continue;
        if (answer.error?.code === 'shutting-down') {
          seen.add(answer.index);
          continue;
        }
        const hash = answer.artifacts && sha256(Buffer.from(answer.artifacts[0]!.data, 'base64'));
        if (hash !== items[answer.index]!.expected || answer.name !== `item ${answer.index}`)
          return wrong(status, body);
        seen.add(answer.index);
      }
      return seen.size === items.length && text(body).includes('"done":true') ? null : wrong(status, body);
    },
  };
}

function poisonCases(): Case[] {
  const failing = Object.entries(POISON).map(([name, { bytes, code }]): Case => {
    const path = `/v1/compile${name === 'endless' ? '?timeout=200' : ''}`;
    return { kind: `poison: ${name}`, path, body: bytes, check: expects(code) };
  });
  const cut = { kind: 'poison: truncated', path: '/v1/compile', body: truncated, check: expects('bad-input') };
  const gone = {
    kind: 'poison: client gone',
    path: '/v1/compile',
    body: POISON.endless.bytes,
    leaveAfter: 100,
    check: wrong,
  };
  return [...failing, cut, gone];
}

const truncated = new Uint8Array((await kernel('sb1.gfx906.O3')).subarray(0, 1500));
const expects =
  (code: string): Case['check'] =>
  (status, body) =>
    status >= 400 && (JSON.parse(text(body)) as { code: string }).code === code ? null : wrong(status, body);

/** A complaint about the answer, or null. */
async function send(url: string, { path, body, type, leaveAfter, check }: Case): Promise<string | null> {
  const id = randomUUID();
  const headers = { 'X-Request-Id': id, 'Content-Type': type ?? 'application/octet-stream' };
  const signal = leaveAfter === undefined ? null : AbortSignal.timeout(leaveAfter);
  try {
    const answer = await fetch(url + path, { method: 'POST', body, headers, signal });
    if (answer.headers.get('x-request-id') !== id) return "another request's answer";
    return check(answer.status, new Uint8Array(await answer.arrayBuffer()));
  } catch (error) {
    return leaveAfter === undefined ? `lost: ${String(error)}` : null;
  }
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;

const compiled = await compilations();
const [quick, code, real] = (['quick', 'code', 'real'] as const).map((kind) =>
  compiled.filter((compilation) => compilation.kind === kind),
) as [Compilation[], Compilation[], Compilation[]];
const analyzed = await analyses();
const poison = poisonCases();
/** An answer that does not fit into the buffers of a connection. */
const LARGE = largeModule(4 * 2 ** 20);
const LARGE_PATH = '/v1/compile?emit=obj,hsaco';
const seed = Number(args.seed);

function drawCase(number: number, share = poisonShare): Case {
  const draw = drawFor(seed, number);
  if (draw.chance(share)) return draw.pick(poison);
  const kind = draw.next();
  if (kind < 0.2) return draw.pick(analyzed);
  if (kind < 0.25) return batchCase([...Array.from({ length: 3 }, () => draw.pick(quick)), draw.pick(code)]);
  if (kind < 0.26) return compileCase(draw.pick(real));
  return compileCase(draw.pick(kind < 0.36 ? code : quick));
}

const serve = (...more: readonly string[]): ReturnType<typeof startServer> =>
  startServer('-j', String(CLIENTS), '--memory-limit', String(MEMORY_LIMIT_MIB), ...more);

const server = await serve('--body-timeout', String(STALL_SECONDS));
const counts = new Map<string, { sent: number; wrong: number }>();
const memory: number[] = [];
let next = 0;
let failures = 0;
const started = performance.now();
const deadline = started + Number(args.minutes) * 60_000;

async function client(): Promise<void> {
  while (next < wanted && performance.now() < deadline) {
    const number = next++;
    const request = drawCase(number);
    const complaint = await send(server.url, request);
    const count = counts.get(request.kind) ?? { sent: 0, wrong: 0 };
    counts.set(request.kind, count);
    count.sent++;
    if (complaint !== null) {
      count.wrong++;
      failures++;
      console.log(`request ${number}, ${request.kind}: ${complaint}`);
    }
    if (number % LOOK_EVERY === 0) memory.push((await figureAt(server.url, 'darm_resident_memory_bytes')) / 2 ** 20);
    if (number > 0 && number % Math.ceil(wanted / 10) === 0) {
      const perSecond = number / ((performance.now() - started) / 1000);
      console.log(`${number} requests, ${perSecond.toFixed(0)} a second, ${memory.at(-1)!.toFixed(0)} MiB`);
    }
  }
}

let working = true;
let cutOff = 0;
/** Asks for large answers and does not read them until they are cut off. */
async function stuckClient(): Promise<void> {
  while (working) {
    const answer = await unread(server.url + LARGE_PATH, LARGE, 'application/json');
    await sleep((STALL_SECONDS + 2) * 1000);
    if ((await readSlowly(answer, 0)).complete) fail('a client that did not read has a complete answer');
    else cutOff++;
  }
}

function fail(complaint: string): void {
  failures++;
  console.log(complaint);
}

const stuck = Array.from({ length: STUCK_CLIENTS }, stuckClient);
await Promise.all(Array.from({ length: CLIENTS }, client));
working = false;
await Promise.all(stuck);
const seconds = (performance.now() - started) / 1000;

const left = await figureAt(server.url, 'darm_requests_in_flight');
server.child.kill('SIGTERM');
const exit = await server.exit;
for (const [kind, { sent, wrong }] of [...counts].sort())
  console.log(`${kind.padEnd(20)} ${sent} sent, ${wrong} wrong`);
// The first tenth is the warm-up: workers start, V8 optimises.
const samples = memory.slice(Math.ceil(memory.length / 10));
const [first, second] = [samples.slice(0, samples.length >> 1), samples.slice(samples.length >> 1)].map(median) as [
  number,
  number,
];
const grown = second / first;
console.log(
  `memory: ${first.toFixed(0)} MiB in the first half, ${second.toFixed(0)} MiB in the second: ${grown.toFixed(2)}x`,
);
console.log(
  `${next} requests in ${seconds.toFixed(0)} s, ${(next / seconds).toFixed(0)} a second; ${failures} wrong or lost`,
);
console.log(`${cutOff} clients that did not read were cut off`);
if (left > 0 || exit !== 0) fail(`the service ended with ${String(exit)}, ${left} requests unanswered`);

/** Ends the service in the middle of requests, slow clients and clients that do not read. */
async function shutDown(round: number): Promise<Record<string, number>> {
  const last = await serve('--grace', String(GRACE_SECONDS));
  let signalled = Infinity;
  const outcomes: Record<string, number> = { right: 0, refused: 0 };
  const clientOf = async (_: unknown, index: number): Promise<void> => {
    for (let i = 0; performance.now() < signalled + 1000; i++) {
      const started = performance.now();
      const request = drawCase(wanted + (round * LAST_CLIENTS + index) * 10_000 + i, 0);
      const check: Case['check'] = (status, body) => {
        const isRefused = status === 503 && text(body).includes('"shutting-down"');
        const complaint = isRefused ? null : request.check(status, body);
        if (complaint === null) outcomes[isRefused ? 'refused' : 'right']!++;
        return complaint;
      };
      const complaint = await send(last.url, { ...request, check });
      if (complaint === null) continue;
      if (started < signalled || !complaint.startsWith('lost'))
        fail(`shutdown ${round}, ${request.kind}: ${complaint}`);
      // Nobody listens any more.
      else return;
    }
  };
  const clients = Array.from({ length: LAST_CLIENTS }, clientOf);
  const [slow, stuck] = await Promise.all([1, 2].map(() => unread(last.url + LARGE_PATH, LARGE, 'application/json')));
  const reading = readSlowly(slow!, 5);
  await sleep(UP_MS);
  signalled = performance.now();
  last.child.kill('SIGTERM');
  const code = await last.exit;
  const tookMs = performance.now() - signalled;
  await Promise.all(clients);
  if (code !== 0) fail(`shutdown ${round}: exit code ${String(code)}`);
  if (tookMs > (GRACE_SECONDS + EXIT_SECONDS) * 1000) fail(`shutdown ${round} took ${tookMs.toFixed(0)} ms`);
  if (!(await reading).complete) fail(`shutdown ${round}: a slow client has half an answer`);
  if ((await readSlowly(stuck!, 0)).complete) fail(`shutdown ${round}: a client that did not read has everything`);
  return { ...outcomes, ms: Math.round(tookMs) };
}
for (let round = 0; round < Number(args.shutdowns); round++)
  console.log(`shutdown ${round}: ${JSON.stringify(await shutDown(round))}`);
process.exitCode = failures > 0 || grown > MOST_GROWTH ? 1 : 0;

/**
 * A fleet on a real Redis: workers in processes of their own, and what may happen to them, to the queue, to the store.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Queue } from 'bullmq';
import { createCompiler } from '../../src/index.js';
import type { DarmError } from '../../src/errors.js';
import { Carrier } from '../../src/fleet/carrier.js';
import { serveFigures } from '../../src/fleet/figures.js';
import { idOf } from '../../src/fleet/task.js';
import { compileKey } from '../../src/compiler/compile-key.js';
import { completeJobOptions } from '../../src/job/options.js';
import { BlobStore } from '../../src/remote-cache/blob-store.js';
import { inFolder, MAIN } from '../support/command.js';
import { connectionTo, openFleet, startWorker } from '../support/fleet.js';
import { MARK } from '../support/fleet-mark.js';
import { plainCache } from '../support/http-server.js';
import { inlineCompiler } from '../support/inline-compiler.js';
import { kernel } from '../support/llvm.js';
import { hasRedis, TestRedis } from '../support/redis.js';
import { largeModule, POISON, text, tinyKernel } from '../support/service.js';
import { assert, suite } from '../support/suite.js';

const test = suite('fleet/fleet', { tests: 17, timeoutMs: 90_000 });

/** A worker that does not say for so long, in milliseconds, that it is alive counts as lost. */
const SOON_LOST = 1500;

const withRedis =
  (use: (redis: TestRedis) => Promise<void>, ...more: string[]) =>
  (): Promise<void> =>
    inFolder(async (folder) => {
      if (!hasRedis()) return;
      await using redis = await TestRedis.start(folder, ...more);
      await use(redis);
    });

/** What a compilation here comes to. */
const local = async (bytes: Uint8Array): Promise<Uint8Array> =>
  (await inlineCompiler().compile(bytes)).artifacts[0]!.bytes;

/** What a worker would say of the queue. */
async function figuresOf(queue: Queue): Promise<AsyncDisposable & { text(): Promise<string> }> {
  const worker = { counts: { done: 0, failed: 0, running: 0, foreign: 0 } };
  const compiler = { cacheCounts: null, remoteCacheReport: null };
  const { url, close } = await serveFigures({ queue, worker, compiler, host: '127.0.0.1', port: 0 });
  return { text: async () => (await fetch(url)).text(), [Symbol.asyncDispose]: close };
}

const failureOf = (compiled: Promise<unknown>): Promise<DarmError> =>
  compiled.then(
    () => assert.unreachable('it should have failed') as never,
    (error: unknown) => error as DarmError,
  );

test.long(
  'same bytes, same errors, equal work once',
  withRedis(async (redis) => {
    await using worker = await startWorker(redis.url);
    await using fleet = await openFleet(redis.url);
    const bytes = await kernel('bitonic.gfx906.O3');
    const [one, other] = await Promise.all([fleet.compiler.compile(bytes), fleet.compiler.compile(bytes)]);
    assert.equal(one.artifacts[0]!.bytes, await local(bytes));
    assert.equal(other.artifacts, one.artifacts);
    assert.ok(one.functions.some(({ melds }) => melds.length > 0));
    for (const { bytes, code } of [{ bytes: text('nonsense'), code: 'bad-input' }, POISON.trap]) {
      const error = await failureOf(fleet.compiler.compile(bytes));
      await using here = createCompiler({ threads: 1, tierPolicy: 'short' });
      const same = await failureOf(here.compile(bytes));
      assert.equal([error.code, error.message, error.location], [code, same.message, same.location]);
    }
    // Another batch gets what is there, and a failure is tried again.
    await using second = await openFleet(redis.url);
    assert.equal((await second.compiler.compile(bytes)).artifacts, one.artifacts);
    assert.is((await failureOf(second.compiler.compile(POISON.trap.bytes))).code, 'internal');
    assert.equal(fleet.client.report, { sent: 3, done: 4, here: 0, refused: 0, complaint: null });
    worker.child.kill('SIGTERM');
    const { done, failed } = await worker.logged('stopped');
    assert.equal([done, failed], [1, 3]);
  }),
);

test.long(
  'a worker that is killed, and one that sleeps: others take their jobs',
  withRedis(async (redis) => {
    await using killed = await startWorker(redis.url, { lockMs: SOON_LOST });
    await using fleet = await openFleet(redis.url);
    const modules = await Promise.all(['bitonic', 'sb1', 'sb2', 'sb3'].map((name) => kernel(`${name}.gfx906.O3`)));
    const compiled = Promise.all(modules.map((bytes) => fleet.compiler.compile(bytes)));
    while (Number(await redis.command('EXISTS', await activeKey(redis.url))) === 0) await sleep(5);
    killed.child.kill('SIGSTOP');
    await using _ = await startWorker(redis.url, { lockMs: SOON_LOST });
    const results = await compiled;
    for (const [n, { artifacts }] of results.entries()) assert.equal(artifacts[0]!.bytes, await local(modules[n]!));
    // Whoever wakes up finds that others were faster.
    killed.child.kill('SIGCONT');
    await sleep(300);
    killed.child.kill('SIGKILL');
    assert.is(fleet.client.report.done, 4);
  }),
);

async function activeKey(url: string): Promise<string> {
  return `bull:${(await connectionTo(url)).queueName}:active`;
}

test.long(
  'a module that ends its worker fails with the reason; what ran beside it does not',
  withRedis(async (redis) => {
    const first = await startWorker(redis.url, { threads: 2, lockMs: SOON_LOST });
    const gone = once(first.child, 'exit');
    await using fleet = await openFleet(redis.url);
    const poison = failureOf(fleet.compiler.compile(text(`${MARK}\n${new TextDecoder().decode(tinyKernel(1))}`)));
    const beside = fleet.compiler.compile(await kernel('bitonic.gfx906.O3'));
    await gone;
    await using _ = await startWorker(redis.url, { lockMs: SOON_LOST });
    const error = await poison;
    assert.is(error.code, 'internal');
    assert.match(error.message, /ended the process that compiled it \(SIGKILL\), after a worker before/);
    assert.equal((await beside).artifacts[0]!.bytes, await local(await kernel('bitonic.gfx906.O3')));
  }),
);

test.long(
  'the queue forgets everything in the middle: jobs are handed out again, and the user is told',
  withRedis(async (redis) => {
    await using fleet = await openFleet(redis.url);
    const compiled = Promise.all([1, 2, 3].map((n) => fleet.compiler.compile(tinyKernel(n))));
    await sleep(300);
    await redis.stop();
    await sleep(1500);
    await redis.start();
    await using _ = await startWorker(redis.url);
    const results = await compiled;
    assert.equal(results[2]!.artifacts[0]!.bytes, await local(tinyKernel(3)));
    assert.match(fleet.said.join('\n'), /connection is lost.*waiting\n(.*\n)?.*is there again/);
    assert.is(fleet.client.report.here, 0);
  }),
);

test.long(
  'a queue that hangs: the batch waits, and says so',
  withRedis(async (redis) => {
    await using worker = await startWorker(redis.url);
    await using fleet = await openFleet(redis.url);
    redis.pause();
    const compiled = fleet.compiler.compile(tinyKernel(1));
    while (fleet.said.length === 0) await sleep(50);
    redis.resume();
    assert.equal((await compiled).artifacts[0]!.bytes, await local(tinyKernel(1)));
    assert.match(fleet.said[0]!, /does not answer; waiting/);
    while (fleet.said.length === 1) await sleep(50);
    assert.match(fleet.said[1]!, /there again/);
    assert.is(worker.child.exitCode, null);
  }),
);

test.long(
  'a full queue: the batch waits, and says so',
  withRedis(async (redis) => {
    await using _ = await startWorker(redis.url);
    await using fleet = await openFleet(redis.url);
    await redis.command('CONFIG', 'SET', 'maxmemory', '1');
    const compiled = fleet.compiler.compile(tinyKernel(1));
    while (fleet.said.length === 0) await sleep(50);
    assert.match(fleet.said[0]!, /OOM/);
    await redis.command('CONFIG', 'SET', 'maxmemory', '0');
    assert.equal((await compiled).artifacts[0]!.bytes, await local(tinyKernel(1)));
    assert.match(fleet.said[1]!, /there again/);
  }),
);

test.long(
  'a queue full of what is done is relieved of it',
  withRedis(async (redis) => {
    await using _ = await startWorker(redis.url);
    const large = (n: number): Uint8Array => Buffer.concat([Buffer.alloc(20_000, '; x\n'), tinyKernel(n)]);
    await using fleet = await openFleet(redis.url);
    const base = /used_memory:(\d+)/.exec(String(await redis.command('INFO', 'memory')))![1]!;
    await redis.command('CONFIG', 'SET', 'maxmemory', String(Number(base) + 2_000_000));
    for (let n = 0; n < 120; n += 40)
      await Promise.all(Array.from({ length: 40 }, (_, each) => fleet.compiler.compile(large(n + each))));
    assert.match(fleet.said.join('\n'), /OOM/);
    assert.is(fleet.client.report.here, 0);
  }),
);

test.long(
  'SIGTERM while the queue is away: the worker and the batch end',
  withRedis(async (redis) => {
    const flags = ['--queue', redis.url, '--no-cache'];
    await inFolder(async (folder) => {
      await writeFile(path.join(folder, 'k.ll'), tinyKernel(1));
      const worker = spawn(process.execPath, [MAIN, 'worker', ...flags], { stdio: ['ignore', 'ignore', 'pipe'] });
      const out = path.join(folder, 'out');
      const words = ['batch', folder, '--out-dir', out, '--queue-name', 'empty', ...flags];
      const batch = spawn(process.execPath, [MAIN, ...words], { stdio: ['ignore', 'ignore', 'pipe'] });
      await Promise.all([once(worker.stderr, 'data'), once(batch.stderr, 'data')]);
      await redis.stop();
      const exits = Promise.all([once(worker, 'exit'), once(batch, 'exit')]);
      for (const child of [worker, batch]) child.kill('SIGTERM');
      assert.equal(
        (await exits).map(([code]) => code as number),
        [0, 143],
      );
    });
  }),
);

test.long(
  'a result too large for the queue: one attempt, then it is compiled here',
  withRedis(async (redis) => {
    await using worker = await startWorker(redis.url);
    await using fleet = await openFleet(redis.url);
    const module = largeModule(200_000);
    assert.equal((await fleet.compiler.compile(module)).artifacts[0]!.bytes, await local(module));
    assert.match(fleet.client.report.complaint!, /too many for the queue/);
    assert.is(worker.log.filter(({ msg }) => msg === 'compiles').length, 1);
  }),
);

test(
  'foreign jobs are left alone, and what stands under an id of ours is not believed',
  withRedis(async (redis) => {
    const queue = await (await connectionTo(redis.url)).openQueue();
    const key = await compileKey(tinyKernel(1), completeJobOptions('test', {}));
    await queue.add('send-mail', { to: 'jane' }, { jobId: 'foreign' });
    await queue.add('compile', { schema: 1, module: 'rm -rf' }, { jobId: idOf(key, 0), attempts: 1 });
    await using worker = await startWorker(redis.url);
    await using fleet = await openFleet(redis.url);
    assert.equal((await fleet.compiler.compile(tinyKernel(1))).artifacts[0]!.bytes, await local(tinyKernel(1)));
    assert.is((await worker.logged('a job that is not of darm is left alone'))['name'], 'send-mail');
    assert.is(await queue.getJobState('foreign'), 'delayed');
    assert.equal((await queue.getJob('foreign'))!.data, { to: 'jane' });
    await queue.close();
  }),
);

test.long(
  'a time limit is that of the batch that set it, although another one waits for the same',
  withRedis(async (redis) => {
    await using short = await openFleet(redis.url);
    await using other = await openFleet(redis.url);
    const late = failureOf(short.compiler.compile(tinyKernel(1), {}, { timeout: 1 }));
    const compiled = other.compiler.compile(tinyKernel(1));
    await using _ = await startWorker(redis.url);
    assert.is((await late).code, 'timeout');
    assert.equal((await compiled).artifacts[0]!.bytes, await local(tinyKernel(1)));
    assert.equal([short.client.report.here, other.client.report.here], [0, 0]);
  }),
);

test.long(
  'what the queue has lost a part of is done, and what others wrote there does not hide the rest',
  withRedis(async (redis) => {
    const { queueName } = await connectionTo(redis.url);
    const at = (what: string): string => `bull:${queueName}:${what}`;
    await using fleet = await openFleet(redis.url);
    const queue = await (await connectionTo(redis.url)).openQueue();
    const until = async (count: number): Promise<void> => {
      while ((await queue.getWaitingCount()) < count) await sleep(10);
    };
    // Its id stands in the queue, and nothing under it.
    const first = fleet.compiler.compile(tinyKernel(1));
    await until(1);
    const [{ id } = {}] = await queue.getWaiting();
    await redis.command('DEL', at(id!));
    await using worker = await startWorker(redis.url);
    assert.equal((await first).artifacts[0]!.bytes, await local(tinyKernel(1)));
    worker.child.kill('SIGTERM');
    await worker.logged('stopped');
    // It is there, and its id nowhere.
    const second = fleet.compiler.compile(tinyKernel(2));
    await until(1);
    await redis.command('DEL', at('wait'));
    await until(1);
    await redis.command('HSET', at('777'), 'name', 'compile', 'data', '{oops', 'opts', '{}', 'timestamp', '1');
    await redis.command('RPUSH', at('wait'), '777');
    await using figures = await figuresOf(queue);
    assert.match(await figures.text(), /\ndarm_queue_up 1\n[^]*\ndarm_queue_waiting 2\n/);
    await using _ = await startWorker(redis.url);
    assert.equal((await second).artifacts[0]!.bytes, await local(tinyKernel(2)));
    // It is done, and its content is lost.
    const done = (await queue.getCompleted()).map((job) => job.id!);
    await redis.command('DEL', ...done.map(at));
    await using other = await openFleet(redis.url);
    assert.equal((await other.compiler.compile(tinyKernel(2))).artifacts[0]!.bytes, await local(tinyKernel(2)));
    assert.equal(other.client.report, { sent: 1, done: 1, here: 0, refused: 0, complaint: null });
    await queue.close();
  }),
);

test.long(
  'a queue that is paused: the user is told; old results go by time',
  withRedis(async (redis) => {
    const connection = await connectionTo(redis.url);
    const queue = await connection.openQueue();
    await queue.pause();
    await using _ = await startWorker(redis.url);
    await using fleet = await openFleet(redis.url);
    const compiled = fleet.compiler.compile(tinyKernel(1));
    while (fleet.said.length === 0) await sleep(50);
    assert.match(fleet.said[0]!, /is paused: no job begins until it is resumed/);
    await queue.resume();
    await compiled;
    const [{ id } = {}] = await queue.getCompleted();
    const done = `bull:${connection.queueName}:completed`;
    const stop = connection.expire(queue, 50);
    await sleep(200);
    assert.is(await queue.getCompletedCount(), 1);
    // An hour and a bit ago.
    await redis.command('ZADD', done, String(Date.now() - 3_700_000), id!);
    await redis.command('HSET', `bull:${connection.queueName}:${id!}`, 'finishedOn', String(Date.now() - 3_700_000));
    while ((await queue.getCompletedCount()) > 0) await sleep(50);
    stop();
    await queue.close();
  }),
);

test(
  'a wrong result is refused, counted, and compiled here',
  withRedis(async (redis) => {
    await using fleet = await openFleet(redis.url);
    const connection = await connectionTo(redis.url);
    const answers: unknown[] = [{ schema: 1, result: { inline: 'AAAA' } }, { bytes: 1 }, null];
    const liar = connection.openWorker(() => Promise.resolve(answers.pop()), {});
    for (const n of [1, 2, 3])
      assert.equal((await fleet.compiler.compile(tinyKernel(n))).artifacts[0]!.bytes, await local(tinyKernel(n)));
    await liar.close();
    const { complaint, ...counts } = fleet.client.report;
    assert.equal(counts, { sent: 3, done: 0, here: 3, refused: 3 });
    assert.match(complaint!, /not what belongs to its job/);
    const queue = await connection.openQueue();
    while ((await queue.getCompletedCount()) > 0) await sleep(20);
    await queue.close();
  }),
);

test.long(
  'what is large goes by the store; wrong bytes of the store are refused',
  withRedis(async (redis) => {
    const kept = new Map<string, Buffer>();
    await using store = await plainCache(kept);
    await using _ = await startWorker(redis.url, { remoteCache: [store.url] });
    const carrier = (): Carrier => new Carrier(new BlobStore({ url: store.url, mode: 'read-write' }));
    const [module, other] = [largeModule(200_000), largeModule(300_000)];
    await using fleet = await openFleet(redis.url, carrier());
    assert.equal((await fleet.compiler.compile(module)).artifacts[0]!.bytes, await local(module));
    assert.is(fleet.client.report.here, 0);
    assert.is(kept.size, 1);
    for (const [name, bytes] of kept) kept.set(name, Buffer.from(bytes).fill(1, 7, 9));
    await using second = await openFleet(redis.url, carrier());
    assert.equal((await second.compiler.compile(module)).artifacts[0]!.bytes, await local(module));
    assert.match(second.client.report.complaint!, /does not have its hash/);
    // Without a store there is no way for it.
    await using third = await openFleet(redis.url);
    assert.equal((await third.compiler.compile(other)).artifacts[0]!.bytes, await local(other));
    assert.is(third.client.report.here, 1);
  }),
);

test.long(
  'workers of another version do not take the job, and the user is told that there is none',
  withRedis(async (redis) => {
    const other = await connectionTo(redis.url, 'f'.repeat(64));
    let taken = 0;
    const stranger = other.openWorker(() => Promise.resolve(void taken++), {});
    await using fleet = await openFleet(redis.url);
    const compiled = fleet.compiler.compile(tinyKernel(1));
    while (fleet.said.length === 0) await sleep(100);
    assert.match(fleet.said[0]!, /no worker with this version/);
    await using _ = await startWorker(redis.url);
    assert.equal((await compiled).artifacts[0]!.bytes, await local(tinyKernel(1)));
    await stranger.close();
    assert.is(taken, 0);
  }),
);

test(
  'a batch that is interrupted takes back what nobody has begun',
  withRedis(async (redis) => {
    const stop = new AbortController();
    const fleet = await openFleet(redis.url);
    const compiled = [1, 2, 3].map((n) => fleet.compiler.compile(tinyKernel(n), {}, { signal: stop.signal }));
    const queue = await (await connectionTo(redis.url)).openQueue();
    while ((await queue.getWaitingCount()) < 3) await sleep(10);
    stop.abort();
    for (const each of compiled) assert.is((await failureOf(each)).code, 'aborted');
    await fleet[Symbol.asyncDispose]();
    assert.is(await queue.getWaitingCount(), 0);
    await queue.close();
  }),
);

test.run();

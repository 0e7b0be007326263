/** `darm batch --queue` and `darm worker`, as their users run them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { darm, filesIn, inFolder, MAIN } from '../support/command.js';
import { kernelPath } from '../support/llvm.js';
import { freePort, hasRedis, TestRedis } from '../support/redis.js';
import { assert, suite } from '../support/suite.js';

const test = suite('cli/fleet', { tests: 5, timeoutMs: 120_000 });

const INPUTS = ['sb1', 'sb2', 'bitonic'].map((name) => kernelPath(`${name}.gfx906.O3`));

test.long('a batch with a worker: files, journal, exit codes and metrics; SIGTERM ends the worker with 0', () =>
  inFolder(async (folder) => {
    if (!hasRedis()) return;
    const at = (name: string): string => path.join(folder, name);
    await using redis = await TestRedis.start(folder, '--requirepass', 'secret');
    const url = redis.url.replace('//', '//:secret@');
    // A cache that keeps nothing.
    await writeFile(at('file'), '');
    const flags = ['--queue', url, '-j', '1', '--cache', at('file/cache'), '--metrics-port', '0'];
    const worker = spawn(process.execPath, [MAIN, 'worker', ...flags], { stdio: ['ignore', 'ignore', 'pipe'] });
    const exit = once(worker, 'exit');
    const log: string[] = [];
    const lines = createInterface({ input: worker.stderr });
    lines.on('line', (line) => log.push(line));
    await once(lines, 'line');
    const { metrics } = JSON.parse(log[0]!) as { metrics: string };

    await writeFile(at('bad.ll'), 'nonsense');
    const [there, here] = await Promise.all([
      darm(['batch', ...INPUTS, at('bad.ll'), '--out-dir', at('there'), '--no-cache', '--queue', url]),
      darm(['batch', ...INPUTS, at('bad.ll'), '--out-dir', at('here'), '--no-cache']),
    ]);
    assert.equal([there.code, here.code], [1, 1]);
    assert.equal(await filesIn(at('there')), await filesIn(at('here')));
    for (const file of (await filesIn(at('here'))).filter((name) => name.endsWith('.hsaco')))
      assert.ok((await readFile(path.join(at('there'), file))).equals(await readFile(path.join(at('here'), file))));
    const failure = (text: string): string | undefined => /bad\.ll: FAILED.*/.exec(text)?.[0];
    assert.is(failure(there.stderr), failure(here.stderr));
    const again = await darm(['batch', ...INPUTS, '--out-dir', at('there'), '--no-cache', '--queue', url]);
    assert.match(again.stderr, /there already/);

    const figures = await (await fetch(metrics)).text();
    for (const line of ['darm_worker_jobs_done 3', 'darm_worker_jobs_failed 1', 'darm_queue_workers 1', 'darm_queue_up 1', 'darm_cache_errors 3'])
      assert.match(figures, line); // prettier-ignore
    assert.is(log.filter((line) => /"results are not in the cache"/.test(line)).length, 1);
    worker.kill('SIGTERM');
    assert.equal(await exit, [0, null]);
    assert.not.match(there.stderr + again.stderr + log.join('\n') + figures, /secret/);
  }),
);

test.long('a queue that is not there, or does not want us: one error with the address and without the password', () =>
  inFolder(async (folder) => {
    const port = await freePort();
    const given = `redis://jane:secret@127.0.0.1:${port}/0`;
    for (const args of [
      ['batch', INPUTS[0]!, '--out-dir', folder, '--queue', given],
      ['worker', '--queue', given],
    ]) {
      const { code, stderr } = await darm(args);
      assert.is(code, 1);
      assert.match(stderr, `cannot reach the queue redis://127.0.0.1:${port}/0`);
      assert.is(stderr.trim().split('\n').length, 1);
      assert.not.match(stderr, /secret|jane/);
    }
    if (!hasRedis()) return;
    await using redis = await TestRedis.start(folder, '--requirepass', 'right');
    const { code, stderr } = await darm(['worker', '--queue', redis.url.replace('//', '//:secret@')]);
    assert.is(code, 1);
    assert.match(stderr, /cannot reach the queue.*WRONGPASS/);
    assert.not.match(stderr, /secret/);
  }),
);

test('SIGINT ends a batch that waits for workers, with 130', () =>
  inFolder(async (folder) => {
    if (!hasRedis()) return;
    await using redis = await TestRedis.start(folder);
    const args = ['batch', ...INPUTS, '--out-dir', path.join(folder, 'out'), '--queue', redis.url];
    const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
    const exit = once(child, 'exit');
    while (((await redis.command('KEYS', 'bull:*:wait')) as string[]).length === 0) await sleep(50);
    child.kill('SIGINT');
    assert.equal(await exit, [130, null]);
    assert.equal(await redis.command('KEYS', 'bull:*:wait'), []);
  }));

test.long('SIGTERM in the middle, to the batch and to a worker: nothing is lost, and nothing is left behind', () =>
  inFolder(async (folder) => {
    if (!hasRedis()) return;
    await using redis = await TestRedis.start(folder);
    const [manifest, out] = [path.join(folder, 'jobs.jsonl'), path.join(folder, 'out')];
    const jobs = Array.from({ length: 30 }, (_, n) =>
      JSON.stringify({ input: INPUTS[n % 3], output: `${n}.hsaco`, options: { threshold: 0.1 + n / 1000 } }),
    );
    await writeFile(manifest, jobs.join('\n'));
    const start = (...words: string[]) => {
      const flags = ['--queue', redis.url, '--no-cache'];
      const child = spawn(process.execPath, [MAIN, ...words, ...flags], { stdio: ['ignore', 'pipe', 'ignore'] });
      return { child, exit: once(child, 'exit'), lines: createInterface({ input: child.stdout }) };
    };
    const batch = () => start('batch', manifest, '--out-dir', out, '--json');
    const first = start('worker', '-j', '1');
    const interrupted = batch();
    let done = 0;
    for await (const line of interrupted.lines)
      if (line.includes('"done"') && ++done === 5) interrupted.child.kill('SIGTERM');
    assert.equal(await interrupted.exit, [143, null]);
    assert.equal(await redis.command('KEYS', 'bull:*:wait'), []);
    assert.equal(
      (await filesIn(out)).filter((name) => name.endsWith('.tmp')),
      [],
    );

    const resumed = batch();
    const events: string[] = [];
    const skipped = (): number => events.filter((line) => line.includes('"skipped"')).length;
    let second: ReturnType<typeof start> | null = null;
    for await (const line of resumed.lines) {
      events.push(line);
      if (second !== null || events.length < done + 5) continue;
      first.child.kill('SIGTERM');
      assert.equal(await first.exit, [0, null]);
      second = start('worker', '-j', '1');
    }
    assert.equal(await resumed.exit, [0, null]);
    assert.is(skipped(), done);
    assert.is((await filesIn(out)).filter((name) => name.endsWith('.hsaco')).length, 30);
    second!.child.kill('SIGTERM');
    assert.equal(await second!.exit, [0, null]);
  }),
);

test('mistakes on the command line', async () => {
  for (const [args, complaint] of [
    [['worker'], /--queue/],
    [['worker', '--queue', 'http://jane:secret@host'], /needs an address/],
    [['worker', '--queue', 'redis://host', '--queue-name', 'a b'], /letters, digits/],
    [['batch', 'x', '--out-dir', 'y', '--queue-window', '0'], /whole number/],
  ] as const) {
    const { code, stderr } = await darm(args);
    assert.is(code, 2, stderr);
    assert.match(stderr, complaint);
    assert.not.match(stderr, /secret/);
  }
});

test.run();

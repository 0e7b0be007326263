/** `darm --persistent_worker`: Bazel's protocol, with several requests at the same time. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { darm, filesIn, inFolder, MAIN } from '../support/command.js';
import { kernelPath } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('cli/persistent-worker', { tests: 3, timeoutMs: 60_000 });

interface Answer {
  readonly exitCode: number;
  readonly output: string;
  readonly requestId: number;
}

/** Sends the requests at once. */
async function answersOf(folder: string, requests: readonly object[], between = '\n'): Promise<Map<number, Answer>> {
  const worker = spawn(process.execPath, [MAIN, '--persistent_worker'], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const exit = once(worker, 'exit');
  const answers = new Map<number, Answer>();
  const done = new Promise<void>((resolve) => {
    createInterface({ input: worker.stdout }).on('line', (line) => {
      const answer = JSON.parse(line) as Answer;
      answers.set(answer.requestId, answer);
      if (answers.size === requests.length) resolve();
    });
  });
  let stderr = '';
  worker.stderr.on('data', (piece: Buffer) => (stderr += piece.toString()));
  for (const request of requests) worker.stdin.write(JSON.stringify(request) + between);
  await done;
  worker.stdin.end();
  assert.equal(await exit, [0, null]);
  assert.is(stderr, '');
  return answers;
}

test.long('several actions, in the folder of the worker and in sandboxes: the same bytes as darm compile', () =>
  inFolder(async (folder) => {
    const names = ['sb1', 'sb2', 'bitonic'];
    const requests = await Promise.all(
      names.map(async (name, n) => {
        const sandboxDir = n === 0 ? '' : `sandbox/${n}`;
        await mkdir(path.join(folder, sandboxDir), { recursive: true });
        await cp(kernelPath(`${name}.gfx906.O3`), path.join(folder, sandboxDir, 'k.bc'));
        return { arguments: ['compile', 'k.bc', '-o', 'k.hsaco', '-MD'], inputs: [], requestId: n + 1, sandboxDir };
      }),
    );
    const answers = await answersOf(folder, requests);
    for (const [n, name] of names.entries()) {
      assert.equal(answers.get(n + 1), { exitCode: 0, output: '', requestId: n + 1 });
      const place = path.join(folder, requests[n]!.sandboxDir);
      await darm(['compile', kernelPath(`${name}.gfx906.O3`), '-o', path.join(place, 'expected')]);
      assert.ok((await readFile(path.join(place, 'k.hsaco'))).equals(await readFile(path.join(place, 'expected'))));
      assert.is(await readFile(path.join(place, 'k.d'), 'utf8'), 'k.hsaco: \\\n  k.bc\n');
    }
  }),
);

test.long('failures are those of darm compile, each in its own answer', () =>
  inFolder(async (folder) => {
    await writeFile(path.join(folder, 'bad.ll'), 'define void @f() {\n  nonsense\n}');
    await cp(kernelPath('sb1.gfx906.O3'), path.join(folder, 'k.bc'));
    const bad = ['compile', 'bad.ll', '-o', 'bad.hsaco'];
    const lines = [
      bad,
      ['compile', 'k.bc', '-o', '-'],
      ['batch', 'k.bc', '--out-dir', 'x'],
      ['compile'],
      ['compile', 'gone.bc'],
    ];
    const answers = await answersOf(
      folder,
      lines.map((words, n) => ({ arguments: words, requestId: n })),
      '',
    );
    const { code, stderr } = await darm(bad, { cwd: folder });
    assert.equal(answers.get(0), { exitCode: code, output: stderr, requestId: 0 });
    assert.match(stderr, /bad\.ll:2:/);
    for (const [n, exitCode, output] of [[1, 2, /standard output/], [2, 2, /and not batch/], [3, 2, /missing/], [4, 1, /no such file/]] as const) {
      assert.is(answers.get(n)!.exitCode, exitCode);
      assert.match(answers.get(n)!.output, output);
    } // prettier-ignore
    assert.equal(await filesIn(folder), ['bad.ll', 'k.bc']);
  }),
);

test('what is no request ends the worker with an error', async () => {
  for (const input of ['x\n', '{', '}', '{"a":"}', '{"arguments":"compile"}\n', '{"requestId":1.5}\n']) {
    const { code, stdout, stderr } = await darm(['--persistent_worker'], { input });
    assert.is(code, 1, input);
    assert.match(stderr, /no work request/);
    assert.is(stdout.length, 0);
  }
});

test.run();

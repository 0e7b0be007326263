/** `compile --report`, `analyze --html` and `--dot`: what is written where, and that it changes nothing. */
import { createHash } from 'node:crypto';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { graphName } from '../../src/cli/report.js';
import { loadLayout } from '../../src/report/graph/layout.js';
import { assert, suite } from '../support/suite.js';
import { darm, filesIn, inFolder } from '../support/command.js';
import { kernel, REPOSITORY } from '../support/llvm.js';

const test = suite('cli/report', { tests: 7, timeoutMs: 120_000 });

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Runs the command in a folder that holds sb1 as `k.bc`. */
async function run(args: readonly string[], use: (text: string, folder: string) => Promise<void> | void) {
  await inFolder(async (folder) => {
    await writeFile(path.join(folder, 'k.bc'), await kernel('sb1.gfx906.O3'));
    await copyFile(`${REPOSITORY}kernels/specs/sb1.json`, path.join(folder, 'spec.json'));
    const { code, stdout, stderr } = await darm(args, { cwd: folder });
    assert.is(stderr, '');
    assert.is(code, 0);
    await use(stdout.toString(), folder);
  });
}

test.long('compile writes a page beside its output, which stays the same', async () => {
  let plain = '';
  await run(['compile', 'k.bc'], async (_, folder) => {
    plain = sha256(await readFile(path.join(folder, 'k.hsaco')));
  });
  await run(['compile', 'k.bc', '--report', 'k.html'], async (text, folder) => {
    assert.is(text, '');
    assert.equal(await filesIn(folder), ['k.bc', 'k.hsaco', 'k.html', 'spec.json']);
    assert.is(sha256(await readFile(path.join(folder, 'k.hsaco'))), plain);
    const page = await readFile(path.join(folder, 'k.html'), 'utf8');
    assert.match(page, /^<!doctype html>/);
    assert.match(page, 'id="f1-M1"');
    assert.match(page, /<td class="figure[^"]*">\d+ → \d+<\/td>/);
    assert.not.match(page, 'Simulated counters');
    assert.not.match(page, folder);
  });
});

test.long('with a spec it says what the simulator counted', () =>
  run(
    ['compile', 'k.bc', '--emit', 'bc', '-o', 'o.bc', '--report', 'k.html', '--spec', 'spec.json'],
    async (_, folder) => {
      const page = await readFile(path.join(folder, 'k.html'), 'utf8');
      assert.match(page, 'Simulated counters');
      const [, before, after] =
        /cycles \(estimate\)<\/th>\s*<td class="figure">([\d.]+)<\/td>\s*<td class="figure">([\d.]+)/.exec(page)!;
      assert.ok(Number(before) > Number(after));
    },
  ),
);

test.long('analyze writes the page of what would be done, and still prints its table', () =>
  run(['analyze', 'k.bc', '--html', 'k.html'], async (text, folder) => {
    assert.match(text, /^target gfx906\n/);
    assert.equal(await filesIn(folder), ['k.bc', 'k.html', 'spec.json']);
    const page = await readFile(path.join(folder, 'k.html'), 'utf8');
    assert.is(page.match(/<svg /g)!.length, 2);
  }),
);

test.long('- is standard output; the page is the same every time', async () => {
  const pages: string[] = [];
  for (const meld of ['darm', 'off']) await run(['analyze', 'k.bc', '--html', '-', '--meld', meld], (text) => void pages.push(text)); // prettier-ignore
  assert.match(pages[0]!, /^<!doctype html>[\s\S]*<\/html>\n$/);
  // An analysis says what melding would do.
  assert.is(pages[1], pages[0]);
});

test('graphs for Graphviz, a file a function', () =>
  run(['analyze', 'k.bc', '--dot', 'a/b'], async (text, folder) => {
    assert.match(text, /^target gfx906\n/);
    assert.equal(await filesIn(path.join(folder, 'a/b')), ['.sb1.dot']);
    const dot = await readFile(path.join(folder, 'a/b/.sb1.dot'), 'utf8');
    assert.match(dot, 'M1 T');
    assert.match(dot, 'getelementptr');
    assert.match((await loadLayout())(dot), /^<svg /);
  }));

test('any name makes the name of a file', () => {
  assert.is(graphName('kernel'), '.kernel.dot');
  assert.is(graphName('../a b%2f\n\u0001é'), '...%2fa b%252f%0a%01é.dot');
  const [long, other] = [graphName('x'.repeat(5000)), graphName('x'.repeat(5001))];
  assert.ok(long.length < 255);
  assert.is.not(long, other);
});

test.long('what does not go together', async () => {
  for (const [args, message] of [
    [['compile', 'a.bc', '-o', '-', '--report', '-'], /standard output exclude each other/],
    [['compile', 'a.bc', '--report', '-', '--remarks', '-'], /standard output exclude each other/],
    [['compile', 'a.bc', '--report', './a.hsaco'], /--report would replace/],
    [['compile', 'a.bc', '--report', 'x', '--remarks', 'x'], /--report would replace/],
    [['compile', 'a.hip', '-E', '--report', 'x'], /nothing is compiled: --report, --remarks and --stats say nothing/],
    [['compile', 'a.bc', '--spec', 'x.json'], /--spec is for --report/],
    [['compile', '-', '-o', 'x', '--report', 'y', '--spec', '-'], /standard input cannot be both/],
    [['analyze', 'a.bc', '--html', 'a.bc'], /--html would replace/],
    [['analyze', 'a.bc', '--html', '-', '--json'], /standard output exclude each other/],
  ] as const) {
    const { code, stderr } = await darm(args);
    assert.match(stderr, message);
    assert.is(code, 2);
  }
});

test.run();

/** `--remarks`: where the file goes, and what it may not replace. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { assert, suite } from '../support/suite.js';
import { darm, filesIn, inFolder } from '../support/command.js';
import { kernel } from '../support/llvm.js';

const test = suite('cli/remarks', { tests: 4, timeoutMs: 120_000 });

const tags = (text: string): string[] =>
  parseAllDocuments(text, { logLevel: 'silent' }).map((document) => document.contents!.tag!);

/** Runs the command in a folder that holds sb1 as `k.bc`. */
async function run(args: readonly string[], use: (text: string, folder: string) => Promise<void> | void) {
  await inFolder(async (folder) => {
    await writeFile(path.join(folder, 'k.bc'), await kernel('sb1.gfx906.O3-g'));
    const { code, stdout, stderr } = await darm(args, { cwd: folder });
    assert.is(stderr, '');
    assert.is(code, 0);
    await use(stdout.toString(), folder);
  });
}

test('compile writes remarks beside its output', () =>
  run(['compile', 'k.bc', '--remarks', 'k.yaml'], async (text, folder) => {
    assert.is(text, '');
    assert.equal(await filesIn(folder), ['k.bc', 'k.hsaco', 'k.yaml']);
    const remarks = await readFile(path.join(folder, 'k.yaml'), 'utf8');
    assert.equal(tags(remarks), ['!Passed', '!Analysis']);
    assert.match(remarks, /^DebugLoc: \{ File: 'sb1\.hip', Line: \d+, Column: \d+ \}$/m);
  }));

test.long('- is standard output', async () => {
  await run(['compile', 'k.bc', '--remarks', '-'], (text) => assert.equal(tags(text), ['!Passed', '!Analysis']));
  await run(['analyze', 'k.bc', '--remarks', '-'], (text) => {
    assert.equal(tags(text), ['!Passed', '!Analysis']);
    assert.match(text, 'would meld');
  });
});

test.long('analyze writes remarks and still prints its table, or JSON', async () => {
  await run(['analyze', 'k.bc', '--remarks', 'k.yaml'], async (text, folder) => {
    assert.match(text, /^target gfx906\n/);
    assert.equal(tags(await readFile(path.join(folder, 'k.yaml'), 'utf8')), ['!Passed', '!Analysis']);
  });
  await run(['analyze', 'k.bc', '--remarks', 'k.yaml', '--json'], (text) => {
    assert.ok('functions' in (JSON.parse(text) as object));
  });
});

test.long('two outputs in one place', async () => {
  for (const [args, message] of [
    [['compile', 'a.bc', '-o', '-', '--remarks', '-'], /standard output exclude each other/],
    [['compile', '-', '--remarks', '-'], /standard output exclude each other/],
    [['compile', 'a.bc', '--json', '--remarks', '-'], /standard output exclude each other/],
    [['analyze', 'a.bc', '--json', '--remarks', '-'], /standard output exclude each other/],
    [['compile', 'a.bc', '--remarks', './a.hsaco'], /would replace/],
    [['compile', 'a.bc', '--remarks', 'a.bc'], /would replace/],
    [['analyze', 'a.bc', '--remarks', 'a.bc'], /would replace/],
  ] as const) {
    const { code, stdout, stderr } = await darm(args);
    assert.match(stderr, message);
    if (!args.some((arg) => arg === '--json')) assert.is(stdout.length, 0);
    assert.is(code, 2);
  }
});

test.run();

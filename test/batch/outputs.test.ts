/** No result of a batch replaces another one, an input, or what darm keeps beside them. */
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { darm, filesIn, inFolder, type CommandResult } from '../support/command.js';
import { kernelPath } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('batch/outputs', { tests: 8, timeoutMs: 60_000 });

const batch = (folder: string, ...args: string[]): Promise<CommandResult> =>
  darm(['batch', '--out-dir', 'out', '--no-cache', ...args], { cwd: folder });

/** Two inputs with these outputs, in a manifest. */
async function manifest(folder: string, ...outputs: string[]): Promise<void> {
  for (const name of ['a.bc', 'b.bc']) await cp(kernelPath('sb1.gfx906.O3'), path.join(folder, name));
  const lines = outputs.map((output, i) => JSON.stringify({ input: ['a.bc', 'b.bc'][i], output }) + '\n');
  await writeFile(path.join(folder, 'm.jsonl'), lines.join(''));
}

async function refuses(folder: string, message: RegExp): Promise<void> {
  const { code, stderr } = await batch(folder, 'm.jsonl');
  assert.match(stderr, message);
  assert.is(code, 2);
}

test('two paths of one file are refused', () =>
  inFolder(async (folder) => {
    for (const other of ['./o.hsaco', 'x/../o.hsaco', './/o.hsaco']) {
      await manifest(folder, 'o.hsaco', other);
      await refuses(folder, /a\.bc and b\.bc would both be written to o\.hsaco/);
    }
  }));

test('so are two paths through a symbolic link', () =>
  inFolder(async (folder) => {
    await mkdir(path.join(folder, 'out', 'real'), { recursive: true });
    await symlink('real', path.join(folder, 'out', 'link'));
    await manifest(folder, 'real/deep/o.hsaco', 'link/deep/o.hsaco');
    await refuses(folder, /would both be written to link\/deep\/o\.hsaco/);
  }));

test('so are names that a file system without capitals does not distinguish', () =>
  inFolder(async (folder) => {
    await manifest(folder, 'O.hsaco', 'o.hsaco');
    assert.is((await batch(folder, 'm.jsonl')).code, 0);
    // As it looks on such a file system.
    await symlink('.darm', path.join(folder, 'out', '.DARM'));
    await refuses(folder, /would both be written to o\.hsaco/);
  }));

test('the journal cannot be replaced', () =>
  inFolder(async (folder) => {
    for (const output of ['.darm/journal.jsonl', './/.darm/x', '.darm']) {
      await manifest(folder, output);
      await refuses(folder, /where darm keeps its own files/);
    }
    await symlink('.darm', path.join(folder, 'out', 'other'));
    await manifest(folder, 'other/journal.jsonl');
    await refuses(folder, /where darm keeps its own files/);
  }));

test('an input cannot be replaced, also not through a symbolic link', () =>
  inFolder(async (folder) => {
    await manifest(folder, 'a.bc');
    await symlink('.', path.join(folder, 'out'));
    await refuses(folder, /would replace the input/);
    assert.ok((await readFile(path.join(folder, 'a.bc'))).equals(await readFile(kernelPath('sb1.gfx906.O3'))));
  }));

test('a link in the output folder is followed', () =>
  inFolder(async (folder) => {
    await mkdir(path.join(folder, 'out'));
    await mkdir(path.join(folder, 'elsewhere'));
    await symlink('../elsewhere', path.join(folder, 'out', 'link'));
    await manifest(folder, 'link/o.hsaco');
    assert.is((await batch(folder, 'm.jsonl')).code, 0);
    assert.equal(await filesIn(path.join(folder, 'elsewhere')), ['o.hsaco']);
  }));

test('a manifest may have absolute names', () =>
  inFolder(async (folder) => {
    const input = kernelPath('sb1.gfx906.O3');
    await writeFile(path.join(folder, 'm.jsonl'), `${input}\n${JSON.stringify({ input, output: 'second.hsaco' })}\n`);
    const { code, stderr } = await batch(folder, 'm.jsonl');
    assert.is(code, 0, stderr);
    assert.equal((await filesIn(path.join(folder, 'out'))).slice(1), ['sb1.gfx906.O3.hsaco', 'second.hsaco']);
  }));

test('what standard output does not take ends the batch', () =>
  inFolder(async (folder) => {
    await manifest(folder, 'a.hsaco', 'b.hsaco');
    const { code, stderr } = await darm(['batch', 'm.jsonl', '--out-dir', 'out', '--json'], { cwd: folder, stdout: '/dev/full' }); // prettier-ignore
    assert.is(stderr, 'darm: error: cannot write standard output: no space left\n');
    assert.is(code, 1);
  }));

test.run();

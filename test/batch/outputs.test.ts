/** No result of a batch replaces another one, an input, or what darm keeps beside them. */
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { darm, filesIn, inFolder, type CommandResult } from '../support/command.js';
import { kernelPath } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('batch/outputs', { tests: 12, timeoutMs: 60_000 });

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

test('two paths of one file are refused, and no journal is left behind', () =>
  inFolder(async (folder) => {
    for (const other of ['./o.hsaco', 'x/../o.hsaco', './/o.hsaco']) {
      await manifest(folder, 'o.hsaco', other);
      await refuses(folder, /a\.bc and b\.bc would both be written to o\.hsaco/);
    }
    assert.equal(await readdir(path.join(folder, 'out', '.darm')), []);
  }));

test('a result is no folder of another one', () =>
  inFolder(async (folder) => {
    for (const outputs of [
      ['o', 'o/x.hsaco'],
      ['o/x/y.hsaco', 'o'],
    ] as const) {
      await manifest(folder, ...outputs);
      await refuses(folder, /[ab]\.bc would be written to o, the folder of o\/x/);
    }
  }));

test('so are two paths through a symbolic link', () =>
  inFolder(async (folder) => {
    await mkdir(path.join(folder, 'out', 'real'), { recursive: true });
    await symlink('real', path.join(folder, 'out', 'link'));
    await manifest(folder, 'real/deep/o.hsaco', 'link/deep/o.hsaco');
    await refuses(folder, /would both be written to link\/deep\/o\.hsaco/);
  }));

test.long('so are names that a file system without capitals does not distinguish', () =>
  inFolder(async (folder) => {
    await manifest(folder, 'O.hsaco', 'o.hsaco');
    assert.is((await batch(folder, 'm.jsonl')).code, 0);
    // As it looks on such a file system.
    await symlink('.darm', path.join(folder, 'out', '.DARM'));
    await refuses(folder, /would both be written to o\.hsaco/);
  }),
);

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

test('neither can a manifest', () =>
  inFolder(async (folder) => {
    await manifest(folder, 'm.jsonl');
    await mkdir(path.join(folder, 'out'));
    await cp(path.join(folder, 'm.jsonl'), path.join(folder, 'out', 'm.jsonl'));
    for (const name of ['a.bc', 'b.bc']) await cp(path.join(folder, name), path.join(folder, 'out', name));
    const { code, stderr } = await batch(folder, 'out/m.jsonl');
    assert.match(stderr, /a result would replace the input out\/m\.jsonl/);
    assert.is(code, 2);
  }));

test.long('nor can a header: the job that would replace it fails, and so does one that includes it', () =>
  inFolder(async (folder) => {
    const source = '#include "size.h"\n__attribute__((global)) void k(int *p) { *p = SIZE; }\n';
    for (const name of ['k.hip', 'other.hip']) await writeFile(path.join(folder, name), source);
    await mkdir(path.join(folder, 'out'));
    const header = path.join(folder, 'out', 'size.h');
    await writeFile(header, '#define SIZE 3\n');
    const lines = [{ input: 'k.hip', output: 'size.h' }, { input: 'other.hip' }].map((line) => JSON.stringify(line));
    await writeFile(path.join(folder, 'm.jsonl'), lines.join('\n'));
    const { code, stderr } = await batch(folder, 'm.jsonl', '--mcpu', 'gfx906', '-I', 'out');
    assert.match(stderr, /k\.hip: .*includes .*size\.h, which the result of k\.hip would replace/);
    assert.match(stderr, /other\.hip: .*includes .*size\.h, which the result of k\.hip would replace/);
    assert.is(code, 2);
    assert.is(await readFile(header, 'utf8'), '#define SIZE 3\n');
  }),
);

test('a link that leads to no file yet is followed, and is no other result', () =>
  inFolder(async (folder) => {
    await mkdir(path.join(folder, 'out'));
    await symlink('../elsewhere', path.join(folder, 'out', 'o.hsaco'));
    await manifest(folder, 'o.hsaco');
    assert.is((await batch(folder, 'm.jsonl')).code, 0);
    assert.ok((await filesIn(folder)).includes('elsewhere'));
    assert.match((await batch(folder, 'm.jsonl')).stderr, /there already/);
    await symlink('b.hsaco', path.join(folder, 'out', 'a.hsaco'));
    await manifest(folder, 'a.hsaco', 'b.hsaco');
    await refuses(folder, /would both be written to b\.hsaco/);
  }));

test.long('a link in the output folder is followed', () =>
  inFolder(async (folder) => {
    await mkdir(path.join(folder, 'out'));
    await mkdir(path.join(folder, 'elsewhere'));
    await symlink('../elsewhere', path.join(folder, 'out', 'link'));
    await manifest(folder, 'link/o.hsaco');
    assert.is((await batch(folder, 'm.jsonl')).code, 0);
    assert.equal(await filesIn(path.join(folder, 'elsewhere')), ['o.hsaco']);
  }),
);

test.long('a manifest may have absolute names', () =>
  inFolder(async (folder) => {
    const input = kernelPath('sb1.gfx906.O3');
    await writeFile(path.join(folder, 'm.jsonl'), `${input}\n${JSON.stringify({ input, output: 'second.hsaco' })}\n`);
    const { code, stderr } = await batch(folder, 'm.jsonl');
    assert.is(code, 0, stderr);
    assert.equal((await filesIn(path.join(folder, 'out'))).slice(1), ['sb1.gfx906.O3.hsaco', 'second.hsaco']);
  }),
);

test('what standard output does not take ends the batch', () =>
  inFolder(async (folder) => {
    await manifest(folder, 'a.hsaco', 'b.hsaco');
    const { code, stderr } = await darm(['batch', 'm.jsonl', '--out-dir', 'out', '--json'], { cwd: folder, stdout: '/dev/full' }); // prettier-ignore
    assert.is(stderr, 'darm: error: cannot write standard output: no space left\n');
    assert.is(code, 1);
  }));

test.run();

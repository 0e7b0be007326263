/** Which modules a batch finds. */
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { collectJobs } from '../../src/batch/jobs.js';
import type { DarmError } from '../../src/errors.js';
import { assert, suite } from '../support/suite.js';
import { inFolder } from '../support/command.js';

const test = suite('batch/jobs', { tests: 8, timeoutMs: 60_000 });

test('a folder that cannot be read is reported, and the rest is found', () =>
  inFolder(async (folder) => {
    await mkdir(path.join(folder, 'closed'));
    for (const name of ['a.bc', 'closed/b.bc']) await writeFile(path.join(folder, name), '');
    await chmod(folder, 0o755);
    await chmod(path.join(folder, 'closed'), 0);
    const errors: DarmError[] = [];
    const user = process.geteuid!();
    // Root may read everything.
    if (user === 0) process.seteuid!(65534);
    const jobs = await collectJobs([folder], {
      options: {},
      fatBinary: false,
      extension: () => '.hsaco',
      onUnreadable: (error) => errors.push(error),
    }).finally(() => {
      if (user === 0) process.seteuid!(0);
    });
    await chmod(path.join(folder, 'closed'), 0o700);
    assert.equal(
      jobs.flatMap(({ outputs }) => outputs),
      ['a.hsaco'],
    );
    assert.is(errors.length, 1);
    assert.match(errors[0]!.message, /^cannot read .*closed.*: permission denied$/);
  }));

test('a folder whose name has a line end is reported, and the rest is found', () =>
  inFolder(async (folder) => {
    await mkdir(path.join(folder, 'd\ne'));
    for (const name of ['a.bc', 'b\rc.bc', 'd\ne/f.bc']) await writeFile(path.join(folder, name), '');
    const errors: DarmError[] = [];
    const onUnreadable = (error: DarmError) => errors.push(error);
    const jobs = await collectJobs([folder], {
      options: {},
      fatBinary: false,
      extension: () => '.hsaco',
      onUnreadable,
    });
    assert.equal(
      jobs.flatMap(({ outputs }) => outputs),
      ['a.hsaco', 'b\rc.hsaco'],
    );
    const names = errors.map(({ message }) => message.slice(`cannot read ${folder}/`.length).split(':')[0]);
    assert.equal(names, ['d\ne']);
  }));

test('a link that leads nowhere is an input that cannot be read, and no link to a folder is one', () =>
  inFolder(async (folder) => {
    await mkdir(path.join(folder, 'kernels', 'there.bc'), { recursive: true });
    for (const [name, target] of Object.entries({
      'a.bc': 'gone',
      'b.ll': 'b.ll',
      'c.bc': '../k.ll',
      'd.bc': 'there.bc',
      'e.txt': 'gone',
    }))
      await symlink(target, path.join(folder, 'kernels', name));
    const collect = { options: {}, fatBinary: false, extension: () => '.hsaco' };
    for (const input of [path.join(folder, 'kernels'), `${folder}/kernels/*.{bc,ll}`]) {
      const jobs = await collectJobs([input], collect);
      assert.equal(
        jobs.flatMap(({ outputs }) => outputs),
        ['a.hsaco', 'b.hsaco', 'c.hsaco'],
      );
    }
  }));

test('a link in a folder behind a link is followed, also where the name of one begins with that of the other', () =>
  inFolder(async (folder) => {
    for (const name of ['kernels', 'real', 'real-too']) await mkdir(path.join(folder, name));
    await writeFile(path.join(folder, 'real-too', 'a.bc'), '');
    await symlink('../real', path.join(folder, 'kernels', 'link'));
    await symlink('../real-too', path.join(folder, 'real', 'too'));
    const collect = { options: {}, fatBinary: false, extension: () => '.hsaco' };
    const jobs = await collectJobs([path.join(folder, 'kernels')], collect);
    assert.equal(
      jobs.flatMap(({ outputs }) => outputs),
      ['link/too/a.hsaco'],
    );
  }));

test('targets that one fat binary cannot have are refused before anything is compiled', () =>
  inFolder(async (folder) => {
    const input = path.join(folder, 'a.bc');
    await writeFile(input, '');
    const refusal = (mcpu: string, isSource = false): Promise<string> =>
      collectJobs([input], {
        options: { mcpu },
        fatBinary: true,
        extension: () => '.hipfb',
        sourceOf: () => (isSource ? { language: 'hip', mcpu } : null),
      }).then(() => 'taken', String);
    for (const isSource of [true, false])
      assert.match(await refusal('gfx90a,gfx906,gfx90a', isSource), /a target is named twice/);
    assert.match(await refusal('gfx90a,gfx90a:xnack+'), /gfx90a and gfx90a:xnack\+ exclude each other/);
    assert.match(await refusal('gfx90a,gfx90a:foo+'), /'gfx90a:foo\+' is no target id/);
    // clang's flags may complete the first to `gfx90a:xnack-`.
    assert.is(await refusal('gfx90a,gfx90a:xnack+', true), 'taken');
    assert.is(await refusal('gfx906,gfx90a:xnack+'), 'taken');
  }));

/** What a folder's jobs are called, and what of it cannot be read. */
async function found(folder: string): Promise<{ outputs: string[]; errors: string[] }> {
  const errors: string[] = [];
  const jobs = await collectJobs([folder], {
    options: {},
    fatBinary: false,
    extension: () => '.hsaco',
    onUnreadable: ({ message }) => errors.push(message),
  });
  return { outputs: jobs.flatMap(({ outputs }) => outputs), errors };
}

test('where two folders have links to each other, each is found once through the other', () =>
  inFolder(async (folder) => {
    for (const [name, other] of ['ab', 'ba'] as const) {
      await mkdir(path.join(folder, name!));
      await writeFile(path.join(folder, name!, `${name}.bc`), '');
      await symlink(`../${other}`, path.join(folder, name!, 'link'));
    }
    const { outputs, errors } = await found(folder);
    assert.equal(outputs, ['a/a.hsaco', 'a/link/b.hsaco', 'b/b.hsaco', 'b/link/a.hsaco']);
    assert.equal(
      errors,
      ['a/link/link', 'b/link/link'].map(
        (name) => `cannot read ${path.join(folder, name)}: it is a link to a folder that it lies in`,
      ),
    );
  }));

test('what lies in the output folder is no input, except where that folder itself is named', () =>
  inFolder(async (folder) => {
    for (const name of ['out/deep', 'out-too']) await mkdir(path.join(folder, name), { recursive: true });
    for (const name of ['a.bc', 'out/b.bc', 'out/deep/c.bc', 'out-too/d.bc'])
      await writeFile(path.join(folder, name), '');
    await symlink('out', path.join(folder, 'same'));
    const outputs = async (input: string, out = 'out'): Promise<string[]> => {
      const outDir = path.relative('.', path.join(folder, out));
      const jobs = await collectJobs([input], { options: {}, fatBinary: false, outDir, extension: () => '.hsaco' });
      return jobs.flatMap(({ outputs }) => outputs);
    };
    for (const input of [folder, `${folder}/**/*.bc`])
      for (const out of ['out', 'same']) assert.equal(await outputs(input, out), ['a.hsaco', 'out-too/d.hsaco']);
    assert.equal(await outputs(path.join(folder, 'out')), ['b.hsaco', 'deep/c.hsaco']);
    assert.equal(await outputs(`${folder}/out/*/*.bc`), ['deep/c.hsaco']);
    assert.match(await outputs(`${folder}/o*/b.bc`).then(String, String), /is found in .* lies in the output folder/);
  }));

test('a link to a folder that it lies in is reported, and leads to no modules', () =>
  inFolder(async (folder) => {
    await mkdir(path.join(folder, 'kernels', 'deep'), { recursive: true });
    await mkdir(path.join(folder, 'kernels-too'));
    for (const name of ['kernels/a.bc', 'kernels/deep/b.bc', 'kernels-too/c.bc', 'd.bc'])
      await writeFile(path.join(folder, name), '');
    for (const [name, target] of Object.entries({
      up: '..',
      'deep/here': '.',
      'deep/up': folder,
      other: '../kernels-too',
    }))
      // prettier-ignore
      await symlink(target, path.join(folder, 'kernels', name));
    const { outputs, errors } = await found(path.join(folder, 'kernels'));
    assert.equal(outputs, ['a.hsaco', 'deep/b.hsaco', 'other/c.hsaco']);
    assert.equal(
      errors,
      ['deep/here', 'deep/up', 'up'].map(
        (name) => `cannot read ${path.join(folder, 'kernels', name)}: it is a link to a folder that it lies in`,
      ),
    );
  }));

test.run();

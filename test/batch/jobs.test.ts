/** Which modules a batch finds. */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { collectJobs } from '../../src/batch/jobs.js';
import type { DarmError } from '../../src/errors.js';
import { assert, suite } from '../support/suite.js';
import { inFolder } from '../support/command.js';

const test = suite('batch/jobs', { tests: 2, timeoutMs: 60_000 });

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
      jobs.map(({ output }) => output),
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
      jobs.map(({ output }) => output),
      ['a.hsaco', 'b\rc.hsaco'],
    );
    const names = errors.map(({ message }) => message.slice(`cannot read ${folder}/`.length).split(':')[0]);
    assert.equal(names, ['d\ne']);
  }));

test.run();

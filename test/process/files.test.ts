/** Folders that several jobs make at the same time, and errors of the system. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder, typedError } from '../../src/process/files.js';
import { inFolder } from '../support/command.js';
import { assert, suite } from '../support/suite.js';

const test = suite('files', { tests: 3, timeoutMs: 30_000 });

test.long('jobs that make folders of one tree do not disturb each other', () =>
  inFolder(async (folder) => {
    for (let tree = 0; tree < 40; tree++) {
      const folders = Array.from({ length: 32 }, (_, job) =>
        path.join(folder, String(tree), ...'abcdefgh'.slice(0, 2 + (job % 7)), String(job)),
      );
      await Promise.all(folders.map((each) => makeFolder(each)));
      for (const each of folders) assert.ok((await stat(each)).isDirectory());
    }
  }),
);

test('a folder that the system refuses is an error, and not tried for ever', async () => {
  const error = await makeFolder('/proc/darm/deep').catch((thrown: unknown) => thrown);
  assert.is((error as NodeJS.ErrnoException).code, 'ENOENT');
});

test("what the system or Node's permissions refuse is no fault of darm", () => {
  for (const facts of [
    { code: 'ERR_ACCESS_DENIED' },
    { code: 'ENOSPC', syscall: 'write' },
    { code: 'ERR_MODULE_NOT_FOUND' },
    { message: 'Cannot read package config /a/package.json: too many open files.' },
  ])
    assert.is(typedError(Object.assign(new Error('refused'), facts)).exitCode, 1);
  assert.is(typedError(new TypeError('undefined is not a function')).exitCode, 3);
});

test.run();

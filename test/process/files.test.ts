/** Folders that several jobs make at the same time. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder } from '../../src/process/files.js';
import { inFolder } from '../support/command.js';
import { assert, suite } from '../support/suite.js';

const test = suite('files', { tests: 2, timeoutMs: 30_000 });

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

test.run();

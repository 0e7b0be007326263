/** Folders that several jobs make at the same time, outputs that are links, and errors of the system. */
import { execFileSync } from 'node:child_process';
import { mkdir, open as openFile, readFile, readdir, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { DarmError } from '../../src/errors.js';
import { makeFolder, readInput, realPath, typedError, writeOutput } from '../../src/process/files.js';
import { filesIn, inFolder } from '../support/command.js';
import { assert, suite } from '../support/suite.js';

const test = suite('files', { tests: 10, timeoutMs: 30_000 });

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

test('an input that does not arrive in time is closed', () =>
  inFolder(async (folder) => {
    const fifo = path.join(folder, 'fifo');
    execFileSync('mkfifo', [fifo]);
    const error = await readInput(fifo, 50).catch((thrown: unknown) => thrown);
    assert.is((error as DarmError).code, 'timeout');
    const closed = async (): Promise<boolean> => {
      const links = await Promise.all(
        (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
      );
      return !links.includes(fifo);
    };
    while (!(await closed())) await new Promise((resolve) => setTimeout(resolve, 10));
  }));

test('an output that is a link is written where the link leads, also when nothing is there yet', () =>
  inFolder(async (folder) => {
    const at = (name: string): string => path.join(folder, name);
    for (const name of ['here', 'other', 'other/deep']) await mkdir(at(name));
    await writeFile(at('there'), 'before');
    const links = {
      'here/to-there': '../there',
      'here/new': 'made',
      'here/absolute': at('other/a'),
      'here/first': 'second',
      'here/second': '../other/b',
      'here/folder': '../other/deep',
      // The folder above other/deep, and not that of the link.
      'here/up': 'folder/../c',
    };
    for (const [link, target] of Object.entries(links)) await symlink(target, at(link));
    const written = {
      'here/to-there': 'there',
      'here/new': 'here/made',
      'here/absolute': 'other/a',
      'here/first': 'other/b',
      'here/up': 'other/c',
    };
    for (const [link, target] of Object.entries(written)) {
      const real = path.join(realPath(folder), target);
      assert.is(realPath(at(link)), real);
      await writeOutput(at(link), link);
      assert.is(await readFile(real, 'utf8'), link);
    }
    for (const [link, target] of Object.entries(links)) assert.is(await readlink(at(link)), target);
    assert.equal(await filesIn(at('other')), ['a', 'b', 'c', 'deep']);
  }));

test('a link that leads round, or below a folder that does not exist, is an error, and stays', () =>
  inFolder(async (folder) => {
    const links = { round: 'trip', trip: 'round', below: 'gone/file', above: 'gone/../above' };
    for (const [link, target] of Object.entries(links)) await symlink(target, path.join(folder, link));
    for (const [link, target] of Object.entries(links)) {
      const file = path.join(folder, link);
      const { message } = (await writeOutput(file, '').catch((thrown: unknown) => thrown as Error)) ?? {};
      const reason = target.startsWith('gone') ? 'no such file or directory' : 'too many symbolic links';
      assert.is(message, `cannot write ${file}: ${reason}`);
      assert.is(await readlink(file), target);
    }
    assert.equal(await filesIn(folder), Object.keys(links).sort());
  }));

test('a name that ends as that of a folder is not that of a file', () =>
  inFolder(async (folder) => {
    await symlink('gone', path.join(folder, 'link'));
    for (const name of ['new', 'link']) {
      const file = path.join(folder, name) + path.sep;
      const { message } = (await writeOutput(file, '').catch((thrown: unknown) => thrown as Error)) ?? {};
      assert.match(message ?? '', /^cannot write /);
    }
    assert.equal(await filesIn(folder), ['link']);
  }));

test('a name that Node could not read is not written to', () =>
  inFolder(async (folder) => {
    const error = await writeOutput(path.join(folder, '\ufffd.hsaco'), '').catch((thrown: unknown) => thrown as Error);
    assert.match(error?.message ?? '', /: its name is not UTF-8, or has the character U\+FFFD; take another one$/);
    assert.equal(await filesIn(folder), []);
  }));

// Where the system shows what is open as files.
test('what was removed while it is open is written in place', () =>
  inFolder(async (folder) => {
    if (process.platform !== 'linux') return;
    const file = path.join(folder, 'out');
    const open = await openFile(file, 'w+');
    try {
      await rm(file);
      await writeOutput(`/proc/self/fd/${open.fd}`, 'text');
      assert.is(await open.readFile('utf8'), 'text');
    } finally {
      await open.close();
    }
    assert.equal(await filesIn(folder), []);
  }));

test('a path that is too long is one error', async () => {
  const file = path.join(tmpdir(), 'a/'.repeat(20_000), 'b');
  assert.is(realPath(file), file);
});

test("what the system or Node's permissions refuse is no fault of darm", () => {
  for (const facts of [
    { code: 'ERR_ACCESS_DENIED' },
    { code: 'ENOSPC', syscall: 'write' },
    { code: 'ERR_MODULE_NOT_FOUND' },
    { message: 'Cannot read package config /a/package.json: too many open files.' },
    { message: 'EMFILE, dist/src/simulator/run.js' },
  ])
    assert.is(typedError(Object.assign(new Error('refused'), facts)).exitCode, 1);
  assert.is(typedError(new TypeError('undefined is not a function')).exitCode, 3);
});

test.run();

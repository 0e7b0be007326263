/** Prepared code is used when it fits, and only then. Each step is a process of its own: V8's flags are a process's. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inFolder } from '../support/command.js';
import { assert, suite } from '../support/suite.js';

const test = suite('workers/prepared-code', { tests: 4, timeoutMs: 60_000 });

/** (func (export "f") (result i32) i32.const 42) */
const ANSWER = Buffer.from('0061736d010000000105016000017f03020100070501016600000a06010400412a0b', 'hex');
const FACTS = { bytes: ANSWER.length, sha256: createHash('sha256').update(ANSWER).digest('hex') };
const MODULE = new URL('../../src/workers/prepared-code.js', import.meta.url).href;

/** What a process prints that has the module's functions, the bytes and the facts. */
function inProcess(folder: string, code: string): string {
  const script = `
    const { readPrepared, whyNone, writePrepared } = await import(${JSON.stringify(MODULE)});
    const bytes = new Uint8Array(Buffer.from('${ANSWER.toString('hex')}', 'hex'));
    const facts = ${JSON.stringify(FACTS)};
    ${code}`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, DARM_PREPARED_DIR: folder },
    encoding: 'utf8',
  });
  assert.is(stderr, '');
  return stdout;
}

const WRITE = "await writePrepared(bytes, facts).then(() => console.log('written'), (e) => console.log(e.message))";
const CALL = `
  const module = await readPrepared({ use: async (consume) => consume(bytes) }, facts);
  console.log(module === null ? 'nothing' : new WebAssembly.Instance(module).exports.f());`;
const WHY = 'console.log(whyNone());';
const hasFunctions = Number(process.versions.node.split('.')[0]) < 25;

test('is taken back by another process', () =>
  inFolder(async (folder) => {
    assert.is(inProcess(folder, CALL), 'nothing\n');
    if (!hasFunctions) {
      assert.match(inProcess(folder, WHY), /does not hand out optimised code/);
      return assert.match(inProcess(folder, WRITE), /does not hand out optimised code/);
    }
    assert.is(inProcess(folder, WHY), 'darm prepare makes it\n');
    assert.is(inProcess(folder, WRITE), 'written\n');
    assert.is(inProcess(folder, CALL), '42\n');
    const other = "(await import('node:v8')).default.setFlagsFromString('--liftoff-only');";
    assert.is(inProcess(folder, other + CALL), 'nothing\n');
  }));

test.long('code that was changed is not used', () =>
  inFolder(async (folder) => {
    if (!hasFunctions) return;
    inProcess(folder, WRITE);
    const file = path.join(folder, (await readdir(folder))[0]!);
    const whole = await readFile(file);
    for (const at of [0, 40, whole.length - 1]) {
      const changed = Buffer.from(whole);
      changed[at]! ^= 1;
      await writeFile(file, changed);
      assert.is(inProcess(folder, CALL), 'nothing\n');
    }
    for (const length of [0, 15, 16, whole.length - 1]) {
      await writeFile(file, whole.subarray(0, length));
      assert.is(inProcess(folder, CALL), 'nothing\n');
    }
    assert.match(
      inProcess(folder, WHY),
      /is for another version of darm or Node, or damaged: darm prepare makes it anew/,
    );
    await writeFile(file, whole);
    assert.is(inProcess(folder, CALL), '42\n');
  }),
);

test('a new folder is for its user alone', () =>
  inFolder(async (folder) => {
    if (!hasFunctions) return;
    const own = path.join(folder, 'own');
    inProcess(own, WRITE);
    assert.is((await stat(own)).mode & 0o777, 0o700);
  }));

test('a folder that others can write to is not used', () =>
  inFolder(async (folder) => {
    if (!hasFunctions) return;
    inProcess(folder, WRITE);
    await chmod(folder, 0o777);
    assert.is(inProcess(folder, CALL), 'nothing\n');
    assert.match(inProcess(folder, WRITE), /is not used/);
    assert.match(inProcess(folder, WHY), /is not used/);
  }));

test.run();

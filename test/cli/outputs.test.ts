/** Outputs of the command that would replace what it reads, or each other; folders that cannot be made. */
import { existsSync } from 'node:fs';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { assert, suite } from '../support/suite.js';
import { darm, filesIn, inFolder } from '../support/command.js';

const test = suite('cli/outputs', { tests: 5, timeoutMs: 120_000 });

const KERNEL =
  'target triple = "amdgcn-amd-amdhsa"\ndefine amdgpu_kernel void @k() "target-cpu"="gfx906" {\n  ret void\n}\n';
const INPUTS = ['k.ll', 'k.cl', 's.json', 'p.json', 'k.hsaco', 'link'];

test.long('no output replaces what is read, or another output', () =>
  inFolder(async (folder) => {
    for (const name of INPUTS.slice(0, -1)) await writeFile(path.join(folder, name), name);
    await symlink('k.cl', path.join(folder, 'link'));
    const source = ['compile', 'k.cl', '--mcpu', 'gfx906'];
    for (const [args, message] of [
      [[...source, '-o', 'k.cl'], 'the output would replace k.cl'],
      [[...source, '-o', 'link'], 'the output would replace link'],
      [[...source, '-o', path.join(folder, 'k.cl')], 'the output would replace'],
      [[...source, '-E', '-o', 'k.cl'], 'the output would replace k.cl'],
      [[...source, '--report', 'link'], '--report would replace link'],
      [[...source, '-MF', 'k.cl'], 'the dependency file would replace k.cl'],
      [['compile', 'k.ll', '-MF', 'k.ll', '-o', 'k.ll'], 'the dependency file would replace k.ll'],
      [['compile', 'k.ll', '-MD', '-o', 'new.d'], 'the dependency file would replace new.d'],
      [['compile', 'k.ll', '--report', 'new', '--spec', 's.json', '-o', 's.json'], 'the output would replace s.json'],
      [['run', 'k.hsaco', '--spec', 's.json', '--trace-file', 'k.hsaco'], '--trace-file would replace k.hsaco'],
      [['run', 'k.hsaco', '--spec', 's.json', '--profile', 's.json'], '--profile would replace s.json'],
      [['check', 'k.ll', '--spec', 's.json', '--profile', 's.json'], '--profile would replace s.json'],
      [['bundle', 'k.hsaco', '--extract', 'gfx906=k.hsaco'], '--extract gfx906=k.hsaco would replace k.hsaco'],
      [['bundle', 'k.hsaco', '--extract', 'a=x', '--extract', 'b=./x'], '--extract b=./x would replace ./x'],
      [['bundle', '--create', 'gfx906=link', '-o', 'k.cl'], 'the output would replace k.cl'],
      [['tune', 'k.ll', '--spec', 's.json', '-o', './s.json'], 'the plan would replace ./s.json'],
    ] as const) {
      const { code, stderr } = await darm(args, { cwd: folder });
      assert.ok(stderr.startsWith(`darm: error: ${message}`), `${args.join(' ')}: ${stderr}`);
      assert.is(code, 2);
    }
    assert.equal(await filesIn(folder), [...INPUTS].sort());
    for (const name of INPUTS.slice(0, -1)) assert.is(await readFile(path.join(folder, name), 'utf8'), name);
  }),
);

test.long('no output replaces what turns out to be read: headers, the files of a launch spec', () =>
  inFolder(async (folder) => {
    const files = {
      'k.ll': KERNEL,
      'k.cl': '#include "h.h"\nkernel void k(global int *x) { x[get_local_id(0)] = H; }\n',
      'h.h': '#define H 1\n',
      'x_y.bin': '0123',
      's.json': JSON.stringify({
        kernel: 'k',
        grid: [1],
        block: [1],
        args: [{ buffer: 'u32', name: 'x y', fill: { file: 'x_y.bin' }, out: true }],
      }),
    };
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
    const source = ['k.cl', '--mcpu', 'gfx906'];
    const { stderr } = await darm(['compile', ...source], { cwd: folder });
    assert.is(stderr, '');
    for (const [args, message] of [
      [['compile', ...source, '-o', 'h.h'], 'the output would replace h.h'],
      [['compile', ...source, '-E', '-o', 'h.h'], 'the output would replace h.h'],
      [['compile', ...source, '-MF', './h.h'], 'the dependency file would replace ./h.h'],
      [['compile', ...source, '--spec', 's.json', '--report', 'x_y.bin'], '--report would replace x_y.bin'],
      [['analyze', ...source, '--html', 'h.h'], '--html would replace h.h'],
      [['check', ...source, '--spec', 's.json', '--profile', 'h.h.json'], null],
      [['tune', ...source, '--spec', 's.json', '-o', 'h.h'], 'the plan would replace h.h'],
      [['run', 'k.hsaco', '--spec', 's.json', '--trace-file', 'x_y.bin'], '--trace-file would replace x_y.bin'],
      [['run', 'k.hsaco', '--spec', 's.json', '--out-dir', '.'], "output 'x y' would replace x_y.bin"],
    ] as const) {
      const { code, stderr } = await darm(args, { cwd: folder });
      if (message !== null) assert.ok(stderr.startsWith(`darm: error: ${message}`), `${args.join(' ')}: ${stderr}`);
      assert.is(code, message === null ? 0 : 2, `${args.join(' ')}: ${stderr}`);
    }
    for (const [name, text] of Object.entries(files)) assert.is(await readFile(path.join(folder, name), 'utf8'), text);
  }),
);

test('a module may be replaced where -o says so', () =>
  inFolder(async (folder) => {
    await writeFile(path.join(folder, 'k.ll'), KERNEL);
    const { code, stderr } = await darm(['compile', 'k.ll', '--emit', 'bc', '-o', 'k.ll'], { cwd: folder });
    assert.is(stderr, '');
    assert.is(code, 0);
    assert.is((await readFile(path.join(folder, 'k.ll'), 'latin1')).slice(0, 2), 'BC');
  }));

test('a device takes several outputs', () =>
  inFolder(async (folder) => {
    await writeFile(path.join(folder, 'k.ll'), KERNEL);
    const nowhere = ['-o', '/dev/null', '-MF', '/dev/null', '--remarks', '/dev/null'];
    const { code, stderr } = await darm(['compile', 'k.ll', ...nowhere], { cwd: folder });
    assert.is(stderr, '');
    assert.is(code, 0);
  }));

test.long('a folder that cannot be made is an error, and no end of trying', () =>
  inFolder(async (folder) => {
    // The system answers ENOENT there, although the folder above exists.
    if (!existsSync('/proc/self')) return;
    await writeFile(path.join(folder, 'k.ll'), KERNEL);
    for (const args of [
      ['batch', 'k.ll', '--out-dir', '/proc/darm/deep'],
      ['analyze', 'k.ll', '--dot', '/proc/darm'],
      ['cache', 'verify', '--cache', '/proc/darm'],
      ['cache', 'serve', '--cache', '/proc/darm', '--port', '0'],
    ]) {
      const { code, stderr } = await darm(args, { cwd: folder });
      assert.match(stderr, /^darm: error: cannot \w+ \/proc\/darm.*: no such file or directory\n$/);
      assert.is(code, 1);
    }
    const { stderr } = await darm(['analyze', 'k.ll', '--dot', 'k.ll'], { cwd: folder });
    assert.is(stderr, 'darm: error: cannot write k.ll: there is something else of this name\n');
    // A result that cannot be kept is a result.
    for (const args of [
      ['compile', 'k.ll'],
      ['batch', 'k.ll', '--out-dir', '.'],
    ]) {
      const { code, stderr } = await darm([...args, '--cache', '/proc/darm'], { cwd: folder });
      assert.is(code, 0);
      const why = 'cannot write /proc/darm: no such file or directory';
      assert.match(stderr, `darm: warning: ${why}; 1 result is not in the cache\n`);
    }
    assert.equal(await filesIn(folder), ['.darm', 'k.hsaco', 'k.ll']);
  }),
);

test.run();

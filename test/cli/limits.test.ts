/** Nothing is lost without an error, nothing runs for ever, and every failure is one line. */
import { spawn, spawnSync } from 'node:child_process';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { darm, filesIn, inFolder, MAIN, type CommandResult } from '../support/command.js';
import { kernelPath, REPOSITORY } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('cli/limits', { tests: 17, timeoutMs: 120_000 });

const KERNEL = kernelPath('sb1.gfx906.O3');
const KERNEL_SOURCE = path.join(REPOSITORY, 'kernels', 'bit.hip');
const TRIPLE = 'target triple = "amdgcn-amd-amdhsa"\n';
const EMPTY = `${TRIPLE}define amdgpu_kernel void @k() "target-cpu"="gfx906" { ret void }\n`;

function isOneLine({ code, stderr }: CommandResult, message: RegExp, expected = 1): void {
  assert.match(stderr, message);
  assert.match(stderr, /^darm: error: [^\n]*\n$/);
  assert.is(code, expected);
}

test.long('standard output that is full is an error', () =>
  inFolder(async (folder) => {
    for (const args of [
      ['compile', KERNEL, '-o', '-'],
      ['compile', KERNEL, '-o', 'x.hsaco', '--json'],
      ['compile', KERNEL, '-o', 'x.hsaco', '--report', '-'],
      ['compile', KERNEL, '-o', 'x.hsaco', '--remarks', '-'],
      ['inspect', KERNEL],
      ['inspect', KERNEL, '--json'],
      ['analyze', KERNEL],
      ['run', 'x.hsaco', '--coverage'],
      ['--help'],
      ['--toolchain-digest'],
    ])
      isOneLine(await darm(args, { cwd: folder, stdout: '/dev/full' }), /cannot write standard output: no space left/);
  }),
);

test('a reader that has gone is not an error', async () => {
  // On the calling thread, and beside a worker thread, whose standard output has a pipe to that of the process.
  for (const args of [
    ['compile', KERNEL, '-o', '-', '--emit', 'll'],
    ['analyze', KERNEL],
  ]) {
    const child = spawn(process.execPath, [MAIN, ...args], { stdio: 'pipe' });
    child.stdout.destroy();
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += String(chunk)));
    const code = await new Promise((resolve) => child.once('close', resolve));
    assert.equal([args[0], code, stderr], [args[0], 0, '']);
  }
});

test('a Node without WebAssembly is told so', () => {
  const compile = (source: string): string[] => ['compile', source, '--mcpu', 'gfx906', '-o', '-'];
  for (const args of [compile(KERNEL), compile(KERNEL_SOURCE), ['prepare']]) {
    const { status, stderr } = spawnSync(process.execPath, ['--jitless', MAIN, ...args], { encoding: 'utf8' });
    assert.is(status, 2);
    // Node itself warns in front of it.
    assert.match(stderr, /^darm: error: this process has no WebAssembly[^\n]*\n$/m);
  }
});

test('standard error that is full changes nothing', () =>
  inFolder(async (folder) => {
    const full = (...args: string[]) => darm(args, { cwd: folder, stderr: '/dev/full' });
    assert.is((await full('compile', KERNEL, '-o', 'x.hsaco', '--stats')).code, 0);
    assert.is((await full('compile', 'nothing.bc')).code, 1);
    assert.equal(await filesIn(folder), ['x.hsaco']);
    // Lines before and after the start of the worker threads, which have pipes to standard error.
    const copies = ['a.bc', 'b.bc', 'c.bc'];
    for (const copy of copies) await copyFile(KERNEL, path.join(folder, copy));
    assert.is((await full('batch', ...copies, '--out-dir', 'out', '-j', '1')).code, 0);
    assert.equal((await filesIn(path.join(folder, 'out'))).filter((name) => name.endsWith('.hsaco')).length, 3);
  }));

test.long('too few file descriptors: one line from every subcommand', () =>
  inFolder(async (folder) => {
    await writeFile(path.join(folder, 'k.ll'), EMPTY);
    await darm(['compile', 'k.ll', '-o', 'x.hsaco'], { cwd: folder });
    let failed = 0;
    // How many are enough depends on Node and on the subcommand.
    for (const limit of [22, 26])
      for (const args of [
        ['compile', 'k.ll', '-o', 'y.hsaco'],
        ['analyze', 'k.ll'],
        ['inspect', 'k.ll'],
        ['run', 'x.hsaco', '--coverage'],
        ['check', 'k.ll', '--seeds', '1'],
        ['bundle', 'x.hsaco'],
        ['serve', '--port', 'none'],
      ]) {
        const command = ['-c', `ulimit -n ${limit}; exec "$0" "$@"`, process.execPath, MAIN, ...args];
        const { status, stderr } = spawnSync('sh', command, { cwd: folder, encoding: 'utf8', timeout: 30_000 });
        if (status === 0) continue;
        assert.match(stderr, /^darm: error: [^\n]*\n$/, `${limit} ${args[0]}`);
        assert.ok(status === 1 || status === 2 || status === 3, `${limit} ${args[0]}: ${status}`);
        if (!stderr.includes('EMFILE') && !stderr.includes('too many open files')) continue;
        assert.match(stderr, /: raise the limit \(ulimit -n\)\n$/);
        failed++;
      }
    assert.ok(failed >= 4, `${failed} failed for want of file descriptors`);
    assert.equal(
      (await filesIn(folder)).filter((name) => !['k.ll', 'x.hsaco', 'y.hsaco', 'x.hipfb'].includes(name)),
      [],
    );
  }),
);

test('the digest of the toolchain needs few file descriptors', () => {
  const command = ['-c', 'ulimit -n 48; exec "$0" "$@"', process.execPath, MAIN, '--toolchain-digest'];
  const { status, stdout } = spawnSync('sh', command, { encoding: 'utf8', timeout: 30_000 });
  assert.is(status, 0);
  assert.match(stdout, /^[0-9a-f]{64}\n$/);
});

test.long('an endless device', async () => {
  isOneLine(await darm(['inspect', '/dev/zero']), /\/dev\/zero: the input has more than 1024 MiB/);
  isOneLine(await darm(['run', KERNEL, '--spec', '/dev/zero']), /not a code object/);
  isOneLine(await darm(['compile', '@/dev/zero']), /\/dev\/zero: the input has more than 256 MiB/);
});

test.long('a FIFO that nobody writes to, and one that somebody does', () =>
  inFolder(async (folder) => {
    assert.is(spawnSync('mkfifo', ['fifo'], { cwd: folder }).status, 0);
    const late = await darm(['compile', 'fifo', '--timeout', '0.5', '-o', 'x.hsaco'], { cwd: folder });
    isOneLine(late, /fifo: the input did not arrive within 0\.5 s/);
    const reading = darm(['compile', 'fifo', '-o', 'x.hsaco'], { cwd: folder });
    await writeFile(path.join(folder, 'fifo'), await readFile(KERNEL));
    assert.is((await reading).code, 0);
    isOneLine(await darm(['compile', 'fifo', '--timeout', '0.5', '--json'], { cwd: folder }), /did not arrive/);
  }),
);

test('a batch does not wait for a FIFO', () =>
  inFolder(async (folder) => {
    assert.is(spawnSync('mkfifo', ['fifo.bc'], { cwd: folder }).status, 0);
    const { code, stderr } = await darm(['batch', 'fifo.bc', '--out-dir', 'out'], { cwd: folder });
    assert.match(stderr, /cannot read fifo\.bc: it is not an ordinary file/);
    assert.is(code, 1);
  }));

test.long('a module on which LLVM never ends', () =>
  inFolder(async (folder) => {
    await writeFile(path.join(folder, 'endless.ll'), EMPTY.replace('define', 'module asm ".byte 7"\ndefine'));
    await writeFile(path.join(folder, 'x.hsaco'), 'as it was');
    const args = ['compile', 'endless.ll', '-o', 'x.hsaco', '--timeout', '1'];
    isOneLine(await darm(args, { cwd: folder }), /endless\.ll: the job took longer than its limit of 1 s/);
    assert.is(await readFile(path.join(folder, 'x.hsaco'), 'utf8'), 'as it was');
    const { stdout } = await darm([...args, '--json'], { cwd: folder });
    assert.is((JSON.parse(stdout.toString()) as { error: { code: string } }).error.code, 'timeout');
  }),
);

test.long('there is a time limit without --timeout, and the largest one is not over at once', async () => {
  const { stdout } = await darm(['compile', '--help']);
  assert.match(stdout.toString().replace(/\s+/g, ' '), /--timeout <seconds> [^-]*0: no limit \(default: 600\)/);
  for (const jobs of ['1', '2'])
    assert.is((await darm(['compile', KERNEL, '-o', '-', '--timeout', '2000000', '-j', jobs])).code, 0);
});

test.long('response files that include each other thousands of times', () =>
  inFolder(async (folder) => {
    for (let depth = 0; depth < 15; depth++)
      await writeFile(path.join(folder, String(depth)), `@${depth + 1} `.repeat(3));
    await writeFile(path.join(folder, '15'), '');
    isOneLine(await darm(['compile', '@0'], { cwd: folder }), /more than 1000 response files/, 2);
    await writeFile(path.join(folder, 'words'), 'x '.repeat(600_000));
    isOneLine(await darm(['batch', '@words'], { cwd: folder }), /more than 500000 words/, 2);
  }),
);

test.long('names are shown, not sent to the terminal', () =>
  inFolder(async (folder) => {
    const name = 'a\\1B[31m\\C2\\9B\\0Ab';
    await writeFile(path.join(folder, 'k.ll'), `${TRIPLE}define amdgpu_kernel void @"${name}"() "target-cpu"="gfx906" { ret void }\n`); // prettier-ignore
    await writeFile(path.join(folder, 's.json'), '{ "grid": [1, 1, 1], "block": [64, 1, 1] }');
    const kernel = 'a\x1b[31m\u009b\nb';
    const outputs: string[] = [];
    for (const args of [
      ['compile', 'k.ll', '-o', 'k.hsaco', '--stats'],
      ['inspect', 'k.ll'],
      ['inspect', 'k.hsaco'],
      ['analyze', 'k.ll'],
      ['check', 'k.ll', '--seeds', '1'],
      ['run', 'k.hsaco', '--spec', 's.json', '--kernel', kernel],
      ['run', 'k.hsaco', '--spec', 's.json', '--kernel', kernel, '--trace'],
    ]) {
      const { stdout, stderr, code } = await darm(args, { cwd: folder });
      assert.is(code, 0, stderr);
      outputs.push(stdout.toString() + stderr);
    }
    for (const output of outputs) assert.match(output, 'a\\u{1b}[31m\\u{9b}\\u{0a}b');
    outputs.push((await darm(['compile', 'x\x1b[31m.bc'])).stderr, (await darm(['compile', '--x\x1b[31m'])).stderr);
    outputs.push((await darm(['batch', 'x\x1b[31m*.bc', '--out-dir', folder])).stderr);
    for (const output of outputs) assert.not.match(output, /(?!\n)\p{Cc}/u);
    for (const output of outputs.slice(-3)) assert.match(output, 'x\\u{1b}[31m');
  }),
);

test('one long name does not make every row of a table as long', () =>
  inFolder(async (folder) => {
    const functions = Array.from({ length: 500 }, (_, i) => `define void @f${i}() { ret void }\n`);
    await writeFile(path.join(folder, 'k.ll'), `${TRIPLE}define void @${'x'.repeat(100_000)}() { ret void }\n${functions.join('')}`); // prettier-ignore
    const { stdout } = await darm(['inspect', 'k.ll'], { cwd: folder });
    assert.ok(stdout.length > 200_000 && stdout.length < 500_000, String(stdout.length));
  }));

test('a line end in a name has no place in a dependency file', () =>
  inFolder(async (folder) => {
    await writeFile(path.join(folder, 'a\nb.bc'), await readFile(KERNEL));
    isOneLine(await darm(['compile', 'a\nb.bc', '-MD', '-o', 'x.hsaco'], { cwd: folder }), /"a\\nb\.bc" has a line end/, 2); // prettier-ignore
    isOneLine(await darm(['compile', KERNEL, '-MD', '-MT', 'x\ny', '-o', 'x.hsaco'], { cwd: folder }), /line end/, 2);
    assert.equal(await filesIn(folder), ['a\nb.bc']);
  }));

test('names that are not UTF-8, or that a NUL ends, are told so', () =>
  inFolder(async (folder) => {
    if (process.platform !== 'linux') return;
    const name = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff]), Buffer.from('.bc')]);
    await writeFile(name, await readFile(KERNEL));
    const batch = ['batch', folder, '--out-dir', path.join(folder, 'out'), '--quiet'];
    const { code, stderr } = await darm(batch);
    assert.match(stderr, /: cannot read [^ ]*\ufffd\.bc: its name is not UTF-8; rename it \(io\)\n$/);
    assert.is(code, 1);
    const listed = await darm(['batch', '-', '--out-dir', 'out'], { cwd: folder, input: 'a.bc\0b.bc\0' });
    isOneLine(listed, /<stdin>:1: this line has a NUL; each name has a line of its own/);
  }));

test('a current folder that is gone is told so', () =>
  inFolder(async (folder) => {
    if (process.platform !== 'linux') return;
    const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"';
    for (const args of [
      ['compile', KERNEL, '-o', path.join(folder, 'x.hsaco')],
      ['inspect', KERNEL],
    ]) {
      const words = ['-c', script, 'sh', process.execPath, MAIN, ...args];
      const { status, stderr } = spawnSync('sh', words, { cwd: folder, encoding: 'utf8' });
      assert.is(stderr, 'darm: error: the current folder is gone: change to one that exists\n');
      assert.is(status, 1);
    }
  }));

test.run();

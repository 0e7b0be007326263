/** `darm` on source: clang's flags, its messages, dependencies, and bad input. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { commandLine } from '../../src/cli/arguments.js';
import { hasColors, takeClangFlags } from '../../src/cli/source.js';
import { readCompressed } from '../../src/formats/offload/compressed.js';
import { isFlag, parseFlags } from '../../src/frontend/flags.js';
import { darm as run, inFolder, type CommandSetting } from '../support/command.js';
import { assert, suite } from '../support/suite.js';

const test = suite('cli/source', { tests: 18, timeoutMs: 120_000 });

async function darm(
  words: readonly string[],
  setting: CommandSetting = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const { code, stdout, stderr } = await run(words, setting);
  return { code, stdout: stdout.toString('utf8'), stderr };
}

const KERNEL = `#include "value.h"
#define GLOBAL __attribute__((global))
template <class T> GLOBAL void both(T *p);
extern "C" GLOBAL void k(int *p) { p[0] = VALUE; }
`;

/** Without HIP's own headers a source takes milliseconds. */
const QUICK = ['--mcpu', 'gfx906', '-nogpuinc'];

async function withKernel(use: (folder: string) => Promise<void>): Promise<void> {
  await inFolder(async (folder) => {
    await mkdir(path.join(folder, 'inc'));
    await writeFile(path.join(folder, 'inc', 'value.h'), '#define VALUE 42\n');
    await writeFile(path.join(folder, 'k.hip'), KERNEL);
    await use(folder);
  });
}

test("clang's flags, dependencies, another name for the target", async () => {
  await withKernel(async (folder) => {
    const { code, stderr } = await darm(['compile', 'k.hip', ...QUICK, '-I', 'inc', '-MD', '--emit', 'll'], {
      cwd: folder,
    });
    assert.is(code, 0, stderr);
    assert.match(await readFile(path.join(folder, 'k.ll'), 'utf8'), /store i32 42/);
    assert.is(await readFile(path.join(folder, 'k.d'), 'utf8'), 'k.ll: \\\n  k.hip \\\n  inc/value.h\n');
    const offload = [
      'compile',
      'k.hip',
      '--offload-arch=gfx906',
      '-nogpuinc',
      '-Iinc',
      '-O2',
      '-std=c++20',
      '-c',
      '--json',
    ];
    const second = await darm(offload, { cwd: folder });
    assert.is(second.code, 0, second.stderr);
    const document = JSON.parse(second.stdout) as { target: string; source: { dependencies: string[] } };
    assert.equal([document.target, document.source.dependencies], ['gfx906', ['inc/value.h']]);
  });
});

test.long('preprocessed text, bitcode, a fat binary for several processors', async () => {
  await withKernel(async (folder) => {
    const text = await darm(['compile', 'k.hip', ...QUICK, '-Iinc', '-E', '-P', '--emit', 'i', '-o', '-'], {
      cwd: folder,
    });
    assert.match(text.stdout, /p\[0\] = 42;/);
    const printed = await darm(['compile', 'k.hip', ...QUICK, '-Iinc', '-E', '-P'], { cwd: folder });
    assert.is(printed.stdout, text.stdout);
    const made = async (...words: string[]): Promise<string> => {
      const { code, stderr } = await darm(['compile', 'k.hip', ...QUICK, '-Iinc', ...words], { cwd: folder });
      assert.is(code, 0, stderr);
      return (await readdir(folder)).filter((name) => !['inc', 'k.hip'].includes(name)).join(' ');
    };
    assert.is(await made('-S', '-MD', '-MP'), 'k.d k.s');
    assert.is(await readFile(path.join(folder, 'k.d'), 'utf8'), 'k.s: \\\n  k.hip \\\n  inc/value.h\ninc/value.h:\n');
    assert.is(await made('-S', '-emit-llvm'), 'k.d k.ll k.s');
    assert.is(await made('-c', '-emit-llvm'), 'k.bc k.d k.ll k.s');
    assert.is(await made('-S', '--emit', 'hsaco'), 'k.bc k.d k.hsaco k.ll k.s');
    const fat = ['compile', 'k.hip', '--mcpu', 'gfx906', '--mcpu', 'gfx1100', '-nogpuinc', '-Iinc', '--emit', 'fatbin'];
    assert.is((await darm(fat, { cwd: folder })).code, 0);
    const { stdout } = await darm(['inspect', 'k.hipfb'], { cwd: folder });
    assert.match(stdout, /hipv4-amdgcn-amd-amdhsa--gfx906[^]*hipv4-amdgcn-amd-amdhsa--gfx1100/);
    const older = [...fat.slice(0, 2), '--cuda-gpu-arch=gfx906', '--cuda-gpu-arch=gfx1100', ...fat.slice(6)];
    assert.is((await darm([...older, '-o', 'old.hipfb'], { cwd: folder })).code, 0);
    const plain = await readFile(path.join(folder, 'k.hipfb'));
    assert.equal(await readFile(path.join(folder, 'old.hipfb')), plain);
    const compress = ['--offload-compress', '--offload-compression-level=9'];
    assert.is((await darm([...fat, ...compress, '-o', 'packed.hipfb'], { cwd: folder })).code, 0);
    const packed = await readFile(path.join(folder, 'packed.hipfb'));
    const { version, compression, uncompressed } = await readCompressed(packed, plain.length);
    assert.equal([version, compression, Buffer.compare(uncompressed, plain)], [3, 'zstd', 0]);
    const last = [...fat, '--offload-compress', '--no-offload-compress', '-o', 'plain.hipfb'];
    assert.is((await darm(last, { cwd: folder })).code, 0);
    assert.equal(await readFile(path.join(folder, 'plain.hipfb')), plain);
  });
});

test.long('preprocessed text is compiled as what it is made from', async () => {
  await inFolder(async (folder) => {
    await writeFile(
      path.join(folder, 'k.hip'),
      '#include <hip/hip_runtime.h>\n__global__ void k(float *p) { *p = sinf(*p); }\n',
    );
    const made = async (...words: string[]): Promise<string> => {
      const file = path.join(folder, 'out');
      const { code, stderr } = await darm(['compile', ...words, '--mcpu', 'gfx906', '-o', file], { cwd: folder });
      assert.is(code, 0, stderr);
      return readFile(file, 'utf8');
    };
    const text = await made('k.hip', '--emit', 'i');
    for (const name of ['k.i', 'k.hipi', 'k.txt']) await writeFile(path.join(folder, name), text);
    const code = async (...words: string[]): Promise<string> =>
      (await made(...words, '--emit', 'asm')).split('\n').filter((line) => /^\t[a-z]/.test(line)).join('\n'); // prettier-ignore
    const expected = await code('k.hip');
    for (const words of [['k.i'], ['k.hipi'], ['k.txt', '-x', 'hip-cpp-output']])
      assert.is(await code(...words), expected);
  });
});

test.long("errors and warnings are clang's own, with exit code 1 for errors", async () => {
  await withKernel(async (folder) => {
    await writeFile(path.join(folder, 'bad.hip'), 'int f() {\n  return x;\n}\n');
    const bad = await darm(['compile', 'bad.hip', ...QUICK], { cwd: folder });
    assert.is(bad.code, 1);
    assert.match(
      bad.stderr,
      /^bad\.hip:2:10: error: use of undeclared identifier 'x'\n +2 \| +return x;\n +\| +\^\n1 error/,
    );
    const json = await darm(['compile', 'bad.hip', ...QUICK, '--json'], { cwd: folder });
    const { error } = JSON.parse(json.stdout) as { error: { location: object; diagnostics: { line: number }[] } };
    assert.equal(error.location, { file: 'bad.hip', line: 2, column: 10 });
    assert.equal(error.diagnostics.map(({ line }) => line), [2]); // prettier-ignore
    await writeFile(path.join(folder, 'warn.hip'), 'static int f() { return 1; }\n');
    const warn = ['compile', 'warn.hip', ...QUICK, '-Wall', '--emit', 'bc'];
    const warned = await darm(warn, { cwd: folder });
    assert.is(warned.code, 0);
    assert.match(warned.stderr, /warning: unused function 'f' \[-Wunused-function\]/);
    assert.is((await darm([...warn, '--quiet'], { cwd: folder })).stderr, '');
    assert.is((await darm([...warn, '-Werror'], { cwd: folder })).code, 1);
    // What the linker refuses comes behind what clang warned of.
    const device = '__attribute__((device))';
    const missing = `${device} void away();\n${device} __attribute__((used)) void f() { int n; away(); }\n`;
    await writeFile(path.join(folder, 'missing.hip'), missing);
    const unlinked = await darm(['compile', 'missing.hip', ...QUICK, '-Wall'], { cwd: folder });
    assert.is(unlinked.code, 1);
    assert.match(unlinked.stderr, /warning: unused variable 'n'[^]*darm: error: missing\.hip: .*away/);
  });
});

test.long('flags that are not known, or not for this input, are refused by name', async () => {
  await withKernel(async (folder) => {
    const cases: [string[], RegExp][] = [
      [['compile', 'k.hip', ...QUICK, '-fprofile-use=x'], /unknown flag '-fprofile-use=x'/],
      [['compile', 'k.hip', '-nogpuinc'], /needs a processor/],
      [['compile', 'k.hip', ...QUICK, '--offload-arch=gfx1100'], /one target at a time/],
      [['compile', 'k.ll', '-DX'], /-DX is for source/],
      [['compile', 'k.ll', '--emit', 'i'], /only source is preprocessed/],
      [['compile', 'k.hip', ...QUICK, '-x', 'fortran'], /'fortran' is not one of/],
    ];
    await writeFile(path.join(folder, 'k.ll'), 'define void @f() {\n  ret void\n}\n');
    for (const [words, message] of cases) {
      const { code, stderr } = await darm(words, { cwd: folder });
      assert.is(code, 2);
      assert.match(stderr, message);
    }
  });
});

test.long('a missing header, with the folders that were searched; a folder; a device', async () => {
  await withKernel(async (folder) => {
    const missing = await darm(['compile', 'k.hip', ...QUICK, '-isystem', 'other'], { cwd: folder });
    assert.is(missing.code, 1);
    assert.match(missing.stderr, /'value\.h' file not found[^]*looked for in other, the package's headers/);
    for (const name of ['inc', '/dev/zero']) {
      await writeFile(path.join(folder, 'odd.hip'), `#include "${name}"\n`);
      const { code, stderr } = await darm(['compile', 'odd.hip', ...QUICK], { cwd: folder });
      assert.is(code, 1);
      assert.match(stderr, /^odd\.hip:1:10: .*error/);
    }
  });
});

test('source from standard input', async () => {
  const { code, stdout } = await darm(
    ['compile', '-', '-x', 'cl', '--mcpu', 'gfx1100', '--emit', 'll', '-o', '-', '-DN=7'],
    {
      input: 'kernel void k(global int *p) { p[get_global_id(0)] = N; }',
    },
  );
  assert.is(code, 0);
  assert.match(stdout, /store i32 7/);
});

test('a processor that clang or the device libraries do not know is named', async () => {
  await withKernel(async (folder) => {
    const unknown = await darm(['compile', 'k.hip', '--mcpu', 'gfx9999', '-Iinc'], { cwd: folder });
    assert.is(unknown.code, 1);
    assert.match(unknown.stderr, /no device libraries for gfx9999, only for .*gfx1100/);
    const other = await darm(['compile', 'k.hip', '--mcpu', 'sm_80', '--emit', 'ptx'], { cwd: folder });
    assert.is(other.code, 1);
    assert.match(other.stderr, /source is compiled for AMD's processors only, of which sm_80 is none/);
  });
});

test('messages have colours on a terminal, or where flags say so; escapes of the source are shown as what they are', async () => {
  assert.equal(
    [['-fcolor-diagnostics'], ['-fcolor-diagnostics', '-fno-color-diagnostics'], ['-fdiagnostics-color=always']].map(
      hasColors,
    ),
    [true, false, true],
  );
  await inFolder(async (folder) => {
    await writeFile(path.join(folder, 'k.cl'), '#error \x1b]0;x\x07\n');
    const said = async (...flags: string[]): Promise<string> =>
      (await darm(['compile', 'k.cl', '--mcpu', 'gfx906', ...flags], { cwd: folder })).stderr;
    const [plain, colored] = [await said(), await said('-fcolor-diagnostics')];
    assert.is(plain.includes('\x1b'), false);
    assert.is(colored.includes('\x1b['), true);
    assert.is(stripVTControlCharacters(colored), plain);
  });
});

test.long('analyze, check and batch take source', async () => {
  await withKernel(async (folder) => {
    const flags = [...QUICK, '-Iinc'];
    const analyzed = await darm(['analyze', 'k.hip', ...flags, '--json'], { cwd: folder });
    assert.equal(
      (JSON.parse(analyzed.stdout) as { functions: { name: string }[] }).functions.map(({ name }) => name),
      ['k'],
    );
    const batch = ['batch', 'k.hip', ...flags, '--out-dir', 'out', '-j', '1', '--no-cache', '--json'];
    const events = async (): Promise<string[]> =>
      (await darm(batch, { cwd: folder })).stdout
        .split('\n')
        .flatMap((line) => (line ? [(JSON.parse(line) as { event: string }).event] : []));
    assert.equal(await events(), ['start', 'done', 'end']);
    assert.equal(await events(), ['start', 'skipped', 'end']);
    await writeFile(path.join(folder, 'inc', 'value.h'), '#define VALUE 43\n');
    assert.equal(await events(), ['start', 'done', 'end']);
  });
});

test('a batch of fat binaries compiles what changed, for each --offload-arch', async () => {
  await withKernel(async (folder) => {
    const batch = async (...targets: string[]): Promise<string> => {
      const words = ['batch', 'k.hip', '-nogpuinc', '-Iinc', '--emit', 'fatbin', '--out-dir', 'out', ...targets];
      const { code, stderr } = await darm(words, { cwd: folder });
      assert.is(code, 0, stderr);
      return stderr.split('\n')[0]!.replace(/\d+ ms/, 'N ms');
    };
    const image = async (target: string): Promise<string> => {
      const { code } = await darm(['bundle', 'out/k.hipfb', '--extract', `${target}=image`], { cwd: folder });
      assert.is(code, 0);
      return readFile(path.join(folder, 'image'), 'latin1');
    };
    const compiled = '[1/1] k.hip: 0 melds, N ms';
    assert.is(await batch('--offload-arch=gfx906'), compiled);
    const before = await image('gfx906');
    assert.is(await batch('--offload-arch=gfx906'), '[1/1] k.hip: there already');
    await writeFile(path.join(folder, 'inc', 'value.h'), '#define VALUE 43\n');
    assert.is(await batch('--offload-arch=gfx906'), compiled);
    const after = await image('gfx906');
    assert.is.not(after, before);
    assert.is(await batch('--mcpu', 'gfx906', '--offload-arch=gfx1100'), compiled);
    assert.is(await image('gfx906'), after);
    assert.is.not(await image('gfx1100'), after);
  });
});

test('what no input can make good, a batch refuses before anything is compiled', async () => {
  await withKernel(async (folder) => {
    for (const [words, message] of [
      [[], /^darm: error: source needs a processor: --mcpu gfx1100, for example.*\n$/],
      [['--mcpu', 'gfx906,gfx1100'], /^darm: error: 'gfx906,gfx1100' are several targets.*--emit fatbin\n$/],
      [['--mcpu', 'gfx906', '-fprofile-use=x'], /^darm: error: unknown flag '-fprofile-use=x'.*\n$/],
    ] as const) {
      const { code, stderr } = await darm(['batch', 'k.hip', 'k.hip', ...words, '--out-dir', 'out'], { cwd: folder });
      assert.is(code, 2);
      assert.match(stderr, message);
    }
    assert.not((await readdir(folder)).includes('out'));
  });
});

test.long("a batch shows clang's text, and where an error is", async () => {
  await withKernel(async (folder) => {
    await mkdir(path.join(folder, 'src'));
    await writeFile(path.join(folder, 'src', 'bad.hip'), 'int f() {\n  return x;\n}\n');
    await writeFile(path.join(folder, 'src', 'warn.hip'), 'static int f() { return 1; }\n');
    await writeFile(path.join(folder, 'src', 'bad.ll'), 'define i32 @f() {\n  ret i32 %z\n}\n');
    const batch = (...more: string[]): ReturnType<typeof darm> =>
      darm(['batch', ...more, ...QUICK, '-Wall', '--out-dir', 'out', '-j', '1', '--no-cache'], { cwd: folder });
    const plain = await batch('src/*.hip');
    assert.is(plain.code, 1);
    assert.match(plain.stderr, /src\/bad\.hip:2:10: error: use of undeclared identifier 'x'\n +2 \|/);
    assert.match(plain.stderr, /src\/bad\.hip: FAILED: 2:10: use of undeclared identifier 'x' \(compile-failed\)/);
    assert.match(plain.stderr, /src\/warn\.hip:1:12: warning: unused function 'f'/);
    const quiet = await batch('src/*.hip', '--quiet', '--force');
    assert.is(quiet.stderr, "darm: error: src/bad.hip: 2:10: use of undeclared identifier 'x' (compile-failed)\n");
    const text = await darm(['batch', 'src/bad.ll', '--out-dir', 'out', '--no-cache'], { cwd: folder });
    assert.match(text.stderr, /src\/bad\.ll: FAILED: 2:11: use of undefined value '%z' \(bad-input\)/);
    await rm(path.join(folder, 'src', 'bad.ll'));
    assert.match((await batch('src')).stderr, /source is named by a pattern, 'src\/\*\*\/\*\.hip'/);
  });
});

test("where an input may be source, flags are told from clang's, and none takes one of these for its value", () => {
  for (const command of commandLine(() => {}).commands) {
    const takesClangs = takeClangFlags([command.name(), '-DX']).clang.length > 0;
    if (command.registeredArguments.some(({ description }) => description.includes('.hip'))) assert.ok(takesClangs);
    if (takesClangs)
      for (const { long, required, optional } of command.options)
        assert.equal(takeClangFlags([command.name(), long!, '-DX']).clang, required || optional ? [] : ['-DX'], long);
  }
});

test("what is a flag of clang's for the library is one on the command line, and none of darm's is", () => {
  const words =
    '-v -### -pg -save-temps=obj -Rpass=inline -ftime-report -Oz -H -parallel-jobs=4 -frandom-seed=a.o -ffat-lto-objects -nostdlib -fcf-protection=none --hip-link -pie';
  for (const word of words.split(' ')) {
    assert.equal(takeClangFlags(['compile', word, 'k.cl']), { own: ['compile', 'k.cl'], clang: [word] });
    parseFlags([word]);
  }
  for (const { options } of commandLine(() => {}).commands)
    for (const { long } of options) assert.not(isFlag(long!), long!);
});

test('levels of several digits are taken as clang takes them', () => {
  const { own, clang } = takeClangFlags(['compile', '-O10', 'k.hip', '-O2', '-O42']);
  assert.equal([own, clang], [['compile', 'k.hip'], ['-O42']]);
});

test('a processor may stand apart from its flag', () => {
  const { own, clang } = takeClangFlags(['compile', '--offload-arch', 'gfx906', 'k.hip']);
  assert.equal([own, clang], [['compile', 'k.hip'], ['--offload-arch=gfx906']]);
});

test('of several levels the last counts', () => {
  const taken = (...words: string[]): string => {
    const { own, clang } = takeClangFlags(['compile', ...words]);
    return [...own.slice(1), '|', ...clang].join(' ');
  };
  assert.is(taken('-O2', '-DX', '-Ofast', 'k.cl'), 'k.cl | -DX -Ofast');
  assert.is(taken('-Ofast', '-O2', '-DX', 'k.cl'), '-O2 k.cl | -Ofast -DX');
  assert.is(taken('-Os', '-O1', '-Os'), '| -Os');
  assert.is(taken('-O', '2', '-DX', 'k.cl'), '-O2 k.cl | -DX');
  assert.is(taken('-O2', '-O', 'k.cl'), 'k.cl | -O');
});

test.run();

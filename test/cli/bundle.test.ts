/** `darm bundle`, and the other subcommands on containers. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArguments } from '../../src/cli/arguments.js';
import { DarmError } from '../../src/errors.js';
import { readContainer } from '../../src/formats/offload/container.js';
import { assert, suite } from '../support/suite.js';
import { darm, filesIn, inFolder } from '../support/command.js';
import { bundleOf, fakeElf } from '../support/containers.js';
import { kernel } from '../support/llvm.js';
import { haveTools, runTool } from '../support/tools.js';

const test = suite('cli/bundle', { tests: 9, timeoutMs: 60_000 });

const BUNDLER = 'clang-offload-bundler-22';
const DEVICES = 'hipv4-amdgcn-amd-amdhsa--gfx906,hipv4-amdgcn-amd-amdhsa--gfx1100';

async function succeeds(folder: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await darm(args, { cwd: folder });
  assert.is(stderr, '');
  assert.is(code, 0);
  return stdout.toString();
}

async function fails(folder: string, code: number, message: RegExp, ...args: string[]): Promise<void> {
  const before = await filesIn(folder);
  const result = await darm(args, { cwd: folder });
  assert.match(result.stderr, message);
  assert.match(result.stderr, /^darm: error: [^\n]*\n$/);
  assert.is(result.code, code);
  assert.equal(await filesIn(folder), before);
}

/** A folder with bitcode for two targets. */
async function inModules(use: (folder: string) => Promise<void>): Promise<void> {
  await inFolder(async (folder) => {
    for (const target of ['gfx906', 'gfx1100'])
      await writeFile(path.join(folder, `${target}.bc`), await kernel(`bitonic.${target}.O3`));
    await use(folder);
  });
}

const read = (folder: string, file: string): Promise<Buffer> => readFile(path.join(folder, file));

test('bitcode for two targets in, a fat binary with two melded code objects out', () =>
  inModules(async (folder) => {
    await succeeds(folder, 'bundle', '--create', '-o', 'in.bundle', 'gfx906=gfx906.bc', 'gfx1100=gfx1100.bc');
    const text = await succeeds(folder, 'compile', 'in.bundle', '--emit', 'fatbin', '--json');
    const document = JSON.parse(text) as {
      artifacts: { path: string; kind: string; bytes: number }[];
      images: { id: string; action: string; target?: string; functions?: { melds: unknown[] }[] }[];
    };
    assert.equal(
      document.artifacts.map(({ path, kind }) => [path, kind]),
      [['in.hipfb', 'fatbin']],
    );
    assert.equal(
      document.images.map(({ action, target }) => [action, target]),
      [
        ['kept', undefined],
        ['compiled', 'gfx906'],
        ['compiled', 'gfx1100'],
      ],
    );
    for (const { functions } of document.images.slice(1)) assert.ok(functions![0]!.melds.length > 0);
    for (const target of ['gfx906', 'gfx1100'])
      await succeeds(folder, 'compile', `${target}.bc`, '-o', `${target}.hsaco`);
    await succeeds(folder, 'bundle', 'in.hipfb', '--extract', 'gfx906=a', '--extract', 'gfx1100=b');
    assert.ok((await read(folder, 'a')).equals(await read(folder, 'gfx906.hsaco')));
    assert.ok((await read(folder, 'b')).equals(await read(folder, 'gfx1100.hsaco')));
    if (!haveTools(BUNDLER)) return;
    const unbundle = ['--type=o', '--unbundle', '--input=in.hipfb', `--targets=${DEVICES}`, '--output=c', '--output=d'];
    await runTool(folder, BUNDLER, unbundle);
    assert.ok((await read(folder, 'c')).equals(await read(folder, 'gfx906.hsaco')));
    assert.ok((await read(folder, 'd')).equals(await read(folder, 'gfx1100.hsaco')));
  }));

test('one code object replaced, the rest bit-identical', () =>
  inModules(async (folder) => {
    const finished = fakeElf(7000, 3);
    const whole = bundleOf({ target: 'gfx908', bytes: finished }, { target: 'gfx906', bytes: fakeElf(6000, 5) });
    await writeFile(path.join(folder, 'in.hipfb'), whole);
    await succeeds(folder, 'compile', 'gfx906.bc', '-o', 'new.hsaco');
    await succeeds(folder, 'bundle', '--replace', 'gfx906=new.hsaco', 'in.hipfb', '-o', 'out.hipfb');
    const [before, after] = [Buffer.from(whole), await read(folder, 'out.hipfb')];
    const replacement = await read(folder, 'new.hsaco');
    // The size in the table, and the image.
    const size = 32 + 24 + 30 + 24 + 31 + 8;
    assert.is(Number(before.readBigUInt64LE(size)), 6000);
    assert.is(Number(after.readBigUInt64LE(size)), replacement.length);
    assert.ok(after.subarray(0, size).equals(before.subarray(0, size)));
    assert.ok(after.subarray(size + 8, 12288).equals(before.subarray(size + 8, 12288)));
    assert.ok(after.subarray(12288).equals(replacement));
    if (!haveTools(BUNDLER)) return;
    const targets = '--targets=hipv4-amdgcn-amd-amdhsa--gfx908,hipv4-amdgcn-amd-amdhsa--gfx906';
    await runTool(folder, BUNDLER, [
      '--type=o',
      '--unbundle',
      '--input=out.hipfb',
      targets,
      '--output=a',
      '--output=b',
    ]);
    assert.ok((await read(folder, 'a')).equals(Buffer.from(finished)));
    assert.ok((await read(folder, 'b')).equals(replacement));
  }));

test('lists what is there, as text and as JSON; inspect does the same', () =>
  inFolder(async (folder) => {
    await writeFile(path.join(folder, 'in'), bundleOf({ target: 'gfx906:xnack-', bytes: fakeElf(100, 3) }));
    const text = await succeeds(folder, 'bundle', 'in');
    assert.match(text, /^image {2}target/);
    assert.match(text, /1 {2}gfx906:xnack- +elf +4096 +100 +hipv4-amdgcn-amd-amdhsa--gfx906:xnack- +bundle\n$/);
    assert.is(await succeeds(folder, 'inspect', 'in'), text);
    const json = await succeeds(folder, 'bundle', 'in', '--json');
    assert.is(await succeeds(folder, 'inspect', 'in', '--json'), json);
    const document = JSON.parse(json) as { schema: number; parts: unknown[]; images: object[] };
    assert.is(document.schema, 1);
    assert.equal(document.parts, [{ format: 'bundle', compression: null }]);
    assert.equal(document.images[1], {
      index: 1,
      part: 0,
      id: 'hipv4-amdgcn-amd-amdhsa--gfx906:xnack-',
      kind: 'hipv4',
      triple: 'amdgcn-amd-amdhsa',
      target: 'gfx906:xnack-',
      content: 'elf',
      offset: 4096,
      bytes: 100,
    });
  }));

test('creates every kind', () =>
  inModules(async (folder) => {
    const inputs = ['gfx906=gfx906.bc', 'gfx1100=gfx1100.bc'];
    for (const [options, magic] of [
      [[], '__CLANG_OFFLOAD_BUNDLE__'],
      [['--compress', 'zlib'], 'CCOB\x03\0\0\0'],
      [['--compress', 'zstd', '--format-version', '2'], 'CCOB\x02\0\x01\0'],
      [['--type', 'offload-binary'], '\x10\xff\x10\xad\x01\0\0\0'],
    ] as const) {
      await succeeds(folder, 'bundle', '--create', '-o', 'out', ...options, ...inputs);
      const bytes = await read(folder, 'out');
      assert.is(bytes.toString('latin1', 0, magic.length), magic);
      const devices = (await readContainer(bytes)).images.filter(({ kind }) => kind !== 'host');
      assert.equal(
        devices.map(({ target }) => target),
        ['gfx906', 'gfx1100'],
      );
      assert.ok((await read(folder, 'gfx906.bc')).equals(devices[0]!.bytes));
    }
  }));

test('standard input and output', () =>
  inFolder(async (folder) => {
    const input = bundleOf({ target: 'gfx906', bytes: fakeElf(100, 3) });
    const { stdout } = await darm(['bundle', '-', '--extract', 'gfx906=-'], { cwd: folder, input });
    assert.ok(stdout.equals(Buffer.from(fakeElf(100, 3))));
    const twice = ['bundle', '--create', '-o', 'x', 'gfx906=-', 'gfx90a=-'];
    const { code, stderr } = await darm(twice, { cwd: folder, input: 'no code' });
    assert.equal([code, stderr], [2, 'darm: error: standard input (-) can be read only once\n']);
  }));

test('a module with --emit fatbin, for several targets', () =>
  inModules(async (folder) => {
    // A module that names no processor can be compiled for several.
    await writeFile(
      path.join(folder, 'any.ll'),
      'target triple = "amdgcn-amd-amdhsa"\ndefine amdgpu_kernel void @k() {\n  ret void\n}\n',
    );
    const targets = ['--mcpu', 'gfx906,gfx908', '--mcpu', 'gfx90a'];
    await succeeds(folder, 'compile', 'any.ll', '--emit', 'fatbin', '--meld', 'off', ...targets);
    const { images } = await readContainer(await read(folder, 'any.hipfb'));
    assert.equal(
      images.map(({ target }) => target),
      ['', 'gfx906', 'gfx908', 'gfx90a'],
    );
    await fails(folder, 1, /'bitonic' is for gfx906, the job for gfx908/, 'compile', 'gfx906.bc', '--emit', 'fatbin', ...targets); // prettier-ignore
    await fails(folder, 2, /'gfx906,gfx908' are several targets/, 'compile', 'gfx906.bc', '--mcpu', 'gfx906,gfx908');
  }));

test.long('what can go wrong', () =>
  inModules(async (folder) => {
    await writeFile(path.join(folder, 'in'), bundleOf({ target: 'gfx1100', bytes: fakeElf(100, 3) }));
    await succeeds(folder, 'compile', 'gfx906.bc', '-o', 'gfx906.hsaco');
    const replace = ['bundle', 'in', '-o', 'out', '--replace'];
    await fails(folder, 2, /no image for 'gfx906': the container has .*gfx1100/, ...replace, 'gfx906=gfx906.hsaco');
    await fails(folder, 1, /gfx906\.hsaco is a code object for gfx906, not for gfx1100/, ...replace, 'gfx1100=gfx906.hsaco'); // prettier-ignore
    await fails(folder, 1, /cannot read nothing/, ...replace, 'gfx1100=nothing');
    await fails(folder, 2, /given twice/, 'bundle', '--create', '-o', 'out', 'gfx906=missing', 'gfx906=missing');
    const conflict = ['gfx90a=in', 'openmp-amdgcn-amd-amdhsa--gfx90a:xnack+=in', 'gfx90a:xnack+=in'];
    await fails(folder, 2, /gfx90a and gfx90a:xnack\+ exclude each other/, 'bundle', '--create', '-o', 'out', ...conflict); // prettier-ignore
    await succeeds(folder, 'bundle', '--create', '-o', 'out', ...conflict.slice(0, 2));
    await fails(folder, 1, /gfx906\.bc: this is not an offload bundle/, 'bundle', 'gfx906.bc');
    await fails(folder, 1, /gfx906\.hsaco: this is not an offload bundle/, 'bundle', 'gfx906.hsaco');
    await fails(folder, 2, /leave --mcpu out/, 'compile', 'in', '--emit', 'fatbin', '--mcpu', 'gfx906');
  }),
);

test('command lines that make no sense', () => {
  for (const [line, message] of [
    ['in -o out --replace gfx1100', /not of the form TARGET=FILE/],
    ['in --replace gfx1100=in', /need an output file/],
    ['in -o out', /-o is for --create and --replace/],
    ['in -o out --replace gfx1100=in --extract gfx1100=x', /exclude each other/],
    ['in --extract 0=- --json', /only one thing/],
    ['--create -o out', /needs images/],
    ['--create -o out --type offload-binary --compress zlib gfx906=x', /only bundles can be compressed/],
    ['', /one FILE is needed/],
  ] as const)
    assert.throws(
      () => parseArguments(['bundle', ...line.split(' ').filter((word) => word !== '')]),
      (error: unknown) => error instanceof DarmError && error.code === 'usage' && message.test(error.message),
    );
});

test('what is for modules says what to do with a container', () =>
  inFolder(async (folder) => {
    await writeFile(path.join(folder, 'in'), bundleOf({ target: 'gfx1100', bytes: fakeElf(100, 3) }));
    for (const command of ['compile', 'analyze'])
      await fails(folder, 1, /in: the input is an offload bundle.*--emit fatbin.*darm bundle --extract/, command, 'in');
  }));

test.run();

/** From bitcode to fat binaries: modules in a container are compiled as they would be alone, other images are kept. */
import { createHash } from 'node:crypto';
import type { Compiler, ModuleCompiler } from '../../src/compiler/api.js';
import { createCompiler } from '../../src/compiler/compiler.js';
import { DarmError } from '../../src/errors.js';
import { compileContainer, compileFatBinary } from '../../src/compiler/fat-binary.js';
import { writeCompressed } from '../../src/formats/offload/compressed.js';
import { readContainer } from '../../src/formats/offload/container.js';
import { describeContainer } from '../../src/formats/offload/describe.js';
import { assert, suite } from '../support/suite.js';
import {
  bundleOf,
  fakeElf,
  offloadBinaryOf,
  packedBundleOf,
  secondVersionOf,
  textBundleOf,
} from '../support/containers.js';
import { kernel } from '../support/llvm.js';

const test = suite('fatbin', { tests: 8, timeoutMs: 60_000 });

const equal = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

/** Compiles the same module for the same target only once: the containers of all kinds hold the same modules here. */
function remembering(compiler: Compiler): ModuleCompiler {
  const known = new Map<string, ReturnType<Compiler['compile']>>();
  return {
    compile(bytes, options = {}, call) {
      const key = `${createHash('sha256').update(bytes).digest('hex')} ${JSON.stringify(options)}`;
      const result = known.get(key) ?? compiler.compile(bytes, options, call);
      known.set(key, result);
      return result;
    },
  };
}

async function withCompiler(use: (compiler: ModuleCompiler) => Promise<void>): Promise<void> {
  const compiler = createCompiler({ threads: 0, tierPolicy: 'short' });
  try {
    await use(remembering(compiler));
  } finally {
    await compiler.close();
  }
}

const modules = async (): Promise<{ target: string; bytes: Uint8Array }[]> => [
  { target: 'gfx906', bytes: await kernel('bitonic.gfx906.O3') },
  { target: 'gfx1100', bytes: await kernel('bitonic.gfx1100.O3') },
];

/** The code objects of the two modules, compiled separately. */
async function codeObjects(compiler: ModuleCompiler): Promise<Uint8Array[]> {
  const compile = async (bytes: Uint8Array): Promise<Uint8Array> =>
    (await compiler.compile(bytes, { emit: ['hsaco'] })).artifacts[0]!.bytes;
  const [first, second] = await modules();
  return [await compile(first!.bytes), await compile(second!.bytes)];
}

test('two modules become the code objects that each would become alone', () =>
  withCompiler(async (compiler) => {
    const both = await modules();
    const expected = await codeObjects(compiler);
    const bundle = bundleOf(...both);
    for (const [name, input] of Object.entries({
      bundle,
      packed: packedBundleOf(...both),
      zlib: await writeCompressed(bundle, 'zlib', 2),
      zstd: await writeCompressed(bundle, 'zstd', 3),
      'offload binaries': offloadBinaryOf(...both),
      'version 2': secondVersionOf(...both),
    })) {
      const { bytes, images } = await compileContainer(compiler, input);
      const compiled = images.flatMap((image) => image.compiled ?? []);
      assert.equal(
        compiled.map(({ target, functions }) => [target, functions.map((fn) => fn.melds.length > 0)]),
        [
          ['gfx906', [true]],
          ['gfx1100', [true]],
        ],
        name,
      );
      const output = await readContainer(bytes);
      const devices = output.images.filter(({ kind }) => kind !== 'host');
      assert.ok(devices.length === 2 && devices.every((image, i) => equal(image.bytes, expected[i]!)), name);
      assert.equal(describeContainer(output).parts, describeContainer(await readContainer(input)).parts, name);
    }
  }));

test("a bundle of modules becomes clang's fat binary", () =>
  withCompiler(async (compiler) => {
    const both = await modules();
    const [first, second] = await codeObjects(compiler);
    const expected = bundleOf({ target: 'gfx906', bytes: first! }, { target: 'gfx1100', bytes: second! });
    for (const input of [bundleOf(...both), packedBundleOf(...both)])
      assert.ok(equal((await compileContainer(compiler, input)).bytes, expected));
  }));

test('finished images are kept', () =>
  withCompiler(async (compiler) => {
    const [module] = await modules();
    const finished = { target: 'gfx90a', bytes: fakeElf(7777, 3) };
    const input = bundleOf(finished, module!);
    const { bytes, images } = await compileContainer(compiler, input);
    assert.equal(
      images.map(({ compiled }) => compiled !== null),
      [false, false, true],
    );
    assert.ok(equal(bytes.subarray(4096, 4096 + 7777), finished.bytes));
    const all = bundleOf(finished);
    assert.is((await compileContainer(compiler, all)).bytes, all);
  }));

test('IR text in a text bundle becomes a fat binary', () =>
  withCompiler(async (compiler) => {
    const text = 'target triple = "amdgcn-amd-amdhsa"\ndefine amdgpu_kernel void @k() { ret void }\n';
    const input = textBundleOf({
      'host-x86_64-unknown-linux-gnu-': '',
      'hip-amdgcn-amd-amdhsa--gfx906': text,
      'hip-amdgcn-amd-amdhsa--gfx1100': text,
    });
    const { bytes } = await compileContainer(compiler, input);
    const info = describeContainer(await readContainer(bytes));
    assert.equal(
      info.images.map(({ id, content, offset }) => [id, content, offset % 4096]),
      [
        ['host-x86_64-unknown-linux-gnu-', 'empty', 0],
        ['hipv4-amdgcn-amd-amdhsa--gfx906', 'elf', 0],
        ['hipv4-amdgcn-amd-amdhsa--gfx1100', 'elf', 0],
      ],
    );
    assert.is(info.parts[0]!.format, 'bundle');
  }));

test('a module becomes a fat binary for one target or several', () =>
  withCompiler(async (compiler) => {
    const [module] = await modules();
    const [expected] = await codeObjects(compiler);
    const own = await compileFatBinary(compiler, module!.bytes);
    assert.ok(equal(own.bytes, bundleOf({ target: 'gfx906', bytes: expected! })));
    const targets = ['gfx906', 'gfx90a:xnack-', 'gfx1030'];
    const forAny = new TextEncoder().encode(
      'target triple = "amdgcn-amd-amdhsa"\ndefine amdgpu_kernel void @k() { ret void }',
    );
    const { bytes } = await compileFatBinary(compiler, forAny, targets, { meld: 'off' });
    assert.equal(
      (await readContainer(bytes)).images.map(({ target }) => target),
      ['', ...targets],
    );
    const twice = await compileFatBinary(compiler, module!.bytes, ['gfx906', 'gfx906']).catch(
      (error: unknown) => error,
    );
    assert.ok(twice instanceof DarmError && twice.code === 'usage');
    const source = { language: 'hip', flags: ['-mxnack'], optimize: 'none' } as const;
    const completed = compileFatBinary(compiler, '', ['gfx90a:xnack+', 'gfx90a'], source);
    assert.match(await completed.then(() => '', String), /a target is named twice/);
    const refused = (...some: unknown[]): Promise<string> =>
      compileFatBinary(compiler, new Uint8Array(), some as string[], { language: 'hip' }).then(() => 'done', String);
    assert.match(await refused(), /source needs a processor.*a target for compileFatBinary/);
    assert.match(await refused(906), /the targets must be an array of strings/);
    const outcome = (...some: string[]): Promise<string> =>
      compileFatBinary(compiler, forAny, some, { meld: 'off' }).then(() => 'done', String);
    assert.is(await outcome('gfx90a:xnack+', 'gfx90a:xnack-', 'gfx906'), 'done');
    assert.match(await outcome('gfx90a:xnack+', 'gfx90a'), /gfx90a and gfx90a:xnack\+ exclude each other/);
    assert.match(await outcome('gfx90a:xnack+', 'gfx90a:sramecc+'), /exclude each other/);
  }));

test('an error names the image', () =>
  withCompiler(async (compiler) => {
    const [module] = await modules();
    const bad = module!.bytes.subarray(0, 3000);
    for (const [target, bytes, message] of [
      ['gfx1100', bad, /^image hipv4-amdgcn-amd-amdhsa--gfx1100: /],
      ['gfx9999', module!.bytes, /^image .*gfx9999: /],
      ['hipv4-amdgcn-amd-amdhsa--gfx906:foo+', module!.bytes, /^image .*foo\+: .* is no target id/],
    ] as const) {
      const error: unknown = await compileContainer(compiler, bundleOf(module!, { target, bytes })).catch(
        (e: unknown) => e,
      );
      assert.instance(error, DarmError);
      assert.match((error as DarmError).message, message);
      assert.is((error as DarmError).exitCode, 1);
    }
  }));

test('the uncompressed size of containers is limited', () =>
  withCompiler(async (compiler) => {
    const input = await writeCompressed(bundleOf({ target: 'gfx906', bytes: fakeElf(5000, 3) }), 'zstd', 3);
    assert.is((await compileContainer(compiler, input, { maxUncompressed: 9096 })).bytes, input);
    const error: unknown = await compileContainer(compiler, input, { maxUncompressed: 9095 }).catch((e: unknown) => e);
    assert.ok(error instanceof DarmError && /9096 bytes uncompressed/.test(error.message));
  }));

test.long('any number of threads gives the same bytes', async () => {
  const input = bundleOf(...(await modules()));
  const results: Uint8Array[] = [];
  for (const threads of [0, 2]) {
    const compiler = createCompiler({ threads, tierPolicy: 'short' });
    results.push((await compileContainer(compiler, input)).bytes);
    await compiler.close();
  }
  assert.ok(equal(results[0]!, results[1]!));
});

test.run();

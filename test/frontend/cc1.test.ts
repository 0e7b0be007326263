/** The arguments of `clang -cc1`: the libraries and their order are those of clang's driver. */
import { cc1Arguments, leanArguments } from '../../src/frontend/cc1.js';
import { noFlags, parseFlags } from '../../src/frontend/flags.js';
import { assert, suite } from '../support/suite.js';

const test = suite('frontend/cc1', { tests: 10 });

const BASE = {
  flags: noFlags(),
  language: 'hip',
  name: 'a/kernel.hip',
  target: 'gfx1100',
  optimize: '3',
  product: 'bitcode',
  hasHeaders: false,
  processors: ['906', '942', '1100', '9-4-generic'],
} as const;

const librariesOf = (words: readonly string[]): string[] =>
  words.flatMap((word, at) => (word === '-mlink-builtin-bitcode' ? [words[at + 1]!.replace(/.*\/|\.bc$/g, '')] : []));

test('the device libraries of HIP', () => {
  assert.equal(librariesOf(cc1Arguments(BASE)), [
    'ocml', 'ockl', 'oclc_unsafe_math_off', 'oclc_finite_only_off', 'oclc_wavefrontsize64_off', 'oclc_isa_version_1100',
    'oclc_abi_version_600',
  ]); // prettier-ignore
  for (const [target, size] of [
    ['gfx906', 'on'],
    ['gfx942:sramecc+:xnack-', 'on'],
    ['gfx9-4-generic', 'on'],
  ] as const)
    assert.ok(librariesOf(cc1Arguments({ ...BASE, target })).includes(`oclc_wavefrontsize64_${size}`));
  const wide = { ...BASE, flags: parseFlags(['-mwavefrontsize64', '-ffast-math', '-mcode-object-version=5']) };
  assert.equal(librariesOf(cc1Arguments(wide)).slice(2), [
    'oclc_unsafe_math_on', 'oclc_finite_only_on', 'oclc_wavefrontsize64_on', 'oclc_isa_version_1100', 'oclc_abi_version_500',
  ]); // prettier-ignore
});

test('what no kernel uses is dropped where clang drops it: not at -O0', () => {
  const drops = (optimize: string): boolean =>
    cc1Arguments({ ...BASE, optimize }).includes('-amdgpu-internalize-symbols');
  assert.equal(['0', '1', '3', 's'].map(drops), [false, true, true, true]);
});

test('no headers are put in front of what is preprocessed', () => {
  const words = cc1Arguments({ ...BASE, name: 'k.i', flags: parseFlags(['-x', 'hip-cpp-output']) });
  assert.equal(words.slice(-3), ['-x', 'hip-cpp-output', 'k.i']);
  assert.not(words.includes('-include') || words.includes('-internal-isystem'));
  assert.ok(librariesOf(words).includes('ocml'));
  assert.is(leanArguments(words), null);
  const last = parseFlags(['-x', 'hip-cpp-output', '-x', 'hip']);
  assert.ok(cc1Arguments({ ...BASE, flags: last }).includes('-include'));
});

test('OpenCL C has its own library in front', () => {
  const words = cc1Arguments({ ...BASE, language: 'opencl', name: 'k.cl' });
  assert.is(librariesOf(words)[0], 'opencl');
  assert.ok(words.includes('-fdeclare-opencl-builtins'));
  assert.equal(words.slice(-3), ['-x', 'cl', 'k.cl']);
});

test("OpenCL C has the macros of AMD's runtime, unless the caller defines them", () => {
  const macrosOf = (target: string, ...flags: string[]): string[] => {
    const words = cc1Arguments({ ...BASE, language: 'opencl', name: 'k.cl', target, flags: parseFlags(flags) });
    return words.filter((_, at) => words[at - 1] === '-D');
  };
  assert.equal(macrosOf('gfx1100', '-DN=1'), ['__OPENCL_VERSION__=200', '__IMAGE_SUPPORT__=1', 'N=1']);
  assert.equal(macrosOf('gfx942'), ['__OPENCL_VERSION__=200']);
  assert.equal(macrosOf('gfx906', '-D', '__OPENCL_VERSION__=120'), ['__IMAGE_SUPPORT__=1', '__OPENCL_VERSION__=120']);
  assert.not.ok(cc1Arguments(BASE).includes('-D'));
});

test('a processor without device libraries is named, with those that have them', () => {
  assert.throws(
    () => cc1Arguments({ ...BASE, target: 'gfx9999' }),
    (error: Error & { code: string }) => error.code === 'bad-target' && /gfx9999.*gfx906, gfx942/.test(error.message),
  );
  assert.equal(librariesOf(cc1Arguments({ ...BASE, target: 'gfx9999', flags: parseFlags(['-nogpulib']) })), []);
});

test('features of a target id, debug information, own headers in front', () => {
  const words = cc1Arguments({ ...BASE, target: 'gfx942:xnack-', hasHeaders: true, flags: parseFlags(['-g']) }).join(
    ' ',
  );
  assert.match(words, /-target-cpu gfx942 -target-feature -xnack/);
  assert.match(words, /-debug-info-kind=constructor/);
  assert.match(words, /-I \/\.headers .*-internal-isystem \/\.package\/hip/);
});

test('fewer headers: one folder in front of all others of the package, where clang makes code of HIP', () => {
  const words = cc1Arguments(BASE);
  const lean = leanArguments(words)!;
  assert.equal(
    lean.filter((word) => !words.includes(word)),
    ['/.package/darm/lean'],
  );
  assert.is(
    lean.indexOf('/.package/darm/lean') + 1,
    lean.indexOf('-internal-isystem', lean.indexOf('/.package/darm/lean')),
  );
  assert.ok(lean.indexOf('/.package/darm/lean') < lean.indexOf('/.package/clang/include/cuda_wrappers'));
  assert.is(leanArguments(cc1Arguments({ ...BASE, product: 'text' })), null);
  assert.is(leanArguments(cc1Arguments({ ...BASE, language: 'opencl' })), null);
});

test('denormals are zero where they are slow, and where a flag of the language says so', () => {
  const flushes = (language: 'hip' | 'opencl', processor: string, ...words: string[]): boolean =>
    cc1Arguments({
      ...BASE,
      ...{ language, target: `gfx${processor}`, processors: [processor], flags: parseFlags(words) },
    }).includes('-fdenormal-fp-math-f32=preserve-sign,preserve-sign');
  for (const language of ['hip', 'opencl'] as const) {
    for (const processor of ['600', '705', '803', '810']) assert.ok(flushes(language, processor), processor);
    for (const processor of ['801', '900', '90a', '9-generic', '1100', '10-3-generic'])
      assert.not(flushes(language, processor), processor);
  }
  assert.not(flushes('hip', '803', '-fno-gpu-flush-denormals-to-zero'));
  assert.ok(flushes('opencl', '803', '-fno-gpu-flush-denormals-to-zero'));
  for (const flag of ['-fgpu-flush-denormals-to-zero', '-cl-denorms-are-zero'])
    assert.equal([flushes('hip', '906', flag), flushes('opencl', '906', flag)], [flag[1] === 'f', flag[1] === 'c']);
});

test('frame pointers', () => {
  const framePointers = (...words: string[]): string | undefined =>
    cc1Arguments({ ...BASE, optimize: words.includes('-O0') ? '0' : '3', flags: parseFlags(words) })
      .find((word) => word.startsWith('-mframe-pointer='))
      ?.replace('-mframe-pointer=', '');
  assert.is(framePointers(), 'none');
  assert.is(framePointers('-pg'), 'all');
  assert.is(framePointers('-O0'), 'all');
  assert.is(framePointers('-O0', '-fomit-frame-pointer'), 'none');
  assert.is(framePointers('-pg', '-fomit-frame-pointer', '-fno-omit-frame-pointer'), 'all');
  for (const words of [
    ['-pg', '-fomit-frame-pointer'],
    ['-fno-omit-frame-pointer', '-fomit-frame-pointer', '-pg'],
  ])
    assert.throws(() => parseFlags(words), '-fomit-frame-pointer and -pg exclude each other');
});

test.run();

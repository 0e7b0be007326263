/** clang's flags as the driver takes them: which are known, which are refused, and what becomes of them. */
import { parseFlags } from '../../src/frontend/flags.js';
import { completeSource } from '../../src/frontend/options.js';
import { assert, suite } from '../support/suite.js';

const test = suite('frontend/flags', { tests: 13 });

test('flags with values, in one word or two', () => {
  const { cc1, folders, language } = parseFlags(['-DA=1', '-D', 'B', '-UC', '-Ia', '-I', 'b', '-isystem', 'c', '-xcl']);
  assert.equal(cc1, ['-D', 'A=1', '-D', 'B', '-U', 'C', '-I', 'a', '-I', 'b', '-isystem', 'c']);
  assert.equal(folders, ['a', 'b', 'c']);
  assert.is(language, 'opencl');
  assert.throws(() => parseFlags(['-xconstructor']), /language 'constructor' is not one of hip/);
  assert.throws(() => parseFlags(['-I']), /the flag -I needs a value/);
});

test('what build systems say twice', () => {
  assert.equal(parseFlags(['--offload-arch=gfx90a', '--offload-arch=gfx90a,gfx906']).targets, ['gfx90a', 'gfx906']);
  assert.equal(parseFlags(['-mcpu=gfx906', '-mcpu=gfx90a']).targets, ['gfx90a']);
  assert.not(parseFlags(['-ffreestanding', '-fhosted']).cc1.includes('-ffreestanding'));
  assert.ok(parseFlags(['-fhosted', '-ffreestanding']).cc1.includes('-ffreestanding'));
  // A folder, and no level.
  assert.equal(parseFlags(['-Ofast', '-I', '-Ofoo']).cc1, parseFlags(['-I', '-Ofoo', '-Ofast']).cc1);
  assert.equal(parseFlags(['-Ofast', '-Xarch_host', '-O0']).cc1, parseFlags(['-Ofast']).cc1);
  assert.throws(() => parseFlags(['-ferror-limit=all']), /-ferror-limit=all is not a number of errors/);
});

test('levels, standards, targets, debug information', () => {
  const flags = parseFlags(['-O2', '-std=c++20', '--offload-arch=gfx906,gfx1100', '-gline-tables-only', '-O1']);
  assert.is(flags.optimize, '1');
  assert.is(flags.standard, 'c++20');
  assert.equal(flags.targets, ['gfx906', 'gfx1100']);
  assert.is(flags.debug, 'lines');
});

/**
 * The words of a flag list that floating point is about, and whether the libraries are the unsafe and the finite ones.
 */
const mathOf = (...words: string[]): string => {
  const { floatingPoint } = parseFlags(words);
  const libraries = [floatingPoint.unsafeLibraries && 'unsafe', floatingPoint.finiteLibraries && 'finite'];
  return [...floatingPoint.arguments('hip'), ...libraries.filter(Boolean)].join(' ');
};

test("fast mathematics is what clang's driver makes of it", () => {
  const unsafe = '-fapprox-func -funsafe-math-optimizations -fno-signed-zeros -mreassociate -freciprocal-math';
  const fast = `${unsafe} -ffp-contract=fast -fno-rounding-math`;
  const infinite = '-menable-no-infs -menable-no-nans';
  assert.is(mathOf(), '-fno-rounding-math');
  assert.is(
    mathOf('-ffast-math'),
    `${infinite} ${fast} -ffast-math -ffinite-math-only -complex-range=basic -fgpu-approx-transcendentals unsafe finite`,
  );
  assert.is(mathOf('-Ofast'), `${infinite} ${fast} -ffast-math -ffinite-math-only -complex-range=basic`);
  assert.is(mathOf('-O2', '-Ofast'), mathOf('-Ofast'));
  assert.is(mathOf('-Ofast', '-O2'), mathOf('-O2'));
  assert.is(mathOf('-funsafe-math-optimizations'), `${fast} unsafe`);
  assert.is(mathOf('-ffp-model=fast'), `${fast} -complex-range=promoted`);
  assert.is(mathOf('-ffinite-math-only'), `${infinite} -fno-rounding-math -ffinite-math-only finite`);
  assert.is(mathOf('-ffp-model=strict'), '-ffp-contract=off -frounding-math -ffp-exception-behavior=strict -complex-range=full'); // prettier-ignore
  assert.is(mathOf('-ffast-math', '-fmath-errno').replace('-fmath-errno ', ''), mathOf('-ffast-math').replace('-ffast-math ', '')); // prettier-ignore
  for (const last of ['-fno-math-errno', '-fno-fast-math', '-ffast-math', '-Ofast', '-ffp-model=strict'])
    assert.is(mathOf('-fmath-errno', last), mathOf(last));
  assert.match(mathOf('-cl-fast-relaxed-math'), /unsafe finite$/);
  assert.equal(parseFlags([]).floatingPoint.arguments('opencl'), ['-ffp-contract=on', '-fno-rounding-math']);
});

test('of floating point flags that contradict each other, the last wins', () => {
  const back = ['-ffast-math', '-fno-fast-math'];
  assert.is(mathOf(...back), '-ffp-contract=fast -fno-rounding-math');
  assert.equal(parseFlags(back).floatingPoint.arguments('opencl'), ['-ffp-contract=on', '-fno-rounding-math']);
  const given = parseFlags(['-ffp-contract=off', ...back]).floatingPoint;
  assert.equal(given.arguments('hip'), ['-ffp-contract=fast', '-fno-rounding-math']);
  assert.equal(given.arguments('opencl'), ['-ffp-contract=off', '-fno-rounding-math']);
  assert.match(mathOf('-ffast-math', '-ffp-contract=off'), /-ffp-contract=off/);
  assert.match(mathOf('-ffp-contract=off', '-ffast-math'), /-ffp-contract=fast/);
  const honouring = mathOf('-ffast-math', '-fno-finite-math-only');
  assert.not.match(honouring, /-menable|-ffast-math|-ffinite-math-only/);
  assert.match(honouring, /unsafe finite$/);
  assert.not.match(mathOf('-ffast-math', '-fhonor-nans'), /-menable-no-nans|-ffast-math/);
  assert.match(mathOf('-fno-honor-nans', '-fno-honor-infinities'), /-ffinite-math-only$/);
  assert.not.match(mathOf('-ffast-math', '-fno-gpu-approx-transcendentals'), /transcendentals/);
  assert.is(mathOf('-fassociative-math', '-fno-signed-zeros'), '-fno-signed-zeros -mreassociate -fno-rounding-math');
});

test('features of processors', () => {
  const { cc1, waveSize } = parseFlags(['-mwavefrontsize64', '-mno-cumode', '-mamdgpu-precise-memory-op']);
  assert.equal(
    cc1.filter((word) => word !== '-target-feature'),
    ['+wavefrontsize64', '-cumode', '+precise-memory'],
  );
  assert.is(waveSize, 64);
  const back = parseFlags(['-mwavefrontsize64', '-mno-wavefrontsize64']);
  assert.equal([back.cc1, back.waveSize], [[], null]);
  assert.throws(() => parseFlags(['-mconstructor']), /unknown flag/);
});

test('a flag and its opposite: the last wins', () => {
  assert.equal(parseFlags(['-fno-rtti', '-frtti', '-ftrapv', '-fno-trapv']).cc1, []);
  assert.equal(parseFlags(['-frtti', '-fno-rtti']).cc1, ['-fno-rtti']);
  const [uniform, not] = ['-foffload-uniform-block', '-fno-offload-uniform-block'];
  assert.equal([parseFlags([uniform, not]).cc1, parseFlags([not, uniform]).cc1], [[not], [uniform]]);
  assert.equal(parseFlags(['-fno-char8_t', '-fchar8_t']).cc1, ['-fchar8_t']);
  assert.equal(parseFlags(['-fno-strict-aliasing', '-fstrict-aliasing', '-funsigned-char', '-fsigned-char']).cc1, []);
  assert.equal(
    parseFlags(['-fno-strict-overflow', '-fstrict-overflow', '-fwrapv-pointer', '-fno-wrapv-pointer']).cc1,
    [],
  );
  assert.equal(parseFlags(['-fno-strict-overflow', '-fno-wrapv']).cc1, ['-fwrapv-pointer']);
  assert.ok(parseFlags(['-fno-exceptions', '-fexceptions']).exceptions);
  assert.not(parseFlags(['-fgpu-flush-denormals-to-zero', '-fno-gpu-flush-denormals-to-zero']).flushDenormals);
});

test('what concerns the host, its linker and other tools changes nothing', () => {
  const words = '-fopenmp -march=native -mavx2 -mno-sse4.2 -L/usr/lib -L x -lm -l m -Wl,-rpath,. -shared -static -s -rdynamic -stdlib=libc++ -Xarch_host -fwhatever --gcc-toolchain=/usr -fuse-ld=lld'; // prettier-ignore
  assert.equal(parseFlags(words.split(' ')).cc1, []);
  assert.equal(parseFlags(['-Xarch_device', '-DX', '-Xarch_device', '-O2']).cc1, ['-D', 'X']);
  assert.is(parseFlags(['-Xarch_device', '-O2']).optimize, '2');
  assert.throws(() => parseFlags(['-Xarch_device', '-fplugin=x']), /unknown flag '-fplugin=x'/);
});

test('what distributions and CMake packages give is taken', () => {
  const hardening =
    '-Wp,-D_FORTIFY_SOURCE=2,-UX -fstack-protector-strong -fstack-clash-protection -grecord-gcc-switches';
  assert.equal(parseFlags(hardening.split(' ')).cc1, ['-D', '_FORTIFY_SOURCE=2', '-U', 'X']);
  assert.equal(parseFlags(['-ffile-prefix-map=/a=.']).cc1, ['-fdebug-prefix-map=/a=.', '-fmacro-prefix-map=/a=.']);
  const cmake =
    '-mllvm -amdgpu-early-inline-all=true -mllvm=-amdgpu-function-calls=false --rocm-path=/opt/rocm --hip-link -ffunction-sections -fdata-sections -Wa,x -Xlinker -x -isysroot /sdk --sysroot=/sdk --genco -finput-charset=UTF-8 -integrated-as'; // prettier-ignore
  assert.equal(parseFlags(cmake.split(' ')).cc1, []);
  assert.equal(parseFlags(['-isystem/a', '-idirafterb', '-iquote.', '-includec.h', '-Xpreprocessor', '-DX']).cc1, [
    ...['-isystem', '/a', '-idirafter', 'b', '-iquote', '.', '-include', 'c.h', '-D', 'X'],
  ]);
  const opencl = parseFlags(['-target', 'amdgcn-amd-amdhsa', '-mcpu=gfx906', '-Xclang', '-finclude-default-header']);
  assert.equal([opencl.targets, opencl.cc1], [['gfx906'], []]);
  const levelOf = (level: string): string | null => parseFlags([level]).optimize;
  assert.equal(['-O', '-Og', '-O4', '-Os', '-Oz'].map(levelOf), ['1', '1', '3', 's', 'z']);
  assert.equal(['-O00', '-O02', '-O10', '-O0042'].map(levelOf), ['0', '2', '3', '3']);
  const { debug, dwarfVersion } = parseFlags(['-gdwarf-4']);
  assert.equal([debug, dwarfVersion], ['full', 4]);
});

test('what clang writes and prints beside the object is left out', () => {
  const words = '-v -save-temps --save-temps=obj -Rpass=inline -Rpass-missed=.* -Rpass-analysis=kernel-resource-usage -Rno-pass -ftime-report -ftime-report=per-pass'; // prettier-ignore
  assert.equal(parseFlags(words.split(' ')).cc1, []);
  for (const word of ['-save-tempsx', '-Rpassx', '-ftime-report=x'])
    assert.throws(() => parseFlags([word]), /unknown flag/);
  assert.is(parseFlags(['-g', '-gline-directives-only']).debug, 'directives');
});

test('settings of target ids', () => {
  const { settings, cc1 } = parseFlags(['-mxnack', '-msramecc', '-mno-xnack']);
  assert.equal([[...settings], cc1], [[['xnack', '-'], ['sramecc', '+']], []]); // prettier-ignore
  const source = { language: 'hip', mcpu: 'gfx90a', flags: ['-mxnack'] } as const;
  assert.is(completeSource('here', '', source).target, 'gfx90a:xnack+');
  // Where there is no such setting, it is off.
  assert.is(completeSource('here', '', { ...source, mcpu: 'gfx1100', flags: ['-mno-xnack'] }).target, 'gfx1100');
  assert.throws(() => completeSource('here', '', { ...source, mcpu: 'gfx1100' }), /-mxnack: gfx1100 has no xnack/);
});

test('what would change the code otherwise than clang does is refused, unless it is taken back or the level has it', () => {
  const refused = '-fgpu-rdc|-fms-compatibility|-###|-fno-vectorize|-O2 -fno-slp-vectorize|-O1 -fvectorize|-fslp-vectorize -O1|-Oz -fno-slp-vectorize|-fvectorize -fno-tree-vectorize'; // prettier-ignore
  const complete = (words: string, optimize?: 'O1' | 'O3') =>
    completeSource('here', '', {
      language: 'hip',
      mcpu: 'gfx90a',
      flags: words.split(' '),
      ...(optimize && { optimize }),
    });
  for (const words of refused.split('|')) assert.throws(() => complete(words), /is not taken: /, words);
  const taken = '-fgpu-rdc -fno-gpu-rdc|-fms-compatibility -fno-ms-compatibility|-fvectorize -fslp-vectorize|-fno-vectorize -ftree-vectorize|-O1 -fno-vectorize -fno-tree-slp-vectorize|-O0 -fno-vectorize -fslp-vectorize|-Oz -fvectorize'; // prettier-ignore
  for (const words of taken.split('|')) assert.equal(complete(words).flags.cc1, [], words);
  // The vectorizers are in the pipeline, whose level may be given for itself.
  assert.throws(() => complete('-fvectorize', 'O1'), /is not taken: /);
  assert.equal(complete('-O2 -fno-vectorize', 'O1').flags.cc1, []);
  // clang's front end tells LLVM by the loops.
  assert.equal(parseFlags(['-funroll-loops', '-fno-unroll-loops']).cc1, ['-fno-unroll-loops']);
});

test('what is not known is refused by name, and with it all that would name a file of clang', () => {
  for (const flag of [
    '-fwhatever',
    'constructor',
    '__proto__',
    '-fprofile-use=x',
    '-fplugin=x.so',
    '-mllvm',
    '-Xclang',
    '-Wp,x',
    '-fmodules',
    '-include-pch',
    '-isystem-after',
    '-dependency-file',
    '-ivfsoverlay',
    '-ftime-trace=x',
  ])
    // prettier-ignore
    assert.throws(
      () => parseFlags([flag]),
      (error: Error) => error.message.includes(`'${flag}'`) || error.message.includes(flag),
    );
  assert.throws(() => parseFlags(['-Wp,-DX,-MD,x']), /unknown flag '-Wp,-MD'/);
  assert.throws(() => parseFlags(['-mllvm=-x']), /-mllvm -x: LLVM's own options/);
  assert.throws(() => parseFlags(['--target=nvptx64-nvidia-cuda']), /unknown flag '--target nvptx64-nvidia-cuda'/);
  assert.throws(() => parseFlags(['--target=gfx906']), /--target gfx906 is no triple: .*--mcpu/);
});

test.run();

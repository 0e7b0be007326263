/** clang's flags as the driver takes them: which are known, which are refused, and what becomes of them. */
import { parseFlags } from '../../src/frontend/flags.js';
import { assert, suite } from '../support/suite.js';

const test = suite('frontend/flags', { tests: 5 });

test('flags with values, in one word or two', () => {
  const { cc1, folders, language } = parseFlags(['-DA=1', '-D', 'B', '-UC', '-Ia', '-I', 'b', '-isystem', 'c', '-xcl']);
  assert.equal(cc1, ['-D', 'A=1', '-D', 'B', '-U', 'C', '-I', 'a', '-I', 'b', '-isystem', 'c']);
  assert.equal(folders, ['a', 'b', 'c']);
  assert.is(language, 'opencl');
  assert.throws(() => parseFlags(['-I']), /the flag -I needs a value/);
});

test('levels, standards, targets, debug information', () => {
  const flags = parseFlags(['-O2', '-std=c++20', '--offload-arch=gfx906,gfx1100', '-gline-tables-only', '-O1']);
  assert.is(flags.optimize, '1');
  assert.is(flags.standard, 'c++20');
  assert.equal(flags.targets, ['gfx906', 'gfx1100']);
  assert.is(flags.debug, 'lines');
});

test("fast mathematics is what clang's driver makes of it", () => {
  const { cc1, unsafeMath, finiteMath, contract } = parseFlags(['-ffast-math']);
  assert.ok(unsafeMath && finiteMath);
  assert.is(contract, 'fast');
  for (const each of ['-menable-no-infs', '-mreassociate', '-freciprocal-math', '-ffast-math'])
    assert.ok(cc1.includes(each));
  const relaxed = parseFlags(['-cl-fast-relaxed-math']);
  assert.ok(relaxed.unsafeMath && relaxed.finiteMath);
});

test('features of processors', () => {
  const { cc1, waveSize } = parseFlags(['-mwavefrontsize64', '-mno-cumode']);
  assert.equal(cc1, ['-target-feature', '+wavefrontsize64', '-target-feature', '-cumode']);
  assert.is(waveSize, 64);
});

test('what is not known is refused by name, and with it all that would name a file of clang', () => {
  for (const flag of [
    '-fwhatever',
    '-fprofile-use=x',
    '-fplugin=x.so',
    '-load',
    '-mllvm',
    '-Xclang',
    '-Wa,x',
    '-Wl,x',
    '-Oz',
    '-fmodules',
    '-include-pch',
    '-dependency-file',
    '-ivfsoverlay',
    '-ftime-trace=x',
    '-fno-unroll-loops',
    '-march=x',
  ])
    // prettier-ignore
    assert.throws(
      () => parseFlags([flag]),
      (error: Error) => error.message.includes(`'${flag}'`) || error.message.includes(flag),
    );
});

test.run();

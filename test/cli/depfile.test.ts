/** Compilers' flags for dependency files, and the rule that is written. */
import { depfile, withDepfileFlags } from '../../src/cli/depfile.js';
import { assert, suite } from '../support/suite.js';

const test = suite('cli/depfile', { tests: 2 });

test('values may follow without a space, and -MQ escapes what -MT takes as it is', () => {
  assert.equal(
    withDepfileFlags(['compile', '-MMD', '-MFa.d', '-MT', '$(A) b', '-MQ$(A) b', '-MP', 'k.bc', '--', '-MD']),
    [
      ...['compile', '--depfile', '--depfile-path', 'a.d', '--depfile-target', '$(A) b'],
      ...['--depfile-target', '$$(A)\\ b', '--depfile-phony', 'k.bc', '--', '-MD'],
    ],
  );
  assert.equal(withDepfileFlags(['-MT']), ['--depfile-target']);
});

test('a rule is for the output, or for all targets that are named', () => {
  assert.is(depfile('x y', ['a#', '-']), 'x\\ y: \\\n  a\\#\n');
  assert.is(
    depfile('x', ['a', 'b c'], { targets: ['$(A) b', 'c'], hasPhonies: true }),
    '$(A) b c: \\\n  a \\\n  b\\ c\nb\\ c:\n',
  );
  assert.throws(() => depfile('x', ['a'], { targets: ['b\nc'] }), /has a line end/);
});

test.run();

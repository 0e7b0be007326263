/** What clang's driver says of levels. What is expected is what native clang 23 prints for the same flags. */
import { driverDiagnostics, driverLog, FAST, levelWarning } from '../../src/frontend/driver-warnings.js';
import { assert, suite } from '../support/suite.js';

const test = suite('frontend/driver-warnings', { tests: 3 });

/** What is said of `-O4`, by its severity; null: nothing. */
const severityWith = (words: string): string | null =>
  driverDiagnostics([levelWarning('4')], words.split(' '))[0]?.severity ?? null;

test('flags for warnings make an error of one, or nothing', () => {
  for (const words of [
    '',
    '-Werror -Wno-error',
    '-Werror -Wno-error=deprecated',
    '-Wno-error=deprecated -Werror',
    '-pedantic-errors',
    '-Wall -Wno-unused',
    '-Werror=unused',
  ])
    // prettier-ignore
    assert.is(severityWith(words), 'warning', words);
  for (const words of [
    '-Werror',
    '-Wno-error -Werror',
    '-Werror=deprecated',
    '-Wno-deprecated -Werror=deprecated',
    '-Werror=deprecated -Wdeprecated',
  ])
    // prettier-ignore
    assert.is(severityWith(words), 'error', words);
  for (const words of [
    '-w -Werror=deprecated',
    '-Wno-deprecated -Werror',
    '-Werror=deprecated -Wno-deprecated',
    '-Wno-everything',
    '-Wno-deprecated -Wno-error=deprecated',
  ])
    // prettier-ignore
    assert.is(severityWith(words), null, words);
  assert.is(severityWith('-Wno-deprecated -Wdeprecated'), 'warning');
  // Of `-Werror=everything`, clang makes nothing.
  assert.is(severityWith('-Werror=everything'), 'warning');
  assert.is(severityWith('-Wno-error=everything -Werror'), 'error');
});

test('a warning is in the group of its group, too', () => {
  const saidOf = (...words: string[]): number => driverDiagnostics([FAST], words).length;
  assert.equal([saidOf(), saidOf('-Wno-deprecated'), saidOf('-Wno-deprecated-ofast')], [1, 0, 0]);
  const [said] = driverDiagnostics([FAST], ['-Wno-deprecated', '-Werror=deprecated-ofast']);
  assert.equal([said?.severity, said?.option], ['error', 'deprecated-ofast']);
  assert.is(driverDiagnostics([levelWarning('4')], ['-Wno-deprecated-ofast']).length, 1);
});

test('the text is that of clang', () => {
  const logOf = (level: string, ...words: string[]): string =>
    driverLog(driverDiagnostics([levelWarning(level), null], words));
  assert.is(logOf('4'), 'warning: -O4 is equivalent to -O3 [-Wdeprecated]\n');
  assert.is(logOf('4', '-Werror'), 'error: -O4 is equivalent to -O3 [-Werror,-Wdeprecated]\n');
  const unsupported = "warning: optimization level '-O9' is not supported; using '-O3' instead\n";
  for (const word of ['-Wall', '-w', '-Werror', '-Wno-everything']) assert.is(logOf('9', word), unsupported);
});

test.run();

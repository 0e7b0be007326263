/** Functions are divided among workers in balance, completely, and always alike. */
import { divideFunctions } from '../../src/compiler/divide-functions.js';
import { assert, suite } from '../support/suite.js';

const test = suite('divide functions', { tests: 3 });

const FUNCTIONS = [5, 100, 1, 60, 40, 2].map((instructions, i) => ({ name: `f${i}`, kernel: true, instructions }));

test('the largest function goes first, each to the subset with the fewest instructions', () => {
  assert.equal(divideFunctions(FUNCTIONS, 2), [
    { except: ['f2', 'f3', 'f4', 'f5'] },
    { only: ['f2', 'f3', 'f4', 'f5'] },
  ]);
  assert.equal(divideFunctions(FUNCTIONS, 3), [
    { except: ['f3', 'f0', 'f2', 'f4', 'f5'] },
    { only: ['f3'] },
    { only: ['f0', 'f2', 'f4', 'f5'] },
  ]);
});

test('every function is in one subset, whatever the number of workers', () => {
  for (const count of [1, 2, 3, 10]) {
    const [first, ...others] = divideFunctions(FUNCTIONS, count);
    const named = others.flatMap(({ only }) => only ?? []);
    assert.equal(first!.except, named);
    assert.is(new Set(named).size, named.length);
    assert.ok(named.length < FUNCTIONS.length);
    assert.is(others.length, Math.min(count, FUNCTIONS.length) - 1);
  }
});

test('without functions there are no subsets', () => {
  assert.equal(divideFunctions([], 4), []);
});

test.run();

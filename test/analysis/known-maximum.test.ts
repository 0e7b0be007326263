/** What numbers cannot exceed. */
import { knownMaximum } from '../../src/analysis/known-maximum.js';
import { snapshot } from '../support/snapshot-builder.js';
import { assert, suite } from '../support/suite.js';

const test = suite('analysis/known-maximum', { tests: 2 });

function most(lines: string): bigint | null {
  const s = snapshot(`
    func kernel
    arg %b i8
    arg %i i32
    arg %l i64
    entry:
      ${lines}
      ret`);
  return knownMaximum(s.f, s.value('%r'));
}

test('masks, remainders, shifts and extensions say what a number cannot exceed', () => {
  assert.equal([most('%r = and %i 12'), most('%r = urem %i 12'), most('%r = lshr %i 20')], [12n, 11n, 4095n]);
  assert.is(most('%r = zext %b !type=i64'), 255n);
  assert.is(most('%x = and %b 7\n %y = zext %x !type=i32\n %r = zext %y !type=i64'), 7n);
  assert.is(most('%x = zext %b !type=i16\n %r = zext %x !type=i64'), 255n);
});

test('nothing is said of other numbers', () => {
  assert.is(most('%r = add %i 1'), null);
  assert.is(most('%r = and %i -2'), null);
  assert.is(most('%r = urem %i %i'), null);
  assert.is(most('%r = lshr %l %l'), null);
  assert.is(most('%x = zext %l !type=i128\n %r = and %x 7:i128'), null);
});

test.run();

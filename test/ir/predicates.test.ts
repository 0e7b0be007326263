/** What LLVM's numbers of predicates mean. */
import { Predicate, directionOf, isOfNext, swappedPredicate } from '../../src/ir/predicates.js';
import { assert, suite } from '../support/suite.js';

const test = suite('ir/predicates', { tests: 2 });

const FLOATS = 'false oeq ogt oge olt ole one ord uno ueq ugt uge ult ule une true'.split(' ');
const INTEGERS = 'eq ne ugt uge ult ule sgt sge slt sle'.split(' ');
const ALL = [
  ...FLOATS.map((name, p) => ({ name, p })),
  ...INTEGERS.map((name, k) => ({ name, p: Predicate.ICmpEQ + k })),
];

test('orders have a direction, and the mirrored predicate has the other one', () => {
  for (const { name, p } of ALL) {
    const isOrder = /[gl][te]$/.test(name);
    const direction = isOrder ? (name.at(-2) === 'g' ? 1 : -1) : 0;
    assert.is(directionOf(p), direction, name);
    assert.is(directionOf(swappedPredicate(p)) + direction, 0, name);
  }
});

test('greater than a number is not less than the next one', () => {
  const found = ALL.flatMap(({ name, p }) => (isOfNext(p) ? name : []));
  assert.equal(found, ['ugt', 'ule', 'sgt', 'sle']);
});

test.run();

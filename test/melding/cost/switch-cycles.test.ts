/** What a switch costs a wave as a tree and as a chain (src/melding/cost/switch-cycles.ts). */
import { chainCycles, treeCycles, type SwitchShape } from '../../../src/melding/cost/switch-cycles.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('melding/cost/switch-cycles', { tests: 6 });

/** Each kind of cost has digits of its own. */
const COSTS = { compare: 1, select: 100, mask: 10_000, parted: 1_000_000, agreed: 100_000_000 };
const cycles = (compares: number, { selects = 0, masks = 0, parted = 0, agreed = 0 }): number =>
  compares + 100 * selects + 10_000 * masks + 1_000_000 * parted + 100_000_000 * agreed;

/** Runs of which each has a destination of its own. */
const shape = (runs: number, about: Partial<SwitchShape> = {}): SwitchShape => ({
  links: [...Array(runs).keys()],
  isSelect: Array<boolean>(runs).fill(false),
  isComplete: false,
  hasDefault: false,
  ...about,
});

test('a wave that takes one way goes down the tree, and passes the chain up to there', () => {
  const third = Uint8Array.of(0, 0, 1, 0, 0);
  assert.is(treeCycles(shape(4), third, 0, COSTS), cycles(3, { agreed: 3 }));
  assert.is(chainCycles(shape(4), third, COSTS), cycles(3, { agreed: 3 }));
  const first = Uint8Array.of(1, 0, 0, 0, 0);
  assert.is(chainCycles(shape(4), first, COSTS), cycles(1, { agreed: 1 }));
});

test('a wave that takes all ways runs all of both', () => {
  const all = Uint8Array.of(1, 1, 1, 1, 0);
  assert.is(treeCycles(shape(4), all, 0, COSTS), cycles(7, { parted: 3, agreed: 4 }));
  assert.is(chainCycles(shape(4), all, COSTS), cycles(4, { parted: 3, agreed: 1 }));
});

test('the default parts only the leaf that it lies at, and passes the whole chain', () => {
  const firstAndDefault = Uint8Array.of(1, 0, 0, 0, 1);
  assert.is(treeCycles(shape(4), firstAndDefault, 0, COSTS), cycles(3, { parted: 1, agreed: 2 }));
  assert.is(treeCycles(shape(4), firstAndDefault, 4, COSTS), cycles(5, { parted: 1, agreed: 4 }));
  assert.is(chainCycles(shape(4), firstAndDefault, COSTS), cycles(4, { parted: 1, agreed: 3 }));
});

test('where the cases are all there are, leaves and the last link need no compare', () => {
  const all = Uint8Array.of(1, 1, 1, 1, 0);
  const complete = shape(4, { isComplete: true });
  assert.is(treeCycles(complete, all, 0, COSTS), cycles(3, { parted: 3 }));
  assert.is(chainCycles(complete, all, COSTS), cycles(3, { parted: 3 }));
});

test('a link that only gives a value is a select, which all threads make', () => {
  const selects = shape(3, { isSelect: [true, false, true] });
  assert.is(chainCycles(selects, Uint8Array.of(0, 1, 0, 1), COSTS), cycles(3, { selects: 2, parted: 1 }));
  assert.is(chainCycles(selects, Uint8Array.of(0, 1, 0, 0), COSTS), cycles(2, { selects: 1, agreed: 1 }));
});

test('a tree collects the threads of a destination that several leaves lead to', () => {
  const taken = Uint8Array.of(1, 1, 1, 1, 0);
  const inTurn = shape(4, { links: [0, 1, 0, 1], isSelect: [false, false] });
  // Both destinations at the root, and each subtree has one leaf of both.
  assert.is(treeCycles(inTurn, taken, 0, COSTS), cycles(7, { masks: 6, parted: 3, agreed: 4 }));
  assert.is(
    treeCycles({ ...inTurn, hasDefault: true }, taken, 0, COSTS),
    cycles(7, { masks: 9, parted: 3, agreed: 4 }),
  );
  // In the chain they are one link.
  assert.is(chainCycles(inTurn, taken, COSTS), cycles(4, { parted: 1, agreed: 1 }));
});

test.run();

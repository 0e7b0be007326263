/** What a switch costs a wave as a tree and as a chain (src/melding/cost/switch-cycles.ts). */
import { chainCycles, treeCycles, type SwitchShape } from '../../../src/melding/cost/switch-cycles.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('melding/cost/switch-cycles', { tests: 10 });

/** Each kind of cost has digits of its own. */
const COSTS = { compare: 1, select: 100, mask: 10_000, ifElse: 1_000_000, guard: 100_000_000 };
const IDLE = 10_000_000_000;
const cycles = (compares: number, { selects = 0, masks = 0, ifElses = 0, guards = 0, idle = 0 }): number =>
  compares + 100 * selects + 10_000 * masks + 1_000_000 * ifElses + 100_000_000 * guards + IDLE * idle;

/** Runs of which each has a destination of its own, with gaps everywhere. */
const shape = (runs: number, about: Partial<SwitchShape> = {}): SwitchShape => ({
  links: [...Array(runs).keys()],
  gaps: Array<boolean>(runs + 1).fill(about.isComplete !== true),
  isSelect: Array<boolean>(runs).fill(false),
  isJoin: Array<boolean>(runs).fill(false),
  idle: Array<number>(runs + 1).fill(0),
  popular: -1,
  isComplete: false,
  hasDefault: false,
  ...about,
});

test('a wave that takes one way goes down the tree, and passes the chain up to there', () => {
  const third = Uint8Array.of(0, 0, 1, 0, 0);
  assert.is(treeCycles(shape(4), third, 0, COSTS), cycles(3, { ifElses: 2, guards: 1 }));
  assert.is(chainCycles(shape(4), third, COSTS), cycles(3, { ifElses: 3 }));
  const first = Uint8Array.of(1, 0, 0, 0, 0);
  assert.is(chainCycles(shape(4), first, COSTS), cycles(1, { ifElses: 1 }));
});

test('a wave that takes all ways runs all of both', () => {
  const all = Uint8Array.of(1, 1, 1, 1, 0);
  assert.is(treeCycles(shape(4), all, 0, COSTS), cycles(7, { ifElses: 3, guards: 4 }));
  assert.is(chainCycles(shape(4), all, COSTS), cycles(4, { ifElses: 3, guards: 1 }));
});

test('the default comes to the leaf that it lies at, and passes the whole chain', () => {
  const firstAndDefault = Uint8Array.of(1, 0, 0, 0, 1);
  assert.is(treeCycles(shape(4), firstAndDefault, 0, COSTS), cycles(3, { ifElses: 2, guards: 1 }));
  assert.is(treeCycles(shape(4), firstAndDefault, 4, COSTS), cycles(5, { ifElses: 3, guards: 2 }));
  assert.is(chainCycles(shape(4), firstAndDefault, COSTS), cycles(4, { ifElses: 3, guards: 1 }));
});

test('leaves to which nothing else can come need no compare', () => {
  const all = Uint8Array.of(1, 1, 1, 1, 0);
  const complete = shape(4, { isComplete: true });
  assert.is(treeCycles(complete, all, 0, COSTS), cycles(3, { ifElses: 3 }));
  assert.is(chainCycles(complete, all, COSTS), cycles(3, { ifElses: 3 }));
  // The first leaf tells what lies in front of it, the others what lies behind them.
  const tree = (...gaps: readonly boolean[]): number => treeCycles(shape(4, { gaps }), all, 0, COSTS);
  assert.is(tree(true, false, false, false, false), cycles(4, { ifElses: 3, guards: 1 }));
  assert.is(tree(true, true, false, false, false), cycles(4, { ifElses: 3, guards: 1 }));
  assert.is(tree(false, false, true, false, true), cycles(5, { ifElses: 3, guards: 2 }));
});

test('a link that only gives a value is a select, which all threads make', () => {
  const selects = shape(3, { isSelect: [true, false, true] });
  assert.is(chainCycles(selects, Uint8Array.of(0, 1, 0, 1), COSTS), cycles(3, { selects: 2, ifElses: 1 }));
  assert.is(chainCycles(selects, Uint8Array.of(0, 1, 0, 0), COSTS), cycles(2, { selects: 1, ifElses: 1 }));
});

test('a tree collects the threads of a destination that several leaves lead to', () => {
  const taken = Uint8Array.of(1, 1, 1, 1, 0);
  const inTurn = shape(4, { links: [0, 1, 0, 1], isSelect: [false, false] });
  // Both destinations at the root, and each subtree has one leaf of both; then one branch to each.
  assert.is(treeCycles(inTurn, taken, 0, COSTS), cycles(7, { masks: 6, ifElses: 5, guards: 4 }));
  // In the chain they are one link.
  assert.is(chainCycles(inTurn, taken, COSTS), cycles(4, { ifElses: 1, guards: 1 }));
});

test('the default is such a destination if it has a block and several leaves lead to it', () => {
  const taken = Uint8Array.of(1, 1, 1, 1, 0);
  const own = (...gaps: readonly boolean[]): number =>
    treeCycles(shape(4, { hasDefault: true, gaps }), taken, 0, COSTS);
  assert.is(own(true, true, true, true, true), cycles(7, { masks: 3, ifElses: 5, guards: 4 }));
  // Only the right subtree holds leaves of it.
  assert.is(own(false, false, false, true, true), cycles(5, { masks: 2, ifElses: 5, guards: 2 }));
  assert.is(own(false, false, false, false, true), cycles(4, { ifElses: 4 }));
});

test('a case that leads to where all ways meet has nothing to branch around', () => {
  const own = { hasDefault: true, gaps: [false, false, false, true] };
  const last = Uint8Array.of(0, 0, 1, 1);
  assert.is(treeCycles(shape(3, own), last, 3, COSTS), cycles(3, { ifElses: 3 }));
  const joined = shape(3, { ...own, isJoin: [true, false, true] });
  assert.is(treeCycles(joined, last, 3, COSTS), cycles(3, { ifElses: 2, guards: 1 }));
  assert.is(chainCycles(joined, last, COSTS), cycles(3, { ifElses: 1, guards: 2 }));
  // Several leaves lead there, and it is no branch.
  const often = shape(4, { links: [0, 1, 0, 2], isSelect: [false, false, false], isJoin: [true, false, false] });
  const all = Uint8Array.of(1, 1, 1, 1, 0);
  assert.is(treeCycles(often, all, 0, COSTS), cycles(7, { ifElses: 3, guards: 4 }));
});

test('where nothing gets to the default, the tree takes the most popular destination for it', () => {
  const popular = { isComplete: true, popular: 0, isSelect: [false, false] };
  const inTurn = shape(4, { ...popular, links: [0, 1, 0, 1], idle: [0, 0, 0] });
  // Two runs are left, and something else lies in front of each, and nothing behind.
  const all = Uint8Array.of(1, 1, 1, 1, 0);
  assert.is(treeCycles(inTurn, all, 0, COSTS), cycles(2, { ifElses: 3, masks: 1 }));
  const first = Uint8Array.of(1, 0, 0, 0, 0);
  assert.is(treeCycles(inTurn, first, 0, COSTS), cycles(2, { ifElses: 3, masks: 1 }));
  // A wave that takes the last one does not come to the leaf of the other.
  assert.is(treeCycles(inTurn, Uint8Array.of(0, 0, 0, 1, 0), 0, COSTS), cycles(1, { ifElses: 2, masks: 1 }));
  assert.is(treeCycles(shape(2, { ...popular, links: [0, 0] }), Uint8Array.of(1, 0, 0), 0, COSTS), 0);
});

test('little work is no way to go around: waves without a thread for it spend it all the same', () => {
  const little = shape(4, { gaps: [false, false, true, false, true], idle: Array<number>(5).fill(IDLE) });
  const third = Uint8Array.of(0, 0, 1, 0, 0);
  // The first two are behind a branch that is not taken, and the last one behind its compare.
  assert.is(treeCycles(little, third, 0, COSTS), cycles(2, { ifElses: 2 }));
  const second = Uint8Array.of(0, 1, 0, 0, 0);
  // The first leaf needs no compare, so nothing goes around it.
  assert.is(treeCycles(little, second, 0, COSTS), cycles(3, { ifElses: 2, guards: 1, idle: 1 }));
  assert.is(chainCycles(little, third, COSTS), cycles(3, { ifElses: 3, idle: 2 }));
  // The last link leads to one of two destinations.
  const own = { ...little, hasDefault: true, gaps: [false, false, false, false, true] };
  const fourth = Uint8Array.of(0, 0, 0, 1, 0);
  assert.is(chainCycles(own, fourth, COSTS), cycles(4, { ifElses: 4, idle: 4 }));
  assert.is(treeCycles(own, fourth, 0, COSTS), cycles(3, { ifElses: 3, idle: 2 }));
});

test.run();

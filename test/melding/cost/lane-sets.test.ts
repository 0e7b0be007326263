/** Sets of lanes (src/melding/cost/lane-sets.ts). */
import { Opcode } from '../../../src/ir/snapshot.js';
import { LaneMemory } from '../../../src/melding/cost/lane-memory.js';
import {
  bitCount,
  chooseLanes,
  combined,
  compared,
  drawnBelow,
  hashedBelow,
  isCombined,
  lanesWhere,
  numbersIn,
} from '../../../src/melding/cost/lane-sets.js';
import { seedOf, uniform, uniformOf, type LaneSet, type Lanes } from '../../../src/melding/cost/lanes.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('melding/cost/lane-sets', { tests: 6 });

const memory = new LaneMemory();
const LANES = 4096;
const SHIFTS = [0, 3, 5, 6, 12];
const each = (of: (lane: number) => number, shift = 0): Lanes => ({
  numbers: Float64Array.from({ length: LANES >> shift }, (_, k) => of(k << shift)),
  shift,
});
const at = ({ numbers, shift }: Lanes, lane: number): number => numbers[lane >> shift]!;
const isIn = (set: LaneSet, lane: number): number => (set[lane >> 5]! >>> (lane & 31)) & 1;
const bits = (word: number): number[] => Array.from({ length: 32 }, (_, bit) => (word >>> bit) & 1);

test('a set holds the lanes whose numbers are not 0, and gives numbers back', () => {
  for (const shift of SHIFTS) {
    const odd = each((l) => -2 * ((l >> shift) & 1), shift);
    const set = lanesWhere(odd);
    assert.is(set.length, LANES / 32);
    for (let l = 0; l < LANES; l++) assert.is(isIn(set, l), at(odd, l) / -2);
    assert.equal(
      numbersIn(memory, set, shift),
      odd.numbers.map((x) => x / -2),
    );
    assert.is(
      set.reduce((sum, word) => sum + bitCount(word), 0),
      LANES / 2 - (shift === 12 ? LANES / 2 : 0),
    );
  }
});

test('of a condition, nobody makes numbers to get its set', () => {
  const set = Int32Array.of(5, 6);
  const condition: Lanes = {
    get numbers(): Float64Array {
      throw new Error('made');
    },
    shift: 0,
    set,
  };
  assert.is(lanesWhere(condition), set);
});

test('sets are combined lane by lane', () => {
  const [odd, third, low] = [each((l) => l & 1), each((l) => Number(l % 3 === 0)), each((l) => Number(l < 100))];
  const [a, b, c] = [lanesWhere(odd), lanesWhere(third), lanesWhere(low)];
  const cases: readonly [number, (x: number, y: number) => number][] = [
    [Opcode.And, (x, y) => x & y],
    [Opcode.Or, (x, y) => x | y],
    [Opcode.Xor, (x, y) => x ^ y],
    [Opcode.Add, (x, y) => (x + y) & 1],
    [Opcode.Sub, (x, y) => (x - y) & 1],
    [Opcode.Mul, (x, y) => x * y],
  ];
  for (const [opcode, of] of cases) {
    assert.ok(isCombined(opcode));
    const set = combined(opcode, a, b);
    for (let l = 0; l < LANES; l++) assert.is(isIn(set, l), of(at(odd, l), at(third, l)));
  }
  assert.not(isCombined(Opcode.Shl));
  const either = chooseLanes(c, a, b);
  for (let l = 0; l < LANES; l++) assert.is(isIn(either, l), l < 100 ? at(odd, l) : at(third, l));
});

test('compares know signs, widths and predicates', () => {
  const minus = each(() => -1, 12);
  const one = each(() => 1, 12);
  const holds = (predicate: number, a: Lanes, b: Lanes, range = Infinity): boolean => {
    const set = compared(predicate, a, b, 32, range);
    assert.ok(set.every((word) => word === set[0]) && (set[0] === 0 || set[0] === -1));
    return set[0] === -1;
  };
  // 34 is `ugt`, 38 `sgt`.
  assert.is(holds(34, minus, one), true);
  assert.is(holds(38, minus, one), false);
  const found = [32, 33, 34, 35, 36, 37, 38, 39, 40, 41].map((p) => Number(holds(p, one, one)));
  assert.equal(found, [1, 0, 0, 1, 0, 1, 0, 1, 0, 1]);
  // A number beyond the range is taken modulo the range.
  const nine = each(() => 9, 12);
  assert.is(holds(32, one, nine, 8), true);
  assert.is(holds(32, one, nine), false);
});

test('compares are made lane by lane, whether lanes share their numbers or not', () => {
  for (const shift of SHIFTS)
    for (const other of SHIFTS) {
      const [a, b] = [each((l) => (l * 7) % 64, shift), each((l) => (l * 5) % 48, other)];
      const set = compared(36, a, b, 32, Infinity);
      for (let l = 0; l < LANES; l++) assert.is(isIn(set, l), Number(at(a, l) < at(b, l)));
    }
});

test('lanes whose hashes are below a limit', () => {
  const sums = Int32Array.from({ length: LANES }, (_, k) => Math.imul(k, 0x12345677));
  const limit = 0.4;
  for (const shift of SHIFTS)
    for (const lane of [0, 64, 2080])
      assert.equal(
        bits(hashedBelow(sums, 0x7fffffff, shift, lane, limit * 2 ** 32)),
        bits(0).map((_, bit) => Number(uniformOf((0x7fffffff + sums[(lane + bit) >> shift]!) | 0) < limit)),
      );
  assert.equal(
    bits(drawnBelow(seedOf(9, 7), 96, limit * 2 ** 32)),
    bits(0).map((_, bit) => Number(uniform(9, 96 + bit, 7) < limit)),
  );
});

test.run();

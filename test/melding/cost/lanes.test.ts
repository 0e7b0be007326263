/** Numbers of lanes, whether lanes share their numbers or not. */
import { Opcode } from '../../../src/ir/snapshot.js';
import { LaneMemory } from '../../../src/melding/cost/lane-memory.js';
import { lanesWhere } from '../../../src/melding/cost/lane-sets.js';
import { choose, computed, drawn, isComputed, lowBits, uniform, type Lanes } from '../../../src/melding/cost/lanes.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('melding/cost/lanes', { tests: 5 });

const memory = new LaneMemory();
const LANES = 4096;
const each = (of: (lane: number) => number, shift = 0): Lanes => ({
  numbers: Float64Array.from({ length: LANES >> shift }, (_, k) => of(k << shift)),
  shift,
});
const at = ({ numbers, shift }: Lanes, lane: number): number => numbers[lane >> shift]!;
const all = (lanes: Lanes): number[] => Array.from({ length: LANES }, (_, lane) => at(lanes, lane));

test('operations are done lane by lane, and once for lanes that share their numbers', () => {
  const lane = each((l) => 1 + (l % 64));
  const wave = each((l) => 3 + (l >> 6), 6);
  const three = each(() => 3, 12);
  const cases: readonly [number, (a: number, b: number) => number][] = [
    [Opcode.Add, (a, b) => a + b],
    [Opcode.Sub, (a, b) => a - b],
    [Opcode.Mul, (a, b) => a * b],
    [Opcode.And, (a, b) => a & b],
    [Opcode.URem, (a, b) => a % b],
    [Opcode.SDiv, (a, b) => Math.trunc(a / b)],
  ];
  for (const [opcode, operation] of cases)
    for (const [a, b] of [
      [lane, wave],
      [wave, lane],
      [wave, three],
      [three, three],
    ] as const)
      assert.equal(
        all(computed(memory, opcode, a, b)),
        all(a).map((x, l) => operation(x, at(b, l))),
      );
  assert.is(computed(memory, Opcode.Add, wave, three).numbers.length, 64);
  assert.is(computed(memory, Opcode.Add, three, three).numbers.length, 1);
  assert.equal(
    all(
      computed(
        memory,
        Opcode.URem,
        lane,
        each(() => 0, 12),
      ),
    ),
    all(each(() => 0)),
  );
  assert.not.ok(isComputed(Opcode.Load));
});

test('one number or another', () => {
  for (const shift of [0, 3, 5, 6, 12]) {
    const odd = each((l) => (l >> shift) & 1, shift);
    const either = choose(
      memory,
      lanesWhere(odd),
      each((l) => l),
      each(() => -1, 12),
    );
    assert.equal(
      all(either),
      all(odd).map((x, l) => (x === 1 ? l : -1)),
    );
  }
});

test('numbers are drawn from their whole range', () => {
  const { numbers } = drawn(memory, 7, LANES, 4);
  for (let lane = 0; lane < LANES; lane++) assert.is(numbers[lane], Math.floor(uniform(7, lane, 1) * 4));
  for (let x = 0; x < 4; x++) assert.ok(Math.abs(numbers.filter((each) => each === x).length - LANES / 4) < 150);
});

test('low bits are unsigned', () => {
  assert.equal(
    [
      ...lowBits(
        memory,
        each(() => -1, 12),
        8,
      ).numbers,
    ],
    [255],
  );
  assert.equal(
    [
      ...lowBits(
        memory,
        each(() => 2 ** 40 + 5, 12),
        8,
      ).numbers,
    ],
    [5],
  );
});

test('memory that is given back is lent again, and not before', () => {
  const first = new LaneMemory();
  const [a, b] = [first.take(48), first.take(48)];
  assert.ok(a !== b && a.length === 48);
  const second = new LaneMemory();
  assert.not([a, b].includes(second.take(48)));
  first.release();
  const again = second.take(48);
  assert.ok([a, b].includes(again));
  assert.not(second.take(48) === again);
  const words = first.takeWords(48);
  first.release();
  assert.is(second.takeWords(48), words);
});

test.run();

/** The hashes of what data come from (src/melding/cost/roots.ts). */
import { LaneMemory } from '../../../src/melding/cost/lane-memory.js';
import { LAUNCHES, MIX, uniformOf, type Lanes } from '../../../src/melding/cost/lanes.js';
import { Roots } from '../../../src/melding/cost/roots.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('melding/cost/roots', { tests: 6 });

const memory = new LaneMemory();
const none = (): Roots => Roots.none(8, memory);
const LANES = 4096;
const each = (of: (lane: number) => number, shift = 0): Lanes => ({
  numbers: Float64Array.from({ length: LANES >> shift }, (_, k) => of(k << shift)),
  shift,
});
const at = ({ numbers, shift }: Lanes, lane: number): number => numbers[lane >> shift]!;

/** By lane, the hash as a number from 0 up to 1. */
function hashes(roots: Roots, seed: number): number[] {
  const { start, sums, shift } = roots.keys(seed);
  return Array.from({ length: LANES }, (_, lane) => uniformOf(start + sums[lane >> shift]!));
}

test('hashes are alike in lanes with the same numbers in all of a set', () => {
  const [a, b] = [each((l) => l % 4), each((l) => (l >> 2) % 4)];
  const found = hashes(none().with(a).with(b), 7);
  for (let l = 0; l < LANES; l++)
    for (const other of [l ^ 1, l ^ 16, l ^ 4]) {
      const isSame = at(a, l) === at(a, other) && at(b, l) === at(b, other) && l >> 8 === other >> 8;
      assert.is(found[l] === found[other], isSame);
    }
  // They differ between launches, whatever they come from.
  const launches = each(() => 3, 12);
  assert.is(new Set(hashes(none().with(launches), 7)).size, LAUNCHES);
});

test('hashes are spread over the whole range, and differ between seeds', () => {
  const roots = none().with(each((l) => l % 256));
  const [one, two] = [hashes(roots, 1), hashes(roots, 2)];
  for (const found of [one, two]) {
    const quarters = [0, 0, 0, 0];
    for (const x of found) quarters[Math.floor(x * 4)]!++;
    for (const count of quarters) assert.ok(Math.abs(count - LANES / 4) < 150, String(count));
  }
  assert.ok(one.filter((x, l) => x === two[l]).length < 10);
});

test('a list exists once, whatever it is put together from', () => {
  const empty = none();
  const [a, b, c] = [each((l) => l), each((l) => l >> 1), each((l) => l >> 6, 6)];
  const whole = empty.with(a).with(b).with(c);
  assert.is(empty.with(a).with(b).and(empty.with(b).with(c)), whole);
  assert.is(empty.and(whole), whole);
  assert.is(whole.and(empty.with(a)), whole);
  assert.is(whole.with(b), whole);
});

test('hashes do not depend on which sets were asked before', () => {
  const [wave, lane, two] = [each((l) => l >> 6, 6), each((l) => (l * 7) % 64), each((l) => l >> 1, 1)];
  const build = (): Roots[] => {
    const first = none().with(wave);
    return [first, first.with(lane), first.with(lane).with(two)];
  };
  const inOrder = build().map((roots) => hashes(roots, 3));
  const reversed = build()
    .reverse()
    .map((roots) => hashes(roots, 3));
  assert.equal(inOrder, reversed.reverse());
});

test('hashes are those of one number after the other', () => {
  const random = mulberry(5);
  for (let round = 0; round < 20; round++) {
    const numbers = Array.from({ length: 1 + Math.floor(random() * 6) }, () => {
      const shift = Math.floor(random() * 10);
      const range = 2 ** Math.floor(random() * 34);
      return each(() => Math.floor(random() * range) - (random() < 0.2 ? range / 2 : 0), shift);
    });
    const roots = numbers.reduce((all, lanes) => all.with(lanes), none());
    const shift = Math.min(8, ...numbers.map((lanes) => lanes.shift));
    const expected = Array.from({ length: LANES >> shift }, (_, k) => {
      let word = 11 + Math.imul((k << shift) >> 8, MIX);
      for (const lanes of numbers) word = Math.imul(word, MIX) + (at(lanes, k << shift) | 0);
      return uniformOf(word);
    });
    const { start, sums } = roots.keys(11);
    assert.is(roots.keys(11).shift, shift);
    assert.equal(
      Array.from(sums, (sum) => uniformOf(start + sum)),
      expected,
    );
  }
});

test('a list does not grow without bound, but threads stay apart', () => {
  let roots = none();
  for (let k = 0; k < 1000; k++) roots = roots.with(each(() => k, 12));
  assert.is(roots.with(each(() => 1000, 12)), roots);
  const threads = each((l) => l % 64);
  const apart = roots.with(threads);
  assert.not(apart === roots);
  assert.ok(new Set(hashes(apart, 1).slice(0, 64)).size > 60);
  assert.is(apart.and(none().with(each((l) => l >> 1))), apart);
});

/** A generator of numbers from 0 up to 1. */
function mulberry(seed: number): () => number {
  let state = seed;
  return () => uniformOf((state = (state + 0x6d2b79f5) | 0));
}

test.run();

/** The hashes of what data come from (src/melding/cost/roots.ts). */
import { LaneMemory } from '../../../src/melding/cost/lane-memory.js';
import { LAUNCHES, uniformOf, type Lanes } from '../../../src/melding/cost/lanes.js';
import { Roots } from '../../../src/melding/cost/roots.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('melding/cost/roots', { tests: 5 });

const memory = new LaneMemory();
const LANES = 4096;
const each = (of: (lane: number) => number, shift = 0): Lanes => ({
  numbers: Float64Array.from({ length: LANES >> shift }, (_, k) => of(k << shift)),
  shift,
});
const at = ({ numbers, shift }: Lanes, lane: number): number => numbers[lane >> shift]!;

/** By lane, the hash as a number from 0 up to 1. */
function hashes(roots: Roots, seed: number): number[] {
  const { start, sums, shift } = roots.keys(seed, 8, memory);
  return Array.from({ length: LANES }, (_, lane) => uniformOf(start + sums[lane >> shift]!));
}

test('hashes are alike in lanes with the same numbers in all of a set', () => {
  const [a, b] = [each((l) => l % 4), each((l) => (l >> 2) % 4)];
  const found = hashes(Roots.none().with(a).with(b), 7);
  for (let l = 0; l < LANES; l++)
    for (const other of [l ^ 1, l ^ 16, l ^ 4]) {
      const isSame = at(a, l) === at(a, other) && at(b, l) === at(b, other) && l >> 8 === other >> 8;
      assert.is(found[l] === found[other], isSame);
    }
  // They differ between launches, whatever they come from.
  const launches = each(() => 3, 12);
  assert.is(new Set(hashes(Roots.none().with(launches), 7)).size, LAUNCHES);
});

test('hashes are spread over the whole range, and differ between seeds', () => {
  const roots = Roots.none().with(each((l) => l % 256));
  const [one, two] = [hashes(roots, 1), hashes(roots, 2)];
  for (const found of [one, two]) {
    const quarters = [0, 0, 0, 0];
    for (const x of found) quarters[Math.floor(x * 4)]!++;
    for (const count of quarters) assert.ok(Math.abs(count - LANES / 4) < 150, String(count));
  }
  assert.ok(one.filter((x, l) => x === two[l]).length < 10);
});

test('a set exists once, whatever it is put together from', () => {
  const none = Roots.none();
  const [a, b, c] = [each((l) => l), each((l) => l >> 1), each((l) => l >> 6, 6)];
  const whole = none.with(a).with(b).with(c);
  assert.is(none.with(a).with(b).and(none.with(b).with(c)), whole);
  assert.is(none.and(whole), whole);
  assert.is(whole.and(none.with(a)), whole);
  assert.is(whole.with(b), whole);
});

test('hashes do not depend on which sets were asked before', () => {
  const [wave, lane, two] = [each((l) => l >> 6, 6), each((l) => (l * 7) % 64), each((l) => l >> 1, 1)];
  const build = (): Roots[] => {
    const first = Roots.none().with(wave);
    return [first, first.with(lane), first.with(lane).with(two)];
  };
  const inOrder = build().map((roots) => hashes(roots, 3));
  const reversed = build()
    .reverse()
    .map((roots) => hashes(roots, 3));
  assert.equal(inOrder, reversed.reverse());
});

test('a set does not grow without bound', () => {
  let roots = Roots.none();
  for (let k = 0; k < 10_000; k++) roots = roots.with(each(() => k, 12));
  const full = roots;
  assert.is(full.with(each((l) => l)), full);
  assert.is(
    full.and(
      Roots.none()
        .with(each((l) => l))
        .with(each((l) => l >> 1)),
    ),
    full,
  );
});

test.run();

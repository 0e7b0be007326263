/** Sets of the lanes of sampled waves (wave-samples.ts): those in which a condition holds, combined word by word. */
import { Predicate, isUnsigned } from '../../ir/predicates.js';
import { Opcode } from '../../ir/snapshot.js';
import type { LaneMemory } from './lane-memory.js';
import { STEP, WAVES, mixed, type LaneSet, type Lanes } from './lanes.js';

/** The lanes whose numbers are not 0. */
export function lanesWhere(lanes: Lanes): LaneSet {
  // The numbers of a condition are only made where somebody reads them.
  if (lanes.set !== undefined) return lanes.set;
  const { numbers, shift } = lanes;
  for (let k = 0; k < numbers.length; k++) holds[k] = numbers[k] === 0 ? 0 : 1;
  return setOf(numbers.length, shift);
}

/** By number, whether a test of it holds: the tests here write it, and `setOf` reads it. Waves have up to 64 lanes. */
const holds = new Uint8Array(WAVES * 64);

/** The lanes in which the test holds. @param count of the numbers @param shift of the numbers */
function setOf(count: number, shift: number): LaneSet {
  const set = new Int32Array((count << shift) >> 5);
  if (shift >= 5) for (let w = 0; w < set.length; w++) set[w] = -holds[w >> (shift - 5)]!;
  else for (let w = 0; w < set.length; w++) set[w] = wordOf(w * 32, shift);
  return set;
}

function wordOf(lane: number, shift: number): number {
  let word = 0;
  for (let bit = 0; bit < 32; bit++) word |= holds[(lane + bit) >> shift]! << bit;
  return word;
}

/** 1 in the lanes of a set, 0 in all others. @param shift of a set that is the same for so many lanes */
export function numbersIn(memory: LaneMemory, set: LaneSet, shift: number): Float64Array {
  const numbers = memory.take((set.length * 32) >> shift);
  for (let k = 0; k < numbers.length; k++) numbers[k] = (set[(k << shift) >> 5]! >>> ((k << shift) & 31)) & 1;
  return numbers;
}

/** How many bits of a word are set. */
export function bitCount(word: number): number {
  word -= (word >>> 1) & 0x55555555;
  word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
  return Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

export const complement = (set: LaneSet): LaneSet => set.map((lanes) => ~lanes);

/** The lanes of `a` that are in the set, and those of `b` that are not. */
export const chooseLanes = (set: LaneSet, a: LaneSet, b: LaneSet): LaneSet =>
  set.map((lanes, w) => (lanes & a[w]!) | (~lanes & b[w]!));

/** Whether an operation on conditions is done with their sets. */
export const isCombined = (opcode: number): boolean => COMBINED.has(opcode);

/** Such an operation. */
export const combined = (opcode: number, a: LaneSet, b: LaneSet): LaneSet => COMBINED.get(opcode)!(a, b);

const both = (a: LaneSet, b: LaneSet): LaneSet => a.map((lanes, w) => lanes & b[w]!);
const any = (a: LaneSet, b: LaneSet): LaneSet => a.map((lanes, w) => lanes | b[w]!);
const one = (a: LaneSet, b: LaneSet): LaneSet => a.map((lanes, w) => lanes ^ b[w]!);

/** Arithmetic on one bit is one of these, too. */
const COMBINED: ReadonlyMap<number, (a: LaneSet, b: LaneSet) => LaneSet> = new Map([
  [Opcode.And, both],
  [Opcode.Mul, both],
  [Opcode.Or, any],
  [Opcode.Xor, one],
  [Opcode.Add, one],
  [Opcode.Sub, one],
]);

/**
 * The lanes in which a compare of integers holds.
 *
 * @param range numbers of `b` from here on are taken modulo this
 */
export function compared(predicate: number, a: Lanes, b: Lanes, bits: number, range: number): LaneSet {
  const shift = Math.min(a.shift, b.shift);
  const [x, y, down, across] = [a.numbers, b.numbers, a.shift - shift, b.shift - shift];
  const wrap = isUnsigned(predicate) ? 2 ** Math.min(bits, 53) : 0;
  const count = Math.max(x.length, y.length);
  const outcomes = OUTCOMES[predicate - Predicate.ICmpEQ]!;
  for (let k = 0; k < count; k++) {
    let p = x[k >> down]!;
    let q = y[k >> across]!;
    if (p < 0) p += wrap;
    if (q < 0) q += wrap;
    if (q >= range) q %= range;
    holds[k] = (outcomes >> (p < q ? 0 : p === q ? 1 : p > q ? 2 : 3)) & 1;
  }
  return setOf(count, shift);
}

/** By predicate, from `eq` on: bit 0 for less, bit 1 for equal, bit 2 for greater, bit 3 for what is no number. */
const OUTCOMES = Int32Array.of(0b0010, 0b1101, 0b100, 0b110, 0b001, 0b011, 0b100, 0b110, 0b001, 0b011);

/** Of 32 lanes from `lane` on, those whose hash, a word without sign, is below `end`. @param sums as in roots.ts */
export function hashedBelow(sums: Int32Array, start: number, shift: number, lane: number, end: number): number {
  if (shift >= 5) return mixed(start + sums[lane >> shift]!) < end ? -1 : 0;
  let word = 0;
  for (let bit = 0; bit < 32; bit++) if (mixed((start + sums[(lane + bit) >> shift]!) | 0) < end) word |= 1 << bit;
  return word;
}

/** The same for the hash of the number of the lane, as in `uniform`. @param seed as of `seedOf` */
export function drawnBelow(seed: number, lane: number, end: number): number {
  let word = 0;
  for (let bit = 0; bit < 32; bit++) if (mixed(seed ^ Math.imul(lane + bit + 1, STEP)) < end) word |= 1 << bit;
  return word;
}

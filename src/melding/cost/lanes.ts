/**
 * Numbers of the lanes of sampled waves (wave-samples.ts). Neighbouring lanes often share a number, because it is the
 * same for a wave, a launch, or always. It is stored once then, and arithmetic on it is done once.
 */
import { Opcode } from '../../ir/snapshot.js';
import { CostModel } from './cost-model.js';
import type { LaneMemory } from './lane-memory.js';

export const LAUNCHES = 16;
export const WAVES_PER_LAUNCH = 4;
export const WAVES = LAUNCHES * WAVES_PER_LAUNCH;

/** A set of lanes: bit `l % 32` of word `l / 32`. */
export type LaneSet = Int32Array;

/** One number per lane. Lane `l` has `numbers[l >> shift]`. */
export interface Lanes {
  readonly numbers: Float64Array;
  readonly shift: number;
  /** The lanes whose numbers are not 0, where that is known without them. */
  readonly set?: LaneSet;
}

/** Lane by lane, the number of `a` or, for lanes outside of the set, that of `b`. */
export function choose(memory: LaneMemory, set: LaneSet, a: Lanes, b: Lanes): Lanes {
  const numbers = memory.take(set.length * 32);
  const [x, y, down, across] = [a.numbers, b.numbers, a.shift, b.shift];
  for (let w = 0, lane = 0; w < set.length; w++)
    for (let word = set[w]!, end = lane + 32; lane < end; lane++, word >>>= 1)
      numbers[lane] = (word & 1) === 1 ? x[lane >> down]! : y[lane >> across]!;
  return { numbers, shift: 0 };
}

/** Whether an operation on integers is followed. */
export const isComputed = (opcode: number): boolean => COMPUTED.has(opcode);

/** Such an operation. On doubles: exact up to 53 bits; operations on bits see the low 32. */
export function computed(memory: LaneMemory, opcode: number, a: Lanes, b: Lanes): Lanes {
  const shift = Math.min(a.shift, b.shift);
  const [x, y, down, across] = [a.numbers, b.numbers, a.shift - shift, b.shift - shift];
  const numbers = memory.take(Math.max(x.length, y.length));
  const size = numbers.length;
  // The operations that addresses consist of have loops of their own: there are many of them.
  switch (opcode) {
    case Opcode.Add:
      for (let k = 0; k < size; k++) numbers[k] = x[k >> down]! + y[k >> across]!;
      break;
    case Opcode.And:
      for (let k = 0; k < size; k++) numbers[k] = x[k >> down]! & y[k >> across]!;
      break;
    case Opcode.Shl:
      for (let k = 0; k < size; k++) numbers[k] = x[k >> down]! * POWERS[y[k >> across]! & 63]!;
      break;
    default:
      for (let k = 0; k < size; k++) numbers[k] = compute(opcode, x[k >> down]!, y[k >> across]!);
  }
  return { numbers, shift };
}

const COMPUTED: ReadonlySet<number> = new Set([
  Opcode.Add,
  Opcode.Sub,
  Opcode.Mul,
  Opcode.Shl,
  Opcode.LShr,
  Opcode.AShr,
  Opcode.And,
  Opcode.Or,
  Opcode.Xor,
  Opcode.UDiv,
  Opcode.SDiv,
  Opcode.URem,
  Opcode.SRem,
]);
const POWERS = Float64Array.from({ length: 64 }, (_, exponent) => 2 ** exponent);

function compute(opcode: number, a: number, b: number): number {
  switch (opcode) {
    case Opcode.Add:
      return a + b;
    case Opcode.Sub:
      return a - b;
    case Opcode.Mul:
      return a * b;
    case Opcode.Shl:
      return a * POWERS[b & 63]!;
    case Opcode.LShr:
      return Math.floor((a < 0 ? a + 2 ** 32 : a) / POWERS[b & 63]!);
    case Opcode.AShr:
      return Math.floor(a / POWERS[b & 63]!);
    case Opcode.And:
      return a & b;
    case Opcode.Or:
      return a | b;
    case Opcode.Xor:
      return a ^ b;
    case Opcode.UDiv:
    case Opcode.SDiv:
      return Math.trunc(a / (b || 1));
    default:
      return remainder(a, b || 1);
  }
}

/** Short integers have a fast remainder. */
const remainder = (a: number, b: number): number => ((a | 0) === a && (b | 0) === b ? (a | 0) % (b | 0) : a % b);

/** The low bits of numbers, as unsigned integers. */
export function lowBits(memory: LaneMemory, { numbers, shift }: Lanes, bits: number): Lanes {
  const size = 2 ** bits;
  const low = memory.take(numbers.length);
  for (let k = 0; k < low.length; k++) low[k] = numbers[k]! - Math.floor(numbers[k]! / size) * size;
  return { numbers: low, shift };
}

/** A number below `range` for each lane, drawn for a value. */
export function drawn(memory: LaneMemory, v: number, lanes: number, range: number): Lanes {
  const numbers = memory.take(lanes);
  const seed = seedOf(v, 1);
  const scale = range / 2 ** 32;
  for (let lane = 0; lane < lanes; lane++) numbers[lane] = Math.floor(mixed(seed ^ Math.imul(lane + 1, STEP)) * scale);
  return { numbers, shift: 0 };
}

/** A hash of three whole numbers and of the drawing, from 0 up to 1. */
export const uniform = (a: number, b: number, c: number): number => uniformOf(seedOf(a, c) ^ Math.imul(b + 1, STEP));

/** The same for many numbers `b`: this is what does not depend on them. `STEP` goes with `b + 1`. */
export const seedOf = (a: number, c: number): number =>
  Math.imul(a + 1, MIX) ^ Math.imul(c + 16 * CostModel.drawing, 0xc2b2ae3d);

/** For hashes of consecutive numbers. */
export const STEP = 0x85ebca77 | 0;

/** For hashes. */
export const MIX = 0x9e3779b1 | 0;

/** From 0 up to 1, of a word. */
export const uniformOf = (word: number): number => mixed(word) / 2 ** 32;

/** The finaliser of MurmurHash3: an unsigned word. */
export function mixed(word: number): number {
  let h = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

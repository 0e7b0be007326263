/**
 * Minimum, maximum and median as AMD's vector ALU defines them, on bit patterns, so that NaNs keep their payloads.
 *
 * From the pseudo-code of the Vega, CDNA and RDNA 2 and 3 ISA documents: with IEEE mode on, a signalling NaN (src0's
 * before src1's) is quieted and returned; otherwise the operand that is not a NaN is returned (of two NaNs src1,
 * unchanged), and -0 is less than +0.
 *
 * Patterns are unsigned: u16 and u32. The binary64 functions take (high, low) words and say which operand is the
 * result, as a `Selection`. Denormals are ordinary values. v_min and v_max flush their inputs like all operations;
 * callers do that.
 */
import { specialize } from '../specialize.js';
import { isNaN16, isNaN32, isNaN64, isSignalling16, isSignalling32, isSignalling64, quiet16, quiet32 } from './nan.js';

type Binary = (a: number, b: number, ieee: boolean) => number;
type Ternary = (a: number, b: number, c: number, ieee: boolean) => number;

interface Extrema {
  readonly min: Binary;
  readonly max: Binary;
  readonly min3: Ternary;
  readonly max3: Ternary;
  readonly med3: Ternary;
}

/** The functions of one format. @param magnitude all bits but the sign */
function extrema(
  magnitude: number,
  isNaN: (bits: number) => boolean,
  isSignalling: (bits: number) => boolean,
  quiet: (bits: number) => number,
): Extrema {
  /** The order of the non-NaN values as that of signed integers, -0 below +0. */
  const order = (bits: number): number => ((bits & ~magnitude) !== 0 ? ~(bits & magnitude) : bits | 0);
  /** Equality of non-NaN values: zeros are equal. */
  const equal = (a: number, b: number): boolean => a === b || ((a | b) & magnitude) === 0;
  const ofNaN: Binary = (a, b, ieee) => {
    if (ieee) {
      if (isSignalling(a)) return quiet(a);
      if (isSignalling(b)) return quiet(b);
    }
    return isNaN(a) ? b : a;
  };
  const min: Binary = (a, b, ieee) => {
    if (isNaN(a) || isNaN(b)) return ofNaN(a, b, ieee);
    return order(a) < order(b) ? a : b;
  };
  const max: Binary = (a, b, ieee) => {
    if (isNaN(a) || isNaN(b)) return ofNaN(a, b, ieee);
    return order(a) > order(b) ? a : b;
  };
  const min3: Ternary = (a, b, c, ieee) => min(min(a, b, ieee), c, ieee);
  const max3: Ternary = (a, b, c, ieee) => max(max(a, b, ieee), c, ieee);
  /** With a NaN operand the minimum, else the maximum of the two that are left without one that equals the maximum. */
  const med3: Ternary = (a, b, c, ieee) => {
    if (isNaN(a) || isNaN(b) || isNaN(c)) return min3(a, b, c, ieee);
    const most = max3(a, b, c, ieee);
    if (equal(most, a)) return max(b, c, ieee);
    return equal(most, b) ? max(a, c, ieee) : max(a, b, ieee);
  };
  return { min, max, min3, max3, med3 };
}

export const {
  min: minF32,
  max: maxF32,
  min3: min3F32,
  max3: max3F32,
  med3: med3F32,
} = specialize(extrema)(0x7fffffff, isNaN32, isSignalling32, quiet32);

export const {
  min: minF16,
  max: maxF16,
  min3: min3F16,
  max3: max3F16,
  med3: med3F16,
} = specialize(extrema)(0x7fff, isNaN16, isSignalling16, quiet16);

/** The order of the high words of non-NaN values as that of signed integers, -0 below +0. */
const orderHigh = (bits: number): number => (bits >> 31 === 0 ? bits | 0 : ~(bits & 0x7fffffff));

/** Which operand is the result; `…Quieted` if its quiet bit is to be set. */
export const Selection = { First: 0, Second: 1, FirstQuieted: 2, SecondQuieted: 3 } as const;
export type Selection = (typeof Selection)[keyof typeof Selection];

/** v_min_f64 of (high, low) words. */
export function minF64(aHigh: number, aLow: number, bHigh: number, bLow: number, ieee: boolean): Selection {
  const nan = nanMinMax64(aHigh, aLow, bHigh, bLow, ieee);
  if (nan !== null) return nan;
  return isLess64(aHigh, aLow, bHigh, bLow) ? Selection.First : Selection.Second;
}

/** v_max_f64 of (high, low) words. */
export function maxF64(aHigh: number, aLow: number, bHigh: number, bLow: number, ieee: boolean): Selection {
  const nan = nanMinMax64(aHigh, aLow, bHigh, bLow, ieee);
  if (nan !== null) return nan;
  return isLess64(bHigh, bLow, aHigh, aLow) ? Selection.First : Selection.Second;
}

/** Strictly less, -0 below +0; no NaNs. */
function isLess64(aHigh: number, aLow: number, bHigh: number, bLow: number): boolean {
  const a = orderHigh(aHigh);
  const b = orderHigh(bHigh);
  if (a !== b) return a < b;
  // Of equal signs: the low words decide, the other way round for negative values.
  return aHigh >> 31 === 0 ? aLow >>> 0 < bLow >>> 0 : aLow >>> 0 > bLow >>> 0;
}

function nanMinMax64(aHigh: number, aLow: number, bHigh: number, bLow: number, ieee: boolean): Selection | null {
  const aNaN = isNaN64(aHigh, aLow);
  if (!aNaN && !isNaN64(bHigh, bLow)) return null;
  if (ieee) {
    if (isSignalling64(aHigh, aLow)) return Selection.FirstQuieted;
    if (isSignalling64(bHigh, bLow)) return Selection.SecondQuieted;
  }
  return aNaN ? Selection.Second : Selection.First;
}

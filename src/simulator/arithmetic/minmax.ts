/**
 * Minimum, maximum and median as AMD's vector ALU defines them, on bit patterns, so that NaNs keep their payloads.
 *
 * From the pseudo-code of the Vega, CDNA and RDNA2/3 ISA documents: with IEEE mode on, a signalling NaN (src0's before src1's)
 * is quieted and returned; otherwise a NaN loses against the other operand, whatever that is (of two NaNs src1 is returned as
 * it is), and -0 is less than +0. The functions named `…Num` and `…imum` are gfx12's, which has no IEEE mode: IEEE 754-2019's
 * minimumNumber (two NaNs give src0, quieted) and minimum (a NaN wins, quieted, a signalling one first).
 *
 * Patterns are unsigned: u16 and u32. The binary64 functions take (high, low) words and say which operand is the result, as a
 * `Selection`. Denormals are ordinary values; v_min and v_max flush inputs like all operations, which is the caller's.
 */
import { isNaN16, isNaN32, isNaN64, isSignalling16, isSignalling32, isSignalling64, quiet16, quiet32 } from './nan.js';

/** The order of the non-NaN values as that of signed integers, -0 below +0. */
function order16(bits: number): number {
  return (bits & 0x8000) !== 0 ? ~(bits & 0x7fff) : bits;
}

function order32(bits: number): number {
  return bits >> 31 === 0 ? bits | 0 : ~(bits & 0x7fffffff);
}

export function minF32(a: number, b: number, ieee: boolean): number {
  if (isNaN32(a) || isNaN32(b)) return nanMinMax32(a, b, ieee);
  return order32(a) < order32(b) ? a : b;
}

export function maxF32(a: number, b: number, ieee: boolean): number {
  if (isNaN32(a) || isNaN32(b)) return nanMinMax32(a, b, ieee);
  return order32(a) > order32(b) ? a : b;
}

export function min3F32(a: number, b: number, c: number, ieee: boolean): number {
  return minF32(minF32(a, b, ieee), c, ieee);
}

export function max3F32(a: number, b: number, c: number, ieee: boolean): number {
  return maxF32(maxF32(a, b, ieee), c, ieee);
}

/** With a NaN operand the minimum, else what is left of the three without (one that equals) the maximum, maximised. */
export function med3F32(a: number, b: number, c: number, ieee: boolean): number {
  if (isNaN32(a) || isNaN32(b) || isNaN32(c)) return min3F32(a, b, c, ieee);
  const most = max3F32(a, b, c, ieee);
  if (equal32(most, a)) return maxF32(b, c, ieee);
  return equal32(most, b) ? maxF32(a, c, ieee) : maxF32(a, b, ieee);
}

/** Equality of non-NaN values: zeros are equal. */
function equal32(a: number, b: number): boolean {
  return a === b || ((a | b) & 0x7fffffff) === 0;
}

function nanMinMax32(a: number, b: number, ieee: boolean): number {
  if (ieee) {
    if (isSignalling32(a)) return quiet32(a);
    if (isSignalling32(b)) return quiet32(b);
  }
  return isNaN32(a) ? b : a;
}

export function minF16(a: number, b: number, ieee: boolean): number {
  if (isNaN16(a) || isNaN16(b)) return nanMinMax16(a, b, ieee);
  return order16(a) < order16(b) ? a : b;
}

export function maxF16(a: number, b: number, ieee: boolean): number {
  if (isNaN16(a) || isNaN16(b)) return nanMinMax16(a, b, ieee);
  return order16(a) > order16(b) ? a : b;
}

export function min3F16(a: number, b: number, c: number, ieee: boolean): number {
  return minF16(minF16(a, b, ieee), c, ieee);
}

export function max3F16(a: number, b: number, c: number, ieee: boolean): number {
  return maxF16(maxF16(a, b, ieee), c, ieee);
}

/** As `med3F32`. */
export function med3F16(a: number, b: number, c: number, ieee: boolean): number {
  if (isNaN16(a) || isNaN16(b) || isNaN16(c)) return min3F16(a, b, c, ieee);
  const most = max3F16(a, b, c, ieee);
  if (equal16(most, a)) return maxF16(b, c, ieee);
  return equal16(most, b) ? maxF16(a, c, ieee) : maxF16(a, b, ieee);
}

function equal16(a: number, b: number): boolean {
  return a === b || ((a | b) & 0x7fff) === 0;
}

function nanMinMax16(a: number, b: number, ieee: boolean): number {
  if (ieee) {
    if (isSignalling16(a)) return quiet16(a);
    if (isSignalling16(b)) return quiet16(b);
  }
  return isNaN16(a) ? b : a;
}

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
  const a = order32(aHigh);
  const b = order32(bHigh);
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

/** gfx12's v_min_num_f32. */
export function minNumF32(a: number, b: number): number {
  return isNaN32(a) && isNaN32(b) ? quiet32(a) : minF32(a, b, false);
}

/** gfx12's v_max_num_f32. */
export function maxNumF32(a: number, b: number): number {
  return isNaN32(a) && isNaN32(b) ? quiet32(a) : maxF32(a, b, false);
}

/** gfx12's v_minimum_f32. */
export function minimumF32(a: number, b: number): number {
  return isNaN32(a) || isNaN32(b) ? winningNaN32(a, b) : minF32(a, b, false);
}

/** gfx12's v_maximum_f32. */
export function maximumF32(a: number, b: number): number {
  return isNaN32(a) || isNaN32(b) ? winningNaN32(a, b) : maxF32(a, b, false);
}

function winningNaN32(a: number, b: number): number {
  if (isSignalling32(a)) return quiet32(a);
  if (isSignalling32(b)) return quiet32(b);
  return isNaN32(a) ? a : b;
}

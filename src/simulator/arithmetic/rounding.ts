/**
 * Arithmetic on binary32 (and binary16) values in doubles, rounded once, in any of the four rounding modes of the
 * hardware.
 *
 * Each operation comes in two steps: the double nearest to the exact result is turned *to odd* by means of its rounding
 * error (S. Boldo, G. Melquiond, "Emulation of a FMA and correctly rounded sums: proved algorithms using rounding to
 * odd", IEEE Trans. Computers 57(4), 2008), then rounded to the narrow format. As 53 >= 24 + 2 the two roundings act as
 * one. Errors come from 2Sum (Knuth, TAOCP vol. 2, 4.2.2) and from splitting (T. J. Dekker, Numer. Math. 18, 1971);
 * with binary32 inputs no intermediate double over- or underflows.
 *
 * Not handled: NaN payloads (`nan.ts`), denormal flushing (`denormals.ts`). A zero result has the sign that it has
 * under round to nearest; `f32.ts` has the operations that know about -0 under `MinusInfinity`.
 */
import { bitsOfF32, f32OfBits, towardOdd } from './bits.js';

/** Rounding modes, numbered as in the FP_ROUND fields of the MODE register. */
export const Round = { NearestEven: 0, PlusInfinity: 1, MinusInfinity: 2, Zero: 3 } as const;
export type Rounding = (typeof Round)[keyof typeof Round];

/** 2^27 + 1: Veltkamp's constant, which splits a double into two halves of 26 bits. */
const SPLITTER = 134217729;

/** a + b, to odd. */
export function addOdd(a: number, b: number): number {
  const sum = a + b;
  const t = sum - a;
  const error = a - (sum - t) + (b - t);
  // The error is NaN if an input, and with it the sum, is not finite.
  return error === 0 || error !== error ? sum : towardOdd(sum, error);
}

/** a · b + c, to odd. */
export function fmaOdd(a: number, b: number, c: number): number {
  return addOdd(a * b, c);
}

/** a / b, to odd. */
export function divOdd(a: number, b: number): number {
  const quotient = a / b;
  const t = quotient * SPLITTER;
  const high = t - (t - quotient);
  // The products have at most 26 + 24 bits and the differences cancel: the remainder is exact.
  const remainder = a - high * b - (quotient - high) * b;
  if (remainder === 0 || remainder !== remainder) return quotient;
  return towardOdd(quotient, b < 0 ? -remainder : remainder);
}

/** √a, to odd; NaN for a < 0, -0 for -0. */
export function sqrtOdd(a: number): number {
  const root = Math.sqrt(a);
  const t = root * SPLITTER;
  const high = t - (t - root);
  const low = root - high;
  // a - root², exact but for the last subtraction, which keeps the sign.
  const remainder = a - high * high - 2 * high * low - low * low;
  return remainder === 0 || remainder !== remainder ? root : towardOdd(root, remainder);
}

/**
 * A double as f32, correctly rounded (an exact value, or one that was rounded to odd): denormals are kept, overflow
 * gives an infinity or the largest finite value as the mode says.
 */
export function roundF32(odd: number, rounding: Rounding): number {
  const nearest = Math.fround(odd);
  if (rounding === Round.NearestEven || nearest === odd || odd !== odd) return nearest;
  const above = nearest > odd;
  if (rounding === Round.PlusInfinity) return above ? nearest : neighbourF32(nearest, true);
  if (rounding === Round.MinusInfinity) return above ? neighbourF32(nearest, false) : nearest;
  return above === odd > 0 ? neighbourF32(nearest, !above) : nearest;
}

/** The f32 next to `x`, upwards or downwards; beyond an infinity lies the largest finite value. */
function neighbourF32(x: number, up: boolean): number {
  if (x === 0) return up ? 2 ** -149 : -(2 ** -149);
  return f32OfBits(bitsOfF32(x) + (x > 0 === up ? 1 : -1));
}

/**
 * a · b + c of f32 values, rounded once to nearest even. The double sum of the exact product rounds to the same f32 as
 * the exact sum unless it lies halfway between two f32 values, where its own error decides: then, and only then, its
 * distance from the f32 nearest to it leads, doubled, to another f32.
 */
export function fmaF32(a: number, b: number, c: number): number {
  const sum = a * b + c;
  const nearest = Math.fround(sum);
  if (nearest === sum) return nearest;
  const other = sum + (sum - nearest);
  return Math.fround(other) === other ? Math.fround(addOdd(a * b, c)) : nearest;
}

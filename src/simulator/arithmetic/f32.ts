/**
 * Binary32 arithmetic in any rounding mode: values in, values out, one rounding each. Native where the mode is round to
 * nearest even (a double operation of two f32 values, then `Math.fround`, is correctly rounded: 53 >= 2 · 24 + 2).
 */
import { addOdd, fmaF32, fmaOdd, roundF32 } from './rounding.js';
import type { Rounding } from './rounding.js';
import { Round } from './rounding.js';

export function addF32(a: number, b: number, rounding: Rounding): number {
  if (rounding === Round.NearestEven) return Math.fround(a + b);
  const sum = addOdd(a, b);
  return sum === 0 ? zeroSum(a, b, rounding) : roundF32(sum, rounding);
}

export function mulF32(a: number, b: number, rounding: Rounding): number {
  return roundF32(a * b, rounding);
}

export function fmaF32Mode(a: number, b: number, c: number, rounding: Rounding): number {
  if (rounding === Round.NearestEven) return fmaF32(a, b, c);
  const sum = fmaOdd(a, b, c);
  return sum === 0 ? zeroSum(a * b, c, rounding) : roundF32(sum, rounding);
}

/**
 * a + b where the exact sum is zero: terms of one sign keep it, otherwise the zero is negative under `MinusInfinity`
 * only (IEEE 754-2019, 6.3).
 */
export function zeroSum(a: number, b: number, rounding: Rounding): number {
  const sum = a + b;
  if (rounding !== Round.MinusInfinity) return sum;
  return a === 0 && 1 / a > 0 && 1 / b > 0 ? 0 : -0;
}

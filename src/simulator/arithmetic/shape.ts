/**
 * Operations on the shape of a floating-point value: integral parts, scaling by powers of two, taking apart, output
 * modifiers.
 *
 * Where no format is named the function is exact for f16, f32 and f64 values alike. Denormals count as C's frexp and
 * ldexp count them; callers flush them (`denormals.ts`).
 */
import { exponentFieldF64, f64OfWords, highOfF64, lowOfF64, powerOfTwo } from './bits.js';
import { scaleExact } from './exact-f64.js';
import { f16ToNumber, roundF16 } from './f16.js';
import { addF64 } from './f64.js';
import { DEFAULT_NAN16, isNaN16 } from './nan.js';
import type { Rounding } from './rounding.js';
import { addOdd, Round, roundF32 } from './rounding.js';

const TWO_52 = 2 ** 52;

/** v_trunc. */
export function trunc(x: number): number {
  return Math.trunc(x);
}

/** v_ceil. */
export function ceil(x: number): number {
  return Math.ceil(x);
}

/** v_floor. */
export function floor(x: number): number {
  return Math.floor(x);
}

/** v_rndne: to the nearest integer, ties to even; a zero keeps the sign of `x`. */
export function rndne(x: number): number {
  // Next to 2^52 the last place of a double is 1.
  if (x > 0) return x < TWO_52 ? x + TWO_52 - TWO_52 : x;
  return x < 0 && x > -TWO_52 ? -(TWO_52 - x - TWO_52) : x;
}

/**
 * v_fract_f32: x - floor(x), rounded, at most the f32 below 1. NaN for infinities; the fraction of an integer is +0.
 */
export function fractF32(x: number, rounding: Rounding): number {
  const fraction = roundF32(addOdd(x, -Math.floor(x)), rounding);
  return fraction > 0.9999999403953552 ? 0.9999999403953552 : fraction;
}

/** v_fract_f64: as `fractF32`, at most 0x3fefffffffffffff. */
export function fractF64(x: number, rounding: Rounding): number {
  const floored = Math.floor(x);
  if (x === floored) return x - floored;
  const fraction = addF64(x, -floored, rounding);
  return fraction > 0.9999999999999999 ? 0.9999999999999999 : fraction;
}

/** v_fract_f16 of a pattern that is not a NaN: as `fractF32`, at most 0x3bff. */
export function fractF16(bits: number, rounding: Rounding): number {
  const x = f16ToNumber(bits);
  // The f16 grid is fine enough in a double: the difference is exact.
  const fraction = roundF16(x - Math.floor(x), rounding);
  return fraction === 0x3c00 ? 0x3bff : fraction;
}

/** v_ldexp_f32: x · 2^n for an i32 n, rounded once. */
export function ldexpF32(x: number, n: number, rounding: Rounding): number {
  // 2^±400 is beyond all of f32, and the product with an f32 is exact in a double.
  return roundF32(x * powerOfTwo(n > 400 ? 400 : n < -400 ? -400 : n), rounding);
}

/** v_ldexp_f16: of a pattern that is not a NaN, for an i16 n, rounded once. */
export function ldexpF16(bits: number, n: number, rounding: Rounding): number {
  return roundF16(f16ToNumber(bits) * powerOfTwo(n > 100 ? 100 : n < -100 ? -100 : n), rounding);
}

/** v_ldexp_f64: x · 2^n for an i32 n, rounded once. */
export function ldexpF64(x: number, n: number, rounding: Rounding): number {
  if (x === 0 || x !== x || x === Infinity || x === -Infinity) return x;
  if (n >= -1022 && n <= 1023) {
    const scaled = x * powerOfTwo(n);
    // One multiplication is one rounding, to nearest; away from the edges there is none at all.
    if (rounding === Round.NearestEven || (Math.abs(scaled) > 2 ** -1000 && Math.abs(scaled) < Infinity)) return scaled;
  }
  return scaleExact(x, n > 4200 ? 4200 : n < -4200 ? -4200 : n, rounding);
}

/** v_frexp_exp: the e of x = m · 2^e, 0.5 <= |m| < 1; 0 for zeros, infinities and NaNs. */
export function frexpExp(x: number): number {
  if (x === 0) return 0;
  const field = exponentFieldF64(x);
  if (field === 0x7ff) return 0;
  return field !== 0 ? field - 1022 : exponentFieldF64(x * 2 ** 54) - 1022 - 54;
}

/** v_frexp_mant: the m of x = m · 2^e, 0.5 <= |m| < 1; zeros, infinities and NaNs are returned. */
export function frexpMant(x: number): number {
  if (x === 0 || x !== x || x === Infinity || x === -Infinity) return x;
  const normal = exponentFieldF64(x) === 0 ? x * 2 ** 54 : x;
  return f64OfWords((highOfF64(normal) & 0x800fffff) | 0x3fe00000, lowOfF64(normal));
}

/**
 * The output modifier: 0 none, 1 times 2, 2 times 4, 3 divided by 2. The hardware applies it only where output
 * denormals are flushed; then the caller's flush hides the rounding of a halved value.
 */
export function omodF32(x: number, omod: number): number {
  return Math.fround(x * omodFactor(omod));
}

export function omodF64(x: number, omod: number): number {
  return x * omodFactor(omod);
}

/** Of a binary16 pattern; NaN patterns are returned. */
export function omodF16(bits: number, omod: number): number {
  return isNaN16(bits) ? bits : roundF16(f16ToNumber(bits) * omodFactor(omod), Round.NearestEven);
}

function omodFactor(omod: number): number {
  return omod === 0 ? 1 : omod === 3 ? 0.5 : 2 * omod;
}

/** The clamp output modifier: to [0, 1], -0 to +0; a NaN becomes +0 if `dx10Clamp`, else it stays. */
export function clamp(x: number, dx10Clamp: boolean): number {
  if (x > 0) return x < 1 ? x : 1;
  return x !== x && !dx10Clamp ? x : 0;
}

/** `clamp` of a binary16 pattern. */
export function clampF16(bits: number, dx10Clamp: boolean): number {
  if (isNaN16(bits)) return dx10Clamp ? 0 : bits;
  return (bits & 0x8000) !== 0 ? 0 : bits < 0x3c00 ? bits : 0x3c00;
}

/** A binary16 operation on values as one on patterns; NaN results are the default NaN. */
export function integralF16(bits: number, operation: (x: number) => number): number {
  return isNaN16(bits) ? DEFAULT_NAN16 : roundF16(operation(f16ToNumber(bits)), Round.NearestEven);
}

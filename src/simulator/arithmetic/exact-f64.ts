/**
 * Binary64 arithmetic in integers of any length: the slow exact path for other rounding modes than to nearest, and
 * where the error-free transformations of `f64.ts` would over- or underflow. Inputs are finite. Allocates; costs about
 * a microsecond.
 */
import { exponentFieldF64, highOfF64, lowOfF64, powerOfTwo } from './bits.js';
import type { Rounding } from './rounding.js';
import { Round } from './rounding.js';

const SIGNIFICAND_BITS = 53;
const LEAST_EXPONENT = -1074;
const GREATEST_ULP_EXPONENT = 971;

export function isNegative(x: number): boolean {
  return x < 0 || (x === 0 && 1 / x < 0);
}

/** Number of bits of m > 0. */
export function bitLength(m: bigint): number {
  const hex = m.toString(16);
  return 4 * hex.length - (Math.clz32(parseInt(hex[0], 16)) - 28);
}

/** |x| as an integer multiple of 2^`ulpExponent(x)`. */
function significand(x: number): bigint {
  const high = highOfF64(x);
  const low = lowOfF64(x);
  const fraction = (BigInt(high & 0xfffff) << 32n) | BigInt(low);
  return (high & 0x7ff00000) === 0 ? fraction : fraction | (1n << 52n);
}

function ulpExponent(x: number): number {
  return Math.max(exponentFieldF64(x), 1) - 1075;
}

/** The result of an overflow: an infinity, or the largest finite value if the mode rounds towards zero there. */
function overflow(negative: boolean, rounding: Rounding): number {
  const away = negative ? Round.MinusInfinity : Round.PlusInfinity;
  const magnitude = rounding === Round.NearestEven || rounding === away ? Infinity : Number.MAX_VALUE;
  return negative ? -magnitude : magnitude;
}

/**
 * ±(m + f) · 2^e rounded to binary64, where 0 < f < 1 if `sticky` and f = 0 if not. With `sticky`, m has at least 55
 * bits. m = 0 gives a zero of the sign.
 */
export function roundScaled(negative: boolean, m: bigint, e: number, sticky: boolean, rounding: Rounding): number {
  if (m === 0n) return negative ? -0 : 0;
  const ulp = Math.max(e + bitLength(m) - SIGNIFICAND_BITS, LEAST_EXPONENT);
  if (ulp > GREATEST_ULP_EXPONENT) return overflow(negative, rounding);
  const drop = ulp - e;
  let kept: bigint;
  if (drop <= 0) {
    kept = m << BigInt(-drop);
  } else {
    kept = m >> BigInt(drop);
    // Twice the dropped part in units of 2^ulp, compared with 1: -1 below, 0 a tie, 1 above; `inexact` if it is not 0.
    const rest = m - (kept << BigInt(drop));
    const half = 1n << BigInt(drop - 1);
    const inexact = rest !== 0n || sticky;
    const up =
      rounding === Round.NearestEven
        ? rest > half || (rest === half && (sticky || (kept & 1n) === 1n))
        : inexact && rounding === (negative ? Round.MinusInfinity : Round.PlusInfinity);
    if (up) kept += 1n;
  }
  const magnitude = ulp < -1022 ? Number(kept) * powerOfTwo(ulp + 60) * 2 ** -60 : Number(kept) * powerOfTwo(ulp);
  if (magnitude === Infinity) return overflow(negative, rounding);
  return negative ? -magnitude : magnitude;
}

/** (a · b + c) · 2^scale, rounded once. */
export function fmaExact(a: number, b: number, c: number, scale: number, rounding: Rounding): number {
  const productNegative = isNegative(a) !== isNegative(b);
  const product = significand(a) * significand(b);
  const productExponent = ulpExponent(a) + ulpExponent(b);
  const addendExponent = ulpExponent(c);
  const e = Math.min(productExponent, addendExponent);
  const left = product << BigInt(productExponent - e);
  const right = significand(c) << BigInt(addendExponent - e);
  const sum = (productNegative ? -left : left) + (isNegative(c) ? -right : right);
  if (sum === 0n) {
    const negative = productNegative === isNegative(c) ? productNegative : rounding === Round.MinusInfinity;
    return negative ? -0 : 0;
  }
  return roundScaled(sum < 0n, sum < 0n ? -sum : sum, e + scale, false, rounding);
}

export function mulExact(a: number, b: number, rounding: Rounding): number {
  const negative = isNegative(a) !== isNegative(b);
  return roundScaled(negative, significand(a) * significand(b), ulpExponent(a) + ulpExponent(b), false, rounding);
}

/** 1 / √a for a > 0. */
export function rsqExact(a: number, rounding: Rounding): number {
  const e = ulpExponent(a);
  const odd = e & 1;
  const radicand = significand(a) << BigInt(odd);
  // floor(√(2^240 / radicand)): the floor of the quotient has the same integer root; exact only for powers of four.
  const scaled = 1n << 240n;
  const quotient = scaled / radicand;
  const root = integerSqrt(quotient);
  return roundScaled(false, root, -120 - (e - odd) / 2, root * root * radicand !== scaled, rounding);
}

/** x · 2^n, rounded once. */
export function scaleExact(x: number, n: number, rounding: Rounding): number {
  return roundScaled(isNegative(x), significand(x), ulpExponent(x) + n, false, rounding);
}

/** floor(√n), by Newton's iteration from above. */
function integerSqrt(n: bigint): bigint {
  let root = 1n << BigInt((bitLength(n) + 1) >> 1);
  for (;;) {
    const next = (root + n / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

/**
 * Elementary functions to 300 bits in fixed point: what decides a rounding when a double is not accurate enough
 * (`approximate.ts`), and where the digits of 2/π come from (`trig-preop.ts`). Slow (tens of microseconds); allocates.
 *
 * Results are doubles rounded to odd, so that a later rounding to f32 or f16 is right. Callers deal with arguments
 * whose result is a dyadic rational. For all others it is irrational, so truncation tells everything about it.
 */
import { bitLength, isNegative, roundScaled } from './exact-f64.js';
import { Round } from './rounding.js';

/** Fractional bits. f32's least denormal, 2^-149, still has 170 of them. */
const PRECISION = 320n;
const ONE = 1n << PRECISION;

let pi: bigint | null = null;
let ln2: bigint | null = null;

/** floor(π · 2^bits), give or take a unit: J. Machin's formula, 16 arctan(1/5) - 4 arctan(1/239). */
export function fixedPi(bits: bigint): bigint {
  const guard = 32n;
  const one = 1n << (bits + guard);
  return (16n * arctanInverse(5n, one) - 4n * arctanInverse(239n, one)) >> guard;
}

/** arctan(1/n) in units of 1/one. */
function arctanInverse(n: bigint, one: bigint): bigint {
  let power = one / n;
  let sum = power;
  for (let k = 3n; power !== 0n; k += 2n) {
    power = -power / (n * n);
    sum += power / k;
  }
  return sum;
}

/** 2 artanh(z) = ln((1 + z) / (1 - z)) for |z| <= 1/3. */
function doubledArtanh(z: bigint): bigint {
  const square = (z * z) >> PRECISION;
  let power = z;
  let sum = z;
  for (let k = 3n; power !== 0n && power !== -1n; k += 2n) {
    power = (power * square) >> PRECISION;
    sum += power / k;
  }
  return 2n * sum;
}

function fixedLn2(): bigint {
  return (ln2 ??= doubledArtanh(ONE / 3n));
}

/** A double (of at least 2^-320 granularity) in fixed point. */
function toFixed(x: number): bigint {
  let scale = 0n;
  let magnitude = Math.abs(x);
  for (; !Number.isInteger(magnitude); scale += 30n) magnitude *= 2 ** 30;
  const fixed = (BigInt(magnitude) << PRECISION) >> scale;
  return isNegative(x) ? -fixed : fixed;
}

/** value · 2^-320 · 2^exponent, irrational, to odd. */
function toOdd(value: bigint, exponent: number): number {
  const negative = value < 0n;
  const magnitude = negative ? -value : value;
  const drop = bitLength(magnitude) - 53;
  // The lowest kept bit is set: all lower digits are not zero together.
  return roundScaled(negative, (magnitude >> BigInt(drop)) | 1n, drop - 320 + exponent, false, Round.NearestEven);
}

/** 2^x for |x| < 1000, x not an integer. */
export function exp2Odd(x: number): number {
  const integer = Math.round(x);
  const t = (toFixed(x - integer) * fixedLn2()) >> PRECISION;
  let term = ONE;
  let sum = ONE;
  for (let k = 1n; term !== 0n && term !== -1n; k += 1n) {
    term = ((term * t) >> PRECISION) / k;
    sum += term;
  }
  return toOdd(sum, integer);
}

/** log2(m · 2^exponent) for 1/2 <= m < 2, m not a power of two. */
export function log2Odd(m: number, exponent: number): number {
  const fixed = toFixed(m);
  const logarithm = doubledArtanh(((fixed - ONE) << PRECISION) / (fixed + ONE));
  return toOdd((logarithm << PRECISION) / fixedLn2() + (BigInt(exponent) << PRECISION), 0);
}

/** sin(2πu) for 0 < |u| <= 1/8. */
export function sinTurnsOdd(u: number): number {
  const angle = toAngle(u);
  return toOdd(alternating(angle, angle, 1n), 0);
}

/** cos(2πu) for 0 < |u| <= 1/8. */
export function cosTurnsOdd(u: number): number {
  return toOdd(alternating(ONE, toAngle(u), 0n), 0);
}

function toAngle(u: number): bigint {
  return (toFixed(u) * 2n * (pi ??= fixedPi(PRECISION))) >> PRECISION;
}

/** first - first·x²/((n+1)(n+2)) + …: the series of sine (n = 1) and cosine (n = 0). */
function alternating(first: bigint, x: bigint, n: bigint): bigint {
  const square = (x * x) >> PRECISION;
  let term = first;
  let sum = first;
  for (let k = n; term !== 0n; k += 2n) {
    term = -((term * square) >> PRECISION) / ((k + 1n) * (k + 2n));
    sum += term;
  }
  return sum;
}

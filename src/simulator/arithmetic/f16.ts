/**
 * Binary16 arithmetic on bit patterns, rounded once in any mode. Sums and products of two binary16 values are exact in
 * a double; fused operations, quotients and roots pass through rounding to odd (`rounding.ts`).
 *
 * NaN results follow `pickNaN16`. Denormals are kept: callers flush them (`denormals.ts`).
 */
import { f32OfBits, highOfF64, powerOfTwo } from './bits.js';
import { zeroSum } from './f32.js';
import { DEFAULT_NAN16, pickNaN16 } from './nan.js';
import type { Rounding } from './rounding.js';
import { fmaOdd, Round } from './rounding.js';

const TWO_52 = 2 ** 52;

const values = new Float32Array(0x10000);
for (let bits = 0; bits < 0x10000; bits++) {
  const magnitude = bits & 0x7fff;
  let value: number;
  if (magnitude < 0x0400) value = magnitude * 2 ** -24;
  else if (magnitude < 0x7c00) value = f32OfBits((magnitude << 13) + (112 << 23));
  else value = magnitude === 0x7c00 ? Infinity : NaN;
  values[bits] = bits >= 0x8000 ? -value : value;
}

/** The value of a binary16 pattern (bits 15 to 0). */
export function f16ToNumber(bits: number): number {
  return values[bits & 0xffff];
}

/**
 * Any double as a binary16 pattern, correctly rounded (an exact value, or one that was rounded to odd): denormals are
 * kept, overflow gives an infinity or the largest finite value as the mode says, a NaN gives the default NaN.
 */
export function roundF16(odd: number, rounding: Rounding): number {
  if (odd !== odd) return DEFAULT_NAN16;
  const high = highOfF64(odd);
  const sign = (high >>> 16) & 0x8000;
  const magnitude = odd < 0 ? -odd : odd;
  if (magnitude === Infinity) return sign | 0x7c00;
  const away = rounding === (sign === 0 ? Round.PlusInfinity : Round.MinusInfinity);
  if (magnitude >= 65536) return sign | (away || rounding === Round.NearestEven ? 0x7c00 : 0x7bff);
  // Below 2^-14 the last place stays that of denormals, 2^-24.
  const exponent = Math.max(((high >>> 20) & 0x7ff) - 1023, -14);
  const scaled = magnitude * powerOfTwo(10 - exponent);
  // Next to 2^52 the last place of a double is 1: adding it rounds to an integer, to nearest even.
  const nearest = scaled + TWO_52 - TWO_52;
  let kept = nearest;
  if (rounding !== Round.NearestEven) {
    if (away && nearest < scaled) kept++;
    else if (!away && nearest > scaled) kept--;
  }
  // `kept` holds the leading bit of a normal value: it adds one to the exponent field, and a carry another one.
  const bits = ((exponent + 14) << 10) + kept;
  // Only a carry to nearest or away from zero comes here: an infinity is what either mode asks for.
  return sign | bits;
}

export function addF16(a: number, b: number, rounding: Rounding): number {
  const x = f16ToNumber(a);
  const y = f16ToNumber(b);
  const sum = x + y;
  if (sum !== sum) return pickNaN16(a, b);
  return roundF16(sum === 0 ? zeroSum(x, y, rounding) : sum, rounding);
}

export function mulF16(a: number, b: number, rounding: Rounding): number {
  const product = f16ToNumber(a) * f16ToNumber(b);
  return product !== product ? pickNaN16(a, b) : roundF16(product, rounding);
}

export function fmaF16(a: number, b: number, c: number, rounding: Rounding): number {
  const x = f16ToNumber(a);
  const y = f16ToNumber(b);
  const z = f16ToNumber(c);
  const sum = fmaOdd(x, y, z);
  if (sum !== sum) return pickNaN16(a, b, c);
  return roundF16(sum === 0 ? zeroSum(x * y, z, rounding) : sum, rounding);
}

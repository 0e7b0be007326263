/**
 * Binary64 arithmetic in any rounding mode. JS rounds to nearest even, so that mode is native but for the fused
 * multiply-add; the other modes are rare and go through integers (`exact-f64.ts`).
 */
import { towardOdd } from './bits.js';
import { fmaExact, mulExact } from './exact-f64.js';
import type { Rounding } from './rounding.js';
import { Round } from './rounding.js';

/** 2^27 + 1, Veltkamp's constant. */
const SPLITTER = 134217729;
/**
 * The window in which the error-free transformations are exact: no product or split overflows, and the last bit of
 * every intermediate, at least 2^-106 below the smaller of product and addend, is above 2^-1074.
 */
const FACTOR_LIMIT = 2 ** 990;
const GREATEST = 2 ** 1000;
const LEAST_PRODUCT = 2 ** -850;
const LEAST_ADDEND = 2 ** -900;

/**
 * a · b + c, rounded once to nearest even. Boldo and Melquiond's algorithm (2008, figure 4): the product as two doubles
 * by Dekker and Veltkamp, two 2Sums, the lowest part rounded to odd; integers outside its exponent window.
 */
export function fmaF64(a: number, b: number, c: number): number {
  const product = a * b;
  const magnitude = product < 0 ? -product : product;
  const addend = c < 0 ? -c : c;
  if (
    !(magnitude >= LEAST_PRODUCT && magnitude <= GREATEST && addend >= LEAST_ADDEND && addend <= GREATEST) ||
    !(a < FACTOR_LIMIT && a > -FACTOR_LIMIT && b < FACTOR_LIMIT && b > -FACTOR_LIMIT)
  ) {
    return fmaAtEdge(a, b, c, product);
  }
  const ta = a * SPLITTER;
  const aHigh = ta - (ta - a);
  const aLow = a - aHigh;
  const tb = b * SPLITTER;
  const bHigh = tb - (tb - b);
  const bLow = b - bHigh;
  const productLow = aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow);
  const middle = c + productLow;
  const tm = middle - c;
  const middleError = c - (middle - tm) + (productLow - tm);
  const high = product + middle;
  const th = high - product;
  const highError = product - (high - th) + (middle - th);
  const low = middleError + highError;
  const tl = low - middleError;
  const lowError = middleError - (low - tl) + (highError - tl);
  return high + towardOdd(low, lowError);
}

function fmaAtEdge(a: number, b: number, c: number, product: number): number {
  if (!Number.isFinite(a) || !Number.isFinite(b)) return product + c;
  // A product that overflows must not meet the infinity of an addend.
  if (!Number.isFinite(c)) return c;
  if (a === 0 || b === 0) return product + c;
  // One rounding; a product that underflows keeps its sign, as the exact sum is not zero.
  if (c === 0) return product;
  return fmaExact(a, b, c, 0, Round.NearestEven);
}

export function fmaF64Mode(a: number, b: number, c: number, rounding: Rounding): number {
  if (rounding === Round.NearestEven) return fmaF64(a, b, c);
  if (!Number.isFinite(a) || !Number.isFinite(b)) return a * b + c;
  return Number.isFinite(c) ? fmaExact(a, b, c, 0, rounding) : c;
}

export function addF64(a: number, b: number, rounding: Rounding): number {
  const sum = a + b;
  if (rounding === Round.NearestEven || !Number.isFinite(a) || !Number.isFinite(b)) return sum;
  return fmaExact(a, 1, b, 0, rounding);
}

export function mulF64(a: number, b: number, rounding: Rounding): number {
  const product = a * b;
  if (rounding === Round.NearestEven || !Number.isFinite(a) || !Number.isFinite(b)) return product;
  return mulExact(a, b, rounding);
}

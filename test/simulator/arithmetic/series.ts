/**
 * Elementary functions as rationals accurate to 2^-400 relative or better: the truth for `approximate.test.ts`. Other
 * formulas than the implementation's: 2^x by repeated square roots of e's argument reduced to 2^-8, log2 by bisecting
 * squares (digit by digit), sine and cosine by the exponential's series over the complex numbers after halving the
 * angle.
 */
import type { Rational, Value } from './exact.js';
import { bits64, F64, valueOf } from './exact.js';

const P = 420n;
const ONE = 1n << P;

const rational = (n: bigint, d = ONE): Rational => ({ n, d, negativeZero: false });
const fixed = (x: number): bigint => {
  const v = valueOf(bits64(x), F64) as Rational;
  return (v.n << P) / v.d;
};

/** π by Gauss's formula: 48 arctan(1/18) + 32 arctan(1/57) - 20 arctan(1/239). */
function piTo(bits: bigint): bigint {
  const arctan = (n: bigint): bigint => {
    let sum = 0n;
    let sign = 1n;
    for (let k = 1n, power = (1n << (bits + 16n)) / n; power > 0n; k += 2n, power /= n * n) {
      sum += (sign * power) / k;
      sign = -sign;
    }
    return sum;
  };
  return (48n * arctan(18n) + 32n * arctan(57n) - 20n * arctan(239n)) >> 16n;
}

/** The 1201 leading fractional bits of 2/π. */
export function twoOverPi(): bigint {
  return (1n << 2502n) / piTo(1300n);
}

const pi = piTo(P);

/** The square roots 2^(1/2), 2^(1/4), …, in fixed point. */
const roots: bigint[] = [];
for (let root = 2n * ONE, i = 0; i < 400; i++) {
  root = integerSqrt(root << P);
  roots.push(root);
}

function integerSqrt(n: bigint): bigint {
  let x = 1n << BigInt((n.toString(2).length + 1) >> 1);
  for (let next = (x + n / x) >> 1n; next < x; next = (x + n / x) >> 1n) x = next;
  return x;
}

/** 2^x by multiplying the roots of two whose bits x has. */
export function exp2(x: number): Value {
  const floor = Math.floor(x);
  let product = ONE;
  let rest = x - floor;
  // x - floor(x) may not be a double for tiny negative x: then the result is below one by less than all that matters.
  if (rest === 1) return rational((1n << 400n) - 1n, 1n << 400n);
  for (let i = 0; rest > 0 && i < roots.length; i++) {
    rest *= 2;
    if (rest < 1) continue;
    rest -= 1;
    product = (product * roots[i]!) >> P;
  }
  return floor >= 0 ? rational(product << BigInt(floor)) : rational(product, ONE << BigInt(-floor));
}

/** log2(x) digit by digit: square, halve if at least two. */
export function log2(x: number): Value {
  let exponent = 0;
  let m = x;
  for (; m >= 2; m /= 2) exponent++;
  for (; m < 1; m *= 2) exponent--;
  let y = fixed(m);
  let digits = 0n;
  const count = 100;
  for (let i = 0; i < count; i++) {
    y = (y * y) >> P;
    digits <<= 1n;
    if (y < 2n * ONE) continue;
    y >>= 1n;
    digits |= 1n;
  }
  // An inexact logarithm is greater than its digits so far: one more digit says so.
  const inexact = y === ONE ? 0n : 1n;
  const scaled = (BigInt(exponent) << BigInt(count + 1)) + 2n * digits + inexact;
  return rational(scaled, 1n << BigInt(count + 1));
}

/** cos and sin of 2πx: a sixteenth of the angle by series, then four doublings. */
function circle(x: number): readonly [bigint, bigint] {
  const turns = valueOf(bits64(x), F64) as Rational;
  const fraction = (((turns.n % turns.d) << P) * 2n) / turns.d;
  const angle = ((fraction * pi) >> P) / 16n;
  let [cosine, sine] = [ONE, 0n];
  let term = ONE;
  for (let k = 1n; term !== 0n && term !== -1n; k++) {
    term = ((term * angle) >> P) / k;
    // i^k runs through i, -1, -i, 1.
    if (k % 4n === 1n) sine += term;
    else if (k % 4n === 2n) cosine -= term;
    else if (k % 4n === 3n) sine -= term;
    else cosine += term;
  }
  for (let i = 0; i < 4; i++) {
    [cosine, sine] = [(cosine * cosine - sine * sine) >> P, (2n * cosine * sine) >> P];
  }
  return [cosine, sine];
}

/** Whether 4x is an integer: only then sine and cosine of the turn are 0 or ±1. */
const isQuarter = (x: number): boolean => Number.isInteger(4 * x);

export function sinTurns(x: number): Value {
  if (!isQuarter(x)) return rational(circle(x)[1]);
  return rational([0n, 1n, 0n, -1n][(4 * (x % 1) + 4) & 3]!, 1n);
}

export function cosTurns(x: number): Value {
  if (!isQuarter(x)) return rational(circle(x)[0]);
  return rational([1n, 0n, -1n, 0n][(4 * (x % 1) + 4) & 3]!, 1n);
}

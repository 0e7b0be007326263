/**
 * The truth that the arithmetic is tested against: bit patterns to rational numbers, exact operations, one rounding. It
 * follows IEEE 754-2019's definitions (sections 3.4, 4.3, 6.3, 7.4) and shares no code with the implementation.
 */

/** A binary interchange format. */
export interface Format {
  readonly width: number;
  readonly fraction: number;
  readonly bias: number;
}

export const F16: Format = { width: 16, fraction: 10, bias: 15 };
export const BF16: Format = { width: 16, fraction: 7, bias: 127 };
export const F32: Format = { width: 32, fraction: 23, bias: 127 };
export const F64: Format = { width: 64, fraction: 52, bias: 1023 };

/** Modes by the hardware's numbers. */
export type Mode = 0 | 1 | 2 | 3;
export const MODES: readonly Mode[] = [0, 1, 2, 3];

/** n / d with d > 0; `negativeZero` matters if n is 0. */
export interface Rational {
  readonly n: bigint;
  readonly d: bigint;
  readonly negativeZero: boolean;
}

/** A number, an infinity with its sign, or NaN. */
export type Special = 'nan' | 'inf' | '-inf';
export type Value = Rational | Special;

export function infinityBits(f: Format): bigint {
  return ((1n << BigInt(f.width - 1 - f.fraction)) - 1n) << BigInt(f.fraction);
}

export function valueOf(bits: bigint, f: Format): Value {
  const negative = bits >> BigInt(f.width - 1) === 1n;
  const magnitude = bits & ((1n << BigInt(f.width - 1)) - 1n);
  const infinity = infinityBits(f);
  if (magnitude > infinity) return 'nan';
  if (magnitude === infinity) return negative ? '-inf' : 'inf';
  const field = Number(magnitude >> BigInt(f.fraction));
  const fraction = magnitude & ((1n << BigInt(f.fraction)) - 1n);
  const significand = field === 0 ? fraction : fraction | (1n << BigInt(f.fraction));
  const exponent = Math.max(field, 1) - f.bias - f.fraction;
  const n = exponent > 0 ? significand << BigInt(exponent) : significand;
  return { n: negative ? -n : n, d: exponent < 0 ? 1n << BigInt(-exponent) : 1n, negativeZero: negative };
}

function bitLength(n: bigint): number {
  const hex = n.toString(16);
  return hex.length * 4 - [4, 3, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0][parseInt(hex[0]!, 16)]!;
}

const shifted = (n: bigint, by: number): bigint => (by >= 0 ? n << BigInt(by) : n);

/** The pattern of a value, rounded once; -1n for NaN, which has many patterns. */
export function round(v: Value, f: Format, mode: Mode): bigint {
  const signBit = 1n << BigInt(f.width - 1);
  const infinity = infinityBits(f);
  if (v === 'nan') return -1n;
  if (v === 'inf') return infinity;
  if (v === '-inf') return infinity | signBit;
  if (v.n === 0n) return v.negativeZero ? signBit : 0n;
  const negative = v.n < 0n;
  const sign = negative ? signBit : 0n;
  const n = negative ? -v.n : v.n;
  let exponent = bitLength(n) - bitLength(v.d);
  if (shifted(n, -exponent) < shifted(v.d, exponent)) exponent--;
  const leastUlp = 1 - f.bias - f.fraction;
  const ulp = Math.max(exponent - f.fraction, leastUlp);
  const dividend = shifted(n, -ulp);
  const divisor = shifted(v.d, ulp);
  let quotient = dividend / divisor;
  const rest = 2n * (dividend - quotient * divisor);
  const towards = mode === 1 ? !negative : mode === 2 ? negative : false;
  if (mode === 0) {
    if (rest > divisor || (rest === divisor && (quotient & 1n) === 1n)) quotient += 1n;
  } else if (towards && rest !== 0n) {
    quotient += 1n;
  }
  // Patterns of one sign are in the order of their values: a carry moves on to the next binade by itself.
  const pattern = (BigInt(ulp - leastUlp) << BigInt(f.fraction)) + quotient;
  if (pattern < infinity) return sign | pattern;
  return sign | (mode === 0 || towards ? infinity : infinity - 1n);
}

const isZero = (v: Value): boolean => typeof v !== 'string' && v.n === 0n;
const isNegative = (v: Value): boolean =>
  typeof v === 'string' ? v === '-inf' : v.n < 0n || (v.n === 0n && v.negativeZero);

export function negate(v: Value): Value {
  if (v === 'nan') return v;
  if (typeof v === 'string') return v === 'inf' ? '-inf' : 'inf';
  return { n: -v.n, d: v.d, negativeZero: !v.negativeZero };
}

/** The sum; a zero's sign depends on the mode. */
export function add(a: Value, b: Value, mode: Mode): Value {
  if (a === 'nan' || b === 'nan') return 'nan';
  if (typeof a === 'string') return typeof b === 'string' && a !== b ? 'nan' : a;
  if (typeof b === 'string') return b;
  const n = a.n * b.d + b.n * a.d;
  const sameSign = isNegative(a) === isNegative(b);
  return { n, d: a.d * b.d, negativeZero: sameSign ? isNegative(a) : mode === 2 };
}

export function mul(a: Value, b: Value): Value {
  if (a === 'nan' || b === 'nan') return 'nan';
  const negative = isNegative(a) !== isNegative(b);
  if (typeof a === 'string' || typeof b === 'string') {
    return isZero(a) || isZero(b) ? 'nan' : negative ? '-inf' : 'inf';
  }
  return { n: a.n * b.n, d: a.d * b.d, negativeZero: negative };
}

export function fma(a: Value, b: Value, c: Value, mode: Mode): Value {
  return add(mul(a, b), c, mode);
}

export function div(a: Value, b: Value): Value {
  if (a === 'nan' || b === 'nan') return 'nan';
  const negative = isNegative(a) !== isNegative(b);
  if (typeof a === 'string') return typeof b === 'string' ? 'nan' : negative ? '-inf' : 'inf';
  if (typeof b === 'string') return { n: 0n, d: 1n, negativeZero: negative };
  if (b.n === 0n) return a.n === 0n ? 'nan' : negative ? '-inf' : 'inf';
  return { n: b.n < 0n ? -a.n * b.d : a.n * b.d, d: a.d * (b.n < 0n ? -b.n : b.n), negativeZero: negative };
}

/** v · 2^k. */
export function scale(v: Value, k: number): Value {
  if (typeof v === 'string') return v;
  return { n: shifted(v.n, k), d: shifted(v.d, -k), negativeZero: v.negativeZero };
}

/**
 * √v or 1/√v, rounded: the pattern r whose neighbourhood contains the root, found by bisection over the patterns (they
 * are ordered as their values) and exact comparison of squares.
 */
export function roundRoot(v: Value, f: Format, mode: Mode, reciprocal: boolean): bigint {
  const signBit = 1n << BigInt(f.width - 1);
  if (v === 'nan' || v === '-inf') return -1n;
  if (v === 'inf') return reciprocal ? 0n : infinityBits(f);
  if (v.n === 0n) return (v.negativeZero ? signBit : 0n) | (reciprocal ? infinityBits(f) : 0n);
  if (v.n < 0n) return -1n;
  const square = reciprocal ? { n: v.d, d: v.n } : v;
  /** The sign of (x² - square), x twice a non-negative pattern plus 1 if `half`, to include midpoints. */
  const compare = (bits: bigint, half: boolean): number => {
    const low = valueOf(bits, f) as Rational;
    const high = valueOf(bits + 1n, f);
    const x = half && typeof high !== 'string' ? { n: low.n * high.d + high.n * low.d, d: 2n * low.d * high.d } : low;
    const difference = x.n * x.n * square.d - square.n * x.d * x.d;
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  };
  let low = 0n;
  let high = infinityBits(f);
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (compare(middle, false) <= 0) low = middle;
    else high = middle;
  }
  if (compare(low, false) === 0) return low;
  if (mode === 1) return low + 1n;
  if (mode !== 0) return low;
  const side = compare(low, true);
  return side < 0 || (side === 0 && (low & 1n) === 1n) ? low + 1n : low;
}

/** The integer that rounding in the mode gives. */
export function roundToInteger(v: Rational, mode: Mode): bigint {
  const floor = v.n >= 0n ? v.n / v.d : -((-v.n + v.d - 1n) / v.d);
  const rest = 2n * (v.n - floor * v.d);
  if (rest === 0n || mode === 2) return floor;
  if (mode === 1) return floor + 1n;
  if (mode === 3) return v.n < 0n ? floor + 1n : floor;
  return rest > v.d || (rest === v.d && (floor & 1n) !== 0n) ? floor + 1n : floor;
}

const view = new DataView(new ArrayBuffer(8));

export function bits32(x: number): bigint {
  if (x !== x) return -1n;
  view.setFloat32(0, x);
  return BigInt(view.getUint32(0));
}

export function bits64(x: number): bigint {
  if (x !== x) return -1n;
  view.setFloat64(0, x);
  return view.getBigUint64(0);
}

export function number32(bits: bigint): number {
  view.setUint32(0, Number(bits));
  return view.getFloat32(0);
}

export function number64(bits: bigint): number {
  view.setBigUint64(0, bits);
  return view.getFloat64(0);
}

/** An f16 result pattern with every NaN as -1n. */
export function bits16(bits: number): bigint {
  return (bits & 0x7fff) > 0x7c00 ? -1n : BigInt(bits);
}

/**
 * Integer arithmetic that JavaScript lacks. Words are numbers as an Int32Array gives them, unless a name says
 * otherwise.
 */

/** Upper word of the 64-bit product of two unsigned words. */
export function mulHighUnsigned(a: number, b: number): number {
  const al = a & 0xffff;
  const ah = a >>> 16;
  const bl = b & 0xffff;
  const bh = b >>> 16;
  // None of the sums exceeds 32 bits.
  const middle = ah * bl + (Math.imul(al, bl) >>> 16);
  const other = al * bh + (middle & 0xffff);
  return (ah * bh + (middle >>> 16) + (other >>> 16)) | 0;
}

/** Upper word of the 64-bit product of two signed words. */
export function mulHighSigned(a: number, b: number): number {
  return (mulHighUnsigned(a, b) - (a < 0 ? b : 0) - (b < 0 ? a : 0)) | 0;
}

/** Number of ones. */
export function popCount(a: number): number {
  let bits = a - ((a >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  bits = (bits + (bits >>> 4)) & 0x0f0f0f0f;
  return Math.imul(bits, 0x01010101) >>> 24;
}

/** The bits in the opposite order. */
export function reverseBits(a: number): number {
  let bits = ((a >>> 1) & 0x55555555) | ((a & 0x55555555) << 1);
  bits = ((bits >>> 2) & 0x33333333) | ((bits & 0x33333333) << 2);
  bits = ((bits >>> 4) & 0x0f0f0f0f) | ((bits & 0x0f0f0f0f) << 4);
  bits = ((bits >>> 8) & 0x00ff00ff) | ((bits & 0x00ff00ff) << 8);
  return (bits >>> 16) | (bits << 16);
}

/** Number of leading zeros, -1 for 0. */
export function leadingZeros(a: number): number {
  return a === 0 ? -1 : Math.clz32(a);
}

/** Number of trailing zeros, -1 for 0. */
export function trailingZeros(a: number): number {
  return a === 0 ? -1 : 31 - Math.clz32(a & -a);
}

/** Number of leading bits that equal the sign, -1 where all do. */
export function leadingSigns(a: number): number {
  return leadingZeros(a ^ (a >> 31));
}

// --- 64-bit shifts, one half of the result at a time; 0 <= n <= 63 ---------------------------------------------------

export function shiftLeftLow(low: number, n: number): number {
  return n < 32 ? low << n : 0;
}

export function shiftLeftHigh(low: number, high: number, n: number): number {
  return n === 0 ? high : n < 32 ? (high << n) | (low >>> (32 - n)) : low << (n - 32);
}

export function shiftRightLow(low: number, high: number, n: number, signed: boolean): number {
  if (n === 0) return low;
  if (n < 32) return (low >>> n) | (high << (32 - n));
  return signed ? high >> (n - 32) : high >>> (n - 32);
}

export function shiftRightHigh(high: number, n: number, signed: boolean): number {
  if (signed) return high >> Math.min(n, 31);
  return n < 32 ? high >>> n : 0;
}

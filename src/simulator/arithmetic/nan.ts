/**
 * NaNs as bit patterns: binary16 and binary32 as unsigned integers, binary64 as two 32-bit words. Results are unsigned.
 *
 * A vector ALU operation with NaN inputs returns the first of them in the order src0, src1, src2 with its quiet bit
 * set; an invalid operation without a NaN input returns the default NaN, which is positive and has no payload.
 */
export const DEFAULT_NAN16 = 0x7e00;
export const DEFAULT_NAN32 = 0x7fc00000;
/** High word of binary64's default NaN; the low word is 0. */
export const DEFAULT_NAN64_HIGH = 0x7ff80000;

export function isNaN16(bits: number): boolean {
  return (bits & 0x7fff) > 0x7c00;
}

export function isNaN32(bits: number): boolean {
  return (bits & 0x7fffffff) > 0x7f800000;
}

export function isNaN64(high: number, low: number): boolean {
  const magnitude = high & 0x7fffffff;
  return magnitude > 0x7ff00000 || (magnitude === 0x7ff00000 && low !== 0);
}

export function isSignalling16(bits: number): boolean {
  return isNaN16(bits) && (bits & 0x0200) === 0;
}

export function isSignalling32(bits: number): boolean {
  return isNaN32(bits) && (bits & 0x00400000) === 0;
}

export function isSignalling64(high: number, low: number): boolean {
  return isNaN64(high, low) && (high & 0x00080000) === 0;
}

export function quiet16(bits: number): number {
  return bits | 0x0200;
}

export function quiet32(bits: number): number {
  return (bits | 0x00400000) >>> 0;
}

/** The high word of a binary64 NaN, quieted; the low word stays. */
export function quiet64High(high: number): number {
  return (high | 0x00080000) >>> 0;
}

/** The NaN that an operation on these binary16 patterns returns. */
export function pickNaN16(a: number, b: number, c = 0): number {
  if (isNaN16(a)) return quiet16(a);
  if (isNaN16(b)) return quiet16(b);
  return isNaN16(c) ? quiet16(c) : DEFAULT_NAN16;
}

/** The NaN that an operation on these binary32 patterns returns. */
export function pickNaN32(a: number, b: number, c = 0): number {
  if (isNaN32(a)) return quiet32(a);
  if (isNaN32(b)) return quiet32(b);
  return isNaN32(c) ? quiet32(c) : DEFAULT_NAN32;
}

/**
 * The NaN that an operation on these binary64 word pairs returns, low word to `into[at]`, high word to `into[at + 1]`.
 */
export function pickNaN64(
  into: Uint32Array,
  at: number,
  aHigh: number,
  aLow: number,
  bHigh: number,
  bLow: number,
  cHigh = 0,
  cLow = 0,
): void {
  if (isNaN64(aHigh, aLow)) {
    into[at] = aLow;
    into[at + 1] = quiet64High(aHigh);
  } else if (isNaN64(bHigh, bLow)) {
    into[at] = bLow;
    into[at + 1] = quiet64High(bHigh);
  } else if (isNaN64(cHigh, cLow)) {
    into[at] = cLow;
    into[at + 1] = quiet64High(cHigh);
  } else {
    into[at] = 0;
    into[at + 1] = DEFAULT_NAN64_HIGH;
  }
}

/** A binary16 NaN as binary32: sign and payload kept at the top of the significand, quieted. */
export function widenNaN16(bits: number): number {
  return (((bits & 0x8000) << 16) | 0x7fc00000 | ((bits & 0x3ff) << 13)) >>> 0;
}

/** A binary32 NaN as binary16: sign and the top of the payload kept, quieted. */
export function narrowNaN32(bits: number): number {
  return ((bits >>> 16) & 0x8000) | 0x7e00 | ((bits >>> 13) & 0x3ff);
}

/** A binary32 NaN as the high word of a binary64 NaN, quieted; the low word is `widenNaN32Low`. */
export function widenNaN32High(bits: number): number {
  return ((bits & 0x80000000) | 0x7ff80000 | ((bits & 0x7fffff) >>> 3)) >>> 0;
}

export function widenNaN32Low(bits: number): number {
  return (bits << 29) >>> 0;
}

/** A binary64 NaN as binary32: sign and the top of the payload kept, quieted. */
export function narrowNaN64(high: number, low: number): number {
  return ((high & 0x80000000) | 0x7fc00000 | ((high & 0xfffff) << 3) | (low >>> 29)) >>> 0;
}

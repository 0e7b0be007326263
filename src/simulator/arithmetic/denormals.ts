/** Denormal flushing, as the FP_DENORM fields of the MODE register ask for: a denormal becomes a zero of its sign. */

/** Of an f32 value: |x| < 2^-126. */
export function flushF32(x: number): number {
  return x > -1.1754943508222875e-38 && x < 1.1754943508222875e-38 ? x * 0 : x;
}

/** Of an f64 value: |x| < 2^-1022. */
export function flushF64(x: number): number {
  return x > -2.2250738585072014e-308 && x < 2.2250738585072014e-308 ? x * 0 : x;
}

/** Of a binary16 pattern. */
export function flushF16(bits: number): number {
  return (bits & 0x7c00) === 0 ? bits & 0x8000 : bits;
}

/** Of a binary32 pattern, as a u32. */
export function flushBits32(bits: number): number {
  return (bits & 0x7f800000) === 0 ? (bits & 0x80000000) >>> 0 : bits;
}

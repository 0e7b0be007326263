/**
 * Reinterpreting numbers as IEEE 754 words and back, through one scratch cell of typed arrays: nothing is allocated.
 *
 * A NaN loses its payload on the way through a JS number (a signalling one is quieted by the conversion itself), so
 * what must keep a payload works on words: see `nan.ts`. The word order assumes a little-endian host, as all hosts of
 * Node are.
 */
const f64 = new Float64Array(1);
const words = new Uint32Array(f64.buffer);
const f32 = new Float32Array(1);
const word = new Uint32Array(f32.buffer);

/** The binary32 pattern of an f32 value, as a u32. Another double is rounded to nearest even first. */
export function bitsOfF32(x: number): number {
  f32[0] = x;
  return word[0];
}

/** The f32 value of a binary32 pattern. */
export function f32OfBits(bits: number): number {
  word[0] = bits;
  return f32[0];
}

/** Bits 63 to 32 of a binary64, as a u32. */
export function highOfF64(x: number): number {
  f64[0] = x;
  return words[1];
}

/** Bits 31 to 0 of a binary64, as a u32. */
export function lowOfF64(x: number): number {
  f64[0] = x;
  return words[0];
}

export function f64OfWords(high: number, low: number): number {
  words[1] = high;
  words[0] = low;
  return f64[0];
}

/** All normal powers of two: reading one is faster than composing it from words that were just written. */
const powers = new Float64Array(2046);
powers[1022] = 1;
for (let n = 1; n <= 1023; n++) powers[1022 + n] = 2 * powers[1021 + n];
for (let n = -1; n >= -1022; n--) powers[1022 + n] = powers[1023 + n] / 2;

/** 2^n for -1022 <= n <= 1023. */
export function powerOfTwo(n: number): number {
  return powers[n + 1022];
}

/** The biased exponent field of a binary64: 0 for zero and denormals, 2047 for infinities and NaNs. */
export function exponentFieldF64(x: number): number {
  f64[0] = x;
  return (words[1] >>> 20) & 0x7ff;
}

/** The biased exponent field of a binary32: 0 for zero and denormals, 255 for infinities and NaNs. */
export function exponentFieldF32(x: number): number {
  f32[0] = x;
  return (word[0] >>> 23) & 0xff;
}

/**
 * Round to odd: `nearest` is a double rounded to nearest, `error` a double of the sign of (exact value - nearest), zero
 * if exact. Of the two doubles around an inexact value the result is the one with an odd significand, which remembers
 * on which side of every coarser rounding boundary the exact value lies. `nearest` is finite and not zero if `error` is
 * not zero.
 */
export function towardOdd(nearest: number, error: number): number {
  if (error === 0) return nearest;
  f64[0] = nearest;
  // Truncate the magnitude, then set the last bit: an odd neighbour stays, an even one moves to where the exact value
  // is.
  if (error > 0 !== nearest > 0) {
    if (words[0] === 0) words[1] -= 1;
    words[0] -= 1;
  }
  words[0] |= 1;
  return f64[0];
}

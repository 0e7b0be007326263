/**
 * v_cmp_class: whether the class of a floating-point pattern is among those of a mask. Bit 0 signalling NaN, 1 quiet
 * NaN, 2 -infinity, 3 negative normal, 4 negative denormal, 5 -0, 6 +0, 7 positive denormal, 8 positive normal, 9
 * +infinity. Patterns are taken as they are: no flushing, no quieting.
 */

const SIGNALLING_NAN = 0;
const QUIET_NAN = 1;
const POSITIVE_ZERO = 6;
const POSITIVE_DENORMAL = 7;
const POSITIVE_NORMAL = 8;
const POSITIVE_INFINITY = 9;
/** The negative classes mirror the positive ones. */
const MIRROR = 11;

export function classTest16(bits: number, mask: number): boolean {
  const magnitude = bits & 0x7fff;
  if (magnitude > 0x7c00) return has(mask, (bits & 0x0200) === 0 ? SIGNALLING_NAN : QUIET_NAN);
  return hasSigned(mask, (bits & 0x8000) !== 0, magnitude === 0, magnitude < 0x0400, magnitude < 0x7c00);
}

export function classTest32(bits: number, mask: number): boolean {
  const magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return has(mask, (bits & 0x00400000) === 0 ? SIGNALLING_NAN : QUIET_NAN);
  return hasSigned(mask, bits >> 31 !== 0, magnitude === 0, magnitude < 0x00800000, magnitude < 0x7f800000);
}

export function classTest64(high: number, low: number, mask: number): boolean {
  const magnitude = high & 0x7fffffff;
  if (magnitude > 0x7ff00000 || (magnitude === 0x7ff00000 && low !== 0)) {
    return has(mask, (high & 0x00080000) === 0 ? SIGNALLING_NAN : QUIET_NAN);
  }
  const zero = magnitude === 0 && low === 0;
  return hasSigned(mask, high >> 31 !== 0, zero, magnitude < 0x00100000, magnitude < 0x7ff00000);
}

function hasSigned(mask: number, negative: boolean, zero: boolean, denormal: boolean, finite: boolean): boolean {
  const positive = zero ? POSITIVE_ZERO : denormal ? POSITIVE_DENORMAL : finite ? POSITIVE_NORMAL : POSITIVE_INFINITY;
  return has(mask, negative ? MIRROR - positive : positive);
}

function has(mask: number, bit: number): boolean {
  return ((mask >>> bit) & 1) === 1;
}

/**
 * The v_cvt_* conversions on values and bit patterns. Integer results are the register's content: i32 as a signed
 * number, all others unsigned. To integers: truncate unless the name says otherwise, saturate, NaN gives 0. To floating
 * point: one rounding in the given mode; callers deal with the payloads of NaNs (`nan.ts`).
 *
 * The conversions i32, u32 → f64, f32 → f64 and f16 → f32 are exact, so they need no function.
 */
import { bitsOfF32, f32OfBits } from './bits.js';
import { roundF16 } from './f16.js';
import { narrowNaN32, isNaN32 } from './nan.js';
import type { Rounding } from './rounding.js';
import { Round, roundF32 } from './rounding.js';
import { rndne } from './shape.js';

/** v_cvt_i32_f32, v_cvt_i32_f64. */
export function cvtI32(x: number): number {
  if (x >= 2147483647) return 2147483647;
  return x <= -2147483648 ? -2147483648 : x | 0;
}

/** v_cvt_u32_f32, v_cvt_u32_f64. */
export function cvtU32(x: number): number {
  if (x >= 4294967295) return 4294967295;
  return x > 0 ? x >>> 0 : 0;
}

/** v_cvt_i16_f16; the result is the 16-bit pattern. */
export function cvtI16(x: number): number {
  if (x >= 32767) return 32767;
  return x <= -32768 ? 0x8000 : x & 0xffff;
}

/** v_cvt_u16_f16. */
export function cvtU16(x: number): number {
  if (x >= 65535) return 65535;
  return x > 0 ? x & 0xffff : 0;
}

/** v_cvt_f32_i32, v_cvt_f32_u32 (of an exact integer value). */
export function cvtF32Integer(x: number, rounding: Rounding): number {
  return roundF32(x, rounding);
}

/** v_cvt_f16_i16, v_cvt_f16_u16 (of an exact integer value); the result is a binary16 pattern. */
export function cvtF16Integer(x: number, rounding: Rounding): number {
  return roundF16(x, rounding);
}

/** v_cvt_f32_f64. */
export function cvtF32F64(x: number, rounding: Rounding): number {
  return roundF32(x, rounding);
}

/** v_cvt_f16_f32; the result is a binary16 pattern. */
export function cvtF16F32(x: number, rounding: Rounding): number {
  return roundF16(x, rounding);
}

/** v_cvt_pkrtz_f16_f32 of binary32 patterns: NaNs keep what fits of their payload, quieted. */
export function cvtPkrtzF16Bits(low: number, high: number): number {
  return pack(truncateBitsToF16(low), truncateBitsToF16(high));
}

function truncateBitsToF16(bits: number): number {
  return isNaN32(bits) ? narrowNaN32(bits) : roundF16(f32OfBits(bits), Round.Zero);
}

/** v_cvt_rpi_i32_f32 (v_cvt_nearest_i32_f32): floor(x + 0.5), the sum exact. */
export function cvtRpiI32(x: number): number {
  return cvtI32(Math.floor(x + 0.5));
}

/** v_cvt_flr_i32_f32 (v_cvt_floor_i32_f32): floor(x). */
export function cvtFlrI32(x: number): number {
  return cvtI32(Math.floor(x));
}

/** v_cvt_off_f32_i4: bits 3 to 0 as a signed number of sixteenths. */
export function cvtOffF32I4(bits: number): number {
  return ((bits << 28) >> 28) / 16;
}

/** v_cvt_f32_ubyte0 to 3: byte `index` of a register. */
export function cvtF32Ubyte(bits: number, index: number): number {
  return (bits >>> (8 * index)) & 0xff;
}

/** v_cvt_norm_i16_f16: [-1, 1] to [-32767, 32767], to nearest even; the result is the 16-bit pattern. */
export function cvtNormI16(x: number): number {
  if (!(x > -1)) return x <= -1 ? 0x8001 : 0;
  // 24 + 15 bits: the product is exact.
  return x >= 1 ? 0x7fff : rndne(x * 32767) & 0xffff;
}

/** v_cvt_norm_u16_f16: [0, 1] to [0, 65535], to nearest even. */
export function cvtNormU16(x: number): number {
  if (!(x > 0)) return 0;
  return x >= 1 ? 0xffff : rndne(x * 65535);
}

/** v_cvt_pknorm_i16_f32, v_cvt_pknorm_i16_f16. */
export function cvtPknormI16(low: number, high: number): number {
  return pack(cvtNormI16(low), cvtNormI16(high));
}

/** v_cvt_pknorm_u16_f32, v_cvt_pknorm_u16_f16. */
export function cvtPknormU16(low: number, high: number): number {
  return pack(cvtNormU16(low), cvtNormU16(high));
}

/** v_cvt_pk_u16_u32, of u32 values, saturating. */
export function cvtPkU16U32(low: number, high: number): number {
  return pack(Math.min(low, 0xffff), Math.min(high, 0xffff));
}

/** v_cvt_pk_i16_i32, of i32 values, saturating. */
export function cvtPkI16I32(low: number, high: number): number {
  return pack(cvtI16(low), cvtI16(high));
}

/**
 * v_cvt_pk_u8_f32: `x` rounded to an integer in the given mode, saturated to [0, 255] (NaN gives 0), in byte `index &
 * 3` of `into`.
 */
export function cvtPkU8F32(x: number, index: number, into: number, rounding: Rounding): number {
  const integer = roundToInteger(x, rounding);
  const byte = integer >= 255 ? 255 : integer > 0 ? integer : 0;
  const shift = (index & 3) * 8;
  return ((into & ~(0xff << shift)) | (byte << shift)) >>> 0;
}

function roundToInteger(x: number, rounding: Rounding): number {
  if (rounding === Round.NearestEven) return rndne(x);
  if (rounding === Round.PlusInfinity) return Math.ceil(x);
  return rounding === Round.MinusInfinity ? Math.floor(x) : Math.trunc(x);
}

/** The value of a bfloat16 pattern. */
export function bf16ToNumber(bits: number): number {
  return f32OfBits(bits << 16);
}

/** An f32 value as a bfloat16 pattern; a NaN gives the default NaN. */
export function roundBf16(x: number, rounding: Rounding): number {
  if (x !== x) return 0x7fc0;
  const bits = bitsOfF32(x);
  const kept = bits >>> 16;
  const rest = bits & 0xffff;
  if (rest === 0) return kept;
  if (rounding === Round.NearestEven) return kept + (rest > 0x8000 || (rest === 0x8000 && (kept & 1) === 1) ? 1 : 0);
  // Away from zero a carry out of the largest finite value gives the infinity, as it should.
  return kept + (rounding === (x < 0 ? Round.MinusInfinity : Round.PlusInfinity) ? 1 : 0);
}

function pack(low: number, high: number): number {
  return (low | (high << 16)) >>> 0;
}

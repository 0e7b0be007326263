/**
 * Conversions: all `v_cvt_*` except those from and to 8-bit floats (gfx942).
 *
 * Which rounding field counts is LLVM's `FPDPRounding`: results in f16 round as f64 does, results in f32 by the f32
 * field. Conversions from and to f16 keep f16 denormals whatever MODE says (Vega ISA: "FP16 denormal inputs are always
 * accepted", "creates FP16 denormals when appropriate").
 */
import { flushBits32 } from '../arithmetic/denormals.js';
import {
  cvtF16F32, cvtF16Integer, cvtF32F64, cvtF32Integer, cvtF32Ubyte, cvtFlrI32, cvtI16, cvtI32, cvtNormI16,
  cvtNormU16, cvtOffF32I4, cvtPkI16I32, cvtPknormI16, cvtPknormU16, cvtPkrtzF16Bits, cvtPkU16U32, cvtPkU8F32, cvtRpiI32,
  cvtU16, cvtU32,
} from '../arithmetic/convert.js'; // prettier-ignore
import { f16ToNumber } from '../arithmetic/f16.js';
import { f32OfBits } from '../arithmetic/bits.js';
import { narrowNaN32, narrowNaN64, widenNaN16, widenNaN32High, widenNaN32Low } from '../arithmetic/nan.js';
import type { Rounding } from '../arithmetic/rounding.js';
import type { FloatMode } from '../wave.js';
import { bitsToF32, bitsToF64, f32ToBits, f32ToF64, f64ToBits, f64ToF32 } from './float-mixed-shapes.js';
import { ACCUMULATE, binaryBits, ternaryBits, unaryBits, type Bits2 } from './float-shapes.js';
import { named, type Operation, type OperationTable } from './operation.js';

const rounding32 = (mode: FloatMode): Rounding => mode.roundF32 as Rounding;
const rounding16 = (mode: FloatMode): Rounding => mode.roundF16F64 as Rounding;
const input32 = (bits: number, mode: FloatMode): number => ((mode.denormF32 & 1) === 0 ? flushBits32(bits) : bits);
const value32 = (bits: number, mode: FloatMode): number => f32OfBits(input32(bits, mode));

// --- two results in one register -------------------------------------------------------------------------------------

const packF32 = (f: (low: number, high: number) => number): Operation =>
  binaryBits((a, b, mode) => f(value32(a, mode), value32(b, mode)), ['f32', 'f32'], 'b32');
const packF16 = (f: (low: number, high: number) => number): Operation =>
  binaryBits((a, b) => f(f16ToNumber(a), f16ToNumber(b)), ['f16', 'f16'], 'b32');

const truncatingHalves: Bits2 = (a, b, mode) => cvtPkrtzF16Bits(input32(a, mode), input32(b, mode));
const packedHalves = binaryBits(truncatingHalves, ['f32', 'f32'], 'b32');

const byteInto = (a: number, index: number, into: number, mode: FloatMode): number =>
  cvtPkU8F32(value32(a, mode), index, into, rounding32(mode));

// --- NaNs from format to format --------------------------------------------------------------------------------------

const widenNaN32 = (words: Uint32Array, bits: number): void => {
  words[0] = widenNaN32Low(bits);
  words[1] = widenNaN32High(bits);
};

const ubyte = (index: number): Operation => bitsToF32((bits) => cvtF32Ubyte(bits, index), 'b32');

export const floatConvert: OperationTable = {
  v_cvt_i32_f32: f32ToBits(cvtI32, 'b32'),
  v_cvt_u32_f32: f32ToBits(cvtU32, 'b32'),
  ...named(f32ToBits(cvtRpiI32, 'b32'), 'v_cvt_rpi_i32_f32', 'v_cvt_nearest_i32_f32'),
  ...named(f32ToBits(cvtFlrI32, 'b32'), 'v_cvt_flr_i32_f32', 'v_cvt_floor_i32_f32'),
  v_cvt_i32_f64: f64ToBits(cvtI32),
  v_cvt_u32_f64: f64ToBits(cvtU32),
  v_cvt_i16_f16: unaryBits((a) => cvtI16(f16ToNumber(a)), ['f16'], 'b16'),
  v_cvt_u16_f16: unaryBits((a) => cvtU16(f16ToNumber(a)), ['f16'], 'b16'),
  v_cvt_norm_i16_f16: unaryBits((a) => cvtNormI16(f16ToNumber(a)), ['f16'], 'b16'),
  v_cvt_norm_u16_f16: unaryBits((a) => cvtNormU16(f16ToNumber(a)), ['f16'], 'b16'),

  v_cvt_f32_i32: bitsToF32((bits, mode) => cvtF32Integer(bits, rounding32(mode)), 'b32'),
  v_cvt_f32_u32: bitsToF32((bits, mode) => cvtF32Integer(bits >>> 0, rounding32(mode)), 'b32'),
  v_cvt_f32_ubyte0: ubyte(0),
  v_cvt_f32_ubyte1: ubyte(1),
  v_cvt_f32_ubyte2: ubyte(2),
  v_cvt_f32_ubyte3: ubyte(3),
  v_cvt_off_f32_i4: bitsToF32(cvtOffF32I4, 'b32'),
  v_cvt_f64_i32: bitsToF64((bits) => bits),
  v_cvt_f64_u32: bitsToF64((bits) => bits >>> 0),
  v_cvt_f16_i16: unaryBits((a, mode) => cvtF16Integer(a | 0, rounding16(mode)), ['i16'], 'f16'),
  v_cvt_f16_u16: unaryBits((a, mode) => cvtF16Integer(a, rounding16(mode)), ['b16'], 'f16'),

  v_cvt_f32_f16: bitsToF32(f16ToNumber, 'f16', widenNaN16),
  v_cvt_f16_f32: f32ToBits((x, mode) => cvtF16F32(x, rounding16(mode)), 'f16', narrowNaN32),
  v_cvt_f64_f32: f32ToF64(widenNaN32),
  v_cvt_f32_f64: f64ToF32((x, mode) => cvtF32F64(x, rounding32(mode)), narrowNaN64),

  ...named(packedHalves, 'v_cvt_pkrtz_f16_f32', 'v_cvt_pk_rtz_f16_f32'),
  ...named(packF32(cvtPknormI16), 'v_cvt_pknorm_i16_f32', 'v_cvt_pk_norm_i16_f32'),
  ...named(packF32(cvtPknormU16), 'v_cvt_pknorm_u16_f32', 'v_cvt_pk_norm_u16_f32'),
  ...named(packF16(cvtPknormI16), 'v_cvt_pknorm_i16_f16', 'v_cvt_pk_norm_i16_f16'),
  ...named(packF16(cvtPknormU16), 'v_cvt_pknorm_u16_f16', 'v_cvt_pk_norm_u16_f16'),
  // These two truncate.
  v_cvt_pk_i16_f32: packF32((low, high) => cvtI16(low) | (cvtI16(high) << 16)),
  v_cvt_pk_u16_f32: packF32((low, high) => cvtU16(low) | (cvtU16(high) << 16)),
  v_cvt_pk_u8_f32: ternaryBits(byteInto, ['f32', 'b32', 'b32'], 'b32'),
  v_cvt_pkaccum_u8_f32: ternaryBits(byteInto, ['f32', 'b32', 'b32'], 'b32', ACCUMULATE),

  v_cvt_pk_i16_i32: binaryBits((a, b) => cvtPkI16I32(a | 0, b | 0), ['b32', 'b32'], 'b32'),
  v_cvt_pk_u16_u32: binaryBits(cvtPkU16U32, ['b32', 'b32'], 'b32'),
  v_cvt_i32_i16: unaryBits((a) => a, ['i16'], 'b32'),
  v_cvt_u32_u16: unaryBits((a) => a, ['b16'], 'b32'),
};

/**
 * Vector operations on 16-bit integers, one per lane. modifiers.ts selects halves and writes partial registers, so here
 * a source is a sign- or zero-extended word, and only the low half of a result counts.
 */
import {
  binaryInteger,
  clampable,
  saturateI16,
  saturateI32,
  saturateU16,
  saturateU32,
  ternaryInteger,
  unaryInteger,
  type Binary,
  type Ternary,
  type Unary,
} from './integer-shapes.js';
import { named, type Operation, type OperationTable } from './operation.js';

type Half = 'b16' | 'i16';

const saturate = (type: Half): Unary => (type === 'b16' ? saturateU16 : saturateI16);

/** `exact` gives the result before wrapping. */
function binary16(type: Half, exact: Binary): Operation {
  const to = saturate(type);
  return clampable(
    binaryInteger(exact, type, 'b16'),
    binaryInteger((a, b) => to(exact(a, b)), type, 'b16'),
  );
}

function ternary16(type: Half, exact: Ternary): Operation {
  const to = saturate(type);
  return clampable(
    ternaryInteger(exact, type, type, 'b16'),
    ternaryInteger((a, b, c) => to(exact(a, b, c)), type, type, 'b16'),
  );
}

/** 16-bit factors, a 32-bit addend and result. */
function mad32(type: Half, exact: Ternary, to: Unary): Operation {
  return clampable(
    ternaryInteger((a, b, c) => exact(a, b, c) | 0, type, 'b32', 'b32'),
    ternaryInteger((a, b, c) => to(exact(a, b, c)), type, 'b32', 'b32'),
  );
}

const min: Binary = (a, b) => (a < b ? a : b);
const max: Binary = (a, b) => (a > b ? a : b);
const min3: Ternary = (a, b, c) => min(min(a, b), c);
const max3: Ternary = (a, b, c) => max(max(a, b), c);
const med3: Ternary = (a, b, c) => max(min(a, b), min(max(a, b), c));
const mad: Ternary = (a, b, c) => a * b + c;

/** A signed 16-bit half as an unsigned byte. */
const saturateU8 = (half: number): number => Math.max(0, Math.min(0xff, half));

export const vectorInteger16: OperationTable = {
  ...named(
    binary16('b16', (a, b) => a + b),
    'v_add_u16',
    'v_add_nc_u16',
  ),
  ...named(
    binary16('b16', (a, b) => a - b),
    'v_sub_u16',
    'v_sub_nc_u16',
  ),
  v_subrev_u16: binary16('b16', (a, b) => b - a),
  ...named(
    binary16('i16', (a, b) => a + b),
    'v_add_i16',
    'v_add_nc_i16',
  ),
  ...named(
    binary16('i16', (a, b) => a - b),
    'v_sub_i16',
    'v_sub_nc_i16',
  ),
  v_mul_lo_u16: binary16('b16', (a, b) => a * b),
  ...named(ternary16('b16', mad), 'v_mad_u16', 'v_mad_legacy_u16'),
  ...named(ternary16('i16', mad), 'v_mad_i16', 'v_mad_legacy_i16'),
  v_mad_u32_u16: mad32('b16', (a, b, c) => a * b + (c >>> 0), saturateU32),
  v_mad_i32_i16: mad32('i16', mad, saturateI32),

  v_min_u16: binary16('b16', (a, b) => (a < b ? a : b)),
  v_max_u16: binary16('b16', (a, b) => (a > b ? a : b)),
  v_min_i16: binary16('i16', (a, b) => (a < b ? a : b)),
  v_max_i16: binary16('i16', (a, b) => (a > b ? a : b)),
  v_min3_u16: ternary16('b16', min3),
  v_max3_u16: ternary16('b16', max3),
  v_med3_u16: ternary16('b16', med3),
  v_min3_i16: ternary16('i16', min3),
  v_max3_i16: ternary16('i16', max3),
  v_med3_i16: ternary16('i16', med3),

  v_lshlrev_b16: binaryInteger((a, b) => b << (a & 15), 'b16', 'b16'),
  v_lshrrev_b16: binaryInteger((a, b) => b >>> (a & 15), 'b16', 'b16'),
  v_ashrrev_i16: binaryInteger((a, b) => b >> (a & 15), 'i16', 'b16'),
  v_not_b16: unaryInteger((a) => ~a, 'b16', 'b16'),
  v_and_b16: binaryInteger((a, b) => a & b, 'b16', 'b16'),
  v_or_b16: binaryInteger((a, b) => a | b, 'b16', 'b16'),
  v_xor_b16: binaryInteger((a, b) => a ^ b, 'b16', 'b16'),

  v_sat_pk_u8_i16: unaryInteger((a) => saturateU8((a << 16) >> 16) | (saturateU8(a >> 16) << 8), 'b32', 'b16'),
};

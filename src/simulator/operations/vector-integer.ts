/**
 * Vector arithmetic on 32-bit integers: sums, products, extrema. Carries are in vector-carry.ts.
 *
 * Where an instruction has the clamp bit, the result saturates: the exact value, which a JavaScript number holds (all
 * stay below 2^53), is moved into the range of the result's type.
 */
import { mulHighSigned, mulHighUnsigned } from '../arithmetic/integer.js';
import {
  type Binary,
  binary32,
  clampable,
  saturateI32,
  saturateU32,
  type Ternary,
  ternary32,
} from './integer-shapes.js';
import { named, type Operation, type OperationTable } from './operation.js';

/** `exact` sees signed words and gives the result before wrapping. */
const saturating2 = (exact: Binary, to: (value: number) => number): Operation =>
  clampable(
    binary32((a, b) => exact(a, b) | 0),
    binary32((a, b) => to(exact(a, b))),
  );
const saturating3 = (exact: Ternary, to: (value: number) => number): Operation =>
  clampable(
    ternary32((a, b, c) => exact(a, b, c) | 0),
    ternary32((a, b, c) => to(exact(a, b, c))),
  );

const addU32 = clampable(
  binary32((a, b) => (a + b) | 0),
  binary32((a, b) => saturateU32((a >>> 0) + (b >>> 0))),
);
const subU32 = clampable(
  binary32((a, b) => (a - b) | 0),
  binary32((a, b) => saturateU32((a >>> 0) - (b >>> 0))),
);
const subrevU32 = clampable(
  binary32((a, b) => (b - a) | 0),
  binary32((a, b) => saturateU32((b >>> 0) - (a >>> 0))),
);

const u24 = (a: number): number => a & 0xffffff;
const i24 = (a: number): number => (a << 8) >> 8;

const minI32: Binary = (a, b) => (a < b ? a : b);
const maxI32: Binary = (a, b) => (a > b ? a : b);
const minU32: Binary = (a, b) => (a >>> 0 < b >>> 0 ? a : b);
const maxU32: Binary = (a, b) => (a >>> 0 > b >>> 0 ? a : b);

const mulLo = binary32((a, b) => Math.imul(a, b));

export const vectorInteger: OperationTable = {
  ...named(addU32, 'v_add_u32', 'v_add_nc_u32'),
  ...named(subU32, 'v_sub_u32', 'v_sub_nc_u32'),
  ...named(subrevU32, 'v_subrev_u32', 'v_subrev_nc_u32'),
  ...named(
    saturating2((a, b) => a + b, saturateI32),
    'v_add_i32',
    'v_add_nc_i32',
  ),
  ...named(
    saturating2((a, b) => a - b, saturateI32),
    'v_sub_i32',
    'v_sub_nc_i32',
  ),

  v_add3_u32: ternary32((a, b, c) => (a + b + c) | 0),
  v_lshl_add_u32: ternary32((a, b, c) => ((a << b) + c) | 0),
  v_add_lshl_u32: ternary32((a, b, c) => (a + b) << c),
  v_xad_u32: ternary32((a, b, c) => ((a ^ b) + c) | 0),

  ...named(mulLo, 'v_mul_lo_u32', 'v_mul_lo_i32'),
  v_mul_hi_u32: binary32((a, b) => mulHighUnsigned(a, b)),
  v_mul_hi_i32: binary32((a, b) => mulHighSigned(a, b)),
  v_mul_u32_u24: saturating2((a, b) => u24(a) * u24(b), saturateU32),
  v_mul_i32_i24: saturating2((a, b) => i24(a) * i24(b), saturateI32),
  v_mul_hi_u32_u24: binary32((a, b) => Math.floor((u24(a) * u24(b)) / 2 ** 32)),
  v_mul_hi_i32_i24: binary32((a, b) => Math.floor((i24(a) * i24(b)) / 2 ** 32)),
  v_mad_u32_u24: saturating3((a, b, c) => u24(a) * u24(b) + (c >>> 0), saturateU32),
  v_mad_i32_i24: saturating3((a, b, c) => i24(a) * i24(b) + c, saturateI32),

  v_min_i32: binary32((a, b) => (a < b ? a : b)),
  v_max_i32: binary32((a, b) => (a > b ? a : b)),
  v_min_u32: binary32((a, b) => (a >>> 0 < b >>> 0 ? a : b)),
  v_max_u32: binary32((a, b) => (a >>> 0 > b >>> 0 ? a : b)),
  v_min3_i32: ternary32((a, b, c) => minI32(minI32(a, b), c)),
  v_max3_i32: ternary32((a, b, c) => maxI32(maxI32(a, b), c)),
  v_med3_i32: ternary32((a, b, c) => maxI32(minI32(a, b), minI32(maxI32(a, b), c))),
  v_min3_u32: ternary32((a, b, c) => minU32(minU32(a, b), c)),
  v_max3_u32: ternary32((a, b, c) => maxU32(maxU32(a, b), c)),
  v_med3_u32: ternary32((a, b, c) => maxU32(minU32(a, b), minU32(maxU32(a, b), c))),
  v_minmax_i32: ternary32((a, b, c) => maxI32(minI32(a, b), c)),
  v_maxmin_i32: ternary32((a, b, c) => minI32(maxI32(a, b), c)),
  v_minmax_u32: ternary32((a, b, c) => maxU32(minU32(a, b), c)),
  v_maxmin_u32: ternary32((a, b, c) => minU32(maxU32(a, b), c)),
};

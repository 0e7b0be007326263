/** Vector operations on 32-bit integers and bits. */
import { binary32, compare32, named, ternary32, unary32, type OperationTable } from './operation.js';

export const vectorInteger: OperationTable = {
  v_mov_b32: unary32((a) => a),
  v_not_b32: unary32((a) => ~a),
  v_and_b32: binary32((a, b) => a & b),
  v_or_b32: binary32((a, b) => a | b),
  v_xor_b32: binary32((a, b) => a ^ b),
  v_lshlrev_b32: binary32((a, b) => b << a),
  v_lshl_or_b32: ternary32((a, b, c) => (a << b) | c),
  v_cmp_gt_u32: compare32((a, b) => a >>> 0 > b >>> 0),
  v_cmp_lt_i32: compare32((a, b) => a < b),
  ...named(
    binary32((a, b) => (a + b) | 0),
    'v_add_u32',
    'v_add_nc_u32',
  ),
};

/**
 * Scalar integer arithmetic. SCC is carry, borrow, signed overflow or "the first one was taken" (ISA documents, SOP2,
 * SOPK).
 */
import { mulHighSigned, mulHighUnsigned } from '../arithmetic/integer.js';
import type { Wave } from '../wave.js';
import type { Operation, OperationTable } from './operation.js';
import { scalarBinary, test1, test2, value1, value2 } from './scalar-operation.js';

/** SCC = unsigned overflow of (src0 << n) + src1, with the bits that were shifted out. */
const shiftAdd = (factor: number): Operation =>
  scalarBinary((w, d, a, b) => {
    const sum = w.u32[a]! * factor + w.u32[b]!;
    w.u32[d] = sum;
    w.scc = sum > 0xffffffff ? 1 : 0;
  });

/**
 * SCC = src0 was taken, which it is only when it is strictly less or greater. (For the maxima the newer ISA documents
 * say greater or equal, the older ones and the hardware do not.)
 */
const select = (takesFirst: (a: number, b: number) => boolean): Operation =>
  scalarBinary((w, d, a, b) => {
    const first = w.i32[a]!;
    const second = w.i32[b]!;
    const takes = takesFirst(first, second);
    w.i32[d] = takes ? first : second;
    w.scc = takes ? 1 : 0;
  });

function addSigned(w: Wave, d: number, a: number, b: number): void {
  const sum = (a + b) | 0;
  w.i32[d] = sum;
  w.scc = ((a ^ sum) & (b ^ sum)) < 0 ? 1 : 0;
}

/** sdst = sdst + or * a signed 16-bit constant. */
const withConstant =
  (run: (w: Wave, d: number, a: number, constant: number) => void): Operation =>
  (site) => {
    const a = site.scalarSource('sdst');
    const constant = (site.instruction.immediate('simm16') << 16) >> 16;
    const d = site.scalarDestination('sdst');
    return site.step((w) => run(w, d, w.i32[a]!, constant));
  };

export const scalarArithmetic: OperationTable = {
  s_add_u32: scalarBinary((w, d, a, b) => {
    const sum = w.u32[a]! + w.u32[b]!;
    w.u32[d] = sum;
    w.scc = sum > 0xffffffff ? 1 : 0;
  }),
  s_sub_u32: scalarBinary((w, d, a, b) => {
    const difference = w.u32[a]! - w.u32[b]!;
    w.u32[d] = difference;
    w.scc = difference < 0 ? 1 : 0;
  }),
  s_addc_u32: scalarBinary((w, d, a, b) => {
    const sum = w.u32[a]! + w.u32[b]! + w.scc;
    w.u32[d] = sum;
    w.scc = sum > 0xffffffff ? 1 : 0;
  }),
  s_subb_u32: scalarBinary((w, d, a, b) => {
    const difference = w.u32[a]! - w.u32[b]! - w.scc;
    w.u32[d] = difference;
    w.scc = difference < 0 ? 1 : 0;
  }),
  s_add_i32: scalarBinary((w, d, a, b) => addSigned(w, d, w.i32[a]!, w.i32[b]!)),
  s_sub_i32: scalarBinary((w, d, a, b) => {
    const first = w.i32[a]!;
    const second = w.i32[b]!;
    const difference = (first - second) | 0;
    w.i32[d] = difference;
    w.scc = ((first ^ second) & (first ^ difference)) < 0 ? 1 : 0;
  }),
  s_addk_i32: withConstant(addSigned),
  s_mulk_i32: withConstant((w, d, a, constant) => {
    w.i32[d] = Math.imul(a, constant);
  }),

  s_mul_i32: value2((a, b) => Math.imul(a, b)),
  s_mul_hi_u32: value2(mulHighUnsigned),
  s_mul_hi_i32: value2(mulHighSigned),

  s_lshl1_add_u32: shiftAdd(2),
  s_lshl2_add_u32: shiftAdd(4),
  s_lshl3_add_u32: shiftAdd(8),
  s_lshl4_add_u32: shiftAdd(16),

  // The difference wraps before its sign is looked at: |-2^31 - 1| is 2^31 - 1.
  s_absdiff_i32: test2((a, b) => Math.abs((a - b) | 0) | 0),
  s_abs_i32: test1((a) => Math.abs(a) | 0),

  s_min_i32: select((a, b) => a < b),
  s_min_u32: select((a, b) => a >>> 0 < b >>> 0),
  s_max_i32: select((a, b) => a > b),
  s_max_u32: select((a, b) => a >>> 0 > b >>> 0),

  s_sext_i32_i8: value1((a) => (a << 24) >> 24),
  s_sext_i32_i16: value1((a) => (a << 16) >> 16),
};

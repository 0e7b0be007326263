/**
 * The "legacy" operations, after Direct3D 9: zero times anything is +0 (even infinity and NaN), comparisons choose src1
 * unless they hold, and a reciprocal is never infinite.
 */
import { fmaF32Mode, mulF32 } from './f32.js';
import type { Rounding } from './rounding.js';

/** v_mul_legacy_f32 (v_mul_dx9_zero_f32). */
export function mulLegacy(a: number, b: number, rounding: Rounding): number {
  return a === 0 || b === 0 ? 0 : mulF32(a, b, rounding);
}

/** v_fma_legacy_f32 (v_fma_dx9_zero_f32): a · b + c, the product +0 if a factor is zero. */
export function fmaLegacy(a: number, b: number, c: number, rounding: Rounding): number {
  return a === 0 || b === 0 ? fmaF32Mode(0, 0, c, rounding) : fmaF32Mode(a, b, c, rounding);
}

/** v_min_legacy_f32 (gfx6, gfx7): src0 if it is less, else src1, NaNs included. */
export function minLegacy(a: number, b: number): number {
  return a < b ? a : b;
}

/** v_max_legacy_f32 (gfx6, gfx7): src0 if it is greater or equal, else src1, NaNs included. */
export function maxLegacy(a: number, b: number): number {
  return a >= b ? a : b;
}

/** The product of the "legacy" operations, after Direct3D 9: zero times anything is +0, even infinity and NaN. */
import { mulF32 } from './f32.js';
import type { Rounding } from './rounding.js';

/** v_mul_legacy_f32 (v_mul_dx9_zero_f32). */
export function mulLegacy(a: number, b: number, rounding: Rounding): number {
  return a === 0 || b === 0 ? 0 : mulF32(a, b, rounding);
}

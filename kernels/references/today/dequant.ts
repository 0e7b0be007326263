/**
 * Reference of dequant.hip: groups of 32 weights, in INT4 with scale and zero point or in FP8 (finite E4M3) with scale.
 */
import { f32, type Reference } from '../reference.js';

function fp8(code: number): number {
  const [exponent, mantissa] = [(code >> 3) & 15, code & 7];
  const magnitude = exponent === 0 ? mantissa * 2 ** -9 : (8 + mantissa) * 2 ** (exponent - 10);
  return code & 128 ? -magnitude : magnitude;
}

export const dequant: Reference = {
  scalars: {},
  compute({ buffers: { codes, scales, zeros, formats }, grid, block }) {
    const out = new Float32Array(grid[0] * block[0] * 8).map((_, weight) => {
      const group = Math.floor(weight / 32);
      const at = weight % 32;
      const int4 = formats![group] === 0;
      const perWord = int4 ? 8 : 4;
      const word = codes![group * 8 + Math.floor(at / perWord)]!;
      const value = int4 ? ((word >>> (4 * (at % 8))) & 15) - zeros![group]! : fp8((word >>> (8 * (at % 4))) & 255);
      return f32(value * scales![group]!);
    });
    return { out };
  },
};

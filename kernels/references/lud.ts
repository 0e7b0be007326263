/**
 * Reference of lud.hip. The tiles right of the diagonal tile become L⁻¹A, those below it AU⁻¹, where L (with ones on
 * its diagonal) and U are the triangles of the decomposed diagonal tile. The terms are subtracted one by one in
 * ascending order.
 */
import { bySize, f32, type Reference } from './reference.js';

export const lud = bySize('lud', [16, 32, 64, 128], (threads): Reference => ({
  scalars: { width: 'u32', offset: 'u32' },
  compute({ buffers, scalars, grid: [tiles] }) {
    const tile = threads / 2;
    const { width, offset } = scalars as { width: number; offset: number };
    const matrix = Float32Array.from(buffers['matrix']!);
    const end = offset + tile;
    for (let other = end; other < end + tiles * tile; other++)
      for (let i = offset; i < end; i++) {
        let row = matrix[i * width + other]!;
        let column = matrix[other * width + i]!;
        for (let j = offset; j < i; j++) {
          row = f32(row - f32(matrix[i * width + j]! * matrix[j * width + other]!));
          column = f32(column - f32(matrix[other * width + j]! * matrix[j * width + i]!));
        }
        matrix[i * width + other] = row;
        matrix[other * width + i] = f32(column / matrix[i * width + i]!);
      }
    return { matrix };
  },
}));

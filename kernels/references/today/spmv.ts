/** Reference of spmv.hip: rows of up to `width` elements are in the ELL part, longer ones in the CSR arrays. */
import { f32, perThread } from '../reference.js';

export const spmv = perThread(
  { y: 'f32' },
  (row, { buffers: { x, starts, columns, values, ellColumns, ellValues }, scalars: { rows, width } }) => {
    const length = starts![row + 1]! - starts![row]!;
    const short = length <= width!;
    const products = Array.from({ length }, (_, k) => {
      const at = short ? k * rows! + row : starts![row]! + k;
      return f32((short ? ellValues : values)![at]! * x![(short ? ellColumns : columns)![at]!]!);
    });
    return { y: products.reduce((sum, product) => f32(sum + product), 0) };
  },
  { rows: 'u32', width: 'u32' },
);

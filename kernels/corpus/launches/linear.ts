import { f32, groups, i32, inOut, line, out, plane } from '../launch.js';
import type { Family } from '../family.js';

/** Exact for what is needed here: angles in steps of a quarter of a full turn over 64, by a rotation. */
function twiddles(): { cosines: Float32Array; sines: Float32Array } {
  const [stepC, stepS] = [0.9987954562051724, -0.049067674327418015];
  const [cosines, sines] = [new Float32Array(64), new Float32Array(64)];
  for (let k = 0, c = 1, s = 0; k < 64; k++, [c, s] = [c * stepC - s * stepS, c * stepS + s * stepC]) {
    cosines[k] = c;
    sines[k] = s;
  }
  return { cosines, sines };
}

export const linear: Family = {
  gauss_jordan_step: (d) => {
    const n = d.side(60);
    const a = d.normals(n * n);
    a[10 * n + 10] = 5;
    return plane([n, n], [16, 16], out.f32(n * n), a, i32(Math.min(10, n - 1)), i32(n));
  },
  cholesky_block: (d) => {
    const blocks = d.count(6);
    const matrices = Float32Array.from({ length: 256 * blocks }, (_, k) => {
      const [row, column] = [(k % 256) >> 4, k % 16];
      return row === column ? 20 + row : 1 / (1 + Math.abs(row - column));
    });
    return groups(
      blocks,
      256,
      out.f32(256 * blocks),
      matrices.map((v) => v * d.real(0.999, 1.001)),
    );
  },
  lu_pivot_small: (d) => {
    const matrices = d.count(500);
    return line(matrices, 128, inOut(d.normals(36 * matrices)), out.i32(matrices), i32(matrices));
  },
  givens_rotations: (d) => {
    const n = d.count(3000);
    const b = d.normals(n).map((v) => (d.chance(0.02) ? 0 : v));
    return line(n, 256, out.f32(n), out.f32(n), out.f32(n), d.normals(n), b, i32(n));
  },
  jacobi_two: (d) => {
    const n = d.count(3000);
    const b = d.normals(n).map((v) => (d.chance(0.1) ? 0 : v));
    return line(n, 256, out.f32(n), out.f32(n), d.normals(n), b, d.normals(n), i32(n));
  },
  cyclic_reduction: (d) => {
    const n = d.count(2048);
    const some = () => d.floats(n, 0.5, 1);
    const diagonal = d.floats(n, 3, 4);
    return line(
      n,
      256,
      out.f32(n),
      out.f32(n),
      out.f32(n),
      out.f32(n),
      some(),
      diagonal,
      some(),
      some(),
      i32(16),
      i32(n),
    );
  },
  triangular_update: (d) => {
    const n = d.side(40);
    return plane([n, n], [16, 16], out.f32(n * n), d.normals(n * n), d.normals(n * n), i32(1), i32(n));
  },
  fft_block: (d) => {
    const blocks = d.count(8);
    const { cosines, sines } = twiddles();
    return groups(blocks, 128, inOut(d.normals(128 * blocks)), inOut(d.normals(128 * blocks)), cosines, sines);
  },
  haar_step: (d) => {
    const n = d.count(3999);
    return line(n, 256, out.f32(n), d.picture(n, 1), i32(n));
  },
  constrained_axpy: (d) => {
    const n = d.count(4000);
    const side = Math.round(Math.sqrt(n));
    const fixed = Uint8Array.from({ length: n }, (_, i) => Number(i % side === 0 || i % side === side - 1 || i < side));
    return line(n, 256, inOut(d.normals(n)), inOut(d.normals(n)), d.normals(n), d.normals(n), fixed, f32(0.3), i32(n));
  },
};

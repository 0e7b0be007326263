import type { Inputs } from '../inputs.js';
import { f32, i32, line, out, plane } from '../launch.js';
import type { Family } from '../family.js';

const signed = (length: number) => ({ contents: new Int8Array(length) });

/** Unit quaternions. */
function rotations(d: Inputs, n: number): Float32Array {
  const q = d.normals(4 * n);
  for (let i = 0; i < n; i++) {
    const part = q.subarray(4 * i, 4 * i + 4);
    const length = Math.sqrt(part.reduce((sum, v) => sum + v * v, 0)) + 1e-6;
    part.forEach((v, k) => (part[k] = v / length));
  }
  return q;
}

function matrices(d: Inputs, n: number): Float32Array {
  const q = rotations(d, n);
  return Float32Array.from(
    Array.from({ length: n }, (_, i) => {
      const [w, x, y, z] = q.subarray(4 * i, 4 * i + 4) as unknown as [number, number, number, number];
      return [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
      ].flat();
    }).flat(),
  );
}

export const geometry: Family = {
  orientation: (d) => {
    const n = d.count(3000);
    const points = d.floats(2 * n, -1, 1);
    // Few are on the line or so near that it is hard to tell.
    for (let i = 0; i < n; i++) if (d.chance(0.01)) points[2 * i + 1] = 0.5 * points[2 * i]!;
    return line(n, 256, signed(n), points, Float32Array.from([-2, -1, 2, 1]), i32(n));
  },
  in_polygon: (d) => {
    const [n, corners] = [d.count(1500), 24];
    const polygon = Float32Array.from({ length: 2 * corners }, (_, k) => {
      const at = Math.floor(k / 2) / corners;
      const [x, y] = at < 0.5 ? [4 * at - 1, 1 - Math.abs(4 * at - 1)] : [3 - 4 * at, Math.abs(3 - 4 * at) - 1];
      return (k % 2 === 0 ? x : y) * d.real(0.5, 1);
    });
    return line(n, 128, out.u8(n), d.floats(2 * n, -1, 1), polygon, i32(corners), i32(n));
  },
  clip_lines: (d) => {
    const n = d.count(2000);
    return line(n, 128, out.f32(4 * n), out.u8(n), d.floats(4 * n, -1.5, 1.5), f32(-1), f32(1), i32(n));
  },
  segments_cross: (d) => {
    const n = d.count(3000);
    // On a coarse grid, where some are collinear.
    const some = () => Float32Array.from(d.ints(4 * n, 0, 12));
    return line(n, 256, out.u8(n), some(), some(), i32(n));
  },
  nearest_on_triangle: (d) => {
    const n = d.count(2000);
    return line(n, 128, out.f32(2 * n), d.floats(2 * n, -2, 2), Float32Array.from([-1, -1, 1.2, -0.5, 0.1, 1]), i32(n));
  },
  marching_squares: (d) => {
    const [w, h] = [d.side(66), d.side(46)];
    const field = Float32Array.from(
      { length: w * h },
      (_, i) => ((i % w) / w - 0.5) ** 2 + (Math.floor(i / w) / h - 0.4) ** 2,
    );
    return plane(
      [w, h],
      [16, 16],
      out.f32(4 * w * h),
      field.map((v) => v + d.real(0, 0.03)),
      f32(0.1),
      i32(w),
      i32(h),
    );
  },
  slerp: (d) => {
    const n = d.count(2000);
    const a = rotations(d, n);
    const far = rotations(d, n);
    // Frames of an animation: most turn little.
    const b = Float32Array.from(a, (v, k) => (Math.floor(k / 4) % 10 < 6 ? v : far[k]!));
    return line(n, 128, out.f32(4 * n), a, b, d.floats(n, 0, 1), i32(n));
  },
  matrix_to_quaternion: (d) => {
    const n = d.count(2000);
    return line(n, 128, out.f32(4 * n), matrices(d, n), i32(n));
  },
  box_overlap: (d) => {
    const n = d.count(2000);
    const some = () => Float32Array.from({ length: 6 * n }, (_, k) => (k % 6 < 3 ? d.real(0, 4) : d.real(0.3, 1.5)));
    return line(n, 128, signed(n), out.f32(n), some(), some(), i32(n));
  },
};

import type { Inputs } from '../inputs.js';
import { f32, i32, inOut, line, out } from '../launch.js';
import type { Family } from '../family.js';

/** Cosines and sines of 64 positions for `half` frequencies. */
function angles(half: number): { cosines: Float32Array; sines: Float32Array } {
  const [cosines, sines] = [new Float32Array(64 * half), new Float32Array(64 * half)];
  for (let k = 0; k < half; k++) {
    // A rotation by a fixed step, from frequency to frequency smaller: t is the tangent of half the angle.
    const t = 0.4 / (k + 1);
    const [stepC, stepS] = [(1 - t * t) / (1 + t * t), (2 * t) / (1 + t * t)];
    for (let p = 0, c = 1, s = 0; p < 64; p++, [c, s] = [c * stepC - s * stepS, c * stepS + s * stepC]) {
      cosines[p * half + k] = c;
      sines[p * half + k] = s;
    }
  }
  return { cosines, sines };
}

/** What was said: few tokens of many, some often. */
const counts = (d: Inputs, n: number): Uint8Array =>
  Uint8Array.from({ length: n }, () => (d.chance(0.03) ? 1 + d.skewed(8) : 0));

export const transformer: Family = {
  rotary_halves: (d) => {
    const [width, rotated] = [64, 48];
    const n = width * d.count(60);
    const { cosines, sines } = angles(rotated / 2);
    return line(n, 256, out.f32(n), d.normals(n), cosines, sines, i32(width), i32(rotated), i32(n));
  },
  rotary_pairs: (d) => {
    const width = 64;
    const n = width * d.count(60);
    const { cosines, sines } = angles(width / 2);
    return line(n, 256, out.f32(n), d.normals(n), cosines, sines, i32(width), i32(n));
  },
  paged_scores: (d) => {
    const [n, width, heads] = [d.count(500), 16, 4];
    const pages = d.permutation(Math.ceil(n / 16));
    const slopes = Float32Array.from([0, 0.5, 0, 0.25]);
    const args = [out.f32(n * heads), d.normals(heads * width), d.normals(pages.length * 16 * width), pages, slopes];
    const position = Math.floor(0.9 * n);
    const rest = [i32(position), i32(Math.floor(0.6 * n)), i32(width), i32(n)];
    return { grid: [Math.ceil(n / 128), heads], block: [128], args: [...args, ...rest] };
  },
  route_experts: (d) => {
    const [n, experts] = [d.count(1000), 8];
    const logits = d.normals(n * experts, 0, 2);
    return line(n, 128, out.i32(2 * n), out.f32(2 * n), out.i32(experts), logits, i32(experts), f32(0.1), i32(n));
  },
  adjust_logits: (d) => {
    const n = d.count(4000);
    const forbidden = Uint32Array.from({ length: Math.ceil(n / 32) }, () =>
      d.chance(0.05) ? d.whole(0, 2 ** 32 - 1) : 0,
    );
    return line(n, 256, inOut(d.normals(n, 0, 3)), counts(d, n), forbidden, f32(1.2), f32(0.7), i32(n));
  },
  mixed_precision_product: (d) => {
    const [rows, columns] = [48, d.count(800)];
    const wide = Int8Array.from(d.ints(rows * columns, -127, 127));
    const narrow = d.bytes((rows * columns) / 2);
    const isWide = d.flags(columns, 0.06);
    return line(
      columns,
      128,
      out.f32(columns),
      d.normals(rows),
      wide,
      narrow,
      d.floats(columns, 0.01, 0.02),
      isWide,
      i32(rows),
      i32(columns),
    );
  },
  gated_unit: (d) => {
    const width = 96;
    const rows = d.count(30);
    const n = width * rows;
    return line(n, 256, out.f32(n), d.normals(n), d.normals(n), d.flags(rows, 0.5), i32(width), i32(n));
  },
  write_cache: (d) => {
    const width = 32;
    const tokens = d.count(100);
    const n = width * tokens;
    const slots = d.permutation(tokens).map((slot) => (d.chance(0.15) ? -1 : slot));
    return line(n, 256, { contents: new Int8Array(n) }, d.normals(n), slots, f32(60), i32(width), i32(n));
  },
};

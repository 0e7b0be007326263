import { f32, i32, inOut, line, out, plane, u32 } from '../launch.js';
import type { Family } from '../family.js';

export const neural: Family = {
  activations: (d) => {
    const [n, channels] = [d.count(3000), 100];
    const kind = Uint8Array.from(d.runs(channels, 20, 0, 3));
    return line(n, 256, out.f32(n), d.normals(n, 0, 2), kind, i32(channels), i32(n));
  },
  selu_with_gradient: (d) => {
    const n = d.count(3000);
    return line(n, 256, out.f32(n), out.f32(n), d.normals(n, 0.2), i32(n));
  },
  hard_swish: (d) => {
    const n = d.count(4000);
    return line(n, 256, out.f32(n), d.normals(n, 0, 2), i32(n));
  },
  gelu_exact: (d) => {
    const n = d.count(4000);
    return line(n, 256, out.f32(n), d.normals(n, 0, 1.5), i32(n));
  },
  convolve_padded: (d) => {
    const [w, h] = [d.side(50), d.side(34)];
    return plane([w, h], [16, 16], out.f32(w * h), d.normals(3 * w * h), d.normals(27), i32(w), i32(h), i32(3));
  },
  pool_mixed: (d) => {
    const [w, h, channels] = [d.side(20) & ~1, d.side(20) & ~1, 24];
    const n = (w / 2) * (h / 2) * channels;
    return line(n, 256, out.f32(n), d.normals(w * h * channels), d.flags(channels, 0.5), i32(w), i32(h), i32(n));
  },
  max_pool_index: (d) => {
    const [w, h] = [d.side(96), d.side(80)];
    const n = Math.ceil(w / 2) * Math.ceil(h / 2);
    return plane(
      [Math.ceil(w / 2), Math.ceil(h / 2)],
      [16, 16],
      out.f32(n),
      out.i32(n),
      d.picture(w, h),
      i32(w),
      i32(h),
    );
  },
  dropout: (d) => {
    const n = d.count(4000);
    return line(n, 256, out.f32(n), out.u8(n), d.normals(n), u32(d.whole(0, 2 ** 32 - 1)), f32(0.9), i32(n));
  },
  softmax_causal: (d) => {
    const length = 32;
    const rows = length * d.count(16);
    const padding = Uint8Array.from({ length: rows }, (_, k) =>
      Number(k % length >= length - (Math.floor(k / length) % 3) * 5),
    );
    return line(rows, 128, out.f32(rows * length), d.normals(rows * length), padding, i32(length), i32(rows));
  },
  embedding_rows: (d) => {
    const [n, width, words] = [d.count(250), 16, 1000];
    const tokens = Int32Array.from({ length: n }, () =>
      d.chance(0.1) ? 0 : d.chance(0.03) ? words + 5 : 1 + d.skewed(words - 2),
    );
    return line(
      n * width,
      256,
      out.f32(n * width),
      tokens,
      d.normals(words * width),
      d.normals(width),
      i32(words),
      i32(width),
      i32(n),
    );
  },
  momentum_step: (d) => {
    const n = d.count(4000);
    const isBias = Uint8Array.from({ length: n }, (_, k) => Number(k % 500 > 480));
    return line(n, 256, inOut(d.normals(n)), inOut(d.normals(n)), d.normals(n), isBias, f32(0.01), f32(2), i32(n));
  },
  huber_loss: (d) => {
    const n = d.count(4000);
    return line(n, 256, out.f32(n), out.f32(n), d.normals(n), d.normals(n), f32(1), i32(n));
  },
  focal_loss: (d) => {
    const n = d.count(3000);
    // Objects are rare.
    return line(n, 256, out.f32(n), d.normals(n, -2, 2), d.flags(n, 0.08), f32(2), i32(n));
  },
  quantise_rows: (d) => {
    const [rows, columns] = [d.count(60), 64];
    const n = rows * columns;
    const scales = d.floats(rows, 0.01, 0.03);
    return line(
      n,
      256,
      { contents: new Int8Array(n) },
      d.normals(n),
      scales,
      d.ints(rows, 100, 150),
      d.flags(rows, 0.5),
      i32(columns),
      i32(n),
    );
  },
  dequantise_blocks: (d) => {
    const blocks = d.count(120);
    const n = 32 * blocks;
    const [scales, minima] = [d.floats(blocks, 0.01, 0.1), d.floats(blocks, -1, 0)];
    return line(n, 256, out.f32(n), d.bytes(16 * blocks), scales, minima, d.flags(blocks, 0.4), i32(n));
  },
  half_from_bits: (d) => {
    const n = d.count(4000);
    const bits = Uint16Array.from({ length: n }, () =>
      d.chance(0.05)
        ? d.pick([0, 0x8000])
        : d.chance(0.02)
          ? d.whole(1, 1023)
          : d.chance(0.005)
            ? 0x7c00
            : d.whole(0x2400, 0x4400),
    );
    return line(n, 256, out.f32(n), bits, i32(n));
  },
  suppress_boxes: (d) => {
    const n = d.count(200);
    const boxes = new Float32Array(4 * n);
    for (let k = 0; k < n; k++) {
      const [x, y] = [d.real(0, 80), d.real(0, 80)];
      boxes.set([x, y, x + d.real(5, 25), y + d.real(5, 25)], 4 * k);
    }
    return line(n, 64, out.u8(n), boxes, d.floats(n, 0, 1), d.ints(n, 0, 3), f32(0.3), i32(n));
  },
};

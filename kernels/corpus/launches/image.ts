import type { Inputs } from '../inputs.js';
import { f32, i32, line, out, plane } from '../launch.js';
import type { Family } from '../family.js';

const TILE = [16, 16] as const;
const WIDE = [32, 8] as const;

const extent = (d: Inputs): [number, number] => [d.side(66), d.side(46)];
/** Three colours a pixel. */
const colours = (d: Inputs, n: number): Float32Array => {
  const [r, g, b] = [d.picture(n, 1), d.picture(n, 1), d.picture(n, 1)];
  return Float32Array.from({ length: 3 * n }, (_, k) => [r, g, b][k % 3]![Math.floor(k / 3)]!);
};

export const image: Family = {
  median_nine: (d) => {
    const [w, h] = extent(d);
    const noisy = d.greyPicture(w, h).map((v) => (d.chance(0.05) ? d.pick([0, 255]) : v));
    return plane([w, h], TILE, out.u8(w * h), noisy, i32(w), i32(h));
  },
  bilateral: (d) => {
    const [w, h] = extent(d);
    return plane([w, h], TILE, out.f32(w * h), d.picture(w, h), i32(w), i32(h), f32(0.1));
  },
  sobel_direction: (d) => {
    const [w, h] = extent(d);
    return plane([w, h], WIDE, out.f32(w * h), out.u8(w * h), d.picture(w, h), i32(w), i32(h));
  },
  thin_edges: (d) => {
    const [w, h] = extent(d);
    const magnitude = d.picture(w, h);
    const direction = Uint8Array.from(d.runs(w * h, 3, 0, 3));
    return plane([w, h], WIDE, out.u8(w * h), magnitude, direction, f32(0.4), f32(0.7), i32(w), i32(h));
  },
  demosaic: (d) => {
    const [w, h] = extent(d);
    return plane([w, h], TILE, out.f32(w * h), out.f32(w * h), out.f32(w * h), d.picture(w, h), i32(w), i32(h));
  },
  demosaic_edges: (d) => {
    const [w, h] = extent(d);
    return plane([w, h], WIDE, out.f32(w * h), d.picture(w, h), i32(w), i32(h));
  },
  rgb_to_hsv: (d) => {
    const n = d.count(3000);
    return line(n, 256, out.f32(3 * n), colours(d, n), i32(n));
  },
  hsv_to_rgb: (d) => {
    const n = d.count(3000);
    const hues = d.picture(n, 1);
    const hsv = Float32Array.from({ length: 3 * n }, (_, k) =>
      k % 3 === 0 ? 359.9 * hues[Math.floor(k / 3)]! : d.fraction(),
    );
    return line(n, 256, out.f32(3 * n), hsv, i32(n));
  },
  srgb_encode: (d) => {
    const n = d.count(4000);
    // Dark parts are dark for some pixels in a row.
    return line(
      n,
      256,
      out.f32(n),
      d.picture(n, 1).map((v) => Math.max(0, v - 0.3) ** 2),
      i32(n),
    );
  },
  blend_layers: (d) => {
    const n = d.count(3000);
    const mode = Uint8Array.from(d.runs(n, 200, 0, 4));
    return line(n, 256, out.f32(n), d.picture(n, 1), d.picture(n, 1), mode, i32(n));
  },
  rotate_bicubic: (d) => {
    const [w, h] = extent(d);
    return plane([w, h], TILE, out.f32(w * h), d.picture(w, h), f32(0.96), f32(0.28), i32(w), i32(h));
  },
  blur_mirror: (d) => {
    const [w, h] = extent(d);
    const weights = Float32Array.from([1, 6, 15, 20, 15, 6, 1], (v) => v / 64);
    return plane([w, h], WIDE, out.f32(w * h), d.picture(w, h), weights, i32(w), i32(h));
  },
  adaptive_threshold: (d) => {
    const [w, h] = extent(d);
    return plane([w, h], TILE, out.u8(w * h), d.greyPicture(w, h), i32(3), i32(4), i32(w), i32(h));
  },
  morphology: (d) => {
    const [w, h] = extent(d);
    // Regions: letters are thickened, the background is cleaned.
    const dilate = d.greyPicture(w, h).map((v) => Number(v > 128));
    return plane([w, h], WIDE, out.u8(w * h), d.greyPicture(w, h), dilate, i32(w), i32(h));
  },
  quantise_deadzone: (d) => {
    const n = d.count(64) * 64;
    // Coefficients of blocks: large ones are few and come first.
    const values = Float32Array.from({ length: n }, (_, k) => (d.normal() * 200) / (1 + (k % 64)));
    const steps = Float32Array.from({ length: 64 }, (_, k) => 10 + k);
    return line(n, 256, out.i16(n), out.i32(n / 64), values, steps, i32(n));
  },
  film_curve: (d) => {
    const n = d.count(4000);
    return line(n, 256, out.f32(n), d.picture(n, 1), f32(1.4), i32(n));
  },
  undistort: (d) => {
    const [w, h] = extent(d);
    return plane([w, h], TILE, out.u8(w * h), d.greyPicture(w, h), f32(0.12), f32(0.05), i32(w), i32(h));
  },
  yuv_subsampled: (d) => {
    const [w, h] = extent(d);
    const chroma = 2 * Math.ceil(w / 2) * Math.ceil(h / 2);
    return plane([w, h], WIDE, out.u8(w * h), out.u8(chroma), d.greyPicture(3 * w, h), i32(w), i32(h));
  },
};

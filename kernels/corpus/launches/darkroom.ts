import { halves, toBytes } from '../inputs.js';
import { i32, line, out, plane } from '../launch.js';
import type { Family } from '../family.js';

export const darkroom: Family = {
  bayer_sites: (d) => {
    // The sizes are multiples of the block's, which the kernel relies on.
    const [w, h] = [64, 4 * d.count(11)];
    const raw = Uint16Array.from(d.picture(w, h), (v) => Math.round(16383 * v));
    const site = Uint8Array.from({ length: w * h }, (_, k) => ((k % w) + Math.floor(k / w)) % 2);
    return plane([w, h], [64, 4], out.u16(w * h), raw, site, i32(w), i32(h));
  },
  tone_curve: (d) => {
    const n = d.count(4000);
    return line(n, 256, out.f32(4 * n), d.pixels(n), d.floats(16, 0.4, 0.6), i32(n));
  },
  hue_sectors: (d) => {
    const n = d.count(4000);
    return line(n, 256, out.f32(4 * n), d.pixels(n), i32(n));
  },
  half_blend: (d) => {
    const n = d.count(3000);
    const layers = [0, 1].map(() => halves(d.pixels(n, () => d.fraction())));
    return line(n, 256, out.u16(4 * n), ...layers, Uint8Array.from(d.runs(n, 100, 0, 1)), i32(n));
  },
  bilateral_uchar4: (d) => {
    const [w, h] = [d.side(66), d.side(46)];
    const pictures = [0, 1, 2].map(() => d.picture(w, h));
    const pixels = Float32Array.from({ length: 4 * w * h }, (_, k) => pictures[k % 4]?.[k >> 2] ?? 1);
    const edge = Uint8Array.from(pictures[0]!, (v, k) => Number(Math.abs(v - (pictures[0]![k - 1] ?? v)) > 0.04));
    return line(w * h, 256, out.u8(4 * w * h), toBytes(pixels), edge, i32(w), i32(w * h));
  },
  kernel_taps: (d) => {
    const n = d.count(3000);
    // Enlarged a little, along a line; what is soft gets the other filter.
    const at = Float32Array.from({ length: n }, (_, k) => 0.8 * k + 0.1);
    const kind = Uint8Array.from(d.picture(n, 1), (v) => Number(v > 0.5));
    return line(n, 256, out.f32(4 * n), d.picture(n, 1), at, kind, i32(n));
  },
  histogram_bins: (d) => {
    const n = 256 * d.count(16);
    const channel = Uint8Array.from({ length: n }, (_, k) => k % 2);
    return line(n, 256, out.i32(512), out.i32(512), d.greyPicture(n, 1), channel);
  },
};

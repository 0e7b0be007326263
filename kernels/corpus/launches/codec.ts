import { i32, inOut, line, out, plane } from '../launch.js';
import type { Family } from '../family.js';

export const codec: Family = {
  predict_blocks: (d) => {
    const blocks = d.count(180);
    const n = 16 * blocks;
    // Where a picture is plain, modes repeat.
    const mode = Uint8Array.from(d.runs(blocks, 3, 0, 4));
    return line(n, 128, out.u8(n), d.greyPicture(8 * blocks, 1), d.greyPicture(4 * blocks, 1), mode, i32(n));
  },
  deblock_edges: (d) => {
    const n = d.count(1500);
    // Eight pixels across an edge each: near each other, with a step at the edge.
    const pixels = new Uint8Array(8 * n);
    for (let i = 0; i < n; i++) {
      const [base, step] = [d.whole(40, 200), d.whole(-12, 12)];
      for (let k = 0; k < 8; k++) pixels[8 * i + k] = base + (k > 3 ? step : 0) + d.whole(-3, 3);
    }
    const strength = Uint8Array.from({ length: Math.ceil(n / 4) }, () =>
      d.chance(0.4) ? 0 : d.chance(0.3) ? 4 : d.whole(1, 2),
    );
    return line(n, 128, inOut(pixels), strength, i32(15), i32(6), i32(n));
  },
  interpolate_motion: (d) => {
    const [w, h] = [d.side(64), d.side(48)];
    const vectors = Int8Array.from(d.runs(2 * Math.ceil(w / 8) * Math.ceil(h / 8), 2, -6, 6));
    return plane([w, h], [16, 16], out.u8(w * h), d.greyPicture(w, h), vectors, i32(w), i32(h));
  },
  search_motion: (d) => {
    const [w, h] = [d.side(80) & ~3, d.side(48) & ~3];
    const now = d.greyPicture(w, h);
    // The scene has moved by two pixels, and there is noise.
    const before = now.map((_, i) => now[Math.max(0, i - 2)]! + (d.chance(0.1) ? 1 : 0));
    const blocks = (w / 4) * (h / 4);
    return line(blocks, 64, out.i32(blocks), now, before, i32(w), i32(h), i32(blocks));
  },
  decode_bins: (d) => {
    const [n, bytes, bins] = [d.count(300), 12, 48];
    return line(n, 64, out.u32(n), d.bytes(n * bytes), i32(bytes), i32(bins), i32(n));
  },
  rescale_levels: (d) => {
    const blocks = d.count(180);
    const n = 16 * blocks;
    const levels = Int16Array.from({ length: n }, (_, k) => (d.chance(1 / (1 + (k % 16))) ? d.whole(-40, 40) : 0));
    const order = Uint8Array.from([0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15]);
    return line(n, 128, out.i16(n), levels, order, d.runs(blocks, 20, 6, 40), i32(n));
  },
  adaptive_offsets: (d) => {
    const [w, h] = [d.side(64), d.side(48)];
    const blocks = Math.ceil(w / 16) * Math.ceil(h / 16);
    const offsets = Int8Array.from(d.ints(5 * blocks, -4, 4));
    return plane([w, h], [32, 8], out.u8(w * h), d.greyPicture(w, h), d.bytes(blocks, 0, 3), offsets, i32(w), i32(h));
  },
  golomb_fields: (d) => {
    const [n, words, fields] = [d.count(300), 4, 12];
    // Three bits of four are set: most numbers are small.
    const bits = Uint32Array.from(
      { length: n * words },
      () => (d.whole(0, 2 ** 32 - 1) | d.whole(0, 2 ** 32 - 1)) >>> 0,
    );
    const isSigned = Uint8Array.from([0, 0, 1, 0, 1, 1, 0, 0, 1, 0, 1, 0]);
    return line(n, 64, out.i32(n * fields), bits, isSigned, i32(words), i32(fields), i32(n));
  },
};

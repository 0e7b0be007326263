import { halves, toBytes, type Inputs } from '../inputs.js';
import { f32, i32, inOut, line, out, plane } from '../launch.js';
import type { Family } from '../family.js';

const TILE = [16, 16] as const;
const WIDE = [32, 8] as const;

const extent = (d: Inputs): [number, number] => [d.side(66), d.side(46)];

/** Records of as many numbers as there are channels, in turn. */
const interleaved = (channels: readonly Float32Array[]): Float32Array =>
  Float32Array.from({ length: channels[0]!.length * channels.length }, (_, k) => {
    return channels[k % channels.length]![Math.floor(k / channels.length)]!;
  });

/** The same picture a moment later: a part of it has moved, and the noise is another one. */
function later(d: Inputs, picture: Float32Array, width: number): Float32Array {
  return picture.map((value, k) => {
    const x = k % width;
    const moved = x > width / 3 && x < (2 * width) / 3 ? picture[k - 2]! : value;
    return Math.min(1, Math.max(0, moved + 0.01 * d.real(-1, 1)));
  });
}

export const footage: Family = {
  deinterlace_edges: (d) => {
    const [w, h] = extent(d);
    const first = d.picture(w, h);
    const second = later(d, first, w);
    const times = [first, second, later(d, second, w)].map(toBytes);
    return plane([w, h], TILE, out.u8(w * h), ...times, i32(1), i32(w), i32(h));
  },
  chroma_key: (d) => {
    const n = d.count(4000);
    // Somebody in front of a green wall, along a line.
    const pixels = toBytes(d.pixels(n));
    const person = d.picture(n, 1).map((v) => v + 0.1 * d.real(-1, 1));
    for (let k = 0; k < n; k++)
      if (person[k]! < 0.5) pixels.set([d.whole(30, 60), d.whole(170, 220), d.whole(40, 70)], 4 * k);
    return line(n, 256, out.u8(4 * n), pixels, f32(-0.23), f32(-0.25), f32(0.12), f32(0.3), i32(n));
  },
  overlay_logo: (d) => {
    const [w, h] = extent(d);
    const [logoWidth, logoHeight] = [Math.floor(w / 2), Math.floor(h / 3)];
    const logo = toBytes(d.pixels(logoWidth * logoHeight));
    for (let k = 3; k < logo.length; k += 4) logo[k] = d.pick([0, 255, 255, 128]);
    const size = [i32(Math.floor(w / 3)), i32(Math.floor(h / 3)), i32(logoWidth), i32(logoHeight)];
    return plane([w, h], WIDE, out.u8(4 * w * h), toBytes(d.pixels(w * h)), logo, i32(w), i32(h), ...size);
  },
  tonemap_hlg: (d) => {
    const n = d.count(3000);
    return line(n, 256, out.u8(4 * n), halves(d.pixels(n)), f32(10), f32(2), i32(n));
  },
  lut_tetrahedral: (d) => {
    const n = d.count(3000);
    const size = 17;
    // A film's look: more contrast, warmer.
    const table = Float32Array.from({ length: 4 * size ** 3 }, (_, k) => {
      const [r, g, b] = [Math.floor(k / 4 / size ** 2), Math.floor(k / 4 / size) % size, Math.floor(k / 4) % size];
      const x = [r, g, b, 16][k % 4]! / 16;
      return k % 4 === 3 ? 1 : x * x * (3 - 2 * x) * [1, 0.97, 0.9][k % 4]!;
    });
    return line(n, 256, out.f32(4 * n), d.pixels(n), table, i32(size), i32(n));
  },
  remap_mirrored: (d) => {
    const [w, h] = extent(d);
    const n = w * h;
    // A wide lens is straightened: corners come from outside.
    const map = Float32Array.from({ length: 2 * n }, (_, k) => {
      const [x, y] = [((k >> 1) % w) / w - 0.5, Math.floor((k >> 1) / w) / h - 0.5];
      const scale = 1 + 0.9 * (x * x + y * y);
      return k % 2 === 0 ? (x * scale + 0.5) * w : (y * scale + 0.5) * h;
    });
    return line(n, 256, out.u8(n), d.greyPicture(w, h), map, i32(w), i32(h), i32(n));
  },
  ring_corners: (d) => {
    const [w, h] = extent(d);
    return plane([w, h], WIDE, out.i32(w * h), out.i32(1), d.greyPicture(w, h), i32(20), i32(w), i32(h));
  },
  flow_step: (d) => {
    const [w, h] = extent(d);
    const first = d.picture(w, h);
    return plane([w, h], TILE, inOut(d.normals(2 * w * h, 0, 0.2)), first, later(d, first, w), i32(w), i32(h));
  },
  rgb_to_hls8: (d) => {
    const n = d.count(4000);
    const pixels = toBytes(interleaved([d.picture(n, 1), d.picture(n, 1), d.picture(n, 1)]));
    return line(n, 256, out.u8(3 * n), pixels, i32(n));
  },
  sharpen_tiles: (d) => {
    const [w, h] = extent(d);
    return plane([w, h], TILE, out.f32(w * h), d.picture(w, h), f32(0.02), f32(0.8), i32(w), i32(h));
  },
};

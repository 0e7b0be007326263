import type { Family } from '../family.js';
import type { Inputs } from '../inputs.js';
import { f32, i32, inOut, line, out, plane } from '../launch.js';

const usual = (d: Inputs): number => d.count(4000);

/** Starts of parts of `least` to `most` elements. */
const starts = (d: Inputs, parts: number, least: number, most: number): Int32Array => {
  let at = 0;
  return Int32Array.from({ length: parts + 1 }, (_, k) => (k === 0 ? 0 : (at += d.whole(least, most))));
};

export const biology: Family = {
  strand_kmers: (d) => {
    const [n, k] = [d.count(1500), 11];
    return line(n, 128, out.u32(n), d.bytes(n + k, 0, 3), Uint8Array.from(d.runs(n, 50, 0, 1)), i32(k), i32(n));
  },
  affine_cells: (d) => {
    const n = usual(d);
    const scores = () => d.ints(n, 0, 60);
    const bases = () => d.bytes(n, 0, 3);
    const gaps = [inOut(scores()), inOut(scores())];
    return line(n, 256, out.i32(n), ...gaps, scores(), scores(), scores(), bases(), bases(), i32(n));
  },
  epidemic: (d) => {
    const n = usual(d);
    const state = Uint8Array.from({ length: n }, () => (d.chance(0.7) ? 0 : d.chance(0.4) ? 1 : 2));
    return line(
      n,
      256,
      inOut(state),
      inOut(d.bytes(n, 0, 120)),
      d.floats(n, 0, 6),
      d.floats(n, 0, 1),
      f32(0.1),
      i32(n),
    );
  },
  izhikevich: (d) => {
    const n = usual(d);
    const kind = Float32Array.from({ length: 4 * n }, (_, k) => [0.02, 0.2, -65, 8][k % 4]! * d.real(0.9, 1.1));
    const v = Float32Array.from({ length: n }, () => (d.chance(0.03) ? 31 : d.real(-70, -40)));
    return line(n, 256, inOut(v), inOut(d.floats(n, -15, -5)), out.u8(n), d.floats(n, 0, 10), kind, i32(n));
  },
  gate_rates: (d) => {
    const n = usual(d);
    const gate = Uint8Array.from({ length: n }, (_, k) => k % 3);
    return line(n, 256, out.f32(n), out.f32(n), d.normals(n, 10, 25), gate, i32(n));
  },
  predators: (d) => {
    const [width, height] = [d.side(64), d.side(64)];
    const n = width * height;
    const land = Uint8Array.from(d.picture(width, height), (x) => Number(x > 0.5));
    const args = [out.f32(n), d.floats(n, 0, 2), d.floats(n, 0, 2), land, i32(width), i32(height)];
    return plane([width, height], [32, 4], ...args);
  },
  translate: (d) => {
    const n = usual(d);
    const codes = [d.bytes(64, 65, 90), d.bytes(64, 65, 90)];
    return line(n, 256, out.u8(n), d.bytes(3 * n, 0, 3), d.flags((n >> 6) + 1, 0.1), ...codes, i32(n));
  },
  trim_reads: (d) => {
    const n = d.count(800);
    const start = starts(d, n, 30, 60);
    const quality = new Uint8Array(start[n]!).map(() => 40 - d.skewed(30));
    for (let k = 0; k < n; k++)
      for (let end = start[k + 1]! - 1, bad = d.skewed(12); bad > 0 && end >= start[k]!; bad--, end--) quality[end] = 5;
    return line(n, 128, out.i32(2 * n), quality, start, i32(20), i32(n));
  },
  thermal_response: (d) => {
    const n = usual(d);
    const best = d.floats(n, 18, 26);
    return line(
      n,
      256,
      out.f32(n),
      d.normals(n, 20, 6),
      best,
      best.map((x) => x + d.real(5, 12)),
      i32(n),
    );
  },
  coverage: (d) => {
    const [n, bins] = [d.count(1000), 500];
    const from = d.ints(n, 0, 16 * bins - 200);
    const to = from.map((a) => a + d.whole(50, 150));
    return line(n, 128, out.i32(bins), out.i32(bins), from, to, d.flags(n, 0.5), i32(bins), i32(n));
  },
  genotypes: (d) => {
    const n = usual(d);
    const counts = new Int32Array(2 * n);
    for (let k = 0; k < n; k++) {
      const kind = d.chance(0.85) ? 0 : d.chance(0.6) ? 1 : 2;
      counts[2 * k] = d.whole(0, 30) * (kind === 2 ? 0.05 : 1);
      counts[2 * k + 1] = d.whole(0, 30) * (kind === 0 ? 0.05 : 1);
    }
    return line(n, 256, out.f32(n), out.u8(n), counts, d.floats(n, 0.001, 0.02), i32(n));
  },
  life_cycle: (d) => {
    const n = usual(d);
    const [size, age] = [inOut(d.floats(n, 0.1, 3)), inOut(d.ints(n, 0, 50))];
    return line(n, 256, size, age, out.u8(n), d.floats(n, 0, 1), d.floats(n, 0, 1), i32(n));
  },
};

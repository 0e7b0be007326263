import { createHash } from 'node:crypto';
import { f32, groups, i32, inOut, line, out, plane, u32 } from '../launch.js';
import type { Family } from '../family.js';

/** The word of seven letters that a number counts, the first letter running fastest. */
function word(number: number): string {
  let text = '';
  for (let rest = number; text.length < 7; rest = Math.floor(rest / 26)) text += String.fromCharCode(97 + (rest % 26));
  return text;
}

export const shoc: Family = {
  md5_search: (d) => {
    const [threads, perThread] = [d.count(512), 3];
    const keys = Math.max(1, threads * perThread - 100);
    const first = d.whole(0, 2 ** 31);
    const digest = createHash('md5')
      .update(word(first + Math.floor(keys * d.real(0.3, 0.9))))
      .digest();
    const target = Uint32Array.from({ length: 4 }, (_, k) => digest.readUInt32LE(4 * k));
    const sines = Uint32Array.from({ length: 64 }, (_, k) => Math.floor(2 ** 32 * Math.abs(Math.sin(k + 1))));
    const turns = Uint8Array.from([7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]);
    const total = Math.ceil(threads / 128) * 128;
    const found = inOut(Uint32Array.of(0xffffffff));
    return line(threads, 128, found, out.u32(total), sines, turns, target, u32(first), i32(perThread), u32(keys));
  },
  qtc_candidate: (d) => {
    const [n, threshold] = [d.count(700), 0.5];
    const points = new Float32Array(2 * n);
    const middles = Array.from({ length: 40 }, () => [d.real(0, 20), d.real(0, 20)] as const);
    for (let i = 0; i < n; i++) {
      const [x, y] = d.pick(middles);
      const spread = d.chance(0.7) ? 0.4 : 2;
      points.set([x + spread * d.normal(), y + spread * d.normal()], 2 * i);
    }
    const starts = [0];
    const near: number[] = [];
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++)
        if ((points[2 * i]! - points[2 * j]!) ** 2 + (points[2 * i + 1]! - points[2 * j + 1]!) ** 2 < threshold ** 2)
          near.push(j);
      starts.push(near.length);
    }
    return line(
      n,
      64,
      out.i32(n),
      out.u32(n),
      out.f32(n),
      out.f32(near.length),
      points,
      d.flags(n, 0.15),
      Int32Array.from(starts),
      Int32Array.from(near),
      f32(threshold),
      i32(n),
    );
  },
  s3d_rates: (d) => {
    const [cells, species, reactions] = [d.count(1000), 8, 8];
    // A flame: cold, hot, and a front between.
    const temperature = d.picture(cells, 1).map((value) => 300 + 2200 * value);
    // Radicals are only where it burns.
    const concentration = Float32Array.from({ length: species * cells }, (_, k) => {
      const hot = temperature[k % cells]! > 1100;
      return k < (species / 2) * cells ? d.real(0.001, 0.02) : hot ? d.real(1e-5, 1e-3) : d.chance(0.5) ? 0 : 1e-8;
    });
    const fit = () =>
      Float32Array.from({ length: 5 * species }, (_, k) =>
        [d.real(0.9, 1.6), d.real(-1e-3, 3e-3), d.real(-5e-7, 5e-7), d.real(-1e-11, 1e-11), d.real(-2500, 2500)].at(
          k % 5,
        )!,
      );
    const kind = Int32Array.from({ length: reactions }, (_, r) => (r < 4 ? r : d.whole(0, 3)));
    const parts = Int32Array.from({ length: 3 * reactions }, (_, k) =>
      k % 3 === 0 && d.chance(0.6) ? d.whole(4, species - 1) : d.whole(0, species - 1),
    );
    const arrhenius = Float32Array.from({ length: 6 * reactions }, (_, k) =>
      k % 3 === 0 ? d.real(8, 14) : k % 3 === 1 ? d.real(-0.8, 0.8) : d.real(200, 9000),
    );
    const tables = [fit(), fit(), kind, parts, arrhenius];
    const scalars = [i32(reactions), i32(species), i32(cells)];
    return line(cells, 128, out.f32(reactions * cells), temperature, concentration, ...tables, ...scalars);
  },
  stencil9_halo: (d) => {
    const [width, height] = [d.side(60), d.side(36)];
    const scalars = [f32(0.25), f32(0.15), f32(0.0375), i32(width), i32(height)];
    return plane([width, height], [32, 8], out.f32(width * height), d.picture(width, height), ...scalars);
  },
  radix_pass: (d) => {
    const blocks = d.count(14);
    const starts = [0];
    for (let b = 0; b < blocks; b++) starts.push(starts.at(-1)! + d.pick([512, 512, 512, 384, 300, 77]));
    const n = starts.at(-1)!;
    const keys = Uint32Array.from({ length: n }, () => d.skewed(60000));
    return groups(blocks, 64, out.u32(n), out.u32(16 * blocks), keys, Int32Array.from(starts), i32(4));
  },
  bfs_in_block: (d) => {
    const [blocks, nodes] = [d.count(12), 220];
    const { starts, columns } = d.sparse(nodes, nodes, () => d.whole(0, 2) + d.skewed(8));
    const outs = [out.i32(blocks * nodes), out.i32(blocks), out.i32(blocks)];
    return groups(blocks, 128, ...outs, d.ints(blocks, 0, nodes - 1), starts, columns, i32(nodes));
  },
};

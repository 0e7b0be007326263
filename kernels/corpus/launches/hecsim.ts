import type { Family } from '../family.js';
import type { Inputs } from '../inputs.js';
import { f32, groups, i32, inOut, line, out, plane } from '../launch.js';

/** Lists one after the other. */
function lists(each: readonly (readonly number[])[]): { starts: Int32Array; items: Int32Array } {
  const starts = [0];
  for (const { length } of each) starts.push(starts.at(-1)! + length);
  return { starts: Int32Array.from(starts), items: Int32Array.from(each.flat()) };
}

const extent = (d: Inputs): [number, number] => [d.side(66), d.side(38)];

export const hecsim: Family = {
  cross_section_lookup: (d) => {
    const [n, nuclides, points] = [d.count(1000), 34, 48];
    const grid = new Float32Array(nuclides * points);
    for (let k = 0; k < nuclides; k++)
      grid.set(
        d
          .floats(points, 0, 1)
          .map((e) => e * e * 0.98 + 0.01)
          .sort(),
        k * points,
      );
    // Fuel has many nuclides, cladding and water few.
    const materials = [20, 4, 3, 6, 9, 2].map((count) => Array.from(d.permutation(nuclides)).slice(0, count));
    const { starts, items } = lists(materials);
    const energies = Float32Array.from({ length: n }, () => d.fraction() ** 2);
    const material = Uint8Array.from({ length: n }, () => d.pick([0, 0, 1, 2, 2, 2, 3, 4, 5]));
    return line(
      n,
      128,
      out.f32(4 * n),
      out.u32(4),
      energies,
      material,
      starts,
      items,
      d.floats(items.length, 0.1, 2),
      grid,
      d.floats(nuclides * points * 4, 0, 3),
      i32(points),
      i32(n),
    );
  },
  pole_windows: (d) => {
    const [n, windows] = [d.count(1000), 40];
    const { starts, items } = lists(
      Array.from({ length: windows }, (_, window) => Array.from({ length: 2 + d.skewed(8) }, () => window)),
    );
    const poles = new Float32Array(4 * items.length);
    for (const [k, window] of items.entries()) {
      const at = (window + d.real(-0.5, 1.5)) / windows;
      poles.set([at, -0.002 * d.fraction(), d.chance(0.6) ? d.real(0, 1) : -1, d.real(-0.5, 0.5)], 4 * k);
    }
    const [residues, fit] = [d.floats(2 * items.length, -1, 1), d.floats(2 * windows, 0, 1)];
    const energies = Float32Array.from({ length: n }, () => d.fraction() ** 2);
    return line(n, 128, out.f32(2 * n), energies, starts, poles, residues, fit, f32(160), i32(windows), i32(n));
  },
  tissue_heat: (d) => {
    const [w, h] = extent(d);
    const [tumourX, tumourY] = [d.real(0.3, 0.7) * w, d.real(0.4, 0.7) * h];
    const [kind, temperature, damage] = [new Uint8Array(w * h), new Float32Array(w * h), new Float32Array(w * h)];
    const vessel = d.real(0.2, 0.8) * w;
    for (let y = 0; y < h; y++)
      for (let x = 0; x < w; x++) {
        const i = y * w + x;
        const far = (x - tumourX) ** 2 + (y - tumourY) ** 2;
        kind[i] = y < 4 ? 0 : y < 12 + x / 16 ? 1 : 2;
        if (far < 70) kind[i] = 3;
        if (Math.abs(x - vessel - y / 3) < 1.5) kind[i] = 4;
        temperature[i] = 36 + 16 / (1 + far / 60) + 0.5 * d.normal();
        damage[i] = far < 120 ? d.real(0, 6) : 0;
      }
    return plane(
      [w, h],
      [32, 4],
      out.f32(w * h),
      inOut(damage),
      temperature,
      kind,
      f32(tumourX),
      f32(tumourY),
      f32(2),
      f32(0.1),
      i32(w),
      i32(h),
    );
  },
  thomas_systems: (d) => {
    const [n, length] = [d.count(640), 20];
    const size = n * length;
    const ends = Uint8Array.from({ length: n }, () => d.pick([0, 0, 0, 1, 2]));
    const middle = d.floats(size, 2.2, 4);
    const [below, above, right] = [d.floats(size, -1, -0.5), d.floats(size, -1, -0.5), d.floats(size, -2, 2)];
    // Now and then a row without any coefficients before the last.
    for (let k = n; k < size; k++) if (d.chance(0.001)) below[k] = middle[k] = 0;
    const outputs = [out.f32(size), out.f32(size), out.f32(size), out.u8(n)];
    return line(n, 64, ...outputs, below, middle, above, right, ends, i32(length), i32(n));
  },
  lbm_tagged_cells: (d) => {
    const [w, h] = extent(d);
    const tags = new Uint8Array(w * h);
    const [ballX, ballY, radius] = [d.real(0.25, 0.4) * w, d.real(0.3, 0.7) * h, 0.15 * h];
    for (let y = 0; y < h; y++)
      for (let x = 0; x < w; x++) {
        let tag = x === 0 ? 3 : x === w - 1 ? 4 : 0;
        if (y === 0 || (x - ballX) ** 2 + (y - ballY) ** 2 < radius ** 2) tag = 1;
        if (y === h - 1) tag = 2;
        tags[y * w + x] = tag;
      }
    const weights = [4 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 36, 1 / 36, 1 / 36, 1 / 36];
    const before = new Float32Array(9 * w * h);
    for (const [k, weight] of weights.entries())
      for (let i = 0; i < w * h; i++) before[k * w * h + i] = weight * (1 + (k === 1 ? 0.15 : 0) + 0.02 * d.normal());
    return plane(
      [w, h],
      [64, 2],
      out.f32(9 * w * h),
      out.f32(w * h),
      before,
      tags,
      f32(1.6),
      f32(0.08),
      f32(0.05),
      i32(w),
      i32(h),
    );
  },
  ising_cube: (d) => {
    const side = 2 * Math.max(3, Math.round(8 * Math.cbrt(d.count(1000) / 1000)));
    const sites = side ** 3;
    // Domains, with noise and some holes.
    const spins = Int8Array.from(d.runs(sites, 9, 0, 1), (up) =>
      d.chance(0.06) ? 0 : (up === 1 ? 1 : -1) * (d.chance(0.15) ? -1 : 1),
    );
    const randoms = d.uints(sites / 2, 1);
    return line(
      sites / 2,
      256,
      inOut(spins),
      inOut(randoms),
      out.i32(side),
      f32(0.22),
      f32(0.05),
      i32(d.whole(0, 1)),
      i32(side),
    );
  },
  cloth_obstacles: (d) => {
    const [w, h] = [d.side(44), d.side(36)];
    const n = w * h;
    const [count, floor] = [14, 13];
    const kinds = Uint8Array.from({ length: count }, (_, k) => (k === floor ? 3 : d.whole(0, 2)));
    const shapes = new Float32Array(8 * count);
    for (let k = 0; k < count; k++) {
      const [x, y, z] = [d.real(0, 4), d.real(0.2, 0.8), d.real(0, 4)];
      const end = kinds[k] === 1 ? [x + d.real(-1, 1), y, z + d.real(-1, 1)] : [0.4, 0.3, 0.5];
      shapes.set(
        k === floor ? [0, 0.3, 0, 0, 0, 0, 0, 0.8] : [x, y, z, d.real(0.2, 0.6), ...end, d.real(0.1, 0.6)],
        8 * k,
      );
    }
    const [position, before] = [new Float32Array(3 * n), new Float32Array(3 * n)];
    const near: number[][] = [];
    for (let i = 0; i < n; i++) {
      const [x, z] = [(4 * (i % w)) / w, (4 * Math.floor(i / w)) / h];
      const y = 0.6 + 0.1 * (x - 2) * (z - 2) + 0.02 * d.normal();
      position.set([x, y, z], 3 * i);
      before.set([x + 0.01 * d.normal(), y + 0.02, z + 0.01 * d.normal()], 3 * i);
      const close = [...kinds.keys()].filter(
        (k) => k !== floor && Math.abs(shapes[8 * k]! - x) < 1 && Math.abs(shapes[8 * k + 2]! - z) < 1,
      );
      near.push(y < 0.5 ? [...close, floor] : close);
    }
    const { starts, items } = lists(near);
    const pinned = Uint8Array.from({ length: n }, (_, i) => Number(i < w && i % 8 === 0));
    return line(n, 128, inOut(position), before, starts, items, kinds, shapes, pinned, f32(0.02), i32(n));
  },
  two_opt_best: (d) => {
    const [tours, length, cities] = [d.count(9), 84, 84];
    const places = d.floats(2 * cities, 0, 20);
    const orders = new Int16Array(tours * length);
    for (let tour = 0; tour < tours; tour++) {
      // Rows to and fro, as a first guess, and some changes.
      const order = Array.from({ length }, (_, k) => k).sort((a, b) => {
        const [rowA, rowB] = [Math.floor(places[2 * a + 1]! / 4), Math.floor(places[2 * b + 1]! / 4)];
        return rowA === rowB ? (rowA % 2 === 0 ? 1 : -1) * (places[2 * a]! - places[2 * b]!) : rowA - rowB;
      });
      for (let k = d.whole(1, 12); k > 0; k--) {
        const [a, b] = [d.whole(0, length - 1), d.whole(0, length - 1)];
        [order[a], order[b]] = [order[b]!, order[a]!];
      }
      orders.set(order, tour * length);
    }
    const outputs = [out.i32(tours * length), out.i32(tours * length), out.i32(tours)];
    return groups(tours, 96, ...outputs, places, orders, i32(length));
  },
  projectile_flights: (d) => {
    const [n, cells] = [d.count(768), 128];
    const ground = d.picture(cells, 1).map((level) => 250 * level);
    const speed = Float32Array.from({ length: n }, () => (d.chance(0.6) ? d.real(150, 320) : d.real(320, 800)));
    const [angle, mass] = [d.floats(n, 0.05, 1.45), d.floats(n, 2, 12)];
    const outputs = [out.f32(n), out.f32(n), out.u8(n)];
    return line(n, 64, ...outputs, speed, angle, mass, ground, f32(50), i32(cells), i32(n));
  },
  chaos_game: (d) => {
    const [n, side] = [d.count(640), 48];
    const games = Uint8Array.from(d.runs(n, 30, 0, 2));
    return line(n, 128, out.u32(side * side), out.f32(2 * n), d.uints(n), games, i32(40), i32(side), i32(n));
  },
  ignition_delays: (d) => {
    const n = d.count(768);
    const [start, richness] = [d.floats(n, 650, 1300), d.floats(n, 0.4, 2)];
    return line(n, 64, out.f32(n), out.f32(n), out.u8(n), start, richness, f32(15), i32(n));
  },
};

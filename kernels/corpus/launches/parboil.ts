import { f32, groups, i32, inOut, line, out, plane } from '../launch.js';
import type { Family } from '../family.js';
import type { Inputs } from '../inputs.js';

/** Things sorted into the cells of a square, and where each cell begins. */
function binned(
  things: readonly (readonly number[])[],
  cells: number,
  cellOf: (thing: readonly number[]) => number,
): { values: Float32Array; starts: Int32Array } {
  const inCells: (readonly number[])[][] = Array.from({ length: cells }, () => []);
  for (const thing of things) inCells[cellOf(thing)]!.push(thing);
  const starts = [0];
  for (const cell of inCells) starts.push(starts.at(-1)! + cell.length);
  return { values: Float32Array.from(inCells.flat(2)), starts: Int32Array.from(starts) };
}

/** Points on a sphere; a clustered one has most near a few others. */
function onSphere(d: Inputs, count: number, clustered: boolean): Float32Array {
  const points = new Float32Array(3 * count);
  for (let i = 0; i < count; i++) {
    const from = clustered && i > 4 && d.chance(0.6) ? 3 * d.whole(0, i - 1) : -1;
    const [x, y, z] = [0, 1, 2].map((axis) =>
      from >= 0 ? points[from + axis]! + 0.05 * d.normal() : d.normal() + 1e-3,
    ) as [number, number, number];
    const length = Math.sqrt(x * x + y * y + z * z);
    points.set([x / length, y / length, z / length], 3 * i);
  }
  return points;
}

export const parboil: Family = {
  cutcp_lattice: (d) => {
    const [width, height, cells] = [d.side(48), d.side(32), 6];
    // Molecules: atoms near others.
    const atoms: number[][] = [];
    for (let k = d.count(280); k > 0; k--) {
      const near = atoms.length > 0 && d.chance(0.7) ? d.pick(atoms) : null;
      const at = (axis: number) => {
        const value = near ? near[axis]! + 1.2 * d.normal() : d.real(0, 24);
        return Math.min(23.9, Math.max(0, value));
      };
      atoms.push([at(0), at(1), d.real(-4, 4), d.pick([-0.8, 0.4, 0.4, 0.1])]);
    }
    const { values, starts } = binned(
      atoms,
      cells * cells,
      ([x, y]) => Math.floor(y! / 4) * cells + Math.floor(x! / 4),
    );
    const scalars = [f32(0.5 * Math.min(1, 48 / width)), f32(4), f32(16), f32(0.5)];
    const sizes = [i32(cells), i32(width), i32(height)];
    return plane([width, height], [16, 8], out.f32(width * height), values, starts, ...scalars, ...sizes);
  },
  sad_search: (d) => {
    const [across, down] = [6, d.count(5)];
    const [width, height] = [across * 8, down * 8];
    const reference = d.greyPicture(width, height);
    const [dx, dy] = [d.whole(-3, 3), d.whole(-3, 3)];
    const current = Uint8Array.from({ length: width * height }, (_, i) => {
      const x = Math.min(width - 1, Math.max(0, (i % width) + dx));
      const y = Math.min(height - 1, Math.max(0, Math.floor(i / width) + dy));
      return Math.min(255, Math.max(0, reference[y * width + x]! + d.whole(-4, 4)));
    });
    const ranges = Uint8Array.from({ length: across * down }, () => d.pick([2, 3, 4, 4, 6]));
    const outs = [out.u32(across * down), out.i32(across * down)];
    return groups(across * down, 64, ...outs, current, reference, ranges, i32(width), i32(height));
  },
  tpacf_pairs: (d) => {
    const [sets, points, bins] = [d.count(5), 96, 16];
    const random = new Float32Array(3 * sets * points);
    for (let s = 0; s < sets; s++) random.set(onSphere(d, points, false), 3 * s * points);
    // Limits of equal ratios of angles, but for the last.
    const limits = Float32Array.from({ length: bins + 1 }, (_, k) => (k === bins ? -0.9 : 1 - 2e-4 * 1.7 ** k));
    return groups(
      2 * sets,
      128,
      out.u32(2 * sets * bins),
      onSphere(d, points, true),
      random,
      limits,
      i32(bins),
      i32(points),
    );
  },
  mri_gridding: (d) => {
    const side = d.side(36);
    // Spokes through the centre, dense there.
    const samples: number[][] = [];
    for (let spoke = 0; spoke < 40; spoke++) {
      const [x, y] = [d.real(-1, 1), d.real(-1, 1)];
      const length = Math.sqrt(x * x + y * y) + 1e-6;
      for (let k = -24; k < 24; k++) {
        const at = (axis: number) => side / 2 + ((axis / length) * k * side) / 50;
        samples.push([at(x), at(y), d.normal(), 0.4 * d.normal()]);
      }
    }
    const cell = (value: number) => Math.min(side - 1, Math.max(0, Math.round(value)));
    const { values, starts } = binned(samples, side * side, ([x, y]) => cell(y!) * side + cell(x!));
    const outs = [out.f32(side * side), out.f32(side * side), out.f32(side * side)];
    return plane([side, side], [16, 8], ...outs, values, starts, f32(1.5), f32(6.5), i32(side));
  },
  histo_saturate: (d) => {
    const [n, bins, perThread] = [d.count(5000), 400, 7];
    let value = 0;
    const image = Uint16Array.from({ length: n }, () => (d.chance(0.3) ? value : (value = d.skewed(420))));
    return line(n / perThread, 128, out.u32(bins / 4), image, i32(bins), i32(perThread), i32(n));
  },
  lbm_obstacles: (d) => {
    const [width, height] = [d.side(64), d.side(32)];
    const cells = width * height;
    const weights = [4 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 36, 1 / 36, 1 / 36, 1 / 36];
    const before = Float32Array.from(
      { length: 9 * cells },
      (_, k) => weights[Math.floor(k / cells)]! * d.real(0.97, 1.03),
    );
    const kind = new Uint8Array(cells);
    const discs = Array.from({ length: 7 }, (_, k) => ({
      x: d.real(0.15, 0.9) * width,
      y: d.real(0, height),
      r: d.real(0.06, 0.14) * height,
      kind: k < 5 ? 1 : 2,
    }));
    for (let i = 0; i < cells; i++)
      for (const { x, y, r, kind: what } of discs)
        if (((i % width) - x) ** 2 + (Math.floor(i / width) - y) ** 2 < r * r) kind[i] = what;
    const scalars = [f32(1.2), f32(0.06), i32(width), i32(height)];
    return plane([width, height], [32, 4], out.f32(9 * cells), before, kind, ...scalars);
  },
  spmv_jds: (d) => {
    const [rows, width] = [d.count(1800), 1000];
    const lengths = Int32Array.from({ length: rows }, () => d.whole(1, 6) + d.skewed(34)).sort((a, b) => b - a);
    const diagonals = [0];
    for (let k = 0; k < lengths[0]!; k++) {
      const longer = lengths.filter((length) => length > k).length;
      diagonals.push(diagonals.at(-1)! + longer);
    }
    const entries = diagonals.at(-1)!;
    return line(
      rows,
      128,
      out.f32(rows),
      d.floats(entries, -1, 1),
      d.ints(entries, 0, width - 1),
      Int32Array.from(diagonals),
      lengths,
      d.permutation(rows),
      d.floats(width, -1, 1),
      i32(rows),
    );
  },
  bfs_queue: (d) => {
    const nodes = d.count(3000);
    const { starts, columns } = d.skewedGraph(nodes, 40);
    const frontier: number[] = [];
    const level = new Int32Array(nodes).fill(-1);
    const seen = new Uint32Array(Math.ceil(nodes / 32));
    for (const node of d.permutation(nodes)) {
      if (d.chance(0.5)) continue;
      level[node] = d.chance(0.55) ? 4 : d.whole(0, 3);
      if (level[node] === 4) frontier.push(node);
      seen[node >> 5]! |= 1 << (node & 31);
    }
    return line(
      frontier.length,
      128,
      inOut(level),
      inOut(seen),
      out.i32(4),
      Int32Array.from(frontier),
      starts,
      columns,
      i32(4),
      i32(160),
      i32(frontier.length),
    );
  },
  stencil_planes: (d) => {
    const [width, height, depth] = [d.side(60), d.side(36), 7];
    const size = width * height * depth;
    const scalars = [f32(1 / 6), f32(1 / 36), i32(width), i32(height), i32(depth)];
    return plane([width, height], [32, 8], out.f32(size), d.floats(size, 0, 1), ...scalars);
  },
};

import { f32, i32, inOut, line, out, plane, u32 } from '../launch.js';
import type { Family } from '../family.js';
import type { Inputs, SparseRows } from '../inputs.js';

/** Friends: edges in both directions, hubs with many, most nodes with few. */
function friends(d: Inputs, nodes: number, most: number): SparseRows {
  const lists = Array.from({ length: nodes }, () => new Set<number>());
  for (let node = 0; node < nodes; node++)
    for (let k = 1 + d.skewed(most - 1); k > 0; k--) {
      // Mostly near by, as numbers of a crawl are.
      const other = d.chance(0.6) ? Math.min(nodes - 1, node + d.whole(1, 20)) : d.skewed(nodes - 1);
      if (other === node) continue;
      lists[node]!.add(other);
      lists[other]!.add(node);
    }
  const starts = [0];
  const columns: number[] = [];
  for (const list of lists) {
    for (const other of [...list].sort((a, b) => a - b)) columns.push(other);
    starts.push(columns.length);
  }
  return { starts: Int32Array.from(starts), columns: Int32Array.from(columns) };
}

/** Levels and numbers of shortest paths from a node. */
function breadthFirst({ starts, columns }: SparseRows, source: number): { depth: Int32Array; paths: Float32Array } {
  const nodes = starts.length - 1;
  const [depth, paths] = [new Int32Array(nodes).fill(-1), new Float32Array(nodes)];
  const queue = [source];
  depth[source] = 0;
  paths[source] = 1;
  for (const node of queue)
    for (const other of columns.subarray(starts[node], starts[node + 1])) {
      if (depth[other]! < 0) {
        depth[other] = depth[node]! + 1;
        queue.push(other);
      }
      if (depth[other] === depth[node]! + 1) paths[other]! += paths[node]!;
    }
  return { depth, paths };
}

/** The tree of some of the bodies: numbers below `bodies` are leaves, from there on inner cells, -1 is empty. */
function octree(
  places: readonly Float32Array[],
  inserted: number,
  bodies: number,
  centre: number,
  radius: number,
): Int32Array {
  const children: number[] = new Array<number>(8).fill(-1);
  const octant = (body: number, at: readonly number[]) =>
    places.reduce((bits, place, axis) => bits | (Number(at[axis]! < place[body]!) << axis), 0);
  for (let body = 0; body < inserted; body++) {
    let node = 0;
    let [at, r] = [[centre, centre, centre], radius / 2];
    for (let depth = 0; depth < 20; depth++) {
      const path = octant(body, at);
      const child = children[node * 8 + path]!;
      at = at.map((value, axis) => value + ((path >> axis) & 1 ? r : -r));
      r /= 2;
      if (child >= bodies) {
        node = child - bodies;
        continue;
      }
      if (child >= 0) {
        const cell = children.length / 8;
        children.push(...new Array<number>(8).fill(-1));
        children[node * 8 + path] = bodies + cell;
        children[cell * 8 + octant(child, at)] = child;
        node = cell;
        continue;
      }
      children[node * 8 + path] = body;
      break;
    }
  }
  return Int32Array.from(children);
}

/** Bytes in another order, as the substitution of a cipher. */
const substitution = (d: Inputs): Uint8Array => Uint8Array.from(d.permutation(256));

export const pannotia: Family = {
  mis_round: (d) => {
    const nodes = d.count(2000);
    const { starts, columns } = friends(d, nodes, 16);
    const state = new Int32Array(nodes);
    // Some are in the set already, and their neighbours out of it.
    for (let node = 0; node < nodes; node++)
      if (state[node] === 0 && d.chance(0.12)) {
        for (const other of columns.subarray(starts[node], starts[node + 1])) if (d.chance(0.8)) state[other] = 2;
        state[node] = 1;
      }
    return line(nodes, 128, out.i32(nodes), out.i32(1), state, d.uints(nodes, 0, 9999), starts, columns, i32(nodes));
  },
  bc_dependencies: (d) => {
    const nodes = d.count(2200);
    const graph = friends(d, nodes, 12);
    const source = d.whole(0, nodes - 1);
    const { depth, paths } = breadthFirst(graph, source);
    const counts = new Map<number, number>();
    for (const each of depth) counts.set(each, (counts.get(each) ?? 0) + 1);
    const level = [...counts].filter(([each]) => each > 0).sort(([, a], [, b]) => b - a)[0]?.[0] ?? 1;
    const below = depth.map((each) => (each > level ? 1 : 0));
    return line(
      nodes,
      128,
      inOut(d.floats(nodes, 0, 50)),
      out.f32(nodes),
      Float32Array.from(below, (each) => each * d.real(0, 8)),
      depth,
      paths,
      graph.starts,
      graph.columns,
      i32(level),
      i32(source),
      i32(nodes),
    );
  },
  sssp_near_far: (d) => {
    const nodes = d.count(1800);
    const { starts, columns } = friends(d, nodes, 14);
    const known = Uint32Array.from({ length: nodes }, () => (d.chance(0.35) ? 2 ** 32 - 1 : d.whole(0, 900)));
    const weights = Uint32Array.from({ length: columns.length }, () => 1 + d.skewed(199));
    const work = d.permutation(nodes).slice(0, Math.ceil(nodes * 0.7));
    return line(
      work.length,
      128,
      inOut(known.slice()),
      out.u8(nodes),
      out.u8(nodes),
      work,
      known,
      d.flags(nodes, 0.3),
      starts,
      columns,
      weights,
      u32(24),
      u32(600),
      i32(work.length),
    );
  },
  floyd_panels: (d) => {
    const tiles = d.side(7);
    const width = tiles * 16;
    const distances = Int32Array.from({ length: width * width }, (_, k) => {
      const [from, to] = [Math.floor(k / width), k % width];
      return from === to ? 0 : d.chance(0.3) ? d.whole(1, 60) : -1;
    });
    const pivot = d.whole(0, tiles - 1);
    return { grid: [tiles - 1, 2], block: [16, 16], args: [inOut(distances), i32(pivot), i32(tiles)] };
  },
  delaunay_flips: (d) => {
    const side = d.side(26);
    const n = 3 * side * side;
    const width = side + 2;
    // A grid that was shaken: in parts not at all, so that many circles have four points on them.
    const points = new Float32Array(2 * width * width);
    const calm = d.whole(0, side / 2);
    for (let y = 0; y < width; y++)
      for (let x = 0; x < width; x++) {
        const shaken = x < calm ? 0 : 0.42;
        points[2 * (y * width + x)] = x + shaken * d.real(-1, 1);
        points[2 * (y * width + x) + 1] = y + shaken * d.real(-1, 1);
      }
    const [ends, apexes] = [new Int32Array(2 * n), new Int32Array(2 * n)];
    const at = (x: number, y: number) => y * width + x;
    for (let k = 0; k < n; k++) {
      const cell = Math.floor(k / 3);
      const [x, y] = [1 + (cell % side), 1 + Math.floor(cell / side)];
      const [a, b, c, e] =
        k % 3 === 0
          ? [at(x, y), at(x + 1, y + 1), at(x, y + 1), at(x + 1, y)]
          : k % 3 === 1
            ? [at(x, y), at(x + 1, y), at(x + 1, y + 1), at(x, y - 1)]
            : [at(x, y), at(x, y + 1), at(x - 1, y), at(x + 1, y + 1)];
      ends.set([a, b], 2 * k);
      const outer = x === side || y === side;
      apexes.set([c, outer ? -1 : e], 2 * k);
    }
    return line(n, 128, out.u8(n), out.i32(1), points, ends, apexes, d.flags(n, 0.05), i32(n));
  },
  handshake_matching: (d) => {
    const nodes = d.count(1600);
    const { starts, columns } = friends(d, nodes, 14);
    const matched = new Int32Array(nodes).fill(-1);
    const chosen = new Int32Array(nodes).fill(-1);
    for (let node = 0; node < nodes; node++) {
      const list = columns.subarray(starts[node], starts[node + 1]);
      if (list.length === 0) continue;
      const other = list[d.whole(0, list.length - 1)]!;
      if (matched[node]! < 0 && matched[other]! < 0 && d.chance(0.3)) [matched[node], matched[other]] = [other, node];
      else if (matched[node]! < 0) {
        chosen[node] = other;
        if (d.chance(0.4) && matched[other]! < 0) chosen[other] = node;
      }
    }
    const weights = Int32Array.from({ length: columns.length }, () => 1 + d.skewed(30));
    return line(nodes, 128, out.i32(nodes), out.i32(nodes), chosen, matched, starts, columns, weights, i32(nodes));
  },
  octree_descend: (d) => {
    const n = d.count(1300);
    // Two galaxies.
    const places = [0, 1, 2].map(() => new Float32Array(n));
    for (let i = 0; i < n; i++) {
      const [middle, spread] = d.chance(0.65) ? [30, 4] : d.chance(0.7) ? [70, 9] : [50, 15];
      for (const place of places) place[i] = Math.min(99, Math.max(1, middle + spread * d.normal()));
    }
    const children = octree(places, Math.floor(n * 0.6), n, 50, 50);
    const [x, y, z] = places as [Float32Array, Float32Array, Float32Array];
    const outs = [out.i32(n), out.i32(n), out.i32(n), out.f32(n)];
    return line(n, 128, ...outs, x, y, z, children, f32(50), f32(50), i32(n), i32(n));
  },
  canny_hysteresis: (d) => {
    const [width, height] = [d.side(76), d.side(60)];
    const picture = d.picture(width, height);
    const magnitude = picture.map((value, k) => {
      const [right, below] = [picture[k + 1] ?? value, picture[k + width] ?? value];
      return Math.abs(right - value) + Math.abs(below - value);
    });
    const blocks = Math.ceil(width / 16) * Math.ceil(height / 16);
    return plane(
      [width, height],
      [16, 16],
      out.u8(width * height),
      out.i32(blocks),
      magnitude,
      f32(0.04),
      f32(0.16),
      i32(width),
      i32(height),
    );
  },
  pad_rows_by_kind: (d) => {
    const [rows, length, before] = [d.count(90), 41, 9];
    const stride = length + 2 * before;
    const n = rows * stride;
    const kind = Uint8Array.from({ length: rows }, () => d.pick([0, 0, 1, 2, 2, 3]));
    return line(
      n,
      256,
      out.f32(n),
      d.floats(rows * length, -1, 1),
      kind,
      d.floats(rows, -1, 0),
      i32(before),
      i32(length),
      i32(stride),
      i32(n),
    );
  },
  task_queue: (d) => {
    const tasks = d.count(26);
    const counts = Int32Array.from({ length: tasks }, () => (d.chance(0.5) ? 512 : d.whole(60, 700)));
    const begins = new Int32Array(tasks);
    let all = 0;
    counts.forEach((count, task) => {
      begins[task] = all;
      all += count;
    });
    const kinds = Int32Array.from({ length: tasks }, () => d.pick([0, 0, 1, 2]));
    const bytes = Uint8Array.from({ length: all }, () => d.skewed(255));
    return {
      grid: [tasks],
      block: [128],
      args: [out.i32(64), out.f32(tasks), out.f32(all), kinds, begins, counts, bytes, d.normals(all)],
    };
  },
  spectral_angles: (d) => {
    const [pixels, bands, count] = [d.count(900), 20, 5];
    const materials = Float32Array.from(
      { length: count * bands },
      (_, k) => 0.2 + 0.6 * d.fraction() + (k % bands) / 60,
    );
    const what = d.runs(pixels, 14, 0, count);
    const cube = new Float32Array(bands * pixels);
    what.forEach((material, pixel) => {
      const [light, dead] = [d.real(0.3, 1), d.chance(0.04)];
      for (let b = 0; b < bands; b++)
        cube[b * pixels + pixel] =
          dead || d.chance(0.02)
            ? -1
            : material === count
              ? 0.002 * d.fraction()
              : light * materials[material * bands + b]! + 0.05 * d.fraction();
    });
    const bad = Uint8Array.from({ length: bands }, (_, b) => Number(b === 7 || b === 8 || b === 15));
    return line(
      pixels,
      64,
      out.u8(pixels),
      out.f32(pixels),
      cube,
      materials,
      bad,
      i32(bands),
      i32(count),
      f32(0.97),
      i32(pixels),
    );
  },
  mixture_expectation: (d) => {
    const [n, components] = [d.count(1200), 7];
    const mean = d.floats(components * 3, -4, 4);
    const shape = Uint8Array.from({ length: components }, () => d.whole(0, 2));
    const inverse = new Float32Array(components * 6);
    for (let c = 0; c < components; c++)
      for (let k = 0; k < 6; k++) inverse[c * 6 + k] = k < 3 ? d.real(0.6, 3) : d.real(-0.2, 0.2);
    const weight = Float32Array.from({ length: components }, (_, c) => (c === 3 ? -40 : d.real(-3, -1)));
    const data = new Float32Array(3 * n);
    for (let i = 0; i < n; i++) {
      const c = d.whole(0, components - 1);
      for (let k = 0; k < 3; k++) data[k * n + i] = mean[c * 3 + k]! + 0.9 * d.normal();
    }
    const outs = [out.f32(components * n), out.f32(n)];
    return line(n, 128, ...outs, data, mean, inverse, weight, shape, i32(components), i32(n));
  },
  expand_keys: (d) => {
    const n = d.count(900);
    const length = Uint8Array.from({ length: n }, () => d.pick([4, 4, 4, 6, 8, 8]));
    return line(n, 128, out.u32(60 * n), d.uints(8 * n), length, substitution(d), i32(n));
  },
  fir_history: (d) => {
    const [channels, length, order] = [d.count(40), 48, 16];
    const n = channels * length;
    const taps = Float32Array.from({ length: order }, (_, k) => (k - 7.5) / (1 + (k - 7.5) ** 2));
    const outs = [out.f32(n), out.f32(channels * order)];
    const ins = [d.normals(n), d.normals(channels * order), taps];
    return line(n, 128, ...outs, ...ins, i32(order), i32(length), i32(n));
  },
  first_fit_recolour: (d) => {
    const nodes = d.count(1800);
    const { starts, columns } = friends(d, nodes, 20);
    const guess = new Int32Array(nodes);
    for (let node = 0; node < nodes; node++) {
      const used = new Set<number>();
      // A guess that saw only some of its neighbours.
      for (const other of columns.subarray(starts[node], starts[node + 1]))
        if (other < node && d.chance(0.85)) used.add(guess[other]!);
      while (used.has(guess[node]!)) guess[node]!++;
    }
    return line(nodes, 128, out.i32(nodes), out.i32(1), guess, starts, columns, i32(nodes));
  },
  biased_walks: (d) => {
    const [nodes, steps] = [d.count(900), 10];
    const { starts, columns } = friends(d, nodes, 12);
    const outs = [out.i32(steps * nodes), out.i32(nodes)];
    const odds = [u32(60), u32(255), u32(128)];
    return line(nodes, 64, ...outs, starts, columns, d.uints(nodes, 1), ...odds, i32(steps), i32(nodes));
  },
  community_moves: (d) => {
    const nodes = d.count(1500);
    const { starts, columns } = friends(d, nodes, 16);
    // Communities of a pass that went before: neighbours in number mostly share one.
    const community = Int32Array.from({ length: nodes }, (_, node) =>
      d.chance(0.75) ? Math.floor(node / 12) * 12 : node,
    );
    const weights = Float32Array.from({ length: columns.length }, () => d.whole(1, 4));
    const total = new Float32Array(nodes);
    let all = 0;
    for (let node = 0; node < nodes; node++)
      for (let k = starts[node]!; k < starts[node + 1]!; k++) {
        total[community[node]!]! += weights[k]!;
        all += weights[k]!;
      }
    const outs = [out.i32(nodes), out.f32(nodes)];
    return line(nodes, 128, ...outs, community, total, starts, columns, weights, f32(all / 2), i32(nodes));
  },
};

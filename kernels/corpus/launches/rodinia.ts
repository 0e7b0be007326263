import { f32, groups, i32, inOut, line, out, plane, u32 } from '../launch.js';
import type { Family } from '../family.js';
import type { Inputs } from '../inputs.js';

/** Cosines and sines of `points` = 24 angles, by turning fifteen degrees each time. */
function circle(points: number): { sine: Float32Array; cosine: Float32Array } {
  const [c, s] = [(Math.sqrt(6) + Math.sqrt(2)) / 4, (Math.sqrt(6) - Math.sqrt(2)) / 4];
  const [sine, cosine] = [new Float32Array(points), new Float32Array(points)];
  let [x, y] = [1, 0];
  for (let k = 0; k < points; k++) {
    [cosine[k], sine[k]] = [x, y];
    [x, y] = [c * x - s * y, s * x + c * y];
  }
  return { sine, cosine };
}

/** Sums up to each place, divided by the whole. */
function cumulative(weights: Float32Array): Float32Array {
  const total = weights.reduce((sum, each) => sum + each, 0);
  let sum = 0;
  return weights.map((each) => (sum += each / total));
}

/** Cells of a rectangle around a wing, as a list: neighbours by face, -1 at the wing, -2 in the far field. */
function meshAroundWing(d: Inputs, width: number, height: number): { n: number; neighbour: Int32Array } {
  const isWing = (x: number, y: number) =>
    Math.abs(x - width / 2) < width / 5 && Math.abs(y - height / 2) < height / 12 + 1;
  const number = new Map<number, number>();
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) if (!isWing(x, y)) number.set(y * width + x, number.size);
  const n = number.size;
  const order = d.permutation(n);
  // Numbers of a mesh generator: mostly near each other, some parts anywhere.
  const renamed = Int32Array.from({ length: n }, (_, cell) => cell);
  for (let k = 0; k + 1 < n / 4; k += 2) {
    const [a, b] = [order[k]!, order[k + 1]!];
    [renamed[a], renamed[b]] = [renamed[b]!, renamed[a]!];
  }
  const neighbour = new Int32Array(4 * n);
  for (const [place, cell] of number) {
    const [x, y] = [place % width, Math.floor(place / width)];
    [
      [x - 1, y],
      [x + 1, y],
      [x, y - 1],
      [x, y + 1],
    ].forEach(([u, v], face) => {
      const outside = u! < 0 || v! < 0 || u! >= width || v! >= height;
      const other = outside ? -2 : isWing(u!, v!) ? -1 : renamed[number.get(v! * width + u!)!]!;
      neighbour[face * n + renamed[cell]!] = other;
    });
  }
  return { n, neighbour };
}

interface Tree {
  readonly keys: Int32Array;
  readonly children: Int32Array;
  readonly used: Int32Array;
  readonly nextLeaf: Int32Array;
}

/** A B+ tree of three levels over sorted keys; nodes are filled as differently as insertions leave them. */
function bPlusTree(d: Inputs, sorted: Int32Array, order: number): Tree {
  const split = (count: number, least: number, most: number): number[] => {
    const ends: number[] = [];
    for (let at = 0; at < count;) ends.push((at = Math.min(count, at + d.whole(least, most))));
    return ends;
  };
  const leafEnds = split(sorted.length, 36, 60);
  // No more inner nodes than the root has room for.
  const leastOfInner = Math.max(6, Math.ceil(leafEnds.length / order));
  const innerEnds = split(leafEnds.length, leastOfInner, Math.max(24, leastOfInner));
  const nodes = 1 + innerEnds.length + leafEnds.length;
  const [keys, children] = [new Int32Array(nodes * order), new Int32Array(nodes * order)];
  const [used, nextLeaf] = [new Int32Array(nodes), new Int32Array(nodes).fill(-1)];
  const firstLeaf = 1 + innerEnds.length;
  const fill = (node: number, entries: readonly (readonly [number, number])[]) => {
    entries.forEach(([key, child], k) => {
      keys[node * order + k] = key;
      children[node * order + k] = child;
    });
    used[node] = entries.length;
  };
  const least = (node: number) => keys[node * order]!;
  leafEnds.forEach((end, k) => {
    const begin = k === 0 ? 0 : leafEnds[k - 1]!;
    fill(
      firstLeaf + k,
      Array.from({ length: end - begin }, (_, e) => [sorted[begin + e]!, begin + e] as const),
    );
    if (k + 1 < leafEnds.length) nextLeaf[firstLeaf + k] = firstLeaf + k + 1;
  });
  innerEnds.forEach((end, k) => {
    const begin = k === 0 ? 0 : innerEnds[k - 1]!;
    fill(
      1 + k,
      Array.from({ length: end - begin }, (_, e) => [least(firstLeaf + begin + e), firstLeaf + begin + e] as const),
    );
  });
  fill(
    0,
    innerEnds.map((_, k) => [least(1 + k), 1 + k] as const),
  );
  return { keys, children, used, nextLeaf };
}

/** A sequence of bases with repeats, as genomes have them. */
function genome(d: Inputs, length: number): Uint8Array {
  const bases: number[] = [];
  while (bases.length < length) {
    if (bases.length > 60 && d.chance(0.02)) {
      const from = d.whole(0, bases.length - 30);
      for (const base of bases.slice(from, from + d.whole(10, 30)))
        bases.push(d.chance(0.05) ? d.pick([65, 67, 71, 84]) : base);
    } else bases.push(d.pick([65, 65, 67, 71, 84, 84]));
  }
  return Uint8Array.from(bases.slice(0, length));
}

export const rodinia: Family = {
  hotspot_pyramid: (d) => {
    const [width, height] = [d.side(44), d.side(36)];
    const temperature = d.picture(width, height).map((value) => 320 + 20 * value);
    const power = d.picture(width, height).map((value) => (value > 0.5 ? 3 * value : 0.1));
    return {
      grid: [Math.ceil(width / 12), Math.ceil(height / 12)],
      block: [16, 16],
      args: [
        out.f32(width * height),
        temperature,
        power,
        f32(0.1),
        f32(0.12),
        f32(0.002),
        f32(0.9),
        i32(2),
        i32(width),
        i32(height),
      ],
    };
  },
  pathfinder_ghost: (d) => {
    const [rows, columns] = [8, d.count(1100)];
    return groups(
      Math.ceil(columns / 112),
      128,
      out.i32(columns),
      d.ints(rows * columns, 0, 9),
      d.ints(columns, 20, 60),
      i32(rows),
      i32(columns),
    );
  },
  particle_resample: (d) => {
    const n = d.count(1200);
    // Few particles are likely.
    const weights = Float32Array.from({ length: n }, () => 0.02 + d.skewed(1000) / 1000);
    const [x, y] = [d.normals(n, 40, 5), d.normals(n, 70, 5)];
    const [seed, offset] = [u32(d.whole(1, 2 ** 31)), f32(d.fraction())];
    return line(n, 128, out.f32(n), out.f32(n), out.i32(n), x, y, cumulative(weights), seed, offset, i32(n));
  },
  myocyte_gates: (d) => {
    const n = d.count(600);
    const voltage = new Float32Array(n);
    const gates = new Float32Array(3 * n);
    // Tissue with a wave in it: at rest, in the upstroke or on the plateau, in stretches.
    d.runs(n, 24, 0, 4).forEach((phase, i) => {
      voltage[i] = phase <= 2 ? d.real(-86, -78) : phase === 3 ? d.real(-55, 20) : d.real(-10, 25);
      gates[i] = phase <= 2 ? 0.002 : d.real(0.5, 0.99);
      gates[n + i] = phase <= 2 ? 0.98 : d.real(0, 0.3);
      gates[2 * n + i] = phase <= 2 ? 0.97 : d.real(0.05, 0.6);
    });
    const stimulus = Float32Array.from({ length: n }, () => (d.chance(0.2) ? d.real(30, 60) : 0));
    return line(n, 128, inOut(voltage), inOut(gates), out.i32(n), stimulus, f32(2.5), i32(n));
  },
  streamcluster_gain: (d) => {
    const [n, dimensions, centres] = [d.count(1000), 16, 8];
    const middles = Array.from({ length: centres }, () => d.floats(dimensions, 0, 10));
    const points = new Float32Array(dimensions * n);
    const weight = Float32Array.from({ length: n }, () => 1 + d.skewed(6));
    const [paid, centre] = [new Float32Array(n), new Int32Array(n)];
    for (let i = 0; i < n; i++) {
      // The centre that a point is assigned to is not always the nearest.
      const near = d.whole(0, centres - 1);
      centre[i] = d.chance(0.8) ? near : d.whole(0, centres - 1);
      let sum = 0;
      for (let k = 0; k < dimensions; k++) {
        const value = middles[near]![k]! + 1.5 * d.normal();
        points[k * n + i] = value;
        sum += (value - middles[centre[i]!]![k]!) ** 2;
      }
      paid[i] = sum * weight[i]!;
    }
    const outs = [out.f32(n * centres), out.u8(n), out.f32(n)];
    const scalars = [i32(d.whole(0, n - 1)), i32(dimensions), i32(centres), i32(n)];
    return line(n, 128, ...outs, points, weight, paid, centre, ...scalars);
  },
  gicov_scan: (d) => {
    const [width, height] = [d.side(44), d.side(40)];
    const picture = d.picture(width, height);
    const at = (x: number, y: number) =>
      picture[Math.min(height - 1, Math.max(0, y)) * width + Math.min(width - 1, Math.max(0, x))]!;
    const [gradX, gradY] = [new Float32Array(width * height), new Float32Array(width * height)];
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        gradX[y * width + x] = at(x + 1, y) - at(x - 1, y);
        gradY[y * width + x] = at(x, y + 1) - at(x, y - 1);
      }
    const { sine, cosine } = circle(24);
    const outs = [out.f32(width * height), out.u8(width * height)];
    const scalars = [f32(3), f32(1.5), i32(3), i32(24), i32(width), i32(height)];
    return plane([width, height], [16, 8], ...outs, gradX, gradY, sine, cosine, ...scalars);
  },
  srad_coefficient: (d) => {
    const [width, height] = [d.side(60), d.side(36)];
    const size = width * height;
    const image = d.picture(width, height).map((value) => (0.2 + value) * d.real(0.8, 1.25));
    const outs = Array.from({ length: 5 }, () => out.f32(size));
    return plane([width, height], [32, 8], ...outs, image, f32(0.03), i32(height), i32(width));
  },
  lavamd_boxes: (d) => {
    const side = 3;
    const boxes = side ** 3;
    const starts = [0];
    const positions: number[] = [];
    const [neighbourStart, neighbours]: [number[], number[]] = [[0], []];
    for (let box = 0; box < boxes; box++) {
      const place = [box % side, Math.floor(box / side) % side, Math.floor(box / side ** 2)];
      const count = Math.min(32, d.count(d.whole(6, 26)));
      for (let k = 0; k < count; k++) positions.push(...place.map((each) => each + d.fraction()));
      starts.push(starts.at(-1)! + count);
      for (let other = 0; other < boxes; other++) {
        const there = [other % side, Math.floor(other / side) % side, Math.floor(other / side ** 2)];
        if (there.every((each, axis) => Math.abs(each - place[axis]!) <= 1)) neighbours.push(other);
      }
      neighbourStart.push(neighbours.length);
    }
    const n = starts.at(-1)!;
    return groups(
      boxes,
      64,
      out.f32(4 * n),
      Float32Array.from(positions),
      d.floats(n, 0.1, 1),
      Int32Array.from(starts),
      Int32Array.from(neighbourStart),
      Int32Array.from(neighbours),
      f32(0.5),
    );
  },
  cfd_flux: (d) => {
    const { n, neighbour } = meshAroundWing(d, d.side(40), d.side(32));
    const variables = new Float32Array(4 * n);
    const normals = new Float32Array(8 * n);
    for (let i = 0; i < n; i++) {
      variables[i] = d.real(1.2, 1.5);
      variables[n + i] = d.real(0.8, 1.6);
      variables[2 * n + i] = d.real(-0.2, 0.2);
      variables[3 * n + i] = d.real(3.2, 4);
      [-1, 0, 1, 0, 0, -1, 0, 1].forEach((value, k) => {
        normals[k * n + i] = value + d.real(-0.1, 0.1);
      });
    }
    const farField = Float32Array.from([1.4, 1.2, 0.05, 3.6]);
    return line(n, 128, out.f32(4 * n), variables, neighbour, normals, farField, i32(n));
  },
  btree_query: (d) => {
    const [n, queries, order] = [d.count(4000), d.count(40), 64];
    let key = 0;
    const sorted = Int32Array.from({ length: n }, () => (key += 1 + d.skewed(30)));
    const { keys, children, used, nextLeaf } = bPlusTree(d, sorted, order);
    // Half of the queries are for a key that exists.
    const query = Int32Array.from({ length: queries }, () =>
      d.chance(0.5) ? sorted[d.whole(0, n - 1)]! : d.whole(sorted[0]!, key),
    );
    const end = query.map((each) => each + d.skewed(1500));
    return groups(
      queries,
      64,
      inOut(new Int32Array(queries).fill(-1)),
      out.i32(queries),
      keys,
      children,
      used,
      nextLeaf,
      d.ints(n, 0, 1e6),
      query,
      end,
      i32(order),
      i32(3),
    );
  },
  heartwall_track: (d) => {
    const [points, side, patternSide] = [d.count(8), 15, 7];
    const frames = new Float32Array(points * side * side);
    const patterns = new Float32Array(points * patternSide * patternSide);
    for (let p = 0; p < points; p++) {
      const frame = d.picture(side, side);
      frames.set(frame, p * side * side);
      const [x, y] = [d.whole(0, side - patternSide), d.whole(0, side - patternSide)];
      for (let v = 0; v < patternSide; v++)
        for (let u = 0; u < patternSide; u++)
          patterns[(p * patternSide + v) * patternSide + u] = frame[(y + v) * side + x + u]! + d.real(-0.05, 0.05);
    }
    const outs = [out.i32(points), out.f32(points)];
    return groups(points, 128, ...outs, frames, patterns, d.flags(points, 0.4), i32(side), i32(patternSide));
  },
  dwt53_rows: (d) => {
    const [rows, stride] = [d.count(16), 128];
    const widths = Int32Array.from({ length: rows }, () => d.pick([128, 128, 120, 101, 97, 64, 33]));
    const samples = Int32Array.from(d.greyPicture(stride, rows));
    return groups(rows, 128, out.i32(rows * stride), samples, widths, i32(stride), i32(3));
  },
  mummer_suffixes: (d) => {
    const [length, reads, readLength] = [800, d.count(25), 40];
    const reference = genome(d, length);
    const text = Buffer.from(reference).toString('latin1');
    const suffixes = Int32Array.from({ length }, (_, k) => k).sort((a, b) => (text.slice(a) < text.slice(b) ? -1 : 1));
    const n = reads * readLength;
    const read = new Uint8Array(n);
    for (let r = 0; r < reads; r++) {
      const from = d.whole(0, length - readLength);
      for (let k = 0; k < readLength; k++)
        read[r * readLength + k] = d.chance(0.04) ? d.pick([65, 67, 71, 84]) : reference[from + k]!;
    }
    const scalars = [i32(readLength), i32(12), i32(length), i32(n)];
    return line(n, 128, out.i32(n), inOut(new Int32Array(n)), reference, suffixes, read, ...scalars);
  },
  hybridsort_bucket: (d) => {
    const [n, buckets, perThread] = [d.count(3600), 32, 4];
    const keys = d.normals(n, 50, 20);
    // Pivots by a histogram of a sample.
    const sample = d.normals(buckets * 8, 50, 18).sort();
    const pivots = Float32Array.from({ length: buckets - 1 }, (_, k) => sample[8 * (k + 1)]!);
    const [low, high] = [f32(sample[2]!), f32(sample.at(-3)!)];
    const outs = [out.u32(n), out.i32(buckets)];
    return line(n / perThread, 128, ...outs, keys, pivots, low, high, i32(buckets), i32(perThread), i32(n));
  },
  nearest_records: (d) => {
    const [n, records] = [d.count(800), 96];
    // Storms are near coasts: in clusters.
    const place = (least: number, most: number, count: number) => {
      const middles = Array.from({ length: 9 }, () => d.real(least, most));
      return Float32Array.from({ length: count }, () =>
        Math.min(most, Math.max(least, d.pick(middles) + 6 * d.normal())),
      );
    };
    const [lat, lon] = [place(-50, 50, records), place(-180, 180, records)];
    const [qlat, qlon] = [place(-50, 50, n), place(-180, 180, n)];
    const outs = [out.i32(3 * n), out.f32(3 * n)];
    return line(n, 128, ...outs, lat, lon, qlat, qlon, f32(15), i32(records), i32(n));
  },
};

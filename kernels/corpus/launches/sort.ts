import type { Inputs } from '../inputs.js';
import { groups, i32, inOut, line, out } from '../launch.js';
import type { Family } from '../family.js';

const sorted = (d: Inputs, n: number): Int32Array => d.ints(n, 0, 4 * n).sort();

/** Nearly sorted, as data often is that was sorted before: a tenth is out of place. */
function nearlySorted(d: Inputs, n: number): Int32Array {
  const keys = sorted(d, n);
  return keys.map((key) => (d.chance(0.1) ? d.whole(0, 4 * n) : key));
}

export const sort: Family = {
  bitonic_global_step: (d) => {
    const n = d.count(4096);
    return line(n, 256, inOut(d.ints(n, 0, 1e6)), i32(64), i32(8), i32(n));
  },
  bitonic_pairs_block: (d) => {
    const blocks = d.count(4);
    return groups(blocks, 128, inOut(d.uints(256 * blocks)), inOut(d.uints(256 * blocks)));
  },
  odd_even_block: (d) => {
    const blocks = d.count(8);
    return groups(blocks, 128, inOut(d.normals(128 * blocks)));
  },
  rank_sort: (d) => {
    const n = d.count(250);
    return line(n, 64, out.i32(n), d.ints(n, 0, 99), i32(n));
  },
  insertion_lists: (d) => {
    const lists = d.count(400);
    const starts = [0];
    for (let k = 0; k < lists; k++) starts.push(starts[k]! + 4 + d.skewed(20));
    const keys = nearlySorted(d, starts[lists]!);
    return line(lists, 64, inOut(keys), Int32Array.from(starts), i32(lists));
  },
  merge_by_rank: (d) => {
    const [na, nb] = [d.count(1100), d.count(900)];
    return line(na + nb, 256, out.i32(na + nb), sorted(d, na), sorted(d, nb), i32(na), i32(nb));
  },
  merge_path: (d) => {
    const [na, nb] = [d.count(3100), d.count(4000)];
    return line((na + nb) / 8, 128, out.i32(na + nb), sorted(d, na), sorted(d, nb), i32(na), i32(nb));
  },
  partition_pivot: (d) => {
    const n = d.count(3000);
    return line(n, 256, out.i32(n), out.i32(n), out.u32(3), d.ints(n, 0, 100), i32(40), i32(n));
  },
  top_four: (d) => {
    const [rows, columns] = [d.count(500), 64];
    return line(rows, 64, out.f32(4 * rows), out.i32(4 * rows), d.normals(rows * columns), i32(rows), i32(columns));
  },
  heap_queue: (d) => {
    const [blocks, count] = [d.count(4), 40];
    const commands = Int32Array.from({ length: 64 * blocks * count }, () => (d.chance(0.4) ? -1 : d.whole(0, 999)));
    return groups(blocks, 64, out.i32(64 * blocks), commands, i32(count));
  },
  scan_segments: (d) => {
    const n = d.count(2000);
    return line(n, 256, out.i32(n), d.ints(n, 1, 9), d.flags(n, 0.05), i32(n));
  },
  compact_block: (d) => {
    const n = d.count(2000);
    const blocks = Math.ceil(n / 128);
    return line(n, 128, out.i32(128 * blocks), out.i32(blocks), d.ints(n, -20, 50), i32(n));
  },
  reduce_extremes: (d) => {
    const n = d.count(8000);
    return groups(4, 128, out.i32(8), d.ints(n, -1e6, 1e6), i32(n));
  },
};

import { i32, inOut, line, out } from '../launch.js';
import type { Family } from '../family.js';
import type { Inputs, SparseRows } from '../inputs.js';

/** Levels of a search in progress: few nodes are in the frontier, about half are not reached. */
const levels = (d: Inputs, nodes: number, frontier: number): Int32Array =>
  Int32Array.from({ length: nodes }, () => (d.chance(frontier) ? 3 : d.chance(0.5) ? -1 : d.whole(0, 2)));

/** The edges as pairs of nodes. */
function pairs({ starts, columns }: SparseRows): { from: Int32Array; to: Int32Array } {
  const from = new Int32Array(columns.length);
  for (let node = 0; node + 1 < starts.length; node++) from.fill(node, starts[node], starts[node + 1]);
  return { from, to: columns };
}

export const graph: Family = {
  bfs_top_down: (d) => {
    const nodes = d.count(2000);
    const { starts, columns } = d.skewedGraph(nodes);
    const level = levels(d, nodes, 0.15);
    return line(nodes, 128, out.i32(nodes), level, starts, columns, i32(3), i32(nodes));
  },
  bfs_bottom_up: (d) => {
    const nodes = d.count(2000);
    const { starts, columns } = d.skewedGraph(nodes);
    return line(nodes, 128, out.i32(nodes), levels(d, nodes, 0.2), starts, columns, i32(3), i32(nodes));
  },
  sssp_relax: (d) => {
    const nodes = d.count(1000);
    const { starts, columns } = d.skewedGraph(nodes);
    const known = d.uints(nodes, 0, 1000);
    const weights = d.uints(columns.length, 1, 100);
    return line(nodes, 128, inOut(known.slice()), d.flags(nodes, 0.3), known, starts, columns, weights, i32(nodes));
  },
  pagerank_pull: (d) => {
    const nodes = d.count(1000);
    const { starts, columns } = d.skewedGraph(nodes);
    const degree = Int32Array.from({ length: nodes }, () => (d.chance(0.1) ? 0 : 1 + d.skewed(40)));
    return line(nodes, 128, out.f32(nodes), out.i32(1), d.floats(nodes, 0, 0.01), degree, starts, columns, i32(nodes));
  },
  colour_extremes: (d) => {
    const nodes = d.count(1500);
    const { starts, columns } = d.skewedGraph(nodes, 24);
    const before = Int32Array.from({ length: nodes }, () => (d.chance(0.4) ? 0 : -1));
    return line(nodes, 128, inOut(before.slice()), before, d.uints(nodes), starts, columns, i32(4), i32(nodes));
  },
  components_hook: (d) => {
    const [nodes, edges] = [d.count(1000), d.count(3000)];
    const label = Int32Array.from({ length: nodes }, (_, node) => (d.chance(0.5) ? node : d.whole(0, node)));
    const [from, to] = [d.ints(edges, 0, nodes - 1), d.ints(edges, 0, nodes - 1)];
    return line(edges, 256, inOut(label.slice()), label, from, to, i32(edges));
  },
  components_jump: (d) => {
    const nodes = d.count(2000);
    // Shallow trees: parents are smaller, a tenth are roots.
    const parent = Int32Array.from({ length: nodes }, (_, node) =>
      d.chance(0.1) ? node : d.whole(Math.floor(node / 2), node),
    );
    return line(nodes, 256, out.i32(nodes), parent, i32(nodes));
  },
  triangles_merge: (d) => {
    const rows = d.skewedGraph(d.count(200), 32);
    const { from, to } = pairs(rows);
    return line(from.length, 128, out.i32(from.length), from, to, rows.starts, rows.columns, i32(from.length));
  },
  triangles_search: (d) => {
    const rows = d.skewedGraph(d.count(150), 32);
    const { from, to } = pairs(rows);
    return line(from.length, 128, out.i32(from.length), from, to, rows.starts, rows.columns, i32(from.length));
  },
  core_peel: (d) => {
    const nodes = d.count(1500);
    const { starts, columns } = d.skewedGraph(nodes, 24);
    const degree = Int32Array.from({ length: nodes }, (_, node) => starts[node + 1]! - starts[node]!);
    return line(nodes, 128, inOut(degree.slice()), out.i32(nodes), degree, starts, columns, i32(2), i32(nodes));
  },
};

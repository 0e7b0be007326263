/**
 * The control-flow graph as flat arrays (compressed sparse rows), and walks over it.
 *
 * Nodes are blocks `[0, count)`. Duplicate edges are kept in `succ` and in `pred`, so a predecessor list has as many
 * entries as LLVM's `pred_size` says. Successors are in terminator order. Predecessors are in layout order of the
 * source block, and duplicates stand side by side. LLVM's own order, that of the use list, is not part of the snapshot.
 *
 * The walks are depth-first with an explicit stack of (node, next edge); see Cormen et al., "Introduction to
 * Algorithms", 22.3.
 */
import type { BlockId } from '../ir/ids.js';
import type { FunctionSnapshot } from '../ir/snapshot.js';
import { Tables } from './tables.js';

export interface Graph {
  readonly count: number;
  readonly entry: BlockId;
  /** `[count + 1]`: where the successors of each block start in `succ`. */
  readonly succStart: Int32Array;
  readonly succ: Int32Array;
  /** `[count + 1]`: where the predecessors of each block start in `pred`. */
  readonly predStart: Int32Array;
  readonly pred: Int32Array;
  /** By block. */
  readonly tables: Tables;
}

/** Completes a graph from its successor lists. The predecessor lists come from a counting sort in O(nodes + edges). */
export function graphOf(count: number, entry: BlockId, succStart: Int32Array, succ: Int32Array): Graph {
  const predStart = new Int32Array(count + 1);
  for (let e = 0; e < succ.length; e++) predStart[succ[e] + 1]++;
  for (let b = 0; b < count; b++) predStart[b + 1] += predStart[b];
  const fill = predStart.slice(0, count);
  const pred = new Int32Array(succ.length);
  for (let b = 0; b < count; b++) for (let e = succStart[b]; e < succStart[b + 1]; e++) pred[fill[succ[e]]++] = b;
  return { count, entry, succStart, succ, predStart, pred, tables: new Tables(count) };
}

/** The control-flow graph of a function. Its entry is block 0. */
export function cfgOf(fn: FunctionSnapshot): Graph {
  return graphOf(fn.blockCount, 0 as BlockId, fn.succStart, fn.succ);
}

/**
 * The graph with every edge reversed and one more node. That node, `count`, is the virtual exit: it is the entry of the
 * reversed graph and leads to `roots`.
 */
export function reversed(g: Graph, roots: Int32Array): Graph {
  const succStart = new Int32Array(g.count + 2);
  succStart.set(g.predStart);
  succStart[g.count + 1] = g.pred.length + roots.length;
  const succ = new Int32Array(g.pred.length + roots.length);
  succ.set(g.pred);
  succ.set(roots, g.pred.length);
  return graphOf(g.count + 1, g.count as BlockId, succStart, succ);
}

/**
 * The blocks that are reachable from the entry. Each comes after all its predecessors, except those at the other end of
 * a back edge.
 */
export function reversePostOrder(g: Graph): Int32Array {
  const order = new Int32Array(g.count);
  if (g.count === 0) return order;
  const next = g.succStart.slice(0, g.count);
  const seen = new Uint8Array(g.count);
  const stack = new Int32Array(g.count);
  let depth = 0;
  let first = g.count;
  stack[depth++] = g.entry;
  seen[g.entry] = 1;
  while (depth > 0) {
    const b = stack[depth - 1];
    if (next[b] === g.succStart[b + 1]) {
      order[--first] = b;
      depth--;
      continue;
    }
    const to = g.succ[next[b]++];
    if (seen[to] === 1) continue;
    seen[to] = 1;
    stack[depth++] = to;
  }
  return order.slice(first);
}

/** Per block: its position in `order`, or `NONE` if it is not in it. */
export function positionsIn(order: Int32Array, count: number): Int32Array {
  const position = new Int32Array(count).fill(-1);
  for (let i = 0; i < order.length; i++) position[order[i]] = i;
  return position;
}

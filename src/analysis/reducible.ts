/**
 * Whether all cycles of a control-flow graph are natural loops: entered at one block only, their header. Aho, Lam,
 * Sethi, Ullman, "Compilers", 9.6.4: a graph is reducible if each edge that retreats in reverse post-order leads to a
 * block that dominates the edge's source.
 */
import type { BlockId } from '../ir/ids.js';
import { dominators } from './dominators.js';
import { positionsIn, reversePostOrder, type Graph } from './graph.js';

/**
 * Unreachable blocks do not count. `cycles` says it, too, but lists the blocks of all cycles, which is too much where
 * thousands are in each other; most functions do not even need dominators here.
 */
export function isReducible(graph: Graph): boolean {
  const order = reversePostOrder(graph);
  const position = positionsIn(order, graph.count);
  const retreating: [from: BlockId, to: BlockId][] = [];
  for (const b of order)
    for (let e = graph.succStart[b]!; e < graph.succStart[b + 1]!; e++) {
      const to = graph.succ[e]!;
      if (to !== b && position[to]! <= position[b]!) retreating.push([b as BlockId, to as BlockId]);
    }
  if (retreating.length === 0) return true;
  const tree = dominators(graph);
  return retreating.every(([from, to]) => tree.dominates(to, from));
}

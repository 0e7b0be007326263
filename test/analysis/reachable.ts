import type { BlockId } from '../../src/ir/ids.js';
import type { Graph } from '../../src/analysis/graph.js';

/**
 * An oracle for the analyses: marks (1) the blocks on paths that start at `from`, `from` included. Paths do not enter
 * `avoid`, if it is given, so what lies only behind it is not marked either. If `avoid` is `from` itself, paths may
 * start there.
 */
export function reachableFrom(g: Graph, from: BlockId, avoid?: BlockId): Uint8Array {
  const marked = new Uint8Array(g.count);
  const stack: number[] = [from];
  marked[from] = 1;
  for (let b = stack.pop(); b !== undefined; b = stack.pop()) {
    for (const to of g.succ.subarray(g.succStart[b], g.succStart[b + 1])) {
      if (marked[to] === 1 || to === avoid) continue;
      marked[to] = 1;
      stack.push(to);
    }
  }
  return marked;
}

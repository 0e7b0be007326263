/** All analyses of one function. */
import type { FunctionSnapshot } from '../ir/snapshot.js';
import { cycles, type CycleInfo } from './cycles.js';
import { liveFlow, type LiveFlow } from './dead-ends.js';
import { divergence, type Divergence } from './divergence.js';
import { dominators, postDominators, type DominatorTree } from './dominators.js';
import { cfgOf, positionsIn, reversePostOrder, type Graph } from './graph.js';
import { usesOf, type Uses } from './uses.js';

export interface Analyses {
  readonly graph: Graph;
  /** Per block: its index in reverse post-order, or `NONE` if it is unreachable. */
  readonly order: Int32Array;
  readonly dominators: DominatorTree;
  readonly postDominators: DominatorTree;
  readonly cycles: CycleInfo;
  readonly uses: Uses;
  readonly divergence: Divergence;
  /** The control flow without dead ends; null if there are none. */
  readonly liveFlow: LiveFlow | null;
}

/**
 * The order, the post-dominators and the control flow without dead ends are computed when they are first asked for.
 * Only functions with divergent branches need them.
 */
export function analysesOf(fn: FunctionSnapshot): Analyses {
  const graph = cfgOf(fn);
  const shared = { graph, dominators: dominators(graph), cycles: cycles(graph), uses: usesOf(fn) };
  let order: Int32Array | undefined;
  let post: DominatorTree | undefined;
  let live: LiveFlow | null | undefined;
  return {
    ...shared,
    divergence: divergence(fn, shared),
    get order() {
      return (order ??= positionsIn(reversePostOrder(graph), graph.count));
    },
    get postDominators() {
      return (post ??= postDominators(graph));
    },
    get liveFlow() {
      return live === undefined ? (live = liveFlow(fn, shared)) : live;
    },
  };
}

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

export const analysesOf = (fn: FunctionSnapshot): Analyses => new LazyAnalyses(fn);

/**
 * The order, the post-dominators and the control flow without dead ends are computed when they are first asked for.
 * Only functions with divergent branches need them.
 */
class LazyAnalyses implements Analyses {
  readonly graph: Graph;
  readonly dominators: DominatorTree;
  readonly cycles: CycleInfo;
  readonly uses: Uses;
  readonly divergence: Divergence;
  #order: Int32Array | undefined;
  #postDominators: DominatorTree | undefined;
  #liveFlow: LiveFlow | null | undefined;

  constructor(private readonly fn: FunctionSnapshot) {
    this.graph = cfgOf(fn);
    this.dominators = dominators(this.graph);
    this.cycles = cycles(this.graph);
    this.uses = usesOf(fn);
    this.divergence = divergence(fn, this);
  }

  get order(): Int32Array {
    return (this.#order ??= positionsIn(reversePostOrder(this.graph), this.graph.count));
  }

  get postDominators(): DominatorTree {
    return (this.#postDominators ??= postDominators(this.graph));
  }

  get liveFlow(): LiveFlow | null {
    return this.#liveFlow === undefined ? (this.#liveFlow = liveFlow(this.fn, this)) : this.#liveFlow;
  }
}

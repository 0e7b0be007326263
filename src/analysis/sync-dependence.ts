/**
 * Finds where threads that separate at a branch meet again: the blocks whose phis see different values, and the cycle
 * exits that threads take in different iterations. Equal to LLVM 23's `GenericSyncDependenceAnalysis`.
 *
 * The algorithm is that of J. Rosemann, S. Moll and S. Hack, "An Abstract Interpretation for SPMD Divergence on
 * Reducible Control Flow Graphs", POPL 2021, section 5, with LLVM's extension to irreducible cycles. Each successor of
 * the branch gets a label of its own. Labels flow along the edges. A block where two labels meet is a join and becomes
 * a label of its own. (This is SSA construction for a variable that each successor assigns.) At the header of a
 * reducible cycle, a label goes on to the exits of the cycle. If it meets another label there while the branch is
 * inside the cycle, the exit is divergent. In irreducible cycles labels circulate until nothing changes, and an exit
 * whose label differs from the header's is divergent.
 *
 * Two gaps of LLVM 23 are kept, because the code generator that follows believes the same. First, labels do not go past
 * the branch's own block. So when that block is the header of a cycle, uniform exits that are taken in different
 * iterations are not noticed. Second, an exit that a label reaches through the header does not count as a join
 * (llvm-project#216296), so its phis of constants stay uniform.
 *
 * Blocks are visited in the reverse of LLVM's modified post-order: every block after its predecessors, except for
 * headers of cycles. The blocks of a cycle form an interval that starts with the header.
 */
import type { BlockId } from '../ir/ids.js';
import { NONE } from '../ir/ids.js';
import type { CycleId, CycleInfo } from './cycles.js';
import type { Graph } from './graph.js';
import { positionsIn } from './graph.js';

export interface Joins {
  /** The blocks that are reached by disjoint paths from the branch. */
  readonly joins: readonly BlockId[];
  /** The exits of cycles around the branch that are reached along a path disjoint from one to the header. */
  readonly cycleExits: readonly BlockId[];
}

/** The reachable blocks in LLVM's `ModifiedPostOrder`. The header of a cycle comes before its other blocks. */
function modifiedPostOrder(g: Graph, cycles: CycleInfo): Int32Array {
  const order = new Int32Array(g.count);
  let placed = 0;
  if (g.count === 0) return order;
  const done = new Uint8Array(g.count);
  const place = (b: number): void => {
    done[b] = 1;
    order[placed++] = b;
  };
  const stack: number[] = [g.entry];
  // The cycle whose blocks are being placed, and where its part of the stack begins. `outer` has those of the cycles
  // around it.
  let cycle: number = NONE;
  let base = 0;
  const outer: number[] = [];

  for (;;) {
    if (stack.length === base) {
      if (cycle === NONE) break;
      base = outer.pop()!;
      cycle = cycles.parent[cycle];
      continue;
    }
    const b = stack[stack.length - 1];
    if (done[b] === 1) {
      stack.pop();
      continue;
    }
    const height = stack.length;
    let nested: number = cycles.cycleOf(b as BlockId);
    if (nested === cycle) {
      for (let e = g.succStart[b]; e < g.succStart[b + 1]; e++) pushInside(g.succ[e]);
      if (stack.length === height) {
        stack.pop();
        place(b);
      }
      continue;
    }
    while (cycles.parent[nested] !== cycle) nested = cycles.parent[nested];
    for (const exit of cycles.exits(nested as CycleId)) pushInside(exit);
    if (stack.length > height) continue;
    // What follows the nested cycle has its place. Now comes its header, and then its other blocks.
    stack.pop();
    outer.push(base);
    base = stack.length;
    cycle = nested;
    const header = cycles.header[nested];
    place(header);
    for (let e = g.succStart[header]; e < g.succStart[header + 1]; e++) pushInside(g.succ[e]);
  }
  return order.slice(0, placed);

  function pushInside(b: number): void {
    if (done[b] === 0 && (cycle === NONE || cycles.contains(cycle as CycleId, b as BlockId))) stack.push(b);
  }
}

export class SyncDependence {
  private readonly order: Int32Array;
  private readonly position: Int32Array;
  private readonly cache: (Joins | undefined)[] = [];
  // Scratch of one propagation. Between two propagations all of it is `NONE`, 0 or empty.
  /** Per block: its label, named by the block that had it first. `NONE` until the block is reached. */
  private readonly label: Int32Array;
  /** Per position in `order`: whether the block has a label that it has not passed on yet. */
  private readonly fresh: Uint8Array;
  private freshCount = 0;
  /** There is no fresh position above this one. */
  private freshTop = NONE;
  private readonly labelled: number[] = [];
  /** Per block: the last branch whose `joins` it is in; and the same for `cycleExits`. */
  private readonly joinOf: Int32Array;
  private readonly exitOf: Int32Array;

  constructor(
    private readonly g: Graph,
    private readonly cycles: CycleInfo,
  ) {
    this.order = modifiedPostOrder(g, cycles);
    this.position = positionsIn(this.order, g.count);
    this.label = new Int32Array(g.count).fill(NONE);
    this.fresh = new Uint8Array(this.order.length);
    this.joinOf = new Int32Array(g.count).fill(NONE);
    this.exitOf = new Int32Array(g.count).fill(NONE);
  }

  /** The branch must be reachable. With fewer than two successor edges nothing diverges. */
  joins(branch: BlockId): Joins {
    return (this.cache[branch] ??= this.propagate(branch));
  }

  private propagate(branch: BlockId): Joins {
    const { g, cycles, label, fresh, order } = this;
    const joins: BlockId[] = [];
    const exits: BlockId[] = [];
    if (g.succStart[branch + 1] - g.succStart[branch] <= 1) return { joins, cycleExits: exits };
    // A branch is propagated only once, so it can serve as the stamp.
    const addExit = (b: number): void => {
      if (this.exitOf[b] !== branch) exits.push(b as BlockId);
      this.exitOf[b] = branch;
    };
    const visitEdge = (to: number, pushed: number): void => {
      if (!this.meet(to, pushed)) return;
      if (this.joinOf[to] !== branch) joins.push(to as BlockId);
      this.joinOf[to] = branch;
    };

    const branchCycle = cycles.cycleOf(branch);
    for (let e = g.succStart[branch]; e < g.succStart[branch + 1]; e++) {
      const to = g.succ[e] as BlockId;
      if (branchCycle !== NONE && !cycles.contains(branchCycle, to)) addExit(to);
      visitEdge(to, to);
    }

    // If only one fresh label is left, all threads are together again, unless labels still circulate in an irreducible
    // cycle.
    const irreducible = this.outermostIrreducible(branchCycle);
    for (;;) {
      while (this.freshTop >= 0 && fresh[this.freshTop] === 0) this.freshTop--;
      if (this.freshTop < 0) break;
      const at = this.freshTop;
      const b = order[at] as BlockId;
      if (this.freshCount === 1 && (irreducible === NONE || !cycles.contains(irreducible, b))) break;
      fresh[at] = 0;
      this.freshCount--;
      if (b === branch) continue;
      const own = label[b];
      const cycle = cycles.cycleOf(b);
      if (cycle !== NONE && cycles.header[cycle] === b && cycles.isReducible(cycle)) {
        const inside = cycles.contains(cycle, branch);
        for (const exit of cycles.exits(cycle)) {
          if (!inside) visitEdge(exit, own);
          else if (this.meet(exit, own)) addExit(exit);
        }
      } else {
        for (let e = g.succStart[b]; e < g.succStart[b + 1]; e++) visitEdge(g.succ[e], own);
      }
    }

    for (let c: number = branchCycle; c !== NONE; c = cycles.parent[c]) {
      if (cycles.isReducible(c as CycleId)) continue;
      const headerLabel = label[cycles.header[c]];
      for (const exit of cycles.exits(c as CycleId)) if (label[exit] !== headerLabel) addExit(exit);
    }
    this.reset();
    return { joins, cycleExits: exits };
  }

  /** Passes a label to a block. Returns true when it meets another label there. */
  private meet(to: number, pushed: number): boolean {
    const old = this.label[to];
    if (old === pushed) return false;
    if (old !== to) {
      const at = this.position[to];
      if (this.fresh[at] === 0) this.freshCount++;
      this.fresh[at] = 1;
      if (at > this.freshTop) this.freshTop = at;
    }
    if (old === NONE) {
      this.label[to] = pushed;
      this.labelled.push(to);
      return false;
    }
    this.label[to] = to;
    return true;
  }

  /** The outermost of the cycles around `c` (`c` included) that are inside the first reducible one. */
  private outermostIrreducible(c: CycleId): CycleId {
    let found = NONE as CycleId;
    for (; c !== NONE && !this.cycles.isReducible(c); c = this.cycles.parent[c] as CycleId) found = c;
    return found;
  }

  private reset(): void {
    for (const b of this.labelled) {
      this.label[b] = NONE;
      this.fresh[this.position[b]] = 0;
    }
    this.labelled.length = 0;
    this.freshCount = 0;
    this.freshTop = NONE;
  }
}

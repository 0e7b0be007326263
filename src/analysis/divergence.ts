/**
 * Finds the values that differ between the threads of a wavefront, and the branches at which its threads separate.
 * Equal to LLVM 23's `UniformityInfo` on IR (GenericUniformityImpl.h, UniformityAnalysis.cpp).
 *
 * This is a fixpoint. At the start everything is uniform except the target's sources (`Uniformity.NeverUniform`).
 * - Data: what uses a divergent value is divergent, unless the target says `AlwaysUniform` or, for the operands that it
 *   has, `Custom`.
 * - Sync: where the paths of a divergent branch join (sync-dependence.ts), phis are divergent, except those that have
 *   one value apart from undef and themselves. When a join shows that threads enter an irreducible cycle at different
 *   places, everything that the cycle defines is divergent ("diverged entry", LLVM's
 *   docs/ConvergenceAndUniformity.rst).
 * - Temporal: when threads leave a cycle in different iterations, what the cycle defines is divergent for users
 *   outside. This shows at the use (`isDivergentUse`) and in the user, but not in the value itself.
 *
 * As in LLVM, every instruction counts as a value, stores too. Terminators are kept apart, so what the result of an
 * `invoke` flows into is not marked: only the result is divergent, as a source. A function without branch divergence
 * has no divergence at all.
 *
 * Order: marks only grow. What a mark leads to does not depend on when it was set, with one exception that LLVM has,
 * too. Users of `AlwaysUniform` values of a cycle are marked or not, depending on whether the cycle was assumed
 * divergent before or after its exit diverged. So the order is LLVM's: instructions that are sources by their ids,
 * then users of arguments; users in reverse order (LLVM's order for a module just read); last in first out. The
 * cycles in irreducible control flow depend on the walk; see cycles.ts.
 */
import type { BlockId, InstrId } from '../ir/ids.js';
import { NONE } from '../ir/ids.js';
import type { FunctionSnapshot } from '../ir/snapshot.js';
import { FunctionFlag, InstrFlag, Opcode, Uniformity, ValueKind, terminatorOf } from '../ir/snapshot.js';
import type { CycleId, CycleInfo } from './cycles.js';
import { cycles } from './cycles.js';
import type { DominatorTree } from './dominators.js';
import { dominators } from './dominators.js';
import type { Graph } from './graph.js';
import { cfgOf } from './graph.js';
import { SyncDependence } from './sync-dependence.js';
import type { Uses } from './uses.js';
import { usesOf } from './uses.js';

export interface Divergence {
  /** Per `ValueId`: 1 if it is divergent. Of terminators, only sources of divergence are, such as an `invoke`. */
  readonly valueDivergent: Uint8Array;
  /** Per `BlockId`: 1 if its terminator is divergent. */
  readonly terminatorDivergent: Uint8Array;
  /**
   * Whether the value at `operandIndex` (into `fn.operand`, an operand of `user`) may differ between the threads that
   * execute `user` together. Either it is divergent, or it is defined in a cycle that these threads left in different
   * iterations.
   */
  isDivergentUse(operandIndex: number, user: InstrId): boolean;
  /** Per `CycleId`: 1 if threads leave the cycle in different iterations. */
  readonly divergentExit: Uint8Array;
  /** The irreducible cycles whose values all count as divergent. A cycle inside another may be listed before it. */
  readonly assumedDivergent: readonly CycleId[];
}

interface DivergenceInputs {
  readonly graph: Graph;
  readonly dominators: DominatorTree;
  readonly cycles: CycleInfo;
  readonly uses: Uses;
}

/** @param given analyses of the same snapshot that exist already; the others are computed */
export function divergence(fn: FunctionSnapshot, given: Partial<DivergenceInputs> = {}): Divergence {
  const graph = given.graph ?? cfgOf(fn);
  const propagation = new Propagation(fn, {
    graph,
    dominators: given.dominators ?? dominators(graph),
    cycles: given.cycles ?? cycles(graph),
    uses: given.uses ?? usesOf(fn),
  });
  if ((fn.flags & FunctionFlag.HasBranchDivergence) !== 0) propagation.run();
  return propagation;
}

class Propagation implements Divergence {
  readonly valueDivergent: Uint8Array;
  readonly terminatorDivergent: Uint8Array;
  readonly divergentExit: Uint8Array;
  readonly assumedDivergent: CycleId[] = [];
  /** Marked instructions whose users, or joins, are not marked yet. Each instruction enters the list once. */
  private readonly worklist: InstrId[] = [];
  private readonly graph: Graph;
  private readonly dom: DominatorTree;
  private readonly cycles: CycleInfo;
  private readonly uses: Uses;

  constructor(
    private readonly fn: FunctionSnapshot,
    inputs: DivergenceInputs,
  ) {
    this.graph = inputs.graph;
    this.dom = inputs.dominators;
    this.cycles = inputs.cycles;
    this.uses = inputs.uses;
    this.valueDivergent = new Uint8Array(fn.valueCount);
    this.terminatorDivergent = new Uint8Array(fn.blockCount);
    this.divergentExit = new Uint8Array(this.cycles.count);
  }

  isDivergentUse(operandIndex: number, user: InstrId): boolean {
    const { fn } = this;
    const value = fn.operand[operandIndex];
    if (this.valueDivergent[value] === 1) return true;
    const def = value - fn.argCount;
    if (def < 0 || def >= fn.instrCount) return false;
    const observer = fn.instrBlock[user] as BlockId;
    let c: number = this.cycles.cycleOf(fn.instrBlock[def] as BlockId);
    for (; c !== NONE && !this.cycles.contains(c as CycleId, observer); c = this.cycles.parent[c])
      if (this.divergentExit[c] === 1) return true;
    return false;
  }

  run(): void {
    const { fn } = this;
    for (let i = 0; i < fn.instrCount; i++) {
      if (fn.instrUniformity[i] !== Uniformity.NeverUniform) continue;
      this.mark(i as InstrId);
      this.valueDivergent[fn.argCount + i] = 1;
    }
    for (let a = 0; a < fn.argCount; a++) {
      if (fn.argUniformity[a] !== Uniformity.NeverUniform) continue;
      this.valueDivergent[a] = 1;
      this.markUsers(a);
    }
    const sync = new SyncDependence(this.graph, this.cycles);
    for (let i = this.worklist.pop(); i !== undefined; i = this.worklist.pop()) {
      if ((fn.instrFlags[i] & InstrFlag.Terminator) === 0) this.markUsers(fn.argCount + i);
      else this.part(fn.instrBlock[i] as BlockId, sync);
    }
  }

  private mark(i: InstrId): void {
    const { fn } = this;
    if (fn.instrUniformity[i] === Uniformity.AlwaysUniform) return;
    if (fn.instrUniformity[i] === Uniformity.Custom && this.isShuffleUniform(i)) return;
    const value = fn.argCount + i;
    if ((fn.instrFlags[i] & InstrFlag.Terminator) !== 0) {
      const block = fn.instrBlock[i];
      if (this.terminatorDivergent[block] === 1) return;
      this.terminatorDivergent[block] = 1;
    } else {
      if (this.valueDivergent[value] === 1) return;
      this.valueDivergent[value] = 1;
    }
    this.worklist.push(i);
  }

  /** `GCNTTIImpl::isUniform`: threads that read one value, or from one thread, get the same. */
  private isShuffleUniform(i: InstrId): boolean {
    const first = this.fn.operandStart[i];
    return !this.isDivergentUse(first, i) || !this.isDivergentUse(first + 1, i);
  }

  private markUsers(value: number): void {
    const { start, user } = this.uses;
    for (let u = start[value + 1] - 1; u >= start[value]; u--) this.mark(user[u] as InstrId);
  }

  /** Marks the consequences of a divergent terminator. */
  private part(branch: BlockId, sync: SyncDependence): void {
    const { cycles, fn } = this;
    if (!this.dom.isReachable(branch)) return;
    const { joins, cycleExits } = sync.joins(branch);
    const diverged: CycleId[] = [];
    for (const join of joins) {
      const cycle = this.cycleOfDivergedEntry(branch, join);
      if (cycle !== NONE) diverged.push(cycle);
      else this.markPhis(join);
    }

    diverged.sort((a, b) => cycles.depth[b] - cycles.depth[a] || a - b);
    for (const cycle of diverged) {
      if (this.isAssumedDivergent(cycle)) continue;
      this.assumedDivergent.push(cycle);
      for (const b of cycles.blocks(cycle)) {
        const end = terminatorOf(fn, b as BlockId);
        for (let i = fn.blockInstrStart[b]; i < end; i++) this.mark(i as InstrId);
      }
    }

    for (const exit of cycleExits) this.divergeExit(exit, cycles.cycleOf(branch));
  }

  private markPhis(join: BlockId): void {
    const { fn } = this;
    for (let i = fn.blockInstrStart[join]; fn.instrOpcode[i] === Opcode.Phi; i++)
      if (!hasOneValue(fn, i as InstrId)) this.mark(i as InstrId);
  }

  private isAssumedDivergent(cycle: CycleId): boolean {
    return this.assumedDivergent.some((c) => this.cycles.containsCycle(c, cycle));
  }

  /**
   * The outermost irreducible cycle around `join` that the threads separated by `branch` enter at different places, or
   * `NONE`. This first looks at the cycles that do not contain the branch, then at those that do.
   */
  private cycleOfDivergedEntry(branch: BlockId, join: BlockId): CycleId {
    const { cycles, dom } = this;
    const headerDominates = (c: number): boolean => dom.properlyDominates(cycles.header[c] as BlockId, join);
    let around: number = cycles.cycleOf(join);
    let external: number = NONE;
    for (; around !== NONE && !cycles.contains(around as CycleId, branch); around = cycles.parent[around])
      external = around;
    if (external !== NONE && cycles.isReducible(external as CycleId)) external = NONE;

    if (dom.properlyDominates(branch, join)) return external as CycleId;
    if (around === NONE || cycles.isReducible(around as CycleId) || headerDominates(around)) return external as CycleId;
    for (let p = cycles.parent[around]; p !== NONE && !headerDominates(p); p = cycles.parent[p]) around = p;
    return around as CycleId;
  }

  /** Marks what follows when threads leave cycles around the branch through `exit` in different iterations. */
  private divergeExit(exit: BlockId, branchCycle: CycleId): void {
    const { cycles } = this;
    const exitDepth = cycles.depthOf(exit);
    let left = branchCycle;
    let parent = cycles.parent[left];
    if (cycles.depth[left] > exitDepth) {
      while (parent !== NONE && cycles.depth[parent] > exitDepth) {
        left = parent as CycleId;
        parent = cycles.parent[left];
      }
    }
    if (this.divergentExit[left] === 1) return;
    this.divergentExit[left] = 1;
    // If everything that the cycle defines is divergent, the users are marked already.
    if (!this.isAssumedDivergent(left)) this.markUsersOutside(left);
  }

  /**
   * Marks the users outside. A value can have users outside only through a phi in an exit block, or if its block
   * dominates an exit.
   */
  private markUsersOutside(cycle: CycleId): void {
    const { cycles, fn } = this;
    const exits = cycles.exits(cycle);
    const inside = (i: number): boolean => cycles.contains(cycle, fn.instrBlock[i] as BlockId);
    for (const exit of exits)
      for (let i = fn.blockInstrStart[exit]; fn.instrOpcode[i] === Opcode.Phi; i++)
        if (readsFrom(fn, i as InstrId, inside)) this.mark(i as InstrId);

    const dominating = this.dominatorsOfExits(cycle);
    for (const b of cycles.blocks(cycle)) {
      if (!dominating.has(b)) continue;
      for (let i = fn.blockInstrStart[b]; i < fn.blockInstrStart[b + 1]; i++) {
        const value = fn.argCount + i;
        for (let u = this.uses.start[value]; u < this.uses.start[value + 1]; u++) {
          const user = this.uses.user[u];
          if (!inside(user)) this.mark(user as InstrId);
        }
      }
    }
  }

  /**
   * The blocks of a cycle that dominate an exit. A block outside cannot stand between two of them in the dominator
   * tree, since a cycle is strongly connected. So they follow each other upwards, beginning with the exit's parent.
   */
  private dominatorsOfExits(cycle: CycleId): Set<number> {
    const { cycles, dom } = this;
    const found = new Set<number>();
    for (const exit of cycles.exits(cycle))
      for (let b = dom.idom[exit]; b !== NONE && !found.has(b) && cycles.contains(cycle, b as BlockId); b = dom.idom[b])
        found.add(b);
    return found;
  }
}

/**
 * Whether a phi has only one incoming value apart from itself, undef and poison (`PHINode::hasConstantOrUndefValue`).
 */
function hasOneValue(fn: FunctionSnapshot, phi: InstrId): boolean {
  let only: number = NONE;
  for (let o = fn.operandStart[phi]; o < fn.operandStart[phi + 1]; o++) {
    const value = fn.operand[o];
    const kind = fn.valueKind[value];
    if (value === fn.argCount + phi || kind === ValueKind.Undef || kind === ValueKind.Poison) continue;
    if (only !== NONE && only !== value) return false;
    only = value;
  }
  return true;
}

/** Whether some operand is an instruction for which `where` holds. */
function readsFrom(fn: FunctionSnapshot, user: InstrId, where: (instr: number) => boolean): boolean {
  for (let o = fn.operandStart[user]; o < fn.operandStart[user + 1]; o++) {
    const def = fn.operand[o] - fn.argCount;
    if (def >= 0 && def < fn.instrCount && where(def)) return true;
  }
  return false;
}

/**
 * Finds trees of branches whose blocks may all run in front of their root, for every thread, with selects where they
 * join: full if-conversion (J. R. Allen et al., "Conversion of Control Dependence to Data Dependence", POPL 1983; with
 * masks as in J. Park and M. Schlansker, "On Predicated Execution", HPL-91-58, 1991). A chain of `else if` that only
 * chooses values is such a tree. LLVM makes selects of a branch with one or two short sides, and of no more.
 */
import type { CycleId } from '../../analysis/cycles.js';
import type { BlockId, InstrId, ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { Predicate } from '../../ir/predicates.js';
import {
  NO_INTEGER,
  Opcode,
  definingInstr,
  instrValue,
  isBranch,
  isConditionalBranch,
  terminatorOf,
  type FunctionSnapshot,
} from '../../ir/snapshot.js';
import type { AwaitedResults } from '../cost/awaited-results.js';
import type { PlanningContext } from '../cost/context.js';
import { CostModel, averse } from '../cost/cost-model.js';
import { bitCount } from '../cost/lane-sets.js';
import { canSelect, moveCycles, selectCycles } from '../cost/operands.js';
import { cyclesAlone, isUnskipped } from '../cost/skipping.js';
import { incomingFrom } from '../draft/frame.js';
import type { ChosenValue, Choices, FlattenedBranch } from '../plan.js';
import { harmlessInstrs, mayEmptySides } from './harmless-work.js';
import { blocksOfLongChains } from './long-chains.js';
import { inLoopsWithEnough, workOfUnits } from './whole-function.js';

/** Blocks of a tree, so that the time is in proportion to the number of branches. */
const MOST_BLOCKS = 32;

interface Tree {
  readonly root: BlockId;
  readonly join: BlockId;
  /** Without the root. Each stands behind the one in front of it. */
  readonly blocks: readonly BlockId[];
  /** By block, what it does. */
  readonly work: ReadonlyMap<BlockId, readonly InstrId[]>;
}

/** A tree that may be flattened. */
export interface Flattening {
  readonly branch: BlockId;
  readonly flattened: FlattenedBranch;
  /** The root and all others. */
  readonly blocks: readonly BlockId[];
  /** What a wave that comes to the root gains; and the same where losses count more, as in wave-choice.ts. */
  readonly total: number;
  readonly worth: number;
  /** The vector work that such a wave has more, in cycles. */
  readonly extra: number;
}

/**
 * The trees to flatten, in the order of their roots.
 *
 * @param branches divergent conditional branches
 * @param choices what is decided in advance; null: nothing
 */
export function flattenings(
  ctx: PlanningContext,
  branches: readonly BlockId[],
  choices: Choices | null,
): readonly Flattening[] {
  if (!mayEmptySides(ctx)) return [];
  const isChosen = choices?.others === 'leave';
  const found = branches.flatMap((b) => flatteningOf(ctx, b, isChosen) ?? []);
  if (found.length === 0) return [];
  const overlong = blocksOfLongChains(ctx);
  const allowed = found.filter(({ flattened }) => !overlong.has(flattened.join));
  if (isChosen) return allowed.filter(({ branch }) => choices.branches.get(branch) === 'flatten');
  const isNamed = (b: BlockId): boolean => choices?.branches.has(b) ?? false;
  const paying = allowed.filter(({ worth, blocks }) => worth > CostModel.leastWorth && !blocks.some(isNamed));
  const taken = withoutReloads(ctx, affordable(ctx, paying));
  return inLoopsWithEnough(ctx, taken, ({ total }) => total).toSorted((a, b) => a.branch - b.branch);
}

/**
 * Of trees in each other, those that gain most. But where many waves want both the vector and the scalar unit, a SIMD
 * is as fast as the unit that has more to do. Then the vector unit may get half of what it has less to do in a loop (or
 * in the function), and those are taken that gain most for what they add to that.
 */
function affordable(ctx: PlanningContext, trees: readonly Flattening[]): Flattening[] {
  const best = apart(trees, ({ total }) => total);
  if (ctx.countsBytes || best.length === 0 || ctx.busyShare() === 0) return best;
  const { waves, weight, cycles } = ctx;
  const loopOf = ({ branch }: Flattening): CycleId | -1 => cycles.cycleOf(branch);
  const extraOf = ({ branch, extra }: Flattening): number => extra * weight[branch]! * waves.shareComing(branch);
  return [...new Set(best.map(loopOf))].flatMap((loop) => {
    const { vector, scalar } = workOfUnits(ctx, loop);
    const most = (vector + scalar) / 2;
    const isIn = (tree: Flattening): boolean => loopOf(tree) === loop;
    const own = best.filter(isIn);
    if (own.reduce((sum, tree) => sum + extraOf(tree), vector) <= most) return own;
    let sum = vector;
    return apart(
      trees.filter(isIn),
      ({ total, extra }) => total / extra,
      (tree) => {
        if (sum + extraOf(tree) > most) return false;
        sum += extraOf(tree);
        return true;
      },
    );
  });
}

/**
 * Without trees for which LLVM's selection of instructions would load something twice. It does so where one block has a
 * narrow load, an extension of it, and another use that it extends differently. A tree and, if nothing else leads
 * there, its join become one block with the root; what code generation moves down to them is in it, too.
 */
function withoutReloads(ctx: PlanningContext, trees: readonly Flattening[]): readonly Flattening[] {
  if (trees.length === 0) return trees;
  const { fn, graph, order, uses, sinking } = ctx;
  const merged = new Map<number, BlockId>();
  const headOf = (b: number): BlockId => merged.get(b) ?? (b as BlockId);
  for (const { branch, blocks, flattened } of trees.toSorted((a, b) => order[a.branch]! - order[b.branch]!)) {
    const { join } = flattened;
    const others = graph.pred.subarray(graph.predStart[join]!, graph.predStart[join + 1]!);
    const isOnly = others.every((b) => blocks.includes(b as BlockId));
    const head = headOf(branch);
    for (const b of [branch, ...blocks, ...(isOnly ? [join] : [])]) merged.set(b, head);
  }
  const reloading = new Set<BlockId>();
  for (const b of merged.keys())
    for (let i = fn.blockInstrStart[b]!; i < fn.blockInstrStart[b + 1]!; i++) {
      if (fn.instrOpcode[i] !== Opcode.Load || fn.typeBits[fn.instrType[i]!]! >= 32) continue;
      const v = instrValue(fn, i as InstrId);
      const users = uses.user.subarray(uses.start[v]!, uses.start[v + 1]!);
      const isMerged = (user: number): boolean =>
        EXTENSIONS.has(fn.instrOpcode[user]!) && sinking.home[user] !== b && headOf(sinking.home[user]!) === headOf(b);
      if (users.length > 1 && users.some(isMerged)) reloading.add(headOf(b));
    }
  return trees.filter(({ branch }) => !reloading.has(headOf(branch)));
}

const EXTENSIONS: ReadonlySet<number> = new Set([Opcode.ZExt, Opcode.SExt, Opcode.UIToFP, Opcode.SIToFP]);

/** Takes trees in the order of their rank, the highest first, unless they touch one that is taken. */
function apart(
  trees: readonly Flattening[],
  rank: (tree: Flattening) => number,
  takes: (tree: Flattening) => boolean = () => true,
): Flattening[] {
  const touched = new Set<BlockId>();
  return trees
    .toSorted((a, b) => rank(b) - rank(a) || a.branch - b.branch)
    .filter((tree) => {
      if (tree.blocks.some((b) => touched.has(b)) || !takes(tree)) return false;
      for (const b of tree.blocks) touched.add(b);
      return true;
    });
}

/** @param isChosen whether it need not pay */
function flatteningOf(ctx: PlanningContext, root: BlockId, isChosen: boolean): Flattening | null {
  const tree = treeOf(ctx, root);
  if (tree === null) return null;
  const { fn } = ctx;
  const { join, blocks, work } = tree;
  const chosen: { phi: InstrId; value: ChosenValue }[] = [];
  const selects = new Selects(ctx, tree);
  for (let phi = fn.blockInstrStart[join] as InstrId; fn.instrOpcode[phi] === Opcode.Phi; phi++) {
    const value = selects.of(phi);
    if (value === null) return null;
    chosen.push({ phi, value });
  }
  if (!isChosen && mostGained(ctx, tree, selects.cycles) <= CostModel.leastWorth) return null;
  const { total, worth, extra } = gainOf(ctx, tree, selects.cycles);
  const flattened = {
    branch: root,
    terminator: terminatorOf(fn, root),
    join,
    blocks,
    instrs: blocks.flatMap((b) => work.get(b)!),
    chosen,
    net: total,
  };
  return { branch: root, flattened, blocks: [root, ...blocks], total, worth, extra };
}

function treeOf(ctx: PlanningContext, root: BlockId): Tree | null {
  const { fn, graph, dominators, postDominators, cycles } = ctx;
  const join = postDominators.idom[root] as BlockId | -1;
  if (join === NONE || dominators.dominates(join, root)) return null;
  const blocks: BlockId[] = [];
  const work = new Map<BlockId, readonly InstrId[]>();
  const awaited: AwaitedResults = new Map();
  const visit = (b: BlockId): boolean => {
    for (let e = graph.succStart[b]!; e < graph.succStart[b + 1]!; e++) {
      const to = graph.succ[e] as BlockId;
      if (to === join) continue;
      if (blocks.length === MOST_BLOCKS || !isBranch(fn, to)) return false;
      if (graph.predStart[to + 1]! - graph.predStart[to]! !== 1 || cycles.cycleOf(to) !== cycles.cycleOf(root))
        return false;
      const instrs = harmlessInstrs(ctx, root, to, awaited);
      if (instrs === null) return false;
      blocks.push(to);
      work.set(to, instrs);
      if (!visit(to)) return false;
    }
    return true;
  };
  if (!visit(root) || blocks.length === 0) return null;
  for (const b of [root, ...blocks])
    if (isConditionalBranch(fn, b) && graph.succ[graph.succStart[b]!] === graph.succ[graph.succStart[b]! + 1])
      return null;
  return { root, join, blocks, work };
}

/** What selects cost a wave. */
interface SelectCycles {
  vector: number;
  /** Of masks that are made of two. */
  scalar: number;
  /** Over the whole run: values that are moved to vector registers. */
  moves: number;
}

/** What the phis of the join become. */
class Selects {
  /** Of all selects up to now. */
  readonly cycles: SelectCycles = { vector: 0, scalar: 0, moves: 0 };

  constructor(
    private readonly ctx: PlanningContext,
    private readonly tree: Tree,
  ) {}

  /** Null where the values may not be chosen by selects. */
  of(phi: InstrId): ChosenValue | null {
    const { ctx } = this;
    const value = this.#behind(phi, this.tree.root);
    const isOne = typeof value === 'number';
    // Where one is poison, the phi may be the same for all threads, which no select is.
    if (!isOne && ctx.divergence.valueDivergent[instrValue(ctx.fn, phi)] !== 1) return null;
    return this.#isLegal(phi, value) ? value : null;
  }

  #value(phi: InstrId, b: number): ValueId {
    return incomingFrom(this.ctx, phi, b as BlockId) as ValueId;
  }

  /** Also counts what the selects cost. */
  #isLegal(phi: InstrId, value: ChosenValue): boolean {
    if (typeof value === 'number') return true;
    const { ctx } = this;
    const [t, f] = [lastOf(value.t), lastOf(value.f)].map((b) => this.#value(phi, b)) as [ValueId, ValueId];
    if (!canSelect(ctx, t, f)) return false;
    this.cycles.vector += selectCycles(ctx, t);
    this.cycles.moves += moveCycles(ctx, t, f);
    if (typeof value.mask !== 'number') this.cycles.scalar += ctx.costs.target.salu;
    return this.#isLegal(phi, value.t) && this.#isLegal(phi, value.f);
  }

  /** What the phi receives of threads that come to block `b`. */
  #behind(phi: InstrId, b: BlockId): ChosenValue {
    const { fn, graph } = this.ctx;
    const first = graph.succStart[b]!;
    const edge = (e: number): ChosenValue => {
      const to = graph.succ[e] as BlockId;
      return to === this.tree.join ? b : this.#behind(phi, to);
    };
    if (!isConditionalBranch(fn, b)) return edge(first);
    return this.#choice(phi, b, edge(first), edge(first + 1));
  }

  /** One mask of two conditions spares a select where values repeat. */
  #choice(phi: InstrId, branch: BlockId, t: ChosenValue, f: ChosenValue): ChosenValue {
    const same = (a: ChosenValue, b: ChosenValue): boolean =>
      typeof a === 'number' && typeof b === 'number' && this.#value(phi, a) === this.#value(phi, b);
    if (same(t, f)) return t;
    if (typeof f !== 'number' && typeof t === 'number') {
      if (this.#excludesAll(branch, f) && same(t, lastOf(f))) return f;
      const mask = f.mask as BlockId;
      if (typeof f.mask === 'number' && same(t, f.f))
        return { mask: { if: branch, t: false, f: mask }, t: f.t, f: f.f };
      if (typeof f.mask === 'number' && same(t, f.t)) return { mask: { if: branch, t: true, f: mask }, t: f.t, f: f.f };
    }
    if (typeof t !== 'number' && typeof f === 'number' && typeof t.mask === 'number') {
      if (same(f, t.f)) return { mask: { if: branch, t: t.mask, f: false }, t: t.t, f: t.f };
      if (same(f, t.t)) return { mask: { if: branch, t: t.mask, f: true }, t: t.t, f: t.f };
    }
    return { mask: branch, t, f };
  }

  /** Whether none of the conditions of a chain of selects can hold where that of `branch` does. */
  #excludesAll(branch: BlockId, chain: ChosenValue): boolean {
    for (let rest = chain; typeof rest !== 'number'; rest = rest.f) {
      if (typeof rest.mask !== 'number' || typeof rest.t !== 'number') return false;
      // In front of the tree it may be poison for threads that do not come there; in the tree it is not (`speculate`).
      if (!this.tree.blocks.includes(conditionBlock(this.ctx.fn, rest.mask))) return false;
      if (!excludes(this.ctx.fn, branch, rest.mask)) return false;
    }
    return true;
  }
}

/** The block of the last value of a chain. */
const lastOf = (value: ChosenValue): BlockId => (typeof value === 'number' ? value : lastOf(value.f));

/** The block in which a branch's condition is computed. */
const conditionBlock = (fn: FunctionSnapshot, branch: BlockId): BlockId =>
  fn.instrBlock[definingInstr(fn, fn.operand[fn.operandStart[terminatorOf(fn, branch)]!] as ValueId)] as BlockId;

/** Whether two branches compare one value with different constants. Then at most one of the conditions holds. */
function excludes(fn: FunctionSnapshot, a: BlockId, b: BlockId): boolean {
  const [x, y] = [constantsOf(fn, a), constantsOf(fn, b)];
  return x !== null && y !== null && x.value === y.value && !x.constants.some((each) => y.constants.includes(each));
}

/** Equalities that a condition may consist of, with what joins them. */
const MOST_CONSTANTS = 16;

/** What a condition compares for equality, and with which constants; null if it does something else. */
function constantsOf(fn: FunctionSnapshot, branch: BlockId): { value: ValueId; constants: readonly number[] } | null {
  const terminator = terminatorOf(fn, branch);
  const constants: number[] = [];
  let value: ValueId | null = null;
  const pending = [fn.operand[fn.operandStart[terminator]!] as ValueId];
  for (const v of pending) {
    const i = definingInstr(fn, v);
    if (i === NONE || pending.length > MOST_CONSTANTS) return null;
    const [a, b] = fn.operand.subarray(fn.operandStart[i]!, fn.operandStart[i + 1]!) as unknown as [ValueId, ValueId];
    if (fn.instrOpcode[i] === Opcode.Or) pending.push(a, b);
    else if (fn.instrOpcode[i] === Opcode.ICmp && fn.instrPredicate[i] === Predicate.ICmpEQ) {
      if (fn.valueInteger[b] === NO_INTEGER) return null;
      if (value !== null && value !== a) return null;
      value = a;
      constants.push(fn.valueInteger[b]!);
    } else return null;
  }
  return value === null ? null : { value, constants };
}

const branchesOf = ({ fn }: PlanningContext, { root, blocks }: Tree): BlockId[] =>
  [root, ...blocks].filter((b) => isConditionalBranch(fn, b));

/** What handling the mask costs a wave that agrees at a branch, and one that parts. @param join of its tree */
function masksOf({ graph, divergence, costs }: PlanningContext, b: BlockId, join: BlockId): readonly [number, number] {
  const { diamond, guard, branch } = costs.target;
  if (divergence.terminatorDivergent[b] !== 1) return [branch, branch];
  const isEmpty = graph.succ.subarray(graph.succStart[b]!, graph.succStart[b + 1]!).includes(join);
  return [guard, isEmpty ? guard : diamond];
}

/** A bound: what waves gain that pay the most at every branch, and run all blocks anyway. No wave is sampled for it. */
function mostGained(ctx: PlanningContext, tree: Tree, { vector, scalar, moves }: SelectCycles): number {
  const masks = branchesOf(ctx, tree).reduce((sum, b) => sum + Math.max(...masksOf(ctx, b, tree.join)), 0);
  return (masks - vector - scalar) * ctx.weight[tree.root]! - moves;
}

/**
 * What waves gain that come to the tree. It costs them masks, the blocks that their threads come to, and those that
 * code generation does not branch around. Afterwards they run everything. Where bytes count, all of the code does.
 */
function gainOf(
  ctx: PlanningContext,
  tree: Tree,
  selects: SelectCycles,
): Pick<Flattening, 'total' | 'worth' | 'extra'> {
  const { root, join, blocks, work } = tree;
  const { fn, graph, waves, weight } = ctx;
  const branches = branchesOf(ctx, tree);
  const masksAt = (b: BlockId): readonly [number, number] => masksOf(ctx, b, join);
  const more = selects.vector + selects.scalar;
  if (ctx.countsBytes) {
    const total = branches.reduce((sum, b) => sum + masksAt(b)[1], 0) - more - selects.moves;
    return { total, worth: total, extra: 0 };
  }

  const cycles = new Map(blocks.map((b) => [b, cyclesAlone(ctx, work.get(b)!)]));
  const all = [...cycles.values()].reduce((sum, each) => sum + each, 0);
  const runs = (b: BlockId): Uint8Array => {
    const isAlwaysRun = !isConditionalBranch(fn, b) && isUnskipped(ctx, work.get(b)!);
    return waves.comesTo(isAlwaysRun ? (graph.pred[graph.predStart[b]!] as BlockId) : b);
  };
  const gains: number[] = [];
  const extras: number[] = [];
  for (const [launch, coming] of waves.comesTo(root).entries()) {
    const count = bitCount(coming);
    if (count === 0) continue;
    let [masks, vector] = [0, 0];
    for (const b of branches) {
      const [agreed, parted] = masksAt(b);
      masks += bitCount(waves.comesTo(b)[launch]!) * agreed;
      masks += bitCount(waves.wavesAt(b).parted[launch]! & waves.comesTo(b)[launch]!) * (parted - agreed);
    }
    for (const b of blocks) vector += bitCount(runs(b)[launch]!) * cycles.get(b)!;
    gains.push((masks + vector) / count - all - more);
    extras.push(all + selects.vector - vector / count);
  }
  if (gains.length === 0) return { total: 0, worth: 0, extra: 0 };
  const mean = (list: readonly number[]): number => list.reduce((sum, each) => sum + each, 0) / list.length;
  return {
    total: mean(gains) * weight[root]! - selects.moves,
    worth: mean(gains.map((gain) => averse(gain))) * weight[root]! - selects.moves,
    extra: mean(extras),
  };
}

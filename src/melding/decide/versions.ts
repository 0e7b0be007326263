/**
 * Versions per wave (plan.ts, `WaveVersion`): where they are allowed, and what they cost. They copy the whole region of
 * a branch, so they have a limit of size. They are not made twice for one branch: behind the question, a wave that
 * comes to the branch is known to part.
 */
import type { DivergentRegion } from '../../analysis/regions.js';
import { commonDominator } from '../../analysis/sinking.js';
import type { BlockId, InstrId, ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { FunctionFlag, InstrFlag, LaneSource, Opcode, TypeKind, terminatorOf } from '../../ir/snapshot.js';
import type { PlanningContext } from '../cost/context.js';
import { sideOf } from '../cost/edge-sides.js';
import type { SunkInstr, WaveVersion } from '../plan.js';

/**
 * The largest region that is copied, in instructions: two copies should fit into the instruction cache. Set by hand,
 * see docs/evaluation.md.
 */
const MOST_COPIED = 1024;

/** What is not copied, and what is not even in a dead end. Failures are told by convergent calls, and trap. */
const SINGLE_IN_SIDE = InstrFlag.Convergent | InstrFlag.WritesWaveState | InstrFlag.NoDuplicate;
const SINGLE_IN_DEAD_END = InstrFlag.NoDuplicate;

/** Whether the waves that come to a branch may be asked about it. Their copies lead to dead ends of their own. */
export function mayAsk(ctx: PlanningContext, { branch, blocks, front, deadEnds }: DivergentRegion): boolean {
  const { fn } = ctx;
  // Behind a selector there is no branch that waves could be asked about.
  if (front !== null || (fn.flags & FunctionFlag.AsksWaves) === 0) return false;
  let size = 0;
  for (const b of blocks) {
    if (b === branch) continue;
    // A loop around the branch that does not pass the join.
    for (let e = fn.succStart[b]; e < fn.succStart[b + 1]; e++) if (fn.succ[e] === branch) return false;
    if (!mayCopyAll(ctx, b, SINGLE_IN_SIDE)) return false;
    size += fn.blockInstrStart[b + 1] - fn.blockInstrStart[b];
  }
  for (const { block } of deadEnds) {
    if (!mayCopyAll(ctx, block, SINGLE_IN_DEAD_END)) return false;
    size += fn.blockInstrStart[block + 1] - fn.blockInstrStart[block];
  }
  return size <= MOST_COPIED && !isAsked(ctx, branch);
}

function mayCopyAll(ctx: PlanningContext, b: BlockId, never: number): boolean {
  const { blockInstrStart } = ctx.fn;
  for (let i = blockInstrStart[b] as InstrId; i < blockInstrStart[b + 1]; i++)
    if (!mayCopy(ctx, i, never)) return false;
  return true;
}

/**
 * What code generation would move down to one side, where waves that agree on the other side run a copy of that
 * (ask-wave.ts). Users come first.
 */
export function sunkBelow(
  ctx: PlanningContext,
  { branch, blocks, t, f }: DivergentRegion,
  sides: WaveVersion['sides'],
): SunkInstr[] {
  const { fn, sinking, dominators, cycles } = ctx;
  const moved = new Map<InstrId, BlockId>();
  const placeOf = (user: InstrId): BlockId => moved.get(user) ?? (fn.instrBlock[user] as BlockId);
  for (const side of sides) {
    const { start, edgeDominated } = side === 't' ? f : t;
    if (!edgeDominated) continue;
    for (const below of blocks.toReversed()) {
      if (below === branch || !dominators.dominates(start, below)) continue;
      for (const instr of sinking.into(below)) {
        if (!dominators.dominates(fn.instrBlock[instr] as BlockId, branch) || !mayCopy(ctx, instr, SINGLE_IN_SIDE))
          continue;
        // Code generation moves users inside the side first. Those stay where they are.
        const to = commonDominator(fn, ctx, placeOf, instr);
        const isInside = to !== NONE && to !== branch && dominators.dominates(start, to);
        if (isInside && cycles.cycleOf(to) === cycles.cycleOf(branch)) moved.set(instr, to);
      }
    }
  }
  return [...moved].map(([instr, to]) => ({ instr, to }));
}

/**
 * Whether a branch stands in one of two sides of another divergent branch, in the same loop (a meld of sides takes in
 * no part of a loop), and the other side holds enough to meld with: of less than a fourth of the smaller side here, the
 * paper's metric hardly ever takes a pair for profitable.
 */
export function isEnclosed(ctx: PlanningContext, { branch, join, t, f }: DivergentRegion): boolean {
  const { cycles, divergence, dominators } = ctx;
  const loop = cycles.cycleOf(branch);
  let least: number | null = null;
  let d = dominators.idom[branch] as BlockId | -1;
  for (let level = 0; level < MOST_LEVELS && d !== NONE && cycles.cycleOf(d) === loop; level++) {
    const side = divergence.terminatorDivergent[d] === 1 ? sideOf(ctx.fn, ctx, d, branch) : NONE;
    const other = side === NONE ? null : otherSide(ctx, d, side);
    if (other !== null) {
      least ??= LEAST_ENCLOSING * sizeOf(ctx, t.start, [join], sizeOf(ctx, f.start, [join], Infinity));
      if (sizeOf(other.flow, other.start, [other.join, d], least) >= least) return true;
    }
    d = dominators.idom[d] as BlockId | -1;
  }
  return false;
}

/** The smallest part of a side that could meld with it. */
const LEAST_ENCLOSING = 0.25;
/** How many dominators are looked at, and how many blocks of a side: one of more is large enough. */
const MOST_LEVELS = 64;
const MOST_BLOCKS = 64;

/** A function, with or without its dead ends. */
type Flow = Pick<PlanningContext, 'fn' | 'graph'>;

/** The side of a branch that is not `side`; null for an `if` without `else`, and where both never come together. */
function otherSide(
  ctx: PlanningContext,
  branch: BlockId,
  side: 0 | 1,
): { readonly flow: Flow; readonly start: BlockId; readonly join: BlockId } | null {
  const { fn } = ctx;
  const hasJoin = ctx.postDominators.idom[branch] !== NONE;
  const { graph, postDominators } = hasJoin || ctx.liveFlow === null ? ctx : ctx.liveFlow;
  const join = postDominators.idom[branch] as BlockId | -1;
  const ways = graph.succ.subarray(graph.succStart[branch], graph.succStart[branch + 1]);
  if (join === NONE || ways.length !== 2 || ways.includes(join)) return null;
  return { flow: { fn, graph }, start: ways[1 - side] as BlockId, join };
}

/**
 * How many instructions the blocks hold from one on, up to some others, without phis and branches; no more than `most`,
 * which is also the size of many blocks.
 */
function sizeOf({ fn, graph }: Flow, from: BlockId, ends: readonly number[], most: number): number {
  const seen = new Set([from]);
  let size = 0;
  // A set's walk also comes to what is added during it.
  for (const b of seen) {
    for (let i = fn.blockInstrStart[b]; i < fn.blockInstrStart[b + 1]; i++)
      if (fn.instrOpcode[i] !== Opcode.Phi && (fn.instrFlags[i] & InstrFlag.Terminator) === 0) size++;
    if (size >= most || (seen.size > MOST_BLOCKS && most < Infinity)) return most;
    for (let e = graph.succStart[b]; e < graph.succStart[b + 1]; e++)
      if (!ends.includes(graph.succ[e])) seen.add(graph.succ[e] as BlockId);
  }
  return size;
}

function mayCopy({ fn }: PlanningContext, i: InstrId, never: number): boolean {
  return (
    (fn.instrFlags[i] & never) === 0 &&
    fn.instrOpcode[i] !== Opcode.Alloca &&
    fn.typeKind[fn.instrType[i]] !== TypeKind.Token
  );
}

/** Whether the wave has been asked about the branch's condition already. */
function isAsked({ fn, uses, dominators }: PlanningContext, branch: BlockId): boolean {
  const condition = fn.operand[fn.operandStart[terminatorOf(fn, branch)]] as ValueId;
  for (let u = uses.start[condition]; u < uses.start[condition + 1]; u++) {
    const user = uses.user[u] as InstrId;
    if (fn.instrSource[user] !== LaneSource.Ballot) continue;
    const at = fn.instrBlock[user] as BlockId;
    if (at !== NONE && dominators.dominates(at, branch)) return true;
  }
  return false;
}

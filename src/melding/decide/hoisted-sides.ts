/**
 * Finds sides of a few harmless instructions that may run in front of their branch, for every thread: if-conversion
 * (J. R. Allen et al., "Conversion of Control Dependence to Data Dependence", POPL 1983).
 *
 * - One side: it is empty afterwards. The threads that take it wait at the join, and the wave spares the second half of
 *   the handling of its execution mask (and where code generation puts one there, a branch around the side). The other
 *   side may be anything.
 * - Both sides: selects take the place of the branch. LLVM does this only where both sides are cheaper still.
 *
 * It copies no instruction and empties a block, so it ends. It comes when nothing melds any more, because a side that
 * has gone cannot meld.
 */
import type { CycleId } from '../../analysis/cycles.js';
import type { BlockId, InstrId, ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { Opcode, definingInstr, instrValue, isAmd, terminatorOf, type FunctionSnapshot } from '../../ir/snapshot.js';
import type { PlanningContext } from '../cost/context.js';
import { CostModel } from '../cost/cost-model.js';
import { canSelect, selectCycles } from '../cost/operands.js';
import { cyclesAlone } from '../cost/skipping.js';
import { incomingFrom } from '../draft/frame.js';
import type { ChosenInput, HoistedSide } from '../plan.js';
import { harmlessWork } from './harmless-work.js';
import { copiesBehind } from './register-copies.js';
import { isTooLittleOfLoop, workOfUnits } from './whole-function.js';

/**
 * The sides to hoist, in the order of the branches. Those of one loop go together, where they gain enough of what a wave
 * spends in it; the same holds for those outside of all loops, and the function. Only on AMD's targets does the program
 * handle the mask. In front of LLVM's pipeline it is too early: that moves work about. Where code size is the profit, any
 * that are smaller do.
 *
 * @param branches divergent conditional branches
 */
export function hoistedSides(ctx: PlanningContext, branches: readonly BlockId[]): HoistedSide[] {
  const { fn, options, waves, cycles } = ctx;
  if (!isAmd(fn.cpu) || options.optimizesLater) return [];
  if (options.mode !== 'darm' || options.profit === 'paper') return [];
  const found = branches.flatMap((branch) => sidesOf(ctx, branch) ?? []);
  const slower = loopsOfVectorWork(ctx, found);
  const sides = found.flatMap(({ branch, one, both }) =>
    both === null || slower.has(cycles.cycleOf(branch)) ? (one ?? []) : both.sides,
  );
  const gains = new Map<CycleId | -1, number>();
  for (const { branch, net } of sides) {
    const loop = cycles.cycleOf(branch);
    gains.set(loop, (gains.get(loop) ?? 0) + net * waves.shareComing(branch));
  }
  const isEnough = new Map(
    [...gains].map(([loop, gain]) => [loop, ctx.countsBytes || !isTooLittleOfLoop(ctx, gain, loop)]),
  );
  const enough = sides.filter(({ branch }) => isEnough.get(cycles.cycleOf(branch)));
  const gone = new Set(enough.map(({ side }) => side));
  // Branches may share a join. What it takes from a side that goes, too, is not there any more.
  return enough.filter(({ chosen }) => !chosen.some(({ blocks }) => blocks.some((b) => gone.has(b))));
}

/** A branch whose sides may run in front of it, and what they do; null for a side that may not. */
interface Diamond {
  readonly branch: BlockId;
  readonly join: BlockId;
  readonly t: BlockId;
  readonly f: BlockId;
  readonly workT: readonly InstrId[] | null;
  readonly workF: readonly InstrId[] | null;
}

/** What may be hoisted at one branch. */
interface Found {
  readonly branch: BlockId;
  readonly one: HoistedSide | null;
  readonly both: BothSides | null;
}

interface BothSides {
  readonly sides: readonly HoistedSide[];
  /** Cycles of all selects. */
  readonly selects: number;
}

/**
 * The loops (-1: the function) in which selects take longer than the masks that they replace, where many waves want both
 * the vector and the scalar unit: a SIMD is as fast as the unit that has more to do, and selects are vector work.
 */
function loopsOfVectorWork(ctx: PlanningContext, found: readonly Found[]): ReadonlySet<CycleId | -1> {
  const { waves, weight, cycles } = ctx;
  const selects = new Map<CycleId | -1, number>();
  for (const { branch, both } of found) {
    if (both === null) continue;
    const loop = cycles.cycleOf(branch);
    const cost = both.selects * weight[branch]! * waves.shareComing(branch);
    selects.set(loop, (selects.get(loop) ?? 0) + cost);
  }
  if (selects.size === 0 || ctx.busyShare() === 0) return new Set();
  return new Set(
    [...selects].flatMap(([loop, cost]) => {
      const { vector, scalar } = workOfUnits(ctx, loop);
      return vector + cost > scalar ? [loop] : [];
    }),
  );
}

/** Both sides of a branch, or one of them; null: none. */
function sidesOf(ctx: PlanningContext, branch: BlockId): Found | null {
  const { graph, dominators, postDominators } = ctx;
  const first = graph.succStart[branch]!;
  const [t, f] = [graph.succ[first] as BlockId, graph.succ[first + 1] as BlockId];
  const join = postDominators.idom[branch] as BlockId | -1;
  // A side that is empty leaves nothing of the branch to spare.
  if (join === NONE || t === f || join === t || join === f || dominators.dominates(join, branch)) return null;
  const diamond = {
    branch,
    join,
    t,
    f,
    workT: harmlessWork(ctx, branch, t, join),
    workF: harmlessWork(ctx, branch, f, join),
  };
  const one = oneSide(ctx, diamond);
  return { branch, one, both: bothSides(ctx, diamond, one !== null) };
}

function oneSide(ctx: PlanningContext, diamond: Diamond): HoistedSide | null {
  const { branch, join, t, f, workT, workF } = diamond;
  const { target } = ctx.costs;
  for (const [side, other, instrs] of [
    [t, f, workT],
    [f, t, workF],
  ] as const) {
    const chosen = instrs === null ? null : choices(ctx, branch, side, join);
    if (chosen === null || (chosen.length > 0 && !target.countsByCarry)) continue;
    const net =
      (target.diamond - target.guard) * ctx.weight[branch]! - copiesBehind(ctx, { branch, join, side, other });
    if (net <= CostModel.leastNet) continue;
    return { branch, terminator: terminatorOf(ctx.fn, branch), side, instrs: instrs!, chosen, net };
  }
  return null;
}

/**
 * Both sides, with selects at the join: nothing of the branch is left. Code generation may branch around a short side,
 * too, if its block does not come next. Therefore the longer side and the selects must take less than the branch: then a
 * wave whose threads agree loses nothing. Where one side can go alone, and the other is longer, that one is better left
 * behind the branch.
 *
 * @param mayBeOne whether one side can be hoisted alone
 */
function bothSides(ctx: PlanningContext, diamond: Diamond, mayBeOne: boolean): BothSides | null {
  const { branch, join, t, f, workT, workF } = diamond;
  const { fn, weight } = ctx;
  const { target } = ctx.costs;
  if (workT === null || workF === null) return null;
  const chosen: ChosenInput[] = [];
  let selects = 0;
  for (let phi = fn.blockInstrStart[join] as InstrId; fn.instrOpcode[phi] === Opcode.Phi; phi++) {
    const [ofT, ofF] = [incomingFrom(ctx, phi, t), incomingFrom(ctx, phi, f)];
    if (ofT === ofF) continue;
    // Where one is poison, the phi may be the same for all threads, which no select is.
    if (ctx.divergence.valueDivergent[instrValue(fn, phi)] !== 1) return null;
    if (!canSelect(ctx, ofT as ValueId, ofF as ValueId)) return null;
    selects += selectCycles(ctx, ofT as ValueId);
    // The other side is hoisted first: then the join has its value from the branch.
    chosen.push({ phi, blocks: [branch] });
  }
  const [cyclesT, cyclesF] = [cyclesAlone(ctx, workT), cyclesAlone(ctx, workF)];
  if (selects > Math.min(cyclesT, cyclesF)) return null;
  if (selects + Math.max(cyclesT, cyclesF) >= target.diamond) return null;
  if (mayBeOne && Math.abs(cyclesT - cyclesF) > target.valu) return null;
  const gain = (target.diamond - selects) * weight[branch]!;
  if (gain <= CostModel.leastNet) return null;
  const terminator = terminatorOf(fn, branch);
  const sides = [
    { branch, terminator, side: t, instrs: workT, chosen: [], net: gain },
    { branch, terminator, side: f, instrs: workF, chosen, net: 0 },
  ];
  return { sides, selects };
}

/**
 * The values that the join takes from the other side as they were in front of the branch, where it takes something else
 * from this side. The side may compute its value in that register; in front of the branch it needs another one. So a
 * select chooses there; otherwise the other side would have to copy. Null where a select would cost something.
 */
function choices(ctx: PlanningContext, branch: BlockId, side: BlockId, join: BlockId): ChosenInput[] | null {
  const { fn, dominators, divergence } = ctx;
  const chosen: ChosenInput[] = [];
  for (let phi = fn.blockInstrStart[join] as InstrId; fn.instrOpcode[phi] === Opcode.Phi; phi++) {
    const own = incomingFrom(ctx, phi, side);
    const passed = new Set<ValueId>();
    const blocks: BlockId[] = [];
    for (let o = fn.operandStart[phi]!; o < fn.operandStart[phi + 1]!; o++) {
      const v = fn.operand[o] as ValueId;
      const from = fn.operandBlock[o] as BlockId;
      // What all threads share is copied from a scalar register in any case.
      if (v === own || !isBehind(ctx, branch, from) || divergence.valueDivergent[v] !== 1) continue;
      const i = definingInstr(fn, v);
      if (i !== NONE && !dominators.dominates(fn.instrBlock[i] as BlockId, branch)) continue;
      passed.add(v);
      blocks.push(from);
    }
    if (passed.size === 0) continue;
    if (passed.size > 1 || own === null || !counts(fn, own, [...passed][0]!)) return null;
    chosen.push({ phi, blocks });
  }
  return chosen;
}

/** Whether `v` is `before` plus or minus one: a select of both is an addition that takes the condition as its carry. */
function counts(fn: FunctionSnapshot, v: ValueId, before: ValueId): boolean {
  const i = definingInstr(fn, v);
  if (i === NONE || fn.instrOpcode[i] !== Opcode.Add || fn.typeBits[fn.valueType[v]!]! > 32) return false;
  const operands = fn.operand.subarray(fn.operandStart[i]!, fn.operandStart[i + 1]!);
  return operands.includes(before) && operands.some((each) => Math.abs(fn.valueInteger[each]!) === 1);
}

const isBehind = ({ dominators }: PlanningContext, branch: BlockId, b: BlockId): boolean =>
  b !== branch && dominators.dominates(branch, b);

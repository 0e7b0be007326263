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
import {
  InstrFlag,
  Opcode,
  definingInstr,
  hasFlag,
  instrValue,
  isAmd,
  isBranch,
  terminatorOf,
  type FunctionSnapshot,
} from '../../ir/snapshot.js';
import type { PlanningContext } from '../cost/context.js';
import { CostModel } from '../cost/cost-model.js';
import { canSelect, selectCycles } from '../cost/operands.js';
import { cyclesAlone, isUnskipped } from '../cost/skipping.js';
import { incomingFrom } from '../draft/frame.js';
import type { ChosenInput, HoistedSide } from '../plan.js';
import { blocksOfLoop, isTooLittle } from './whole-function.js';

/**
 * How much of what passes a value on is looked at: uses and operands of phis. Where there is more, copies are taken to
 * cost more than hoisting spares, so that the time is in proportion to the number of branches.
 */
const MOST_PASSED_ON = 1 << 14;

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
    [...gains].map(([loop, gain]) => [
      loop,
      ctx.countsBytes || !isTooLittle(ctx, gain, CostModel.leastOfHoisting, loop),
    ]),
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

/** How long a wave keeps the vector unit and the scalar unit busy in a loop (-1: in the function). */
function workOfUnits(ctx: PlanningContext, loop: CycleId | -1): { vector: number; scalar: number } {
  const { fn, costs, busy, divergence, weight, waves, fusedInto } = ctx;
  const work = { vector: 0, scalar: 0 };
  for (const b of blocksOfLoop(ctx, loop)) {
    let [vector, scalar] = [0, divergence.terminatorDivergent[b] === 1 ? costs.target.masks : 0];
    for (let i = fn.blockInstrStart[b] as InstrId; i < fn.blockInstrStart[b + 1]!; i++) {
      if (fn.instrAddressSpace[i] !== NONE || fusedInto[i] !== NONE) continue;
      if (divergence.valueDivergent[instrValue(fn, i)] === 1) vector += busy.cost[i]!;
      else scalar += ctx.cost[i]!;
    }
    const runs = weight[b]! * waves.shareComing(b);
    work.vector += vector * runs;
    work.scalar += scalar * runs;
  }
  return work;
}

/** Both sides of a branch, or one of them; null: none. */
function sidesOf(ctx: PlanningContext, branch: BlockId): Found | null {
  const { graph, dominators, postDominators } = ctx;
  const first = graph.succStart[branch]!;
  const [t, f] = [graph.succ[first] as BlockId, graph.succ[first + 1] as BlockId];
  const join = postDominators.idom[branch] as BlockId | -1;
  // A side that is empty leaves nothing of the branch to spare.
  if (join === NONE || t === f || join === t || join === f || dominators.dominates(join, branch)) return null;
  const diamond = { branch, join, t, f, workT: workOf(ctx, branch, t, join), workF: workOf(ctx, branch, f, join) };
  const one = oneSide(ctx, diamond);
  return { branch, one, both: bothSides(ctx, diamond, one !== null) };
}

/** What a side does that may run in front of its branch; null if it may not. */
function workOf(ctx: PlanningContext, branch: BlockId, side: BlockId, join: BlockId): readonly InstrId[] | null {
  const { fn, graph, cycles } = ctx;
  // What lies behind a loop does not go into it.
  if (cycles.cycleOf(side) !== cycles.cycleOf(branch)) return null;
  if (!isBranch(fn, side) || graph.predStart[side + 1]! - graph.predStart[side]! !== 1) return null;
  if (graph.succStart[side + 1]! - graph.succStart[side]! !== 1 || graph.succ[graph.succStart[side]!] !== join)
    return null;
  return harmlessWork(ctx, branch, side);
}

function oneSide(ctx: PlanningContext, diamond: Diamond): HoistedSide | null {
  const { branch, join, t, f, workT, workF } = diamond;
  const { target } = ctx.costs;
  for (const [side, instrs] of [
    [t, workT],
    [f, workF],
  ] as const) {
    const chosen = instrs === null ? null : choices(ctx, branch, side, join);
    if (chosen === null || (chosen.length > 0 && !target.countsByCarry)) continue;
    const net = (target.diamond - target.guard) * ctx.weight[branch]! - copiesBehind(ctx, diamond, side);
    if (net <= CostModel.leastNet) continue;
    return { branch, terminator: terminatorOf(ctx.fn, branch), side, instrs: instrs!, chosen, net };
  }
  return null;
}

/**
 * What copies of registers cost behind the join, in cycles per wave that comes to the branch. Both sides may compute the
 * next value of a variable in the register of the last one. In front of the branch, one side needs a register of its
 * own, because the other side still needs the last value. Then everything behind that takes the last value on some way,
 * and the new one on others, has to copy: outer joins, and the head of a loop.
 */
function copiesBehind(ctx: PlanningContext, { branch, join, t, f }: Diamond, side: BlockId): number {
  const { fn, uses, dominators, divergence, weight, waves } = ctx;
  const other = side === t ? f : t;
  const share = waves.shareComing(branch);
  let cycles = 0;
  for (let phi = fn.blockInstrStart[join] as InstrId; fn.instrOpcode[phi] === Opcode.Phi; phi++) {
    if (divergence.valueDivergent[instrValue(fn, phi)] !== 1) continue;
    let web: ReadonlySet<InstrId | -1> | null = null;
    for (const last of lastValues(ctx, incomingFrom(ctx, phi, side), side)) {
      if (uses.start[last + 1]! - uses.start[last]! > MOST_PASSED_ON) return Infinity;
      let isNeeded = false;
      let isAlive = false;
      for (let u = uses.start[last]!; u < uses.start[last + 1]!; u++) {
        const user = uses.user[u] as InstrId;
        if (fn.instrOpcode[user] === Opcode.Phi) continue;
        isNeeded ||= dominators.dominates(other, fn.instrBlock[user] as BlockId);
        isAlive ||= dominators.dominates(join, fn.instrBlock[user] as BlockId);
      }
      // What is needed behind the join has a register of its own anyway.
      if (!isNeeded || isAlive) continue;
      web ??= phisFrom(ctx, phi);
      if (web === null) return Infinity;
      const head = definingInstr(fn, last);
      for (const each of web) {
        const isHead = each === head;
        for (let o = fn.operandStart[each]!; each !== phi && o < fn.operandStart[each + 1]!; o++) {
          const v = fn.operand[o] as ValueId;
          const from = fn.operandBlock[o] as BlockId;
          const copies = isHead ? web.has(definingInstr(fn, v)) : v === last;
          if (copies && share > 0)
            cycles += (selectCycles(ctx, last) * weight[from]! * waves.shareComing(from)) / share;
        }
      }
    }
  }
  return cycles;
}

/** The phis to which the value of a phi may get by phis alone, and itself; null if that is too much to look at. */
function phisFrom({ fn, uses }: PlanningContext, phi: InstrId): ReadonlySet<InstrId | -1> | null {
  const web = new Set<InstrId>([phi]);
  let size = 0;
  for (const each of web) {
    const v = instrValue(fn, each);
    size += fn.operandStart[each + 1]! - fn.operandStart[each]! + uses.start[v + 1]! - uses.start[v]!;
    if (size > MOST_PASSED_ON) return null;
    for (let u = uses.start[v]!; u < uses.start[v + 1]!; u++) {
      const user = uses.user[u] as InstrId;
      if (fn.instrOpcode[user] === Opcode.Phi) web.add(user);
    }
  }
  return web;
}

/** The values from in front of a side from which it computes `v` directly, unless all threads share them. */
function lastValues({ fn, divergence }: PlanningContext, v: ValueId | null, side: BlockId): ReadonlySet<ValueId> {
  const i = v === null ? NONE : definingInstr(fn, v);
  if (i === NONE || fn.instrBlock[i] !== side) return new Set();
  const operands = fn.operand.subarray(fn.operandStart[i]!, fn.operandStart[i + 1]!) as unknown as ValueId[];
  const isLast = (each: ValueId): boolean =>
    divergence.valueDivergent[each] === 1 && fn.instrBlock[definingInstr(fn, each)] !== side;
  return new Set([...operands].filter(isLast));
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
 * The instructions of a side, if every thread may execute them, they are so few that code generation puts no branch
 * around them, and no load is waited for earlier than now; otherwise null.
 */
function harmlessWork(ctx: PlanningContext, branch: BlockId, side: BlockId): InstrId[] | null {
  const { fn } = ctx;
  const stays = InstrFlag.Convergent | InstrFlag.Marker | InstrFlag.WritesWaveState;
  const list: InstrId[] = [];
  for (let i = fn.blockInstrStart[side] as InstrId; i < terminatorOf(fn, side); i++) {
    if (fn.instrOpcode[i] === Opcode.Phi || !hasFlag(fn, i, InstrFlag.Speculatable) || hasFlag(fn, i, stays))
      return null;
    for (let o = fn.operandStart[i]!; o < fn.operandStart[i + 1]!; o++)
      if (isAwaited(ctx, branch, fn.operand[o] as ValueId)) return null;
    list.push(i);
  }
  return list.length > 0 && isUnskipped(ctx, list) ? list : null;
}

/**
 * Whether a value is loaded in front of the branch, and may still be on its way there: neither an earlier block nor the
 * condition needs it.
 */
function isAwaited({ fn, uses, dominators }: PlanningContext, branch: BlockId, v: ValueId): boolean {
  const load = definingInstr(fn, v);
  if (load === NONE || fn.instrOpcode[load] !== Opcode.Load) return false;
  for (let u = uses.start[v]!; u < uses.start[v + 1]!; u++) {
    const user = uses.user[u] as InstrId;
    const b = fn.instrBlock[user] as BlockId;
    if (b !== branch && fn.instrOpcode[user] !== Opcode.Phi && dominators.dominates(b, branch)) return false;
  }
  return !isNeededBy(fn, terminatorOf(fn, branch), load);
}

/** Whether `instr` needs the result of `load`, directly or through others of its block. */
function isNeededBy(fn: FunctionSnapshot, instr: InstrId, load: InstrId): boolean {
  const block = fn.instrBlock[instr];
  const seen = new Set([instr]);
  for (const i of seen)
    for (let o = fn.operandStart[i]!; o < fn.operandStart[i + 1]!; o++) {
      const operand = definingInstr(fn, fn.operand[o] as ValueId);
      if (operand === load) return true;
      if (operand !== NONE && fn.instrBlock[operand] === block && fn.instrOpcode[operand] !== Opcode.Phi)
        seen.add(operand);
    }
  return false;
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

/**
 * Computes the net of a draft (rule 7): the cycles of both subgraphs one after the other, as divergent threads run
 * them, minus the cycles of the melded code. Blocks are weighted by how often they run. This is counted:
 * - one instruction instead of two, and halved memory traffic;
 * - selects, once per pair of values, in front of loops where that is possible;
 * - guards of runs without a partner;
 * - scalar work, branches and loops that become divergent, also at direct users behind the subgraphs;
 * - lost LDS offsets, lost fusion and split accesses;
 * - the divergent branch itself, which goes when neither side has work in front of or behind the subgraphs.
 *
 * This is not counted: registers, and so occupancy (pipeline/lost-waves.ts judges them), the instruction cache, and
 * what instruction selection folds beyond cost/fusion.ts.
 */
import { AddressSpace } from '../../ir/address-space.js';
import type { BlockId, InstrId, ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { Opcode, ValueKind, definingInstr, instrValue, isConditionalBranch, terminatorOf } from '../../ir/snapshot.js';
import type { PlanningContext } from '../cost/context.js';
import type { Draft, MeldedUniformity } from './draft.js';
import { CostModel } from '../cost/cost-model.js';
import { cyclesOf, pairGain, scatteredCost } from '../cost/gains.js';
import { selectCycles } from '../cost/operands.js';
import { isSkipped } from '../cost/skipping.js';
import type { Group, Run } from './groups.js';
import { addressesOf, groupsOf, isLong } from './groups.js';
import { hostBlock } from '../plan.js';
import type { Slot } from './frame.js';
import { lostBatches, lostFusion, lostOffsetCost, lostWidth, offsetCost } from './losses.js';
import { meldedUniformity } from './uniformity.js';

/** What melded code costs for nothing, in cycles: for a wave that takes F only, and for one that takes T only. */
export interface Vain {
  readonly t: number;
  readonly f: number;
}

/** What a pair of blocks comes to for a wave whose threads come to both of them, as a part of `Outcome.net`. */
export interface BlockGain {
  readonly t: BlockId | -1;
  readonly f: BlockId | -1;
  /** Whether threads pass the melded block whose own side has no block there. */
  readonly passed: boolean;
  readonly net: number;
  readonly vain: Vain;
  /** What threads wait for those of the other side, in waves that come to both blocks. It is not in `net`. */
  readonly waiting: number;
}

/** What a draft gains, given what else the machine does. */
export interface Effect {
  /** Cycles gained by a wave that takes both sides and comes to all of their blocks. */
  readonly net: number;
  /**
   * A wave that takes one side only would not have run the other one. It gains `net` minus the vain work of the other.
   */
  readonly vain: Vain;
  /** Per block pair of the draft. What they leave of `net` and of `vain`, every wave gains that comes to the meld. */
  readonly blocks: readonly BlockGain[];
  /**
   * What waves run of a side for which they have no thread, without melds: code generation does not branch around it.
   */
  readonly idle: Vain;
  /** What of `net` is the memory unit's time, which scattered accesses do not spare. It must be gained elsewhere. */
  readonly scattered: number;
}

export interface Outcome extends Effect {
  /** Instruction pairs that are not selects. They make a meld shrink the code; this is why melding ends. */
  readonly realPairs: number;
  readonly guardedRuns: number;
  /** Whether long runs without a partner run for every thread. */
  readonly speculatesMuch: boolean;
  /** Per block pair of the draft. */
  readonly groups: readonly (readonly Group[])[];
}

export function evaluate(draft: Draft): Outcome {
  const groups = draft.frame.work.map((work) => groupsOf(draft, work));
  let realPairs = 0;
  let guardedRuns = 0;
  let speculatesMuch = false;
  draft.frame.blocks.forEach(({ passed }, k) => {
    for (const group of groups[k]) {
      if (group.kind === 'pair') realPairs += isSelect(draft, group.t) ? 0 : 1;
      else if (passed && !group.speculate) guardedRuns++;
      else if (group.speculate && isLong(draft.ctx, group.instrs)) speculatesMuch = true;
    }
  });
  return { realPairs, guardedRuns, speculatesMuch, groups, ...effectOf(draft, draft.ctx, groups) };
}

/** The same where other waves hide everything but the work of shared units. */
export const busyEffect = (draft: Draft, { groups }: Outcome): Effect => effectOf(draft, draft.ctx.whereBusy, groups);

function effectOf(draft: Draft, ctx: PlanningContext, groups: Outcome['groups']): Effect {
  const { frame } = draft;
  const uniformity = meldedUniformity(draft);
  const gains = blockGains(draft, ctx, groups, uniformity);
  let net = gains.reduce((sum, gain) => sum + gain, 0) - lostBehind(draft, ctx, uniformity);
  // The diamond of E is a guard for each side. It goes, but what lies in front and behind needs one of its own each.
  const diamonds = 1 - (frame.front ? 1 : 0) - (frame.back ? 1 : 0);
  net += diamonds * neighbourBonus(ctx, frame.branch);
  const waiting = waitingCosts(draft, ctx, uniformity);
  net -= waiting.reduce((sum, cost) => sum + cost, 0);
  const work = frame.blocks.map((_, k) => vainWork(draft, ctx, k, groups[k]));
  // What a wave that agrees would spare is hidden behind the work of other waves, where there are any.
  const mask = diamonds * neighbourBonus(ctx, frame.branch) * ctx.costs.target.hiddenMasks;
  const vain = { t: mask, f: mask };
  for (const here of work) for (const side of ['t', 'f'] as const) vain[side] += here[side];
  const isEmbedded = frame.blocks.some((b) => b.t === NONE || b.f === NONE);
  if (isEmbedded && !ctx.countsBytes) net -= (vain.t + vain.f) * CostModel.embedded;
  const blocks = frame.blocks.map(({ t, f, passed }, k) => ({
    t,
    f,
    passed,
    net: gains[k],
    vain: work[k],
    waiting: waiting[k],
  }));
  return { net, vain, idle: idleWork(draft, ctx), blocks, scattered: scatteredTime(draft, ctx, groups) };
}

/** See `Effect.idle`. */
function idleWork({ frame }: Draft, ctx: PlanningContext): Vain {
  // Where code size counts, or the paper's metric, it does not matter how often waves part.
  if (ctx.countsBytes || ctx.options.profit === 'paper') return { t: 0, f: 0 };
  const weight = ctx.weight[frame.branch];
  const cycles = (instrs: readonly InstrId[]): number =>
    instrs.reduce((sum, i) => sum + (ctx.fusedInto[i] === NONE ? cyclesOf(ctx, i, false) : 0), 0);
  return { t: weight * cycles(frame.idle.t), f: weight * cycles(frame.idle.f) };
}

/** Per block pair: what its work and its branch gain, less the selects that stand there. */
function blockGains(
  draft: Draft,
  ctx: PlanningContext,
  groups: Outcome['groups'],
  uniformity: MeldedUniformity,
): Float64Array {
  const { frame } = draft;
  const gains = new Float64Array(frame.blocks.length);
  frame.blocks.forEach((b, k) => {
    const { here, spared, home } = workGain(draft, ctx, k, groups[k], uniformity);
    const weight = frame.weight(hostBlock(frame.shape, b));
    gains[home] += spared * weight;
    gains[k] += here * weight + branchGain(draft, ctx, k, uniformity);
  });
  for (const [k, cost] of selectCosts(draft, ctx, standInSlots(draft, groups))) gains[k] -= cost;
  return gains;
}

/**
 * What the instructions of block pair `k` gain, per run of it. What hoisted loads spare, those waves gain that come to
 * the blocks where the loads were: pair `home`.
 */
function workGain(
  draft: Draft,
  ctx: PlanningContext,
  k: number,
  groups: readonly Group[],
  { divergent }: MeldedUniformity,
): { here: number; spared: number; home: number } {
  const { frame } = draft;
  const { guard } = ctx.costs.target;
  const isPresent = ctx.costs === draft.ctx.costs;
  const { t: blockT, f: blockF, passed } = frame.blocks[k];
  let [here, spared, home] = [0, 0, k];
  let guardedBefore = false;
  for (const group of groups) {
    if (group.kind === 'pair') {
      const { t, f } = group;
      const isDivergent = divergent[t] === 1;
      const gain =
        (isPresent ? draft.factsOf(t).gain(isDivergent) : pairGain(ctx, t, f, isDivergent)) -
        lostOffsetCost(draft, ctx, t, f) -
        lostWidth(draft, ctx, t, f) -
        lostFusion(draft, t) -
        credited(draft, ctx, t, f);
      home = frame.homeOf(t) ?? frame.homeOf(f) ?? home;
      if (frame.hoistedLoads.has(t) || frame.hoistedLoads.has(f)) spared += gain;
      else here += gain;
      guardedBefore = false;
      continue;
    }
    const guarded = passed && !group.speculate ? group.instrs : null;
    for (const i of group.instrs)
      here -=
        cyclesOf(ctx, i, divergent[i] === 1) -
        cyclesOf(ctx, i, false) +
        lostWidth(draft, ctx, i, NONE, guarded) +
        lostFusion(draft, i);
    if (!passed) continue;
    if (group.speculate) here -= CostModel.speculate * group.instrs.length + standInCost(draft, ctx, group);
    else {
      here -= guardedBefore ? guard * CostModel.secondGuard : guard;
      guardedBefore = true;
    }
  }
  if (blockT !== NONE && blockF !== NONE) {
    const lost = lostBatches(draft, ctx, groups);
    if (lost < 0) spared -= lost;
    else here -= lost;
  }
  return { here, spared, home };
}

/** The memory unit's time that pairs of scattered accesses do not spare. */
function scatteredTime({ frame }: Draft, ctx: PlanningContext, groups: Outcome['groups']): number {
  let scattered = 0;
  frame.blocks.forEach((b, k) => {
    const weight = frame.weight(hostBlock(frame.shape, b));
    for (const group of groups[k])
      if (group.kind === 'pair') scattered += scatteredCost(ctx, group.t, group.f) * weight;
  });
  return scattered;
}

/**
 * The work of each side that all threads run after the meld. Guarded runs are not in it where they are worth a branch
 * around them: where no lane is active, code generation skips long runs and memory accesses, but not short ones.
 */
function vainWork({ frame }: Draft, ctx: PlanningContext, k: number, groups: readonly Group[]): Vain {
  const { fn } = ctx;
  const { target } = ctx.costs;
  const b = frame.blocks[k];
  const vain = { t: 0, f: 0 };
  const skipped = new Set<InstrId>();
  for (const group of groups)
    if (b.passed && group.kind === 'run' && !group.speculate && isSkipped(ctx, group.instrs))
      for (const i of group.instrs) skipped.add(i);
  for (const side of ['t', 'f'] as const) {
    // Threads of the guest do not come to the other blocks of the host.
    if (b[side] === NONE || !b.passed) continue;
    let cycles = 0;
    for (const i of frame.work[k][side])
      if (ctx.fusedInto[i] === NONE && !skipped.has(i)) cycles += cyclesOf(ctx, i, false);
    // What stands in front of the branch for this side alone would not have run either.
    for (const i of ctx.sinking.into(b[side]))
      if (ctx.dominators.dominates(fn.instrBlock[i] as BlockId, frame.branch) && isNeeded(ctx, i, skipped))
        cycles += cyclesOf(ctx, i, false);
    // It would not have come to the branches of the other side either.
    if (isConditionalBranch(fn, b[side]))
      cycles += ctx.divergence.terminatorDivergent[b[side]] === 1 ? target.guard : target.branch;
    vain[side] += cycles * ctx.weight[b[side]];
  }
  return vain;
}

/** Whether anything but guarded runs uses the result. */
function isNeeded({ fn, uses }: PlanningContext, i: InstrId, guarded: ReadonlySet<InstrId>): boolean {
  const v = instrValue(fn, i);
  for (let u = uses.start[v]; u < uses.start[v + 1]; u++) if (!guarded.has(uses.user[u] as InstrId)) return true;
  return false;
}

/** In loops, the threads of the side with fewer iterations wait for those of the other. By block pair. */
function waitingCosts(draft: Draft, ctx: PlanningContext, { branch }: MeldedUniformity): number[] {
  const { frame } = draft;
  const { cycles, divergence } = ctx;
  const none = frame.blocks.map(() => 0);
  if (ctx.countsBytes) return none;
  const depth = cycles.depthOf(frame.branch);
  const waits = frame.blocks.some((b, k) => branch[k] === 1 && cycles.depthOf(hostBlock(frame.shape, b)) > depth);
  if (!waits) return none;
  const hasDivergentExit = (b: BlockId | -1): boolean =>
    b !== NONE && divergence.divergentExit[cycles.cycleOf(b)] === 1;
  return frame.blocks.map(({ t, f }, k) => {
    const { work } = frame;
    const shared = hasDivergentExit(t) || hasDivergentExit(f) ? CostModel.iterationsOfData : CostModel.iterations;
    let sum = 0;
    for (const [b, list] of [
      [t, work[k].t],
      [f, work[k].f],
    ] as const) {
      if (b === NONE || cycles.depthOf(b) <= depth) continue;
      let spent = 0;
      for (const i of list) {
        if (ctx.fusedInto[i] === NONE) spent += cyclesOf(ctx, i, false);
        // The threads of the other side wait for these loads, too, and in a loop their full latency shows.
        if (draft.partner[i] === NONE && isLoad(draft, i)) spent += ctx.costs.latency[i] - ctx.costs.vector[i];
      }
      sum += (spent * ctx.weight[b] * (1 - shared)) / 2;
    }
    return sum;
  });
}

/** The diamond of a branch. Two neighbours that meld leave none between them. */
export const neighbourBonus = ({ costs, weight }: PlanningContext, branch: BlockId): number =>
  costs.target.diamond * weight[branch];

/**
 * A correction for a pair of which only one instruction is in a loop. The instruction outside the loop is saved once,
 * but the gain counts it in every run of the melded block. Per run of that block.
 */
function credited({ frame }: Draft, ctx: PlanningContext, t: InstrId, f: InstrId): number {
  const { weight, fn } = ctx;
  const [once, often] = [weight[fn.instrBlock[t]], weight[fn.instrBlock[f]]];
  if (once === often) return 0;
  const rarer = once < often ? t : f;
  return cyclesOf(ctx, rarer, false) * (1 - Math.min(once, often) / frame.weight(fn.instrBlock[t] as BlockId));
}

const isLoad = ({ ctx: { fn } }: Draft, i: InstrId): boolean => fn.instrOpcode[i] === Opcode.Load;

const isSelect = (draft: Draft, i: InstrId): boolean => draft.ctx.fn.instrOpcode[i] === Opcode.Select;

/** What is gained when two branches become one. It is negative when the one costs more than the two. */
function branchGain(draft: Draft, ctx: PlanningContext, k: number, { branch }: MeldedUniformity): number {
  const { fn, divergence, costs, weight } = ctx;
  const { t, f, swapped, takes, passed } = draft.frame.blocks[k];
  const cost = (divergent: boolean): number => (divergent ? costs.target.guard : costs.target.branch);
  let gain = 0;
  for (const b of [t, f])
    if (b !== NONE && isConditionalBranch(fn, b)) gain += cost(divergence.terminatorDivergent[b] === 1) * weight[b];
  const host = hostBlock(draft.frame.shape, draft.frame.blocks[k]);
  if (!isConditionalBranch(fn, host)) return gain;
  // The condition of one side is inverted, or that of the guest is fixed.
  const conditions = (swapped ? costs.target.salu : 0) + (passed && takes !== null ? 2 * costs.target.salu : 0);
  const unrolled = branch[k] === 1 && [t, f].some((b) => b !== NONE && mayUnroll(draft, b));
  const lost = unrolled && !ctx.countsBytes ? CostModel.lostUnrolling : 0;
  return gain - (cost(branch[k] === 1) + conditions + lost) * draft.frame.weight(host);
}

/**
 * Whether LLVM may still unroll the loop that this branch ends: the branch is uniform, and it compares a counter that
 * starts at a constant with a constant.
 */
function mayUnroll({ ctx, frame }: Draft, b: BlockId): boolean {
  const { fn, options, cycles, divergence } = ctx;
  if (!options.optimizesLater || divergence.terminatorDivergent[b] === 1 || !isConditionalBranch(fn, b)) return false;
  if (cycles.depthOf(b) <= cycles.depthOf(frame.branch)) return false;
  const compare = definingInstr(fn, fn.operand[fn.operandStart[terminatorOf(fn, b)]] as ValueId);
  if (compare === NONE || fn.instrOpcode[compare] !== Opcode.ICmp || !isConstant(ctx, fn.operandStart[compare] + 1))
    return false;
  let counter = definingInstr(fn, fn.operand[fn.operandStart[compare]] as ValueId);
  if (counter !== NONE && fn.instrOpcode[counter] === Opcode.Add && isConstant(ctx, fn.operandStart[counter] + 1))
    counter = definingInstr(fn, fn.operand[fn.operandStart[counter]] as ValueId);
  if (counter === NONE || fn.instrOpcode[counter] !== Opcode.Phi) return false;
  for (let o = fn.operandStart[counter]; o < fn.operandStart[counter + 1]; o++) if (isConstant(ctx, o)) return true;
  return false;
}

const isConstant = ({ fn }: PlanningContext, operand: number): boolean =>
  fn.valueKind[fn.operand[operand]] === ValueKind.Constant;

/** The addresses of loads and of those that stand in for them. */
function standInSlots({ ctx, frame }: Draft, groups: Outcome['groups']): readonly Slot[] {
  const slots: Slot[] = [];
  for (const list of groups)
    for (const group of list)
      if (group.kind === 'run')
        for (const [i, standIn] of group.standIns) {
          const [t, f] = addressesOf(ctx.fn, group.side, i, standIn);
          slots.push(frame.slot(t, f, ctx.fn.instrBlock[i] as BlockId));
        }
  return slots;
}

/** What a run's loads lose where others stand in for them, beside the selects of the addresses. */
function standInCost(draft: Draft, ctx: PlanningContext, { side, standIns }: Run): number {
  let sum = 0;
  for (const [i, standIn] of standIns) {
    const [t, f] = addressesOf(ctx.fn, side, i, standIn);
    const isLds = ctx.fn.instrAddressSpace[i] === AddressSpace.Local;
    if (isLds && !draft.same(t, f) && !draft.hasKey(draft.frame.keyOf(t, f))) sum += offsetCost(ctx, t, f);
  }
  return sum;
}

/**
 * What selects cost, per block pair. One select serves all slots of a key, and it stands with the dearest of them.
 *
 * Where threads leave from several blocks, each side's values meet in a phi, and one select chooses between both phis.
 * What both sides have in common there is in the registers of both phis: that is a copy.
 */
function selectCosts(draft: Draft, ctx: PlanningContext, standIns: readonly Slot[]): Map<number, number> {
  const { fn, costs } = ctx;
  const { target } = costs;
  const dearest = new Map<number, Slot>();
  const joins = new Map<InstrId, Slot[]>();
  for (const slot of [...draft.allSlots(), ...standIns]) {
    // Conditions are selected on the scalar unit.
    if (target.salu === 0 && fn.typeBits[fn.valueType[slot.t]] === 1) continue;
    if (slot.joined !== NONE) {
      const list = joins.get(slot.joined);
      if (list) list.push(slot);
      else joins.set(slot.joined, [slot]);
    } else if (!draft.isOne(slot) && slot.cost > (dearest.get(slot.key)?.cost ?? 0)) dearest.set(slot.key, slot);
  }
  const gathered = new Map<number, number>();
  const add = (at: BlockId, cost: number): void => {
    const k = Math.max(0, draft.frame.indexOf(at));
    gathered.set(k, (gathered.get(k) ?? 0) + cost);
  };
  for (const { at, cost } of dearest.values()) add(at, cost);
  for (const slots of joins.values()) {
    if (slots.every((slot) => draft.isOne(slot))) continue;
    const cycles = selectCycles(ctx, slots[0].t);
    add(draft.frame.entry, cycles * draft.frame.weight(draft.frame.entry));
    for (const slot of slots) if (draft.isOne(slot)) add(slot.at, cycles * draft.frame.weight(slot.at));
  }
  return gathered;
}

/**
 * What it costs that uniform users behind the subgraphs become divergent. An estimate: it looks at direct users of
 * the values that become divergent, and not further.
 */
function lostBehind(draft: Draft, ctx: PlanningContext, { divergent }: MeldedUniformity): number {
  const { frame } = draft;
  const { fn, divergence, uses } = ctx;
  const counted = new Set<number>();
  let sum = 0;
  for (const { t, f } of frame.blocks) {
    for (const b of [t, f]) {
      if (b === NONE) continue;
      for (let i = fn.blockInstrStart[b]; i < fn.blockInstrStart[b + 1]; i++) {
        const v = instrValue(fn, i as InstrId);
        if (divergent[i] !== 1 || divergence.valueDivergent[v] === 1) continue;
        for (let u = uses.start[v]; u < uses.start[v + 1]; u++) {
          const user = uses.user[u] as InstrId;
          if (
            frame.indexOf(fn.instrBlock[user] as BlockId) !== NONE ||
            divergence.valueDivergent[instrValue(fn, user)] === 1
          )
            continue;
          if (counted.has(user)) continue;
          counted.add(user);
          sum += (cyclesOf(ctx, user, true) - cyclesOf(ctx, user, false)) * ctx.weight[fn.instrBlock[user]];
        }
      }
    }
  }
  return sum;
}

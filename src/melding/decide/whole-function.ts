/**
 * Judges all melds of a function together, and all hoisted sides of a loop. Each pays at its own branch. But where the
 * rest takes far longer, what they gain is less than what chance does: how the waves of a compute unit get into each
 * other's way.
 */
import type { CycleId } from '../../analysis/cycles.js';
import { NONE, type BlockId, type InstrId } from '../../ir/ids.js';
import { instrValue } from '../../ir/snapshot.js';
import type { PlanningContext } from '../cost/context.js';
import { weightAround } from '../cost/block-weight.js';
import { CostModel } from '../cost/cost-model.js';
import { expectedGain } from '../cost/expected-cycles.js';
import { accessesOf, cyclesSpent } from '../cost/memory-time.js';
import type { Choices, ExpectedCycles, PlanOptions } from '../plan.js';

/**
 * Whether the melds of a function must gain enough together: those that the model chose. In front of LLVM's pipeline,
 * pipeline/ asks for that.
 */
export function isJudgedWhole({ profit, versions, optimizesLater }: PlanOptions, choices: Choices | null): boolean {
  const isModels = choices === null || (choices.branches.size === 0 && choices.others === 'model');
  return isModels && profit === 'net' && versions !== 'always' && !optimizesLater;
}

/**
 * What melds must gain that are tried, though they need not pay one by one. Set by hand, like the constants of the cost
 * model: see docs/evaluation.md, "Melds that open the way" and "Melds without questions".
 */
const TrialBounds = {
  /** How much faster the whole function must become, at least. */
  leastGain: 1.05,
  /** The same where other waves hide everything but the work of shared units. */
  leastBusy: 0.99,
} as const;

/** Whether what was tried gains enough of what the whole function takes otherwise. */
export const isTrialWorth = (otherwise: ExpectedCycles, tried: ExpectedCycles): boolean =>
  expectedGain(otherwise, tried) >= TrialBounds.leastGain && otherwise.busy >= TrialBounds.leastBusy * tried.busy;

/** How often a wave runs a block, or would if every wave came to it. */
type Runs = (b: BlockId) => number;

/**
 * Whether all melds gain too little of what a wave spends in the function, where others want the memory unit, too.
 *
 * @param gain of all melds up to now, in cycles that a wave is expected to gain
 */
export const isTooLittle = (ctx: PlanningContext, gain: number): boolean =>
  isBelowShare(ctx, gain, CostModel.leastOfFunction, asGuessed(ctx));

/**
 * The same where waves are asked. What they gain at these branches is judged as if other loops ran once.
 *
 * @param at where something is done
 */
export function isTooLittleToAsk(
  ctx: PlanningContext,
  gain: number,
  at: readonly { readonly branch: BlockId }[],
): boolean {
  const branches = at.map(({ branch }) => branch);
  return isBelowShare(ctx, gain, CostModel.leastWithVersions, weightAround(ctx, branches));
}

function isBelowShare(ctx: PlanningContext, gain: number, least: number, weight: Runs): boolean {
  const accesses = accessesOf(ctx);
  const blocks = blocksOfLoop(ctx, NONE);
  return isBelow(ctx, gain, (runs) => least * cyclesSpent(accesses, cyclesIn(ctx, blocks, runs), runs), weight);
}

/** As often as `blockWeight` guesses. */
const asGuessed =
  ({ weight }: PlanningContext): Runs =>
  (b) =>
    weight[b]!;

/**
 * What is done at branches, without that of loops in which it gains too little of what a wave that is alone spends
 * there. Outside of all loops, the function counts.
 *
 * @param gainOf what a wave that comes to the branch gains
 */
export function inLoopsWithEnough<T extends { readonly branch: BlockId }>(
  ctx: PlanningContext,
  found: readonly T[],
  gainOf: (each: T) => number,
): T[] {
  if (ctx.countsBytes) return [...found];
  const gains = new Map<CycleId | -1, number>();
  for (const each of found) {
    const loop = ctx.cycles.cycleOf(each.branch);
    gains.set(loop, (gains.get(loop) ?? 0) + gainOf(each) * ctx.waves.shareComing(each.branch));
  }
  const isEnough = new Map([...gains].map(([loop, gain]) => [loop, !isTooLittleOfLoop(ctx, gain, loop)]));
  return found.filter(({ branch }) => isEnough.get(ctx.cycles.cycleOf(branch)));
}

function isTooLittleOfLoop(ctx: PlanningContext, gain: number, loop: CycleId | -1): boolean {
  const blocks = blocksOfLoop(ctx, loop);
  return isBelow(ctx, gain, (runs) => CostModel.leastOfHoisting * cyclesIn(ctx, blocks, runs), asGuessed(ctx));
}

function isBelow(ctx: PlanningContext, gain: number, needed: (runs: Runs) => number, weight: Runs): boolean {
  // Most gain so much that nobody has to know how many waves come to which block.
  if (gain >= needed(weight)) return false;
  return gain < needed((b) => weight(b) * ctx.waves.shareComing(b));
}

/** The blocks of a loop, or of the function (`NONE`), in layout order. */
const blocksOfLoop = ({ fn, cycles }: PlanningContext, loop: CycleId | -1): BlockId[] =>
  loop === NONE
    ? Array.from({ length: fn.blockCount }, (_, b) => b as BlockId)
    : ([...cycles.blocks(loop).toSorted()] as BlockId[]);

/** The cycles of a wave that is alone, in these blocks. */
function cyclesIn({ fn, cost, costs, divergence }: PlanningContext, blocks: readonly BlockId[], runs: Runs): number {
  let sum = 0;
  for (const b of blocks) {
    let cycles = divergence.terminatorDivergent[b] === 1 ? costs.target.diamond : 0;
    for (let i = fn.blockInstrStart[b]; i < fn.blockInstrStart[b + 1]; i++) cycles += cost[i];
    if (cycles > 0) sum += cycles * runs(b);
  }
  return sum;
}

/** How long a wave keeps the vector unit and the scalar unit busy in a loop (-1: in the function). */
export function workOfUnits(ctx: PlanningContext, loop: CycleId | -1): { vector: number; scalar: number } {
  const { fn, busy, divergence, weight, waves, fusedInto } = ctx;
  const work = { vector: 0, scalar: 0 };
  for (const b of blocksOfLoop(ctx, loop)) {
    let [vector, scalar] = [0, maskCycles(ctx, b)];
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

/** How long the masks of a branch keep the scalar unit busy. An exit of a loop only takes threads out of the mask. */
function maskCycles({ graph, cycles, divergence, postDominators, costs }: PlanningContext, b: BlockId): number {
  if (divergence.terminatorDivergent[b] !== 1) return 0;
  const { masks, salu } = costs.target;
  const to = [...graph.succ.subarray(graph.succStart[b]!, graph.succStart[b + 1]!)];
  const loop = cycles.cycleOf(b);
  if (loop !== NONE && to.some((next) => !cycles.contains(loop, next as BlockId))) return Math.min(masks, 2 * salu);
  return to.includes(postDominators.idom[b]!) ? masks / 2 : masks;
}

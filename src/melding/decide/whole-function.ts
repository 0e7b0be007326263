/**
 * Judges all melds of a function together. Each pays at its own branch. But where the rest of the function takes far
 * longer, what they gain is less than what chance does: how the waves of a compute unit get into each other's way.
 */
import type { BlockId } from '../../ir/ids.js';
import type { PlanningContext } from '../cost/context.js';
import { CostModel } from '../cost/cost-model.js';
import { cyclesSpent } from '../cost/memory-time.js';
import type { Choices, PlanOptions } from '../plan.js';

/**
 * Whether the melds of a function must gain enough together: those that the model chose. In front of LLVM's pipeline,
 * pipeline/ asks for that.
 */
export function isJudgedWhole({ profit, versions, optimizesLater }: PlanOptions, choices: Choices | null): boolean {
  const isModels = choices === null || (choices.branches.size === 0 && choices.others === 'model');
  return isModels && profit === 'net' && versions !== 'always' && !optimizesLater;
}

/**
 * @param gain of all melds up to now, in cycles that a wave is expected to gain
 * @param least what they must gain, as a share of what a wave spends in the function
 * @param counts which blocks of the function count, for a wave that is alone; null: all, and other waves, too
 */
export function isTooLittle(
  ctx: PlanningContext,
  gain: number,
  least: number = CostModel.leastOfFunction,
  counts: ((b: BlockId) => boolean) | null = null,
): boolean {
  const needed = (share: (b: BlockId) => number): number => {
    const runs = (b: BlockId): number => (counts?.(b) === false ? 0 : ctx.weight[b] * share(b));
    const alone = cyclesAlone(ctx, runs);
    return least * (counts === null ? cyclesSpent({ ...ctx, latency: ctx.costs.latency }, alone, runs) : alone);
  };
  // Most melds gain so much that nobody has to know how many waves come to which block.
  if (gain >= needed(() => 1)) return false;
  return gain < needed((b) => ctx.waves.shareComing(b));
}

/** What a wave spends that is alone. @param runs how often it runs a block */
function cyclesAlone({ fn, cost, costs, divergence }: PlanningContext, runs: (b: BlockId) => number): number {
  let sum = 0;
  for (let b = 0 as BlockId; b < fn.blockCount; b++) {
    let cycles = divergence.terminatorDivergent[b] === 1 ? costs.target.diamond : 0;
    for (let i = fn.blockInstrStart[b]; i < fn.blockInstrStart[b + 1]; i++) cycles += cost[i];
    if (cycles > 0) sum += cycles * runs(b);
  }
  return sum;
}

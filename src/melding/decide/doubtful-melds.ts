/**
 * Melds that do not pay by themselves, but cost little. Melding goes from the inside out, and each branch is judged by
 * itself. So an inner branch can be in the way of outer ones, which find more in common when it is gone; or LLVM makes
 * selects of what it leaves. Whether they pay, the whole function tells (whole-function.ts).
 */
import type { PlanningContext } from '../cost/context.js';
import { RULES } from '../rules.js';
import { workOf } from './choose-melds.js';
import { HopelessBlocks } from './hopeless-blocks.js';
import { planBranch, type BranchPlan } from './plan-branch.js';
import { isEnclosed } from './versions.js';

/** Set by hand, like the constants of the cost model: see docs/evaluation.md, "Melds that open the way". */
const Doubtful = {
  /** How much alike two sides must be, at least, by the paper's metric (0 to 0.5). */
  leastAlike: 0.45,
  /** What waves that part may lose at most, as a share of the work of both sides. */
  mostLost: 0.04,
} as const;

/**
 * The doubtful melds of each branch that stands in a side of another one, by the paper's metric and without questions.
 */
export function doubtfulPlans(ctx: PlanningContext, plans: readonly BranchPlan[]): BranchPlan[] {
  const options = { ...ctx.options, profit: 'paper', versions: 'never' } as const;
  return plans.flatMap(({ branch, region, melds, refused }) => {
    const isAlike = refused.some(
      ({ rule, profit }) => rule === RULES.NotProfitable.id && profit >= Doubtful.leastAlike,
    );
    if (melds.length > 0 || !isAlike || !isEnclosed(ctx, region)) return [];
    const plan = planBranch(ctx.with({ options }), branch, new HopelessBlocks(), null);
    return 'melds' in plan && plan.melds.length > 0 && costsLittle(plan) ? [plan] : [];
  });
}

const costsLittle = ({ melds, total }: BranchPlan): boolean =>
  total > -Doubtful.mostLost * workOf(melds.map(({ judged }) => judged.effect));

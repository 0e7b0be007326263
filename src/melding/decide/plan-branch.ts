/**
 * Decides what melds at one divergent branch, as if there were no other: the melds and what they gain, or a refusal.
 */
import { deadEndsBehind } from '../../analysis/dead-ends.js';
import { joinedRegionOf, regionOf, sharedSuccessors, type DivergentRegion } from '../../analysis/regions.js';
import type { BlockId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import type { PlanningContext } from '../cost/context.js';
import { CostModel } from '../cost/cost-model.js';
import { neighbourBonus } from '../draft/evaluate.js';
import { PartnerLog } from '../draft/partner-log.js';
import type { BranchChoice, Candidate, Choices, ChosenBranch, Meld, WaveVersion } from '../plan.js';
import { refusal, type Refusal } from '../rules.js';
import { candidateOf, isPlainBlock, type Judged } from './candidate.js';
import { Chains, working } from './chains.js';
import { asChosen, byCost, byPaper, bySize, type Choice } from './choose-melds.js';
import type { HopelessBlocks } from './hopeless-blocks.js';
import { JudgedPairs } from './judged-pairs.js';
import { checkRefusal, mayJoin, mayLeave, problemRefusal, regionRefusal, sharedDeadEndRefusal } from './legality.js';
import { sunkBelow } from './versions.js';

/** The melds that one branch asks for in this round. */
export interface BranchPlan {
  readonly branch: BlockId;
  readonly region: DivergentRegion;
  /** In chain order. */
  readonly melds: readonly PlannedMeld[];
  readonly chosen: ChosenBranch;
  readonly version: WaveVersion | null;
  readonly total: number;
  /** See `Choice.worth`. */
  readonly worth: number;
  /** Whether any pair of subgraphs would run more for every thread than an agreeing wave should. */
  readonly speculatesMuch: boolean;
  readonly refused: readonly Candidate[];
}

interface PlannedMeld {
  /** The places of its subgraphs in the chains of T and F. */
  readonly at: readonly [number, number];
  readonly judged: Judged;
  readonly meld: Meld;
  /** What it adds to the gain of the branch. */
  readonly net: number;
}

/** @param hopeless what earlier rounds of this function found, and what this one finds */
export function planBranch(
  ctx: PlanningContext,
  branch: BlockId,
  hopeless: HopelessBlocks,
  choices: Choices | null,
): BranchPlan | Candidate {
  const found = regionOf(ctx, branch);
  if (found.kind === 'region') return planIn(ctx, found, hopeless, choices);
  if (found.problem !== 'no-join') return refusedBranch(ctx, branch, problemRefusal(found.problem));
  const without = withoutDeadEnds(ctx, branch);
  if (!('region' in without)) return refusedBranch(ctx, branch, without);
  if (!mayLeave(ctx, without.region)) return refusedBranch(ctx, branch, sharedDeadEndRefusal);
  return planIn(without.ctx, without.region, hopeless, choices);
}

/** The region of a branch among those threads that come back, and the context for it; or why there is none either. */
function withoutDeadEnds(
  ctx: PlanningContext,
  branch: BlockId,
): { readonly ctx: PlanningContext; readonly region: DivergentRegion } | Refusal {
  const live = ctx.liveFlow;
  const ways = live === null ? 0 : live.graph.succStart[branch + 1]! - live.graph.succStart[branch]!;
  if (live === null || ways === 0) return problemRefusal('no-join');
  if (ways === 1) return checkRefusal;
  const { graph, postDominators } = live;
  const inner = ctx.with({ graph, postDominators });
  const region = regionOf(inner, branch);
  if (region.kind === 'refused') return problemRefusal(region.problem);
  return { ctx: inner, region: { ...region, deadEnds: deadEndsBehind(region.blocks, live.deadEnds) } };
}

/** The same for a branch of which the region is known. */
function planIn(
  ctx: PlanningContext,
  found: DivergentRegion,
  hopeless: HopelessBlocks,
  choices: Choices | null,
): BranchPlan | Candidate {
  const { branch } = found;
  const why = regionRefusal(ctx, found) ?? modeRefusal(ctx, found);
  if (why) return refusedBranch(ctx, branch, why);
  const choice = choices?.branches.get(branch) ?? (choices?.others === 'leave' ? 'leave' : null);
  if (choice === 'flatten' || choice === 'leave')
    return refusedBranch(ctx, branch, refusal('NotProfitable', 'the plan leaves it'));
  const region = found.deadEnds.length === 0 ? meldableRegion(ctx, found) : found;
  return choice === null
    ? planByModel(ctx, region, hopeless)
    : planRegion(withChoice(ctx, choice), region, hopeless, choice);
}

export function refusedBranch({ fn }: PlanningContext, branch: BlockId, { rule, reason }: Refusal): Candidate {
  const [t, f] = [fn.succ[fn.succStart[branch]] as BlockId, fn.succ[fn.succStart[branch] + 1] as BlockId];
  return { branch, sides: [[t], [f]], kind: 'block-block', profit: 0, net: 0, verdict: 'refuse', rule, reason };
}

/** The paper's baselines meld diamonds only: regions with one block on each side. */
function modeRefusal(ctx: PlanningContext, { t, f }: DivergentRegion): Refusal | null {
  if (ctx.options.mode === 'darm') return null;
  for (const chain of [t, f]) {
    const [only, ...more] = working(ctx, chain);
    if (!chain.edgeDominated || chain.open !== NONE || !only || more.length > 0 || !isPlainBlock(ctx, only))
      return refusal('UnsuitableBranch', `${ctx.options.mode} melds diamonds only`);
  }
  return null;
}

/**
 * The region of a branch, or if its sides hold nothing that could meld: that of the sides behind it that have several
 * entry edges (rule 1.3).
 */
function meldableRegion(ctx: PlanningContext, region: DivergentRegion): DivergentRegion {
  const hasWork = working(ctx, region.t).length > 0 && working(ctx, region.f).length > 0;
  if (ctx.options.mode !== 'darm' || hasWork || sharedSuccessors(ctx.graph, region) !== null) return region;
  const joined = joinedRegionOf(ctx, region);
  return joined !== null && mayJoin(ctx, joined, joined.front!) ? joined : region;
}

/** The context in which a chosen branch is planned: it need not be profitable. */
function withChoice(ctx: PlanningContext, choice: BranchChoice): PlanningContext {
  const { pairs, profit, unpredicate, threshold } = choice;
  const regionReplication = ctx.options.regionReplication && (pairs !== null || choice.regionReplication);
  const own = { profit, unpredicate, threshold: pairs === null ? threshold : 0, regionReplication };
  return ctx.with({ options: { ...ctx.options, ...own } });
}

/**
 * Plans with long runs that every thread executes, which a wave that parts is better off with; and, if there are any,
 * without, which is better for a wave that agrees.
 */
function planByModel(ctx: PlanningContext, region: DivergentRegion, hopeless: HopelessBlocks): BranchPlan {
  const { profit, unpredicate } = ctx.options;
  if (profit === 'paper' || unpredicate !== 'profitable') return planRegion(ctx, region, hopeless, null);
  const long = planRegion(ctx.with({ options: { ...ctx.options, unpredicate: 'never' } }), region, hopeless, null);
  if (!long.speculatesMuch) return long;
  const short = planRegion(ctx, region, hopeless, null);
  return long.worth > short.worth ? long : short;
}

/** @param chosen null: the cost model decides */
function planRegion(
  ctx: PlanningContext,
  region: DivergentRegion,
  hopeless: HopelessBlocks,
  chosen: BranchChoice | null,
): BranchPlan {
  const { branch, join } = region;
  const { profit, unpredicate } = ctx.options;
  // What is hopeless by the cost model may have been chosen.
  const chains = new Chains(ctx, region, chosen === null && region.front === null ? hopeless : null);
  // Each meld counts a branch that remains between it and its neighbour. Two neighbours that meld leave none there.
  const bonus = profit !== 'paper' ? neighbourBonus(ctx, branch) : 0;
  const judged = new JudgedPairs(chains, ctx.tables);
  const choice =
    chosen !== null
      ? asChosen(ctx, region, judged, chosen)
      : profit === 'paper'
        ? byPaper(ctx, region, judged)
        : profit === 'size'
          ? bySize(judged, bonus)
          : byCost(ctx, region, judged, bonus);
  const melds = meldsOf(ctx, region, judged, choice, bonus);
  judged.release();
  // A pair that was judged again may be worth less than was supposed.
  const worth = choice.worth(melds.map((m) => m.judged));
  const pays = worth > -Infinity;
  const pairs = melds.map(({ at }) => at);
  const { sides } = choice;
  return {
    branch,
    region,
    melds: pays ? melds : [],
    chosen: { branch, pairs, sides, profit: profit === 'paper' ? 'paper' : 'net', unpredicate },
    version: pays && sides.length > 0 ? { branch, join, sides, sunk: sunkBelow(ctx, region, sides) } : null,
    total: melds.reduce((all, m) => all + m.net, 0),
    worth,
    // What loses even where waves part is not planned twice.
    speculatesMuch: (choice.pairs.length > 0 || choice.verdict !== null) && judged.speculatesMuch,
    refused: refusedPairs(ctx, region, judged, pays ? pairs : [], choice.verdict),
  };
}

/** The melds of a choice. A pair that cannot meld behind the melds that are really in front of it is left out. */
function meldsOf(
  ctx: PlanningContext,
  { front }: DivergentRegion,
  judged: JudgedPairs,
  choice: Choice,
  bonus: number,
): PlannedMeld[] {
  const melds: PlannedMeld[] = [];
  const made = new PartnerLog(ctx.tables);
  const isGuessed = judged.isGuess(choice.pairs);
  for (const [i, j] of choice.pairs) {
    const pair = judged.behind(i, j, made.until(melds.length), isGuessed);
    if (pair.refusal) continue;
    const last = melds.at(-1)?.at ?? null;
    const isNext = last !== null && last[0] === i - 1 && last[1] === j - 1;
    const meld: Meld = {
      ...pair.meld!,
      before: judged.chains.between(last, [i, j]),
      ...(front !== null && last === null && { front }),
    };
    made.add(melds.length, pair.partners!);
    const asking = last === null ? choice.asking : 0;
    melds.push({ at: [i, j], judged: pair, meld, net: choice.gain(pair, isNext ? bonus : 0) + asking });
  }
  made.release();
  return melds;
}

/**
 * The refusals to report: for each T subgraph that does not meld, its best partner among the F subgraphs that do not.
 */
function refusedPairs(
  ctx: PlanningContext,
  region: DivergentRegion,
  judged: JudgedPairs,
  chosen: readonly (readonly [number, number])[],
  verdict: string | null,
): Candidate[] {
  const refused: Candidate[] = [];
  const usedT = new Set(chosen.map(([i]) => i));
  const usedF = new Set(chosen.map(([, j]) => j));
  for (let i = 0; i < judged.chains.countT; i++) {
    if (usedT.has(i)) continue;
    const rest = judged.ofT(i, (j) => !usedF.has(j));
    if (rest.length > 0)
      refused.push(
        unmelded(
          ctx,
          rest.reduce((best, j) => (rank(j) > rank(best) ? j : best)),
          verdict,
        ),
      );
  }
  if (refused.length === 0 && chosen.length === 0) {
    const entered = region.t.edgeDominated && region.f.edgeDominated;
    const reason = entered
      ? 'a side holds no subgraph with a single entry and exit'
      : 'other edges than the branch lead into a side';
    refused.push(refusedBranch(ctx, region.branch, refusal('NotDominatedByBranch', reason)));
  }
  return refused;
}

/** A pair that does not meld. @param verdict why not, if it gains something; null: others gain more */
function unmelded({ options }: PlanningContext, pair: Judged, verdict: string | null): Candidate {
  const costs = options.profit === 'net' && pair.net <= CostModel.leastNet;
  const reason = costs ? 'costs more than it saves' : (verdict ?? 'another pairing saves more');
  return candidateOf(pair, pair.refusal ?? refusal('NotProfitable', reason));
}

/** Candidates that are legal rank above refused ones, then profit decides. */
const rank = (j: Judged): number => (j.refusal ? 0 : 1) + j.profit;

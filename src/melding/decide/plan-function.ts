/**
 * Decides what melds in one round: from a snapshot and its analyses to a `FunctionPlan`. This is a pure function. The
 * algorithm is the paper's "DARM Algorithm". The paper leaves the order of melds open; here every divergent branch gets
 * an optimal alignment of its two chains of subgraphs, and then the branches are taken by gain, the most profitable
 * first, as long as their regions do not touch. docs/melding.md describes all the steps.
 *
 * Melding ends with the first round whose plan holds no melds. There always is such a round. Every meld turns two
 * instructions into one that is not a select, phi or branch; or, with the net model only, it removes the branch and
 * adds none. Melding copies no instruction, so no later meld undoes this. Lowering a switch adds compares, but that
 * happens once. (The number of rounds has a bound, too.) A pair of selects does not count, because melding itself makes
 * selects.
 *
 * Later melds of a branch suppose that the earlier ones of the same branch have been carried out.
 */
import { regionOf, type DivergentRegion } from '../../analysis/regions.js';
import type { BlockId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import type { FunctionSnapshot } from '../../ir/snapshot.js';
import { isConditionalBranch } from '../../ir/snapshot.js';
import { candidateOf, isPlainBlock, round, throughEmpty, type Judged } from './candidate.js';
import { alignChains } from './chain-alignment.js';
import type { Analyses } from '../../analysis/analyses.js';
import { planningContext, type PlanningContext } from '../cost/context.js';
import { CostModel } from '../cost/cost-model.js';
import type { CanPair } from '../cost/matching.js';
import { refusal, type Refusal } from '../rules.js';
import { Chains, working } from './chains.js';
import { functionRefusal, problemRefusal, regionRefusal } from './legality.js';
import { blocksOfLongChains } from './long-chains.js';
import type { Candidate, FunctionPlan, Meld, PlanOptions } from '../plan.js';

/** The melds that one branch asks for in this round. */
interface BranchPlan {
  readonly branch: BlockId;
  readonly region: DivergentRegion;
  /** In chain order, each with the `net` that it adds. */
  readonly melds: readonly { readonly judged: Judged; readonly net: number }[];
  readonly total: number;
  readonly refused: readonly Candidate[];
}

export function planFunction(
  fn: FunctionSnapshot,
  analyses: Analyses,
  options: PlanOptions,
  canPair: CanPair,
): FunctionPlan {
  const branches: BlockId[] = [];
  for (let b = 0 as BlockId; b < fn.blockCount; b++)
    if (analyses.divergence.terminatorDivergent[b] === 1 && analyses.order[b] !== NONE && isConditionalBranch(fn, b))
      branches.push(b);
  if (branches.length === 0) return { candidates: [], melds: [] };

  const ctx = planningContext(fn, analyses, options, canPair);
  const whole = functionRefusal(fn);
  const perBranch = branches.map((b): BranchPlan | Candidate => {
    if (whole) return refusedBranch(ctx, b, whole);
    const found = regionOf(ctx, b);
    if (found.kind === 'refused') return refusedBranch(ctx, b, problemRefusal(found.problem));
    const why = regionRefusal(ctx, found.blocks) ?? modeRefusal(ctx, found);
    return why ? refusedBranch(ctx, b, why) : planBranch(ctx, found);
  });
  const plans = perBranch.filter((p): p is BranchPlan => 'melds' in p);
  const overlong = overlongPlans(ctx, plans);
  const taken = choose(
    fn,
    plans.filter((p) => !overlong.has(p)),
  );

  const candidates: Candidate[] = [];
  for (const p of perBranch) {
    if (!('melds' in p)) {
      candidates.push(p);
      continue;
    }
    const why = taken.includes(p)
      ? null
      : overlong.has(p)
        ? refusal('OverlongChain', 'the phis behind the branch are in a long chain of arithmetic')
        : refusal('NotProfitable', 'overlaps a more profitable meld of this round');
    for (const m of p.melds) candidates.push(candidateOf(m.judged, why, m.net));
    candidates.push(...p.refused);
  }
  const melds = taken.flatMap((p) => p.melds.map(({ judged, net }): Meld => ({ ...judged.meld!, net: round(net) })));
  return { candidates, melds };
}

function refusedBranch({ fn }: PlanningContext, branch: BlockId, { rule, reason }: Refusal): Candidate {
  const [t, f] = [fn.succ[fn.succStart[branch]] as BlockId, fn.succ[fn.succStart[branch] + 1] as BlockId];
  return { branch, sides: [[t], [f]], kind: 'block-block', profit: 0, net: 0, verdict: 'refuse', rule, reason };
}

function planBranch(ctx: PlanningContext, region: DivergentRegion): BranchPlan {
  const { branch } = region;
  const { options } = ctx;
  const chains = new Chains(ctx, region);
  const { countT, countF } = chains;
  // Each meld counts a branch that remains between it and its neighbour. Two neighbours that meld leave none there.
  const bonus = options.profit === 'net' ? 2 * ctx.costs.target.guard * ctx.weight[branch] : 0;
  // The gain of a meld depends on which values the melds in front of it make one. The paper's metric is a guess at
  // those melds.
  const guess = alignChains(
    countT,
    countF,
    (i, j) => (chains.matched(i, j)?.refusal === null ? chains.matched(i, j)!.profit : -Infinity),
    0,
  ).pairs;
  const guessed: Judged[] = [];
  const before = (i: number, j: number): Int32Array | null => {
    let tables: Int32Array | null = null;
    for (const [k, [a, b]] of guess.entries())
      if (a < i && b < j && guessed[k]?.partner) tables = merged(tables, guessed[k].partner);
    return tables;
  };
  for (const [i, j] of guess) guessed.push(chains.judge(i, j, before(i, j))!);
  const judged: (Judged | null)[][] = [];
  for (let i = 0; i < countT; i++) {
    judged.push([]);
    for (let j = 0; j < countF; j++) {
      const k = guess.findIndex(([a, b]) => a === i && b === j);
      judged[i].push(k >= 0 ? guessed[k] : chains.judge(i, j, before(i, j)));
    }
  }
  const { pairs, total } = alignChains(
    countT,
    countF,
    (i, j) => {
      const candidate = judged[i][j];
      return !candidate || candidate.refusal ? -Infinity : options.profit === 'net' ? candidate.net : candidate.profit;
    },
    bonus,
  );

  const least = options.profit === 'net' ? CostModel.leastNet : 0;
  const asGuessed = pairs.length === guess.length && pairs.every(([i, j], k) => guess[k][0] === i && guess[k][1] === j);
  const melds: { at: readonly [number, number]; judged: Judged; net: number }[] = [];
  let earlier: Int32Array | null = null;
  for (const [i, j] of total > least ? pairs : []) {
    // If the guess was wrong, judge again, because now it is known which melds lie in front. Without any, the judgement
    // holds if it did not suppose any.
    const holds = asGuessed || (earlier === null && before(i, j) === null);
    const candidate = holds ? judged[i][j]! : chains.judge(i, j, earlier)!;
    judged[i][j] = candidate;
    if (candidate.refusal) continue;
    const last = melds.at(-1)?.at;
    const next = last && last[0] === i - 1 && last[1] === j - 1;
    melds.push({ at: [i, j], judged: candidate, net: candidate.net + (next ? bonus : 0) });
    earlier = merged(earlier, candidate.partner!);
  }
  const sum = melds.reduce((all, m) => all + m.net, 0);
  const pays = options.profit === 'paper' || sum > least;
  return {
    branch,
    region,
    melds: pays ? melds : [],
    total: options.profit === 'net' ? sum : total,
    refused: refusedPairs(ctx, region, judged, pays ? melds.map((m) => m.at) : []),
  };
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

/** Both partner tables in one. They are about different blocks. */
function merged(a: Int32Array | null, b: Int32Array): Int32Array {
  return a ? b.map((partner, i) => (partner === NONE ? a[i] : partner)) : b;
}

/**
 * The refusals to report: for each T subgraph that does not meld, its best partner among the F subgraphs that do not.
 */
function refusedPairs(
  ctx: PlanningContext,
  region: DivergentRegion,
  judged: readonly (readonly (Judged | null)[])[],
  chosen: readonly (readonly [number, number])[],
): Candidate[] {
  const refused: Candidate[] = [];
  const usedF = new Set(chosen.map(([, j]) => j));
  const add = (j: Judged): void => {
    const unprofitable =
      ctx.options.profit === 'net' && j.net <= CostModel.leastNet
        ? 'costs more than it saves'
        : 'another pairing saves more';
    refused.push(candidateOf(j, j.refusal ?? refusal('NotProfitable', unprofitable)));
  };
  judged.forEach((row, i) => {
    if (chosen.some(([a]) => a === i)) return;
    const rest = row.filter((pair, j): pair is Judged => pair !== null && !usedF.has(j));
    if (rest.length > 0) add(rest.reduce((best, j) => (rank(j) > rank(best) ? j : best)));
  });
  if (refused.length === 0 && chosen.length === 0) {
    const entered = region.t.edgeDominated && region.f.edgeDominated;
    const reason = entered
      ? 'a side holds no subgraph with a single entry and exit'
      : 'other edges than the branch lead into a side';
    refused.push(refusedBranch(ctx, region.branch, refusal('NotDominatedByBranch', reason)));
  }
  return refused;
}

/** Candidates that are legal rank above refused ones, then profit decides. */
const rank = (j: Judged): number => (j.refusal ? 0 : 1) + j.profit;

/** The plans whose melds would make long chains of arithmetic (rule 9). */
function overlongPlans(ctx: PlanningContext, plans: readonly BranchPlan[]): Set<BranchPlan> {
  const willing = plans.filter((p) => p.melds.length > 0);
  if (willing.length === 0) return new Set();
  const blocks = blocksOfLongChains(ctx);
  return new Set(willing.filter((p) => blocks.has(dissolvedJoin(ctx, p) as BlockId)));
}

/** The block behind a branch whose phis become selects by its melds, or `NONE`. */
function dissolvedJoin(ctx: PlanningContext, { melds, region }: BranchPlan): BlockId | -1 {
  const exit = melds.at(-1)!.judged.meld!.exit;
  if (exit.kind === 'shared') return NONE;
  const join = throughEmpty(ctx, exit.t);
  if (join !== throughEmpty(ctx, exit.f)) return NONE;
  const { predStart, pred } = ctx.graph;
  const inside = new Set<number>(region.blocks);
  return pred.subarray(predStart[join], predStart[join + 1]).every((b) => inside.has(b)) ? join : NONE;
}

/**
 * The most profitable branch first. A branch whose region touches that of one already taken waits for the next round.
 */
function choose(fn: FunctionSnapshot, plans: readonly BranchPlan[]): BranchPlan[] {
  const touched = new Uint8Array(fn.blockCount);
  const taken: BranchPlan[] = [];
  const willing = plans.filter((p) => p.melds.length > 0).sort((a, b) => b.total - a.total || a.branch - b.branch);
  for (const p of willing) {
    if (p.region.blocks.some((b) => touched[b] === 1)) continue;
    // The melds already taken may make divergent what this one needs to be uniform.
    if (taken.length > 0 && p.melds.some((m) => m.judged.needsUniform)) continue;
    for (const b of p.region.blocks) touched[b] = 1;
    taken.push(p);
  }
  return taken;
}

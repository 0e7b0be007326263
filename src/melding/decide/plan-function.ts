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
import { joinedRegionOf, regionOf, sharedSuccessors, type DivergentRegion } from '../../analysis/regions.js';
import type { BlockId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import type { FunctionSnapshot } from '../../ir/snapshot.js';
import { isConditionalBranch } from '../../ir/snapshot.js';
import { neighbourBonus } from '../draft/evaluate.js';
import { candidateOf, isPlainBlock, round, throughEmpty, type Judged } from './candidate.js';
import { alignChains } from './chain-alignment.js';
import type { Analyses } from '../../analysis/analyses.js';
import { planningContext, type PlanningContext } from '../cost/context.js';
import { asChosen, byPaper, bySize, chooseVersion, type Aligner } from './choose-melds.js';
import { CostModel } from '../cost/cost-model.js';
import { PartnerLog } from '../draft/partner-log.js';
import type { CanPair } from '../cost/matching.js';
import { refusal, type Refusal } from '../rules.js';
import { Chains, working } from './chains.js';
import { hoistedSides } from './hoisted-sides.js';
import { HopelessBlocks } from './hopeless-blocks.js';
import { functionRefusal, mayJoin, problemRefusal, regionRefusal } from './legality.js';
import { blocksOfLongChains } from './long-chains.js';
import { sunkBelow } from './versions.js';
import { isJudgedWhole, isTooLittle } from './whole-function.js';
import {
  netUnitOf,
  type BranchChoice,
  type Candidate,
  type Choices,
  type ChosenBranch,
  type FunctionPlan,
  type Meld,
  type PlanOptions,
  type WaveVersion,
} from '../plan.js';

/** The melds that one branch asks for in this round. */
interface BranchPlan {
  readonly branch: BlockId;
  readonly region: DivergentRegion;
  /** In chain order, each with the `net` that it adds. */
  readonly melds: readonly {
    readonly at: readonly [number, number];
    readonly judged: Judged;
    readonly meld: Meld;
    readonly net: number;
  }[];
  readonly chosen: ChosenBranch;
  readonly version: WaveVersion | null;
  readonly total: number;
  /** See `Choice.worth`. */
  readonly worth: number;
  /** Whether any pair of subgraphs would run more for every thread than an agreeing wave should. */
  readonly speculatesMuch: boolean;
  readonly refused: readonly Candidate[];
}

/**
 * @param hopeless what earlier rounds of this function found, and what this one finds
 * @param choices what is decided in advance; null: the cost model decides everything
 * @param gained what the melds of earlier rounds gain
 */
export function planFunction(
  fn: FunctionSnapshot,
  analyses: Analyses,
  options: PlanOptions,
  canPair: CanPair,
  hopeless = new HopelessBlocks(),
  choices: Choices | null = null,
  gained = 0,
): FunctionPlan {
  const branches: BlockId[] = [];
  for (let b = 0 as BlockId; b < fn.blockCount; b++)
    if (analyses.divergence.terminatorDivergent[b] === 1 && analyses.order[b] !== NONE && isConditionalBranch(fn, b))
      branches.push(b);
  const netUnit = netUnitOf(options.profit);
  if (branches.length === 0) return { candidates: [], versions: [], melds: [], hoisted: [], chosen: [], netUnit };

  const ctx = planningContext(fn, analyses, options, canPair);
  const whole = functionRefusal(fn, analyses.divergence);
  const perBranch = branches.map((b): BranchPlan | Candidate => {
    if (whole) return refusedBranch(ctx, b, whole);
    const found = regionOf(ctx, b);
    if (found.kind === 'refused') return refusedBranch(ctx, b, problemRefusal(found.problem));
    const why = regionRefusal(ctx, found) ?? modeRefusal(ctx, found);
    if (why) return refusedBranch(ctx, b, why);
    const choice = choices?.branches.get(b) ?? (choices?.others === 'leave' ? 'leave' : null);
    if (choice === 'leave') return refusedBranch(ctx, b, refusal('NotProfitable', 'the plan leaves it'));
    return planBranch(ctx, meldableRegion(ctx, found), hopeless, choice);
  });
  const plans = perBranch.filter((p): p is BranchPlan => 'melds' in p);
  const overlong = overlongPlans(ctx, plans);
  const willing = plans.filter((p) => p.melds.length > 0 && !overlong.has(p));
  const taken = choose(fn, choices?.others === 'leave' ? inOrderOf(choices, willing) : byGain(willing));
  const isJudged = taken.length > 0 && isJudgedWhole(options, choices);
  // Versions copy code, and what that costs is known less well. Without them, some branches still meld.
  const asks = taken.some(({ version }) => version !== null);
  if (isJudged && asks && isTooLittle(ctx, gained + worthOf(taken), CostModel.leastWithVersions)) {
    ctx.waves.values.forget();
    return planFunction(fn, analyses, { ...options, versions: 'never' }, canPair, hopeless, choices, gained);
  }
  const isLittle = isJudged && isTooLittle(ctx, gained + sumOf(taken));
  const isTaken = new Set(isLittle ? [] : taken);

  const candidates: Candidate[] = [];
  for (const p of perBranch) {
    if (!('melds' in p)) {
      candidates.push(p);
      continue;
    }
    const why = isTaken.has(p)
      ? reasonOf(p)
      : overlong.has(p)
        ? refusal('OverlongChain', 'the phis behind the branch are in a long chain of arithmetic')
        : refusal('NotProfitable', isLittle ? TOO_LITTLE : OVERLAPS);
    for (const m of p.melds) candidates.push(candidateOf(m.judged, why, m.net));
    candidates.push(...p.refused);
  }
  const made = taken.filter((p) => isTaken.has(p));
  const melds = made.flatMap((p) => p.melds.map(({ meld, net }): Meld => ({ ...meld, net: round(net) })));
  const versions = made.flatMap(({ version }) => version ?? []);
  const hoisted = whole === null && melds.length === 0 ? hoistedSides(ctx, branches) : [];
  ctx.waves.values.forget();
  const inFront = new Map<BlockId, string>();
  for (const { branch } of hoisted) inFront.set(branch, inFront.has(branch) ? 'both sides run' : 'one side runs');
  for (const [k, each] of candidates.entries()) {
    const what = inFront.get(each.branch);
    if (what !== undefined) candidates[k] = { ...each, reason: `${each.reason}; ${what} in front instead` };
  }
  return { candidates, versions, melds, hoisted, chosen: made.map((p) => p.chosen), netUnit };
}

const sumOf = (plans: readonly BranchPlan[]): number => plans.reduce((sum, { total }) => sum + total, 0);

const worthOf = (plans: readonly BranchPlan[]): number => plans.reduce((sum, { worth }) => sum + worth, 0);

const TOO_LITTLE = 'all melds of the function together save too little of what it takes';

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

/** Why a branch waits for the next round. */
export const OVERLAPS = 'overlaps a more profitable meld of this round';

/** Why the melds of a branch are made. */
function reasonOf({ version }: BranchPlan): string {
  if (version === null) return 'profitable';
  if (version.sides.length === 2) return 'profitable for waves that part; those that agree keep their side';
  return `profitable unless a wave agrees on the ${version.sides[0] === 't' ? 'true' : 'false'} side, which it then keeps`;
}

function refusedBranch({ fn }: PlanningContext, branch: BlockId, { rule, reason }: Refusal): Candidate {
  const [t, f] = [fn.succ[fn.succStart[branch]] as BlockId, fn.succ[fn.succStart[branch] + 1] as BlockId];
  return { branch, sides: [[t], [f]], kind: 'block-block', profit: 0, net: 0, verdict: 'refuse', rule, reason };
}

/**
 * Where the cost model decides, it plans with long runs that every thread executes, which a wave that parts is better
 * off with; and, if there are any, without, which is better for a wave that agrees.
 *
 * @param chosen null: the cost model decides
 */
function planBranch(
  ctx: PlanningContext,
  region: DivergentRegion,
  hopeless: HopelessBlocks,
  chosen: BranchChoice | null,
): BranchPlan {
  if (chosen !== null) return planWith(withChoice(ctx, chosen), region, hopeless, chosen);
  const { profit, unpredicate } = ctx.options;
  if (profit === 'paper' || unpredicate !== 'profitable') return planWith(ctx, region, hopeless, null);
  const long = planWith({ ...ctx, options: { ...ctx.options, unpredicate: 'never' } }, region, hopeless, null);
  if (!long.speculatesMuch) return long;
  const short = planWith(ctx, region, hopeless, null);
  return long.worth > short.worth ? long : short;
}

function planWith(
  ctx: PlanningContext,
  region: DivergentRegion,
  hopeless: HopelessBlocks,
  chosen: BranchChoice | null,
): BranchPlan {
  const { branch } = region;
  const { options } = ctx;
  // What is hopeless by the cost model may have been chosen.
  const chains = new Chains(ctx, region, chosen === null && region.front === null ? hopeless : null);
  const { countT, countF, band } = chains;
  // Each meld counts a branch that remains between it and its neighbour. Two neighbours that meld leave none there.
  const bonus = options.profit !== 'paper' ? neighbourBonus(ctx, branch) : 0;
  // The gain of a meld depends on which values the melds in front of it make one. The paper's metric is a guess at
  // those melds.
  const guess = alignChains(
    band,
    countF,
    (i, j) => (chains.matched(i, j)?.refusal === null ? chains.matched(i, j)!.profit : -Infinity),
    0,
  ).pairs;
  const inFront = counterOfPairs(guess, countT, countF);
  const guessed = new PartnerLog(ctx.tables);
  const before = (i: number, j: number) => guessed.until(inFront(i, j));
  const judged: Row[] = Array.from({ length: countT }, (_, i) => ({ first: band.first[i], pairs: [] }));
  for (const [k, [i, j]] of guess.entries()) {
    const pair = chains.judge(i, j, before(i, j))!;
    judged[i].pairs[j - band.first[i]] = pair;
    if (pair.partners) guessed.add(k, pair.partners);
  }
  for (const [i, { first, pairs }] of judged.entries())
    for (let j = first; j < band.end[i]; j++) pairs[j - first] ??= chains.judge(i, j, before(i, j));
  const judgedPair = (i: number, j: number): Judged | null => {
    const candidate = judged[i].pairs[j - band.first[i]];
    return candidate && !candidate.refusal ? candidate : null;
  };
  const align: Aligner = (gain, bonus) =>
    alignChains(
      band,
      countF,
      (i, j) => {
        const candidate = judgedPair(i, j);
        return candidate ? gain(candidate) : -Infinity;
      },
      bonus,
    );
  const choice =
    chosen !== null
      ? asChosen(ctx, region, chosen, align, (i, j) => chains.has(i, j))
      : options.profit === 'paper'
        ? byPaper(ctx, region, align)
        : options.profit === 'size'
          ? bySize(align, bonus)
          : chooseVersion(ctx, region, align, judgedPair, bonus);
  const { pairs, sides } = choice;

  const asGuessed = pairs.length === guess.length && pairs.every(([i, j], k) => guess[k][0] === i && guess[k][1] === j);
  const melds: { at: readonly [number, number]; judged: Judged; meld: Meld; net: number }[] = [];
  const made = new PartnerLog(ctx.tables);
  for (const [i, j] of pairs) {
    const earlier = made.until(melds.length);
    // If the guess was wrong, judge again, because now it is known which melds lie in front. Without any, the judgement
    // holds if it did not suppose any.
    const holds = asGuessed || (earlier === null && before(i, j) === null);
    const row = judged[i].pairs;
    const candidate = holds ? row[j - band.first[i]]! : chains.judge(i, j, earlier)!;
    row[j - band.first[i]] = candidate;
    if (candidate.refusal) continue;
    const last = melds.at(-1)?.at ?? null;
    const next = last && last[0] === i - 1 && last[1] === j - 1;
    const meld: Meld = {
      ...candidate.meld!,
      before: chains.between(last, [i, j]),
      ...(region.front !== null && last === null && { front: region.front }),
    };
    made.add(melds.length, candidate.partners!);
    melds.push({ at: [i, j], judged: candidate, meld, net: choice.gain(candidate, next ? bonus : 0) });
  }
  guessed.release();
  made.release();
  if (melds.length > 0) melds[0].net += choice.asking;
  // A pair that was judged again may be worth less than was supposed.
  const worth = choice.worth(melds.map((m) => m.judged));
  const pays = worth > -Infinity;
  return {
    branch,
    region,
    melds: pays ? melds : [],
    chosen: {
      branch,
      pairs: melds.map(({ at }) => at),
      sides,
      profit: options.profit === 'paper' ? 'paper' : 'net',
      unpredicate: options.unpredicate,
    },
    version:
      pays && sides.length > 0 ? { branch, join: region.join, sides, sunk: sunkBelow(ctx, region, sides) } : null,
    total: melds.reduce((all, m) => all + m.net, 0),
    worth,
    // What loses even where waves part is not planned twice.
    speculatesMuch:
      (choice.pairs.length > 0 || choice.verdict !== null) &&
      judged.some(({ pairs: row }) => row.some((pair) => pair?.speculatesMuch)),
    refused: refusedPairs(ctx, region, judged, pays ? melds.map((m) => m.at) : [], choice.verdict),
  };
}

/** The context in which a chosen branch is planned: it need not be profitable. */
const withChoice = (ctx: PlanningContext, choice: BranchChoice): PlanningContext => {
  const { pairs, profit, unpredicate, threshold } = choice;
  const regionReplication = ctx.options.regionReplication && (pairs !== null || choice.regionReplication);
  const own = { profit, unpredicate, threshold: pairs === null ? threshold : 0, regionReplication };
  return { ...ctx, options: { ...ctx.options, ...own } };
};

/** What is known about one T subgraph with the F subgraphs from `first` on. */
interface Row {
  readonly first: number;
  readonly pairs: (Judged | null)[];
}

/** Counts the pairs of an alignment that lie in front of (i, j) on both sides. */
function counterOfPairs(
  pairs: readonly (readonly [number, number])[],
  countT: number,
  countF: number,
): (i: number, j: number) => number {
  const inFrontOf = (side: 0 | 1, count: number): Int32Array => {
    const table = new Int32Array(count + 1);
    for (const pair of pairs) table[pair[side] + 1] = 1;
    for (let k = 1; k <= count; k++) table[k] += table[k - 1];
    return table;
  };
  const [t, f] = [inFrontOf(0, countT), inFrontOf(1, countF)];
  return (i, j) => Math.min(t[i], f[j]);
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
 * The refusals to report: for each T subgraph that does not meld, its best partner among the F subgraphs that do not.
 */
function refusedPairs(
  ctx: PlanningContext,
  region: DivergentRegion,
  judged: readonly Row[],
  chosen: readonly (readonly [number, number])[],
  verdict: string | null,
): Candidate[] {
  const refused: Candidate[] = [];
  const usedT = new Set(chosen.map(([i]) => i));
  const usedF = new Set(chosen.map(([, j]) => j));
  const add = (j: Judged): void => {
    const unprofitable =
      ctx.options.profit === 'net' && j.net <= CostModel.leastNet
        ? 'costs more than it saves'
        : (verdict ?? 'another pairing saves more');
    refused.push(candidateOf(j, j.refusal ?? refusal('NotProfitable', unprofitable)));
  };
  judged.forEach(({ first, pairs }, i) => {
    if (usedT.has(i)) return;
    const rest = pairs.filter((pair, k): pair is Judged => pair !== null && !usedF.has(first + k));
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
  const { exit } = melds.at(-1)!.meld;
  if (exit.kind === 'shared') return NONE;
  const join = throughEmpty(ctx, exit.t);
  if (join !== throughEmpty(ctx, exit.f)) return NONE;
  const { predStart, pred } = ctx.graph;
  const inside = new Set<number>(region.blocks);
  return pred.subarray(predStart[join], predStart[join + 1]).every((b) => inside.has(b)) ? join : NONE;
}

/** The most profitable branch first. */
const byGain = (plans: readonly BranchPlan[]): BranchPlan[] =>
  plans.toSorted((a, b) => b.total - a.total || a.branch - b.branch);

function inOrderOf({ branches }: Choices, plans: readonly BranchPlan[]): BranchPlan[] {
  const byBranch = new Map(plans.map((p) => [p.branch, p]));
  return [...branches.keys()].flatMap((b) => byBranch.get(b) ?? []);
}

/**
 * Takes one branch after the other. A branch whose region touches that of one already taken waits for the next round.
 */
function choose(fn: FunctionSnapshot, willing: readonly BranchPlan[]): BranchPlan[] {
  const touched = new Uint8Array(fn.blockCount);
  const taken: BranchPlan[] = [];
  for (const p of willing) {
    if (p.region.blocks.some((b) => touched[b] === 1)) continue;
    // The melds already taken may make divergent what this one needs to be uniform.
    if (taken.length > 0 && p.melds.some((m) => m.judged.needsUniform)) continue;
    for (const b of p.region.blocks) touched[b] = 1;
    taken.push(p);
  }
  return taken;
}

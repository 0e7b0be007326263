/**
 * Decides what melds in one round: from a snapshot and its analyses to a `FunctionPlan`. This is a pure function. The
 * algorithm is the paper's "DARM Algorithm". The paper leaves the order of melds open; here every divergent branch gets
 * an optimal alignment of its two chains of subgraphs, and then the branches are taken by gain, the most profitable
 * first, as long as their regions do not touch. docs/melding.md describes all the steps.
 *
 * A tree of branches may become selects instead (flattened-branches.ts), and is taken by gain like a branch.
 *
 * Melding ends with the first round whose plan holds neither. There always is such a round. Every meld turns two
 * instructions into one that is not a select, phi or branch; or, with the net model only, it removes the branch and
 * adds none, as selects do. Melding copies no instruction, so no later meld undoes this. Lowering a switch adds
 * compares, but that happens once. (The number of rounds has a bound, too.) A pair of selects does not count, because
 * melding itself makes selects. Melds that are tried because they may open the way for others (`FunctionPlan.doubtful`)
 * are melds like these.
 *
 * Later melds of a branch suppose that the earlier ones of the same branch have been carried out.
 */
import type { Analyses } from '../../analysis/analyses.js';
import type { BlockId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import type { FunctionSnapshot } from '../../ir/snapshot.js';
import { isConditionalBranch } from '../../ir/snapshot.js';
import { planningContext, type PlanningContext } from '../cost/context.js';
import { CostModel } from '../cost/cost-model.js';
import type { CanPair } from '../cost/matching.js';
import type { WaveSamples } from '../cost/wave-samples.js';
import {
  netUnitOf,
  type Candidate,
  type Choices,
  type DoubtfulMelds,
  type FlattenedBranch,
  type FunctionPlan,
  type HoistedSide,
  type Meld,
  type PlanOptions,
} from '../plan.js';
import { refusal, type Refusal } from '../rules.js';
import { candidateOf, round, throughEmpty } from './candidate.js';
import { doubtfulPlans } from './doubtful-melds.js';
import { flattenings, type Flattening } from './flattened-branches.js';
import { hoistedSides } from './hoisted-sides.js';
import { HopelessBlocks } from './hopeless-blocks.js';
import { functionRefusal } from './legality.js';
import { blocksOfLongChains } from './long-chains.js';
import { branchesOutOfReach } from './nested-regions.js';
import { planBranch, refusedBranch, type BranchPlan } from './plan-branch.js';
import { isJudgedWhole, isTooLittle, isTooLittleToAsk } from './whole-function.js';

/** What comes from outside of a round; by default nothing does. */
export interface PlanInputs {
  /** What earlier rounds of this function found; what this one finds is added. */
  readonly hopeless?: HopelessBlocks;
  /** What is decided in advance; null: the cost model decides everything. */
  readonly choices?: Choices | null;
  /** What the melds of earlier rounds gain. */
  readonly gained?: number;
  /** Whether doubtful melds are asked for where nothing pays; by default they are not. */
  readonly mayTry?: boolean;
  /** The sampled waves of this function, if others ask about them, too. Their numbers are forgotten. */
  readonly waves?: WaveSamples;
}

export function planFunction(
  fn: FunctionSnapshot,
  analyses: Analyses,
  options: PlanOptions,
  canPair: CanPair,
  { hopeless = new HopelessBlocks(), choices = null, gained = 0, mayTry = false, waves }: PlanInputs = {},
): FunctionPlan {
  const branches = divergentBranches(fn, analyses);
  const netUnit = netUnitOf(options.profit);
  if (branches.length === 0) return { ...NOTHING, netUnit };

  const ctx = planningContext(fn, analyses, options, canPair, waves);
  const whole = functionRefusal(fn);
  const outOfReach = branchesOutOfReach(ctx, branches);
  const isFailing = (b: BlockId): boolean =>
    options.profit === 'net' && choices === null && analyses.liveFlow?.fails[b] === 1;
  const considered = branches.map((b) => {
    const refused = whole ?? (outOfReach.has(b) ? TOO_NESTED : isFailing(b) ? FAILING : null);
    return refused ? refusedBranch(ctx, b, refused) : planBranch(ctx, b, hopeless, choices);
  });
  const plans = considered.filter((p): p is BranchPlan => 'melds' in p);
  const overlong = overlongPlans(ctx, plans);
  const inReach = branches.filter((b) => !outOfReach.has(b) && !isFailing(b));
  const trees = whole === null ? flattenings(ctx, inReach, choices) : [];
  const willing = plans.filter((p) => p.melds.length > 0 && !overlong.has(p));
  const inOrder =
    choices?.others === 'leave' ? [...inOrderOf(choices, willing), ...trees] : byGain<Way>([...willing, ...trees]);
  const taken = withoutOverlaps(fn, inOrder);
  const isWhole = isJudgedWhole(options, choices);
  const isJudged = isWhole && taken.length > 0;
  // Versions copy code, and what that costs is known less well. Without them, some branches still meld.
  const asks = taken.some((p) => 'melds' in p && p.version !== null);
  if (isJudged && asks && isTooLittleToAsk(ctx, gained + worthOf(taken), taken)) {
    const inputs = { hopeless, choices, gained, mayTry, waves: ctx.waves };
    return withoutVersions(planFunction(fn, analyses, { ...options, versions: 'never' }, canPair, inputs), taken);
  }
  const isLittle = isJudged && isTooLittle(ctx, gained + sumOf(taken));
  const made = isLittle ? [] : taken;
  const hoisted = whole === null && made.length === 0 ? hoistedSides(ctx, inReach) : [];
  const asksToTry = mayTry && isWhole && options.mode === 'darm';
  const doubtful = asksToTry && made.length === 0 ? bestDoubtful(ctx, plans) : null;
  const asksByModel = asksToTry && asks && made.length > 0;
  const expected = made.length > 0 || doubtful !== null ? ctx.expected() : null;
  ctx.waves.values.forget();
  const why = new Map<BranchPlan, Refusal | string>();
  for (const p of overlong) why.set(p, OVERLONG);
  const melding = made.filter((p) => 'melds' in p);
  // In the order of blocks, whatever they gain: a plan of `darm tune` does not say that.
  const flattened = made.flatMap((p) => ('flattened' in p ? p.flattened : [])).toSorted((a, b) => a.branch - b.branch);
  for (const p of melding) why.set(p, reasonOf(p));
  const otherwise = refusal('NotProfitable', isLittle ? TOO_LITTLE : OVERLAPS);
  const say = (of: typeof considered): Candidate[] =>
    of.flatMap((p) => ('melds' in p ? candidatesOf(p, why.get(p) ?? otherwise) : p));
  const said = withEmptied(say(considered), hoisted, flattened);
  let instead: DoubtfulMelds | null = null;
  if (doubtful !== null) {
    why.set(doubtful, 'it does not pay by itself, but the whole function gains with it');
    const all = considered.map((p) => (p.branch === doubtful.branch ? doubtful : p));
    instead = { candidates: say(all), hoisted: [], ...editsOf([doubtful]) };
  }
  return {
    candidates: said,
    hoisted,
    flattened,
    doubtful: instead,
    asksByModel,
    netUnit,
    expected,
    ...editsOf(melding),
  };
}

const NOTHING: Omit<FunctionPlan, 'netUnit'> = {
  candidates: [],
  versions: [],
  melds: [],
  hoisted: [],
  flattened: [],
  chosen: [],
  doubtful: null,
  asksByModel: false,
  expected: null,
};

/**
 * Of all branches with doubtful melds, that by which waves that part gain most, or lose least. What such waves gain
 * does not count as gained: too few of them do.
 */
function bestDoubtful(ctx: PlanningContext, plans: readonly BranchPlan[]): BranchPlan | null {
  const found = doubtfulPlans(ctx, plans);
  const overlong = overlongPlans(ctx, found);
  const [best] = byGain(found.filter((p) => !overlong.has(p)));
  if (best === undefined || best.total <= 0) return best ?? null;
  return { ...best, melds: best.melds.map((m) => ({ ...m, net: 0 })) };
}

const editsOf = (made: readonly BranchPlan[]): Pick<FunctionPlan, 'versions' | 'melds' | 'chosen'> => ({
  versions: made.flatMap(({ version }) => version ?? []),
  melds: made.flatMap((p) => p.melds.map(({ meld, net }): Meld => ({ ...meld, net: round(net) }))),
  chosen: made.map((p) => p.chosen),
});

function divergentBranches(fn: FunctionSnapshot, { divergence, order }: Analyses): BlockId[] {
  const branches: BlockId[] = [];
  for (let b = 0 as BlockId; b < fn.blockCount; b++)
    if (divergence.terminatorDivergent[b] === 1 && order[b] !== NONE && isConditionalBranch(fn, b)) branches.push(b);
  return branches;
}

/** What may be done at a branch. */
type Way = BranchPlan | Flattening;

const sumOf = (plans: readonly Way[]): number => plans.reduce((sum, { total }) => sum + total, 0);

const worthOf = (plans: readonly Way[]): number => plans.reduce((sum, { worth }) => sum + worth, 0);

const OVERLONG = refusal('OverlongChain', 'the phis behind the branch are in a long chain of arithmetic');

const TOO_NESTED = refusal(
  'NotProfitable',
  'so many branches are nested in its region that only the inner ones are looked at',
);

/** Of what stands behind a failed check. */
export const FAILING = refusal('NotProfitable', 'no thread is expected there: a check has failed');

/** Says what is in the way of versions that would have paid at their own branches. */
function withoutVersions(plan: FunctionPlan, asking: readonly Way[]): FunctionPlan {
  const pair = (branch: BlockId, [t, f]: Candidate['sides']): string => `${branch} ${t[0]} ${f[0]}`;
  const unasked = new Set(
    asking.flatMap((p) =>
      'melds' in p && p.version !== null ? p.melds.map(({ judged }) => pair(p.branch, judged.sides)) : [],
    ),
  );
  const emptied = new Set([...plan.hoisted, ...plan.flattened].map(({ branch }) => branch));
  const said = (each: Candidate): Candidate =>
    unasked.has(pair(each.branch, each.sides)) &&
    each.rule === TOO_LITTLE_TO_ASK.rule &&
    each.net > CostModel.leastNet &&
    each.reason !== TOO_LITTLE &&
    each.reason !== OVERLAPS &&
    !emptied.has(each.branch)
      ? { ...each, ...TOO_LITTLE_TO_ASK }
      : each;
  const { candidates, doubtful } = plan;
  return {
    ...plan,
    candidates: candidates.map(said),
    doubtful: doubtful && { ...doubtful, candidates: doubtful.candidates.map(said) },
  };
}

const TOO_LITTLE_TO_ASK = refusal(
  'NotProfitable',
  'it would pay where waves are asked whether they part, but it saves too small a part of the function to copy code for',
);

const TOO_LITTLE = 'all melds of the function together save too little of what it takes';

/** Why a branch waits for the next round. */
export const OVERLAPS = 'overlaps a more profitable meld of this round';

/** What to report of a branch. @param why its melds are made, or not */
const candidatesOf = ({ melds, refused }: BranchPlan, why: Refusal | string): Candidate[] => [
  ...melds.map(({ judged, net }) => candidateOf(judged, why, net)),
  ...refused,
];

/** Why the melds of a branch are made. */
function reasonOf({ version }: BranchPlan): string {
  if (version === null) return 'profitable';
  if (version.sides.length === 2) return 'profitable for waves that part; those that agree keep their side';
  return `profitable unless a wave agrees on the ${version.sides[0] === 't' ? 'true' : 'false'} side, which it then keeps`;
}

/** Says of branches whose sides run in front of them that they do. */
function withEmptied(
  candidates: readonly Candidate[],
  hoisted: readonly HoistedSide[],
  flattened: readonly FlattenedBranch[],
): readonly Candidate[] {
  const inFront = new Map<BlockId, string>();
  for (const { branch } of hoisted) inFront.set(branch, 'one side runs');
  for (const { branch, blocks } of flattened) for (const b of [branch, ...blocks]) inFront.set(b, 'both sides run');
  if (inFront.size === 0) return candidates;
  return candidates.map((each) => {
    const what = inFront.get(each.branch);
    return what === undefined ? each : { ...each, reason: `${each.reason}; ${what} in front instead` };
  });
}

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
const byGain = <T extends Way>(plans: readonly T[]): T[] =>
  plans.toSorted((a, b) => b.total - a.total || a.branch - b.branch);

function inOrderOf({ branches }: Choices, plans: readonly BranchPlan[]): BranchPlan[] {
  const byBranch = new Map(plans.map((p) => [p.branch, p]));
  return [...branches.keys()].flatMap((b) => byBranch.get(b) ?? []);
}

/**
 * Takes one branch after the other. A branch whose region touches that of one already taken waits for the next round.
 * Several regions may lead to one dead end, but what is done elsewhere may not change it.
 */
function withoutOverlaps(fn: FunctionSnapshot, willing: readonly Way[]): Way[] {
  const isTaken = new Uint8Array(fn.blockCount);
  const isDeadEnd = new Uint8Array(fn.blockCount);
  const taken: Way[] = [];
  for (const p of willing) {
    const { blocks, deadEnds } = 'melds' in p ? p.region : { blocks: p.blocks, deadEnds: [] };
    if (blocks.some((b) => isTaken[b] === 1 || isDeadEnd[b] === 1)) continue;
    if (deadEnds.some(({ block }) => isTaken[block] === 1)) continue;
    // The melds already taken may make divergent what this one needs to be uniform.
    if (taken.length > 0 && 'melds' in p && p.melds.some((m) => m.judged.needsUniform)) continue;
    for (const b of blocks) isTaken[b] = 1;
    for (const { block } of deadEnds) isDeadEnd[block] = 1;
    taken.push(p);
  }
  return taken;
}

/**
 * Which subgraphs of one branch meld, and for which waves: as was chosen in advance, as the paper's metric says, or as
 * the cost model does.
 */
import type { DivergentRegion } from '../../analysis/regions.js';
import type { PlanningContext } from '../cost/context.js';
import { CostModel } from '../cost/cost-model.js';
import type { Effect } from '../draft/evaluate.js';
import type { BranchChoice } from '../plan.js';
import type { Judged } from './candidate.js';
import type { alignChains } from './chain-alignment.js';
import { mayAsk } from './versions.js';
import { ALL_QUESTIONS, WaveGains, type Questions } from './wave-choice.js';

/** Aligns both chains by what a pair is worth; `bonus` is for two neighbours that both meld. */
export type Aligner = (gain: (pair: Judged) => number, bonus: number) => ReturnType<typeof alignChains>;

/** What melds at one branch, and for which waves. */
export interface Choice {
  readonly pairs: readonly (readonly [number, number])[];
  readonly sides: Questions;
  /** What a meld gains on average; the bonus is one for its neighbour. */
  gain(pair: Judged, bonus: number): number;
  /** What the questions gain on average, or cost if it is negative. */
  readonly asking: number;
  /** What these melds are worth to a wave that is alone and to one of many, together; -Infinity: they do not pay. */
  worth(melds: readonly Judged[]): number;
  /** Why a pair that gains something does not meld, where that is because of the waves; otherwise null. */
  readonly verdict: string | null;
}

/** @param isConsidered whether there is such a pair */
export function asChosen(
  ctx: PlanningContext,
  region: DivergentRegion,
  { pairs, sides, profit }: BranchChoice,
  align: Aligner,
  isConsidered: (i: number, j: number) => boolean,
): Choice {
  const gain = ({ net, profit: share }: Judged): number => (profit === 'net' ? net : share);
  return {
    pairs: (pairs ?? align(gain, 0).pairs).filter(([i, j]) => isConsidered(i, j)),
    sides: mayAsk(ctx, region) ? sides : [],
    gain: ({ net }) => net,
    asking: 0,
    worth: (melds) => (melds.length > 0 ? 0 : -Infinity),
    verdict: 'the plan leaves it',
  };
}

export function byPaper(ctx: PlanningContext, region: DivergentRegion, align: Aligner): Choice {
  const { pairs, total } = align(({ profit }) => profit, 0);
  return {
    pairs: total > 0 ? pairs : [],
    sides: ctx.options.versions === 'always' && mayAsk(ctx, region) ? EVERY_QUESTION : [],
    gain: ({ net }) => net,
    asking: 0,
    worth: () => 0,
    verdict: null,
  };
}

/**
 * Where profit is code size, it does not matter how often waves part, and there are no versions, because they copy code.
 * There is no margin either: what does not shrink the code is taken back when it is there (src/pipeline/code-size.ts).
 */
export function bySize(align: Aligner, bonus: number): Choice {
  const total = (melds: readonly Judged[]): number => melds.reduce((sum, { net }) => sum + net, 0);
  return {
    pairs: align(({ net }) => net, bonus).pairs,
    sides: [],
    gain: ({ net }, more) => net + more,
    asking: 0,
    worth: (melds) => (total(melds) > CostModel.leastNet ? total(melds) : -Infinity),
    verdict: null,
  };
}

const EVERY_QUESTION: Questions = ['f', 't'];

export function chooseVersion(
  ctx: PlanningContext,
  region: DivergentRegion,
  align: Aligner,
  judgedPair: (i: number, j: number) => Judged | null,
  bonus: number,
): Choice {
  const { branch } = region;
  const inParted = align(({ net }) => net, bonus);
  const none: Choice = {
    pairs: [],
    sides: [],
    gain: ({ net }) => net,
    asking: 0,
    worth: () => -Infinity,
    verdict: null,
  };
  // No wave gains more than one that parts.
  if (inParted.total <= CostModel.leastNet) return none;
  const may = ctx.options.versions !== 'never' && mayAsk(ctx, region);
  if (may && ctx.options.versions === 'always')
    return {
      ...none,
      pairs: inParted.pairs,
      sides: EVERY_QUESTION,
      gain: ({ net }, more) => net + more,
      worth: (melds) => {
        const total = melds.reduce((sum, { net }) => sum + net, 0);
        return total > CostModel.leastNet ? total : -Infinity;
      },
    };
  const gains = new WaveGains(ctx.waves, region);
  const percent = gains.percentParted;
  let best: Choice = {
    ...none,
    verdict:
      percent < 90 ? `only ${percent} % of the waves are expected to take both sides` : 'saves too little to be sure',
  };
  let most = -Infinity;
  for (const sides of may ? ALL_QUESTIONS : [[]]) {
    const melded = gains.shareMelded(sides);
    const weight = ctx.weight[branch];
    const gain = (meld: Judged, more: number): number => gains.average(sides, meld.effect) + more * melded;
    const { pairs } = align((pair) => gain(pair, 0), bonus * melded);
    const neighbours = pairs.filter(([i, j], k) => k > 0 && pairs[k - 1][0] === i - 1 && pairs[k - 1][1] === j - 1);
    const inRegime = (effects: readonly Effect[], more: number, question: number): number =>
      gains.worth(sides, effects, more, weight * question);
    /** What melds are worth as waves are expected to be, in cycles of one that is alone; and what they must be worth. */
    const worthOf = (melds: readonly Judged[]): { expected: number; least: number } => {
      const effects = melds.map(({ effect }) => effect);
      const alone = inRegime(effects, neighbours.length * bonus, ctx.costs.target.question);
      const share = ctx.busyShare();
      if (share === 0) return { expected: alone, least: alone };
      const busy = inRegime(
        melds.map((meld) => meld.busy),
        0,
        ctx.busy.costs.target.question,
      );
      // Where other waves hide the rest, a cycle is a larger part of what a wave spends.
      const cycles = ctx.expected();
      const scale = cycles.busy > 0 ? cycles.alone / cycles.busy : 1;
      const expected = (1 - share) * alone + share * scale * busy;
      return { expected, least: Math.min(expected, alone + Math.min(0, busy)) };
    };
    const worth = (melds: readonly Judged[]): number => {
      if (melds.length === 0) return -Infinity;
      const { expected, least } = worthOf(melds);
      const work = melds.reduce((sum, { effect: { vain } }) => sum + vain.t + vain.f, 0);
      const scattered = melded * melds.reduce((sum, { effect }) => sum + effect.scattered, 0);
      const pays = least - scattered > Math.max(CostModel.leastWorth, CostModel.leastShare * work);
      return pays ? expected : -Infinity;
    };
    if (pairs.length === 0) continue;
    const total = worth(pairs.map(([i, j]) => judgedPair(i, j)!));
    if (total <= most) continue;
    most = total;
    best = {
      pairs,
      sides,
      gain,
      asking: -sides.length * weight * ctx.costs.target.question * melded,
      worth,
      verdict: null,
    };
  }
  return best;
}

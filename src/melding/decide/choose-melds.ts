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
import type { JudgedPairs } from './judged-pairs.js';
import { isEnclosed, mayAsk } from './versions.js';
import { ALL_QUESTIONS, WaveGains, type Questions } from './wave-choice.js';

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

const EVERY_QUESTION: Questions = ['f', 't'];

const netOf = ({ net }: Judged): number => net;

/** The sum of the nets, if it is enough. */
function worthOfNets(melds: readonly Judged[]): number {
  const total = melds.reduce((sum, { net }) => sum + net, 0);
  return total > CostModel.leastNet ? total : -Infinity;
}

const NOTHING: Choice = { pairs: [], sides: [], gain: netOf, asking: 0, worth: () => -Infinity, verdict: null };

export function asChosen(
  ctx: PlanningContext,
  region: DivergentRegion,
  judged: JudgedPairs,
  { pairs, sides, profit }: BranchChoice,
): Choice {
  const gain = ({ net, profit: share }: Judged): number => (profit === 'net' ? net : share);
  return {
    ...NOTHING,
    pairs: (pairs ?? judged.align(gain, 0).pairs).filter(([i, j]) => judged.chains.has(i, j)),
    sides: mayAsk(ctx, region) ? sides : [],
    worth: (melds) => (melds.length > 0 ? 0 : -Infinity),
    verdict: 'the plan leaves it',
  };
}

export function byPaper(ctx: PlanningContext, region: DivergentRegion, judged: JudgedPairs): Choice {
  const { pairs, total } = judged.align(({ profit }) => profit, 0);
  return {
    ...NOTHING,
    pairs: total > 0 ? pairs : [],
    sides: ctx.options.versions === 'always' && mayAsk(ctx, region) ? EVERY_QUESTION : [],
    worth: () => 0,
  };
}

/**
 * Where profit is code size, it does not matter how often waves part, and there are no versions, because they copy
 * code. There is no margin either: what does not shrink the code is taken back when it is there
 * (src/pipeline/code-size.ts).
 */
export const bySize = (judged: JudgedPairs, bonus: number): Choice => ofParted(judged.align(netOf, bonus).pairs, []);

/** The melds of waves that part. */
const ofParted = (pairs: Choice['pairs'], sides: Questions): Choice => ({
  ...NOTHING,
  pairs,
  sides,
  gain: ({ net }, more) => net + more,
  worth: worthOfNets,
});

/** What the cost model expects most of: melds with some of the questions or with none, or nothing. */
export function byCost(ctx: PlanningContext, region: DivergentRegion, judged: JudgedPairs, bonus: number): Choice {
  const inParted = judged.align(netOf, bonus);
  // What does not pay for waves that part is not done for others.
  if (inParted.total <= CostModel.leastNet) return NOTHING;
  const may = ctx.options.versions !== 'never' && mayAsk(ctx, region);
  if (may && ctx.options.versions === 'always') return ofParted(inParted.pairs, EVERY_QUESTION);
  const gains = new WaveGains(ctx.waves, region);
  let enclosed: boolean | null = null;
  const inOther = (): boolean => (enclosed ??= isEnclosed(ctx, region));
  const costed = { ctx, gains, region, judged, bonus, hasPaid: false, isEnclosed: inOther };
  const asked = may ? ALL_QUESTIONS : [[]];
  const { best, reason } = bestOf(costed, asked);
  if (best === null) {
    const parted = { total: inParted.total, melds: legalOf(judged, inParted.pairs) };
    return { ...NOTHING, verdict: reason ?? whyNot(gains, parted) };
  }
  // Which questions to ask is decided by what they usually cost, and by what is lost where all waves agree.
  return may ? (bestOf({ ...costed, hasPaid: true }, asked).best ?? best) : best;
}

const legalOf = (judged: JudgedPairs, pairs: Choice['pairs']): Judged[] => pairs.map(([i, j]) => judged.legal(i, j)!);

interface BestChoice {
  /** Null: no melds pay. */
  readonly best: AskedChoice | null;
  /** See `Appraisal`. */
  readonly reason: string | null;
}

/** @param asked the questions to choose from, with none at the front */
function bestOf(of: CostedBranch, asked: readonly Questions[]): BestChoice {
  let best: AskedChoice | null = null;
  let most = -Infinity;
  let reason: string | null = null;
  for (const sides of asked) {
    const choice = new AskedChoice(of, sides);
    if (choice.pairs.length === 0) continue;
    const { preference, reason: here } = choice.appraisal(legalOf(of.judged, choice.pairs));
    reason ??= here;
    if (preference <= most) continue;
    const endsOuter = best?.sides.length === 0 && of.isEnclosed();
    if (endsOuter && preference <= most * CostModel.enclosedQuestion) continue;
    most = preference;
    best = choice;
  }
  return { best, reason };
}

const SCATTERED = 'what it accesses in memory lies scattered, and takes as long together as apart';
const HIDDEN = 'what it saves, other waves would hide, and it costs them work';

/** Why melds do not pay with any question. @param parted those of waves that part, and what these gain */
function whyNot(
  gains: WaveGains,
  { total, melds }: { readonly total: number; readonly melds: readonly Judged[] },
): string {
  const { percentParted } = gains;
  const margin = marginOf(gains, melds);
  if (total > margin && total - scatteredOf(melds.map(({ effect }) => effect)) <= margin) return SCATTERED;
  return total > margin && percentParted < 90
    ? `only ${percentParted} % of the waves are expected to take both sides`
    : 'saves too little to be sure';
}

/** What melds must be worth, at least. */
function marginOf(gains: WaveGains, melds: readonly Judged[]): number {
  const work = melds.reduce((sum, { effect }) => sum + gains.workOfParted(effect), 0);
  return Math.max(CostModel.leastWorth, CostModel.leastShare * work);
}

/** The work of both sides, in cycles. */
export const workOf = (melds: readonly Effect[]): number => melds.reduce((sum, { vain }) => sum + vain.t + vain.f, 0);

const scatteredOf = (melds: readonly Effect[]): number => melds.reduce((sum, { scattered }) => sum + scattered, 0);

interface Appraisal {
  /** See `Choice.worth`. */
  readonly worth: number;
  /** The choice for which this is most is best; -Infinity: it does not pay. */
  readonly preference: number;
  /** Why they do not pay, where it is not that too few waves part. */
  readonly reason: string | null;
}

/** What a wave spends in the function, and how much of a loss the memory unit hides. In cycles. */
interface Limits {
  readonly spent: number;
  readonly hidden: number;
}

interface CostedBranch {
  readonly ctx: PlanningContext;
  readonly gains: WaveGains;
  readonly region: DivergentRegion;
  readonly judged: JudgedPairs;
  /** What two melds gain that are neighbours, for a wave that gets to them. */
  readonly bonus: number;
  /** Whether melds pay with some questions at their full price, so that only which to ask is open. */
  readonly hasPaid: boolean;
  /** See versions.ts. It takes time to find out. */
  readonly isEnclosed: () => boolean;
}

/** The best melds of a branch where waves are asked about these sides, if any. */
class AskedChoice implements Choice {
  readonly pairs: Choice['pairs'];
  readonly asking: number;
  readonly verdict = null;
  /** The share of the waves that get to the melds. */
  private readonly melded: number;
  /** How often the branch runs. */
  private readonly weight: number;
  /** What the pairs gain because they are neighbours. */
  private readonly neighbours: number;
  /** What a question costs a wave that is alone and parts. */
  private readonly question: number;

  constructor(
    private readonly of: CostedBranch,
    readonly sides: Questions,
  ) {
    const { ctx, gains, region, judged, bonus, hasPaid } = of;
    this.question = ctx.costs.target.question * (hasPaid ? CostModel.questionShare : 1);
    this.melded = gains.shareMelded(sides);
    this.weight = ctx.weight[region.branch];
    const { pairs } = judged.align((pair) => this.gain(pair, 0), bonus * this.melded);
    const isNext = ([i, j]: readonly [number, number], k: number): boolean =>
      k > 0 && pairs[k - 1][0] === i - 1 && pairs[k - 1][1] === j - 1;
    this.pairs = pairs;
    this.neighbours = pairs.filter(isNext).length * bonus;
    this.asking = -sides.length * this.weight * this.question * this.melded;
  }

  gain({ effect }: Judged, bonus: number): number {
    return this.of.gains.average(this.sides, effect) + bonus * this.melded;
  }

  worth(melds: readonly Judged[]): number {
    return melds.length === 0 ? -Infinity : this.appraisal(melds).worth;
  }

  appraisal(melds: readonly Judged[]): Appraisal {
    const { gains, hasPaid } = this.of;
    const { expected, alone, least, scattered } = this.expectation(melds);
    const margin = marginOf(gains, melds);
    // What has no question has no price of questions either: it must pay by itself.
    const isCheaper = hasPaid && this.sides.length > 0;
    const enough = isCheaper ? expected : least - scattered;
    if (enough > margin)
      return { worth: expected, preference: hasPaid ? expected - this.risk(melds) : expected, reason: null };
    const reason = least > margin ? SCATTERED : alone > margin ? HIDDEN : null;
    return { worth: -Infinity, preference: -Infinity, reason };
  }

  /**
   * What melds are worth to a wave that is alone, and as waves are expected to be; what must be enough; and how much of
   * that is accesses that take as long together as apart. One of many waves shall not pay for what a wave gains that is
   * alone, nor that one, but for a little, for what many gain.
   */
  private expectation(
    melds: readonly Judged[],
  ): Readonly<Record<'alone' | 'expected' | 'least' | 'scattered', number>> {
    const { gains, ctx } = this.of;
    const { smallLoss } = ctx.costs.target;
    const { alone, busy, expected } = this.inRegimes(melds, (effects, more, question, { spent, hidden }) =>
      gains.worth(this.sides, effects, more, question, { small: smallLoss * spent, hidden }),
    );
    const scattered = (effects: readonly Effect[]): number => this.melded * scatteredOf(effects);
    const isHarmless = busy >= 0 && alone >= -this.acceptedOfAlone(melds);
    if (isHarmless) return { alone, expected, least: expected, scattered: this.inRegimes(melds, scattered).expected };
    const least = Math.min(expected, alone + Math.min(0, busy));
    return { alone, expected, least, scattered: scattered(melds.map(({ effect }) => effect)) };
  }

  /** What a wave that is alone may lose here. All branches together: no more than that share of what it spends. */
  private acceptedOfAlone(melds: readonly Judged[]): number {
    const { alone } = this.of.ctx.expected();
    return CostModel.acceptedAlone * Math.min(alone, workOf(melds.map(({ effect }) => effect)));
  }

  /**
   * What counts against melds because all waves of a launch may agree, however likely that is: what they lose then, if
   * that is much. Thread numbers are what they are in each launch. If the branch could meld as a part of another one, a
   * question would prevent that. Questions have the price that they have for the choice.
   */
  private risk(melds: readonly Judged[]): number {
    const { gains, ctx, region } = this.of;
    if (this.of.isEnclosed() || !ctx.waves.values.isDrawn(region.branch)) return 0;
    const { expected } = this.inRegimes(melds, (effects, more, question) =>
      gains.ifAllAgree(this.sides, effects, more, question),
    );
    return expected >= 0 ? 0 : Math.max(0, -expected - CostModel.acceptedRisk * ctx.spentAround(region.branch));
  }

  /**
   * What something is for a wave that is alone, for one of many, and as waves are expected to be.
   *
   * @param figure takes the effects, what every wave gains beside them, and what a question costs
   */
  private inRegimes(
    melds: readonly Judged[],
    figure: (effects: readonly Effect[], more: number, question: number, limits: Limits) => number,
  ): Readonly<Record<'alone' | 'busy' | 'expected', number>> {
    const { ctx } = this.of;
    const cycles = ctx.expected();
    const effects = melds.map(({ effect }) => effect);
    const alone = figure(effects, this.neighbours, this.weight * this.question, { spent: cycles.alone, hidden: 0 });
    const share = ctx.busyShare();
    if (share === 0) return { alone, busy: 0, expected: alone };
    const effectsOfMany = melds.map(({ busy }) => busy);
    // Each branch gets the part of it that its sides are of the function.
    const work = workOf(effectsOfMany);
    const hidden = ctx.hiddenByMemory() * Math.min(1, cycles.busy > 0 ? work / cycles.busy : 1);
    const { question } = ctx.busy.costs.target;
    const busy = figure(effectsOfMany, 0, this.weight * question, { spent: cycles.busy, hidden });
    // Where other waves hide the rest, a cycle is a larger part of what a wave spends.
    const scale = cycles.busy > 0 ? cycles.alone / cycles.busy : 1;
    return { alone, busy, expected: (1 - share) * alone + share * scale * busy };
  }
}

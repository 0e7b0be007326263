/**
 * What melds of one branch are worth, with versions (plan.ts, `WaveVersion`) and without; choose-melds.ts chooses. How
 * waves part differs from launch to launch (cost/wave-samples.ts). A loss in one launch counts more than a gain in
 * another one of the same size.
 *
 * A meld is judged wave by wave. Two blocks that become one save work only for waves that would have run both; for
 * others the block of the other side is work done for nothing, even if they come to the rest of both sides.
 */
import type { DivergentRegion } from '../../analysis/regions.js';
import type { BlockId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { CostModel, averse } from '../cost/cost-model.js';
import { bitCount } from '../cost/lane-sets.js';
import { LAUNCHES } from '../cost/lanes.js';
import type { SampledWaves, WaveSamples } from '../cost/wave-samples.js';
import type { BlockGain, Effect } from '../draft/evaluate.js';
import type { WaveVersion } from '../plan.js';

/** The sides that waves are asked about, in order. None: there is no question. */
export type Questions = WaveVersion['sides'];

export const ALL_QUESTIONS: readonly Questions[] = [[], ['f'], ['t'], ['f', 't'], ['t', 'f']];

/**
 * A number for each kind of wave that comes to a branch: shares of all such waves, or what a meld gains, in cycles per
 * wave that comes to the branch.
 */
export interface ByWave {
  /** Of waves of which some threads take each side. */
  parted: number;
  /** Of waves of which all threads take T. */
  all: number;
  /** Of waves of which all threads take F. */
  none: number;
}

/**
 * Which waves of a launch come to the blocks of a pair, as shares of those that come to the branch: of waves that part
 * to both, to one; of waves that take one side to the block of that side.
 */
interface Comers {
  both: number;
  onlyT: number;
  onlyF: number;
  all: number;
  none: number;
}

/** What the melds of one branch are worth, by launch. */
export class WaveGains {
  /** By launch of which any wave comes to the branch. */
  private readonly shares: readonly ByWave[];
  /** The mean of all launches. */
  readonly mean: ByWave;
  private readonly at: SampledWaves;
  private readonly launches: readonly number[];
  /** Whether any sampled wave comes to the branch. If none does, nothing is known about what is behind it. */
  private readonly isSampled: boolean;
  /** How many waves come to the branch, by launch of `launches`. */
  private readonly counts: readonly number[];
  /** By block pair: the mean of all launches. */
  private readonly comers = new Map<number, Comers>();
  private readonly averages = new Map<Effect, ByWave>();
  /** By launch. */
  private readonly gains = new Map<Effect, readonly ByWave[]>();

  constructor(
    private readonly samples: WaveSamples,
    private readonly region: Pick<DivergentRegion, 'branch' | 'front' | 't'>,
  ) {
    const { branch, front, t } = region;
    this.at = front === null ? samples.wavesAt(branch) : samples.wavesBehind(branch, front, t.start);
    const { parted, all, none } = this.at;
    const [launches, counts, shares]: [number[], number[], ByWave[]] = [[], [], []];
    const mean = { parted: 0, all: 0, none: 0 };
    for (let launch = 0; launch < LAUNCHES; launch++) {
      const count = bitCount(parted[launch]! | all[launch]! | none[launch]!);
      if (count === 0) continue;
      const share = (waves: Uint8Array): number => bitCount(waves[launch]!) / count;
      const by = { parted: share(parted), all: share(all), none: share(none) };
      launches.push(launch);
      counts.push(count);
      shares.push(by);
      mean.parted += by.parted;
      mean.all += by.all;
      mean.none += by.none;
    }
    this.launches = launches;
    this.counts = counts;
    this.shares = shares;
    const { length } = shares;
    this.mean = { parted: mean.parted / length, all: mean.all / length, none: mean.none / length };
    this.isSampled = samples.comesTo(branch).some((waves) => waves !== 0);
  }

  /** How many waves of a hundred part. */
  get percentParted(): number {
    return Math.round(100 * this.mean.parted);
  }

  /** How many waves get to the melded code, as a share. */
  shareMelded(sides: Questions): number {
    return ofMelded(sides, this.mean);
  }

  /** What one meld adds on average. The questions are not counted. */
  average(sides: Questions, meld: Effect): number {
    let found = this.averages.get(meld);
    if (found === undefined) {
      found = gainOf(meld, this.mean, (block) => this.meanComers(block));
      this.averages.set(meld, found);
    }
    return ofMelded(sides, found) + sparedByAsking(sides, this.mean, meld);
  }

  /** How long a wave that parts is at what becomes one: blocks to which few of these waves come count less. */
  workOfParted({ vain, blocks }: Effect): number {
    let work = vain.t + vain.f;
    const { parted } = this.mean;
    if (parted === 0) return work;
    for (const block of blocks) {
      const { both, onlyT, onlyF } = this.meanComers(block);
      work -= block.vain.t * (1 - (both + onlyT) / parted) + block.vain.f * (1 - (both + onlyF) / parted);
    }
    return work;
  }

  /**
   * What the melds of a branch are worth together, in cycles per run of the function.
   *
   * @param more what every wave gains beside that
   * @param question what one question costs a wave that gets to the melded code
   * @param small a loss that does not count more than a gain
   * @param hidden how much of a loss does not count at all
   */
  worth(
    sides: Questions,
    melds: readonly Effect[],
    more: number,
    question: number,
    { small, hidden }: { readonly small: number; readonly hidden: number },
  ): number {
    const byLaunch = this.byLaunch(sides, melds, more, question);
    const counted = (gain: number): number => (gain < 0 ? Math.min(0, gain + hidden) : gain);
    return byLaunch.reduce((sum, gain) => sum + averse(counted(gain), small), 0) / byLaunch.length;
  }

  /** The same without aversion: what a wave gains, by launch. */
  byLaunch(sides: Questions, melds: readonly Effect[], more: number, question: number): number[] {
    return this.shares.map((share, k) => {
      let gain = ofMelded(sides, share) * more - asked(sides, share) * question;
      for (const meld of melds) gain += ofMelded(sides, this.gainsOf(meld)[k]!) + sparedByAsking(sides, share, meld);
      return gain;
    });
  }

  /**
   * What a wave gains on average in launches in which all waves agree and come to all blocks of their side. As many
   * take a side as threads do otherwise.
   */
  ifAllAgree(sides: Questions, melds: readonly Effect[], more: number, question: number): number {
    const taking = this.samples.shareTaking(this.region.branch);
    const share = { parted: 0, both: 0, onlyT: 0, onlyF: 0, all: taking, none: 1 - taking };
    let gain = ofMelded(sides, share) * more - asked(sides, share) * question;
    for (const meld of melds)
      gain +=
        ofMelded(
          sides,
          gainOf(meld, share, () => share),
        ) + sparedByAsking(sides, share, meld);
    return gain;
  }

  /** What one meld gains, by launch. */
  private gainsOf(meld: Effect): readonly ByWave[] {
    let found = this.gains.get(meld);
    if (found === undefined) {
      found = this.shares.map((share, k) => gainOf(meld, share, (block) => this.comersIn(k, block)));
      this.gains.set(meld, found);
    }
    return found;
  }

  private meanComers(block: BlockGain): Comers {
    const key = ((block.t + 1) * 2 ** 24 + block.f + 1) * 2 + Number(block.passed);
    let mean = this.comers.get(key);
    if (mean !== undefined) return mean;
    mean = { both: 0, onlyT: 0, onlyF: 0, all: 0, none: 0 };
    for (const [k, count] of this.counts.entries()) this.addComers(mean, block, k, 1 / (count * this.launches.length));
    this.comers.set(key, mean);
    return mean;
  }

  /** @param k of `launches` */
  private comersIn(k: number, block: BlockGain): Comers {
    const comers = { both: 0, onlyT: 0, onlyF: 0, all: 0, none: 0 };
    this.addComers(comers, block, k, 1 / this.counts[k]!);
    return comers;
  }

  /** @param wave what one wave of the launch counts */
  private addComers(sum: Comers, { t, f, passed }: BlockGain, k: number, wave: number): void {
    const launch = this.launches[k]!;
    const runsT = this.comingTo(t, passed)?.[launch] ?? 0;
    const runsF = this.comingTo(f, passed)?.[launch] ?? 0;
    const [parted, all, none] = [this.at.parted[launch]!, this.at.all[launch]!, this.at.none[launch]!];
    sum.both += bitCount(parted & runsT & runsF) * wave;
    sum.onlyT += bitCount(parted & runsT & ~runsF) * wave;
    sum.onlyF += bitCount(parted & runsF & ~runsT) * wave;
    sum.all += bitCount(all & runsT) * wave;
    sum.none += bitCount(none & runsF) * wave;
  }

  /** By launch, a bit for each wave that comes to block `b`; null: none does. */
  private comingTo(b: BlockId | -1, passed: boolean): Uint8Array | null {
    if (b === NONE) return passed ? EVERY_WAVE : null;
    return this.isSampled ? this.samples.comesTo(b) : EVERY_WAVE;
  }
}

const EVERY_WAVE = new Uint8Array(LAUNCHES).fill(0xff);

/** What one meld gains. @param share the waves that come to the branch @param comers those that come to a block pair */
function gainOf(meld: Effect, share: ByWave, comers: (block: BlockGain) => Comers): ByWave {
  let [net, vainT, vainF] = [meld.net, meld.vain.t, meld.vain.f];
  const gain = { parted: 0, all: 0, none: 0 };
  for (const block of meld.blocks) {
    const { both, onlyT, onlyF, all, none } = comers(block);
    gain.parted +=
      both * (block.net - block.waiting) + onlyT * (block.net - block.vain.f) + onlyF * (block.net - block.vain.t);
    gain.all += all * (block.net - block.vain.f);
    gain.none += none * (block.net - block.vain.t);
    net -= block.net - block.waiting;
    vainT -= block.vain.t;
    vainF -= block.vain.f;
  }
  gain.parted += share.parted * net;
  gain.all += share.all * (net - vainF + meld.idle.f);
  gain.none += share.none * (net - vainT + meld.idle.t);
  return gain;
}

/** What waves that agree spare where they are asked: of the other side they ran what code generation does not skip. */
const sparedByAsking = (sides: Questions, { all, none }: ByWave, { idle }: Effect): number =>
  (asks(sides, 't') ? all * idle.f : 0) + (asks(sides, 'f') ? none * idle.t : 0);

const asks = (sides: Questions, side: 't' | 'f'): boolean => sides.includes(side);

/**
 * What questions cost waves that agree, in questions. The one about a wave's own side spares it the handling of the
 * mask, but one way on it is a branch that is taken. Where the other side is asked about first, that is a question
 * more.
 */
const askedForAgreeing = (sides: Questions, { all, none }: ByWave): number =>
  sides.reduce(
    (sum, side, before) =>
      sum + (CostModel.ownQuestion + CostModel.otherQuestion * before) * (side === 't' ? all : none),
    0,
  );

/** How many questions waves pay for. */
const asked = (sides: Questions, share: ByWave): number =>
  sides.length * ofMelded(sides, share) + askedForAgreeing(sides, share);

/** The part of the waves that get to melded code. */
const ofMelded = (sides: Questions, { parted, all, none }: ByWave): number =>
  parted + (asks(sides, 't') ? 0 : all) + (asks(sides, 'f') ? 0 : none);

/**
 * Chooses for one branch among melded, versioned (plan.ts, `WaveVersion`) and as it is. How waves part differs from
 * launch to launch (cost/wave-samples.ts). A loss in one launch counts more than a gain in another one of the same
 * size.
 *
 * A meld is judged wave by wave. Two blocks that become one save work only for waves that would have run both; for
 * others the block of the other side is work done for nothing, even if they come to the rest of both sides.
 */
import type { DivergentRegion } from '../../analysis/regions.js';
import type { BlockId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { CostModel } from '../cost/cost-model.js';
import type { SampledWave, WaveSamples, WaveShares } from '../cost/wave-samples.js';
import type { BlockGain, Effect } from '../draft/evaluate.js';
import type { WaveVersion } from '../plan.js';

/** The sides that waves are asked about, in order. None: there is no question. */
export type Questions = WaveVersion['sides'];

export const ALL_QUESTIONS: readonly Questions[] = [[], ['f'], ['t'], ['f', 't'], ['t', 'f']];

/**
 * What one meld gains in one launch, in cycles per wave that comes to the branch: the parts of waves that part, of
 * those that take T only, and of those that take F only.
 */
export type LaunchGain = WaveShares;

/** What the melds of one branch gain, by launch. */
export class WaveGains {
  readonly shares: readonly WaveShares[];
  private readonly launches: readonly (readonly SampledWave[])[];
  /** Whether any sampled wave comes to the branch. If none does, nothing is known about what is behind it. */
  private readonly isSampled: boolean;
  private readonly known = new Map<Effect, readonly LaunchGain[]>();

  constructor(
    private readonly samples: WaveSamples,
    { branch, front, t }: Pick<DivergentRegion, 'branch' | 'front' | 't'>,
  ) {
    this.launches = front === null ? samples.wavesAt(branch) : samples.wavesBehind(branch, front, t.start);
    this.shares = samples.at(branch, this.launches);
    this.isSampled = samples.comesTo(branch).includes(1);
  }

  of(meld: Effect): readonly LaunchGain[] {
    const known = this.known.get(meld);
    if (known) return known;
    const rest = { t: meld.vain.t, f: meld.vain.f, net: meld.net };
    for (const { net, vain } of meld.blocks) {
      rest.net -= net;
      rest.t -= vain.t;
      rest.f -= vain.f;
    }
    const found = this.launches.map((waves): LaunchGain => {
      const sum = { parted: 0, all: 0, none: 0 };
      for (const { wave, takes } of waves) {
        sum[takes] += rest.net - (takes === 'all' ? rest.f : takes === 'none' ? rest.t : 0);
        for (const block of meld.blocks) sum[takes] += this.gainOf(block, wave, takes);
      }
      return { parted: sum.parted / waves.length, all: sum.all / waves.length, none: sum.none / waves.length };
    });
    this.known.set(meld, found);
    return found;
  }

  private gainOf({ t, f, passed, net, vain }: BlockGain, wave: number, takes: keyof WaveShares): number {
    const runsT = takes !== 'none' && (t === NONE ? passed : this.comesTo(t, wave));
    const runsF = takes !== 'all' && (f === NONE ? passed : this.comesTo(f, wave));
    if (!runsT && !runsF) return 0;
    return net - (runsT ? 0 : vain.t) - (runsF ? 0 : vain.f);
  }

  private comesTo(b: BlockId, wave: number): boolean {
    return !this.isSampled || this.samples.comesTo(b)[wave] === 1;
  }
}

const asks = (sides: Questions, side: 't' | 'f'): boolean => sides.includes(side);

/** The gain of the waves that get to melded code. */
const meldedGain = (sides: Questions, { parted, all, none }: LaunchGain): number =>
  parted + (asks(sides, 't') ? 0 : all) + (asks(sides, 'f') ? 0 : none);

/** What one meld adds on average. The questions are not counted. */
export const averageGain = (sides: Questions, launches: readonly LaunchGain[]): number =>
  launches.reduce((sum, gain) => sum + meldedGain(sides, gain), 0) / launches.length;

interface Worth {
  readonly sides: Questions;
  readonly shares: readonly WaveShares[];
  /** What each meld of the branch gains. */
  readonly melds: readonly (readonly LaunchGain[])[];
  /** What every wave gains beside that. */
  readonly more: number;
  /** What all questions cost a wave that gets to the melded code. */
  readonly questions: number;
}

/**
 * What the melds of a branch are worth, in cycles per run of the function.
 */
export function worth({ sides, shares, melds, more, questions }: Worth): number {
  let sum = 0;
  for (const [launch, share] of shares.entries()) {
    const melded = meldedGain(sides, share);
    let gain = melded * (more - questions) - (1 - melded) * questions * CostModel.questionForAll;
    for (const gains of melds) gain += meldedGain(sides, gains[launch]);
    sum += gain < 0 ? gain * CostModel.lossAversion : gain;
  }
  return sum / shares.length;
}

/** How many waves get to the melded code, as a share. */
export const shareMelded = (sides: Questions, shares: readonly WaveShares[]): number =>
  shares.reduce((sum, share) => sum + meldedGain(sides, share), 0) / shares.length;

/** How many waves of a hundred part. */
export const percentParted = (shares: readonly WaveShares[]): number =>
  Math.round((100 * shares.reduce((sum, { parted }) => sum + parted, 0)) / shares.length);

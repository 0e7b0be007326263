/**
 * Chooses for one branch among melded, versioned (plan.ts, `WaveVersion`) and as it is. How waves part differs from
 * launch to launch (cost/wave-samples.ts). A loss in one launch counts more than a gain in another one of the same
 * size.
 */
import { CostModel } from '../cost/cost-model.js';
import type { WaveShares } from '../cost/wave-samples.js';
import type { Vain } from '../draft/evaluate.js';
import type { WaveVersion } from '../plan.js';

/** The sides that waves are asked about, in order. None: there is no question. */
export type Questions = WaveVersion['sides'];

export const ALL_QUESTIONS: readonly Questions[] = [[], ['f'], ['t'], ['f', 't'], ['t', 'f']];

/** What becomes of the waves of a launch when questions are asked, as shares of those that come to the branch. */
interface Effect {
  /** The waves that run melded code: all of them, those that take T only, and those that take F only. */
  readonly melded: number;
  readonly all: number;
  readonly none: number;
}

const effectOf = (sides: Questions, { parted, all, none }: WaveShares): Effect => {
  const [t, f] = [sides.includes('t') ? 0 : all, sides.includes('f') ? 0 : none];
  return { melded: parted + t + f, all: t, none: f };
};

const gainOf = ({ melded, all, none }: Effect, net: number, vain: Vain): number =>
  melded * net - all * vain.f - none * vain.t;

/** What one meld adds on average. The questions are not counted. */
export function averageGain(sides: Questions, launches: readonly WaveShares[], net: number, vain: Vain): number {
  let sum = 0;
  for (const shares of launches) sum += gainOf(effectOf(sides, shares), net, vain);
  return sum / launches.length;
}

/**
 * What the melds of a branch are worth, in cycles per run of the function.
 *
 * @param net cycles gained by a wave that takes both sides, of all melds together; so with `vain`
 * @param questions what all questions cost a wave that gets to the melded code
 */
export function worth(
  sides: Questions,
  launches: readonly WaveShares[],
  net: number,
  vain: Vain,
  questions: number,
): number {
  let sum = 0;
  for (const shares of launches) {
    const effect = effectOf(sides, shares);
    const gain = gainOf(effect, net, vain) - effect.melded * questions;
    sum += gain < 0 ? gain * CostModel.lossAversion : gain;
  }
  return sum / launches.length;
}

/** How many waves get to the melded code, as a share. */
export const shareMelded = (sides: Questions, launches: readonly WaveShares[]): number =>
  launches.reduce((sum, shares) => sum + effectOf(sides, shares).melded, 0) / launches.length;

/** How many waves of a hundred part. */
export const percentParted = (launches: readonly WaveShares[]): number =>
  Math.round((100 * launches.reduce((sum, { parted }) => sum + parted, 0)) / launches.length);

/**
 * The variants of melding: modes, profit models, thresholds, meld points, region replication, unpredication,
 * versions per wave, random plans, processors. A batch of kernels is compiled in four variants, two at each of two
 * sites, so that one unmelded build serves two variants. In 2,700 batches every combination of options occurs once at
 * every site.
 */
import type { JobOptions } from '../../src/job/options.js';

/** The target and the place of melding in the pipeline: what a variant has in common with its unmelded build. */
export type Site = Pick<JobOptions, 'meldPoint' | 'optimize'> & { readonly target: 'gfx906' | 'gfx1100' };
type Melding = Pick<JobOptions, 'meld' | 'profit' | 'threshold' | 'regionReplication' | 'unpredicate' | 'versions'> & {
  /** With a plan of random decisions (random-plan.ts), or without one. */
  readonly plan: (typeof PLANS)[number];
};
export type Variant = Site & Melding;

const TARGETS = ['gfx906', 'gfx1100'] as const;
const POINTS = [
  { meldPoint: 'early', optimize: 'O3' },
  { meldPoint: 'late', optimize: 'none' },
  { meldPoint: 'late', optimize: 'O1' },
  { meldPoint: 'late', optimize: 'O3' },
] as const;
const MODES = ['darm', 'branch-fusion', 'tail-merge'] as const;
const PROFITS = ['paper', 'net', 'size'] as const;
const THRESHOLDS = [0, 0.1, 0.2, 0.3, 0.5];
const UNPREDICATE = ['always', 'profitable', 'never'] as const;
const VERSIONS = ['always', 'auto', 'never'] as const;

const PLANS = ['unplanned', 'planned'] as const;

const MELDINGS: readonly Melding[] = MODES.flatMap((meld) =>
  PROFITS.flatMap((profit) =>
    THRESHOLDS.flatMap((threshold) =>
      [true, false].flatMap((regionReplication) =>
        UNPREDICATE.flatMap((unpredicate) =>
          VERSIONS.flatMap((versions) =>
            // Plans are about cycles.
            (profit === 'size' ? [PLANS[0]] : PLANS).map((plan) => ({
              meld,
              profit,
              threshold,
              regionReplication,
              unpredicate,
              versions,
              plan,
            })),
          ),
        ),
      ),
    ),
  ),
);
export const COMBINATIONS = MELDINGS.length * TARGETS.length * POINTS.length;

/** Coprime to the number of meldings, so that its multiples visit them all, with neighbours far apart. */
const STRIDE = 77;

export const siteOf = ({ target, meldPoint, optimize }: Variant): Site => ({ target, meldPoint, optimize });
export const nameOf = (options: Variant | Site): string => Object.values(options).join(' ');

/** Four variants: two for each of two sites, the first two at the same site. */
export function variantsOf(batch: number): readonly Variant[] {
  const round = Math.floor(batch / POINTS.length);
  return TARGETS.flatMap((target, index) => {
    const point = POINTS[(batch + index * round) % POINTS.length]!;
    return [0, 1].map((second) => {
      const melding = MELDINGS[((2 * round + second + index * 45) * STRIDE) % MELDINGS.length]!;
      return { target, ...point, ...melding };
    });
  });
}

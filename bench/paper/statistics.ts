/**
 * Figures from measurements. A speed-up is the baseline's cycles over the melded code's. The baseline of a meld point is the
 * better of plain -O3 and that point's own pipeline without melds. A figure is given for the default meld point and for the
 * better one, which is the point whose melded code takes the fewest cycles (not that of the largest speed-up).
 */
import type { MeldPoint } from '../../src/job/options.js';
import { geometricMean } from '../support.js';
import type { Measurement, Run } from './measure.js';
import type { Mode } from './pipelines.js';

/** `default`: the default meld point, or the only one that was measured. */
export type Choice = 'default' | 'better';

/** One kernel and block size under one melder. */
export interface Outcome {
  readonly point: MeldPoint;
  readonly run: Run;
  /** Whichever run is the baseline. */
  readonly baseline: Run;
  /** Over the baseline, in cycles. */
  readonly speedup: number;
  /** Over plain -O3, in cycles and in executed instructions. */
  readonly overO3: { readonly cycles: number; readonly instructions: number };
}

export function outcomeAt({ runs }: Measurement, mode: Mode, point: MeldPoint): Outcome {
  const O3 = runs.O3!;
  const plain = runs[`plain.${point}`]!;
  const baseline = plain.cycles < O3.cycles ? plain : O3;
  const run = runs[`${mode}.${point}`]!;
  return {
    point,
    run,
    baseline,
    speedup: baseline.cycles / run.cycles,
    overO3: {
      cycles: O3.cycles / run.cycles,
      instructions: O3.counters.instructions / run.counters.instructions,
    },
  };
}

export function outcome(measurement: Measurement, mode: Mode, choice: Choice, points: readonly MeldPoint[]): Outcome {
  const outcomes = points.map((point) => outcomeAt(measurement, mode, point));
  return choice === 'default'
    ? outcomes[0]!
    : outcomes.reduce((best, each) => (each.run.cycles < best.run.cycles ? each : best));
}

/** The default meld point first. */
export const orderedPoints = (points: readonly MeldPoint[], first: MeldPoint): MeldPoint[] =>
  points.toSorted((a, b) => Number(b === first) - Number(a === first));

/** No kernel and block size may be below this. */
export const LEAST_SPEEDUP = 0.99;

export interface Means {
  /** How many kernels and block sizes. */
  readonly count: number;
  /** Geometric means. */
  readonly speedup: number;
  readonly cycles: number;
  readonly instructions: number;
  readonly least: number;
  /** How many are below `LEAST_SPEEDUP`. */
  readonly below: number;
}

export function means(outcomes: readonly Outcome[]): Means {
  const speedups = outcomes.map(({ speedup }) => speedup);
  return {
    count: outcomes.length,
    speedup: geometricMean(speedups),
    cycles: geometricMean(outcomes.map(({ overO3 }) => overO3.cycles)),
    instructions: geometricMean(outcomes.map(({ overO3 }) => overO3.instructions)),
    least: Math.min(...speedups),
    below: speedups.filter((speedup) => speedup < LEAST_SPEEDUP).length,
  };
}

/** Of each benchmark, one item: the best by `value`, the first of equals. */
export function bestOfEach<T extends { readonly name: string }>(items: readonly T[], value: (item: T) => number): T[] {
  const best = new Map<string, T>();
  for (const item of items) {
    const known = best.get(item.name);
    if (known === undefined || value(item) > value(known)) best.set(item.name, item);
  }
  return [...best.values()];
}

/** GM-Best's block sizes: those with the fastest baseline, by cycles per element of the output. */
export const fastestBaselines = (all: readonly Measurement[], choice: Choice, points: readonly MeldPoint[]) =>
  bestOfEach(all, (each) => -outcome(each, 'darm', choice, points).baseline.cycles / each.elements);

/** The block sizes that the paper's counters are of: those with darm's largest speed-up. */
export const largestSpeedups = (all: readonly Measurement[], points: readonly MeldPoint[]) =>
  bestOfEach(all, (each) => outcome(each, 'darm', 'better', points).speedup);

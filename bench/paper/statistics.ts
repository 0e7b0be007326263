/**
 * Computes figures from measurements. A speed-up is the baseline's cycles divided by the melded code's. The baseline of
 * a meld point is the faster of -O3 and that point's own pipeline without melds. Figures are given for the default meld
 * point and for the better one: the point whose melded code takes the fewest cycles, even if its speed-up is smaller.
 */
import type { MeldPoint } from '../../src/job/options.js';
import { geometricMean } from '../support.js';
import type { Measurement, Run } from './measure.js';
import type { Mode } from './pipelines.js';

/** `default` is the default meld point, or the only one that was measured. */
export type Choice = 'default' | 'better';

/** The result for one kernel and block size with one kind of melding. */
export interface Outcome {
  readonly point: MeldPoint;
  readonly run: Run;
  readonly baseline: Run;
  /** Cycles of the baseline divided by those of `run`. */
  readonly speedup: number;
  /** Cycles and executed instructions of -O3 divided by those of `run`. */
  readonly overO3: { readonly cycles: number; readonly instructions: number };
}

function outcomeAt({ runs }: Measurement, mode: Mode, point: MeldPoint): Outcome {
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

/** The meld points with the default one first. */
export const orderedPoints = (points: readonly MeldPoint[], first: MeldPoint): MeldPoint[] =>
  points.toSorted((a, b) => Number(b === first) - Number(a === first));

/** The smallest acceptable speed-up of any kernel and block size. */
export const LEAST_SPEEDUP = 0.99;

export interface Means {
  /** Number of pairs of a kernel and a block size. */
  readonly count: number;
  /** Geometric means. */
  readonly speedup: number;
  readonly cycles: number;
  readonly instructions: number;
  readonly least: number;
  /** Number of pairs with a speed-up below `LEAST_SPEEDUP`. */
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

/** For each benchmark, the item with the largest `value`; the first of several. */
function bestOfEach<T extends { readonly name: string }>(items: readonly T[], value: (item: T) => number): T[] {
  const best = new Map<string, T>();
  for (const item of items) {
    const known = best.get(item.name);
    if (known === undefined || value(item) > value(known)) best.set(item.name, item);
  }
  return [...best.values()];
}

/** The block sizes of GM-Best: those with the fastest baseline, in cycles per element of the output. */
export const fastestBaselines = (all: readonly Measurement[], choice: Choice, points: readonly MeldPoint[]) =>
  bestOfEach(all, (each) => -outcome(each, 'darm', choice, points).baseline.cycles / each.elements);

/** The block sizes for which the paper gives counters: those with darm's largest speed-up. */
export const largestSpeedups = (all: readonly Measurement[], points: readonly MeldPoint[]) =>
  bestOfEach(all, (each) => outcome(each, 'darm', 'better', points).speedup);

/** Figures from measurements of the corpus. */
import { LEAST_SPEEDUP } from '../paper/statistics.js';
import { geometricMean } from '../support.js';
import type { Measurement, SettingMeasurement } from './measure.js';

/** What melding did: a change of less than a percent is none. */
export type Verdict = 'faster' | 'same' | 'slower';

export interface Outcome {
  /** Cycles of the better of -O3 and the same passes without melds, divided by those of the melded code. */
  readonly speedup: number;
  /** Executed instructions of -O3 divided by those of the melded code. */
  readonly instructions: number;
  readonly verdict: Verdict;
}

export function outcome({ O3, plain, melded }: SettingMeasurement): Outcome {
  const speedup = Math.min(O3.cycles, plain.cycles) / melded.cycles;
  const verdict = speedup < LEAST_SPEEDUP ? 'slower' : speedup > 1 / LEAST_SPEEDUP ? 'faster' : 'same';
  return { speedup, instructions: O3.instructions / melded.instructions, verdict };
}

/** Whether one setting makes melding pay and another one makes it a loss. */
export function flips({ settings }: Measurement): boolean {
  const verdicts = new Set(settings.map((setting) => outcome(setting).verdict));
  return verdicts.has('faster') && verdicts.has('slower');
}

export interface Summary {
  readonly kernels: number;
  readonly melded: number;
  /** Of what melds; 1 where nothing does. */
  readonly speedup: number;
  readonly instructions: number;
  readonly faster: number;
  readonly slower: number;
  /** The kernel with the smallest speed-up; null where nothing melds. */
  readonly worst: { readonly kernel: string; readonly speedup: number } | null;
  /** Kernels that execute over 2 % more instructions although they take no fewer cycles. */
  readonly grown: number;
  readonly flips: number;
}

/** Of the first setting, except for the flips. */
export function summarize(measurements: readonly Measurement[]): Summary {
  const melded = measurements.filter(({ melds }) => melds.length > 0);
  const outcomes = melded.map((each) => ({ ...each, ...outcome(each.settings[0]!) }));
  const worst = outcomes.toSorted((a, b) => a.speedup - b.speedup)[0];
  const mean = (values: readonly number[]) => (values.length > 0 ? geometricMean(values) : 1);
  return {
    kernels: measurements.length,
    melded: melded.length,
    speedup: mean(outcomes.map(({ speedup }) => speedup)),
    instructions: mean(outcomes.map(({ instructions }) => instructions)),
    faster: outcomes.filter(({ verdict }) => verdict === 'faster').length,
    slower: outcomes.filter(({ verdict }) => verdict === 'slower').length,
    worst: worst === undefined ? null : { kernel: worst.kernel, speedup: worst.speedup },
    grown: outcomes.filter(({ speedup, instructions }) => speedup <= 1 && instructions < 1 / 1.02).length,
    flips: melded.filter(flips).length,
  };
}

/** The counters of simulated launches as rows of text, for terminals and pages. */
import type { Counters } from '../simulator/counters.js';
import type { SimulationOptions } from '../simulator/options.js';
import type { LaunchProfile } from '../simulator/profile/profile.js';

export interface Measured {
  readonly counters: Counters;
  /** Null: not asked for, or the launch is too long for an estimate. */
  readonly cycles: number | null;
}

/** Whether cycles were to be estimated, and of what. */
export type Estimate = Partial<Pick<SimulationOptions, 'cycles' | 'fullUnit'>>;

export interface ProfiledMeasurement extends Measured {
  /** Null: none was made. */
  readonly profile: LaunchProfile | null;
}

/** One launch with and without melding. */
export interface MeasuredLaunch {
  readonly kernel: string;
  readonly before: ProfiledMeasurement;
  readonly after: ProfiledMeasurement;
}

const LABELS: readonly (readonly [keyof Counters, string])[] = [
  ['waves', 'waves'],
  ['instructions', 'instructions'],
  ['valu', 'VALU'],
  ['salu', 'SALU'],
  ['smem', 'SMEM'],
  ['lds', 'LDS'],
  ['ldsBankConflicts', 'LDS bank conflicts'],
  ['vmemRead', 'VMEM reads'],
  ['vmemWrite', 'VMEM writes'],
  ['flat', 'FLAT'],
  ['cacheLines', 'cache lines'],
  ['branch', 'branches'],
  ['barrier', 'barriers'],
  ['activeLanes', 'active lanes'],
  ['valuUtilization', 'VALU utilisation %'],
];

const shown = (value: number | null): string =>
  value === null ? 'too long' : Number.isInteger(value) ? String(value) : value.toFixed(1);

/**
 * For each counter: its label, its value in each run, and the ratio if there are two runs. Cycles come last.
 *
 * @param cycles whether they were asked for
 * @param fullUnit whether they were estimated as those of a launch that fills a compute unit
 */
export function counterRows(runs: readonly Measured[], { cycles = true, fullUnit = false }: Estimate = {}): string[][] {
  const ofCycles = fullUnit ? 'cycles (estimate, full unit)' : 'cycles (estimate)';
  const lines: readonly (readonly [string, readonly (number | null)[]])[] = [
    ...LABELS.map(([field, label]) => [label, runs.map(({ counters }) => counters[field])] as const),
    ...(cycles ? [[ofCycles, runs.map((run) => run.cycles)] as const] : []),
  ];
  return lines.map(([label, values]) => {
    const [before, after] = values;
    const ratio = after === undefined ? [] : [before && after !== null ? (after / before).toFixed(2) : ''];
    return [label, ...values.map(shown), ...ratio];
  });
}

/** The counters of simulated launches as rows of text, for terminals and pages. */
import type { Counters } from '../simulator/counters.js';
import type { LaunchProfile } from '../simulator/profile/profile.js';

export interface Measured {
  readonly counters: Counters;
  /** Null: not estimated. */
  readonly cycles: number | null;
}

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

const shown = (value: number): string => (Number.isInteger(value) ? String(value) : value.toFixed(1));

/**
 * For each counter: its label, its value in each run, and the ratio if there are two runs. Cycles come last, if all
 * runs have them.
 *
 * @param fullUnit whether they were estimated as those of a launch that fills a compute unit
 */
export function counterRows(runs: readonly Measured[], fullUnit = false): string[][] {
  const ofCycles = fullUnit ? 'cycles (estimate, full unit)' : 'cycles (estimate)';
  const lines: readonly (readonly [string, readonly number[]])[] = [
    ...LABELS.map(([field, label]) => [label, runs.map(({ counters }) => counters[field])] as const),
    ...(runs.some(({ cycles }) => cycles === null) ? [] : [[ofCycles, runs.map(({ cycles }) => cycles!)] as const]),
  ];
  return lines.map(([label, values]) => {
    const [before, after] = values;
    const ratio = after === undefined ? [] : [before === 0 ? '' : (after / before!).toFixed(2)];
    return [label, ...values.map(shown), ...ratio];
  });
}

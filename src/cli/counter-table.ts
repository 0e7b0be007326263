/** Counters as a table: one column a run, and with two of them their ratio. */
import type { Counters } from '../simulator/counters.js';
import { table } from './table.js';

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

export interface Measured {
  readonly counters: Counters;
  /** Null: not estimated. */
  readonly cycles: number | null;
}

/** @param runs one or two; with two, `titles` are the columns' */
export function counterText(runs: readonly Measured[], titles: readonly string[] = ['']): string {
  const lines: readonly (readonly [string, readonly number[]])[] = [
    ...LABELS.map(([field, label]) => [label, runs.map(({ counters }) => counters[field])] as const),
    ...(runs.some(({ cycles }) => cycles === null)
      ? []
      : [['cycles (estimate)', runs.map(({ cycles }) => cycles!)] as const]),
  ];
  const rows = lines.map(([label, values]) => {
    const [before, after] = values;
    const ratio = after === undefined ? [] : [before === 0 ? '' : (after / before!).toFixed(2)];
    return [`  ${label}`, ...values.map(shown), ...ratio];
  });
  const header = ['  counter', ...(runs.length === 1 ? ['value'] : [...titles, 'ratio'])];
  return table('l' + 'r'.repeat(header.length - 1), header, rows);
}

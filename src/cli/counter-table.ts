/** Counters as a table for terminals: a column for each run, and the ratio if there are two runs. */
import { counterRows, type Estimate, type Measured } from '../report/counter-rows.js';
import { table } from './table.js';

/** @param titles of the columns, if there are two runs */
export function counterText(runs: readonly Measured[], estimate: Estimate, titles: readonly string[] = ['']): string {
  const rows = counterRows(runs, estimate).map(([label, ...figures]) => [`  ${label}`, ...figures]);
  const header = ['  counter', ...(runs.length === 1 ? ['value'] : [...titles, 'ratio'])];
  return table('l', header, rows);
}

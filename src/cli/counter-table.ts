/** Counters as a table: one column a run, and with two of them their ratio. */
import { counterRows, type Measured } from '../report/counter-rows.js';
import { table } from './table.js';

/** @param runs one or two; with two, `titles` are the columns' */
export function counterText(runs: readonly Measured[], titles: readonly string[] = ['']): string {
  const rows = counterRows(runs).map(([label, ...figures]) => [`  ${label}`, ...figures]);
  const header = ['  counter', ...(runs.length === 1 ? ['value'] : [...titles, 'ratio'])];
  return table('l', header, rows);
}

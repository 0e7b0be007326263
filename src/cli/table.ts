/** Tables for terminals. */
import { visibleLine } from '../report/visible.js';

/** A longer cell sticks out of its column, and does not make every other row as wide as itself. */
const WIDEST = 200;

/**
 * Columns of text, two spaces apart, a line for the header and one for each row.
 *
 * @param alignment a letter for each column, `l` or `r`; columns without one are aligned to the right
 */
export function table(
  alignment: string,
  header: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const lines = [header, ...rows].map((cells) => cells.map((cell) => visibleLine(String(cell))));
  const widths = header.map(() => 0);
  for (const cells of lines)
    cells.forEach((cell, column) => (widths[column] = Math.min(WIDEST, Math.max(widths[column]!, cell.length))));
  const aligned = (cell: string, column: number): string =>
    alignment[column] === 'l' ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!);
  return lines.map((cells) => `${cells.map(aligned).join('  ').trimEnd()}\n`).join('');
}

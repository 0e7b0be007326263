/** Tables for terminals. */

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
  const lines = [header, ...rows].map((cells) => cells.map(String));
  const widths = header.map((_, column) => Math.max(...lines.map((cells) => cells[column]!.length)));
  const aligned = (cell: string, column: number): string =>
    alignment[column] === 'l' ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!);
  return lines.map((cells) => `${cells.map(aligned).join('  ').trimEnd()}\n`).join('');
}

/** Columns of text for terminals; `alignment` has one letter a column, `l` or `r`. */
export function table(alignment: string, header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]!.length)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) =>
        alignment[column] === 'l' ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!),
      )
      .join('  ')
      .trimEnd() + '\n';
  return [header, ...rows].map(line).join('');
}

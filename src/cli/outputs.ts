/** Makes sure, before a command does anything, that no output replaces another one or what the command reads. */
import { statSync } from 'node:fs';
import path from 'node:path';
import { DarmError } from '../errors.js';
import { realPath } from '../files.js';
import { placeOf } from '../surroundings.js';

/**
 * @param outputs by what they are called; `-` is standard output, undefined was not asked for
 * @param inputs what no output may replace; `-` and undefined are no files
 * @throws DarmError `usage`
 */
export function checkOutputs(
  outputs: Readonly<Record<string, string | undefined>>,
  inputs: readonly (string | undefined)[],
): void {
  const keyOf = (file: string): string => realPath(path.resolve(placeOf(file)));
  const taken = new Set(inputs.flatMap((file) => (file === undefined || file === '-' ? [] : [keyOf(file)])));
  for (const [name, file] of Object.entries(outputs)) {
    if (file === undefined || isSpecial(file)) continue;
    const key = file === '-' ? '-' : keyOf(file);
    if (taken.has(key))
      throw new DarmError(
        'usage',
        file === '-'
          ? `${name} - and another output on standard output exclude each other`
          : `${name} would replace ${file}, which is an input or another output`,
      );
    taken.add(key);
  }
}

/** /dev/null and a pipe are not replaced, and may take several outputs. */
function isSpecial(file: string): boolean {
  if (file === '-') return false;
  try {
    return !statSync(placeOf(file)).isFile();
  } catch {
    return false;
  }
}

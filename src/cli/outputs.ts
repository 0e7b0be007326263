/**
 * Makes sure that no output replaces another one or what the command reads: before the command does anything, and again
 * when it turns out what else is read, headers and the files of a launch spec.
 */
import { statSync } from 'node:fs';
import path from 'node:path';
import { DarmError } from '../errors.js';
import { realPath } from '../process/files.js';
import { placeOf } from '../process/surroundings.js';

/** By what they are called. `-` is standard output; what was not asked for is undefined. */
export type Outputs = Readonly<Record<string, string | undefined>>;

/**
 * @param inputs what no output may replace; `-` and undefined are no files
 * @throws DarmError `usage`
 */
export function checkOutputs(outputs: Outputs, inputs: readonly (string | undefined)[]): void {
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

/** `--remarks FILE`, of `compile` and `analyze`. */
import path from 'node:path';
import { DarmError } from '../errors.js';
import type { Remark } from '../remark.js';
import { writeOutput } from '../files.js';

/**
 * Refuses a file for remarks that something else is written to or read from.
 *
 * @param others the other files of the command; `-` stands for what is written to standard output
 */
export function checkRemarksFile(file: string | undefined, others: readonly string[]): void {
  if (file === undefined) return;
  if (file === '-') {
    if (others.includes('-'))
      throw new DarmError('usage', '--remarks - and another output on standard output exclude each other');
  } else if (others.some((other) => other !== '-' && path.resolve(other) === path.resolve(file))) {
    throw new DarmError('usage', `--remarks would replace ${file}, which is the input or the output`);
  }
}

export async function writeRemarks(file: string | undefined, remarks: readonly Remark[]): Promise<void> {
  if (file === undefined) return;
  const { remarksText } = await import('../report/remarks.js');
  await writeOutput(file, new TextEncoder().encode(remarksText(remarks)));
}

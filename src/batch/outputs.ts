/**
 * Makes sure, before a batch starts, that no result replaces another one, an input, or a file of darm's own. Two paths
 * may name one file: through symbolic links, and on file systems that do not distinguish capital letters.
 */
import { statSync } from 'node:fs';
import path from 'node:path';
import { DarmError } from '../errors.js';
import { realPath } from '../files.js';
import type { BatchJob } from './jobs.js';
import { OWN_FOLDER } from './journal.js';

/**
 * @param outDir holds the folder of the journal already
 * @throws DarmError `usage`
 */
export function checkOutputs(jobs: readonly BatchJob[], outDir: string): void {
  const foldsCase = sameFile(path.join(outDir, OWN_FOLDER), path.join(outDir, OWN_FOLDER.toUpperCase()));
  const folded = (file: string): string => (foldsCase ? file.normalize('NFC').toLowerCase() : file);
  const folders = new Map<string, string>();
  const key = (file: string): string => folded(realPath(path.resolve(file), folders));

  const own = key(path.join(outDir, OWN_FOLDER));
  const inputs = new Map(jobs.map(({ input }) => [key(input), input]));
  const outputs = new Map<string, BatchJob>();
  for (const job of jobs) {
    const file = key(path.join(outDir, job.output));
    const other = outputs.get(file);
    if (other !== undefined)
      throw new DarmError('usage', `${other.input} and ${job.input} would both be written to ${job.output}`);
    outputs.set(file, job);
    const input = inputs.get(file);
    if (input !== undefined)
      throw new DarmError('usage', `a result would replace the input ${input}: choose another --out-dir`);
    if (file === own || file.startsWith(own + path.sep))
      throw new DarmError('usage', `${job.input} would be written to ${job.output}, where darm keeps its own files`);
  }
}

function sameFile(one: string, other: string): boolean {
  const a = statSync(one);
  const b = statSync(other, { throwIfNoEntry: false });
  return b !== undefined && a.dev === b.dev && a.ino === b.ino;
}

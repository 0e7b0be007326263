/**
 * Makes sure that no result of a batch replaces another one, an input, or a file of darm's own, and none what a source
 * includes, as soon as that is known: a result that is written before the source is translated may replace it. Two paths
 * may name one file: through symbolic links, and on file systems that do not distinguish capital letters.
 */
import { statSync } from 'node:fs';
import path from 'node:path';
import { DarmError } from '../errors.js';
import { realPath } from '../process/files.js';
import type { BatchJob } from './jobs.js';
import { OWN_FOLDER } from './journal.js';

export class BatchOutputs {
  readonly #foldsCase: boolean;
  readonly #folders = new Map<string, string>();
  /** By key of its result. */
  readonly #jobs = new Map<string, BatchJob>();
  /** Keys of what sources include, as far as they have been translated. */
  readonly #included = new Set<string>();

  /**
   * @param outDir holds the folder of the journal already
   * @param given files beside the inputs that the batch reads: manifests, a plan
   * @throws DarmError `usage`
   */
  constructor(
    jobs: readonly BatchJob[],
    private readonly outDir: string,
    given: readonly string[] = [],
  ) {
    const own = path.join(outDir, OWN_FOLDER);
    this.#foldsCase = sameFile(own, path.join(outDir, OWN_FOLDER.toUpperCase()));
    const [keyOfOwn, inputs] = [this.#key(own), new Map<string, string>()];
    for (const input of [...jobs.map((job) => job.input), ...given]) inputs.set(this.#key(input), input);
    for (const job of jobs) {
      const key = this.#keyOfResult(job);
      const other = this.#jobs.get(key);
      if (other !== undefined)
        throw new DarmError('usage', `${other.input} and ${job.input} would both be written to ${job.output}`);
      this.#jobs.set(key, job);
      const input = inputs.get(key);
      if (input !== undefined)
        throw new DarmError('usage', `a result would replace the input ${input}: choose another --out-dir`);
      if (key === keyOfOwn || key.startsWith(keyOfOwn + path.sep))
        throw new DarmError('usage', `${job.input} would be written to ${job.output}, where darm keeps its own files`);
    }
    for (const [key, job] of this.#jobs) {
      const above = this.#above(key);
      if (above !== null)
        throw new DarmError('usage', `${above.input} would be written to ${above.output}, the folder of ${job.output}`);
    }
  }

  /**
   * What a source includes shows when it has been translated: no result may replace that, from then on.
   *
   * @throws DarmError `usage` if the result of a job is among it
   */
  keepIncluded(files: readonly string[]): void {
    const keys = files.map((file) => this.#key(file));
    for (const key of keys) this.#included.add(key);
    const at = keys.findIndex((key) => this.#jobs.has(key));
    if (at < 0) return;
    const { input } = this.#jobs.get(keys[at]!)!;
    throw new DarmError('usage', `it includes ${files[at]}, which the result of ${input} would replace`);
  }

  /** @throws DarmError `usage` if a source includes what the result of this job would replace */
  checkResult(job: BatchJob): void {
    if (this.#included.has(this.#keyOfResult(job)))
      throw new DarmError('usage', `the result would replace ${job.output}, which a source of the batch includes`);
  }

  /** The job whose result is where a folder of this file has to be. */
  #above(key: string): BatchJob | null {
    for (let folder = path.dirname(key); folder !== path.dirname(folder); folder = path.dirname(folder)) {
      const job = this.#jobs.get(folder);
      if (job !== undefined) return job;
    }
    return null;
  }

  #keyOfResult({ output }: BatchJob): string {
    return this.#key(path.join(this.outDir, output));
  }

  #key(file: string): string {
    const real = realPath(path.resolve(file), this.#folders);
    return this.#foldsCase ? real.normalize('NFC').toLowerCase() : real;
  }
}

function sameFile(one: string, other: string): boolean {
  const a = statSync(one);
  const b = statSync(other, { throwIfNoEntry: false });
  return b !== undefined && a.dev === b.dev && a.ino === b.ino;
}

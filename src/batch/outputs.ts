/**
 * Makes sure that no result of a batch replaces another one, an input, or a file of darm's own, and none what a source
 * includes, as soon as that is known: a result that is written before the source is translated may replace it. Two
 * paths may name one file: through symbolic links, and on file systems that do not distinguish capital letters.
 */
import { statSync } from 'node:fs';
import path from 'node:path';
import { DarmError } from '../errors.js';
import { realPath } from '../process/files.js';
import type { BatchJob } from './jobs.js';
import { OWN_FOLDER } from './journal.js';

interface Result {
  readonly input: string;
  readonly output: string;
}

export class BatchOutputs {
  readonly #foldsCase: boolean;
  readonly #folders = new Map<string, string>();
  /** By key. */
  readonly #results = new Map<string, Result>();
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
    for (const result of jobs.flatMap(({ input, outputs }) => outputs.map((output) => ({ input, output })))) {
      const key = this.#keyOfResult(result.output);
      const other = this.#results.get(key);
      if (other !== undefined)
        throw new DarmError('usage', `${other.input} and ${result.input} would both be written to ${result.output}`);
      this.#results.set(key, result);
      const input = inputs.get(key);
      if (input !== undefined)
        throw new DarmError('usage', `a result would replace the input ${input}: choose another --out-dir`);
      if (key === keyOfOwn || key.startsWith(keyOfOwn + path.sep))
        throw new DarmError(
          'usage',
          `${result.input} would be written to ${result.output}, where darm keeps its own files`,
        );
    }
    for (const [key, { output }] of this.#results) {
      const above = this.#above(key);
      if (above !== null)
        throw new DarmError('usage', `${above.input} would be written to ${above.output}, the folder of ${output}`);
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
    const at = keys.findIndex((key) => this.#results.has(key));
    if (at < 0) return;
    const { input } = this.#results.get(keys[at]!)!;
    throw new DarmError('usage', `it includes ${files[at]}, which the result of ${input} would replace`);
  }

  /** @throws DarmError `usage` if a source includes what this result would replace */
  checkResult(output: string): void {
    if (this.#included.has(this.#keyOfResult(output)))
      throw new DarmError('usage', `the result would replace ${output}, which a source of the batch includes`);
  }

  /** The result that is where a folder of this file has to be. */
  #above(key: string): Result | null {
    for (let folder = path.dirname(key); folder !== path.dirname(folder); folder = path.dirname(folder)) {
      const result = this.#results.get(folder);
      if (result !== undefined) return result;
    }
    return null;
  }

  #keyOfResult(output: string): string {
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

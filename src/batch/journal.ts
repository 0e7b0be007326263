/**
 * The journal of a batch: a line for each result in the output folder, appended once the result is in place. When an
 * interrupted batch is started again, it skips the jobs in the journal whose key (input, options and toolchain) and
 * result have not changed.
 */
import { createHash } from 'node:crypto';
import { appendFile, readFile } from 'node:fs/promises';
import path from 'node:path';
import { ifThere, ioError, makeFolder, writeOutput } from '../process/files.js';

/** The folder, in the output folder, for the journal and the cache. */
export const OWN_FOLDER = '.darm';

/** Makes the folder in an output folder, unless it is there. */
export async function makeOwnFolder(outDir: string): Promise<void> {
  const own = path.join(outDir, OWN_FOLDER);
  await makeFolder(own).catch((error) => Promise.reject(ioError('make', own, error)));
}

interface Line {
  /** Path in the output folder. */
  readonly output: string;
  readonly key: string;
  readonly sha256: string;
}

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export class Journal {
  readonly #folder: string;
  readonly #file: string;
  readonly #lines: Map<string, Line>;
  /** The last append. Whoever comes while it is going on waits for it, and shares the next one. */
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;
  #waiting = '';
  /** Whether the file ends with a whole line. */
  #whole = true;

  private constructor(folder: string, file: string, lines: Map<string, Line>) {
    this.#folder = folder;
    this.#file = file;
    this.#lines = lines;
  }

  /** Lines that an interruption left incomplete are dropped. */
  static async open(folder: string): Promise<Journal> {
    const file = path.join(folder, OWN_FOLDER, 'journal.jsonl');
    const text = await ifThere(readFile(file, 'utf8')).catch((error) => Promise.reject(ioError('read', file, error)));
    const lines = new Map<string, Line>();
    for (const each of (text ?? '').split('\n').map(parsed)) if (each !== null) lines.set(each.output, each);
    // Written again, with one line per result and no incomplete line that the next one would be appended to.
    await writeOutput(file, [...lines.values()].map(textOf).join(''));
    return new Journal(folder, file, lines);
  }

  /** Whether all results of a job exist and were made by a job with this key. */
  async isDone(outputs: readonly string[], key: string): Promise<boolean> {
    for (const output of outputs) if (!(await this.#has(output, key))) return false;
    return true;
  }

  async #has(output: string, key: string): Promise<boolean> {
    const line = this.#lines.get(output);
    if (line?.key !== key) return false;
    const bytes = await readFile(path.join(this.#folder, output)).catch(() => null);
    return bytes !== null && sha256(bytes) === line.sha256;
  }

  async add(output: string, key: string, hash: string): Promise<void> {
    const line: Line = { output, key, sha256: hash };
    this.#lines.set(output, line);
    this.#waiting += textOf(line);
    if (this.#next === null) {
      this.#next = this.#last.then(() => this.#append());
      this.#last = this.#next.catch(() => {});
    }
    await this.#next.catch((error) => Promise.reject(ioError('write', this.#file, error)));
  }

  async #append(): Promise<void> {
    const text = (this.#whole ? '' : '\n') + this.#waiting;
    this.#waiting = '';
    this.#next = null;
    this.#whole = false;
    await appendFile(this.#file, text);
    this.#whole = true;
  }
}

const textOf = (line: Line): string => JSON.stringify(line) + '\n';

function parsed(text: string): Line | null {
  try {
    const { output, key, sha256: hash } = JSON.parse(text) as Line;
    return typeof output === 'string' && typeof key === 'string' && typeof hash === 'string'
      ? { output, key, sha256: hash }
      : null;
  } catch {
    return null;
  }
}

/**
 * Where the log of a server goes: standard error. Lines are written on another thread, one write after the other. A
 * full disk or a reader that does not read costs lines, which are counted, and never a request. (Pino's own destination
 * repeats a failed write until it succeeds, also when the process wants to end.)
 */
import { writeFile } from 'node:fs';
import { promisify } from 'node:util';
import pino from 'pino';

const STANDARD_ERROR = 2;
/** Most characters that wait. */
const MOST_WAITING = 2 ** 20;
/** How long the last lines may take, in milliseconds. */
const LAST_MS = 1000;

/** A log of lines of JSON. */
export const logTo = (output: LogOutput, level = 'info'): pino.Logger =>
  pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, output);

export class LogOutput {
  dropped = 0;
  #lines: string[] = [];
  #waiting = 0;
  #writing: Promise<void> | null = null;

  write(line: string): void {
    if (this.#waiting + line.length > MOST_WAITING) {
      this.dropped++;
      return;
    }
    this.#lines.push(line);
    this.#waiting += line.length;
    this.#writing ??= this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    while (this.#lines.length > 0) {
      const lines = this.#lines;
      this.#lines = [];
      try {
        await promisify(writeFile)(STANDARD_ERROR, lines.join(''));
      } catch {
        this.dropped += lines.length;
      }
      this.#waiting -= lines.reduce((sum, line) => sum + line.length, 0);
    }
    this.#writing = null;
  }

  /** Waits until everything is written or dropped, but not for long. */
  async flush(): Promise<void> {
    const timeUp = new Promise<void>((resolve) => setTimeout(resolve, LAST_MS).unref());
    await Promise.race([this.#writing, timeUp]);
  }
}

/**
 * The answer to a batch: a line of JSON per module, in the order in which they finish, and a last line with the counts.
 * An answer without that last line was cut off. Jobs start only as fast as the client reads.
 */

export interface BatchCounts {
  readonly succeeded: number;
  readonly failed: number;
}

export interface StreamedJob {
  /** Does all the work for one module. The result is whether it succeeded, and its line. Does not throw. */
  readonly run: () => Promise<{ readonly ok: boolean; readonly line: object }>;
}

/**
 * Runs `jobs`, `width` at a time, and streams their lines.
 *
 * @param stallMs how long the client may take to read a line, in milliseconds; 0 for no limit
 * @param stop called when the client does not read any more
 * @param ended called once, after the last job has ended
 */
export function streamBatch(
  jobs: readonly StreamedJob[],
  width: number,
  stallMs: number,
  stop: () => void,
  ended: (counts: BatchCounts) => void,
): ReadableStream<Uint8Array> {
  const lines = new LineStream(stallMs, stop);
  const queue = jobs.values();
  const counts = { succeeded: 0, failed: 0 };
  const runFromQueue = async (): Promise<void> => {
    for (const job of queue) {
      const { ok, line } = await job.run();
      counts[ok ? 'succeeded' : 'failed']++;
      if (!(await lines.write(line))) return;
    }
  };
  void Promise.all(Array.from({ length: Math.min(width, jobs.length) }, runFromQueue)).then(() => {
    lines.end({ done: true, ...counts });
    ended(counts);
  });
  return lines.stream;
}

/**
 * A stream of lines of JSON that goes as fast as its client reads. A client that stops reading for too long is cut off.
 */
class LineStream {
  readonly stream: ReadableStream<Uint8Array>;
  readonly #stallMs: number;
  readonly #stop: () => void;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #wake: () => void = () => {};
  #gone = false;

  constructor(stallMs: number, stop: () => void) {
    this.#stallMs = stallMs;
    this.#stop = stop;
    this.stream = new ReadableStream({
      start: (controller) => void (this.#controller = controller),
      pull: () => this.#wake(),
      cancel: () => this.#leave(),
    });
  }

  /** Resolves when the client is ready for another line: to false when it has gone. */
  async write(line: object): Promise<boolean> {
    if (this.#gone) return false;
    this.#enqueue(line);
    while (!this.#gone && this.#controller.desiredSize! <= 0) await this.#pulled();
    return !this.#gone;
  }

  end(line: object): void {
    if (this.#gone) return;
    this.#enqueue(line);
    this.#controller.close();
  }

  #enqueue(line: object): void {
    this.#controller.enqueue(new TextEncoder().encode(JSON.stringify(line) + '\n'));
  }

  #pulled(): Promise<void> {
    return new Promise((resolve) => {
      const stalled = (): void => {
        this.#controller.error(new Error('the client does not read'));
        this.#leave();
      };
      const timer = this.#stallMs === 0 ? undefined : setTimeout(stalled, this.#stallMs);
      const before = this.#wake;
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = () => {};
        before();
        resolve();
      };
    });
  }

  #leave(): void {
    this.#gone = true;
    this.#stop();
    this.#wake();
  }
}

/**
 * The answer to a batch: a line of JSON per module, in the order in which they finish, and a last line with the counts.
 * An answer without that last line was cut off. Jobs start only as fast as the client reads.
 */
import type { Answer } from './answers.js';

export interface BatchCounts {
  readonly succeeded: number;
  readonly failed: number;
}

export interface BatchLine extends Pick<Answer, 'pieces'> {
  readonly ok: boolean;
  /** Called when the line is sent. */
  readonly sent: () => void;
}

/** Does all the work for one module. Does not throw. */
export type BatchJob = () => Promise<BatchLine>;

/**
 * Runs `jobs`, `width` at a time, and yields their lines. When it ends, all jobs that were started have ended, also
 * when nobody wants the rest.
 *
 * @param done told the counts before the last line
 */
export async function* batchPieces(
  jobs: readonly BatchJob[],
  width: number,
  done: (counts: BatchCounts) => void,
): AsyncGenerator<Uint8Array> {
  const counts = { succeeded: 0, failed: 0 };
  const running = new Map<number, Promise<readonly [number, BatchLine]>>();
  let next = 0;
  const start = (): void => {
    if (next === jobs.length) return;
    const index = next++;
    running.set(
      index,
      jobs[index]!().then((line) => [index, line]),
    );
  };
  try {
    for (let i = 0; i < width; i++) start();
    while (running.size > 0) {
      const [index, line] = await Promise.race(running.values());
      running.delete(index);
      counts[line.ok ? 'succeeded' : 'failed']++;
      yield* line.pieces();
      yield new TextEncoder().encode('\n');
      line.sent();
      start();
    }
    done(counts);
    yield new TextEncoder().encode(JSON.stringify({ done: true, ...counts }) + '\n');
  } finally {
    await Promise.allSettled(running.values());
  }
}

/**
 * The answer to a batch: a line of JSON per module, as they finish, and a last line with the counts, whose absence tells that the
 * answer was cut off. Jobs start only as fast as the client reads.
 */

export interface BatchCounts {
  readonly succeeded: number;
  readonly failed: number;
}

export interface BatchJob {
  /** Does everything for one module; whether it went well, and what the line says. Does not throw. */
  readonly run: () => Promise<{ readonly ok: boolean; readonly line: object }>;
}

/**
 * Runs `jobs`, `width` at a time, and streams their lines.
 *
 * @param stallMs how long the client may take to take a line; 0: as long as it likes
 * @param stop called when the client no longer reads
 * @param ended called once, after the last job has ended
 */
export function streamBatch(
  jobs: readonly BatchJob[],
  width: number,
  stallMs: number,
  stop: () => void,
  ended: (counts: BatchCounts) => void,
): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  writer.closed.catch(stop);
  const encoder = new TextEncoder();
  const write = async (value: object): Promise<void> => {
    const timer = stallMs === 0 ? undefined : setTimeout(() => void writer.abort().catch(() => {}), stallMs);
    try {
      await writer.write(encoder.encode(JSON.stringify(value) + '\n'));
    } finally {
      clearTimeout(timer);
    }
  };
  const queue = jobs.values();
  const counts = { succeeded: 0, failed: 0 };

  const work = async (): Promise<void> => {
    for (const job of queue) {
      const { ok, line } = await job.run();
      counts[ok ? 'succeeded' : 'failed']++;
      await write(line);
    }
  };
  void Promise.allSettled(Array.from({ length: Math.min(width, jobs.length) }, work))
    .then((results) => {
      if (results.every(({ status }) => status === 'fulfilled'))
        return write({ done: true, ...counts }).then(() => writer.close());
    })
    // Only a client that is gone makes writing fail.
    .catch(() => {})
    .finally(() => ended(counts));
  return readable;
}

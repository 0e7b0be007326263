/** Batches that are killed in the middle, and started again: every result is whole, and in the end all are there. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { drawFor } from '../../../support/draw.js';
import type { Check } from './check.js';
import { run } from './command.js';
import { resultsComplaint, type Corpus } from './corpus.js';

export async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'darm-attack-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** With which a batch ends after a signal that it hears. */
const EXIT_CODES: Partial<Record<NodeJS.Signals, number>> = { SIGTERM: 143, SIGINT: 130 };

const killed = (corpus: Corpus, signal: NodeJS.Signals, times: readonly number[]): Check => ({
  name: `a batch that gets ${signal} after ${times.join(', ')} ms`,
  run: () =>
    inFolder(async (folder) => {
      const args = ['batch', corpus.folder, '--out-dir', folder, '-j', '2', '--quiet'];
      for (const afterMs of times) {
        const { how, stderr } = await run(args, { kill: { signal, afterMs } });
        // It may have been done already.
        if (how !== 0 && how !== signal && how !== EXIT_CODES[signal])
          return `it ended with ${how}: ${stderr.slice(0, 300)}`;
        const complaint = await resultsComplaint(folder, corpus, false);
        if (complaint !== null) return `after ${signal}: ${complaint}`;
      }
      const { how, stderr } = await run(args);
      return how === 0
        ? await resultsComplaint(folder, corpus, true)
        : `started again: ${how}: ${stderr.slice(0, 300)}`;
    }),
});

export function kills(corpus: Corpus, seed: number): readonly Check[] {
  const draw = drawFor(seed, 77);
  const times = (): number[] => Array.from({ length: 3 }, () => 250 + draw.below(2000));
  return [
    ...Array.from({ length: 4 }, () => killed(corpus, 'SIGKILL', times())),
    killed(corpus, 'SIGTERM', times()),
    killed(corpus, 'SIGINT', times()),
    {
      name: 'two batches at once with one folder and one cache',
      run: () =>
        inFolder(async (folder) => {
          const args = ['batch', corpus.folder, '--out-dir', folder, '--quiet'];
          const ends = await Promise.all([run(args), run(args)]);
          const bad = ends.find(({ how }) => how !== 0);
          return bad ? `one ended with ${bad.how}: ${bad.stderr}` : await resultsComplaint(folder, corpus, true);
        }),
    },
  ];
}

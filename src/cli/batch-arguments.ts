/** The options of `darm batch`. */
import type { Command } from 'commander';
import { addJobOptions, addOutputOptions, addRunOptions, type OutputFlags, type RunFlags } from './option-groups.js';
import { addQueueOptions, type QueueFlags } from './queue-arguments.js';
import { numeric } from './option-flags.js';
import type { SourceFlags } from './source.js';
import { addCacheOptions, addRemoteCacheOptions, type CacheFlags, type RemoteCacheFlags } from './cache-arguments.js';

export interface BatchFlags extends OutputFlags, RunFlags, CacheFlags, RemoteCacheFlags, SourceFlags, QueueFlags {
  readonly queue?: string;
  readonly queueWindow: number;
  readonly outDir: string;
  readonly failFast: boolean;
  readonly force: boolean;
  readonly quiet: boolean;
  readonly plan?: string;
}

export function addBatch(program: Command, run: (inputs: string[], flags: BatchFlags) => void): void {
  const batch = program
    .command('batch')
    .description('meld and compile many modules; started again, it does what is left')
    .argument('<inputs...>', 'files, folders, patterns, manifests (.jsonl; - on standard input)')
    .requiredOption('--out-dir <folder>', 'where results go')
    .option('--fail-fast', 'stop at the first failure', false)
    .option('--force', 'also what an earlier run has done', false)
    .option('--quiet', 'no progress, no summary', false);
  addQueueOptions(
    batch,
    'let the workers of a fleet compile: redis://HOST:6379/0, rediss://HOST or postgres://HOST/DB',
  ).option(
    '--queue-window <n>',
    'with --queue: most jobs that are handed out at the same time',
    numeric(1, 100_000, { whole: true }),
    512,
  );
  addRunOptions(addRemoteCacheOptions(addCacheOptions(addJobOptions(addOutputOptions(batch))))).action(run);
}

/** The options of `darm batch`. */
import type { Command } from 'commander';
import { addJobOptions, addOutputOptions, addRunOptions, type OutputFlags, type RunFlags } from './option-groups.js';
import type { FleetFlags } from './fleet.js';
import { addFleetOptions } from './queue-arguments.js';
import type { SourceFlags } from './source.js';
import { addCacheOptions, addRemoteCacheOptions, type CacheFlags, type RemoteCacheFlags } from './cache-arguments.js';

export interface BatchFlags extends OutputFlags, RunFlags, CacheFlags, RemoteCacheFlags, SourceFlags, FleetFlags {
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
  addFleetOptions(batch, 'compile');
  addRunOptions(addRemoteCacheOptions(addCacheOptions(addJobOptions(addOutputOptions(batch))))).action(run);
}

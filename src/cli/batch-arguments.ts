/** The options of `darm batch`. */
import { Option, type Command } from 'commander';
import { DEFAULT_OPTIONS, type Emit, type JobOptions } from '../options.js';
import { addJobOptions, addRunOptions, numeric, type JobFlags, type RunFlags } from './option-groups.js';
import { addCacheOptions, type CacheFlags } from './cache-arguments.js';

export interface BatchFlags extends JobFlags, RunFlags, CacheFlags {
  readonly outDir: string;
  readonly emit: Emit | 'fatbin';
  readonly jobs: number;
  readonly codegenLevel: JobOptions['codegenLevel'];
  readonly once: boolean;
  readonly failFast: boolean;
  readonly force: boolean;
  readonly quiet: boolean;
}

export function addBatch(program: Command, run: (inputs: string[], flags: BatchFlags) => void): void {
  const batch = program
    .command('batch')
    .description('meld and compile many modules; started again, it does what is left')
    .argument('<inputs...>', 'files, folders, patterns, manifests (.jsonl; - on standard input)')
    .requiredOption('--out-dir <folder>', 'where results go')
    .addOption(
      new Option('--emit <kind>', 'what to write')
        .choices(['hsaco', 'obj', 'asm', 'bc', 'll', 'ptx', 'fatbin'])
        .default(DEFAULT_OPTIONS.emit[0]),
    )
    .option('-j, --jobs <n>', 'worker threads', numeric(1, 256, { whole: true }), 1)
    .addOption(
      new Option('-O, --codegen-level <level>', 'code generation level, 0 to 3')
        .argParser(numeric(0, 3, { whole: true }))
        .default(DEFAULT_OPTIONS.codegenLevel),
    )
    .option('--once', 'one round of melding instead of all that pay', false)
    .option('--fail-fast', 'stop at the first failure', false)
    .option('--force', 'also what an earlier run has done', false)
    .option('--quiet', 'no progress, no summary', false);
  addRunOptions(addCacheOptions(addJobOptions(batch))).action(run);
}

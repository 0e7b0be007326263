/** The options of `darm tune`. */
import type { Command } from 'commander';
import { DEFAULT_BUDGET } from '../compiler/tune/budget.js';
import { SIMULATION_OPTIONS } from '../job/simulation-options.js';
import { addTableFlags, numeric } from './option-flags.js';
import { addAllJobsOption, addJobOptions, addRunOptions, type RunFlags } from './option-groups.js';
import type { SourceFlags } from './source.js';

export interface TuneFlags extends RunFlags, SourceFlags {
  readonly spec: readonly string[];
  readonly kernel?: string;
  readonly output?: string;
  readonly budget: number;
  readonly tolerance?: number;
  readonly fullUnit: boolean;
  readonly jobs: number;
  readonly quiet: boolean;
}

export function addTune(program: Command, run: (input: string, flags: TuneFlags) => void): void {
  const tune = program
    .command('tune')
    .description('search for the melds that take the fewest cycles in the simulator, and write them as a plan')
    .argument('<input>', '.hip, .cl, .bc, .ll, wrapped bitcode, or - for standard input')
    .requiredOption(
      '--spec <file>',
      'launch specification (docs/launch-spec.md); may be repeated',
      (file: string, before: readonly string[] = []) => [...before, file],
    )
    .option('--kernel <name>', "the kernel to launch (default: the spec's)")
    .option('-o, --output <file>', 'the plan, or - for standard output (default: named after the input, .plan.json)')
    .option(
      '--budget <n>',
      'most trials per kernel and meld point',
      numeric(1, 1_000_000, { whole: true }),
      DEFAULT_BUDGET,
    )
    .option('--tolerance <x>', 'relative difference of floats that counts as none', numeric(0, 1))
    .option('--quiet', 'no progress, no warnings', false);
  addRunOptions(addJobOptions(addAllJobsOption(addTableFlags(tune, SIMULATION_OPTIONS)))).action(run);
}

/** Groups of flags that several subcommands share, and what commander hands over for them. */
import { availableParallelism } from 'node:os';
import { Option, type Command } from 'commander';
import { DEFAULT_OPTIONS, EMIT_KINDS, JOB_OPTIONS, type Emit, type JobOptions } from '../job/options.js';
import { SIMULATION_OPTIONS } from '../job/simulation-options.js';
import type { SimulationOptions } from '../simulator/options.js';
import { addTableFlags, mebibytes, numeric, optionsFromFlags, seconds } from './option-flags.js';

/** Flags of the subcommands that write compiled code. */
export interface OutputFlags {
  readonly emit: Emit | 'fatbin';
  readonly jobs: number;
}

/** Flags of every subcommand that runs LLVM. */
export interface RunFlags {
  readonly json: boolean;
  /** Milliseconds; 0: no limit. */
  readonly timeout: number;
  /** Bytes. */
  readonly memoryLimit: number;
}

/** Flags of the subcommands that simulate. */
export interface SimulateFlags extends RunFlags {
  readonly spec?: string;
  readonly kernel?: string;
  readonly jobs: number;
  readonly maxInstructions: number;
  readonly fullUnit: boolean;
  readonly profile?: string;
}

/** The options of a job that this subcommand takes as flags: see job/options.ts. */
export const addJobOptions = (command: Command): Command => addTableFlags(command, JOB_OPTIONS);

/** The job that the flags of a subcommand describe. */
export const jobOptions = (flags: object): Partial<JobOptions> => optionsFromFlags(JOB_OPTIONS, flags);

/** What `compile` and `batch` write, and on how many threads. */
export function addOutputOptions(command: Command): Command {
  return addJobsOption(
    command.addOption(
      new Option('--emit <kind>', 'what to write')
        .choices([...EMIT_KINDS, 'fatbin', ...(command.name() === 'compile' ? ['i'] : [])])
        .default(DEFAULT_OPTIONS.emit[0]),
    ),
  );
}

const jobsOption = (about = 'worker threads'): Option =>
  new Option('-j, --jobs <n>', about).argParser(numeric(1, 256, { whole: true }));

const addJobsOption = (command: Command): Command => command.addOption(jobsOption().default(1));

/** `--jobs` of the subcommands that take the whole machine, if they are not told otherwise. */
export const addAllJobsOption = (command: Command, about?: string): Command =>
  command.addOption(jobsOption(about).default(availableParallelism(), 'as many as the machine runs at once'));

/** Of the subcommands that run until they are told to end. */
export const addLogLevelOption = (command: Command): Command =>
  command.addOption(
    new Option('--log-level <level>', 'least important lines of the log, as JSON on standard error')
      .choices(['info', 'error', 'silent'])
      .default('info'),
  );

export function addRemarksOption(command: Command): Command {
  return command.option(
    '--remarks <file>',
    'what melds, what does not and why, as YAML (docs/remarks.md); - for standard output',
  );
}

export function addRunOptions(command: Command): Command {
  return command
    .option('--json', 'print one JSON document on standard output', false)
    .addOption(seconds('--timeout <seconds>', 'most time for reading, and for each step of a job; 0: no limit', 600))
    .addOption(mebibytes('--memory-limit <MiB>', "most memory of LLVM's, 64 to 4096", 4096, 64, 4096));
}

/** A single worker is not worth its start, 0.1 s: the main thread does the work. */
export const threadsFor = ({ jobs }: { readonly jobs: number }): number => (jobs === 1 ? 0 : jobs);

export function addSimulateOptions(command: Command): Command {
  command
    .option('--spec <file>', 'launch specification (docs/launch-spec.md)')
    .option('--kernel <name>', "the kernel to launch (default: the spec's)")
    .option('--profile <file>', 'where lanes idle and what time goes to, as .html or .json (docs/profile.md)');
  return addTableFlags(addJobsOption(command), SIMULATION_OPTIONS);
}

/** How the flags of a subcommand want kernels simulated. */
export const simulationOptions = (flags: object): Partial<SimulationOptions> =>
  optionsFromFlags(SIMULATION_OPTIONS, flags);

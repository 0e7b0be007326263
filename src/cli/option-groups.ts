/** Groups of options that several subcommands share: what commander hands over, how it is parsed, and the job it describes. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { DEFAULT_OPTIONS, type Emit, type JobOptions } from '../job/options.js';
import { DEFAULT_SIMULATION } from '../simulator/options.js';

/** Options that `compile` and `analyze` share, as commander hands them over. */
export interface JobFlags {
  readonly mcpu?: string;
  readonly optimize: JobOptions['optimize'];
  readonly meldPoint: JobOptions['meldPoint'];
  readonly meld: JobOptions['meld'];
  readonly profit: JobOptions['profit'];
  readonly threshold: number;
  readonly regionReplication: boolean;
  readonly unpredicate: JobOptions['unpredicate'];
  readonly function: string[];
  readonly verifyAnalyses: boolean;
}

/** Options of the subcommands that write compiled code. */
export interface OutputFlags {
  readonly emit: Emit | 'fatbin';
  readonly jobs: number;
  readonly codegenLevel: JobOptions['codegenLevel'];
  readonly once: boolean;
}

/** Options of every subcommand that runs LLVM. */
export interface RunFlags {
  readonly json: boolean;
  /** Milliseconds; 0: none. */
  readonly timeout: number;
  /** Bytes. */
  readonly memoryLimit: number;
}

/** Options of the subcommands that simulate. */
export interface SimulateFlags extends RunFlags {
  readonly spec?: string;
  readonly kernel?: string;
  readonly jobs: number;
  readonly maxInstructions: number;
  readonly checkLds: boolean;
  readonly unalignedLds: boolean;
  readonly detectRaces: boolean;
  readonly cycles: boolean;
}

const MIB = 2 ** 20;

/** An option's number; `scale` turns the command line's unit into ours. */
export function numeric(low: number, high: number, { whole = false, scale = 1 } = {}): (text: string) => number {
  return (text) => {
    const value = text.trim() === '' ? NaN : Number(text);
    if (!(value >= low && value <= high) || (whole && !Number.isInteger(value)))
      throw new InvalidArgumentError(`It must be a ${whole ? 'whole ' : ''}number from ${low} to ${high}.`);
    return value * scale;
  };
}

export function addJobOptions(command: Command): Command {
  return command
    .option(
      '--mcpu <target>',
      "target id, e.g. gfx90a:sramecc+:xnack- (default: the functions' own); for a fat binary several, with commas or repeated",
      (target, before: string | undefined) => (before === undefined ? target : `${before},${target}`),
    )
    .addOption(
      new Option('--optimize <level>', "LLVM's optimisation pipeline")
        .choices(['none', 'O1', 'O2', 'O3', 'Os'])
        .default(DEFAULT_OPTIONS.optimize),
    )
    .addOption(
      new Option('--meld-point <point>', 'meld before LLVM unrolls, hoists and sinks (needs --optimize), or after')
        .choices(['early', 'late'])
        .default(DEFAULT_OPTIONS.meldPoint),
    )
    .addOption(
      new Option('--profit <model>', 'what decides whether a meld pays')
        .choices(['net', 'paper'])
        .default(DEFAULT_OPTIONS.profit),
    )
    .option(
      '--threshold <value>',
      'least profitability of a meld, 0 to 0.5',
      numeric(0, 0.5),
      DEFAULT_OPTIONS.threshold,
    )
    .addOption(
      new Option('--meld <mode>', "how to meld; branch-fusion and tail-merge are the paper's baselines")
        .choices(['darm', 'branch-fusion', 'tail-merge', 'off'])
        .default(DEFAULT_OPTIONS.meld),
    )
    .option('--no-region-replication', 'a block melds with blocks only, not with a block of a region')
    .addOption(
      new Option('--unpredicate <when>', 'when instructions without a partner run for their own threads only')
        .choices(['always', 'profitable', 'never'])
        .default(DEFAULT_OPTIONS.unpredicate),
    )
    .option('--function <name>', 'only this function; may be repeated', (name, names: string[]) => [...names, name], [])
    .option('--verify-analyses', "compare every analysis with LLVM's own", false);
}

/** What `compile` and `batch` write, and how hard they work on it. */
export function addOutputOptions(command: Command): Command {
  return command
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
    .option('--once', 'one round of melding instead of all that pay', false);
}

export function addRemarksOption(command: Command): Command {
  return command.option(
    '--remarks <file>',
    'what melds, what does not and why, as YAML (docs/remarks.md); - for standard output',
  );
}

export function addRunOptions(command: Command): Command {
  return command
    .option('--json', 'print one JSON document on standard output', false)
    .addOption(
      new Option('--timeout <seconds>', 'give up after this time')
        .argParser(numeric(0, 2_000_000, { scale: 1000 }))
        .default(0, 'none'),
    )
    .addOption(
      new Option('--memory-limit <MiB>', "most memory of LLVM's, 64 to 4096")
        .argParser(numeric(64, 4096, { whole: true, scale: MIB }))
        .default(4096 * MIB, '4096'),
    );
}

export function addSimulateOptions(command: Command): Command {
  return command
    .option('--spec <file>', 'launch specification (docs/launch-spec.md)')
    .option('--kernel <name>', "the kernel to launch (default: the spec's)")
    .option('-j, --jobs <n>', 'worker threads', numeric(1, 256, { whole: true }), 1)
    .option(
      '--max-instructions <n>',
      'wavefront instructions that one workgroup may execute',
      numeric(1, Number.MAX_SAFE_INTEGER, { whole: true }),
      DEFAULT_SIMULATION.maxInstructions,
    )
    .option('--detect-races', 'unordered accesses to LDS or global memory of which one writes are an error', false)
    .option('--no-cycles', 'no cycle estimate')
    .option('--unaligned-lds', 'LDS accesses that are not aligned are no error', false)
    .option('--check-lds', 'reading LDS that nothing was written to is an error', false);
}

/** The job that the flags of a subcommand describe. */
export function jobOptions(flags: JobFlags): Partial<JobOptions> {
  return {
    mcpu: flags.mcpu ?? null,
    optimize: flags.optimize,
    meldPoint: flags.meldPoint,
    meld: flags.meld,
    profit: flags.profit,
    threshold: flags.threshold,
    regionReplication: flags.regionReplication,
    unpredicate: flags.unpredicate,
    functions: [...new Set(flags.function)],
    verifyAnalyses: flags.verifyAnalyses,
  };
}

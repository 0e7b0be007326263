/** The command line: which subcommand, with which options. Parsing is commander's; mistakes become `usage` errors. */
import { readFileSync } from 'node:fs';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { DarmError } from '../errors.js';
import { DEFAULT_SIMULATION } from '../simulator/options.js';
import { DEFAULT_OPTIONS, type Emit, type JobOptions } from '../options.js';

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

/** Options of every subcommand that runs LLVM. */
export interface RunFlags {
  readonly json: boolean;
  /** Milliseconds; 0: none. */
  readonly timeout: number;
  /** Bytes. */
  readonly memoryLimit: number;
}

export interface CompileFlags extends JobFlags, RunFlags {
  readonly output?: string;
  readonly emit: Emit;
  readonly jobs: number;
  readonly codegenLevel: JobOptions['codegenLevel'];
  readonly once: boolean;
  readonly stats: boolean;
  readonly quiet: boolean;
  readonly remarks?: string;
}

export interface AnalyzeFlags extends JobFlags, RunFlags {
  readonly remarks?: string;
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

export interface RunCommandFlags extends SimulateFlags {
  readonly trace: boolean;
  readonly traceFile?: string;
  readonly coverage: boolean;
  readonly outDir?: string;
}

export interface CheckFlags extends JobFlags, SimulateFlags {
  readonly codegenLevel: JobOptions['codegenLevel'];
  readonly seeds: number;
  readonly tolerance?: number;
}

export type Invocation =
  | { readonly command: 'compile'; readonly input: string; readonly flags: CompileFlags }
  | { readonly command: 'analyze'; readonly input: string; readonly flags: AnalyzeFlags }
  | { readonly command: 'inspect'; readonly input: string; readonly flags: RunFlags }
  | { readonly command: 'run'; readonly input: string; readonly flags: RunCommandFlags }
  | { readonly command: 'check'; readonly input: string; readonly other?: string; readonly flags: CheckFlags }
  /** `--help`, `--version`: nothing is left to do but print. */
  | { readonly command: 'print'; readonly text: string };

const MIB = 2 ** 20;

/** An option's number; `scale` turns the command line's unit into ours. */
function numeric(low: number, high: number, { whole = false, scale = 1 } = {}): (text: string) => number {
  return (text) => {
    const value = text.trim() === '' ? NaN : Number(text);
    if (!(value >= low && value <= high) || (whole && !Number.isInteger(value)))
      throw new InvalidArgumentError(`It must be a ${whole ? 'whole ' : ''}number from ${low} to ${high}.`);
    return value * scale;
  };
}

const version = (): string => {
  const file = new URL('../../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
};

function addJobOptions(command: Command): Command {
  return command
    .option('--mcpu <target>', "target id, e.g. gfx90a:sramecc+:xnack- (default: the functions' own)")
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

function addRemarksOption(command: Command): Command {
  return command.option(
    '--remarks <file>',
    'what melds, what does not and why, as YAML (docs/remarks.md); - for standard output',
  );
}

function addRunOptions(command: Command): Command {
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

function addSimulateOptions(command: Command): Command {
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

/** @throws DarmError `usage` */
export function parseArguments(argv: readonly string[]): Invocation {
  let invocation: Invocation | null = null;
  let printed = '';
  const program = new Command('darm')
    .description('GPU kernels: LLVM bitcode in, melded bitcode and AMD code objects out.')
    .version(version(), '-v, --version')
    .exitOverride()
    .configureOutput({ writeOut: (text) => (printed += text), writeErr: () => {} });

  const compile = program
    .command('compile')
    .description('meld and compile a module')
    .argument('<input>', '.bc, .ll, wrapped bitcode, or - for standard input')
    .option('-o, --output <file>', 'output file, or - for standard output (default: named after the input)')
    .addOption(
      new Option('--emit <kind>', 'what to write')
        .choices(['hsaco', 'obj', 'asm', 'bc', 'll', 'ptx'])
        .default(DEFAULT_OPTIONS.emit[0]),
    )
    .option('-j, --jobs <n>', 'worker threads', numeric(1, 256, { whole: true }), 1)
    .addOption(
      new Option('-O, --codegen-level <level>', 'code generation level, 0 to 3')
        .argParser(numeric(0, 3, { whole: true }))
        .default(DEFAULT_OPTIONS.codegenLevel),
    )
    .option('--once', 'one round of melding instead of all that pay', false)
    .option('--stats', 'compile without melding too and compare', false)
    .option('--quiet', 'no warnings', false);
  addRunOptions(addRemarksOption(addJobOptions(compile))).action((input: string, flags: CompileFlags) => {
    invocation = { command: 'compile', input, flags };
  });

  const analyze = program
    .command('analyze')
    .description('say what melding would do, and change nothing')
    .argument('<input>', '.bc, .ll, wrapped bitcode, or - for standard input');
  addRunOptions(addRemarksOption(addJobOptions(analyze))).action((input: string, flags: AnalyzeFlags) => {
    invocation = { command: 'analyze', input, flags };
  });

  const inspect = program
    .command('inspect')
    .description('say what a code object or a module holds')
    .argument('<file>', 'a code object, .bc, .ll, wrapped bitcode, or - for standard input');
  addRunOptions(inspect).action((input: string, flags: RunFlags) => {
    invocation = { command: 'inspect', input, flags };
  });

  const run = program
    .command('run')
    .description('execute a code object in the simulator')
    .argument('<file>', 'a linked code object, or - for standard input')
    .option('--trace', 'print every executed instruction on standard output', false)
    .option('--trace-file <file>', 'write every executed instruction to a file')
    .option('--coverage', 'list the operations that the simulator lacks, and run nothing', false)
    .option('--out-dir <folder>', 'write outputs there as NAME.bin');
  addRunOptions(addSimulateOptions(run)).action((input: string, flags: RunCommandFlags) => {
    invocation = { command: 'run', input, flags };
  });

  const check = program
    .command('check')
    .description('compile with and without melding, run both, compare memory and counters')
    .argument('<input>', '.bc, .ll, wrapped bitcode, or - for standard input; or a code object')
    .argument('[other]', 'another code object, to be compared with the first')
    .addOption(
      new Option('-O, --codegen-level <level>', 'code generation level, 0 to 3')
        .argParser(numeric(0, 3, { whole: true }))
        .default(DEFAULT_OPTIONS.codegenLevel),
    )
    .option('--seeds <n>', 'without a spec: how many made-up inputs', numeric(1, 1000, { whole: true }), 4)
    .option('--tolerance <x>', 'relative difference of floats that counts as none', numeric(0, 1));
  addRunOptions(addSimulateOptions(addJobOptions(check))).action(
    (input: string, other: string | undefined, flags: CheckFlags) => {
      invocation = { command: 'check', input, flags, ...(other !== undefined && { other }) };
    },
  );

  try {
    program.parse(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { command: 'print', text: printed };
    const message = error.code === 'commander.help' ? 'no subcommand; try darm --help' : error.message;
    throw new DarmError('usage', message.replace(/^error: /, ''));
  }
  if (invocation === null) throw new DarmError('usage', 'no subcommand; try darm --help');
  return invocation;
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

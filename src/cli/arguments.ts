/** The command line: which subcommand, with which options. Parsing is commander's; mistakes become `usage` errors. */
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { DarmError } from '../errors.js';
import { addBundleCommand, type BundleInvocation } from './bundle-arguments.js';
import { addBatch, type BatchFlags } from './batch-arguments.js';
import {
  addCache,
  addRemoteCacheOptions,
  type CacheAction,
  type CacheCommandFlags,
  type RemoteCacheFlags,
} from './cache-arguments.js';
import {
  addAllJobsOption,
  addJobOptions,
  addOutputOptions,
  addRemarksOption,
  addRunOptions,
  addSimulateOptions,
  type OutputFlags,
  type RunFlags,
  type SimulateFlags,
} from './option-groups.js';
import { withDepfileFlags } from './depfile.js';
import { numeric, portNumber } from './option-flags.js';
import { addTune, type TuneFlags } from './tune-arguments.js';
import type { FleetFlags } from './fleet.js';
import { addFleetOptions, addWorkerCommand, type WorkerFlags } from './queue-arguments.js';
import { addServeCommand, type ServeFlags } from './serve-arguments.js';
import { emitOf, takeClangFlags, type SourceFlags } from './source.js';
import { packageVersion } from '../compiler/version.js';

export interface CompileFlags extends Omit<OutputFlags, 'emit'>, RunFlags, SourceFlags, RemoteCacheFlags {
  /** `i`: preprocessed text. */
  readonly emit: OutputFlags['emit'] | 'i';
  readonly output?: string;
  readonly stats: boolean;
  readonly quiet: boolean;
  readonly remarks?: string;
  readonly cache?: string;
  readonly depfile: boolean;
  readonly depfilePath?: string;
  readonly depfileTarget: readonly string[];
  readonly depfilePhony: boolean;
  readonly report?: string;
  readonly spec?: string;
  readonly plan?: string;
  readonly server?: string;
  readonly serverFallback: boolean;
}

export interface AnalyzeFlags extends RunFlags, SourceFlags {
  readonly remarks?: string;
  readonly html?: string;
  readonly dot?: string;
}

export interface RunCommandFlags extends SimulateFlags {
  readonly trace: boolean;
  readonly traceFile?: string;
  readonly coverage: boolean;
  readonly outDir?: string;
}

export interface CheckFlags extends SimulateFlags, SourceFlags, FleetFlags {
  readonly seeds: number;
  readonly plan?: string;
  readonly tolerance?: number;
}

export interface ExploreFlags {
  readonly host: string;
  readonly port: number;
  readonly jobs: number;
}

export type Invocation =
  | { readonly command: 'compile'; readonly input: string; readonly flags: CompileFlags }
  | { readonly command: 'analyze'; readonly input: string; readonly flags: AnalyzeFlags }
  | { readonly command: 'inspect'; readonly input: string; readonly flags: RunFlags }
  | { readonly command: 'run'; readonly input: string; readonly flags: RunCommandFlags }
  | { readonly command: 'check'; readonly input: string; readonly other?: string; readonly flags: CheckFlags }
  | { readonly command: 'tune'; readonly input: string; readonly flags: TuneFlags }
  | { readonly command: 'batch'; readonly inputs: readonly string[]; readonly flags: BatchFlags }
  | { readonly command: 'cache'; readonly action: CacheAction; readonly flags: CacheCommandFlags }
  | { readonly command: 'toolchain-digest' }
  | { readonly command: 'persistent-worker' }
  | { readonly command: 'prepare'; readonly flags: { readonly json: boolean } }
  | { readonly command: 'versions'; readonly version: string }
  | BundleInvocation
  | { readonly command: 'serve'; readonly flags: ServeFlags }
  | { readonly command: 'worker'; readonly flags: WorkerFlags }
  | { readonly command: 'explore'; readonly flags: ExploreFlags }
  /** `--help`, `--version`: nothing is left to do but print. */
  | { readonly command: 'print'; readonly text: string };

/** Is told what the command was asked for. */
type Found = (invocation: Invocation) => void;

/** The command with its subcommands and flags. */
export function commandLine(found: Found): Command {
  const program = new Command('darm')
    .description('GPU kernels: HIP C++, OpenCL C or LLVM bitcode in, melded bitcode and AMD code objects out.')
    .version(packageVersion(), '-v, --version')
    .option('--verbose', 'with --version: of LLVM and Node, too, and whether there is prepared code')
    // Behind a subcommand, -v and the like are none of its flags, and no reason to do something else.
    .enablePositionalOptions()
    .exitOverride();
  addCompile(program, found);
  addAnalyze(program, found);
  addInspect(program, found);
  addRun(program, found);
  addCheck(program, found);
  addTune(program, (input, flags) => found({ command: 'tune', input, flags }));
  addBatch(program, (inputs, flags) => found({ command: 'batch', inputs, flags }));
  addCache(program, (action, flags) => found({ command: 'cache', action, flags }));
  addBuildSystems(program, found);
  addPrepare(program, found);
  addBundleCommand(program, found);
  addServeCommand(program, (flags) => found({ command: 'serve', flags }));
  addWorkerCommand(program, (flags) => found({ command: 'worker', flags }));
  addExplore(program, found);
  return program;
}

function addCompile(program: Command, found: Found): void {
  const compile = program
    .command('compile')
    .description('meld and compile a module, or with --emit fatbin the modules of an offload bundle')
    .argument('<input>', '.hip, .cl, .bc, .ll, wrapped bitcode, an offload bundle, or - for standard input')
    .option('-o, --output <file>', 'output file, or - for standard output (default: named after the input)')
    .option('--quiet', 'no warnings', false)
    .option('--cache <folder>', 'keep results there, and take them from there')
    .option('--server <address>', 'compile at a darm serve: unix:/PATH or http://HOST:PORT (docs/fleet.md)')
    .option('--server-fallback', 'with --server: compile here when the server cannot be reached or is full', false)
    .option('--depfile', 'write a dependency file for make or ninja beside the output (also -MD)', false)
    .option('--depfile-path <file>', 'write it there (also -MF)')
    .option(
      '--depfile-target <name>',
      'what depends on the input, as make reads it; may be repeated (default: the output; also -MT, and -MQ, which escapes)',
      (name: string, others: readonly string[]) => [...others, notEmpty(name)],
      [],
    )
    .option('--depfile-phony', 'with an empty rule for each header, so that one may be deleted (also -MP)', false)
    .option('--report <file>', 'what melded and what did not as an HTML page (docs/report.md); - for standard output')
    .option('--spec <file>', 'with --report: launch specification, to be simulated without and with melding');
  addRunOptions(addRemarksOption(addJobOptions(addOutputOptions(addRemoteCacheOptions(compile))))).action(
    (input: string, flags: CompileFlags) => {
      found({ command: 'compile', input, flags });
    },
  );
}

function addAnalyze(program: Command, found: Found): void {
  const analyze = program
    .command('analyze')
    .description('say what melding would do, and change nothing')
    .argument('<input>', '.hip, .cl, .bc, .ll, wrapped bitcode, or - for standard input')
    .option('--html <file>', 'what would meld as an HTML page (docs/report.md); - for standard output')
    .option('--dot <folder>', "control-flow graphs for Graphviz, named as LLVM's dot-cfg does: .FUNCTION.dot");
  addRunOptions(addRemarksOption(addJobOptions(analyze))).action((input: string, flags: AnalyzeFlags) => {
    found({ command: 'analyze', input, flags });
  });
}

function addInspect(program: Command, found: Found): void {
  const inspect = program
    .command('inspect')
    .description('say what a code object or a module holds')
    .argument('<file>', 'a code object, .bc, .ll, wrapped bitcode, an offload bundle, or - for standard input');
  addRunOptions(inspect).action((input: string, flags: RunFlags) => {
    found({ command: 'inspect', input, flags });
  });
}

function addRun(program: Command, found: Found): void {
  const run = program
    .command('run')
    .description('execute a code object in the simulator')
    .argument('<file>', 'a linked code object, or - for standard input')
    .option('--trace', 'print every executed instruction on standard output', false)
    .option('--trace-file <file>', 'write every executed instruction to a file')
    .option('--coverage', 'list the operations that the simulator lacks, and run nothing', false)
    .option('--out-dir <folder>', 'write outputs there as NAME.bin');
  addRunOptions(addSimulateOptions(run)).action((input: string, flags: RunCommandFlags) => {
    found({ command: 'run', input, flags });
  });
}

function addCheck(program: Command, found: Found): void {
  const check = program
    .command('check')
    .description('compile with and without melding, run both, compare memory and counters')
    .argument('<input>', '.hip, .cl, .bc, .ll, wrapped bitcode, or - for standard input; or a code object')
    .argument('[other]', 'another code object, to be compared with the first')
    .option('--seeds <n>', 'without a spec: how many made-up inputs', numeric(1, 1000, { whole: true }), 4)
    .option('--tolerance <x>', 'relative difference of floats that counts as none', numeric(0, 1));
  addRemoteCacheOptions(addFleetOptions(check, 'simulate'));
  addRunOptions(addSimulateOptions(addJobOptions(check))).action(
    (input: string, other: string | undefined, flags: CheckFlags) => {
      found({ command: 'check', input, flags, ...(other !== undefined && { other }) });
    },
  );
}

/** What build systems call instead of a subcommand. */
function addBuildSystems(program: Command, found: Found): void {
  program
    .option(
      '--toolchain-digest',
      'print what decides, beside input and options, which bytes come out; for build systems',
    )
    .on('option:toolchain-digest', () => found({ command: 'toolchain-digest' }));
  program
    .option('--persistent_worker', "work as a persistent worker of Bazel's, with JSON (docs/fleet.md)")
    .on('option:persistent_worker', () => found({ command: 'persistent-worker' }));
}

function addPrepare(program: Command, found: Found): void {
  program
    .command('prepare')
    .description(
      'make optimised code of LLVM for this Node and this processor, with which later processes start faster',
    )
    .option('--json', 'print one JSON document on standard output', false)
    .action((flags: { json: boolean }) => found({ command: 'prepare', flags }));
}

function addExplore(program: Command, found: Found): void {
  const explore = program
    .command('explore')
    .description('a page for a browser: kernels, their melds, IR, machine code and launches (docs/explorer.md)')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('-p, --port <n>', 'port to listen on; 0: any that is free', portNumber, 8077);
  addAllJobsOption(explore).action((flags: ExploreFlags) => found({ command: 'explore', flags }));
}

/** Options of a job whose defaults depend on the input or on the command. */
const DEPENDENT = ['optimize', 'codegenLevel', 'meldPoint'] as const;

function withSourceFlags(program: Command, found: Invocation, clang: readonly string[]): Invocation {
  if (!('flags' in found)) return found;
  const command = program.commands.find((each) => each.name() === found.command);
  const unset = DEPENDENT.filter((name) => command?.getOptionValueSource(name) !== 'cli');
  return { ...found, flags: { ...found.flags, ...writtenBy(found, command, clang), clang, unset } } as Invocation;
}

/** `-E`, `-S` and `-emit-llvm` say what to write, unless `--emit` does. Preprocessed text goes to standard output. */
function writtenBy(found: Invocation, command: Command | undefined, clang: readonly string[]): object {
  if (found.command !== 'compile' && found.command !== 'batch') return {};
  const emit = command?.getOptionValueSource('emit') === 'cli' ? null : emitOf(clang);
  if (emit === null) return {};
  if (emit === 'i' && found.command === 'batch') throw new DarmError('usage', '-E is for darm compile');
  return { emit, ...(emit === 'i' && found.command === 'compile' && { output: found.flags.output ?? '-' }) };
}

/** Scripts whose variable is not set give nothing. As an address to listen on that would be all addresses. */
function notEmpty(given: string): string {
  if (given === '') throw new InvalidArgumentError('It must not be empty.');
  return given;
}

/** Whether words ask for the version, and for nothing else. */
const asksVersion = (words: readonly string[]): boolean =>
  words.some((word) => word !== '--verbose') && words.every((word) => ['-v', '--version', '--verbose'].includes(word));

/** @throws DarmError `usage` */
export function parseArguments(argv: readonly string[]): Invocation {
  let invocation: Invocation | null = null;
  let printed = '';
  const { own, clang } = takeClangFlags(argv);
  const program = commandLine((found) => (invocation = withSourceFlags(program, found, clang)));
  for (const command of [program, ...program.commands]) {
    command.configureOutput({ writeOut: (text) => (printed += text), writeErr: () => {} });
    for (const option of command.options)
      if (option.required && option.parseArg === undefined) option.argParser(notEmpty);
  }
  // Build systems ask a compiler by its whole command, which has a subcommand.
  const isSubcommand = program.commands.some((each) => each.name() === argv[0]);
  const words = isSubcommand && asksVersion(argv.slice(1)) ? argv.slice(1) : own;
  try {
    program.parse(words[0] === 'compile' ? withDepfileFlags(words) : words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (invocation !== null) return invocation;
    if (error.code === 'commander.version' && argv.includes('--verbose'))
      return { command: 'versions', version: printed.trim() };
    if (error.exitCode === 0) return { command: 'print', text: printed };
    const missing = argv[0] === 'help' ? `unknown command '${argv[1]}'` : 'no subcommand; try darm --help';
    const message = error.code === 'commander.help' ? missing : error.message;
    throw new DarmError('usage', message.replace(/^error: /, '').replaceAll('\n', ' '));
  }
  if (invocation === null) throw new DarmError('usage', 'no subcommand; try darm --help');
  return invocation;
}

/** The options of a compile or analyze job: every layer from the command to the worker passes them on as they are. */
import { DarmError } from '../errors.js';
import { parsePlan } from './tuned-plan.js';
import {
  boolean,
  choice,
  completeOptions,
  defaultsOf,
  listOf,
  nullable,
  numberIn,
  option,
  text,
  type OptionsOf,
} from './option-table.js';

/** Subcommands of `darm` whose work the options are about. */
const ALL = ['compile', 'batch', 'analyze', 'check'];
const WRITING = ['compile', 'batch'];
/** `darm tune` decides the rest. */
const ALL_AND_TUNE = [...ALL, 'tune'];

/** What a compilation can write. */
export const EMIT_KINDS = ['hsaco', 'obj', 'asm', 'bc', 'll', 'ptx'] as const;

/** Into how many parts a module may be divided. */
const PARTITIONS = ['auto', 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16] as const;
/** What parts of a module do not have together. */
const OF_WHOLE_MODULES: readonly string[] = ['obj', 'asm', 'ptx'];

/** To add an option, add an entry, and use it where it matters. */
export const JOB_OPTIONS = {
  emit: option(listOf(choice(...EMIT_KINDS), 1), {
    default: ['hsaco'],
    about: 'what to write; a job can write several kinds at once',
  }),
  mcpu: option(nullable(text), {
    default: null,
    about: 'target id, e.g. gfx90a:sramecc+:xnack-; without it the processor that the functions name',
    flag: {
      commands: ALL_AND_TUNE,
      value: 'target',
      help: "target id, e.g. gfx90a:sramecc+:xnack- (default: the functions' own); for a fat binary several, with commas or repeated",
    },
  }),
  codegenLevel: option(choice(0, 1, 2, 3), {
    default: 2,
    about: 'code generation level, 0 to 3, as -O of llc',
    flag: {
      commands: ['compile', 'batch', 'check', 'tune'],
      letter: 'O',
      value: 'level',
      byDefault: () => '2 (source: 3)',
    },
  }),
  optimize: option(choice('none', 'O1', 'O2', 'O3', 'Os'), {
    default: 'none',
    about: "LLVM's optimisation pipeline",
    flag: { commands: ALL_AND_TUNE, value: 'level', byDefault: () => 'none (source: O3)' },
  }),
  meld: option(choice('darm', 'branch-fusion', 'tail-merge', 'off'), {
    default: 'darm',
    about: "how to meld; branch-fusion and tail-merge are the paper's baselines",
    flag: { commands: ALL, value: 'mode' },
  }),
  meldPoint: option(choice('early', 'late', 'auto'), {
    default: 'late',
    about:
      'meld before LLVM unrolls, hoists and sinks (early, which needs an optimisation level), after, or where the cost ' +
      'model expects more of it (auto)',
    flag: {
      commands: ALL_AND_TUNE,
      value: 'point',
      byDefault: (command) => (command === 'tune' ? 'auto' : 'late'),
    },
  }),
  profit: option(choice('net', 'size', 'paper'), {
    default: 'net',
    about:
      "what decides whether a meld pays: the cost model's net cycles, the bytes of machine code, or the paper's metric alone",
    flag: { commands: ALL, value: 'model' },
  }),
  threshold: option(nullable(numberIn(0, 0.5)), {
    default: null,
    about: "least profitability of a meld by the paper's metric, 0 to 0.5; without it 0.2, with the profit size 0",
    flag: {
      commands: ALL,
      value: 'value',
      help: "least profitability of a meld by the paper's metric, 0 to 0.5 (default: 0.2, with --profit size 0)",
    },
  }),
  regionReplication: option(boolean, {
    default: true,
    about: 'a block may meld with a block of a region',
    flag: { commands: ALL_AND_TUNE, help: 'a block melds with blocks only, not with a block of a region' },
  }),
  unpredicate: option(choice('always', 'profitable', 'never'), {
    default: 'profitable',
    about: 'when instructions without a partner run for their own threads only',
    flag: { commands: ALL, value: 'when' },
  }),
  versions: option(choice('auto', 'always', 'never'), {
    default: 'auto',
    about: 'where waves are asked whether they part, so that only those that do run melded code',
    flag: { commands: ALL, value: 'when' },
  }),
  plan: option(nullable(text), {
    default: null,
    about: 'what darm tune found: the text of its plan, which decides for the functions that it fits',
    flag: { commands: ['compile', 'batch', 'check'], value: 'file', help: 'what darm tune found (docs/tune.md)' },
  }),
  deviceLibs: option(choice('auto', 'available', 'always', 'never'), {
    default: 'auto',
    about:
      "whether AMD's device libraries (__ocml_, __ockl_) are linked into bitcode that calls them: auto does so for hsaco, available wherever there are some for the processor",
    flag: { commands: ALL_AND_TUNE, value: 'when' },
  }),
  partitions: option(choice<(typeof PARTITIONS)[number]>(...PARTITIONS), {
    default: 1,
    about:
      'generate code for parts of the module side by side; 1: the module stays whole, and the bytes are those of llc',
    flag: {
      commands: WRITING,
      value: 'number',
      help: 'generate code for up to 16 parts of the module side by side, or auto: as many as its size asks for',
    },
  }),
  functions: option(listOf(text), {
    default: [],
    about: 'meld only these functions; empty means all',
    flag: { commands: ALL_AND_TUNE, name: 'function', value: 'name', help: 'only this function; may be repeated' },
  }),
  once: option(boolean, {
    default: false,
    about: 'one round of melding instead of all that pay',
    flag: { commands: WRITING },
  }),
  stats: option(boolean, {
    default: false,
    about: 'compile without melding, too, and report the figures of both',
    flag: { commands: ['compile'] },
  }),
  remarks: option(boolean, { default: false, about: 'say what melded, what did not, and why' }),
  report: option(boolean, { default: false, about: 'record what a report page shows' }),
  verifyAnalyses: option(boolean, {
    default: false,
    about: "compare every analysis with LLVM's own; a difference is an internal error",
    flag: { commands: ALL_AND_TUNE },
  }),
} as const;

/** One property for each entry of `JOB_OPTIONS`; docs/command.md lists them with their defaults. */
export type JobOptions = OptionsOf<typeof JOB_OPTIONS>;

export type Emit = JobOptions['emit'][number];
export type OptimizeLevel = JobOptions['optimize'];
export type MeldPoint = JobOptions['meldPoint'];

export const DEFAULT_OPTIONS: JobOptions = defaultsOf(JOB_OPTIONS);

/** The paper's threshold is about time: it keeps melds away that can spare little of it. */
export const thresholdOf = ({ threshold, profit }: Pick<JobOptions, 'threshold' | 'profit'>): number =>
  threshold ?? (profit === 'size' ? 0 : 0.2);

/**
 * What is shown of a job that is about a code object, but writes something else: with the libraries that it would have.
 * Where there are none for the processor, the module is shown as it is.
 */
export const asForCodeObject = <Options extends Partial<JobOptions>>(options: Options): Options =>
  (options.deviceLibs ?? 'auto') === 'auto' ? { ...options, deviceLibs: 'available' } : options;

/** Whether the module has nothing to say about the options: see src/pipeline/settle.ts. */
export const isSettled = ({ plan, meldPoint }: JobOptions): boolean => plan === null && meldPoint !== 'auto';

/** @throws DarmError `usage`, which names the option that is not known or has an impossible value */
export function completeJobOptions(where: string, given: Partial<JobOptions>): JobOptions {
  const options = completeOptions(where, given, JOB_OPTIONS);
  if (options.meldPoint === 'early' && options.optimize === 'none')
    throw new DarmError(
      'usage',
      `an early meld point in ${where} needs an optimisation level: optimize must not be none`,
    );
  // Mistakes are told before the job waits for its turn.
  if (options.plan !== null) parsePlan(options.plan);
  if (options.plan !== null && options.profit === 'size')
    throw new DarmError(
      'usage',
      `a plan in ${where} is about cycles, the profit size about bytes: a job has one of both`,
    );
  const kind = options.emit.find((each) => OF_WHOLE_MODULES.includes(each));
  if (options.partitions !== 1 && kind !== undefined)
    throw new DarmError('usage', `partitions in ${where} are for hsaco: there is no one ${kind} of several parts`);
  return options;
}

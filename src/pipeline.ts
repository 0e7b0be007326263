/**
 * What happens to a kernel, in order:
 *
 *   read → [before an early meld: LLVM passes] → per function until nothing profitable is left:
 *          snapshot → analyses → plan → edits → tidy → verify
 *   → a fresh heap → [clean-up, or LLVM's pipeline] → code generation → lld
 *
 * Melding ends in bitcode, and code generation starts from that bitcode in a heap like a new instance's: the bytes that
 * come out depend on the module and the options only, never on what this worker did before, nor on which workers melded
 * which functions. When nothing was melded, the module that came in goes through, as it would without melding.
 */
import { summarize } from './analysis/summary.js';
import { LlvmModule } from './binding/module.js';
import type { LlvmRuntime } from './binding/runtime.js';
import { DarmError } from './errors.js';
import { applyMelds } from './melding/apply.js';
import { analysesOf } from './melding/context.js';
import type { FunctionPlan } from './melding/plan.js';
import { planFunction } from './melding/planner.js';
import type { Emit, JobOptions } from './options.js';
import { AFTER_LATE_MELD, AFTER_ROUND, BEFORE_EARLY_MELD, defaultPipeline } from './passes.js';
import { parseTargetId } from './target-id.js';
import { Stopwatch } from './stopwatch.js';
import { verifyAnalyses } from './verify-analyses.js';
import type {
  AnalyzeResult,
  Artifact,
  CompileResult,
  Counts,
  EditLog,
  FunctionReport,
  LogRound,
  ModuleInfo,
} from './wire.js';

/** What a running job tells while it runs. */
export interface Events {
  progress(phase: string, functionName?: string): void;
  diagnostic(line: string): void;
}

/** Melding stops here even if the cost model should go round in circles. */
const MOST_ROUNDS = 64;

// --- Reading --------------------------------------------------------------------------------------------------------------

function read(rt: LlvmRuntime, bytes: Uint8Array, options: JobOptions): LlvmModule {
  return LlvmModule.read(rt, bytes, parseTargetId(options.mcpu), options.codegenLevel);
}

const meldsEarly = (options: JobOptions) => options.meldPoint === 'early' && options.optimize !== 'none';

/** The module at the point where melding looks at it. */
function readAtMeldPoint(rt: LlvmRuntime, bytes: Uint8Array, options: JobOptions, watch: Stopwatch): LlvmModule {
  const module = watch.time('read', () => read(rt, bytes, options));
  if (meldsEarly(options)) watch.time('optimize', () => module.runPasses(BEFORE_EARLY_MELD));
  else runDefaultPipeline(module, options, watch);
  return module;
}

function runDefaultPipeline(module: LlvmModule, options: JobOptions, watch: Stopwatch): void {
  const pipeline = defaultPipeline(options.optimize);
  if (pipeline !== null) watch.time('optimize', () => module.runPasses(pipeline));
}

export function moduleInfo(rt: LlvmRuntime, bytes: Uint8Array): ModuleInfo {
  return job(rt, () => {
    using module = LlvmModule.read(rt, bytes, { cpu: '', features: '' }, 0);
    return { triple: module.triple, functions: module.functions() };
  });
}

// --- Melding --------------------------------------------------------------------------------------------------------------

function plan(module: LlvmModule, name: string, options: JobOptions) {
  const open = module.open(name);
  const analyses = analysesOf(open.snapshot);
  if (options.verifyAnalyses) verifyAnalyses(open.snapshot, analyses, module.oracle(name));
  const chosen: FunctionPlan = planFunction(
    open.snapshot,
    analyses,
    { profit: options.profit, threshold: options.threshold },
    (t, f) => open.editor.canPair(t, f),
  );
  return { ...open, analyses, plan: chosen };
}

/** Carries out one round and checks the function. */
function carryOut(module: LlvmModule, name: string, round: LogRound, watch: Stopwatch, open = module.open(name)): void {
  using editor = open.editor;
  if (open.fingerprint !== round.fingerprint)
    throw new DarmError('internal', `the edit log of '${name}' belongs to another function body`);
  watch.time('meld', () => {
    applyMelds(editor, round.melds);
    module.foldPhis(name);
    module.runFunctionPasses(name, AFTER_ROUND);
  });
  watch.time('verify', () => module.verify(name));
}

/** Melds one function to the fixpoint. A failure leaves the rounds that went well and the reason. */
function meldFunction(module: LlvmModule, name: string, options: JobOptions, watch: Stopwatch): EditLog {
  const rounds: LogRound[] = [];
  const most = options.once ? 1 : MOST_ROUNDS;
  try {
    while (rounds.length < most) {
      const open = watch.time('meld', () => plan(module, name, options));
      if (open.plan.melds.length === 0) {
        open.editor[Symbol.dispose]();
        break;
      }
      const round = { fingerprint: open.fingerprint, melds: open.plan.melds };
      carryOut(module, name, round, watch, open);
      rounds.push(round);
    }
    return { function: name, rounds, bailout: null };
  } catch (error) {
    if (!(error instanceof DarmError)) throw error;
    return { function: name, rounds, bailout: error.message };
  }
}

function isWanted(options: JobOptions, name: string): boolean {
  return options.functions.length === 0 || options.functions.includes(name);
}

function checkWanted(module: LlvmModule, options: JobOptions): void {
  const known = new Set(module.functions().map((fn) => fn.name));
  for (const name of options.functions)
    if (!known.has(name)) throw new DarmError('bad-input', `the module has no function '${name}'`);
}

/** Melds `names` (those the options want); the costly part of a job, for a share of the functions. */
export function meldFunctions(
  rt: LlvmRuntime,
  bytes: Uint8Array,
  options: JobOptions,
  names: readonly string[],
  events: Events,
): EditLog[] {
  if (options.meld === 'off') return [];
  return job(rt, () => meldAll(rt, bytes, options, names, events, new Stopwatch()).logs);
}

function meldAll(
  rt: LlvmRuntime,
  bytes: Uint8Array,
  options: JobOptions,
  names: readonly string[] | null,
  events: Events,
  watch: Stopwatch,
): { module: LlvmModule; logs: EditLog[] } {
  const module = readAtMeldPoint(rt, bytes, options, watch);
  checkWanted(module, options);
  const logs: EditLog[] = [];
  for (const fn of module.functions()) {
    if ((names !== null && !names.includes(fn.name)) || !isWanted(options, fn.name)) continue;
    events.progress('meld', fn.name);
    const log = meldFunction(module, fn.name, options, watch);
    if (log.bailout !== null) events.diagnostic(`'${fn.name}' is melded only in part: ${log.bailout}`);
    logs.push(log);
  }
  return { module, logs };
}

function replay(module: LlvmModule, logs: readonly EditLog[], watch: Stopwatch): void {
  const byName = new Map(logs.map((log) => [log.function, log]));
  for (const { name } of module.functions())
    for (const round of byName.get(name)?.rounds ?? []) carryOut(module, name, round, watch);
}

// --- Emitting -------------------------------------------------------------------------------------------------------------

/** What code generation starts from. */
interface Final {
  readonly bytes: Uint8Array;
  /** Names of the functions that were melded. */
  readonly melded: readonly string[];
  readonly optimize: 'all' | 'clean-up' | 'nothing';
}

function finalOf(module: LlvmModule, bytes: Uint8Array, options: JobOptions, logs: readonly EditLog[]): Final {
  const melded = logs.filter((log) => log.rounds.length > 0).map((log) => log.function);
  if (melded.length === 0) return { bytes, melded, optimize: 'all' };
  return { bytes: module.bitcode(), melded, optimize: meldsEarly(options) ? 'all' : 'clean-up' };
}

/** The final module, in a heap like a fresh instance's. */
function readFinal(rt: LlvmRuntime, final: Final, options: JobOptions, watch: Stopwatch): LlvmModule {
  watch.time('reset', () => rt.reset());
  const module = watch.time('read', () => read(rt, final.bytes, options));
  if (final.optimize === 'all') runDefaultPipeline(module, options, watch);
  else watch.time('meld', () => final.melded.forEach((name) => module.runFunctionPasses(name, AFTER_LATE_MELD)));
  return module;
}

type Code = 'asm' | 'obj';

interface Emitted {
  readonly artifacts: readonly Artifact[];
  readonly counts: ReadonlyMap<string, Counts>;
  readonly target: string;
  readonly warnings: readonly string[];
}

function emitFinal(
  rt: LlvmRuntime,
  final: Final,
  options: JobOptions,
  emit: readonly Emit[],
  withMachineCode: boolean,
  watch: Stopwatch,
): Emitted {
  const artifacts: Artifact[] = [];
  let module = readFinal(rt, final, options, watch);
  const target = module.cpu || (module.isAmdgcn ? 'amdgcn' : 'nvptx64');
  for (const kind of emit) checkEmit(kind, module);
  const counts = countFunctions(module);
  if (emit.includes('bc')) artifacts.push({ kind: 'bc', bytes: module.bitcode() });
  if (emit.includes('ll')) artifacts.push({ kind: 'll', bytes: module.text() });

  // Code generation uses the module up: each kind of code has a module of its own.
  const codes = new Set<Code>();
  if (emit.includes('asm') || emit.includes('ptx')) codes.add('asm');
  if (emit.includes('obj') || emit.includes('hsaco') || (withMachineCode && codes.size === 0))
    codes.add(module.isAmdgcn ? 'obj' : 'asm');
  let fresh = artifacts.length === 0;
  for (const code of codes) {
    if (!fresh) module = readFinal(rt, final, options, watch);
    fresh = false;
    const bytes = watch.time('codegen', () => module.emit(code));
    for (const [name, machineInstructions] of module.machineInstructions())
      if (counts.has(name)) counts.set(name, { ...counts.get(name)!, machineInstructions });
    if (code === 'asm') {
      for (const kind of ['asm', 'ptx'] as const) if (emit.includes(kind)) artifacts.push({ kind, bytes });
      continue;
    }
    if (emit.includes('obj')) artifacts.push({ kind: 'obj', bytes });
    if (emit.includes('hsaco')) artifacts.push({ kind: 'hsaco', bytes: watch.time('link', () => module.link()) });
  }
  return { artifacts, counts, target, warnings: module.warnings() };
}

function checkEmit(kind: Emit, module: LlvmModule): void {
  if (kind === 'ptx' && module.isAmdgcn) throw new DarmError('bad-target', 'ptx needs an nvptx module; this one is for amdgcn');
  if ((kind === 'hsaco' || kind === 'obj') && !module.isAmdgcn)
    throw new DarmError('bad-target', `${kind} needs an amdgcn module; this one is for nvptx (use ptx)`);
}

function countFunctions(module: LlvmModule): Map<string, Counts> {
  return new Map(
    module.functions().map(({ name, instructions }) => {
      const open = module.open(name);
      open.editor[Symbol.dispose]();
      const divergentBranches = summarize(open.snapshot, analysesOf(open.snapshot).divergence).divergentBranches;
      return [name, { divergentBranches, instructions, machineInstructions: null }];
    }),
  );
}

function report(logs: readonly EditLog[], after: Emitted, before: Emitted | null): FunctionReport[] {
  const byName = new Map(logs.map((log) => [log.function, log]));
  return [...after.counts].map(([name, counts]) => ({
    name,
    melds: (byName.get(name)?.rounds ?? []).flatMap((round) =>
      round.melds.map(({ kind, profit, net }) => ({ kind, profit, net })),
    ),
    before: before?.counts.get(name) ?? null,
    after: counts,
    bailout: byName.get(name)?.bailout ?? null,
  }));
}

function emitAll(
  rt: LlvmRuntime,
  bytes: Uint8Array,
  final: Final,
  options: JobOptions,
  logs: readonly EditLog[],
  events: Events,
  watch: Stopwatch,
): CompileResult {
  events.progress('emit');
  const after = emitFinal(rt, final, options, options.emit, options.stats, watch);
  const plain: Final = { bytes, melded: [], optimize: 'all' };
  const before = options.stats ? emitFinal(rt, plain, options, [], true, new Stopwatch()) : null;
  return {
    target: after.target,
    artifacts: options.emit.map((kind) => after.artifacts.find((artifact) => artifact.kind === kind)!),
    functions: report(logs, after, before),
    diagnostics: after.warnings,
    timings: watch.milliseconds(),
  };
}

/** Replays what other workers melded, in function order, and emits. */
export function emitModule(
  rt: LlvmRuntime,
  bytes: Uint8Array,
  options: JobOptions,
  logs: readonly EditLog[],
  events: Events,
): CompileResult {
  return job(rt, () => {
    const watch = new Stopwatch();
    let final: Final = { bytes, melded: [], optimize: 'all' };
    if (logs.some((log) => log.rounds.length > 0)) {
      const module = readAtMeldPoint(rt, bytes, options, watch);
      replay(module, logs, watch);
      final = finalOf(module, bytes, options, logs);
    }
    return emitAll(rt, bytes, final, options, logs, events, watch);
  });
}

/** Everything in one worker. The bytes equal those of `emitModule` over `meldFunctions`. */
export function compileModule(rt: LlvmRuntime, bytes: Uint8Array, options: JobOptions, events: Events): CompileResult {
  if (options.meld === 'off') return emitModule(rt, bytes, options, [], events);
  return job(rt, () => {
    const watch = new Stopwatch();
    const { module, logs } = meldAll(rt, bytes, options, null, events, watch);
    // A function that failed half-way is not fit to be written: start over with what went well.
    if (logs.some((log) => log.bailout !== null)) return emitModule(rt, bytes, options, logs, events);
    return emitAll(rt, bytes, finalOf(module, bytes, options, logs), options, logs, events, watch);
  });
}

// --- Analyzing ------------------------------------------------------------------------------------------------------------

/** What melding would do, function by function, before anything is changed. */
export function analyzeModule(rt: LlvmRuntime, bytes: Uint8Array, options: JobOptions): AnalyzeResult {
  return job(rt, () => {
    const module = readAtMeldPoint(rt, bytes, options, new Stopwatch());
    checkWanted(module, options);
    const functions = module.functions().filter((fn) => isWanted(options, fn.name));
    return {
      target: module.cpu,
      functions: functions.map(({ name }) => {
        const open = plan(module, name, options);
        open.editor[Symbol.dispose]();
        return {
          name,
          ...summarize(open.snapshot, open.analyses.divergence),
          plan: open.plan,
          blockNames: module.blockNames(name),
        };
      }),
    };
  });
}

/** Every job starts from the heap of a fresh instance; LLVM's failures come out as typed errors. */
function job<T>(rt: LlvmRuntime, work: () => T): T {
  if (!rt.poisoned) rt.reset();
  return rt.run(work);
}

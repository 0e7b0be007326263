/**
 * What happens to a kernel, in order:
 *
 *   read → [before an early meld: LLVM passes] → per function until nothing profitable is left:
 *          snapshot → analyses → plan → edits → tidy → verify
 *   → [after an early meld: LLVM's pipeline] → code generation → lld
 *
 * The bytes that come out depend on the module and the options only, never on what this worker did before, nor on which
 * workers planned which functions: every job starts from the heap of a fresh instance, and replaying edit logs makes the
 * calls into LLVM that planning and melding in place make, in the same order. When nothing was melded, the module starts
 * over and goes through as it would without melding.
 */
import { summarize } from '../analysis/summary.js';
import { LlvmModule } from '../binding/module.js';
import type { LlvmRuntime } from '../binding/runtime.js';
import { plannedRemarks, remarksOf } from './collect-remarks.js';
import { emitFrom, type Emitted } from './emit.js';
import { DarmError } from '../errors.js';
import { lookAt, meldFunction, replayLog } from './meld-function.js';
import type { JobOptions } from '../job/options.js';
import { BEFORE_EARLY_MELD, defaultPipeline, meldsEarly } from './passes.js';
import { FunctionTexts, HistoryRecorder } from './record-history.js';
import type { Remark } from '../job/remarks.js';
import { parseTargetId } from '../job/target-id.js';
import { Stopwatch } from './stopwatch.js';
import type { AnalyzeResult, CompileResult, EditLog, FunctionReport, ModuleInfo } from '../job/results.js';

/** What a running job tells while it runs. */
export interface Events {
  progress(phase: string, functionName?: string): void;
  diagnostic(line: string): void;
}

// --- Reading --------------------------------------------------------------------------------------------------------------

function read(rt: LlvmRuntime, bytes: Uint8Array, options: JobOptions): LlvmModule {
  const module = LlvmModule.read(rt, bytes, parseTargetId(options.mcpu), options.codegenLevel);
  module.requireOneProcessor();
  return module;
}

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

/** What is in a module, for whatever processors: nothing is compiled. */
export function moduleInfo(rt: LlvmRuntime, bytes: Uint8Array): ModuleInfo {
  return job(rt, () => {
    using module = LlvmModule.read(rt, bytes, { cpu: '', features: '' }, 0);
    return { triple: module.triple, functions: module.functions() };
  });
}

// --- Melding --------------------------------------------------------------------------------------------------------------

/** Which functions a worker melds: these, or all but these. */
export interface FunctionShare {
  readonly only?: readonly string[];
  readonly except?: readonly string[];
}

const isInShare = ({ only, except }: FunctionShare, name: string): boolean =>
  (only === undefined || only.includes(name)) && except?.includes(name) !== true;

function isWanted(options: JobOptions, name: string): boolean {
  return options.functions.length === 0 || options.functions.includes(name);
}

function checkWanted(module: LlvmModule, options: JobOptions): void {
  const known = new Set(module.functions().map((fn) => fn.name));
  for (const name of options.functions)
    if (!known.has(name)) throw new DarmError('bad-input', `the module has no function '${name}'`);
}

/** Melds a share of the functions (those that the options want); the costly part of a job. */
export function meldFunctions(
  rt: LlvmRuntime,
  bytes: Uint8Array,
  options: JobOptions,
  share: FunctionShare,
  events: Events,
): EditLog[] {
  if (options.meld === 'off') return [];
  return job(rt, () => meldAll(rt, bytes, options, share, events, new Stopwatch()).logs);
}

function meldAll(
  rt: LlvmRuntime,
  bytes: Uint8Array,
  options: JobOptions,
  share: FunctionShare,
  events: Events,
  watch: Stopwatch,
): { module: LlvmModule; logs: EditLog[] } {
  const module = readAtMeldPoint(rt, bytes, options, watch);
  checkWanted(module, options);
  const logs: EditLog[] = [];
  const texts = options.report ? new FunctionTexts(module) : null;
  for (const [position, fn] of module.functions().entries()) {
    if (!isInShare(share, fn.name) || !isWanted(options, fn.name)) continue;
    events.progress('meld', fn.name);
    const log = meldFunction(module, fn.name, options, watch, texts);
    if (log.bailout !== null) events.diagnostic(`'${fn.name}' is melded only in part: ${log.bailout}`);
    logs.push({ ...log, position });
  }
  return { module, logs };
}

function replay(module: LlvmModule, logs: readonly EditLog[], watch: Stopwatch): void {
  const byName = new Map(logs.map((log) => [log.function, log]));
  for (const { name } of module.functions()) {
    const log = byName.get(name);
    if (log !== undefined) replayLog(module, log, watch);
  }
}

// --- Emitting -------------------------------------------------------------------------------------------------------------

const isMelded = (log: EditLog) => log.rounds.length > 0;

/** From the meld point to what code generation takes. */
function finish(module: LlvmModule, logs: readonly EditLog[], options: JobOptions, watch: Stopwatch): LlvmModule {
  if (meldsEarly(options)) runDefaultPipeline(module, options, watch);
  if (!module.isAmdgcn) return module;
  if (!logs.some(isMelded)) return module;
  watch.time('meld', () => {
    const melded = new Set(logs.filter(isMelded).map((log) => log.function));
    const functions = module.functions();
    // A melded function may have been inlined, or will be: then all. Others get the code that they get without melding.
    const all = meldsEarly(options) || functions.some(({ name, kernel }) => melded.has(name) && !kernel);
    for (const { name } of functions) if (all || melded.has(name)) module.prepareCodegen(name);
  });
  return module;
}

/** The final module from the bytes that came in, in a heap like a fresh instance's. */
function rebuild(
  rt: LlvmRuntime,
  bytes: Uint8Array,
  options: JobOptions,
  logs: readonly EditLog[],
  watch: Stopwatch,
): LlvmModule {
  watch.time('reset', () => rt.reset());
  if (!logs.some(isMelded)) {
    const module = watch.time('read', () => read(rt, bytes, options));
    runDefaultPipeline(module, options, watch);
    return module;
  }
  const module = readAtMeldPoint(rt, bytes, options, watch);
  replay(module, logs, watch);
  return finish(module, logs, options, watch);
}

function report(logs: readonly EditLog[], after: Emitted, before: Emitted | null): FunctionReport[] {
  const byName = new Map(logs.map((log) => [log.function, log]));
  return [...after.counts].map(([name, counts]) => ({
    name,
    melds: (byName.get(name)?.rounds ?? []).flatMap((round) =>
      round.melds.map(({ kind, profit, net }) => ({ kind, profit, net })),
    ),
    switchesLowered: (byName.get(name)?.rounds ?? []).reduce((sum, { lowered }) => sum + lowered.length, 0),
    before: before?.counts.get(name) ?? null,
    after: counts,
    bailout: byName.get(name)?.bailout ?? null,
  }));
}

function emitAll(
  rt: LlvmRuntime,
  bytes: Uint8Array,
  options: JobOptions,
  logs: readonly EditLog[],
  events: Events,
  watch: Stopwatch,
  melded: LlvmModule | null,
): CompileResult {
  events.progress('emit');
  const again = () => rebuild(rt, bytes, options, logs, watch);
  const after = emitFrom(melded ?? again(), again, options.emit, options.stats, watch);
  let before: Emitted | null = null;
  if (options.stats) {
    const plain = () => rebuild(rt, bytes, options, [], new Stopwatch());
    before = emitFrom(plain(), plain, [], true, new Stopwatch());
  }
  const inOrder = [...logs].sort((a, b) => a.position - b.position);
  return {
    target: after.target,
    artifacts: options.emit.map((kind) => after.artifacts.find((artifact) => artifact.kind === kind)!),
    functions: report(logs, after, before),
    remarks: options.remarks ? inOrder.flatMap(remarksOf) : [],
    histories: inOrder.flatMap(({ history }) => history ?? []),
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
  return job(rt, () => emitAll(rt, bytes, options, logs, events, new Stopwatch(), null));
}

/** Everything in one worker. The bytes equal those of `emitModule` over `meldFunctions`. */
export function compileModule(rt: LlvmRuntime, bytes: Uint8Array, options: JobOptions, events: Events): CompileResult {
  if (options.meld === 'off') return emitModule(rt, bytes, options, [], events);
  return job(rt, () => {
    const watch = new Stopwatch();
    const { module, logs } = meldAll(rt, bytes, options, {}, events, watch);
    // A function that failed half-way or was taken back is not fit to be written: start over with what went well.
    const inPlace = logs.some(isMelded) && logs.every((log) => log.isInPlace);
    return emitAll(rt, bytes, options, logs, events, watch, inPlace ? finish(module, logs, options, watch) : null);
  });
}

// --- Analyzing ------------------------------------------------------------------------------------------------------------

/** What melding would do, function by function, before anything is changed. */
export function analyzeModule(rt: LlvmRuntime, bytes: Uint8Array, options: JobOptions): AnalyzeResult {
  return job(rt, () => {
    const module = readAtMeldPoint(rt, bytes, options, new Stopwatch());
    checkWanted(module, options);
    const functions = module.functions().filter((fn) => isWanted(options, fn.name));
    const remarks: Remark[] = [];
    const texts = options.report ? new FunctionTexts(module) : null;
    return {
      target: module.cpu,
      functions: functions.map(({ name }) => {
        const look = lookAt(module, name, options, texts && new HistoryRecorder(module, name, texts));
        look.editor[Symbol.dispose]();
        remarks.push(...plannedRemarks(name, look));
        return {
          name,
          ...summarize(look.snapshot, look.analyses.divergence),
          plan: look.plan,
          blockNames: module.blockNames(name),
          picture: look.picture,
        };
      }),
      remarks,
    };
  });
}

/** Every job starts from the heap of a fresh instance; LLVM's failures come out as typed errors. */
function job<T>(rt: LlvmRuntime, work: () => T): T {
  if (!rt.poisoned) rt.reset();
  return rt.run(work);
}

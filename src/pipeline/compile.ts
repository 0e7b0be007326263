/**
 * What happens to a kernel, in order:
 *
 *   read → [before an early meld: LLVM passes] → per function until nothing profitable is left:
 *          snapshot → analyses → plan → edits → tidy → verify
 *   → [after an early meld: LLVM's pipeline] → code generation → lld
 *
 * One worker does all of it (`compileModule`), or several workers meld some of the functions each (`meldFunctions`) and
 * one carries their edits out and emits (`emitModule`). The bytes that come out depend on the module and the options
 * only: never on what a worker did before, nor on which workers melded which functions. Every job starts from the heap
 * of a fresh instance, and carrying out an edit log makes the calls into LLVM that melding in place makes, in the same
 * order.
 */
import type { LlvmModule } from '../binding/module.js';
import type { LlvmRuntime } from '../binding/runtime.js';
import { hasEdits, type EditLog } from '../job/edit-log.js';
import { NO_EVENTS, type Events } from '../job/events.js';
import { ALL_FUNCTIONS, isInSubset, type FunctionSubset } from '../job/function-subset.js';
import type { JobOptions } from '../job/options.js';
import type { CompileResult, FunctionReport } from '../job/results.js';
import { remarksOf } from './collect-remarks.js';
import { Compilation, inFreshHeap } from './compilation.js';
import { emitArtifacts, type Emitted } from './emit.js';
import { misfitText, PlanMisfit } from './guide.js';
import { meldFunction } from './meld-function.js';
import { meldsEarly } from './passes.js';
import { FunctionTexts } from './record-history.js';
import { gainedScratch } from './scratch.js';

/** Everything in one worker. */
export function compileModule(
  runtime: LlvmRuntime,
  bytes: Uint8Array,
  options: JobOptions,
  events: Events,
): CompileResult {
  return inFreshHeap(runtime, () => {
    const compilation = new Compilation(runtime, bytes, options, events);
    const { module, logs } = meldInPlace(compilation);
    return emitUnlessScratch(compilation, logs, module);
  });
}

/** Melds all functions. The module is where code generation starts. */
export function meldInPlace(compilation: Compilation): { module?: LlvmModule; logs: EditLog[] } {
  if (compilation.options.meld === 'off') return { logs: [] };
  const { module, logs } = meld(compilation, ALL_FUNCTIONS);
  // A function that failed half-way or was taken back cannot be written: start over with the edits that went well. So do
  // modules without edits that the passes in front of an early meld have changed.
  const isInPlace = logs.every((log) => log.isInPlace) && (logs.some(hasEdits) || !meldsEarly(compilation.options));
  return isInPlace ? { module: compilation.finish(module, logs), logs } : { logs };
}

/** Melds some of the functions, the costly part of a job. */
export function meldFunctions(
  runtime: LlvmRuntime,
  bytes: Uint8Array,
  options: JobOptions,
  subset: FunctionSubset,
  events: Events,
): EditLog[] {
  if (options.meld === 'off') return [];
  return inFreshHeap(runtime, () => meld(new Compilation(runtime, bytes, options, events), subset).logs);
}

/** Carries out these edits, and no others, and emits. */
export function emitEdits(
  runtime: LlvmRuntime,
  bytes: Uint8Array,
  options: JobOptions,
  logs: readonly EditLog[],
): CompileResult {
  return inFreshHeap(runtime, () => emit(new Compilation(runtime, bytes, options, NO_EVENTS), logs));
}

/** Carries out what other workers melded, in the order of the functions, and emits. */
export function emitModule(
  runtime: LlvmRuntime,
  bytes: Uint8Array,
  options: JobOptions,
  logs: readonly EditLog[],
  events: Events,
): CompileResult {
  return inFreshHeap(runtime, () => emitUnlessScratch(new Compilation(runtime, bytes, options, events), logs));
}

/** A plan that turns out not to fit when the function has changed already: all begins again without it. */
function meld(compilation: Compilation, subset: FunctionSubset): { module: LlvmModule; logs: EditLog[] } {
  for (;;) {
    try {
      return meldSubset(compilation, subset);
    } catch (error) {
      if (!(error instanceof PlanMisfit)) throw error;
      compilation.misfits.set(error.functionName, error.reason);
      compilation.startOver();
    }
  }
}

/** Melds these functions and no others. */
export function meldSubset(compilation: Compilation, subset: FunctionSubset): { module: LlvmModule; logs: EditLog[] } {
  const { events, misfits } = compilation;
  const module = compilation.readAtMeldPoint();
  compilation.checkWantedFunctions(module);
  const logs: EditLog[] = [];
  const texts = new FunctionTexts(module);
  for (const { name, position } of compilation.wanted(module)) {
    if (!isInSubset(subset, name)) continue;
    events.progress('meld', name);
    const log = meldFunction(compilation, module, name, texts);
    if (log.bailout !== null) events.diagnostic(`'${name}' is melded only in part: ${log.bailout}`);
    logs.push({ ...log, position, planMisfit: misfits.get(name) ?? null });
  }
  return { module, logs };
}

/** @param module where code generation starts, when it is at hand */
export function emit(compilation: Compilation, logs: readonly EditLog[], module?: LlvmModule): CompileResult {
  return resultOf(compilation, logs, emitted(compilation, logs, module, false));
}

/** As `emit`; but where an early meld point costs a kernel scratch memory, all is melded late (scratch.ts). */
function emitUnlessScratch(compilation: Compilation, logs: readonly EditLog[], module?: LlvmModule): CompileResult {
  const { options } = compilation;
  const mayCost = meldsEarly(options) && options.plan === null && logs.some(hasEdits);
  const after = emitted(compilation, logs, module, mayCost);
  if (after.scratch === null || after.scratch.size === 0) return resultOf(compilation, logs, after);
  const spent = compilation.watch.milliseconds();
  const gained = gainedScratch(emitUnmelded(compilation, { withScratch: true }).scratch!, after.scratch);
  if (gained.length === 0) return resultOf(compilation, logs, after);
  const late = compilation.late();
  late.startOver();
  const again = meldInPlace(late);
  const result = emit(late, again.logs, again.module);
  const why = `melded late, because early melding costs scratch memory in ${gained.map((name) => `'${name}'`).join(', ')}`;
  const timings = { ...result.timings };
  for (const [phase, ms] of Object.entries(spent)) timings[phase] = (timings[phase] ?? 0) + ms;
  return { ...result, diagnostics: [why, ...result.diagnostics], timings };
}

function emitted(
  compilation: Compilation,
  logs: readonly EditLog[],
  given: LlvmModule | undefined,
  mayCostScratch: boolean,
): Emitted {
  const { events, options, watch } = compilation;
  events.progress('emit');
  const rebuild = () => compilation.rebuild(logs);
  const module = given ?? rebuild();
  const withScratch = mayCostScratch && /^amdgcn-\w*-amdhsa/.test(module.triple) && module.cpu !== '';
  const isMelded = logs.some(hasEdits);
  return emitArtifacts({
    module,
    rebuild,
    kinds: options.emit,
    isMelded,
    withFigures: options.stats,
    withScratch,
    watch,
  });
}

/** What came of a job. Its artifacts are in the order that was asked for. */
export function resultOf(compilation: Compilation, logs: readonly EditLog[], after: Emitted): CompileResult {
  const { options, watch } = compilation;
  const before = options.stats ? emitUnmelded(compilation, { withFigures: true }) : null;
  const inOrder = [...logs].sort((a, b) => a.position - b.position);
  return {
    target: after.target,
    artifacts: options.emit.flatMap((kind) => after.artifacts.find((artifact) => artifact.kind === kind) ?? []),
    functions: functionReports(logs, after, before),
    remarks: options.remarks ? inOrder.flatMap(remarksOf) : [],
    histories: inOrder.flatMap(({ history }) => history ?? []),
    diagnostics: [...planWarnings(inOrder), ...after.warnings],
    timings: watch.milliseconds(),
  };
}

const planWarnings = (logs: readonly EditLog[]): string[] =>
  logs.flatMap(({ function: name, planMisfit }) => (planMisfit === null ? [] : [misfitText(name, planMisfit)]));

/** What is asked about the same module without melding. Its time does not count. */
function emitUnmelded(compilation: Compilation, asked: { withFigures?: boolean; withScratch?: boolean }): Emitted {
  const unmelded = compilation.unplanned();
  const rebuild = () => unmelded.rebuild([]);
  const nothing = { kinds: [], isMelded: false, withFigures: false };
  return emitArtifacts({ module: rebuild(), rebuild, ...nothing, ...asked, watch: unmelded.watch });
}

function functionReports(logs: readonly EditLog[], after: Emitted, before: Emitted | null): FunctionReport[] {
  const byName = new Map(logs.map((log) => [log.function, log]));
  return [...after.counts].map(([name, counts]) => {
    const { rounds = [], bailout = null } = byName.get(name) ?? {};
    return {
      name,
      melds: rounds.flatMap(({ melds }) => melds.map(({ kind, profit, net }) => ({ kind, profit, net }))),
      switchesLowered: rounds.reduce((sum, { lowered }) => sum + lowered.length, 0),
      sidesHoisted: rounds.reduce((sum, { hoisted }) => sum + hoisted.length, 0),
      before: before?.counts.get(name) ?? null,
      after: counts,
      bailout,
    };
  });
}

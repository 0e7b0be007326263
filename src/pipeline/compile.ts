/**
 * What happens to a kernel, in order:
 *
 *   read → LLVM's pipeline (an early meld: only what it needs) → per function until nothing profitable is left:
 *          snapshot → analyses → plan → edits → tidy → verify
 *   → [after an early meld: LLVM's pipeline] → code generation → lld
 *
 * One worker does all of it (`compileModule`), or several workers meld some of the functions each (`meldFunctions`) and
 * one carries their edits out and emits (`compileMelded`). The bytes that come out depend on the module and the options
 * only: never on what a worker did before, nor on which workers melded which functions. Every job starts from the heap
 * of a fresh instance, and carrying out an edit log makes the calls into LLVM that melding in place makes, in the same
 * order.
 */
import type { LlvmModule } from '../binding/module.js';
import type { LlvmRuntime } from '../binding/runtime.js';
import { hasEdits, meldedFunctions, othersOf, type EditLog } from '../job/edit-log.js';
import { NO_EVENTS, type Events } from '../job/events.js';
import { ALL_FUNCTIONS, isInSubset, type FunctionSubset } from '../job/function-subset.js';
import type { JobOptions } from '../job/options.js';
import type { CompileResult, FunctionReport } from '../job/results.js';
import { netUnitOf } from '../melding/plan.js';
import { remarksOf } from './collect-remarks.js';
import { Compilation, inFreshHeap } from './compilation.js';
import { emitArtifacts, type Emitted, type EmitRequest } from './emit.js';
import { misfitText, PlanMisfit } from './guide.js';
import { meldFunction } from './meld-function.js';
import { meldsEarly } from './passes.js';
import { FunctionTexts } from './record-history.js';
import { gainedScratch, notesScratch } from './scratch.js';
import { smallestCode } from './code-size.js';

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
    return emitOrMeldLate(compilation, logs, module);
  });
}

/** Melds all functions. The module is where code generation starts. */
export function meldInPlace(compilation: Compilation): { module?: LlvmModule; logs: EditLog[] } {
  if (compilation.options.meld === 'off') return { logs: [] };
  const { module, logs } = meld(compilation, ALL_FUNCTIONS);
  // A function that failed half-way or was taken back cannot be written: start over with the edits that went well. So
  // do modules without edits that the passes in front of melding have changed.
  const isInPlace = logs.every((log) => log.isInPlace) && (logs.some(hasEdits) || !compilation.isChanged(module));
  return isInPlace ? { module: compilation.finish(module, meldedFunctions(logs)), logs } : { logs };
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

/** Melds all functions, without a look at the code that LLVM generates: where that has failed. */
export function meldBlindly(runtime: LlvmRuntime, bytes: Uint8Array, options: JobOptions): EditLog[] {
  const start = { generates: false };
  return inFreshHeap(
    runtime,
    () => meld(new Compilation(runtime, bytes, options, NO_EVENTS, start), ALL_FUNCTIONS).logs,
  );
}

/** Carries out these edits and no others, and emits. */
export function compileExactly(
  runtime: LlvmRuntime,
  bytes: Uint8Array,
  options: JobOptions,
  logs: readonly EditLog[],
): CompileResult {
  return inFreshHeap(runtime, () => emitExactly(new Compilation(runtime, bytes, options, NO_EVENTS), logs));
}

/** Carries out what other workers melded, in the order of the functions, and emits as `compileModule` does. */
export function compileMelded(
  runtime: LlvmRuntime,
  bytes: Uint8Array,
  options: JobOptions,
  logs: readonly EditLog[],
  events: Events,
): CompileResult {
  return inFreshHeap(runtime, () => emitOrMeldLate(new Compilation(runtime, bytes, options, events), logs));
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
  let module = compilation.readAtMeldPoint();
  compilation.checkWantedFunctions(module);
  const logs: EditLog[] = [];
  let texts = new FunctionTexts(module);
  let isSpoilt = false;
  for (const { name, position } of compilation.wanted(module)) {
    if (!isInSubset(subset, name)) continue;
    if (isSpoilt) {
      // LLVM's passes must not see the function when they look at a caller.
      module = compilation.readWithEdits(logs);
      texts = new FunctionTexts(module);
    }
    events.progress('meld', name);
    const { log, ...melded } = meldFunction(compilation, module, name, texts);
    logs.push({ ...log, position, planMisfit: misfits.get(name) ?? null });
    if (log.bailout !== null) events.diagnostic(`'${name}' is melded only in part: ${log.bailout}`);
    isSpoilt = melded.isSpoilt;
  }
  return { module, logs };
}

/**
 * Emits with these edits and no others.
 *
 * @param module where code generation starts, when it is at hand
 */
export function emitExactly(compilation: Compilation, given: readonly EditLog[], module?: LlvmModule): CompileResult {
  const { logs, emitted } = chosenCode(compilation, given, module);
  return resultOf(compilation, logs, emitted);
}

/** As `emitExactly`; but where an early meld point costs a kernel scratch memory, all is melded late (scratch.ts). */
function emitOrMeldLate(compilation: Compilation, given: readonly EditLog[], module?: LlvmModule): CompileResult {
  const { options } = compilation;
  const mayCost = meldsEarly(options) && options.plan === null && given.some(hasEdits);
  const { logs, emitted } = chosenCode(compilation, given, module, mayCost ? 'scratch' : null);
  const result = (): CompileResult => resultOf(compilation, logs, emitted);
  if (!mayCost || emitted.code === null || emitted.code.scratch.size === 0) return result();
  const spent = compilation.watch.milliseconds();
  const unmelded = emitUnmelded(compilation, { withCode: true });
  const gained = gainedScratch(unmelded.code!.scratch, emitted.code.scratch);
  if (gained.length === 0) return result();
  const late = compilation.late();
  late.startOver();
  const again = meldInPlace(late);
  const lateResult = emitExactly(late, again.logs, again.module);
  const why = `melded late, because early melding costs scratch memory in ${gained.map((name) => `'${name}'`).join(', ')}`;
  const timings = { ...lateResult.timings };
  for (const [phase, ms] of Object.entries(spent)) timings[phase] = (timings[phase] ?? 0) + ms;
  return { ...lateResult, diagnostics: [why, ...lateResult.diagnostics], timings };
}

/**
 * The code with these edits; where its size is the profit, with those of them that make it smallest (code-size.ts).
 *
 * @param asked what else must be known about the code, where there is any
 */
export function chosenCode(
  compilation: Compilation,
  given: readonly EditLog[],
  module?: LlvmModule,
  asked: 'scratch' | 'sizes' | null = null,
): { readonly logs: readonly EditLog[]; readonly emitted: Emitted } {
  const { events, options, watch } = compilation;
  const first = module ?? compilation.rebuild(given);
  // Without a target there is no code.
  const hasSizes = first.triple !== '';
  const decides = options.profit === 'size' && given.some(hasEdits) && hasSizes;
  const withCode = decides || (asked === 'sizes' && hasSizes) || (asked === 'scratch' && notesScratch(first));
  const emitWith = (logs: readonly EditLog[], what: Pick<EmitRequest, 'kinds' | 'withFigures'>): Emitted => {
    const rebuild = (): LlvmModule => compilation.rebuild(logs);
    return emitArtifacts({ ...what, module: logs === given ? first : rebuild(), rebuild, withCode, watch });
  };
  const all = { kinds: options.emit, withFigures: options.stats };
  const nothing = { kinds: [], withFigures: false };
  events.progress('emit');
  if (!decides) return { logs: given, emitted: emitWith(given, all) };
  return smallestCode(given, {
    emitWith: (logs) => emitWith(logs, all),
    sizesWith: (logs) => emitWith(logs, nothing).code!.sizes,
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
    functions: functionReports(options, logs, after, before),
    remarks: options.remarks ? inOrder.flatMap(remarksOf) : [],
    histories: inOrder.flatMap(({ history }) => history ?? []),
    diagnostics: [...planWarnings(inOrder), ...after.warnings],
    timings: watch.milliseconds(),
  };
}

const planWarnings = (logs: readonly EditLog[]): string[] =>
  logs.flatMap(({ function: name, planMisfit }) => (planMisfit === null ? [] : [misfitText(name, planMisfit)]));

/** What is asked about the same module without melding. Its time does not count. */
function emitUnmelded(compilation: Compilation, asked: { withFigures?: boolean; withCode?: boolean }): Emitted {
  const unmelded = compilation.unplanned();
  const rebuild = () => unmelded.rebuild([]);
  return emitArtifacts({ module: rebuild(), rebuild, kinds: [], withFigures: false, ...asked, watch: unmelded.watch });
}

function functionReports(
  { profit }: JobOptions,
  logs: readonly EditLog[],
  after: Emitted,
  before: Emitted | null,
): FunctionReport[] {
  const byName = new Map(logs.map((log) => [log.function, log]));
  return [...after.counts].map(([name, counts]) => {
    const { rounds = [], bailout = null } = byName.get(name) ?? {};
    return {
      name,
      melds: rounds.flatMap(({ melds }) => melds.map(({ kind, profit, net }) => ({ kind, profit, net }))),
      netUnit: netUnitOf(profit),
      ...othersOf(rounds),
      before: before?.counts.get(name) ?? null,
      after: counts,
      bailout,
    };
  });
}

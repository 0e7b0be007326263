/** What melding would do in a module, and what a module holds: jobs that change nothing. */
import { summarize } from '../analysis/summary.js';
import { LlvmModule } from '../binding/module.js';
import type { LlvmRuntime } from '../binding/runtime.js';
import { DarmError } from '../errors.js';
import { othersOf, type SurveyRemarks } from '../job/edit-log.js';
import { NO_EVENTS } from '../job/events.js';
import { mayComeFromMelds } from '../job/meld-faults.js';
import { isSettled, type JobOptions } from '../job/options.js';
import type { Remark } from '../job/remarks.js';
import type { AnalyzeResult, FunctionAnalysis, ModuleInfo, OtherChanges } from '../job/results.js';
import { remediesOf } from '../melding/decide/remedies.js';
import { divergentSwitches } from '../melding/decide/switches.js';
import { failureRemark, plannedRemarks } from './collect-remarks.js';
import { Compilation, inFreshHeap } from './compilation.js';
import { meldFunctions } from './compile.js';
import { FunctionTexts, HistoryRecorder } from './record-history.js';
import { settle } from './settle.js';
import { planOptions, surveyFunction, type Survey } from './survey.js';

/** A function as it is at the meld point. */
interface Analyzed {
  readonly analysis: Omit<FunctionAnalysis, keyof OtherChanges>;
  readonly remarks: SurveyRemarks | null;
}

const GAINLESS =
  'a chain of branches, with what would meld in it, does not gain enough, or nothing may be changed here';

interface Failure {
  readonly name: string;
  readonly reason: string;
  /** Null unless remarks are wanted. */
  readonly remark: Remark | null;
}

/**
 * Function by function, at the meld point, before anything is changed there: what the cost model would do. Which
 * switches are lowered and which sides are hoisted is known only when all else has melded: so it does.
 */
export function analyzeModule(runtime: LlvmRuntime, bytes: Uint8Array, given: JobOptions): AnalyzeResult {
  const unplanned = { ...given, plan: null };
  const options = isSettled(unplanned) ? unplanned : settle(runtime, bytes, unplanned).options;
  const { target, found } = inFreshHeap(runtime, () => analyzeFunctions(runtime, bytes, options));
  const analyzed = found.flatMap((each) => ('analysis' in each ? each : []));
  const divergent = analyzed.flatMap(({ analysis }) => (analysis.divergentBranches > 0 ? analysis.name : []));
  const others = divergent.length > 0 ? otherChanges(runtime, bytes, options, divergent) : new Map<string, never>();
  const othersIn = (name: string): OtherChanges => others.get(name) ?? othersOf([]);
  return {
    target,
    functions: analyzed.map(({ analysis }) => {
      const changes = othersIn(analysis.name);
      // All that may be lowered are, or none.
      const isLowered = changes.switchesLowered > 0;
      const switches = analysis.switches.map((each) =>
        isLowered ? each : { ...each, refusal: each.refusal ?? GAINLESS },
      );
      return { ...analysis, ...changes, switches };
    }),
    failures: found.flatMap((each) => ('analysis' in each ? [] : { name: each.name, reason: each.reason })),
    remarks: found.flatMap((each) => {
      if (!('analysis' in each)) return each.remark ?? [];
      const { name, plan } = each.analysis;
      return plannedRemarks(name, plan, othersIn(name), each.remarks);
    }),
  };
}

function analyzeFunctions(
  runtime: LlvmRuntime,
  bytes: Uint8Array,
  options: JobOptions,
): { readonly target: string; readonly found: readonly (Analyzed | Failure)[] } {
  const compilation = new Compilation(runtime, bytes, options, NO_EVENTS);
  const module = compilation.readAtMeldPoint();
  compilation.checkWantedFunctions(module);
  const texts = options.report ? new FunctionTexts(module) : null;
  const found = compilation.wanted(module).map(({ name }): Analyzed | Failure => {
    try {
      const survey = surveyFunction(module, name, options, texts && new HistoryRecorder(module, name, texts));
      return { analysis: analysisOf(module, name, survey, options), remarks: survey.remarks };
    } catch (error) {
      // Without a usable instance the other functions cannot be analysed, either.
      if (!(error instanceof DarmError) || error.code !== 'compile-failed' || runtime.poisoned) throw error;
      const reason = error.message;
      return { name, reason, remark: options.remarks ? failureRemark(name, module.location(name), reason) : null };
    }
  });
  return { target: module.cpu, found };
}

/** What else would change in these functions. Nothing is known where melding fails, of which a compilation says why. */
function otherChanges(
  runtime: LlvmRuntime,
  bytes: Uint8Array,
  options: JobOptions,
  only: readonly string[],
): ReadonlyMap<string, OtherChanges> {
  const meld = options.meld === 'off' ? 'darm' : options.meld;
  const silently = { ...options, meld, remarks: false, report: false } as const;
  try {
    const logs = meldFunctions(runtime, bytes, silently, { only }, NO_EVENTS);
    return new Map(logs.map(({ function: name, rounds }) => [name, othersOf(rounds)]));
  } catch (error) {
    if (!mayComeFromMelds(error)) throw error;
    return new Map();
  }
}

/** Disposes of the survey's editor. */
function analysisOf(
  module: LlvmModule,
  name: string,
  survey: Survey,
  options: JobOptions,
): Omit<FunctionAnalysis, keyof OtherChanges> {
  const { editor, snapshot: fn, analyses, plan, picture } = survey;
  const canPair = editor.canPair.bind(editor);
  const remedies = remediesOf({ fn, analyses, options: planOptions(options), canPair }, plan);
  editor[Symbol.dispose]();
  const switches = divergentSwitches(fn, analyses);
  const { divergence } = analyses;
  return { name, ...summarize(fn, divergence), plan, remedies, switches, blockNames: module.blockNames(name), picture };
}

/** What is in a module, whatever its processors are. Nothing is compiled. */
export function moduleInfo(runtime: LlvmRuntime, bytes: Uint8Array): ModuleInfo {
  return inFreshHeap(runtime, () => {
    using module = LlvmModule.read(runtime, bytes, { cpu: '', features: '' }, 0);
    return { triple: module.triple, functions: module.functions() };
  });
}

/** What melding would do in a module, and what a module holds: jobs that change nothing. */
import { summarize } from '../analysis/summary.js';
import { LlvmModule } from '../binding/module.js';
import type { LlvmRuntime } from '../binding/runtime.js';
import { DarmError } from '../errors.js';
import { NO_EVENTS } from '../job/events.js';
import { isSettled, type JobOptions } from '../job/options.js';
import type { Remark } from '../job/remarks.js';
import type { AnalyzeResult, FunctionAnalysis, ModuleInfo } from '../job/results.js';
import { remediesOf } from '../melding/decide/remedies.js';
import { failureRemark, plannedRemarks } from './collect-remarks.js';
import { Compilation, inFreshHeap } from './compilation.js';
import { FunctionTexts, HistoryRecorder } from './record-history.js';
import { settle } from './settle.js';
import { planOptions, surveyFunction, type Survey } from './survey.js';

/** Function by function, at the meld point, before anything is changed there: what the cost model would do. */
export function analyzeModule(runtime: LlvmRuntime, bytes: Uint8Array, given: JobOptions): AnalyzeResult {
  const unplanned = { ...given, plan: null };
  const options = isSettled(unplanned) ? unplanned : settle(runtime, bytes, unplanned).options;
  return inFreshHeap(runtime, () => {
    const compilation = new Compilation(runtime, bytes, options, NO_EVENTS);
    const module = compilation.readAtMeldPoint();
    compilation.checkWantedFunctions(module);
    const texts = options.report ? new FunctionTexts(module) : null;
    const remarks: Remark[] = [];
    const functions: FunctionAnalysis[] = [];
    const failures: AnalyzeResult['failures'][number][] = [];
    for (const { name } of compilation.wanted(module)) {
      try {
        const survey = surveyFunction(module, name, options, texts && new HistoryRecorder(module, name, texts));
        functions.push(analysisOf(module, name, survey, options));
        remarks.push(...plannedRemarks(name, survey));
      } catch (error) {
        // Without a usable instance the other functions cannot be analysed, either.
        if (!(error instanceof DarmError) || error.code !== 'compile-failed' || runtime.poisoned) throw error;
        failures.push({ name, reason: error.message });
        if (options.remarks) remarks.push(failureRemark(name, module.location(name), error.message));
      }
    }
    return { target: module.cpu, functions, failures, remarks };
  });
}

/** Disposes of the survey's editor. */
function analysisOf(module: LlvmModule, name: string, survey: Survey, options: JobOptions): FunctionAnalysis {
  const { editor, snapshot: fn, analyses, plan, picture } = survey;
  const canPair = editor.canPair.bind(editor);
  const remedies = remediesOf({ fn, analyses, options: planOptions(options), canPair }, plan);
  editor[Symbol.dispose]();
  return { name, ...summarize(fn, analyses.divergence), plan, remedies, blockNames: module.blockNames(name), picture };
}

/** What is in a module, whatever its processors are. Nothing is compiled. */
export function moduleInfo(runtime: LlvmRuntime, bytes: Uint8Array): ModuleInfo {
  return inFreshHeap(runtime, () => {
    using module = LlvmModule.read(runtime, bytes, { cpu: '', features: '' }, 0);
    return { triple: module.triple, functions: module.functions() };
  });
}

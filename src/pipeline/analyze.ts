/** What melding would do in a module, and what a module holds: jobs that change nothing. */
import { summarize } from '../analysis/summary.js';
import { LlvmModule } from '../binding/module.js';
import type { LlvmRuntime } from '../binding/runtime.js';
import { NO_EVENTS } from '../job/events.js';
import { isSettled, type JobOptions } from '../job/options.js';
import type { Remark } from '../job/remarks.js';
import type { AnalyzeResult, FunctionAnalysis, ModuleInfo } from '../job/results.js';
import { remediesOf } from '../melding/decide/remedies.js';
import { plannedRemarks } from './collect-remarks.js';
import { Compilation, inFreshHeap } from './compilation.js';
import { FunctionTexts, HistoryRecorder } from './record-history.js';
import { settle } from './settle.js';
import { planOptions, surveyFunction } from './survey.js';

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
    for (const { name } of compilation.wanted(module)) {
      const survey = surveyFunction(module, name, options, texts && new HistoryRecorder(module, name, texts));
      const { editor, snapshot, analyses } = survey;
      const canPair = editor.canPair.bind(editor);
      const remedies = remediesOf({ fn: snapshot, analyses, options: planOptions(options), canPair }, survey.plan);
      editor[Symbol.dispose]();
      remarks.push(...plannedRemarks(name, survey));
      functions.push({
        name,
        ...summarize(survey.snapshot, survey.analyses.divergence),
        plan: survey.plan,
        remedies,
        blockNames: module.blockNames(name),
        picture: survey.picture,
      });
    }
    return { target: module.cpu, functions, remarks };
  });
}

/** What is in a module, whatever its processors are. Nothing is compiled. */
export function moduleInfo(runtime: LlvmRuntime, bytes: Uint8Array): ModuleInfo {
  return inFreshHeap(runtime, () => {
    using module = LlvmModule.read(runtime, bytes, { cpu: '', features: '' }, 0);
    return { triple: module.triple, functions: module.functions() };
  });
}

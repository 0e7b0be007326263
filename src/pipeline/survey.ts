/** The look at a function before each round: snapshot → analyses → plan, and what remarks and reports keep of it. */
import { analysesOf } from '../analysis/analyses.js';
import type { LlvmModule } from '../binding/module.js';
import type { SurveyRemarks } from '../job/edit-log.js';
import type { FunctionPicture } from '../job/history.js';
import { thresholdOf, type JobOptions } from '../job/options.js';
import type { PlanOptions } from '../melding/plan.js';
import { HopelessBlocks } from '../melding/decide/hopeless-blocks.js';
import { planFunction } from '../melding/decide/plan-function.js';
import type { Guide } from './guide.js';
import { surveyRemarks } from './collect-remarks.js';
import { meldsEarly } from './passes.js';
import type { PlannedFunction } from './planned-function.js';
import type { HistoryRecorder } from './record-history.js';
import { verifyAnalyses } from './verify-analyses.js';

export interface Survey extends PlannedFunction {
  /** Null without a recorder. */
  readonly picture: FunctionPicture | null;
  /** Null unless remarks are wanted. */
  readonly remarks: SurveyRemarks | null;
}

/**
 * The caller disposes of the editor.
 *
 * @param hopeless what is remembered from round to round
 * @param guide null: the cost model decides
 * @param gained what the melds of earlier rounds gain by the cost model
 */
export function surveyFunction(
  module: LlvmModule,
  name: string,
  options: JobOptions,
  recorder: HistoryRecorder | null,
  hopeless = new HopelessBlocks(),
  guide: Guide | null = null,
  gained = 0,
): Survey {
  const open = module.open(name);
  const analyses = analysesOf(open.snapshot);
  if (options.verifyAnalyses) verifyAnalyses(open.snapshot, analyses, module.oracle(name));
  const canPair = open.editor.canPair.bind(open.editor);
  const choices = guide?.choices(open) ?? null;
  const plan = planFunction(open.snapshot, analyses, planOptions(options), canPair, hopeless, choices, gained);
  guide?.planned(open, plan);
  const planned = { ...open, analyses, plan };
  const picture = recorder?.record(planned) ?? null;
  return { ...planned, picture, remarks: options.remarks ? surveyRemarks(module, name, planned) : null };
}

export function planOptions(options: JobOptions): PlanOptions {
  const { meld, profit, regionReplication, unpredicate, versions } = options;
  const threshold = thresholdOf(options);
  // An analysis with melding off says what melding would do.
  const mode = meld === 'off' ? 'darm' : meld;
  return { mode, profit, threshold, regionReplication, unpredicate, versions, optimizesLater: meldsEarly(options) };
}

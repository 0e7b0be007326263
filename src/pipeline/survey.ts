/** The look at a function before each round: snapshot → analyses → plan, and what remarks and reports keep of it. */
import { analysesOf } from '../analysis/analyses.js';
import type { LlvmModule } from '../binding/module.js';
import type { SurveyRemarks } from '../job/edit-log.js';
import type { FunctionPicture } from '../job/history.js';
import { thresholdOf, type JobOptions } from '../job/options.js';
import { WaveSamples } from '../melding/cost/wave-samples.js';
import type { FunctionPlan, PlanOptions } from '../melding/plan.js';
import { planFunction, type PlanInputs } from '../melding/decide/plan-function.js';
import type { Guide } from './guide.js';
import { surveyRemarks } from './collect-remarks.js';
import { meldsEarly } from './passes.js';
import type { PlannedFunction } from './planned-function.js';
import type { HistoryRecorder } from './record-history.js';
import { verifyAnalyses } from './verify-analyses.js';

export interface Survey extends PlannedFunction {
  /** Its sampled waves, without their numbers. */
  readonly waves: WaveSamples;
  /** Null without a recorder. */
  readonly picture: FunctionPicture | null;
  /** Null unless remarks are wanted. */
  readonly remarks: SurveyRemarks | null;
}

/** The plan for a function that is as the fingerprint says. */
export type Foreseen = Pick<Survey, 'fingerprint' | 'plan'>;

/** What earlier rounds leave to a survey; by default there were none. */
interface EarlierRounds extends Omit<PlanInputs, 'choices' | 'waves'> {
  /** Null: the cost model decides. */
  readonly guide?: Guide | null;
  /** What is planned, if somebody knows it already. */
  readonly foreseen?: Foreseen | null;
}

/** The caller disposes of the editor. */
export function surveyFunction(
  module: LlvmModule,
  name: string,
  options: JobOptions,
  recorder: HistoryRecorder | null,
  { guide = null, foreseen = null, ...earlier }: EarlierRounds = {},
): Survey {
  const open = module.open(name);
  const analyses = analysesOf(open.snapshot);
  if (options.verifyAnalyses) verifyAnalyses(open.snapshot, analyses, module.oracle(name));
  const choices = guide?.choices(open) ?? null;
  const waves = new WaveSamples(open.snapshot, analyses);
  const isForeseen = foreseen?.fingerprint === open.fingerprint;
  const plan = isForeseen ? foreseen.plan : planOpen({ ...open, analyses }, options, { ...earlier, choices, waves });
  guide?.planned(open, plan);
  const planned = { analyses, plan, ...open };
  const picture = recorder?.record(planned) ?? null;
  return { waves, picture, remarks: options.remarks ? surveyRemarks(module, name, planned) : null, ...planned };
}

/** The next round of a function that is open, as the options ask for it. */
export function planOpen(
  { snapshot, editor, analyses }: Omit<PlannedFunction, 'plan'>,
  options: JobOptions,
  inputs: PlanInputs,
): FunctionPlan {
  return planFunction(snapshot, analyses, planOptions(options), editor.canPair.bind(editor), inputs);
}

export function planOptions(options: JobOptions): PlanOptions {
  const { meld, profit, regionReplication, unpredicate, versions } = options;
  const threshold = thresholdOf(options);
  // An analysis with melding off says what melding would do.
  const mode = meld === 'off' ? 'darm' : meld;
  return { mode, profit, threshold, regionReplication, unpredicate, versions, optimizesLater: meldsEarly(options) };
}

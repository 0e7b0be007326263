import type { Analyses } from '../analysis/analyses.js';
import type { OpenFunction } from '../binding/module.js';
import type { FunctionPlan } from '../melding/plan.js';

/** A function as it is between two rounds: its snapshot and editor, its analyses, and what to meld next. */
export interface PlannedFunction extends OpenFunction {
  readonly analyses: Analyses;
  readonly plan: FunctionPlan;
}

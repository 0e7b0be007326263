/**
 * What the melds of a function gain together, by the cost model.
 *
 * The planner compares a meld with the branch as it finds it. Behind an early meld point LLVM still hoists and sinks
 * what both sides have in common, and makes selects of what is left; then the branch is gone without a meld, or cheaper
 * than it was. So the function without and with its melds goes through the passes that do so, and the expected cycles
 * of what comes out are compared. Loops are not unrolled in either: one that has become four copies would count four
 * times.
 */
import { analysesOf } from '../analysis/analyses.js';
import { isNameable, type LlvmModule } from '../binding/module.js';
import type { JobOptions } from '../job/options.js';
import { expectedCycles, expectedGain } from '../melding/cost/expected-cycles.js';
import type { ExpectedCycles } from '../melding/plan.js';
import { meldsEarly } from './passes.js';

/** As in LLVM's -O3 behind its loop optimisations, where it no longer keeps loops in their canonical form. */
const FLATTEN =
  'simplifycfg<bonus-inst-threshold=1;forward-switch-cond;switch-range-to-icmp;switch-to-lookup;no-keep-loops;' +
  'hoist-common-insts;sink-common-insts;speculate-blocks;simplify-cond-branch>';
const COMBINE = 'instcombine<no-verify-fixpoint>';
/** Loops get their preheaders back for the sampled waves (expected-cycles.ts). */
const AFTER_EARLY =
  `function(${COMBINE},${FLATTEN},${COMBINE},early-cse<memssa>,${FLATTEN},` +
  `gvn,${COMBINE},${FLATTEN},loop-simplify)`;
const AFTER_LATE = 'function(loop-simplify)';

/** Early melds may lose against passes that follow; the paper's metric asks for no cycles. */
export const mayLose = (options: JobOptions): boolean => meldsEarly(options) && options.profit === 'net';

/** Early melds of a function that gain less are taken back; it is noise. */
const LEAST_GAIN = 1.005;

/** What a function costs as it is now, when the passes have run that follow the meld point. Leaves no trace. */
export const finalCycles = (module: LlvmModule, name: string, options: JobOptions): ExpectedCycles =>
  // The passes run over all functions that are there: with few, a module of many takes no square of the time.
  (isNameable(name) ? module.peek(() => cyclesInOwnModule(module, name, options)) : null) ??
  module.peek(() => cyclesBehindPasses(module, name, options));

/**
 * The same of a function whose name LLVM's textual pipelines can hold; it deletes what the function does not need.
 *
 * @returns null if the function went with the others: it does when it is seen by nobody outside and not called
 */
function cyclesInOwnModule(module: LlvmModule, name: string, options: JobOptions): ExpectedCycles | null {
  module.keepOnly([name]);
  const isThere = module.functions().some((each) => each.name === name);
  return isThere ? cyclesBehindPasses(module, name, options) : null;
}

function cyclesBehindPasses(module: LlvmModule, name: string, options: JobOptions): ExpectedCycles {
  module.runPasses(meldsEarly(options) ? AFTER_EARLY : AFTER_LATE);
  const { snapshot } = module.look(name);
  return expectedCycles(snapshot, analysesOf(snapshot));
}

/** Why early melds are taken back; null if they pay. */
export function lossOf(unmelded: ExpectedCycles, melded: ExpectedCycles): string | null {
  const gain = expectedGain(unmelded, melded);
  return gain >= LEAST_GAIN
    ? null
    : `LLVM's passes do as well without melds: all melds of the function would make it ${gain.toFixed(2)} times as fast`;
}

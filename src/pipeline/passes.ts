/** LLVM pass pipelines, in its textual form, and where each stands in darm's own. */
import type { JobOptions, OptimizeLevel } from '../job/options.js';

const NO_HOIST_OR_SINK = 'simplifycfg<no-hoist-common-insts;no-sink-common-insts;keep-loops>';

/**
 * In front of an early meld. Keeps what later optimisation counts on (loop rotation, if-conversion, invariant code
 * motion) but neither unrolls nor hoists or sinks, which would take apart what looks alike. Measured against about 25
 * other lists; instcombine must come before simplifycfg.
 */
export const BEFORE_EARLY_MELD =
  'always-inline,cgscc(inline),globalopt,function(infer-address-spaces,sroa<modify-cfg>,infer-address-spaces,' +
  `early-cse<memssa>,instcombine<no-verify-fixpoint>,${NO_HOIST_OR_SINK},loop-simplify,lcssa,` +
  'loop-mssa(loop-rotate<header-duplication>,licm<allowspeculation>),loop(indvars),gvn,sccp,dse,adce,' +
  `${NO_HOIST_OR_SINK},loop-simplify,lcssa),globaldce`;

/**
 * LLVM's own pipeline for an optimisation level, or null for none. Size is no level of LLVM's any more: functions ask
 * for it by attributes, which clang gives them.
 */
export const defaultPipeline = (level: OptimizeLevel): string | null =>
  level === 'none' ? null : `default<${level === 'Os' ? 'O2' : level}>`;

/** Whether melding comes before that pipeline. */
export const meldsEarly = ({ meldPoint, optimize }: JobOptions): boolean =>
  meldPoint === 'early' && optimize !== 'none';

/**
 * Settles what the options of a job leave open until the module is known: which functions a plan fits, and the meld
 * point. What comes of it are options that hold a plan only for functions that it fits, and a meld point that is one.
 */
import type { LlvmRuntime } from '../binding/runtime.js';
import { NO_EVENTS } from '../job/events.js';
import type { JobOptions } from '../job/options.js';
import { parsePlan, type TunedFunction, type TunedPlan } from '../job/tuned-plan.js';
import { Compilation, inFreshHeap } from './compilation.js';
import { CHANGED, firstFingerprint, misfitText } from './guide.js';
import { modelledPoint } from './modelled-point.js';

export interface Settled {
  readonly options: JobOptions;
  /** Why a plan, or what it says about a function, is ignored: a line each. */
  readonly warnings: readonly string[];
}

export function settle(runtime: LlvmRuntime, bytes: Uint8Array, options: JobOptions): Settled {
  const warnings: string[] = [];
  const plan = fittingPlan(runtime, bytes, options, (warning) => warnings.push(warning));
  if (plan !== null)
    return { options: { ...options, plan: JSON.stringify(plan), meldPoint: plan.meldPoint }, warnings };
  const rest: JobOptions = { ...options, plan: null };
  const meldPoint = rest.meldPoint === 'auto' ? modelledPoint(runtime, bytes, rest) : rest.meldPoint;
  return { options: { ...rest, meldPoint }, warnings };
}

/** The plan with the functions that it fits; null if there are none. */
function fittingPlan(
  runtime: LlvmRuntime,
  bytes: Uint8Array,
  options: JobOptions,
  warn: (warning: string) => void,
): TunedPlan | null {
  if (options.plan === null) return null;
  const ignore = (why: string): null => {
    warn(`the plan is ignored: ${why}`);
    return null;
  };
  if (options.meld === 'off') return ignore('the job melds nothing');
  const plan = parsePlan(options.plan);
  if ('misfit' in plan) return ignore(plan.misfit);
  const { target, meldPoint } = plan;
  if (meldPoint === 'early' && options.optimize === 'none')
    return ignore('it is for an early meld point, which needs an optimisation level');
  const functions = inFreshHeap(runtime, () => {
    const compilation = new Compilation(runtime, bytes, { ...options, plan: null, meldPoint }, NO_EVENTS);
    const module = compilation.readAtMeldPoint();
    if (module.cpu !== target) return ignore(`it is for ${target}, the module for ${module.cpu}`);
    const there = new Set(module.functions().map(({ name }) => name));
    const known = plan.functions.filter(({ name }) => there.has(name));
    if (known.length === 0) return ignore('it is for other functions');
    return known.filter((each): each is TunedFunction => {
      if (!compilation.wants(each.name)) return false;
      const fits = module.look(each.name).fingerprint === firstFingerprint(each);
      if (!fits) warn(misfitText(each.name, CHANGED));
      return fits;
    });
  });
  return functions === null || functions.length === 0 ? null : { ...plan, functions };
}

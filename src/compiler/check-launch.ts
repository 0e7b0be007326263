/**
 * Runs one launch with two code objects that should do the same, and compares what they leave in memory: the unit of
 * `darm check`, here or at a worker of a fleet.
 */
import { DarmError, type ErrorCode } from '../errors.js';
import { differences, type Difference, type Tolerance } from '../simulator/compare.js';
import type { LaunchSpec } from '../simulator/launch/spec.js';
import { isRace } from '../simulator/races.js';
import type { SimulationOptions } from '../simulator/options.js';
import type { LaunchResult, SimulationResult } from '../simulator/run.js';
import type { CallOptions, Compiler } from './api.js';

export interface LaunchQuestion {
  /** Code objects. */
  readonly before: Uint8Array;
  readonly after: Uint8Array;
  readonly spec: LaunchSpec;
  readonly options: Partial<SimulationOptions> & Pick<SimulationOptions, 'maxInstructions'>;
  readonly tolerance: Tolerance;
  /** The spec was made up, and may be none that the kernel is meant for: what fails with it does not fit. */
  readonly madeUp: boolean;
}

export type CheckedLaunch = Omit<LaunchResult, 'instructions'>;

export interface LaunchCheck {
  /** Why the made-up spec does not fit; then nothing was compared. */
  readonly unfit: string | null;
  /** The error of the second code object, if it has one. */
  readonly failure: string | null;
  /** The names of those that ran with the first code object. */
  readonly kernels: readonly string[];
  readonly before: readonly CheckedLaunch[];
  readonly after: readonly CheckedLaunch[];
  readonly differences: readonly Difference[];
  /** If there are differences: the data race that the first code object has with this input, if any. */
  readonly race: string | null;
}

/** The second code object may take a little longer, so its limit is higher. */
const MORE_INSTRUCTIONS = 4;

const NOTHING: LaunchCheck = {
  ...{ unfit: null, failure: null, kernels: [], before: [], after: [], differences: [] },
  race: null,
};

/**
 * @throws DarmError that of the first code object with a spec that was not made up; and whatever is no fault of a code
 *   object
 */
export async function checkLaunch(
  compiler: Pick<Compiler, 'simulate'>,
  { before, after, spec, options, tolerance, madeUp }: LaunchQuestion,
  call: Pick<CallOptions, 'signal' | 'timeout'> = {},
): Promise<LaunchCheck> {
  const one = madeUp
    ? await resultOrReason(compiler.simulate(before, spec, options, call))
    : await compiler.simulate(before, spec, options, call);
  if (typeof one === 'string') return { ...NOTHING, unfit: one };
  const kernels = [...new Set(one.launches.map(({ kernel }) => kernel))];
  const most = MORE_INSTRUCTIONS * options.maxInstructions;
  const other = await resultOrReason(
    compiler.simulate(after, spec, { ...options, maxInstructions: most, profile: hasProfile(one) }, call),
  );
  if (typeof other === 'string') return { ...NOTHING, kernels, failure: other };
  const found = differences(one, other, tolerance, madeUp);
  const checked = { ...NOTHING, kernels, before: launchesOf(one), after: launchesOf(other), differences: found };
  if (found.length === 0) return checked;
  // If the first code object has a data race with this input, a different result does not prove anything.
  const racing = { ...options, profile: false, detectRaces: true };
  const raced = await resultOrReason(compiler.simulate(before, spec, racing, call));
  if (typeof raced !== 'string') return checked;
  if (madeUp) return { ...NOTHING, unfit: raced };
  return { ...checked, race: isRace(raced) ? raced : null };
}

const hasProfile = ({ launches }: SimulationResult): boolean => launches.some(({ profile }) => profile !== null);

const launchesOf = ({ launches }: SimulationResult): CheckedLaunch[] =>
  launches.map(({ instructions: _, ...launch }) => launch);

/** Errors that another code object or spec may not have. The time and the machine's means are nobody's fault. */
const OF_CODE: readonly ErrorCode[] = ['bad-input', 'simulation-failed'];

/** The message of an error that the code object or the spec is at fault for, in place of a result. */
async function resultOrReason(simulated: Promise<SimulationResult>): Promise<SimulationResult | string> {
  try {
    return await simulated;
  } catch (error) {
    if (error instanceof DarmError && OF_CODE.includes(error.code)) return error.message;
    throw error;
  }
}

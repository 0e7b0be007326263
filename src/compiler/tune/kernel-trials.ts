/** Measures one kernel of a module, melded in one way or another, by launch specs that launch it. */
import { createHash } from 'node:crypto';
import { DarmError, type ErrorCode } from '../../errors.js';
import type { JobOptions } from '../../job/options.js';
import type { Policy, Subject } from '../../job/tuning.js';
import { differences, type Tolerance } from '../../simulator/compare.js';
import type { LaunchSpec } from '../../simulator/launch/spec.js';
import { DEFAULT_SIMULATION } from '../../simulator/options.js';
import type { SimulationResult } from '../../simulator/run.js';
import type { Executor } from '../../workers/executor.js';
import type { TaskLimits } from '../../workers/task-limits.js';
import { simulateOn } from '../simulate.js';
import type { Measured } from './search.js';

/** What a way to meld may be at fault for. Anything else ends the search. */
const FAILURES: ReadonlySet<ErrorCode> = new Set([
  'compile-failed',
  'link-failed',
  'out-of-memory',
  'internal',
  'simulation-failed',
]);

/** How much longer than the unmelded code a trial may run. */
const PATIENCE = 4;

/** A launch spec, and what the unmelded code does with it. */
export interface Reference {
  readonly spec: LaunchSpec;
  readonly result: SimulationResult;
}

export interface TrialSetup {
  readonly executor: Executor;
  readonly limits: TaskLimits;
  readonly subject: Subject;
  /** Of the trials: the meld point is the subject's. */
  readonly options: JobOptions;
  readonly kernel: string;
  readonly references: readonly Reference[];
  readonly tolerance: Tolerance;
  /** See `TuneOptions`. */
  readonly fullUnit: boolean;
}

export class KernelTrials {
  readonly #setup: TrialSetup;
  /** By the hashes of edits and of code: different decisions often lead to the same. */
  readonly #byEdits = new Map<string, Promise<number | null>>();
  readonly #cycles = new Map<string, Promise<number | null>>();

  constructor(setup: TrialSetup) {
    this.#setup = setup;
  }

  readonly measure = async (policy: Policy): Promise<Measured | null> => {
    const { executor, limits, subject, options, kernel } = this.#setup;
    const known = [...this.#byEdits.keys()];
    const task = { kind: 'try', bytes: subject.bitcode, options, kernel, policy, known } as const;
    const trial = await orNull(executor.run(task, limits));
    if (trial === null || trial.bailout !== null) return null;
    const cycles = await (trial.code === null
      ? this.#byEdits.get(trial.edits)!
      : this.#cyclesOf(trial.edits, trial.code));
    return cycles === null ? null : { cycles, trace: trial.trace };
  };

  #cyclesOf(edits: string, code: Uint8Array): Promise<number | null> {
    const hash = createHash('sha256').update(code).digest('hex');
    const cycles = this.#cycles.get(hash) ?? this.#simulate(code);
    this.#cycles.set(hash, cycles);
    this.#byEdits.set(edits, cycles);
    return cycles;
  }

  async #simulate(code: Uint8Array): Promise<number | null> {
    const { executor, limits, kernel, references, tolerance, fullUnit } = this.#setup;
    // Trials run side by side, so the parts of one do not.
    const alone: Executor = { width: 1, run: (task, of) => executor.run(task, of), close: async () => {} };
    let cycles = 0;
    for (const { spec, result } of references) {
      const most = Math.max(...result.launches.map(({ counters }) => counters.instructions));
      const maxInstructions = Math.min(DEFAULT_SIMULATION.maxInstructions, PATIENCE * most + 10_000);
      const options = { cycles: true, fullUnit, maxInstructions };
      const found = await orNull(simulateOn(alone, code, spec, options, limits));
      if (found === null || differences(result, found, tolerance).length > 0) return null;
      cycles += cyclesOf(found, kernel);
    }
    return cycles;
  }
}

/** Of the launches of a kernel. */
export function cyclesOf({ launches }: SimulationResult, kernel: string): number {
  let sum = 0;
  for (const launch of launches) {
    if (launch.kernel !== kernel) continue;
    if (launch.cycles === null)
      throw new DarmError('bad-input', `a launch of '${kernel}' is too long for an estimate of cycles`);
    sum += launch.cycles;
  }
  return sum;
}

async function orNull<T>(result: Promise<T>): Promise<T | null> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof DarmError && FAILURES.has(error.code)) return null;
    throw error;
  }
}

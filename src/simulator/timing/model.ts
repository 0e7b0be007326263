/**
 * The cycle estimate: traces of workgroups in, cycles of one compute unit out. It is for comparing two versions of one
 * kernel, not for predicting a real launch. docs/cycle-model.md says what is modelled and what is not.
 */
import type { Program } from '../program.js';
import type { SimulatedTarget } from '../target.js';
import type { WaveTrace } from '../workgroup.js';
import { classifyProgram, type StaticTiming } from './classify.js';
import { timingConstants } from './constants.js';
import { residentWorkgroups, type WaveResources } from './occupancy.js';
import { Replay } from './replay.js';
import type { TimeRecorder } from './time-recorder.js';

/**
 * Workgroups of one estimate come in batches of this many times those that are resident at once. Within a batch the
 * next workgroup takes the place of one that has ended; every batch begins with an empty compute unit, so that batches
 * can be estimated apart, in any thread, and their cycles added.
 */
const ROUNDS_PER_BATCH = 4;

export interface TimingModel {
  readonly code: StaticTiming;
  /** Workgroups that the compute unit holds at once. */
  readonly resident: number;
  /** Workgroups of a batch. */
  readonly batch: number;
  /** Workgroups of a large launch whose traces are kept at once. */
  readonly kept: number;
  /**
   * Cycles that one compute unit takes for workgroups that come one by one.
   *
   * @param recorder told where waves spend their time; the traces must then be `LaneTrace`s
   */
  estimate(recorder?: TimeRecorder | null): CycleEstimate;
}

/** @param isFull a launch is taken for a part of one that fills the compute unit all the time */
export function makeTimingModel(
  program: Program,
  target: SimulatedTarget,
  resources: WaveResources,
  isFull = false,
): TimingModel {
  const constants = timingConstants(target);
  const code = classifyProgram(program, target, resources.waveSize);
  const resident = residentWorkgroups(target, resources);
  const { wavesPerWorkgroup } = resources;
  const batch = resident * ROUNDS_PER_BATCH;
  return {
    code,
    resident,
    batch,
    kept: isFull ? batch : resident,
    estimate: (recorder = null) =>
      new CycleEstimate(new Replay(code, constants, resident, wavesPerWorkgroup, recorder), batch, isFull),
  };
}

/**
 * The cycles of a sequence of workgroups. When several threads share a launch, each makes its own estimate over ranges
 * that begin at multiples of `TimingModel.batch`; the sum of their cycles is that of one estimate over everything.
 */
export class CycleEstimate {
  readonly #replay: Replay;
  readonly #batch: number;
  readonly #isFull: boolean;
  /** Those of a batch that may have to be repeated. */
  readonly #workgroups: (readonly WaveTrace[])[] = [];
  #added = 0;
  #cycles = 0;

  constructor(replay: Replay, batch: number, isFull: boolean) {
    this.#replay = replay;
    this.#batch = batch;
    this.#isFull = isFull;
  }

  /**
   * The next workgroup, in the order of the grid. The traces must not change afterwards: they are read while the
   * workgroup is resident, and dropped when it has ended.
   */
  add(workgroup: readonly WaveTrace[]): void {
    if (this.#added === this.#batch) this.#close();
    this.#replay.add(workgroup);
    if (this.#isFull) this.#workgroups.push(workgroup);
    this.#added++;
  }

  /** Cycles of all workgroups so far; those to come begin a batch. */
  cycles(): number {
    this.#close();
    return this.#cycles;
  }

  #close(): void {
    const times = this.#isFull && this.#added > 0 ? Math.ceil(this.#batch / this.#added) : 1;
    for (let time = 1; time < times; time++) for (const workgroup of this.#workgroups) this.#replay.add(workgroup);
    this.#cycles += Math.round(this.#replay.finish() / times);
    this.#workgroups.length = 0;
    this.#added = 0;
  }
}

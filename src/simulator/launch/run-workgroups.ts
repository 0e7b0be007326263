/**
 * Executes workgroups of a launch on the calling thread, until none is left. Several threads may do so over one shared
 * memory, each a part of the launch: a thread takes the next batch of workgroups that no other has taken. The caller
 * adds up what the parts counted. When several parts fault, the launch reports the fault of the lowest workgroup.
 * Batches are taken in order, so that is the same fault for any number of threads.
 */
import { DarmError, type ErrorData } from '../../errors.js';
import type { Disassembly } from '../../formats/disassembly.js';
import { bindCode, type KernelCode } from '../code.js';
import { Lds } from '../lds.js';
import { ADDRESS_HIGH, GlobalMemory, type Region } from '../memory.js';
import { codeBlocks } from '../profile/blocks.js';
import { LaneRecorder } from '../profile/lane-recorder.js';
import { LaneTrace } from '../profile/lane-trace.js';
import type { CodeFunction, RecordedProfile } from '../profile/make-profile.js';
import { RaceDetector } from '../races.js';
import { makeProgram, type Program } from '../program.js';
import { RegisterFile, Wave, type Step } from '../wave.js';
import type { InstructionCounts } from '../counters.js';
import { makeTimingModel, type TimingModel } from '../timing/model.js';
import type { WaveResources } from '../timing/occupancy.js';
import { TimeRecorder } from '../timing/time-recorder.js';
import { ExecutionCounts, runWorkgroup, TRACE_INDEX_BITS, WaveTrace } from '../workgroup.js';
import { totalWorkgroups } from './arguments.js';
import { initializeWave, userRegisters, type InitialState } from './initial-state.js';
import type { Dimensions } from './spec.js';

/** A launch with everything placed in memory. Plain data: it goes to other threads. */
export interface PlacedLaunch extends InitialState {
  readonly kernel: string;
  readonly grid: Dimensions;
  /** The executable segment. */
  readonly disassembly: Disassembly;
  /** Lower words of addresses: of the executable segment, of the kernel's first instruction. */
  readonly codeAddress: number;
  readonly entryAddress: number;
  readonly ldsBytes: number;
  readonly regions: readonly Region[];
  /** Bytes per lane. */
  readonly scratchPerLane: number;
  /** Bytes from the scratch of one thread to that of the next. */
  readonly scratchPerThread: number;
  /** Wavefront instructions that one workgroup may execute. */
  readonly maxInstructions: number;
  readonly checkUninitializedLds: boolean;
  readonly unalignedLds: boolean;
  readonly detectRaces: boolean;
  /** The functions of the code, if a profile is to be made; else null. */
  readonly profiled: readonly CodeFunction[] | null;
  /** See `SimulationOptions`. */
  readonly fullUnit: boolean;
  /** What the cycle estimate needs; null when no estimate is wanted. */
  readonly timing: Omit<WaveResources, 'ldsBytes' | 'wavesPerWorkgroup' | 'waveSize'> | null;
}

export interface LaunchPart {
  readonly launch: PlacedLaunch;
  /** The launch's memory; a SharedArrayBuffer when there are several parts. */
  readonly memory: ArrayBufferLike;
  /** Two words that all parts see: the next batch of workgroups, and whether to stop. */
  readonly progress: Int32Array;
  /** Number of this part. */
  readonly index: number;
}

export interface LaunchPartResult {
  readonly counts: InstructionCounts;
  /** Passes over the LDS's banks beyond those that accesses need. */
  readonly bankConflicts: number;
  /** Null when there is no estimate. */
  readonly cycles: number | null;
  /** Null when no profile is wanted, or after a failure. */
  readonly profile: RecordedProfile | null;
  readonly failure: { readonly workgroup: number; readonly error: ErrorData } | null;
}

/** Told of every instruction before it is executed. */
export type InstructionListener = (workgroup: Dimensions, wave: Wave, index: number) => void;

/** The registers that hold the work-item ids. Others exist when an instruction of the kernel names them. */
const LEAST_VGPRS = 3;

/**
 * Most trace words of the workgroups whose traces are kept at once; a launch that needs more gets no cycle estimate.
 */
const MOST_TRACE_WORDS = 2 ** 28;

/** The code of a launch, bound. */
function bindLaunch({ disassembly, codeAddress, target, waveSize }: PlacedLaunch): KernelCode {
  const program = makeProgram(disassembly, { low: codeAddress, high: ADDRESS_HIGH });
  return bindCode(program, target, waveSize, LEAST_VGPRS);
}

/** @param onInstruction slows everything down */
export function runWorkgroups(part: LaunchPart, onInstruction: InstructionListener | null = null): LaunchPartResult {
  const run = new PartRun(part, onInstruction);
  const { progress } = part;
  const total = totalWorkgroups(part.launch);
  let number = 0;
  try {
    while (Atomics.load(progress, 1) === 0) {
      const first = Atomics.add(progress, 0, 1) * run.batch;
      if (first >= total) break;
      if (first === 0) run.keepTimeline();
      const end = Math.min(first + run.batch, total);
      for (number = first; number < end; number++) run.runWorkgroup(number);
    }
  } catch (error) {
    Atomics.store(progress, 1, 1);
    if (!(error instanceof DarmError)) throw error;
    return { ...run.counted, cycles: null, profile: null, failure: { workgroup: number, error: error.toJSON() } };
  }
  return { ...run.counted, ...run.recorded, failure: null };
}

/** What one part of a launch has: its code, its memory, and what counts and records what runs. */
class PartRun {
  /** How many workgroups are taken at once. */
  readonly batch: number;
  private readonly launch: PlacedLaunch;
  private readonly code: KernelCode;
  private readonly entry: number;
  private readonly state: InitialState;
  private readonly user: ReturnType<typeof userRegisters>;
  private readonly memory: GlobalMemory;
  private readonly lds: Lds;
  private readonly files: readonly RegisterFile[];
  private readonly counts: ExecutionCounts;
  private readonly detector: RaceDetector | null;
  private readonly lanes: LaneRecorder | null;
  private readonly time: TimeRecorder | null;
  private readonly model: TimingModel | null;
  /** Null when there is none, also because it would take too much memory. */
  private estimate: ReturnType<TimingModel['estimate']> | null;
  /** Length of the longest trace of the workgroup before, because the next one's are about as long. */
  private traceWords = 64;
  private workgroup: Dimensions = [0, 0, 0];

  constructor({ launch, memory, index }: LaunchPart, onInstruction: InstructionListener | null) {
    const { waveSize, wavesPerWorkgroup, profiled } = launch;
    const bound = bindLaunch(launch);
    const { program, steps } = bound;
    this.launch = launch;
    this.entry = program.indexAt(launch.entryAddress - launch.codeAddress);
    if (this.entry < 0)
      throw new DarmError('bad-input', `kernel '${launch.kernel}' begins where there is no instruction`);
    this.lanes = profiled && new LaneRecorder(steps.length, waveSize, wavesPerWorkgroup);
    const listened =
      onInstruction === null ? bound : withListener(bound, (wave, at) => onInstruction(this.workgroup, wave, at));
    this.code = this.lanes?.recorded(listened) ?? listened;
    const scratch = launch.addresses.scratch + index * launch.scratchPerThread;
    this.state = { ...launch, addresses: { ...launch.addresses, scratch } };
    this.user = userRegisters(this.state);
    this.memory = new GlobalMemory(launch.regions, memory);
    this.lds = new Lds(launch.ldsBytes, launch.checkUninitializedLds, launch.unalignedLds);
    this.files = Array.from({ length: wavesPerWorkgroup }, () => new RegisterFile(this.code.registers));
    this.counts = new ExecutionCounts(steps.length);
    this.detector = launch.detectRaces ? new RaceDetector() : null;
    const timing = steps.length < 2 ** TRACE_INDEX_BITS ? launch.timing : null;
    this.model = timing && makeTimingModel(program, launch.target, { ...timing, ...launch }, launch.fullUnit);
    this.time = profiled && this.model && makeTimeRecorder(program, profiled, this.model, waveSize);
    this.estimate = this.model?.estimate(this.time) ?? null;
    this.batch = this.model?.batch ?? 1;
  }

  keepTimeline(): void {
    this.time?.keepTimeline();
  }

  runWorkgroup(number: number): void {
    const { launch, code, memory, lds, lanes, counts, state } = this;
    const [gridX, gridY] = launch.grid;
    const id: Dimensions = [number % gridX, Math.floor(number / gridX) % gridY, Math.floor(number / (gridX * gridY))];
    this.workgroup = id;
    // Every workgroup finds the same scratch and LDS, whoever ran before it.
    const { scratch } = state.addresses;
    memory.u8.fill(0, scratch, scratch + launch.scratchPerThread);
    lds.clear();
    const races = this.detector?.workgroup(number) ?? null;
    lds.races = races;
    const waves = this.files.map((file, wave) => this.newWave(file, wave, id));
    const laneTraces = this.estimate && lanes && this.laneTraces(waves, number);
    const traces = laneTraces ?? (this.estimate && waves.map(() => new WaveTrace(this.traceWords)));
    lanes?.begin(waves, laneTraces);
    const budget = { left: launch.maxInstructions };
    const onBarrier = (): void => races?.barrier();
    const allReachBarriers = launch.detectRaces;
    runWorkgroup({ kernel: launch.kernel, code, id, waves, counts, traces, budget, onBarrier, allReachBarriers });
    if (traces !== null) this.addToEstimate(traces);
  }

  /** What was counted, also by a part that failed. */
  get counted(): Pick<LaunchPartResult, 'counts' | 'bankConflicts'> {
    return { counts: this.counts, bankConflicts: this.lds.bankConflicts };
  }

  /** What a part knows that did not fail. */
  get recorded(): Pick<LaunchPartResult, 'cycles' | 'profile'> {
    const { lanes, time } = this;
    const cycles = this.estimate?.cycles() ?? null;
    const profile = lanes && { lanes: lanes.lanes, time: cycles === null ? null : (time?.time ?? null) };
    return { cycles, profile };
  }

  private newWave(file: RegisterFile, id: number, workgroup: Dimensions): Wave {
    const { launch, memory, lds, state } = this;
    const scratch = state.addresses.scratch + id * launch.scratchBytesPerWave;
    const wave = new Wave(file, { id, memory, lds, scratch, scratchPerLane: launch.scratchPerLane });
    initializeWave(wave, this.code.layout, state, this.user, workgroup);
    wave.pc = this.entry;
    return wave;
  }

  private laneTraces(waves: readonly Wave[], workgroup: number): LaneTrace[] {
    const options = { capacity: this.traceWords, keepsMasks: workgroup < this.batch };
    return waves.map((wave) => new LaneTrace(workgroup, wave.id, options));
  }

  private addToEstimate(traces: readonly WaveTrace[]): void {
    this.traceWords = Math.max(...traces.map((trace) => trace.length));
    const words = traces.reduce((sum, trace) => sum + trace.length, 0);
    const kept = Math.min(this.model!.kept, totalWorkgroups(this.launch));
    if (words * kept > MOST_TRACE_WORDS) this.estimate = null;
    else this.estimate!.add(traces);
  }
}

function makeTimeRecorder(
  program: Program,
  functions: readonly CodeFunction[],
  { code }: TimingModel,
  waveSize: 32 | 64,
): TimeRecorder {
  const entries = functions.map(({ offset }) => offset);
  return new TimeRecorder(code, codeBlocks(program, entries).blockOf, waveSize);
}

function withListener(code: KernelCode, listener: (wave: Wave, index: number) => void): KernelCode {
  const steps = code.steps.map((step, index): Step => (wave) => {
    listener(wave, index);
    step(wave);
  });
  return { ...code, steps };
}

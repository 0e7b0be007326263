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

/** Most trace words of the workgroups that are resident at once; a launch that needs more gets no cycle estimate. */
const MOST_TRACE_WORDS = 2 ** 28;

/** The code of a launch, bound. */
function bindLaunch({ disassembly, codeAddress, target, waveSize }: PlacedLaunch): KernelCode {
  const program = makeProgram(disassembly, { low: codeAddress, high: ADDRESS_HIGH });
  return bindCode(program, target, waveSize, LEAST_VGPRS);
}

/** @param onInstruction slows everything down */
export function runWorkgroups(part: LaunchPart, onInstruction: InstructionListener | null = null): LaunchPartResult {
  const { launch, progress } = part;
  const bound = bindLaunch(launch);
  const entry = bound.program.indexAt(launch.entryAddress - launch.codeAddress);
  if (entry < 0) throw new DarmError('bad-input', `kernel '${launch.kernel}' begins where there is no instruction`);
  const position: { workgroup: Dimensions } = { workgroup: [0, 0, 0] };
  const listened = onInstruction === null ? bound : withListener(bound, onInstruction, position);
  const laneRecorder =
    launch.profiled && new LaneRecorder(bound.steps.length, launch.waveSize, launch.wavesPerWorkgroup);
  const code = laneRecorder?.recorded(listened) ?? listened;
  const scratch = launch.addresses.scratch + part.index * launch.scratchPerThread;
  const state: InitialState = { ...launch, addresses: { ...launch.addresses, scratch } };
  const user = userRegisters(state);
  const memory = new GlobalMemory(launch.regions, part.memory);
  const counts = new ExecutionCounts(code.steps.length);
  const timing = code.steps.length < 2 ** TRACE_INDEX_BITS ? launch.timing : null;
  const model = timing && makeTimingModel(bound.program, launch.target, { ...timing, ...launch });
  const timeRecorder =
    launch.profiled && model && makeTimeRecorder(bound.program, launch.profiled, model, launch.waveSize);
  let estimate = model?.estimate(timeRecorder) ?? null;
  const batch = model?.batch ?? 1;
  const total = totalWorkgroups(launch);
  const [gridX, gridY] = launch.grid;
  const detector = launch.detectRaces ? new RaceDetector() : null;
  const files = Array.from({ length: launch.wavesPerWorkgroup }, () => new RegisterFile(code.registers));
  const lds = new Lds(launch.ldsBytes, launch.checkUninitializedLds, launch.unalignedLds);
  /** Length of the longest trace of the workgroup before, because the next one's are about as long. */
  let traceWords = 64;

  const runOne = (number: number): void => {
    const id: Dimensions = [number % gridX, Math.floor(number / gridX) % gridY, Math.floor(number / (gridX * gridY))];
    position.workgroup = id;
    // Every workgroup finds the same scratch and LDS, whoever ran before it.
    memory.u8.fill(0, scratch, scratch + launch.scratchPerThread);
    lds.clear();
    const races = detector?.workgroup(number) ?? null;
    lds.races = races;
    const waves = Array.from({ length: launch.wavesPerWorkgroup }, (_, wave) => {
      const made = new Wave(files[wave]!, {
        id: wave,
        memory,
        lds,
        scratch: scratch + wave * launch.scratchBytesPerWave,
        scratchPerLane: launch.scratchPerLane,
      });
      initializeWave(made, code.layout, state, user, id);
      made.pc = entry;
      return made;
    });
    const laneTraces =
      estimate &&
      laneRecorder &&
      waves.map((wave) => new LaneTrace(number, wave.id, { capacity: traceWords, keepsMasks: number < batch }));
    const traces = laneTraces ?? (estimate && waves.map(() => new WaveTrace(traceWords)));
    laneRecorder?.begin(waves, laneTraces);
    const budget = { left: launch.maxInstructions };
    const onBarrier = (): void => races?.barrier();
    runWorkgroup({ kernel: launch.kernel, code, id, waves, counts, traces, budget, onBarrier });
    if (traces === null) return;
    traceWords = Math.max(...traces.map((trace) => trace.length));
    const words = traces.reduce((sum, trace) => sum + trace.length, 0);
    if (words * model!.resident > MOST_TRACE_WORDS) estimate = null;
    else estimate!.add(traces);
  };

  let number = 0;
  try {
    while (Atomics.load(progress, 1) === 0) {
      const first = Atomics.add(progress, 0, 1) * batch;
      if (first >= total) break;
      if (first === 0) timeRecorder?.keepTimeline();
      const end = Math.min(first + batch, total);
      for (number = first; number < end; number++) runOne(number);
    }
  } catch (error) {
    Atomics.store(progress, 1, 1);
    if (!(error instanceof DarmError)) throw error;
    return {
      counts,
      bankConflicts: lds.bankConflicts,
      cycles: null,
      profile: null,
      failure: { workgroup: number, error: error.toJSON() },
    };
  }
  const cycles = estimate?.cycles() ?? null;
  const profile = laneRecorder && {
    lanes: laneRecorder.lanes,
    time: cycles === null ? null : (timeRecorder?.time ?? null),
  };
  return { counts, bankConflicts: lds.bankConflicts, cycles, profile, failure: null };
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

function withListener(
  code: KernelCode,
  listener: InstructionListener,
  position: { readonly workgroup: Dimensions },
): KernelCode {
  const steps = code.steps.map((step, index): Step => (wave) => {
    listener(position.workgroup, wave, index);
    step(wave);
  });
  return { ...code, steps };
}

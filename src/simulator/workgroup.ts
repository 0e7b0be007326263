/**
 * Executes one workgroup: its waves one after the other, each to the next barrier or its end, in the order of their
 * numbers. That order is fixed, so results do not depend on anything but the launch.
 *
 * Counting costs two additions an instruction: how often each static instruction ran, and with how many lanes. All
 * other counters follow from those (counters.ts). With a trace, what ran is recorded as well, for the cycle estimate.
 */
import { DarmError } from '../errors.js';
import type { KernelCode } from './code.js';
import { Fault } from './fault.js';
import { WaveState, type Wave } from './wave.js';

/** Per static instruction. */
export class ExecutionCounts {
  readonly executed: Float64Array;
  /** Sum of active lanes. */
  readonly lanes: Float64Array;
  /** Sum of `Wave.transactions`. */
  readonly transactions: Float64Array;

  constructor(instructions: number) {
    this.executed = new Float64Array(instructions);
    this.lanes = new Float64Array(instructions);
    this.transactions = new Float64Array(instructions);
  }
}

/** Bits of a trace word: the static instruction, and above, its transactions and waiting lanes. */
export const TRACE_INDEX_BITS = 20;
const TRACE_TRANSACTIONS_MAX = 2 ** (32 - TRACE_INDEX_BITS) - 1;

/** What one wave executed, in order: one word per instruction. */
export class WaveTrace {
  words: Uint32Array;
  length = 0;

  /** @param capacity words to make room for at first */
  constructor(capacity = 1024) {
    this.words = new Uint32Array(Math.max(16, capacity));
  }

  push(word: number): void {
    if (this.length === this.words.length) {
      const grown = new Uint32Array(2 * this.length);
      grown.set(this.words);
      this.words = grown;
    }
    this.words[this.length++] = word;
  }
}

export interface WorkgroupRun {
  readonly kernel: string;
  readonly code: KernelCode;
  /** Position in the grid. */
  readonly id: readonly [number, number, number];
  readonly waves: readonly Wave[];
  readonly counts: ExecutionCounts;
  /** One per wave; null when nothing is traced. */
  readonly traces: readonly WaveTrace[] | null;
  /** Instructions that may still be executed. */
  readonly budget: { left: number };
  /** Called when all waves have reached a barrier. */
  readonly onBarrier?: () => void;
  /** Whether a wave may not end that others wait for at a barrier. */
  readonly allReachBarriers?: boolean;
}

/** So many instructions a wave executes before others get on: it may wait for what one of them writes. */
const TURN = 2 ** 16;

/** @throws DarmError `simulation-failed` with kernel, pc, instruction, workgroup, wave and lane */
export function runWorkgroup(run: WorkgroupRun): void {
  const { waves } = run;
  for (;;) {
    do {
      for (const wave of waves) if (wave.state === WaveState.Running) runWave(run, wave);
    } while (waves.some((wave) => wave.state === WaveState.Running));
    const waiting = waves.filter((wave) => wave.state === WaveState.AtBarrier);
    if (waiting.length === 0) return;
    // A wave that has ended no longer counts for the barrier (ISA documents, S_BARRIER). Languages do not allow it, but
    // many kernels let waves without work go early.
    const ended = waves.find((wave) => wave.state === WaveState.Ended);
    if (ended !== undefined && run.allReachBarriers === true)
      throw located(run, waiting[0]!, new Fault(`wave ${ended.id} ended without reaching this barrier`));
    run.onBarrier?.();
    for (const wave of waiting) wave.state = WaveState.Running;
  }
}

/** Until it ends, comes to a barrier, or has had its turn. */
function runWave(run: WorkgroupRun, wave: Wave): void {
  const { steps } = run.code;
  const { executed, lanes, transactions } = run.counts;
  const trace = run.traces?.[wave.id] ?? null;
  let { left } = run.budget;
  const turn = Math.max(0, left - TURN);
  let at = wave.pc;
  try {
    while (wave.state === WaveState.Running) {
      at = wave.pc;
      const step = steps[at];
      if (step === undefined) throw new Fault('execution ran off the end of the code');
      if (left === turn) {
        if (turn > 0) break;
        throw new Fault(
          'the workgroup executes more instructions than allowed (an endless loop, or a wait for what does not come?)',
        );
      }
      left--;
      wave.pc = at + 1;
      executed[at]! += 1;
      lanes[at]! += wave.active;
      wave.transactions = 0;
      wave.waitingLanes = 0;
      step(wave);
      if (wave.transactions !== 0) transactions[at]! += wave.transactions;
      if (trace !== null) {
        const turns = Math.min(wave.transactions + wave.waitingLanes, TRACE_TRANSACTIONS_MAX);
        trace.push((at | (turns << TRACE_INDEX_BITS)) >>> 0);
      }
    }
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    wave.pc = at;
    throw located(run, wave, error);
  } finally {
    run.budget.left = left;
  }
}

function located(run: WorkgroupRun, wave: Wave, fault: Fault): DarmError {
  const at = wave.state === WaveState.AtBarrier ? wave.pc - 1 : wave.pc;
  const instruction = run.code.program.instructions[at];
  const where = [
    `kernel ${run.kernel}`,
    instruction == null ? `instruction ${at}` : `pc 0x${instruction.offset.toString(16)} '${instruction.text}'`,
    `workgroup (${run.id.join(', ')})`,
    `wave ${wave.id}`,
    ...(fault.lane >= 0 ? [`lane ${fault.lane}`] : []),
  ];
  return new DarmError('simulation-failed', `${fault.message} [${where.join(', ')}]`);
}

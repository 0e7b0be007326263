/**
 * What the cycle estimate must know of each static instruction, once per program, as flat arrays: which unit it
 * occupies and for how long, what becomes of its result and when, which counters it raises. From LLVM's encoding flags
 * and the mnemonic; an operation that no rule names runs at the full rate.
 */
import type { Instruction, Program } from '../program.js';
import type { SimulatedTarget } from '../target.js';
import { timingConstants, type TimingConstants } from './constants.js';
import { BRANCH_EXEC, BRANCH_SCC, BRANCH_VCC, registerUse, SCC, type RegisterUse } from './registers.js';
import { NO_WAIT, waitOf, type WaitCounts } from './waitcnt.js';

/** What an instruction takes its turn at. Units before `Lds` belong to a SIMD, the others to the compute unit. */
export const Unit = {
  Vector: 0,
  Transcendental: 1,
  Matrix: 2,
  Scalar: 3,
  Branch: 4,
  Message: 5,
  /** Never occupied: the end of a wave. */
  None: 6,
  Lds: 7,
  VectorMemory: 8,
} as const;
export const UNITS = 9;
export const FIRST_SHARED_UNIT = Unit.Lds;

/** How the replay treats an instruction. */
export const Kind = {
  /** Occupies its unit; the result is ready after `latency`. */
  Compute: 0,
  Branch: 1,
  Lds: 2,
  VectorMemory: 3,
  ScalarMemory: 4,
  Message: 5,
  End: 6,
  /** This one and those after it are done by the wave's instruction buffer, without a unit. */
  Wait: 7,
  Barrier: 8,
  /** Costs the wave time and nothing else. */
  Delay: 9,
} as const;
export const FIRST_INTERNAL_KIND = Kind.Wait;

/** Counters that an instruction raises when it issues and lowers when it is done. */
export const Counter = { Vector: 1, ScalarAndLds: 2, Exports: 4, Stores: 8 } as const;

export interface StaticTiming {
  readonly kind: Uint8Array;
  readonly unit: Uint8Array;
  /** A second unit that must be free too and is then taken for one turn; `Unit.None` where there is none. */
  readonly secondUnit: Uint8Array;
  /** Cycles that the unit is taken; of memory operations, at least, and per transaction. */
  readonly busy: Float64Array;
  readonly busyPerTransaction: Float64Array;
  /**
   * From issue until the result can be used. Of memory operations, in addition to the cycles that the unit is taken.
   */
  readonly latency: Float64Array;
  /** From issue until the wave's next instruction may issue. */
  readonly cost: Float64Array;
  readonly counters: Uint8Array;
  /** Allowed outstanding operations, four an instruction, in the order of `WaitCounts`. */
  readonly waits: Uint8Array;
  /** Registers that instruction i may have to wait for: `reads`, from `readStart[i]` to before `readStart[i + 1]`. */
  readonly readStart: Int32Array;
  readonly reads: Int32Array;
  readonly writeStart: Int32Array;
  readonly writes: Int32Array;
  /** Size of a wave's scoreboard. */
  readonly registers: number;
}

interface Class {
  readonly kind: number;
  readonly unit: number;
  readonly secondUnit?: number;
  readonly busy: number;
  readonly busyPerTransaction?: number;
  readonly latency?: number;
  /** One turn when it is not given. */
  readonly cost?: number;
  readonly counters?: number;
}

export function classifyProgram(program: Program, target: SimulatedTarget, waveSize: 32 | 64): StaticTiming {
  const constants = timingConstants(target);
  const count = program.instructions.length;
  const timing = {
    kind: new Uint8Array(count),
    unit: new Uint8Array(count),
    secondUnit: new Uint8Array(count).fill(Unit.None),
    busy: new Float64Array(count),
    busyPerTransaction: new Float64Array(count),
    latency: new Float64Array(count),
    cost: new Float64Array(count).fill(constants.turn),
    counters: new Uint8Array(count),
    waits: new Uint8Array(4 * count).fill(NO_WAIT),
    readStart: new Int32Array(count + 1),
    writeStart: new Int32Array(count + 1),
  };
  const reads: number[] = [];
  const writes: number[] = [];
  program.instructions.forEach((instruction, index) => {
    if (instruction !== null) {
      const found = classOf(instruction, constants, target, waveSize);
      timing.kind[index] = found.kind;
      timing.unit[index] = found.unit;
      timing.secondUnit[index] = found.secondUnit ?? Unit.None;
      timing.busy[index] = found.busy;
      timing.busyPerTransaction[index] = found.busyPerTransaction ?? 0;
      timing.latency[index] = found.latency ?? 0;
      timing.cost[index] = found.cost ?? constants.turn;
      timing.counters[index] = found.counters ?? 0;
      const wait = waitOf(instruction, target);
      if (wait !== null) timing.waits.set(waitWords(wait), 4 * index);
      const use = dependencies(instruction, found, constants, registerUse(instruction, waveSize));
      reads.push(...use.reads);
      writes.push(...use.writes);
    }
    timing.readStart[index + 1] = reads.length;
    timing.writeStart[index + 1] = writes.length;
  });
  return {
    ...timing,
    reads: Int32Array.from(reads),
    writes: Int32Array.from(writes),
    registers: [...reads, ...writes].reduce((most, register) => Math.max(most, register + 1), 0),
  };
}

const waitWords = (wait: WaitCounts): number[] =>
  [wait.vector, wait.scalarAndLds, wait.exports, wait.stores].map((count) => Math.min(count, NO_WAIT));

function classOf(
  instruction: Instruction,
  constants: TimingConstants,
  target: SimulatedTarget,
  waveSize: 32 | 64,
): Class {
  const { mnemonic } = instruction;
  const { turn } = constants;
  const counters = countersOf(instruction, target);
  if (instruction.is('Ds')) {
    // A permutation reports no transactions, but takes as long as an access to all banks.
    const permute = /^ds_(b?permute|swizzle)/.test(mnemonic);
    const passes = permute ? Math.ceil(waveSize / constants.ldsPermuteLanes) : 1;
    return {
      kind: Kind.Lds,
      unit: Unit.Lds,
      busy: passes * constants.ldsPass,
      busyPerTransaction: constants.ldsPass,
      latency: constants.ldsLatency - constants.ldsPass,
      counters,
    };
  }
  if (instruction.is('Flat') || instruction.is('Mubuf') || instruction.is('Mtbuf')) {
    const addresses = Math.ceil(waveSize / constants.vectorMemoryLanes);
    return {
      kind: Kind.VectorMemory,
      unit: Unit.VectorMemory,
      busy: addresses * wordsOf(instruction, 'vdst', 'vdata', 'data', 'data0'),
      busyPerTransaction: constants.vectorMemoryLine,
      latency: constants.vectorMemoryLatency - addresses,
      counters,
    };
  }
  if (instruction.is('Smrd')) {
    const busy = turn * Math.ceil(wordsOf(instruction, 'sdst', 'sdata') / 4);
    return {
      kind: Kind.ScalarMemory,
      unit: Unit.Scalar,
      busy,
      latency: constants.scalarMemoryLatency - busy,
      counters,
    };
  }
  if (instruction.is('Valu')) return vectorClass(instruction, constants, waveSize);
  if (instruction.is('Exp') || mnemonic.startsWith('s_sendmsg'))
    return { kind: Kind.Message, unit: Unit.Message, busy: turn, latency: constants.message - turn, counters };
  if (mnemonic.startsWith('s_endpgm')) return { kind: Kind.End, unit: Unit.None, busy: 0 };
  if (/^s_(branch|cbranch|setpc|swappc|call|subvector_loop)/.test(mnemonic))
    return { kind: Kind.Branch, unit: Unit.Branch, busy: turn, cost: constants.branchNotTaken };
  if (instruction.is('Sopp') || /^s_(waitcnt|version)/.test(mnemonic))
    return internalClass(instruction, constants, target);
  const cost = /saveexec|wrexec|^s_setreg/.test(mnemonic) ? constants.saveExec : turn;
  return { kind: Kind.Compute, unit: Unit.Scalar, busy: cost, latency: constants.scalarLatency, cost };
}

function internalClass(instruction: Instruction, constants: TimingConstants, target: SimulatedTarget): Class {
  const simm16 = instruction.immediate('simm16') & 0xffff;
  const { turn } = constants;
  const internal = (kind: number, cost: number): Class => ({ kind, unit: Unit.None, busy: 0, cost });
  if (waitOf(instruction, target) !== null) return internal(Kind.Wait, turn);
  switch (instruction.mnemonic) {
    case 's_barrier':
      return internal(Kind.Barrier, constants.barrier);
    case 's_nop':
      return internal(Kind.Delay, turn * ((simm16 & 0xf) + 1));
    case 's_sleep':
      return internal(Kind.Delay, turn + 64 * (simm16 & 0x7f));
    case 's_delay_alu':
      // A hint about dependencies that the scoreboard knows anyway; it takes no time of its own.
      return internal(Kind.Delay, 0);
    default:
      return internal(Kind.Delay, turn);
  }
}

function vectorClass(instruction: Instruction, constants: TimingConstants, waveSize: 32 | 64): Class {
  const { rates, turn } = constants;
  const matrix = matrixCycles(instruction.mnemonic, constants);
  if (matrix > 0)
    return { kind: Kind.Compute, unit: Unit.Matrix, secondUnit: Unit.Vector, busy: matrix, latency: matrix };
  const busy = vectorRate(instruction, constants) * Math.ceil(waveSize / constants.vectorPassLanes);
  const transcendental = instruction.is('Trans');
  const slow = (transcendental ? 1 : 0) + (isF64(instruction) ? 1 : 0);
  const latency = constants.vectorLatency + busy - rates.full + slow * constants.slowResult;
  if (transcendental && constants.separateTranscendental)
    return { kind: Kind.Compute, unit: Unit.Transcendental, secondUnit: Unit.Vector, busy, latency };
  return { kind: Kind.Compute, unit: Unit.Vector, busy: Math.max(busy, turn), latency };
}

const isF64 = ({ mnemonic }: Instruction): boolean => mnemonic.includes('_f64');

/** Cycles per `vectorPassLanes` lanes. The groups are those of LLVM's `SchedRW` (VOP1 to VOP3Instructions.td). */
function vectorRate(instruction: Instruction, { rates }: TimingConstants): number {
  const { mnemonic } = instruction;
  const f64 = isF64(instruction);
  if (instruction.is('Trans')) return f64 ? rates.f64Transcendental : rates.transcendental;
  if (f64 && mnemonic.startsWith('v_cvt_')) return rates.f64Convert;
  if (f64 && /^v_(div_scale|div_fmas|trig_preop)_/.test(mnemonic)) return rates.f64Division;
  if (f64) return rates.f64;
  if (/^v_div_(scale|fmas|fixup)_f32/.test(mnemonic)) return rates.divisionSteps;
  if (/^v_(mul_(lo|hi)_[iu]32|mad_[iu]64_[iu]32|m?qsad)/.test(mnemonic)) return rates.integerMultiply;
  if (/[iub]64(_|$)|^v_swap_b32/.test(mnemonic)) return rates.wide;
  return rates.full;
}

/**
 * Cycles that a matrix instruction keeps the matrix unit: LLVM's passes (SISchedule.td, Write2PassMAI and following) of
 * 4 cycles; 32 for RDNA 3's `v_wmma` (assumed). 0 for other instructions.
 */
function matrixCycles(mnemonic: string, { fastDeepMatrix }: TimingConstants): number {
  if (mnemonic.startsWith('v_wmma_')) return 32;
  const [, sparse, type, size, depth] = /^v_(mfma|smfmac)_(\w\d+)_(\d+)x\d+x(\d+)/.exec(mnemonic) ?? [];
  if (size === undefined) return 0;
  if (type === 'f64') return size === '4' ? 16 : 32;
  if (size === '4') return 8;
  const isDeep = sparse === 'smfmac' || Number(depth) >= 8 || mnemonic.includes('xf32');
  return (size === '16' ? 32 : 64) / (fastDeepMatrix && isDeep ? 2 : 1);
}

/** 32-bit words per lane of the first of these operands that the instruction has. */
function wordsOf(instruction: Instruction, ...names: readonly string[]): number {
  const data = names.find((name) => instruction.has(name));
  return data === undefined ? 1 : Math.max(1, Math.ceil(instruction.operand(data).width / 32));
}

/** Bits of `Opcode.flagsHigh` (LLVM, SIDefines.h, SIInstrFlags). */
const VM_CNT = 1 << 0;
const LGKM_CNT = 1 << 2;

function countersOf(instruction: Instruction, target: SimulatedTarget): number {
  const { flagsHigh } = instruction.opcode;
  let counters = 0;
  if ((flagsHigh & LGKM_CNT) !== 0 || instruction.mnemonic.startsWith('s_sendmsg')) counters |= Counter.ScalarAndLds;
  if (instruction.is('Exp')) counters |= Counter.Exports;
  if ((flagsHigh & VM_CNT) !== 0)
    counters |= target.countsStoresApart && returnsNothing(instruction) ? Counter.Stores : Counter.Vector;
  return counters;
}

/** Stores, and atomics that do not return the old value. */
function returnsNothing(instruction: Instruction): boolean {
  if (/_store_/.test(instruction.mnemonic)) return true;
  return /_atomic_/.test(instruction.mnemonic) && !/_RTN/.test(instruction.opcode.name);
}

/** The registers that a scoreboard entry is worth: those that can be ready later than the wave's next turn. */
function dependencies(
  instruction: Instruction,
  { kind, latency = 0 }: Class,
  constants: TimingConstants,
  use: RegisterUse,
): RegisterUse {
  if (kind >= FIRST_INTERNAL_KIND || kind === Kind.End) return { reads: [], writes: [] };
  const compute = kind === Kind.Compute;
  if (constants.interlocked) return { reads: use.reads, writes: compute && latency > 1 ? use.writes : [] };
  // What a vector instruction left in scalar registers is late for the scalar side, and flags are for branches.
  const scalar = (registers: readonly number[]): number[] => registers.filter((each) => each <= SCC);
  if (instruction.is('Valu')) return { reads: [], writes: scalar(use.writes) };
  const flags = { [SCC]: BRANCH_SCC, 106: BRANCH_VCC, 126: BRANCH_EXEC };
  const branchFlags = (registers: readonly number[]): number[] =>
    registers.flatMap((each) => (each in flags ? [flags[each as keyof typeof flags]] : []));
  if (kind === Kind.Branch) return { reads: [...scalar(use.reads), ...branchFlags(use.reads)], writes: [] };
  if (kind === Kind.VectorMemory || kind === Kind.Lds) return { reads: [], writes: [] };
  return { reads: scalar(use.reads), writes: compute ? branchFlags(use.writes) : [] };
}

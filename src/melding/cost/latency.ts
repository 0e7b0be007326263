/**
 * What one instruction costs, in cycles of one wave. The paper's metric and our own cost model use these numbers as
 * weights.
 *
 * There are several numbers per instruction, because they answer different questions:
 * - `latency`: cycles until the result is there. It is the paper's w_i and lat(b).
 * - `vector` and `scalar`: cycles to issue, plus the share of the latency that other work does not hide. That is what
 *   melding two instructions into one really saves. `scalar` is the cost when the value is uniform and the target
 *   computes it on the scalar unit. Before gfx11.5 the scalar unit has no floating point, so there both are equal.
 *
 * ALU latencies are TargetTransformInfo's (`TCK_Latency`, in full-rate instructions) times the target's cycles per
 * full-rate instruction. Instructions that TargetTransformInfo calls free (folded addressing, casts) cost nothing.
 * Memory latencies are in the table below. Sources: LLVM's SISchedule.td (SIQuarterSpeedModel: LDS "between 2 and 64",
 * VMEM 80 in steps of four cycles; GFX10/GFX11SpeedModel: LDS 20, SMEM 20, VMEM 320, branch 32) and, for LDS and scalar
 * loads on GCN, the latencies that the vendor's instruction-set manuals and microbenchmarks agree on (about 64 and
 * 100–200 cycles). NVPTX: J. Luo et al., "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture", 2024 (shared
 * about 30, L1 about 40, L2 about 270).
 */
import type { Divergence } from '../../analysis/divergence.js';
import type { InstrId, ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import type { FunctionSnapshot } from '../../ir/snapshot.js';
import { InstrFlag, Opcode, TypeKind, ValueKind, hasFlag, instrValue, isAmd } from '../../ir/snapshot.js';

export interface TargetCosts {
  /** Full-rate vector instruction. */
  readonly valu: number;
  /** Scalar instruction. It takes a turn of its wave, although vector work of other waves goes on at the same time. */
  readonly salu: number;
  /** A run of instructions under a changed execution mask: save, branch when empty, restore. */
  readonly guard: number;
  /** A branch on a scalar condition. */
  readonly branch: number;
  /** A divergent branch of two sides: what handling the execution mask costs a wave that takes both. */
  readonly diamond: number;
  /** How long that keeps the scalar unit busy: four instructions, two of which take longer on GCN and CDNA. */
  readonly masks: number;
  /**
   * Which share of `diamond` is no gain to a wave that agrees: other waves hide it. On RDNA the scalar unit has turns
   * that vector work cannot use anyway. Fitted.
   */
  readonly hiddenMasks: number;
  /**
   * What a question (`WaveVersion`) costs a wave whose threads do not agree: a branch that is taken, and where a mask
   * comes late to the scalar unit, the time until it is there. Measured with the simulator, for a wave that is alone.
   */
  readonly question: number;
  /**
   * What `v_div_scale`, `v_div_fmas` and `v_div_fixup` take beyond full-rate instructions, in a division of floats:
   * TargetTransformInfo does not know that they are slow.
   */
  readonly divisionSteps: number;
  /** 32-bit integer multiplication. */
  readonly multiply: number;
  /**
   * The latency of a full-rate instruction in LLVM's scheduling model, and the most that work may have there which is
   * not branched around (skipping.ts). In full-rate instructions.
   */
  readonly resultAfter: number;
  readonly unskipped: number;
  /**
   * How many waves a SIMD usually holds, how many of a function that keeps data in LDS, and how many even of a small
   * launch.
   */
  readonly residentWaves: number;
  readonly residentWithLds: number;
  readonly residentAtLeast: number;
  /**
   * Up to how many vector registers of 64 threads a wave may have so that a SIMD holds `residentWaves`. That of the
   * smallest processor of a family.
   */
  readonly roomyRegisters: number;
  /**
   * With so many waves a SIMD gets half as much done as with any number, in a usual function (waves.ts). Fitted.
   */
  readonly halfSpeedWaves: number;
  /**
   * A loss up to this share of what a wave spends in the function does not count more than a gain (wave-choice.ts). 0:
   * losses came out larger than estimated, or were not measured.
   */
  readonly smallLoss: number;
  /** How many scalar registers or literals a select takes beside its condition. */
  readonly freeScalars: number;
  /** Latency per kind of memory. */
  readonly lds: number;
  readonly global: number;
  readonly scalarMemory: number;
  readonly scratch: number;
  /**
   * Share of a load's latency that is not hidden, elsewhere and in LDS. Code generation finds work for a wave that waits
   * for memory, but little for the few cycles between an access of LDS and the use of its result.
   */
  readonly exposed: number;
  readonly exposedLds: number;
  /**
   * How long a memory instruction keeps its unit busy, in cycles of one SIMD: the unit serves all SIMDs of a compute
   * unit. In LDS, and elsewhere.
   */
  readonly ldsIssue: number;
  readonly issue: number;
  /** Gain of one memory access less outside LDS: it spares bandwidth and cache traffic. */
  readonly memoryCredit: number;
  /** What a store to LDS costs, and a store elsewhere. Nothing waits for the result of a store. */
  readonly ldsStore: number;
  readonly store: number;
  /**
   * Whether a select between a value and the next one costs nothing beside the addition: that takes the condition as its
   * carry. RDNA has such additions, too, but the simulator does not show a gain.
   */
  readonly countsByCarry: boolean;
  /** Whether vector instructions can take a byte of an operand, with or without its sign (SDWA). */
  readonly namesBytes: boolean;
  /** Whether the scalar unit has floating point. */
  readonly scalarFloat: boolean;
}

const gfx9: TargetCosts = {
  valu: 4,
  salu: 4,
  guard: 16,
  branch: 8,
  freeScalars: 0,
  diamond: 28,
  masks: 24,
  hiddenMasks: 0.25,
  question: 44,
  divisionSteps: 48,
  multiply: 16,
  resultAfter: 1,
  unskipped: 9,
  residentWaves: 8,
  residentWithLds: 2,
  residentAtLeast: 2,
  roomyRegisters: 32,
  halfSpeedWaves: 2.5,
  smallLoss: 0.005,
  lds: 64,
  global: 320,
  scalarMemory: 200,
  scratch: 320,
  exposed: 0.25,
  exposedLds: 0.75,
  ldsIssue: 8,
  issue: 16,
  memoryCredit: 8,
  ldsStore: 8,
  store: 20,
  namesBytes: true,
  countsByCarry: true,
  scalarFloat: false,
};
/** From gfx90a on. */
const cdna: TargetCosts = { ...gfx9, roomyRegisters: 64 };
const gfx10: TargetCosts = {
  valu: 2,
  salu: 2,
  resultAfter: 5,
  unskipped: 33,
  guard: 8,
  branch: 8,
  freeScalars: 1,
  diamond: 14,
  masks: 8,
  hiddenMasks: 0.5,
  question: 30,
  divisionSteps: 0,
  multiply: 8,
  residentWaves: 16,
  residentWithLds: 4,
  residentAtLeast: 4,
  roomyRegisters: 32,
  halfSpeedWaves: 8,
  smallLoss: 0,
  lds: 32,
  global: 320,
  scalarMemory: 200,
  scratch: 320,
  exposed: 0.25,
  exposedLds: 0.25,
  ldsIssue: 4,
  issue: 8,
  memoryCredit: 8,
  ldsStore: 4,
  store: 16,
  namesBytes: false,
  countsByCarry: false,
  scalarFloat: false,
};

/** By prefix of the processor's name; the first that fits counts. Anything else is taken for NVPTX. */
const TARGETS: readonly (readonly [prefix: string, costs: TargetCosts])[] = [
  ['gfx906', gfx9],
  // CDNA has the same vector unit, but its L2 cache has a longer latency.
  ['gfx90a', { ...cdna, global: 400, scratch: 400 }],
  ['gfx94', { ...cdna, global: 480, scratch: 480 }],
  ['gfx95', { ...cdna, global: 480, scratch: 480 }],
  ['gfx10', { ...gfx10, namesBytes: true }],
  ['gfx115', { ...gfx10, scalarFloat: true }],
  ['gfx11', gfx10],
  ['gfx12', { ...gfx10, scalarFloat: true }],
  ['gfx', gfx9],
  [
    '',
    {
      // A scheduler has 16 lanes for integers, for floats 16 or 32.
      valu: 2,
      salu: 2,
      guard: 12,
      branch: 8,
      freeScalars: 2,
      // This, and how many waves there are below, is fitted to times of bench:gpu on an H100.
      diamond: 32,
      masks: 0,
      hiddenMasks: 0.5,
      question: 24,
      divisionSteps: 0,
      multiply: 8,
      resultAfter: 2,
      unskipped: 12,
      residentWaves: 6,
      residentWithLds: 2,
      residentAtLeast: 2,
      // The driver gives registers out, and nothing here says how many.
      roomyRegisters: Infinity,
      halfSpeedWaves: 8,
      smallLoss: 0,
      lds: 30,
      global: 280,
      scalarMemory: 40,
      scratch: 40,
      exposed: 0.25,
      exposedLds: 0.25,
      ldsIssue: 4,
      issue: 8,
      memoryCredit: 8,
      ldsStore: 8,
      store: 20,
      namesBytes: false,
      countsByCarry: false,
      scalarFloat: true,
    },
  ],
];

export const costsOf = (cpu: string): TargetCosts => TARGETS.find(([prefix]) => cpu.startsWith(prefix))![1];

export interface InstrCosts {
  readonly target: TargetCosts;
  /** All `[instrCount]`, cycles. */
  readonly latency: Float64Array;
  readonly vector: Float64Array;
  readonly scalar: Float64Array;
}

/**
 * LLVM's address spaces of AMDGPU. NVPTX has the same numbers for those that matter here (global, shared, constant,
 * local).
 */
export const AddressSpace = {
  Flat: 0,
  Global: 1,
  Region: 2,
  Local: 3,
  Constant: 4,
  Private: 5,
  Constant32: 6,
} as const;

/** A cap for TargetTransformInfo's answer: for unknown calls and the like it is too large to be a latency. */
const MOST_UNITS = 64;

/** What memory accesses share, `[instrCount]` (memory-accesses.ts). */
interface SharedAccesses {
  readonly joined: Int32Array;
  readonly batched: Int32Array;
  readonly unawaited: Uint8Array;
}

/** The share of a load's latency that is not hidden. */
export const exposedShare = (space: number, { exposed, exposedLds }: TargetCosts): number =>
  space === AddressSpace.Local || space === AddressSpace.Region ? exposedLds : exposed;

/**
 * The costs where other waves hide everything but the work of the units that all of them want: scalar work and
 * latencies cost nothing there. Many kernels are between both.
 */
export function busyTarget(target: TargetCosts): TargetCosts {
  const { valu, issue, ldsIssue } = target;
  return {
    ...target,
    ...{ salu: 0, guard: 0, branch: 0, diamond: 0, hiddenMasks: 0, memoryCredit: 0, exposed: 0, exposedLds: 0 },
    ...{ question: valu, ldsStore: ldsIssue, store: issue },
  };
}

export function instrCosts(
  fn: FunctionSnapshot,
  { joined, batched, unawaited }: SharedAccesses,
  { valueDivergent }: Divergence,
  target = costsOf(fn.cpu),
): InstrCosts {
  const latency = new Float64Array(fn.instrCount);
  const vector = new Float64Array(fn.instrCount);
  const scalar = new Float64Array(fn.instrCount);
  /** By index of elements: the last block in which it is compared. */
  const comparedIn = new Map<ValueId, number>();
  for (let i = 0; i < fn.instrCount; i++) {
    const opcode = fn.instrOpcode[i]!;
    // Phis, terminators and markers are not work. The costs of branches and copies are counted with the control flow.
    if (opcode === Opcode.Phi || (fn.instrFlags[i]! & (InstrFlag.Terminator | InstrFlag.Marker)) !== 0) continue;
    const memory = memoryLatency(fn, i as InstrId, target);
    if (memory !== null) {
      latency[i] = memory;
      const issue = fn.instrAddressSpace[i] === AddressSpace.Local ? target.ldsIssue : target.issue;
      vector[i] =
        opcode === Opcode.Store || unawaited[i] === 1
          ? storeCost(fn, i as InstrId, target) / joined[i]!
          : (memory * exposedShare(fn.instrAddressSpace[i]!, target)) / batched[i]! + issue / joined[i]!;
      scalar[i] =
        opcode === Opcode.Load && isConstantLike(fn.instrAddressSpace[i]!)
          ? (target.scalarMemory * target.exposed) / batched[i]!
          : vector[i]!;
      continue;
    }
    const index = indexOf(fn, i as InstrId);
    let sequence = divisionCycles(fn, i as InstrId, target);
    if (index !== NONE && valueDivergent[index] === 1) {
      const isCompared = comparedIn.get(index) === fn.instrBlock[i];
      comparedIn.set(index, fn.instrBlock[i]!);
      sequence = elementCycles(fn, i as InstrId, target, isCompared);
    }
    if (sequence !== null) {
      latency[i] = vector[i] = scalar[i] = sequence;
      continue;
    }
    const units = Math.min(MOST_UNITS, fn.instrLatency[i]!);
    latency[i] = vector[i] = units * target.valu + (isExactDivision(fn, i as InstrId) ? target.divisionSteps : 0);
    scalar[i] = isFloat(fn, i as InstrId) && !target.scalarFloat ? vector[i]! : units * target.salu;
  }
  return { target, latency, vector, scalar };
}

/** Whether a division of floats is rounded correctly. Otherwise it is a reciprocal and a few multiplications. */
export const isExactDivision = (fn: FunctionSnapshot, i: InstrId): boolean =>
  fn.instrOpcode[i] === Opcode.FDiv && fn.typeBits[fn.instrType[i]!] === 32 && fn.instrLatency[i]! >= LEAST_EXACT;
/** TargetTransformInfo's cost of one, in full-rate instructions. */
const LEAST_EXACT = 10;

/** Which element of a vector an instruction reads or writes; `NONE` for all other instructions. */
export function indexOf(fn: FunctionSnapshot, i: InstrId): ValueId | -1 {
  const opcode = fn.instrOpcode[i];
  const at = opcode === Opcode.ExtractElement ? 1 : opcode === Opcode.InsertElement ? 2 : NONE;
  return at === NONE ? NONE : (fn.operand[fn.operandStart[i]! + at] as ValueId);
}

/**
 * An element of a vector, where each thread has an index of its own: the index is compared with that of every element,
 * and a select for each word chooses. Bytes and half words are also taken out of their words, and put back. Private
 * arrays have become such vectors. TargetTransformInfo says two instructions, which is right for an index that all
 * threads share. Null: another target, or a vector of one word, which is shifted.
 *
 * @param isCompared whether the block has compared the index already
 */
export function elementCycles(
  fn: FunctionSnapshot,
  i: InstrId,
  { valu }: TargetCosts,
  isCompared = false,
): number | null {
  const first = fn.operandStart[i]!;
  const isInsert = fn.instrOpcode[i] === Opcode.InsertElement;
  const bits = fn.typeBits[fn.valueType[fn.operand[first]!]!]!;
  const ofElement = fn.typeBits[isInsert ? fn.valueType[fn.operand[first + 1]!]! : fn.instrType[i]!]!;
  if (!isAmd(fn.cpu) || bits <= 32) return null;
  const choosing = ofElement < 32 ? 2 : ofElement / 32;
  return (bits / ofElement) * (choosing + (isCompared ? 0 : 1)) * valu;
}

/**
 * Integer division is a sequence of instructions, of which TargetTransformInfo knows the multiplications only. By a
 * constant it is a multiplication and shifts, by a power of two it is shifts. Otherwise it is a Newton iteration
 * (AMDGPUCodeGenPrepare), and of 64 bits several. Counts of instructions as llc-23 makes them. Null for all others.
 */
export function divisionCycles(fn: FunctionSnapshot, i: InstrId, target: TargetCosts): number | null {
  const division = divisionAt(fn, i);
  if (division === null) return null;
  const divisor = fn.operand[fn.operandStart[i]! + 1]!;
  const isConstant = fn.valueKind[divisor] === ValueKind.Constant;
  return cyclesOfDivision(division, isConstant ? fn.valueInteger[divisor]! : null, target);
}

/** What an instruction costs whose constant operands become variable: division only, the others cost the same. */
export function variableCycles(fn: FunctionSnapshot, i: InstrId, target: TargetCosts): number | null {
  const division = divisionAt(fn, i);
  return division && cyclesOfDivision(division, null, target);
}

interface Division {
  readonly isSigned: boolean;
  readonly isRemainder: boolean;
  /** Of 64 bits. */
  readonly isWide: boolean;
}

function divisionAt(fn: FunctionSnapshot, i: InstrId): Division | null {
  const opcode = fn.instrOpcode[i];
  const isRemainder = opcode === Opcode.URem || opcode === Opcode.SRem;
  if (opcode !== Opcode.UDiv && opcode !== Opcode.SDiv && !isRemainder) return null;
  const isSigned = opcode === Opcode.SDiv || opcode === Opcode.SRem;
  return { isSigned, isRemainder, isWide: fn.typeBits[fn.instrType[i]!]! > 32 };
}

/** @param divisor the constant, or null for a variable */
function cyclesOfDivision(
  { isSigned, isRemainder, isWide }: Division,
  divisor: number | null,
  { valu, multiply }: TargetCosts,
): number {
  const of = (plain: number, multiplications: number): number => plain * valu + multiplications * multiply;
  if (divisor === null) return isWide ? of(110, 30) : of(isSigned ? 18 : 12, 6);
  const isPower = divisor > 0 && (divisor & (divisor - 1)) === 0;
  if (isPower) return of((isSigned ? 3 : 1) * (isWide ? 2 : 1), 0);
  return isWide
    ? of(16, 8 + (isRemainder ? 4 : 0))
    : of((isSigned ? 3 : 2) + (isRemainder ? 1 : 0), isRemainder ? 2 : 1);
}

/** Whether uniform loads from this address space may become scalar loads. */
const isConstantLike = (space: number): boolean =>
  space === AddressSpace.Global || space === AddressSpace.Constant || space === AddressSpace.Constant32;

const storeCost = (fn: FunctionSnapshot, i: InstrId, target: TargetCosts): number =>
  fn.instrAddressSpace[i] === AddressSpace.Local ? target.ldsStore : target.store;

function memoryLatency(fn: FunctionSnapshot, i: InstrId, target: TargetCosts): number | null {
  switch (fn.instrAddressSpace[i]!) {
    case -1:
      return null;
    case AddressSpace.Region:
    case AddressSpace.Local:
      return target.lds;
    case AddressSpace.Private:
      return target.scratch;
    default:
      return target.global;
  }
}

function isFloat(fn: FunctionSnapshot, i: InstrId): boolean {
  const opcode = fn.instrOpcode[i]!;
  if (opcode === Opcode.Select) return false;
  if (opcode === Opcode.FCmp || opcode === Opcode.FPToSI || opcode === Opcode.FPToUI) return true;
  if (fn.typeKind[fn.instrType[i]!] === TypeKind.Float) return opcode !== Opcode.BitCast;
  // The type of a vector does not tell whether its elements are floats, but these opcodes do.
  return opcode >= Opcode.FAdd && opcode <= Opcode.FRem ? FLOAT_ARITHMETIC.includes(opcode) : opcode === Opcode.FNeg;
}
const FLOAT_ARITHMETIC: readonly number[] = [Opcode.FAdd, Opcode.FSub, Opcode.FMul, Opcode.FDiv, Opcode.FRem];

/** `[instrCount]`: the cycles that an instruction takes as it is. Stores are never scalar. */
export function presentCosts(fn: FunctionSnapshot, costs: InstrCosts, { valueDivergent }: Divergence): Float64Array {
  const present = new Float64Array(fn.instrCount);
  for (let i = 0 as InstrId; i < fn.instrCount; i++) {
    const isVector = valueDivergent[instrValue(fn, i)] === 1 || hasFlag(fn, i, InstrFlag.MayWriteMemory);
    present[i] = isVector ? costs.vector[i] : costs.scalar[i];
  }
  return present;
}

/**
 * `[types]`: the cycles of a select, one vector instruction per 32 bits. Conditions are masks and take three scalar
 * instructions.
 */
export function selectCosts({ typeBits }: FunctionSnapshot, { valu, salu }: TargetCosts): Float64Array {
  const costs = new Float64Array(typeBits.length);
  for (let type = 0; type < costs.length; type++) {
    const bits = typeBits[type];
    costs[type] = bits === 1 ? 3 * salu : Math.max(1, Math.ceil(bits / 32)) * valu;
  }
  return costs;
}

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
 * Memory latencies are those of the target (target-costs.ts).
 */
import type { Divergence } from '../../analysis/divergence.js';
import { AddressSpace } from '../../ir/address-space.js';
import type { BlockId, InstrId, ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import type { FunctionSnapshot } from '../../ir/snapshot.js';
import { InstrFlag, Opcode, TypeKind, ValueKind, hasFlag, instrValue, isAmd, terminatorOf } from '../../ir/snapshot.js';
import { expandedCycles } from './expansions.js';
import { divisionCycles, integerUnits } from './integers.js';
import { costsOf, type TargetCosts } from './target-costs.js';

export interface InstrCosts {
  readonly target: TargetCosts;
  /** See `roughDivisorsOf`. */
  readonly roughDivisors: ReadonlySet<ValueId>;
  /** All `[instrCount]`, cycles. */
  readonly latency: Float64Array;
  readonly vector: Float64Array;
  readonly scalar: Float64Array;
}

/**
 * A cap for TargetTransformInfo's answer, which is sometimes too large to be a latency. A call takes as much: LLVM has
 * inlined what is small, and TargetTransformInfo counts no more of a call than its operands. (Not a call that tells of
 * a failure and does not come back: hardly any thread makes it. Nor inline assembly, which is a call in LLVM's IR
 * alone.)
 */
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

export function instrCosts(
  fn: FunctionSnapshot,
  { joined, batched, unawaited }: SharedAccesses,
  { valueDivergent }: Divergence,
  target = costsOf(fn.cpu),
): InstrCosts {
  const latency = new Float64Array(fn.instrCount);
  const vector = new Float64Array(fn.instrCount);
  const scalar = new Float64Array(fn.instrCount);
  const divisors = roughDivisorsOf(fn);
  /** By variable divisor: the last block in which its reciprocal is taken. */
  const invertedIn = new Map<ValueId, number>();
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
    let sequence = divisionCycles(fn, i as InstrId, target) ?? expandedCycles(fn, i as InstrId, target);
    const quotients = divisors.size > 0 ? exactDivisions(fn, i as InstrId) : 0;
    if (quotients > 0) {
      const divisor = divisorOf(fn, i as InstrId);
      const isInverted = divisors.has(divisor) || invertedIn.get(divisor) === fn.instrBlock[i];
      invertedIn.set(divisor, fn.instrBlock[i]!);
      sequence = quotients * (ROUGH_QUOTIENT + (isInverted ? 0 : ROUGH_RECIPROCAL)) * target.valu;
    }
    if (index !== NONE && valueDivergent[index] === 1) {
      const isCompared = comparedIn.get(index) === fn.instrBlock[i];
      comparedIn.set(index, fn.instrBlock[i]!);
      sequence = elementCycles(fn, i as InstrId, target, isCompared);
    }
    if (isCallWithReturn(fn, i as InstrId)) sequence = MOST_UNITS * target.valu;
    if (sequence !== null) {
      latency[i] = vector[i] = scalar[i] = sequence;
      continue;
    }
    const units = Math.min(MOST_UNITS, fn.instrLatency[i]!);
    latency[i] = vector[i] = isOnDoubles(fn, i as InstrId)
      ? Math.ceil(units / target.double.units) * target.double.cycles
      : (integerUnits(fn, i as InstrId) ?? units) * target.valu +
        exactDivisions(fn, i as InstrId) * target.divisionSteps;
    scalar[i] = isFloat(fn, i as InstrId) && !target.scalarFloat ? vector[i]! : units * target.salu;
  }
  return { target, roughDivisors: divisors, latency, vector, scalar };
}

/** Of what is no intrinsic, inline assembly alone melds with identical operands only. */
const isCallWithReturn = (fn: FunctionSnapshot, i: InstrId): boolean =>
  hasFlag(fn, i, InstrFlag.Call) &&
  !hasFlag(fn, i, InstrFlag.IdenticalOperandsOnly) &&
  fn.instrOpcode[terminatorOf(fn, fn.instrBlock[i] as BlockId)] !== Opcode.Unreachable;

/**
 * How many divisions of floats an instruction holds that are rounded correctly, unless the function divides roughly.
 * With `afn`, a division is a reciprocal and a multiplication, and does not count. The type of a vector does not tell
 * whether its elements are floats, but what 32 bits of it cost does: doubles are cheaper or dearer, and halves dearer.
 */
export function exactDivisions(fn: FunctionSnapshot, i: InstrId): number {
  if (fn.instrOpcode[i] !== Opcode.FDiv) return 0;
  const type = fn.instrType[i]!;
  const count = fn.typeBits[type]! / 32;
  const units = fn.instrLatency[i]! / count;
  if (fn.typeKind[type] === TypeKind.Vector) return units >= LEAST_EXACT && units <= MOST_EXACT ? count : 0;
  return count === 1 && units >= LEAST_EXACT ? 1 : 0;
}
/**
 * TargetTransformInfo's cost of one, in full-rate instructions, is 14, or 16 without denormal numbers. For 32 bits of
 * doubles it is up to 12, or 19, for those of halves 24.
 */
const [LEAST_EXACT, MOST_EXACT] = [13, 18];

/**
 * A division of floats that need not be rounded correctly (AMDGPUCodeGenPrepare), in full-rate instructions as llc-23
 * makes them: the mantissa and the exponent of the dividend, a product, a difference, and both put together again. And
 * the mantissa of the divisor, its exponent, and a reciprocal at a quarter of the rate: those of a constant are known.
 */
const ROUGH_QUOTIENT = 5;
const ROUGH_RECIPROCAL = 6;

const divisorOf = (fn: FunctionSnapshot, i: InstrId): ValueId => fn.operand[fn.operandStart[i]! + 1]! as ValueId;

/**
 * The constants by which a function divides floats, if it need not round the quotients correctly. Empty where all are
 * rounded correctly, or where there is but one constant: nothing can become of it that is dearer.
 */
function roughDivisorsOf(fn: FunctionSnapshot): ReadonlySet<ValueId> {
  const found = new Set<ValueId>();
  for (let i = 0 as InstrId; i < fn.instrCount; i++) {
    if (exactDivisions(fn, i) === 0) continue;
    const divisor = divisorOf(fn, i);
    if (fn.valueKind[divisor] === ValueKind.Constant) found.add(divisor);
  }
  return isAmd(fn.cpu) && found.size > 1 && fn.dividesRoughly() ? found : new Set();
}

/** What a select between two such constants costs beside itself: its reciprocal is not known. */
export const reciprocalCycles = ({ roughDivisors, target }: InstrCosts, a: ValueId, b: ValueId): number =>
  roughDivisors.has(a) && roughDivisors.has(b) ? ROUGH_RECIPROCAL * target.valu : 0;

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

/** Whether uniform loads from this address space may become scalar loads. */
export const isConstantLike = (space: number): boolean =>
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

function isOnDoubles(fn: FunctionSnapshot, i: InstrId): boolean {
  if (!isFloat(fn, i)) return false;
  const isDouble = (v: ValueId): boolean =>
    fn.typeKind[fn.valueType[v]!] === TypeKind.Float && fn.typeBits[fn.valueType[v]!] === 64;
  return isDouble(instrValue(fn, i)) || isDouble(fn.operand[fn.operandStart[i]!] as ValueId);
}
const FLOAT_ARITHMETIC: readonly number[] = [Opcode.FAdd, Opcode.FSub, Opcode.FMul, Opcode.FDiv, Opcode.FRem];

/** `[instrCount]`: the cycles that an instruction takes as it is. Stores are never scalar. */
export function presentCosts(fn: FunctionSnapshot, costs: InstrCosts, divergence: Divergence): Float64Array {
  const present = new Float64Array(fn.instrCount);
  for (let i = 0 as InstrId; i < fn.instrCount; i++)
    present[i] = isVector(fn, divergence, i) ? costs.vector[i] : costs.scalar[i];
  return present;
}

/** Whether an instruction runs on the vector units. */
export const isVector = (fn: FunctionSnapshot, { valueDivergent }: Divergence, i: InstrId): boolean =>
  valueDivergent[instrValue(fn, i)] === 1 || hasFlag(fn, i, InstrFlag.MayWriteMemory);

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

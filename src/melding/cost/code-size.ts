/**
 * What one instruction costs where profit is code size (`--profit size`): the bytes of its machine code, in the form in
 * which latency.ts has cycles. So everything that is counted in cycles can be counted in bytes.
 *
 * The snapshot has no code sizes (TargetTransformInfo's `TCK_CodeSize` counts instructions, and they have 4 to 12
 * bytes), so this is a table by opcode and type. Sources: the encodings of the vendor's instruction-set manuals (VOP1,
 * VOP2, VOPC, SOP: 4 bytes; VOP3, SMEM, DS, FLAT, MUBUF: 8; a literal: 4 more), and how many instructions llc-23 makes
 * of one operation. On NVPTX every instruction has 16 bytes (Volta and later).
 *
 * What decides in the end is the code itself: src/pipeline/code-size.ts takes back what does not shrink it.
 */
import { NONE, type InstrId } from '../../ir/ids.js';
import type { FunctionSnapshot } from '../../ir/snapshot.js';
import { InstrFlag, Opcode, TypeKind, hasFlag, isAmd } from '../../ir/snapshot.js';
import { divisionCycles, hasLongDivision } from './integers.js';
import { exactDivisions, type InstrCosts } from './latency.js';
import type { MemoryAccesses } from './memory-accesses.js';
import { costsOf, type TargetCosts } from './target-costs.js';

/** Bytes of an instruction with a short encoding, and of one with a long one. */
interface Encoding {
  readonly short: number;
  readonly long: number;
}

const AMD: Encoding = { short: 4, long: 8 };
const NVIDIA: Encoding = { short: 16, long: 16 };

/** The costs of a target in bytes. What has no code of its own, such as waiting, costs nothing. */
export function sizesOf(cpu: string): TargetCosts {
  const { short, long } = isAmd(cpu) ? AMD : NVIDIA;
  return {
    ...costsOf(cpu),
    ...{ valu: short, salu: short, multiply: long },
    // Saving the mask, a branch and restoring it; for two sides, twice the former two.
    ...{ guard: 3 * short, branch: short, diamond: isAmd(cpu) ? 6 * short : 2 * short },
    ...{ hiddenMasks: 0, memoryCredit: 0, divisionSteps: 0, exposed: 0, exposedLds: 0 },
    ...{ issue: long, ldsIssue: long, store: long, ldsStore: long },
    question: 4 * short,
  };
}

export function instrSizes(fn: FunctionSnapshot, { joined }: Pick<MemoryAccesses, 'joined'>): InstrCosts {
  const target = sizesOf(fn.cpu);
  const vector = new Float64Array(fn.instrCount);
  const scalar = new Float64Array(fn.instrCount);
  for (let i = 0 as InstrId; i < fn.instrCount; i++) {
    if (fn.instrOpcode[i] === Opcode.Phi || hasFlag(fn, i, InstrFlag.Terminator | InstrFlag.Marker)) continue;
    if (fn.instrAddressSpace[i] !== NONE) {
      vector[i] = scalar[i] = accessBytes(fn, i, target) / joined[i]!;
      continue;
    }
    vector[i] = bytesOf(fn, i, target) + target.valu * literalsOf(fn, i);
    scalar[i] = vector[i]! - (isPlainProduct(fn, i) ? target.multiply - target.salu : 0);
  }
  return { target, roughDivisors: new Set(), latency: vector, vector, scalar };
}

const wordsIn = ({ typeBits }: FunctionSnapshot, type: number): number => Math.max(1, Math.ceil(typeBits[type]! / 32));

/** Which has a short encoding on the scalar unit. */
const isPlainProduct = (fn: FunctionSnapshot, i: InstrId): boolean =>
  fn.instrOpcode[i] === Opcode.Mul && fn.typeBits[fn.instrType[i]!]! <= 32;

/** A load has a share in the instruction that waits for it. */
function accessBytes(fn: FunctionSnapshot, i: InstrId, { issue, valu }: TargetCosts): number {
  const isStore = fn.instrOpcode[i] === Opcode.Store;
  const type = isStore ? fn.valueType[fn.operand[fn.operandStart[i]!]!]! : fn.instrType[i]!;
  return Math.ceil(wordsIn(fn, type) / MOST_WORDS) * issue + (isStore ? 0 : valu / 2);
}
/** Of one access. */
const MOST_WORDS = 4;

function bytesOf(fn: FunctionSnapshot, i: InstrId, target: TargetCosts): number {
  const opcode = fn.instrOpcode[i]!;
  const units = fn.instrLatency[i]!;
  const { valu: short, multiply: long } = target;
  if (hasLongDivision(fn, i)) return PLAIN_IN_LONG_DIVISION * short + LONG_IN_LONG_DIVISION * long;
  const division = divisionCycles(fn, i, target);
  if (division !== null) return division;
  if (units === 0) return 0;
  if (hasFlag(fn, i, InstrFlag.Call)) return LONG_IN_CALL * long;
  const type = fn.instrType[i]!;
  const words = wordsIn(fn, type);
  const isWide = fn.typeBits[type]! > 32;
  switch (opcode) {
    case Opcode.FDiv:
      return isWide || exactDivisions(fn, i) > 0 ? LONG_IN_DIVISION * long : Math.max(2, units) * short;
    case Opcode.Mul:
      return isWide && fn.typeKind[type] === TypeKind.Integer ? LONG_IN_WIDE_MULTIPLICATION * long : long;
    case Opcode.Shl:
    case Opcode.LShr:
    case Opcode.AShr:
      return isWide ? long : short;
    case Opcode.FAdd:
    case Opcode.FSub:
    case Opcode.FMul:
      return fn.typeKind[type] === TypeKind.Float && isWide ? long : words * short;
    case Opcode.Call:
      return Math.max(long, Math.min(MOST_UNITS, units) * short);
    default:
      return words * short;
  }
}
/**
 * Instructions with long encodings, as llc-23 makes them: what a call, a division of floats, a product of 64 bits
 * takes.
 */
const LONG_IN_CALL = 6;
const LONG_IN_DIVISION = 12;
const LONG_IN_WIDE_MULTIPLICATION = 5;
/** Of 64 bits, with the way for shorter operands. */
const [PLAIN_IN_LONG_DIVISION, LONG_IN_LONG_DIVISION] = [93, 27];
const MOST_UNITS = 64;

function literalsOf(fn: FunctionSnapshot, i: InstrId): number {
  let count = 0;
  for (let o = fn.operandStart[i]!; o < fn.operandStart[i + 1]!; o++) count += fn.valueLiteral[fn.operand[o]!]!;
  return count;
}

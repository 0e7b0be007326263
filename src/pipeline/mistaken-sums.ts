/**
 * Finds what LLVM 23 takes for a sum of products and is none (`SITargetLowering::performAddCombine`, docs/simulator.md).
 *
 * It looks for `v_dot4` from a sum upwards, through operands that have a product of bytes as an operand themselves, and
 * does not ask what operations these are: of `a * b + (d | e * f)` it makes `a * b + d + e * f`.
 */
import { definingInstr, Opcode, TypeKind, type FunctionSnapshot } from '../ir/snapshot.js';
import type { InstrId, ValueId } from '../ir/ids.js';
import { NONE } from '../ir/ids.js';

/** What code generation drops or makes part of the operations around it. */
const CASTS: ReadonlySet<number> = new Set([Opcode.Trunc, Opcode.ZExt, Opcode.SExt]);

/** `v_dot4` makes sums of words. */
const WORD = 32;

/** Whether a sum adds a product to an operation, of the same block, that is no sum and has a product as an operand. */
export function hasMistakenSum(fn: FunctionSnapshot): boolean {
  for (let sum = 0 as InstrId; sum < fn.instrCount; sum++) {
    if (fn.instrOpcode[sum] !== Opcode.Add || !isNarrow(fn, sum)) continue;
    const [a, b] = operandsOf(fn, sum);
    if ((isProduct(fn, a!) && isMistaken(fn, b!)) || (isProduct(fn, b!) && isMistaken(fn, a!))) return true;
  }
  return false;
}

const isProduct = (fn: FunctionSnapshot, i: InstrId): boolean => i !== NONE && fn.instrOpcode[i] === Opcode.Mul;

/** LLVM looks at the first two operands. */
const isMistaken = (fn: FunctionSnapshot, i: InstrId): boolean =>
  i !== NONE &&
  fn.instrOpcode[i] !== Opcode.Add &&
  fn.instrOpcode[i] !== Opcode.Phi &&
  operandsOf(fn, i).slice(0, 2).some((each) => isProduct(fn, each)); // prettier-ignore

function isNarrow(fn: FunctionSnapshot, i: InstrId): boolean {
  const type = fn.instrType[i]!;
  return fn.typeKind[type] === TypeKind.Integer && fn.typeBits[type]! <= WORD;
}

/** The instructions of the same block that compute the operands, without casts; `NONE` for others. */
const operandsOf = (fn: FunctionSnapshot, i: InstrId): InstrId[] =>
  [...fn.operand.subarray(fn.operandStart[i]!, fn.operandStart[i + 1]!)].map((v) => sourceOf(fn, v as ValueId, i));

function sourceOf(fn: FunctionSnapshot, v: ValueId, user: InstrId): InstrId {
  for (let i = definingInstr(fn, v); ; i = definingInstr(fn, fn.operand[fn.operandStart[i]!] as ValueId)) {
    // In a block, what is used comes first; in unreachable code, a value may depend on itself.
    if (i === NONE || i >= user || fn.instrBlock[i] !== fn.instrBlock[user]) return NONE as InstrId;
    if (!CASTS.has(fn.instrOpcode[i]!)) return i;
  }
}

/**
 * The operands of a melded instruction (rules 2 and 3): whether `select C, t, f` may join two values, and what it
 * costs.
 */
import type { ValueId } from '../../ir/ids.js';
import type { FunctionSnapshot } from '../../ir/snapshot.js';
import { InstrFlag, Opcode, OperandFlag, TypeKind, ValueKind } from '../../ir/snapshot.js';
import type { InstrId } from '../../ir/ids.js';
import type { PlanningContext } from './context.js';
import { pointAlike } from './pointers.js';

/**
 * Whether `select C, a, b` is allowed. It is not for values of different types, or of types that a register cannot
 * hold; not for pointers that may point into different allocas, because it stops their promotion to registers; and not
 * for pointers cast from different address spaces, because the access becomes flat. Vectors and structures of pointers
 * are asked as pointers are.
 */
export function canSelect({ fn, pointers }: PlanningContext, a: ValueId, b: ValueId): boolean {
  if (fn.valueType[a] !== fn.valueType[b]) return false;
  if (fn.valueKind[a] === ValueKind.Other || fn.valueKind[b] === ValueKind.Other) return false;
  const kind = fn.typeKind[fn.valueType[a]];
  if (kind === TypeKind.Other || kind === TypeKind.Void || kind === TypeKind.Token) return false;
  return pointAlike(pointers, a, b);
}

/** Cycles of a select: one vector instruction per 32 bits. Conditions are masks and take three scalar instructions. */
export function selectCycles(ctx: PlanningContext, v: ValueId): number {
  const bits = ctx.fn.typeBits[ctx.fn.valueType[v]];
  const { valu, salu } = ctx.costs.target;
  return bits === 1 ? 3 * salu : Math.max(1, Math.ceil(bits / 32)) * valu;
}

/** If one side of a select is poison, the other value stands for both and there is no select. */
export const isPoison = (fn: FunctionSnapshot, v: ValueId): boolean => fn.valueKind[v] === ValueKind.Poison;

/**
 * What a pair demands of operand `k` of the T instruction and operand `kf` of the F instruction, beyond `canSelect`:
 * - `any`: nothing.
 * - `same`: one value for both, before melding. (One definition then dominates both sides, so it is above the branch.)
 * - `uniform`: one value for both, and the same for all threads.
 */
export function demandOn(
  fn: FunctionSnapshot,
  t: InstrId,
  f: InstrId,
  k: number,
  kf: number,
): 'any' | 'same' | 'uniform' {
  const flags = fn.operandFlags[fn.operandStart[t] + k] | fn.operandFlags[fn.operandStart[f] + kf];
  if ((flags & OperandFlag.MustBeUniform) !== 0) return 'uniform';
  if ((flags & OperandFlag.MustStay) !== 0) return 'same';
  if (((fn.instrFlags[t] | fn.instrFlags[f]) & InstrFlag.IdenticalOperandsOnly) !== 0) return 'same';
  // The callee is a call's last operand.
  if (fn.instrOpcode[t] === Opcode.Call && k === fn.operandStart[t + 1] - fn.operandStart[t] - 1) return 'same';
  return 'any';
}

/** Whether operand `k` of `i` is the same for all threads that execute `i` together. */
export const isUniformOperand = ({ fn, divergence }: PlanningContext, i: InstrId, k: number): boolean =>
  divergence.valueDivergent[fn.operand[fn.operandStart[i] + k]] === 0 &&
  !divergence.isDivergentUse(fn.operandStart[i] + k, i);

/** The operand of the F instruction that corresponds to operand `k` of the T instruction. */
export const correspondingOperand = (k: number, swapped: boolean): number => (swapped && k < 2 ? 1 - k : k);

/**
 * Operands of a melded instruction (rules 2 and 3): when two values may be joined by `select C, t, f`, and what that costs.
 */
import type { ValueId } from '../../ir/ids.js';
import type { FunctionSnapshot } from '../../ir/snapshot.js';
import { InstrFlag, Opcode, OperandFlag, TypeKind, ValueKind } from '../../ir/snapshot.js';
import type { InstrId } from '../../ir/ids.js';
import type { PlanningContext } from './context.js';

/** Snapshot's mark for several or unknown underlying objects. */
const MIXED = -2;

/**
 * Whether `select C, a, b` is allowed. Not between different types, values that are no first-class data, pointers that may
 * point into different allocas (it stops their promotion to registers), or pointers cast from different address spaces
 * (the access becomes flat).
 */
export function canSelect(f: FunctionSnapshot, a: ValueId, b: ValueId): boolean {
  if (f.valueType[a] !== f.valueType[b]) return false;
  if (f.valueKind[a] === ValueKind.Other || f.valueKind[b] === ValueKind.Other) return false;
  const kind = f.typeKind[f.valueType[a]];
  if (kind === TypeKind.Other || kind === TypeKind.Void || kind === TypeKind.Token) return false;
  if (kind !== TypeKind.Pointer) return true;
  return sameFact(f.valueAlloca, a, b) && sameFact(f.valueCastFrom, a, b);
}

const sameFact = (facts: Int32Array, a: ValueId, b: ValueId): boolean => facts[a] === facts[b] && facts[a] !== MIXED;

/** Cycles of `select C, a, b`: one vector instruction per 32 bits; conditions are masks, three scalar instructions. */
export function selectCycles(ctx: PlanningContext, v: ValueId): number {
  const bits = ctx.f.typeBits[ctx.f.valueType[v]];
  const { valu, salu } = ctx.costs.target;
  return bits === 1 ? 3 * salu : Math.max(1, Math.ceil(bits / 32)) * valu;
}

/** A poison side of a select costs nothing: the other value stands for both. */
export const isPoison = (f: FunctionSnapshot, v: ValueId): boolean => f.valueKind[v] === ValueKind.Poison;

/**
 * What operand `k` of a pair demands of its two values beyond `canSelect`: 'any', 'same' (one value on both sides, before
 * melding already), or 'uniform' (that, and the same for all threads; it is defined above the branch then, because one
 * definition dominates both sides).
 */
export function demandOn(
  f: FunctionSnapshot,
  t: InstrId,
  g: InstrId,
  k: number,
  kg: number,
): 'any' | 'same' | 'uniform' {
  const flags = f.operandFlags[f.operandStart[t] + k] | f.operandFlags[f.operandStart[g] + kg];
  if ((flags & OperandFlag.MustBeUniform) !== 0) return 'uniform';
  if ((flags & OperandFlag.MustStay) !== 0) return 'same';
  if (((f.instrFlags[t] | f.instrFlags[g]) & InstrFlag.IdenticalOperandsOnly) !== 0) return 'same';
  // The callee is a call's last operand.
  if (f.instrOpcode[t] === Opcode.Call && k === f.operandStart[t + 1] - f.operandStart[t] - 1) return 'same';
  return 'any';
}

/** Whether the uniform demand holds for one value used at both places. */
export function isUniformAt(ctx: PlanningContext, v: ValueId, t: InstrId, k: number, g: InstrId, kg: number): boolean {
  const { f, divergence } = ctx;
  return (
    divergence.valueDivergent[v] === 0 &&
    !divergence.isDivergentUse(f.operandStart[t] + k, t) &&
    !divergence.isDivergentUse(f.operandStart[g] + kg, g)
  );
}

/** Position of the F operand that corresponds to operand `k` of the T instruction. */
export const correspondingOperand = (k: number, swapped: boolean): number => (swapped && k < 2 ? 1 - k : k);

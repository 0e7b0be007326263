/**
 * Compares that ask whether a computed float is next to nothing, or larger than what data are. Functions that scale
 * their operand so that squares do not underflow or overflow ask that (`length`, `normalize`, `hypot`), and hardly any
 * thread needs it. What is loaded, or chosen from several values, may well be a mark instead (nothing found, nothing
 * hit): of that nothing is said.
 */
import type { InstrId, ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { Predicate, directionOf, isFloatEquality } from '../../ir/predicates.js';
import { InstrFlag, Opcode, ValueKind, definingInstr, hasFlag, type FunctionSnapshot } from '../../ir/snapshot.js';

/** Absolute values outside of these bounds are rare. Set by hand: tolerances and guards of programs are between both. */
const TINY = 2 ** -60;
const HUGE = 2 ** 60;

/** The outcome of a compare of floats that hardly ever occurs; null if both may. */
export function rareOutcome(fn: FunctionSnapshot, compare: InstrId): boolean | null {
  const [number, other] = fn.operand.subarray(fn.operandStart[compare], fn.operandStart[compare + 1]!);
  if (fn.valueKind[other!] !== ValueKind.Constant || !isComputed(fn, number as ValueId)) return null;
  const predicate = fn.instrPredicate[compare]!;
  const bound = fn.floatConstant(other as ValueId);
  const isHuge = Math.abs(bound) >= HUGE;
  if (isFloatEquality(predicate)) return isHuge ? !NEGATED.includes(predicate) : null;
  const direction = directionOf(predicate);
  if (direction === 0) return null;
  if (isHuge) return direction > 0 === bound > 0;
  return bound > 0 && bound <= TINY ? direction < 0 : null;
}

const NEGATED: readonly number[] = [Predicate.FCmpONE, Predicate.FCmpUNE];

/** Whether a float is the result of arithmetic. Minimum and maximum, intrinsics of two operands, choose one. */
function isComputed(fn: FunctionSnapshot, v: ValueId): boolean {
  const i = definingInstr(fn, v);
  if (i === NONE) return false;
  if (fn.instrOpcode[i] !== Opcode.Call) return ARITHMETIC.includes(fn.instrOpcode[i]!);
  const operands = fn.operandStart[i + 1]! - fn.operandStart[i]! - 1;
  return hasFlag(fn, i, InstrFlag.Intrinsic) && operands !== 2;
}

const ARITHMETIC: readonly number[] = [Opcode.FAdd, Opcode.FSub, Opcode.FMul, Opcode.FDiv];

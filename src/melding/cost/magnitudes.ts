/**
 * Compares that ask whether a computed float is next to nothing, or larger than what data are. Functions that scale
 * their operands so that squares do not underflow or overflow ask that (`length`, `hypot`), and hardly any thread needs
 * it. What is loaded, or chosen from several values, may well be a mark instead (nothing found, nothing hit): of that
 * nothing is said. (A median of three, which the snapshot does not tell from arithmetic, counts as computed.)
 */
import type { InstrId, ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { Predicate, comparesIntegers, directionOf, isFloatEquality } from '../../ir/predicates.js';
import { InstrFlag, Opcode, ValueKind, definingInstr, hasFlag, type FunctionSnapshot } from '../../ir/snapshot.js';

/** Absolute values outside of these bounds are rare; tolerances are between them. Set by hand. */
const TINY = 2 ** -99;
const HUGE = 2 ** 99;
/** How far sums and intrinsics are followed. */
const DEEPEST = 8;

/** The outcome of a compare of floats that hardly ever occurs; null if both may, and for compares of integers. */
export function rareOutcome(fn: FunctionSnapshot, compare: InstrId): boolean | null {
  const predicate = fn.instrPredicate[compare]!;
  if (comparesIntegers(predicate)) return null;
  const isEquality = isFloatEquality(predicate);
  const direction = directionOf(predicate);
  const [number, other] = fn.operand.subarray(fn.operandStart[compare], fn.operandStart[compare + 1]!);
  if ((!isEquality && direction === 0) || fn.valueKind[other!] !== ValueKind.Constant) return null;
  if (!isComputed(fn, number as ValueId, DEEPEST)) return null;
  const bound = fn.floatConstant(other as ValueId);
  const isHuge = Math.abs(bound) >= HUGE;
  if (isEquality) return isHuge ? !NEGATED.includes(predicate) : null;
  if (isHuge) return direction > 0 === bound > 0;
  // For a number with a sign, that would be a test of the sign.
  const isTiny = bound > 0 && bound <= TINY;
  return isTiny && isNotNegative(fn, number as ValueId, DEEPEST) ? direction < 0 : null;
}

const NEGATED: readonly number[] = [Predicate.FCmpONE, Predicate.FCmpUNE];

/** Whether a float is the result of arithmetic. Minimum and maximum, intrinsics of two operands, choose one. */
function isComputed(fn: FunctionSnapshot, v: ValueId, steps: number): boolean {
  const i = definingInstr(fn, v);
  if (i === NONE || steps === 0) return false;
  if (fn.instrOpcode[i] !== Opcode.Call) return ARITHMETIC.includes(fn.instrOpcode[i]!);
  const operands = mathOperands(fn, i);
  if (operands.length === 1) return isComputed(fn, operands[0]!, steps - 1);
  return operands.length > 2;
}

const ARITHMETIC: readonly number[] = [Opcode.FAdd, Opcode.FSub, Opcode.FMul, Opcode.FDiv];

/** Whether it is a square, a sum of such numbers, or what an intrinsic makes of one: a root, for instance. */
function isNotNegative(fn: FunctionSnapshot, v: ValueId, steps: number): boolean {
  const i = definingInstr(fn, v);
  if (i === NONE || steps === 0) return false;
  const all = (values: readonly ValueId[]): boolean => values.every((each) => isNotNegative(fn, each, steps - 1));
  const [a, b] = fn.operand.subarray(fn.operandStart[i], fn.operandStart[i + 1]!) as Iterable<number> as ValueId[];
  switch (fn.instrOpcode[i]) {
    case Opcode.FMul:
      return a === b;
    case Opcode.FAdd:
      return all([a!, b!]);
    case Opcode.Call: {
      const operands = mathOperands(fn, i);
      if (operands.length === 1) return all(operands);
      return operands.length === 3 && operands[0] === operands[1] && all([operands[2]!]);
    }
    default:
      return false;
  }
}

/** The operands of an intrinsic that computes a number from others of its type; none for all other calls. */
function mathOperands(fn: FunctionSnapshot, i: InstrId): readonly ValueId[] {
  if (!hasFlag(fn, i, InstrFlag.Intrinsic) || (fn.instrFlags[i]! & NOT_MATH) !== 0) return [];
  // The callee is the last operand.
  const operands = [...fn.operand.subarray(fn.operandStart[i], fn.operandStart[i + 1]! - 1)] as ValueId[];
  return operands.every((v) => fn.valueType[v] === fn.instrType[i]) ? operands : [];
}

const NOT_MATH = InstrFlag.MayReadMemory | InstrFlag.MayWriteMemory | InstrFlag.Convergent;

/**
 * The operands of a melded instruction (rules 2 and 3): whether `select C, t, f` may join two values, and what it
 * costs.
 */
import { NONE, type InstrId, type ValueId } from '../../ir/ids.js';
import type { FunctionSnapshot } from '../../ir/snapshot.js';
import { InstrFlag, Opcode, OperandFlag, TypeKind, ValueKind, definingInstr } from '../../ir/snapshot.js';
import type { PlanningContext } from './context.js';

/**
 * Whether `select C, a, b` is allowed, for different values. It is not for values of different types, or of types
 * that a register cannot hold; not for pointers that may point into different allocas, because it stops their promotion
 * to registers; and not for pointers cast from different address spaces, because the access becomes flat. Vectors and
 * structures of pointers are asked as pointers are.
 */
export const canSelect = ({ selectClass }: PlanningContext, a: ValueId, b: ValueId): boolean =>
  selectClass[a] === selectClass[b] && selectClass[a] !== NONE;

/** Cycles of a select of values like `v`. */
export const selectCycles = ({ fn, selectCost }: PlanningContext, v: ValueId): number => selectCost[fn.valueType[v]];

/**
 * Cycles that bring the two values of a select into vector registers. A vector instruction reads few literals and
 * scalar registers (the constant bus), and the condition of a select is one of them. Without a select, the instructions
 * of each side read theirs for free.
 */
export function moveCycles({ fn, costs, divergence }: PlanningContext, a: ValueId, b: ValueId): number {
  const isScalar = (v: ValueId): boolean =>
    fn.valueLiteral[v] === 1 ||
    ((fn.valueKind[v] === ValueKind.Argument || fn.valueKind[v] === ValueKind.Instruction) &&
      divergence.valueDivergent[v] === 0 &&
      !isVectorFloat(fn, costs.target.scalarFloat, definingInstr(fn, v)));
  const words = Math.max(1, Math.ceil(fn.typeBits[fn.valueType[a]] / 32));
  if (fn.typeBits[fn.valueType[a]] === 1) return 0;
  const moves = Number(isScalar(a)) + Number(isScalar(b));
  return Math.max(0, moves - costs.target.freeScalars) * words * costs.target.valu;
}

/** Whether an instruction leaves its result in a vector register although it is uniform. */
const isVectorFloat = (fn: FunctionSnapshot, scalarFloat: boolean, i: InstrId): boolean =>
  !scalarFloat &&
  i !== NONE &&
  fn.typeKind[fn.instrType[i]] === TypeKind.Float &&
  fn.instrOpcode[i] !== Opcode.Load &&
  fn.instrOpcode[i] !== Opcode.Phi;

/** If one side of a select is poison, the other value stands for both and there is no select. */
export const isPoison = (fn: FunctionSnapshot, v: ValueId): boolean => fn.valueKind[v] === ValueKind.Poison;

/**
 * Whether operand `k` of the T instruction and operand `kf` of the F instruction meet what the pair demands of them
 * beyond `canSelect`. Some operands must be one value before melding. (One definition then dominates both sides, so it
 * is above the branch.) Of these, some must also be the same for all threads.
 */
export function meetsDemand(ctx: PlanningContext, t: InstrId, f: InstrId, k: number, kf: number): boolean {
  const { fn } = ctx;
  const ot = fn.operandStart[t] + k;
  const of = fn.operandStart[f] + kf;
  const flags = fn.operandFlags[ot] | fn.operandFlags[of];
  const mustBeUniform = (flags & OperandFlag.MustBeUniform) !== 0;
  const mustBeSame =
    flags !== 0 ||
    ((fn.instrFlags[t] | fn.instrFlags[f]) & InstrFlag.IdenticalOperandsOnly) !== 0 ||
    // The callee is a call's last operand.
    (fn.instrOpcode[t] === Opcode.Call && ot === fn.operandStart[t + 1] - 1);
  if (!mustBeSame) return true;
  if (fn.operand[ot] !== fn.operand[of]) return false;
  return !mustBeUniform || (isUniformOperand(ctx, t, k) && isUniformOperand(ctx, f, kf));
}

/** Whether operand `k` of `i` is the same for all threads that execute `i` together. */
const isUniformOperand = ({ fn, divergence }: PlanningContext, i: InstrId, k: number): boolean =>
  divergence.valueDivergent[fn.operand[fn.operandStart[i] + k]] === 0 &&
  !divergence.isDivergentUse(fn.operandStart[i] + k, i);

/** The operand of the F instruction that corresponds to operand `k` of the T instruction. */
export const correspondingOperand = (k: number, swapped: boolean): number => (swapped && k < 2 ? 1 - k : k);

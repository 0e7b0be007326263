/**
 * The operands of a melded instruction (rules 2 and 3): whether `select C, t, f` may join two values, and what it
 * costs.
 */
import { NONE, type InstrId, type ValueId } from '../../ir/ids.js';
import { isSigned } from '../../ir/predicates.js';
import type { FunctionSnapshot } from '../../ir/snapshot.js';
import { InstrFlag, Opcode, OperandFlag, TypeKind, ValueKind, definingInstr } from '../../ir/snapshot.js';
import type { PlanningContext } from './context.js';
import { variableCycles } from './integers.js';

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

/** Each side freezes its own copy of a dividend. */
function thawed(fn: FunctionSnapshot, v: number): number {
  const i = definingInstr(fn, v as ValueId);
  return i !== NONE && fn.instrOpcode[i] === Opcode.Freeze ? fn.operand[fn.operandStart[i]] : v;
}

/**
 * Cycles that a select between two divisions of one number by constants adds: LLVM's code generation turns it into a
 * division by a select of the constants (`foldSelectOfBinops` in DAGCombiner.cpp), and so by a variable.
 */
export function refoldedDivision({ fn, costs, cost }: PlanningContext, a: ValueId, b: ValueId): number {
  const [i, j] = [definingInstr(fn, a), definingInstr(fn, b)];
  if (i === NONE || j === NONE || fn.instrOpcode[i] !== fn.instrOpcode[j]) return 0;
  const cycles = variableCycles(fn, i, costs.target);
  if (cycles === null || thawed(fn, fn.operand[fn.operandStart[i]]) !== thawed(fn, fn.operand[fn.operandStart[j]]))
    return 0;
  return Math.max(0, cycles - cost[i] - cost[j]);
}

/**
 * Cycles, over the whole run, that bring the two values of a select into vector registers, as it can read them. A
 * vector instruction reads few literals and scalar registers (the constant bus), and the condition of a select is one
 * of them. Without a select, the instructions of each side read theirs for free. Code generation moves a value where it
 * is defined, in front of the loops.
 */
export function moveCycles(ctx: PlanningContext, a: ValueId, b: ValueId): number {
  const { fn, costs } = ctx;
  const type = fn.valueType[a];
  if (fn.typeBits[type] === 1) return 0;
  const [first, second] = [moveWeight(ctx, a), moveWeight(ctx, b)];
  const { freeScalars, valu } = costs.target;
  const runs = freeScalars === 0 ? first + second : freeScalars === 1 ? Math.min(first, second) : 0;
  return runs * Math.max(1, Math.ceil(fn.typeBits[type] / 32)) * valu + extensionCycles(ctx, a, b);
}

/**
 * Cycles, over the whole run, that extend the two values of a select. A byte whose sign is compared is kept extended in
 * its register. Compares and arithmetic extend it themselves where the target can name a byte of an operand (SDWA), and
 * then there is nothing to do. A select cannot, because its mask is in scalar registers.
 */
function extensionCycles(ctx: PlanningContext, a: ValueId, b: ValueId): number {
  const { fn, costs } = ctx;
  if (!costs.target.namesBytes || !isByte(fn, a)) return 0;
  return (extensionWeight(ctx, a) + extensionWeight(ctx, b)) * costs.target.valu;
}

/** Registers hold integers of 16 bits and more as they are. */
const isByte = ({ valueType, typeKind, typeBits }: FunctionSnapshot, v: ValueId): boolean =>
  typeKind[valueType[v]] === TypeKind.Integer && typeBits[valueType[v]] > 1 && typeBits[valueType[v]] < 16;

/** How often a value is extended for a select: never if no sign is asked for. */
function extensionWeight({ fn, uses, weight, divergence }: PlanningContext, v: ValueId): number {
  const i = definingInstr(fn, v);
  if (i === NONE || divergence.valueDivergent[v] === 0) return 0;
  for (let u = uses.start[v]; u < uses.start[v + 1]; u++)
    if (isSignedCompare(fn, uses.user[u] as InstrId)) return weight[fn.instrBlock[i]];
  return 0;
}

const isSignedCompare = (fn: FunctionSnapshot, i: InstrId): boolean =>
  fn.instrOpcode[i] === Opcode.ICmp && isSigned(fn.instrPredicate[i]);

/** How often a value is moved into a vector register: never if it is in one. It is found when it is first asked for. */
function moveWeight(ctx: PlanningContext, v: ValueId): number {
  const known = ctx.moveWeights[v];
  return known >= 0 ? known : (ctx.moveWeights[v] = findMoveWeight(ctx, v));
}

function findMoveWeight({ fn, costs, divergence, weight }: PlanningContext, v: ValueId): number {
  if (fn.valueLiteral[v] === 1) return 1;
  const kind = fn.valueKind[v];
  if ((kind !== ValueKind.Argument && kind !== ValueKind.Instruction) || divergence.valueDivergent[v] === 1) return 0;
  const i = definingInstr(fn, v);
  if (i === NONE) return 1;
  return isVectorFloat(fn, costs.target.scalarFloat, i) ? 0 : weight[fn.instrBlock[i]];
}

/** Whether an instruction leaves its result in a vector register although it is uniform. */
const isVectorFloat = (fn: FunctionSnapshot, scalarFloat: boolean, i: InstrId): boolean =>
  !scalarFloat &&
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

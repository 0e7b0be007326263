/**
 * What vector instructions on integers cost where TargetTransformInfo's number is far from what code generation makes
 * of them: it does not ask how many bits operands have, and takes rotations for several shifts. Counts are those of
 * llc-23, in full-rate instructions: one on a register pair counts as two, a multiplication as four. The targets differ
 * by a few.
 */
import { knownMaximum } from '../../analysis/known-maximum.js';
import type { InstrId, ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import {
  InstrFlag,
  LaneSource,
  NO_INTEGER,
  Opcode,
  TypeKind,
  ValueKind,
  definingInstr,
  hasFlag,
  isAmd,
  type FunctionSnapshot,
} from '../../ir/snapshot.js';
import type { TargetCosts } from './target-costs.js';
import { MOST_THREADS } from './work-group.js';

/** A multiplication of 32 bits, or one of them that gives 64 bits, with an addition. */
const MULTIPLICATION = 4;
/** Bits of operands that a multiplication at the full rate takes, and of those that are divided as floats. */
const SHORT_PRODUCT = 24;
const SHORT_QUOTIENT = { unsigned: 22, signed: 23 } as const;

/** How many they are; null for all other instructions, and for other targets than AMD's. */
export function integerUnits(fn: FunctionSnapshot, i: InstrId): number | null {
  if (!isAmd(fn.cpu)) return null;
  const type = fn.instrType[i]!;
  const [a, b, c] = fn.operand.subarray(fn.operandStart[i], fn.operandStart[i + 1]!) as Iterable<number> as ValueId[];
  switch (fn.instrOpcode[i]) {
    case Opcode.ICmp:
      return wordsOf(fn, fn.valueType[a!]!) === 2 ? 2 : null;
    case Opcode.Select:
      return wordsOf(fn, type) === 2 ? 2 : null;
    case Opcode.Mul:
      return isInteger(fn, type) ? productUnits(fn, a!, b!, fn.typeBits[type]!) : null;
    case Opcode.Shl:
    case Opcode.LShr:
    case Opcode.AShr:
      if (!isInteger(fn, type) || wordsOf(fn, type) !== 2) return null;
      return shiftUnits(fn.valueInteger[b!]!, fn.instrOpcode[i] === Opcode.AShr);
    case Opcode.Call:
      return hasFlag(fn, i, InstrFlag.Intrinsic) && isInteger(fn, type) ? intrinsicUnits(fn, i, [a!, b!, c!]) : null;
    default:
      return null;
  }
}

const isInteger = (fn: FunctionSnapshot, type: number): boolean => fn.typeKind[type] === TypeKind.Integer;

/** Words of 32 bits that a number or a pointer takes; 0 for vectors and aggregates. */
function wordsOf({ typeKind, typeBits }: FunctionSnapshot, type: number): number {
  const kind = typeKind[type];
  const isOne = kind === TypeKind.Integer || kind === TypeKind.Float || kind === TypeKind.Pointer;
  return isOne ? Math.ceil(typeBits[type]! / 32) : 0;
}

function productUnits(fn: FunctionSnapshot, a: ValueId, b: ValueId, bits: number): number | null {
  if (bits <= 16) return 1;
  const [unsignedA, unsignedB] = [unsignedBits(fn, a), unsignedBits(fn, b)];
  const most = Math.min(Math.max(unsignedA, unsignedB), Math.max(signedBits(fn, a), signedBits(fn, b)));
  if (bits <= 32) return most <= SHORT_PRODUCT ? 1 : null;
  if (bits > 64) return null;
  if (most <= 32) return MULTIPLICATION;
  // The upper words of both, and their products with the lower ones.
  return Math.min(unsignedA, unsignedB) <= 32 ? 2 * MULTIPLICATION : 3 * MULTIPLICATION + 1;
}

/** @param by of 64 bits: how far; `NO_INTEGER`: as far as a variable says */
function shiftUnits(by: number, keepsSign: boolean): number {
  if (by === NO_INTEGER || by < 32) return 2;
  // One word is what the other was.
  return (by === 32 ? 0 : 1) + Number(keepsSign);
}

/**
 * TargetTransformInfo takes a funnel shift for two shifts and what they need, the minimum of register pairs for three
 * instructions, and a count of zeros for one, which does not say how many there are in zero. Looking names up takes
 * time, so a funnel shift is told by its cost: of the others with three operands of the result's type, only products of
 * fixed point are as dear, and these are rare.
 */
function intrinsicUnits(
  fn: FunctionSnapshot,
  i: InstrId,
  [a, b, c]: readonly [ValueId, ValueId, ValueId],
): number | null {
  const bits = fn.typeBits[fn.instrType[i]!]!;
  // The callee is the last operand.
  const count = fn.operandStart[i + 1]! - fn.operandStart[i]! - 1;
  const hasType = (v: ValueId): boolean => fn.valueType[v] === fn.instrType[i];
  if (count < 2 || count > 3 || !hasType(a)) return null;
  if (count === 3)
    return hasType(b) && hasType(c) && fn.instrLatency[i]! >= LEAST_OF_FUNNEL ? funnelUnits(fn, [a, b, c], bits) : null;
  if (hasType(b)) return bits === 64 && fn.instrLatency[i]! > 1 && isNamed(fn, i, LIMIT) ? 4 : null;
  return fn.valueInteger[b] === 0 && bits <= 32 && isNamed(fn, i, COUNT_OF_ZEROS) ? 2 : null;
}

const isNamed = (fn: FunctionSnapshot, i: InstrId, name: RegExp): boolean => name.test(fn.intrinsic(i) ?? '');
const LEAST_OF_FUNNEL = 3;
const LIMIT = /^[su](min|max)\./;
const COUNT_OF_ZEROS = /^ct[lt]z\./;

function funnelUnits(
  { valueKind }: FunctionSnapshot,
  [a, b, by]: readonly [ValueId, ValueId, ValueId],
  bits: number,
): number | null {
  const isConstant = valueKind[by] === ValueKind.Constant;
  if (bits === 32) return isConstant ? 1 : a === b ? 2 : 4;
  if (bits < 32) return 3;
  return bits === 64 ? (isConstant ? 2 : 5) : null;
}

/**
 * Integer division is a sequence of instructions, of which TargetTransformInfo knows the multiplications only. By a
 * constant it is a multiplication and shifts, by a power of two it is shifts. Short operands are divided as floats.
 * Otherwise it is a Newton iteration (AMDGPUCodeGenPrepare). Of 64 bits it is several, which threads skip whose
 * operands have 32 bits: indices, above all. Null for all others.
 */
export function divisionCycles(fn: FunctionSnapshot, i: InstrId, target: TargetCosts): number | null {
  const division = divisionAt(fn, i);
  return division && cyclesOfDivision(division, constantDivisor(fn, i), target);
}

/** Whether a division has code for all of 64 bits, and a shorter way beside it. */
export const hasLongDivision = (fn: FunctionSnapshot, i: InstrId): boolean =>
  divisionAt(fn, i)?.bits === 64 && constantDivisor(fn, i) === null;

/** Null: a variable. */
function constantDivisor(fn: FunctionSnapshot, i: InstrId): number | null {
  const divisor = fn.operand[fn.operandStart[i]! + 1]! as ValueId;
  return fn.valueKind[divisor] === ValueKind.Constant ? fn.valueInteger[divisor]! : null;
}

/**
 * What an instruction costs whose constant operands become variable: integer division only, the others cost the same.
 */
export function variableCycles(fn: FunctionSnapshot, i: InstrId, target: TargetCosts): number | null {
  const division = divisionAt(fn, i);
  return division && cyclesOfDivision(division, null, target);
}

interface Division {
  readonly isSigned: boolean;
  readonly isRemainder: boolean;
  /** 16: its type is that short; 24: its operands are; 128: longer than 64, or a vector of more than 32. */
  readonly bits: 16 | 24 | 32 | 64 | 128;
}

function divisionAt(fn: FunctionSnapshot, i: InstrId): Division | null {
  const opcode = fn.instrOpcode[i];
  const isRemainder = opcode === Opcode.URem || opcode === Opcode.SRem;
  if (opcode !== Opcode.UDiv && opcode !== Opcode.SDiv && !isRemainder) return null;
  const isSigned = opcode === Opcode.SDiv || opcode === Opcode.SRem;
  return { isSigned, isRemainder, bits: bitsOfDivision(fn, i, isSigned) };
}

function bitsOfDivision(fn: FunctionSnapshot, i: InstrId, isSigned: boolean): Division['bits'] {
  const type = fn.instrType[i]!;
  const bits = fn.typeBits[type]!;
  if (!isInteger(fn, type)) return bits > 32 ? 128 : 32;
  if (bits > 64) return 128;
  if (!isAmd(fn.cpu)) return bits > 32 ? 64 : 32;
  if (bits <= 16) return 16;
  // By a constant, all of its bits are multiplied.
  if (bits > 32 && constantDivisor(fn, i) !== null) return 64;
  const operands = [...fn.operand.subarray(fn.operandStart[i], fn.operandStart[i]! + 2)] as ValueId[];
  const most = (of: (fn: FunctionSnapshot, v: ValueId) => number): number =>
    Math.max(...operands.map((v) => of(fn, v)));
  const isShort = isSigned
    ? most(signedBits) <= SHORT_QUOTIENT.signed
    : most((_, v) => unsignedBits(fn, v)) <= SHORT_QUOTIENT.unsigned;
  if (isShort) return 24;
  return bits <= 32 || most((_, v) => unsignedBits(fn, v)) <= 32 ? 32 : 64;
}

/** @param divisor the constant, or null for a variable */
function cyclesOfDivision(
  { isSigned, isRemainder, bits }: Division,
  divisor: number | null,
  { valu, multiply }: TargetCosts,
): number {
  const of = (plain: number, multiplications: number): number => plain * valu + multiplications * multiply;
  const rest = Number(isRemainder);
  if (divisor === null) {
    if (bits === 128) return of(110, 30);
    // A reciprocal takes as long as a multiplication.
    if (bits <= 24) return of(6 + rest, 1 + rest);
    const short = of(isSigned ? 18 : 12, 6);
    return bits === 64 ? short + of(6, 0) : short;
  }
  const isPower = divisor > 0 && (divisor & (divisor - 1)) === 0;
  if (isPower) return of((isSigned ? 3 : 1) * (bits > 32 ? 2 : 1), 0);
  if (bits === 128) return of(16, 8 + 4 * rest);
  if (bits === 64) return of((isSigned ? 12 : 5) + 2 * rest, (isSigned ? 7 : 4) + 2 * rest);
  if (bits === 16) return of((isSigned ? 4 : 2) + 2 * rest, 0);
  return of((isSigned ? 3 : 2) + rest, 1 + rest);
}

/** How many low bits may be set of a number without a sign. */
function unsignedBits(fn: FunctionSnapshot, v: ValueId): number {
  const constant = fn.valueInteger[v]!;
  if (constant !== NO_INTEGER && constant >= 0) return bitLength(constant);
  const i = definingInstr(fn, v);
  const source = i === NONE ? LaneSource.None : fn.instrSource[i]!;
  if (source >= LaneSource.ThreadX && source <= LaneSource.ThreadZ) return bitLength(MOST_THREADS - 1);
  const most = knownMaximum(fn, v);
  return most === null ? fn.typeBits[fn.valueType[v]!]! : most.toString(2).length;
}

/** Of a whole number that is not negative. */
const bitLength = (x: number): number => 32 - Math.clz32(x);

/** How many bits a number has with its sign. */
function signedBits(fn: FunctionSnapshot, v: ValueId): number {
  const bits = fn.typeBits[fn.valueType[v]!]!;
  const constant = fn.valueInteger[v]!;
  if (constant !== NO_INTEGER) return bitLength(Math.abs(constant)) + 1;
  const i = definingInstr(fn, v);
  if (i !== NONE && fn.instrOpcode[i] === Opcode.SExt)
    return fn.typeBits[fn.valueType[fn.operand[fn.operandStart[i]!]!]!]!;
  if (i !== NONE && fn.instrOpcode[i] === Opcode.AShr) {
    const by = fn.valueInteger[fn.operand[fn.operandStart[i]! + 1]!]!;
    return by === NO_INTEGER ? bits : Math.max(1, bits - by);
  }
  return Math.min(bits, unsignedBits(fn, v) + 1);
}

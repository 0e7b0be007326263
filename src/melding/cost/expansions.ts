/**
 * Instructions on floats of which code generation makes many more than TargetTransformInfo says: it takes roots and
 * conversions for one or two, and remainders for divisions. Counts as llc-23 makes them; the targets differ by a few.
 * Vectors, conversions that saturate, and code size (code-size.ts) keep TargetTransformInfo's numbers.
 */
import type { InstrId, ValueId } from '../../ir/ids.js';
import { InstrFlag, Opcode, TypeKind, hasFlag, isAmd, type FunctionSnapshot } from '../../ir/snapshot.js';
import type { TargetCosts } from './target-costs.js';

/** How many instructions there are on doubles, and how many at the full rate. */
interface Expansion {
  readonly doubles: number;
  readonly others: number;
}

/** A reciprocal root, and steps of Newton's method by Goldschmidt, of what has been scaled. */
const ROOT: Expansion = { doubles: 14, others: 6 };
/** The quotient digit by digit, in a loop of which one round counts. */
const REMAINDER: Expansion = { doubles: 0, others: 56 };
const DOUBLE_REMAINDER: Expansion = { doubles: 34, others: 28 };
/** Between 64 bits of an integer and a double or a float. Halves become floats first. */
const LONG_AND_DOUBLE: Expansion = { doubles: 4, others: 0 };
const LONG_AND_FLOAT: Expansion = { doubles: 0, others: 11 };

/** What TargetTransformInfo says of a root of a double. It says so of other intrinsics, too. */
const UNITS_OF_ROOT = 2;

/** The cycles of such an instruction; null for all others. */
export function expandedCycles(fn: FunctionSnapshot, i: InstrId, target: TargetCosts): number | null {
  const expansion = isAmd(fn.cpu) ? expansionOf(fn, i) : null;
  return expansion && expansion.doubles * target.double.cycles + expansion.others * target.valu;
}

function expansionOf(fn: FunctionSnapshot, i: InstrId): Expansion | null {
  const type = fn.instrType[i]!;
  switch (fn.instrOpcode[i]) {
    case Opcode.FRem:
      if (fn.typeKind[type] !== TypeKind.Float) return null;
      return fn.typeBits[type] === 64 ? DOUBLE_REMAINDER : REMAINDER;
    case Opcode.FPToSI:
    case Opcode.FPToUI:
      return conversion(fn, type, operandType(fn, i));
    case Opcode.SIToFP:
    case Opcode.UIToFP:
      return conversion(fn, operandType(fn, i), type);
    case Opcode.Call:
      return isRoot(fn, i) ? ROOT : null;
    default:
      return null;
  }
}

/** @param integer its type @param float the other one */
function conversion({ typeKind, typeBits }: FunctionSnapshot, integer: number, float: number): Expansion | null {
  if (typeKind[integer] !== TypeKind.Integer || typeBits[integer]! <= 32) return null;
  return typeBits[float] === 64 ? LONG_AND_DOUBLE : LONG_AND_FLOAT;
}

const operandType = (fn: FunctionSnapshot, i: InstrId): number =>
  fn.valueType[fn.operand[fn.operandStart[i]!]! as ValueId]!;

/** Of a double. Only what may be one is looked up in the text. */
function isRoot(fn: FunctionSnapshot, i: InstrId): boolean {
  const type = fn.instrType[i]!;
  return (
    hasFlag(fn, i, InstrFlag.Intrinsic) &&
    fn.instrLatency[i] === UNITS_OF_ROOT &&
    fn.typeKind[type] === TypeKind.Float &&
    fn.typeBits[type] === 64 &&
    fn.isDoubleRoot(i)
  );
}

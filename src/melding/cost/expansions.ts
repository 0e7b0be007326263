/**
 * Instructions on floats of which code generation makes other ones than TargetTransformInfo says: it takes roots and
 * conversions for one or two, remainders for divisions, and the target's own reciprocals for full-rate instructions.
 * Counts as llc-23 makes them; the targets differ by a few. Vectors, bfloats and code size (code-size.ts) keep
 * TargetTransformInfo's numbers.
 */
import type { InstrId, ValueId } from '../../ir/ids.js';
import { InstrFlag, Opcode, TypeKind, hasFlag, isAmd, type FunctionSnapshot } from '../../ir/snapshot.js';
import type { TargetCosts } from './target-costs.js';

/** How many instructions there are on doubles, how many that convert from or to them, and how many at the full rate. */
interface Expansion {
  readonly doubles: number;
  readonly conversions: number;
  readonly others: number;
}

const onDoubles = (doubles: number, rest: number, conversions = 0): Expansion => ({
  doubles,
  conversions,
  others: rest,
});
const others = (count: number): Expansion => onDoubles(0, count);

/** The quotient digit by digit, in a loop of which one round counts. */
const REMAINDER = others(56);
const DOUBLE_REMAINDER = onDoubles(34, 28);
/** Between 64 bits of an integer and a double or a float. Halves become floats first. */
const LONG_AND_DOUBLE = onDoubles(2, 0, 2);
const LONG_AND_FLOAT = others(11);
const CONVERSION = onDoubles(0, 0, 1);

/** A quarter of the full rate: what counts as four. */
const SLOW = 4;

/** By intrinsic, without its types. Null: TargetTransformInfo is right. */
interface OfFloats {
  readonly half: Expansion | null;
  readonly float: Expansion | null;
  readonly double: Expansion | null;
}
const ofFloats = (float: Expansion, { half = float, double = null }: Partial<OfFloats> = {}): OfFloats => ({
  half,
  float,
  double,
});
/** Of halves alone: TargetTransformInfo knows what code generation makes of floats. */
const ofHalves = (count: number): OfFloats => ({ half: others(count), float: null, double: null });

const SLOW_FLOATS = ofFloats(others(SLOW));
const ROUNDING = ofFloats(others(1));
/** A compare and a select beside the minimum of numbers, where no instruction gives NaN for NaN. */
const MINIMUM = ofFloats(others(3), { double: onDoubles(2, 2) });

const BY_INTRINSIC: ReadonlyMap<string, OfFloats> = new Map([
  // Of a double: a reciprocal root, and steps of Newton's method by Goldschmidt, of what has been scaled.
  ['sqrt', { ...ofHalves(SLOW), double: onDoubles(14, 6) }],
  ['exp2', ofHalves(SLOW)],
  ['log2', ofHalves(SLOW)],
  // With a conversion and a multiplication, or with one of these.
  ['exp', ofHalves(SLOW + 2)],
  ['exp10', ofHalves(SLOW + 2)],
  ['log', ofHalves(SLOW + 2)],
  ['log10', ofHalves(SLOW + 2)],
  ['sin', ofHalves(SLOW + 1)],
  ['cos', ofHalves(SLOW + 1)],
  ['pow', ofFloats(others(2 * SLOW + 1), { half: others(2 * SLOW + 4) })],
  ['round', ofFloats(others(6), { double: onDoubles(4, 3) })],
  ['rint', ROUNDING],
  ['nearbyint', ROUNDING],
  ['ldexp', ofFloats(others(1), { double: onDoubles(1, 0) })],
  ['minimum', MINIMUM],
  ['maximum', MINIMUM],
  ...['rcp', 'rsq', 'sqrt', 'exp2', 'log', 'sin', 'cos'].map((name) => [`amdgcn.${name}`, SLOW_FLOATS] as const),
]);

/** Conversions that saturate, to 64 bits. By what they convert. */
const SIGNED_LONG = ofFloats(others(20), { double: onDoubles(7, 6, 2) });
const UNSIGNED_LONG = ofFloats(others(12), { double: onDoubles(6, 4, 2) });
const SATURATING: ReadonlyMap<string, OfFloats> = new Map([
  ['fptosi.sat', SIGNED_LONG],
  ['fptoui.sat', UNSIGNED_LONG],
]);

/** The cycles of such an instruction; null for all others. */
export function expandedCycles(fn: FunctionSnapshot, i: InstrId, target: TargetCosts): number | null {
  const expansion = isAmd(fn.cpu) ? expansionOf(fn, i) : null;
  if (expansion === null) return null;
  const doubles = expansion.doubles + expansion.conversions * target.double.conversion;
  return doubles * target.double.cycles + expansion.others * target.valu;
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
    case Opcode.FPExt:
      return isDouble(fn, type) ? CONVERSION : null;
    case Opcode.FPTrunc:
      return isDouble(fn, operandType(fn, i)) ? CONVERSION : null;
    case Opcode.Call:
      return hasFlag(fn, i, InstrFlag.Intrinsic) ? intrinsic(fn, i) : null;
    default:
      return null;
  }
}

const isDouble = ({ typeKind, typeBits }: FunctionSnapshot, type: number): boolean =>
  typeKind[type] === TypeKind.Float && typeBits[type] === 64;

/** @param integer its type @param float the other one */
function conversion(fn: FunctionSnapshot, integer: number, float: number): Expansion | null {
  if (fn.typeKind[integer] !== TypeKind.Integer || fn.typeBits[integer]! > 64) return null;
  const isLong = fn.typeBits[integer]! > 32;
  if (isDouble(fn, float)) return isLong ? LONG_AND_DOUBLE : CONVERSION;
  return isLong ? LONG_AND_FLOAT : null;
}

const operandType = (fn: FunctionSnapshot, i: InstrId): number =>
  fn.valueType[fn.operand[fn.operandStart[i]!]! as ValueId]!;

/** Only what may be in a table is looked up in the text, which takes time. */
function intrinsic(fn: FunctionSnapshot, i: InstrId): Expansion | null {
  const operands = fn.operandStart[i + 1]! - fn.operandStart[i]! - 1;
  const units = fn.instrLatency[i]!;
  if (operands < 1 || operands > 2 || units === 0 || (operands === 2 && isMinnum(fn, i, units))) return null;
  const [type, given] = [fn.instrType[i]!, operandType(fn, i)];
  if (fn.typeKind[given] !== TypeKind.Float) return null;
  // Of one float, what TargetTransformInfo takes for a sequence is one.
  if (operands === 1 && type === given && fn.typeBits[given] === 32 && units > SLOW) return null;
  const isSaturating = fn.typeKind[type] === TypeKind.Integer && fn.typeBits[type] === 64;
  if (type !== given && !isSaturating) return null;
  const name = fn.intrinsic(i) ?? '';
  const found = (isSaturating ? SATURATING : BY_INTRINSIC).get(name.split(TYPE_IN_NAME)[0]!);
  if (name.includes('.bf16') || (found === MINIMUM && units === 1)) return null;
  return found?.[fn.typeBits[given] === 16 ? 'half' : fn.typeBits[given] === 32 ? 'float' : 'double'] ?? null;
}

/** Whether it may be `minnum` or `maxnum`, of which there are many. */
const isMinnum = ({ operand, operandStart, valueType }: FunctionSnapshot, i: InstrId, units: number): boolean =>
  units >= 2 && units <= 4 && valueType[operand[operandStart[i]!]!] === valueType[operand[operandStart[i]! + 1]!];

/** Types stand behind the name: `ldexp.f64.i32`. */
const TYPE_IN_NAME = /\.[fi]\d/;

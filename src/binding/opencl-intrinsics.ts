/**
 * Calls of intrinsics that stand for OpenCL functions. Where LLVM puts an intrinsic in the place of such a function, as
 * `llvm.maxnum` in that of `fmax` (AMDGPUSimplifyLibCalls), the call keeps the attributes that it had, and OpenCL's
 * functions are `convergent`. So LLVM's passes, and with them its facts, take it for an operation between threads,
 * which such an intrinsic is not.
 */
import { InstrFlag, TypeKind, type FunctionSnapshot } from '../ir/snapshot.js';

type Facts = Pick<FunctionSnapshot, 'instrFlags' | 'instrType' | 'typeKind' | 'operandStart' | 'operand' | 'valueType'>;

const CONVERGENT_INTRINSIC = InstrFlag.Intrinsic | InstrFlag.Convergent;

/** What is no arithmetic: target intrinsics never meld, except for plain arithmetic. */
const NO_ARITHMETIC =
  InstrFlag.NeverMelds | InstrFlag.MayReadMemory | InstrFlag.MayWriteMemory | InstrFlag.HasSideEffects;

/**
 * `instrFlags` as the intrinsics are, and not as their calls say.
 *
 * @param facts what LLVM says of a function for one of AMD's targets: others have intrinsics of their own that exchange
 *   numbers between threads
 */
export function flagsOfIntrinsics(facts: Facts): Int32Array {
  const { instrFlags, instrType, typeKind, operandStart, operand, valueType } = facts;
  /** Whether instruction `i` computes floating-point numbers of its operands alone, whatever these are. */
  const isArithmetic = (i: number): boolean => {
    const type = instrType[i]!;
    const isNumber = typeKind[type] === TypeKind.Float;
    if (!isNumber && typeKind[type] !== TypeKind.Vector) return false;
    // The last operand is the intrinsic. Others than these have masks or lengths, which may be undefined behaviour.
    const types = valueTypesOf(operand.subarray(operandStart[i], operandStart[i + 1]! - 1));
    // Of vectors, three may be a division of truth values with a mask. A fused product commutes.
    if (!isNumber && types.length > 2 && (instrFlags[i]! & InstrFlag.Commutative) === 0) return false;
    return types.every((each) => each === type || (isNumber && typeKind[each] === TypeKind.Integer));
  };
  const valueTypesOf = (values: Int32Array): Int32Array => values.map((v) => valueType[v]!);
  return instrFlags.map((flags, i) => {
    const isAsked = (flags & (CONVERGENT_INTRINSIC | NO_ARITHMETIC)) === CONVERGENT_INTRINSIC;
    if (!isAsked || !isArithmetic(i)) return flags;
    const falsely = InstrFlag.Convergent | InstrFlag.IdenticalOperandsOnly;
    return (flags & ~falsely) | InstrFlag.Speculatable | InstrFlag.TakenForConvergent;
  });
}

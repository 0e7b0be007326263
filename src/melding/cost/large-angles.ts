/**
 * Where a sine or cosine gets to if its angle is so large that 2/π is needed to hundreds of bits (M. H. Payne and R. N.
 * Hanek, SIGNUM Newsletter 18, 1983). Every call of one holds such a block behind a branch, and hardly any thread comes
 * there: angles of floats are smaller than 2¹⁷, those of doubles smaller than 2³⁰.
 */
import type { BlockId, InstrId, ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { InstrFlag, Opcode, TypeKind, hasFlag, type FunctionSnapshot } from '../../ir/snapshot.js';

/** Those of the 32-bit digits of 2/π that a snapshot holds. ocml multiplies floats by all of the first seven. */
const DIGITS: readonly number[] = [0x4e441529, 0x3c439041];

/** Which side of a branch hardly any thread takes for that: 0 for T, 1 for F, or `NONE`. */
export function sideOfLargeAngles(fn: FunctionSnapshot, branch: BlockId): 0 | 1 | -1 {
  const [t, f] = [0, 1].map((k) => reducesLargeAngles(fn, fn.succ[fn.succStart[branch]! + k] as BlockId));
  return t === f ? NONE : t ? 0 : 1;
}

/** Whether a block multiplies by digits of 2/π. */
function reducesLargeAngles(fn: FunctionSnapshot, b: BlockId): boolean {
  for (let i = fn.blockInstrStart[b]! as InstrId; i < fn.blockInstrStart[b + 1]!; i++) {
    const by = fn.operand[fn.operandStart[i]! + 1] as ValueId | undefined;
    if (fn.operandStart[i + 1]! - fn.operandStart[i]! < 2 || by === undefined) continue;
    if (fn.instrOpcode[i] === Opcode.Mul ? DIGITS.includes(fn.valueInteger[by]!) : isDigitOfDouble(fn, i, by))
      return true;
  }
  return false;
}

/**
 * `llvm.amdgcn.trig.preop.f64(x, 0)` gives the first digits for doubles. The snapshot does not say which intrinsic is
 * called. But what else has such operands (`ldexp`, `powi`) is nothing if the second one is 0.
 */
function isDigitOfDouble(fn: FunctionSnapshot, i: InstrId, by: ValueId): boolean {
  const type = fn.instrType[i]!;
  return (
    hasFlag(fn, i, InstrFlag.Intrinsic) &&
    hasFlag(fn, i, InstrFlag.Speculatable) &&
    fn.typeKind[type] === TypeKind.Float &&
    fn.typeBits[type] === 64 &&
    fn.valueInteger[by] === 0 &&
    fn.typeBits[fn.valueType[by]!] === 32
  );
}

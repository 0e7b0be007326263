/** Constants of floats, which snapshots do not hold: LLVM prints them. */
import type { FloatCompare } from '../formats/ir-text.js';
import { Opcode, ValueKind } from '../ir/snapshot.js';
import type { DecodedSnapshot } from './snapshot.js';

/** The numbers of constants, by their addresses: LLVM has each constant once, whatever becomes of its users. */
export type FloatConstants = ReadonlyMap<number, number>;

/**
 * The constants that a function's compares of floats have as second operands.
 *
 * @param printed what LLVM printed of these compares; if that is not understood, nothing is known
 */
export function floatConstants(
  { snapshot: fn, valuePointers }: DecodedSnapshot,
  printed: readonly FloatCompare[],
): FloatConstants {
  const found = new Map<number, number>();
  let k = 0;
  for (let i = 0; i < fn.instrCount; i++) {
    if (fn.instrOpcode[i] !== Opcode.FCmp) continue;
    const compare = printed[k++];
    if (compare?.predicate !== fn.instrPredicate[i]) return new Map();
    const second = fn.operand[fn.operandStart[i]! + 1]!;
    if (fn.valueKind[second] === ValueKind.Constant && !Number.isNaN(compare.bound))
      found.set(valuePointers[second]!, compare.bound);
  }
  return k === printed.length ? found : new Map();
}

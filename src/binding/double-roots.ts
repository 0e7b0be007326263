/** Which calls are roots of doubles: snapshots do not name intrinsics, and LLVM prints them. */
import type { InstrId } from '../ir/ids.js';
import { InstrFlag, Opcode, TypeKind, hasFlag, type FunctionSnapshot } from '../ir/snapshot.js';

/**
 * The calls of a function that are roots of doubles.
 *
 * @param printed the intrinsics that LLVM printed as called for a double; if they are others, no call counts
 */
export function doubleRoots(fn: FunctionSnapshot, printed: readonly string[]): ReadonlySet<InstrId> {
  const found = new Set<InstrId>();
  let k = 0;
  for (let i = 0 as InstrId; i < fn.instrCount; i++) {
    const type = fn.instrType[i]!;
    if (fn.instrOpcode[i] !== Opcode.Call || !hasFlag(fn, i, InstrFlag.Intrinsic)) continue;
    if (fn.typeKind[type] === TypeKind.Float && fn.typeBits[type] === 64 && printed[k++] === 'sqrt.f64') found.add(i);
  }
  return k === printed.length ? found : new Set();
}

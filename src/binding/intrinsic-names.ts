/** Which intrinsics calls are of: snapshots do not name them, and LLVM prints them. */
import type { InstrId } from '../ir/ids.js';
import { InstrFlag, Opcode, hasFlag, type FunctionSnapshot } from '../ir/snapshot.js';

/**
 * The names of the intrinsics that a function calls, by call.
 *
 * @param printed as LLVM printed them, in order; if they are fewer or more than there are calls, no call has a name
 */
export function intrinsicNames(fn: FunctionSnapshot, printed: readonly string[]): ReadonlyMap<InstrId, string> {
  const found = new Map<InstrId, string>();
  for (let i = 0 as InstrId; i < fn.instrCount; i++)
    if (fn.instrOpcode[i] === Opcode.Call && hasFlag(fn, i, InstrFlag.Intrinsic))
      found.set(i, printed[found.size] ?? '');
  return found.size === printed.length ? found : new Map();
}

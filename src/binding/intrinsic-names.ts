/** Which intrinsics calls are of: snapshots do not name them, and LLVM prints them. */
import { InstrFlag, Opcode, hasFlag, type FunctionSnapshot } from '../ir/snapshot.js';
import type { InstrId } from '../ir/ids.js';
import type { DecodedSnapshot } from './snapshot.js';

/** The names of intrinsics, by their addresses: a module has each once, and editing a function does not move them. */
export type IntrinsicNames = ReadonlyMap<number, string>;

/**
 * The names of the intrinsics that a function calls.
 *
 * @param printed as LLVM printed them, in order; if they are fewer or more than there are calls, nothing is known
 */
export function intrinsicNames(decoded: DecodedSnapshot, printed: readonly string[]): IntrinsicNames {
  const found = new Map<number, string>();
  let k = 0;
  for (let i = 0 as InstrId; i < decoded.snapshot.instrCount; i++)
    if (callsIntrinsic(decoded.snapshot, i)) found.set(calleeOf(decoded, i), printed[k++] ?? '');
  return k === printed.length ? found : new Map();
}

export const callsIntrinsic = (fn: FunctionSnapshot, i: InstrId): boolean =>
  fn.instrOpcode[i] === Opcode.Call && hasFlag(fn, i, InstrFlag.Intrinsic);

/** The address of what a call calls, which is its last operand. */
export const calleeOf = ({ snapshot: fn, valuePointers }: DecodedSnapshot, call: InstrId): number =>
  valuePointers[fn.operand[fn.operandStart[call + 1]! - 1]!]!;

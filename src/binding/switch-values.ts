/** The values that switches ask for, which snapshots do not hold: LLVM prints them. */
import type { PrintedSwitch } from '../formats/ir-text.js';
import type { BlockId } from '../ir/ids.js';
import { Opcode, terminatorOf, type FunctionSnapshot, type SwitchValues } from '../ir/snapshot.js';

/** @param printed the function's switches; if that is not understood, nothing is known */
export function switchValues(
  fn: FunctionSnapshot,
  printed: readonly PrintedSwitch[],
): ReadonlyMap<BlockId, SwitchValues> {
  const found = new Map<BlockId, SwitchValues>();
  for (let b = 0 as BlockId; b < fn.blockCount; b++) {
    if (fn.instrOpcode[terminatorOf(fn, b)] !== Opcode.Switch) continue;
    const values = printed[found.size];
    if (values?.values.length !== fn.succStart[b + 1]! - fn.succStart[b]! - 1) return new Map();
    found.set(b, values);
  }
  return found.size === printed.length ? found : new Map();
}

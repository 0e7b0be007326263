/** The uppermost bits of a loaded number: what it has there beside itself, such as a kind or a flag. */
import type { InstrId, ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { Opcode, definingInstr, type FunctionSnapshot } from '../../ir/snapshot.js';

/** So many bits are a tag. */
const MOST_BITS = 4;

/** Whether an instruction shifts all but such bits out of a loaded number. Random numbers are computed. */
export function isTag(fn: FunctionSnapshot, i: InstrId): boolean {
  if (fn.instrOpcode[i] !== Opcode.LShr) return false;
  const [number, by] = fn.operand.subarray(fn.operandStart[i], fn.operandStart[i + 1]) as unknown as [ValueId, ValueId];
  const source = definingInstr(fn, number);
  const left = fn.typeBits[fn.instrType[i]!]! - fn.valueInteger[by]!;
  return source !== NONE && fn.instrOpcode[source] === Opcode.Load && left <= MOST_BITS;
}

/** Compares that ask which of several numbers a minimum, a maximum, a select or a phi is. */
import type { InstrId, ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { InstrFlag, Opcode, ValueKind, definingInstr, hasFlag, type FunctionSnapshot } from '../../ir/snapshot.js';

/** How many choices in a row are followed from the number that was chosen. */
const MOST_CHOICES = 4;

/**
 * Whether a compare asks which of several numbers was chosen: one operand is a minimum, a maximum, a select or a phi,
 * and the other is among what it is made from. What an intrinsic makes of numbers of its own type may be one of them.
 */
export function isOneOfSeveral(fn: FunctionSnapshot, compare: InstrId): boolean {
  const first = fn.operandStart[compare]!;
  const [a, b] = [fn.operand[first] as ValueId, fn.operand[first + 1] as ValueId];
  return isChosenFrom(fn, a, b, MOST_CHOICES, new Set()) || isChosenFrom(fn, b, a, MOST_CHOICES, new Set());
}

/** @param seen what was looked at on the way: choices from a `switch` share theirs */
function isChosenFrom(fn: FunctionSnapshot, v: ValueId, from: ValueId, steps: number, seen: Set<ValueId>): boolean {
  const i = definingInstr(fn, v);
  if (i === NONE || steps === 0 || seen.has(v) || fn.valueKind[from] === ValueKind.Constant) return false;
  seen.add(v);
  const opcode = fn.instrOpcode[i];
  const isIntrinsic = opcode === Opcode.Call && hasFlag(fn, i, InstrFlag.Intrinsic);
  if (opcode !== Opcode.Select && opcode !== Opcode.Phi && !isIntrinsic) return false;
  for (let o = fn.operandStart[i]!; o < fn.operandStart[i + 1]!; o++) {
    const each = fn.operand[o] as ValueId;
    if (fn.valueType[each] !== fn.valueType[v]) continue;
    if (each === from || isChosenFrom(fn, each, from, steps - 1, seen)) return true;
  }
  return false;
}

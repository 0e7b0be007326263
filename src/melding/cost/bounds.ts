/** Numbers that are kept within bounds: coordinates are clamped to pictures, and few threads reach the border. */
import type { InstrId } from '../../ir/ids.js';
import { InstrFlag, TypeKind, hasFlag, type FunctionSnapshot } from '../../ir/snapshot.js';
import { Scale, type Sampled } from './sampled.js';

/**
 * The number that a minimum or maximum bounds, which is taken for the result; null for other calls, and where nothing
 * is known about both numbers, or none is the same for all threads of a wave, or a constant lies among the numbers: it
 * may cut off any part of them.
 */
export function withinBound(
  fn: FunctionSnapshot,
  i: InstrId,
  operand: (k: number) => Sampled,
  waveShift: number,
): Sampled | null {
  if (!isBounding(fn, i)) return null;
  const numbers = [operand(0), operand(1)];
  if (numbers.some(({ scale }) => scale !== Scale.Known)) return null;
  const [k, ...more] = [0, 1].filter((each) => numbers[each]!.shift < waveShift);
  if (k === undefined || more.length > 0) return null;
  // A constant that is none is negative.
  const bound = fn.valueInteger[fn.operand[fn.operandStart[i]! + 1 - k]!]!;
  const isInside = bound > 1 && numbers[k]!.numbers.some((x) => x > bound);
  return isInside ? null : numbers[k]!;
}

/** Whether a call is a minimum or a maximum of two integers. (Additions that saturate look the same.) */
function isBounding(fn: FunctionSnapshot, i: InstrId): boolean {
  const [first, end] = [fn.operandStart[i]!, fn.operandStart[i + 1]!];
  const type = fn.instrType[i]!;
  if (fn.typeKind[type] !== TypeKind.Integer || !hasFlag(fn, i, InstrFlag.Intrinsic)) return false;
  // The callee is the last operand.
  const isOfTwo = end - first === 3 && fn.valueType[fn.operand[first]!] === type;
  return isOfTwo && fn.valueType[fn.operand[first + 1]!] === type && hasFlag(fn, i, InstrFlag.Commutative);
}

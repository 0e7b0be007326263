/** Numbers that are kept within bounds: coordinates are clamped to pictures, and few threads reach the border. */
import type { InstrId } from '../../ir/ids.js';
import { InstrFlag, NO_INTEGER, TypeKind, hasFlag, type FunctionSnapshot } from '../../ir/snapshot.js';
import { Scale, type Sampled } from './sampled.js';

/** Whether a call is a minimum or a maximum of two integers. (Additions that saturate look the same.) */
export function isBounding(fn: FunctionSnapshot, i: InstrId): boolean {
  const [first, end] = [fn.operandStart[i]!, fn.operandStart[i + 1]!];
  const type = fn.instrType[i]!;
  if (fn.typeKind[type] !== TypeKind.Integer || !hasFlag(fn, i, InstrFlag.Intrinsic)) return false;
  // The callee is the last operand.
  const isOfTwo = end - first === 3 && fn.valueType[fn.operand[first]!] === type;
  return isOfTwo && fn.valueType[fn.operand[first + 1]!] === type && hasFlag(fn, i, InstrFlag.Commutative);
}

/**
 * The number that is bounded, which is taken for the result; null where nothing is known about both, or no operand is
 * the same for all threads of a wave, or a constant lies among the numbers: it may cut off any part of them.
 */
export function withinBound(
  fn: FunctionSnapshot,
  i: InstrId,
  operand: (k: number) => Sampled,
  waveShift: number,
): Sampled | null {
  const sides = [0, 1].map((k) => ({
    constant: fn.valueInteger[fn.operand[fn.operandStart[i]! + k]!]!,
    numbers: operand(k),
  }));
  if (sides.some(({ numbers }) => numbers.scale !== Scale.Known)) return null;
  const [varying, ...more] = sides.filter(({ numbers }) => numbers.shift < waveShift);
  if (varying === undefined || more.length > 0) return null;
  const { constant } = sides.find((side) => side !== varying)!;
  const { numbers } = varying.numbers;
  const isInside = constant !== NO_INTEGER && constant > 1 && constant < numbers.reduce((most, x) => Math.max(most, x));
  return isInside ? null : varying.numbers;
}

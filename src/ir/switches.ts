/** Where a `switch` leads. */
import type { BlockId } from './ids.js';
import { Opcode, type FunctionSnapshot } from './snapshot.js';

/** Each once: the default first, then the others in the order of their first case. */
export const destinations = (fn: FunctionSnapshot, b: BlockId): Set<BlockId> =>
  new Set(fn.succ.subarray(fn.succStart[b]!, fn.succStart[b + 1]!)) as Set<number> as Set<BlockId>;

/** Whether the cases are all there are: then nothing gets to the default. */
export function isComplete(fn: FunctionSnapshot, b: BlockId): boolean {
  const [otherwise] = destinations(fn, b);
  return fn.instrOpcode[firstBehindPhis(fn, otherwise!)] === Opcode.Unreachable;
}

/** The branches of the chain that stands for a switch: one for each destination but the last. */
export const linksOf = (fn: FunctionSnapshot, b: BlockId): number =>
  Math.max(1, destinations(fn, b).size - 1 - (isComplete(fn, b) ? 1 : 0));

/** The first instruction of a block that is no phi. */
export function firstBehindPhis(fn: FunctionSnapshot, b: BlockId): number {
  let i = fn.blockInstrStart[b]!;
  while (fn.instrOpcode[i] === Opcode.Phi) i++;
  return i;
}

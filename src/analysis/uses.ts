/**
 * The def-use index of a snapshot: who uses a value. It has one list per value, in compressed sparse rows, built by
 * counting sort over the operands in O(values + operands). A list is in the order of the operand table, that is by user
 * and then by operand. A user that reads a value twice is listed twice.
 */
import type { FunctionSnapshot } from '../ir/snapshot.js';

export interface Uses {
  /** `[valueCount + 1]`: where the list of each value starts in the two arrays below. */
  readonly start: Int32Array;
  /** `InstrId` of the user. */
  readonly user: Int32Array;
  /** Index of the use in the snapshot's operand table. */
  readonly operand: Int32Array;
}

export function usesOf(fn: FunctionSnapshot): Uses {
  const start = new Int32Array(fn.valueCount + 1);
  // Plain loops over typed arrays, here and elsewhere: iterators are slow until the optimising compiler has seen them.
  for (let o = 0; o < fn.operand.length; o++) start[fn.operand[o] + 1]++;
  for (let v = 0; v < fn.valueCount; v++) start[v + 1] += start[v];
  const fill = start.slice(0, fn.valueCount);
  const user = new Int32Array(fn.operand.length);
  const operand = new Int32Array(fn.operand.length);
  for (let i = 0, o = 0; i < fn.instrCount; i++) {
    for (const end = fn.operandStart[i + 1]; o < end; o++) {
      const at = fill[fn.operand[o]]++;
      user[at] = i;
      operand[at] = o;
    }
  }
  return { start, user, operand };
}

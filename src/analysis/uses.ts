/**
 * Who uses a value: the def-use index of a snapshot, as one list per value in compressed sparse rows. Built by counting
 * sort over the operands, O(values + operands). A list is in order of the operand table, so by user, then by operand; a user that
 * reads a value twice is listed twice.
 */
import type { FunctionSnapshot } from '../ir/snapshot.js';

export interface Uses {
  /** `[valueCount + 1]` into the two arrays below. */
  readonly start: Int32Array;
  /** `InstrId` of the user. */
  readonly user: Int32Array;
  /** Index of the use in the snapshot's operand table. */
  readonly operand: Int32Array;
}

export function usesOf(f: FunctionSnapshot): Uses {
  const start = new Int32Array(f.valueCount + 1);
  for (const v of f.operand) start[v + 1]++;
  for (let v = 0; v < f.valueCount; v++) start[v + 1] += start[v];
  const fill = start.slice(0, f.valueCount);
  const user = new Int32Array(f.operand.length);
  const operand = new Int32Array(f.operand.length);
  for (let i = 0; i < f.instrCount; i++) {
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
      const at = fill[f.operand[o]]++;
      user[at] = i;
      operand[at] = o;
    }
  }
  return { start, user, operand };
}

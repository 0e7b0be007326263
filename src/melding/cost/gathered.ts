/**
 * Data that are gathered: loaded with an address that was loaded itself, or computed from such data. Threads that look up
 * data by an index find what has little in common, even where the indices are sorted.
 */
import type { Analyses } from '../../analysis/analyses.js';
import { reversePostOrder } from '../../analysis/graph.js';
import type { InstrId } from '../../ir/ids.js';
import { Opcode, instrValue, type FunctionSnapshot } from '../../ir/snapshot.js';

/** An index is one load, and what lies there another one. */
const GATHERED = 2;

/** By value: whether it is gathered. What comes round a loop is left out, and what is the same for all threads. */
export function gatheredValues(fn: FunctionSnapshot, { graph, divergence }: Analyses): readonly boolean[] {
  // How many loads a value comes from, each of which takes its address from the one before.
  const loads = new Uint8Array(fn.valueCount);
  for (const b of reversePostOrder(graph))
    for (let i = fn.blockInstrStart[b]!; i < fn.blockInstrStart[b + 1]!; i++) {
      const v = instrValue(fn, i as InstrId);
      if (divergence.valueDivergent[v] === 0) continue;
      let most = 0;
      for (let k = fn.operandStart[i]!; k < fn.operandStart[i + 1]!; k++) most = Math.max(most, loads[fn.operand[k]!]!);
      loads[v] = Math.min(most + Number(fn.instrOpcode[i] === Opcode.Load), GATHERED);
    }
  return Array.from(loads, (count) => count === GATHERED);
}

/**
 * Data that are gathered: loaded from an address that is computed from loaded data, or computed from such data. Threads
 * that look up data by an index find what has little in common, even where the indices are sorted.
 */
import type { Analyses } from '../../analysis/analyses.js';
import { reversePostOrder } from '../../analysis/graph.js';
import type { InstrId, ValueId } from '../../ir/ids.js';
import { InstrFlag, Opcode, hasFlag, instrValue, type FunctionSnapshot } from '../../ir/snapshot.js';

/** An index is one load, and what lies there is another one. */
export const GATHERED = 2;

/**
 * By value: the longest chain of loads that it comes from, `GATHERED` at most. One pass: what comes round a loop is not
 * known yet, so lists are followed by one step only. Loads from one address for all threads do not count.
 */
export function dependentLoads(fn: FunctionSnapshot, { graph, divergence }: Analyses): Uint8Array {
  const loads = new Uint8Array(fn.valueCount);
  for (const b of reversePostOrder(graph))
    for (let i = fn.blockInstrStart[b]!; i < fn.blockInstrStart[b + 1]!; i++) {
      const v = instrValue(fn, i as InstrId);
      if (divergence.valueDivergent[v] === 0) continue;
      const sources = sourcesOf(fn, i as InstrId);
      const isLoad =
        hasFlag(fn, i as InstrId, InstrFlag.MayReadMemory) &&
        sources.some((source) => divergence.valueDivergent[source] === 1);
      const longest = sources.reduce((most, source) => Math.max(most, loads[source]!), 0);
      loads[v] = Math.min(longest + Number(isLoad), GATHERED);
    }
  return loads;
}

/** The operands without the condition of a select: it says which number is taken, and each may be an index in order. */
function sourcesOf(fn: FunctionSnapshot, i: InstrId): readonly ValueId[] {
  const first = fn.operandStart[i]! + Number(fn.instrOpcode[i] === Opcode.Select);
  return Array.from(fn.operand.subarray(first, fn.operandStart[i + 1]), (v) => v as ValueId);
}

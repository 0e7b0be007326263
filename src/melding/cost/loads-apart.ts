/**
 * Loads that a wave waits for apart from others. Those of a block are on their way together, unless code generation
 * moves one down to the only side of a branch that uses it (analysis/sinking.ts): then the wave waits in front of the
 * branch, and once more behind it. What code generation joins with a load that stays (memory-accesses.ts) stays with
 * it: it joins loads first.
 */
import type { Analyses } from '../../analysis/analyses.js';
import { Sinking } from '../../analysis/sinking.js';
import { NONE, type InstrId } from '../../ir/ids.js';
import { Opcode, type FunctionSnapshot } from '../../ir/snapshot.js';
import { mayScatter, memoryAccesses } from './memory-accesses.js';

/** How many there are in a function. Loads that are the same for all threads are not counted. */
export function loadsApart(fn: FunctionSnapshot, analyses: Analyses): number {
  const { divergence } = analyses;
  const { wide } = memoryAccesses(fn, divergence);
  const sinking = new Sinking(fn, analyses);
  let count = 0;
  for (let b = 0; b < fn.blockCount; b++) {
    const [staying, going]: [InstrId[], InstrId[]] = [[], []];
    for (let i = fn.blockInstrStart[b]! as InstrId; i < fn.blockInstrStart[b + 1]!; i++)
      if (fn.instrOpcode[i] === Opcode.Load && mayScatter(fn, divergence, i))
        (sinking.stays(i) ? staying : going).push(i);
    if (staying.length === 0) continue;
    const kept = new Set(staying.map((i) => wide[i]!));
    count += going.filter((i) => wide[i] === NONE || !kept.has(wide[i]!)).length;
  }
  return count;
}

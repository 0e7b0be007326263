/**
 * The better meld point by the cost model (`--meld-point auto`): the module is melded at both, and the code that goes
 * to code generation is compared. Its cost is the cycles of every instruction on the unit on which it runs, times a
 * guess at how often it runs, and a mask operation for every divergent branch.
 */
import { analysesOf } from '../analysis/analyses.js';
import type { LlvmRuntime } from '../binding/runtime.js';
import type { LlvmModule } from '../binding/module.js';
import type { BlockId } from '../ir/ids.js';
import { NO_EVENTS } from '../job/events.js';
import type { JobOptions } from '../job/options.js';
import { blockWeight } from '../melding/cost/context.js';
import { instrCosts, presentCosts } from '../melding/cost/latency.js';
import { memoryAccesses } from '../melding/cost/memory-accesses.js';
import { meldInPlace } from './compile.js';
import { Compilation, inFreshHeap } from './compilation.js';
import { hasEdits } from '../job/edit-log.js';

export function modelledPoint(runtime: LlvmRuntime, bytes: Uint8Array, options: JobOptions): 'early' | 'late' {
  if (options.optimize === 'none' || options.meld === 'off') return 'late';
  const costAt = (meldPoint: 'early' | 'late'): number =>
    inFreshHeap(runtime, () => {
      const compilation = new Compilation(runtime, bytes, { ...options, meldPoint }, NO_EVENTS);
      const { module, logs } = meldInPlace(compilation);
      // Without melds, both points are the same.
      if (meldPoint === 'early' && !logs.some(hasEdits)) return Infinity;
      return costOf(module ?? compilation.rebuild(logs));
    });
  const late = costAt('late');
  return costAt('early') < late ? 'early' : 'late';
}

/** Cycles of all functions, each run once. */
function costOf(module: LlvmModule): number {
  let cycles = 0;
  for (const { name } of module.functions()) {
    const { snapshot: fn, editor } = module.open(name);
    editor[Symbol.dispose]();
    const analyses = analysesOf(fn);
    const costs = instrCosts(fn, memoryAccesses(fn));
    const present = presentCosts(fn, costs, analyses.divergence);
    for (let b = 0 as BlockId; b < fn.blockCount; b++) {
      let block = analyses.divergence.terminatorDivergent[b] === 1 ? costs.target.guard : 0;
      for (let i = fn.blockInstrStart[b]!; i < fn.blockInstrStart[b + 1]!; i++) block += present[i]!;
      cycles += block * blockWeight(analyses, b);
    }
  }
  return cycles;
}

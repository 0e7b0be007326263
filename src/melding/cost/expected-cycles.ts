/**
 * What one wave is expected to spend in a function: the cost of every block, times how often it runs, times how likely
 * the wave comes to it (wave-samples.ts). It is for comparing two versions of one function.
 */
import type { Analyses } from '../../analysis/analyses.js';
import type { BlockId } from '../../ir/ids.js';
import type { FunctionSnapshot } from '../../ir/snapshot.js';
import type { ExpectedCycles } from '../plan.js';
import { blockWeight } from './block-weight.js';
import { instrCosts, presentCosts } from './latency.js';
import { memoryAccesses } from './memory-accesses.js';
import { busyTarget, costsOf } from './target-costs.js';
import { WaveSamples } from './wave-samples.js';

/** @param fn where a loop has no preheader, every wave counts as coming to it */
export function expectedCycles(fn: FunctionSnapshot, analyses: Analyses): ExpectedCycles {
  const { divergence } = analyses;
  const memory = memoryAccesses(fn, divergence);
  const target = costsOf(fn.cpu);
  const alone = presentCosts(fn, instrCosts(fn, memory, divergence, target), divergence);
  const busy = presentCosts(fn, instrCosts(fn, memory, divergence, busyTarget(target)), divergence);
  const waves = new WaveSamples(fn, analyses);
  const runs = (b: BlockId): number => waves.shareComing(b) * blockWeight(analyses, b);
  const found = expectedOver(fn, analyses, runs, { diamond: target.diamond, alone, busy });
  waves.values.forget();
  return found;
}

/** @param runs how often a wave runs a block @param costs of a divergent branch and, by instruction, in both regimes */
export function expectedOver(
  fn: FunctionSnapshot,
  { divergence }: Pick<Analyses, 'divergence'>,
  runs: (b: BlockId) => number,
  costs: { readonly diamond: number; readonly alone: Float64Array; readonly busy: Float64Array },
): ExpectedCycles {
  const sum = { alone: 0, busy: 0 };
  for (let b = 0 as BlockId; b < fn.blockCount; b++) {
    const times = runs(b);
    if (divergence.terminatorDivergent[b] === 1) sum.alone += times * costs.diamond;
    for (let i = fn.blockInstrStart[b]!; i < fn.blockInstrStart[b + 1]!; i++) {
      sum.alone += times * costs.alone[i]!;
      sum.busy += times * costs.busy[i]!;
    }
  }
  return sum;
}

/** How much faster `after` is than `before`: most kernels are between both extremes, so it is their geometric mean. */
export const expectedGain = (before: ExpectedCycles, after: ExpectedCycles): number =>
  Math.sqrt(ratio(before.alone, after.alone) * ratio(before.busy, after.busy));

/** A function that costs nothing is not worth a judgement. */
const ratio = (before: number, after: number): number => (before > 0 && after > 0 ? before / after : 1);

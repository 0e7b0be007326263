/** A guess at how often a block runs: by the loops that it is in. */
import type { Analyses } from '../../analysis/analyses.js';
import type { BlockId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';

const PER_LOOP = 8;
const DEEPEST_LOOP = 4;

export const blockWeight = ({ cycles }: Pick<Analyses, 'cycles'>, b: BlockId): number =>
  weightInLoops(cycles.depthOf(b));

const weightInLoops = (count: number): number => PER_LOOP ** Math.min(DEEPEST_LOOP, count);

/**
 * The same where only loops around some branches run more than once. Many others hardly run, like that of `fmod`, and
 * what happens at a branch is a larger share of what a wave spends then.
 */
export function weightAround(
  { cycles }: Pick<Analyses, 'cycles'>,
  branches: readonly BlockId[],
): (b: BlockId) => number {
  const around = new Set<number>();
  for (const branch of branches)
    for (let c: number = cycles.cycleOf(branch); c !== NONE; c = cycles.parent[c]!) around.add(c);
  return (b) => {
    let c: number = cycles.cycleOf(b);
    while (c !== NONE && !around.has(c)) c = cycles.parent[c]!;
    return weightInLoops(c === NONE ? 0 : cycles.depth[c]!);
  };
}

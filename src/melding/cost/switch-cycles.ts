/**
 * What a divergent switch costs a wave: as the tree of branches that LLVM's LowerSwitch makes of it, and as a chain of
 * branches, one for each destination. It depends on which ways the threads of the wave take.
 */

/** Runs of cases: those next to each other that have one destination. */
export interface SwitchShape {
  /** By run, in the order of the tree: its link in the chain. */
  readonly links: readonly number[];
  /** By link: whether its destination does nothing but give one phi a value. Then the chain has a select there. */
  readonly isSelect: readonly boolean[];
  /** Whether the default has a block of its own. */
  readonly hasDefault: boolean;
  /** Whether the cases are all there are. Then the last link needs no compare. */
  readonly isComplete: boolean;
}

/**
 * Cycles of a compare, of a select, of a branch of which a wave takes both sides, or one, and of what remembers which
 * threads have still to go to a destination.
 */
export interface BranchCycles {
  readonly compare: number;
  readonly select: number;
  readonly mask: number;
  readonly parted: number;
  readonly agreed: number;
}

/**
 * Where several leaves of the tree lead to one destination, the threads that go there are collected on the way up.
 *
 * @param taken by run, whether a thread of the wave takes it; last the default
 * @param gap the run in front of which the numbers lie that get to the default
 */
export function treeCycles(
  { links, isComplete, hasDefault }: SwitchShape,
  taken: Uint8Array,
  gap: number,
  costs: BranchCycles,
): number {
  const runs = links.length;
  const isDefault = (firstGap: number, lastGap: number): boolean =>
    taken[runs] === 1 && gap >= firstGap && gap <= lastGap;
  const isAny = (from: number, to: number, firstGap: number, lastGap: number): boolean =>
    isDefault(firstGap, lastGap) || taken.subarray(from, to).includes(1);
  // Links are numbered from 0, and there are at most as many as runs.
  const runsOfLink = new Uint32Array(runs);
  for (const link of links) runsOfLink[link]!++;
  const isShared = (link: number): boolean => runsOfLink[link]! > 1;
  /** Of the runs from `from` up to `to`, and of what lies in front of, between and behind them. */
  const subtree = (from: number, to: number, firstGap: number, lastGap: number): number => {
    if (to - from === 1) {
      if (isComplete) return 0;
      const isParted = taken[from] === 1 && isDefault(firstGap, lastGap);
      return costs.compare + (isParted ? costs.parted : costs.agreed);
    }
    const pivot = (from + to) >> 1;
    const left = isAny(from, pivot, firstGap, pivot);
    const right = isAny(pivot, to, pivot + 1, lastGap);
    const collected = new Set(links.slice(from, to).filter(isShared)).size + (hasDefault ? 1 : 0);
    return (
      costs.compare +
      collected * costs.mask +
      (left && right ? costs.parted : costs.agreed) +
      (left ? subtree(from, pivot, firstGap, pivot) : 0) +
      (right ? subtree(pivot, to, pivot + 1, lastGap) : 0)
    );
  };
  return subtree(0, runs, 0, runs);
}

export function chainCycles(
  { links, isSelect, isComplete }: SwitchShape,
  taken: Uint8Array,
  costs: BranchCycles,
): number {
  let cycles = 0;
  const count = isSelect.length - (isComplete ? 1 : 0);
  for (let link = 0; link < count; link++) {
    let [here, rest] = [false, !isComplete && taken[links.length] === 1];
    for (const [run, of] of links.entries()) {
      if (of === link) cycles += costs.compare;
      if (taken[run] !== 1) continue;
      here ||= of === link;
      rest ||= of > link;
    }
    if (isSelect[link]) cycles += costs.select;
    else {
      cycles += here && rest ? costs.parted : costs.agreed;
      // Code generation branches around the other links.
      if (!rest) break;
    }
  }
  return cycles;
}

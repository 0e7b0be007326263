/**
 * What a divergent switch costs a wave: as the tree of branches that LLVM's LowerSwitch makes of it, and as a chain of
 * branches, one for each destination. It depends on which ways the threads of the wave take.
 */
import { NONE } from '../../ir/ids.js';

/** Runs of cases: those next to each other that have one destination. */
export interface SwitchShape {
  /** By run, in the order of the tree: its link in the chain. */
  readonly links: readonly number[];
  /** `[runs + 1]`: whether numbers lie in front of a run that get to the default; last, behind all. */
  readonly gaps: readonly boolean[];
  /** By link: whether its destination does nothing but give one phi a value. Then the chain has a select there. */
  readonly isSelect: readonly boolean[];
  /** By link: whether its destination is where all ways meet. Then there is nothing to branch around. */
  readonly isJoin: readonly boolean[];
  /**
   * By link, last the default: what a wave spends in the destination that has no thread for it. Code generation does
   * not branch around little work.
   */
  readonly idle: readonly number[];
  /** Whether the default has a block of its own. */
  readonly hasDefault: boolean;
  /** Whether the cases are all there are. Then the last link needs no compare. */
  readonly isComplete: boolean;
  /**
   * Where nothing gets to the default, the link that the tree takes for it: that of most values, of several the first
   * one in their order. Otherwise `NONE`.
   */
  readonly popular: number;
}

/**
 * Cycles of a compare and of a select, of a branch of two sides and of one, and of what remembers which threads have
 * still to go to a destination. Branches take as long whether a wave parts or not (measured with the simulator, for a
 * wave that is alone): masks are made in both cases, and what is not executed is jumped over.
 */
export interface BranchCycles {
  readonly compare: number;
  readonly select: number;
  readonly ifElse: number;
  readonly guard: number;
  readonly mask: number;
}

/** What the tree is made of. */
interface Tree {
  /** By run, its link. */
  readonly links: readonly number[];
  readonly gaps: readonly boolean[];
  /** By run, whether a thread of the wave takes it. */
  readonly taken: readonly boolean[];
  /** By gap, whether a thread of the wave gets there. */
  readonly takenGaps: readonly boolean[];
  readonly hasDefault: boolean;
  /** See `SwitchShape`: of the default. */
  readonly idleDefault: number;
}

function treeOf(shape: SwitchShape, taken: Uint8Array, gap: number): Tree {
  const { links, gaps, isJoin, idle, hasDefault, popular } = shape;
  const isTaken = (run: number): boolean => taken[run] === 1;
  if (popular === NONE)
    return {
      links,
      gaps,
      taken: links.map((_, run) => isTaken(run)),
      takenGaps: gaps.map((_, k) => k === gap && isTaken(links.length)),
      hasDefault,
      idleDefault: idle.at(-1)!,
    };
  const kept = [...links.keys()].filter((run) => links[run] !== popular);
  // Behind each run that is kept, and in front of all, lie those that are not, up to the next one.
  const between = [-1, ...kept].map((run, k) =>
    links.slice(run + 1, kept[k] ?? links.length).map((_, n) => run + 1 + n),
  );
  return {
    links: kept.map((run) => links[run]!),
    gaps: between.map((runs) => runs.length > 0),
    taken: kept.map(isTaken),
    takenGaps: between.map((runs) => runs.some(isTaken)),
    hasDefault: !isJoin[popular],
    idleDefault: idle[popular]!,
  };
}

/**
 * Where several leaves of the tree lead to one destination, the threads that go there are collected on the way up, and
 * one more branch leads there.
 *
 * @param taken by run, whether a thread of the wave takes it; last the default
 * @param gap the run in front of which the numbers lie that get to the default
 */
export function treeCycles(shape: SwitchShape, taken: Uint8Array, gap: number, costs: BranchCycles): number {
  const { idle, isJoin } = shape;
  const tree = treeOf(shape, taken, gap);
  const { links, gaps, hasDefault, idleDefault } = tree;
  if (links.length === 0) return 0;
  const isDefault = (firstGap: number, lastGap: number): boolean =>
    tree.takenGaps.slice(firstGap, lastGap + 1).includes(true);
  const isAny = (from: number, to: number, firstGap: number, lastGap: number): boolean =>
    isDefault(firstGap, lastGap) || tree.taken.slice(from, to).includes(true);
  // Where nothing else gets to a leaf, it needs no compare: the branches in front of it have asked for the rest.
  const compares = (run: number): boolean => gaps[run + 1]! || (run === 0 && gaps[0]!);
  const runsOfLink = new Uint32Array(idle.length);
  for (const link of links) runsOfLink[link]!++;
  const isShared = (link: number): boolean => runsOfLink[link]! > 1 && !isJoin[link];
  const sharesDefault = hasDefault && links.filter((_, run) => compares(run)).length > 1;
  /** Of the runs from `from` up to `to`, and of what lies in front of, between and behind them. */
  const subtree = (from: number, to: number, firstGap: number, lastGap: number): number => {
    const isLeaf = to - from === 1;
    const link = links[from]!;
    const idly = isLeaf && !tree.taken[from] && !isShared(link) ? idle[link]! : 0;
    if (isLeaf && !compares(from)) return idly;
    if (!isAny(from, to, firstGap, lastGap)) return 0;
    if (isLeaf) {
      if (!hasDefault || sharesDefault) return costs.compare + costs.guard + idly;
      const branch = isJoin[link] ? costs.guard : costs.ifElse;
      return costs.compare + branch + idly + (isDefault(firstGap, lastGap) ? 0 : idleDefault);
    }
    const pivot = (from + to) >> 1;
    const collectsDefault = sharesDefault && gaps.slice(firstGap, lastGap + 1).includes(true);
    const collected = new Set(links.slice(from, to).filter(isShared)).size + (collectsDefault ? 1 : 0);
    return (
      costs.compare +
      costs.ifElse +
      collected * costs.mask +
      subtree(from, pivot, firstGap, pivot) +
      subtree(pivot, to, pivot + 1, lastGap)
    );
  };
  const last = links.length;
  let cycles = subtree(0, last, 0, last);
  for (const link of new Set(links.filter(isShared)))
    cycles += costs.ifElse + (links.some((of, run) => of === link && tree.taken[run]) ? 0 : idle[link]!);
  // The tree joins its cases in front of that branch, and waits for what they compute.
  if (sharesDefault) cycles += 2 * costs.ifElse + (isDefault(0, last) ? 0 : idleDefault);
  return cycles;
}

export function chainCycles(
  { links, isSelect, isJoin, idle, isComplete, hasDefault }: SwitchShape,
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
    if (isSelect[link]) {
      cycles += costs.select;
      continue;
    }
    const isLast = link === count - 1;
    const hasOther = !isLast || (isComplete ? !isJoin[count] : hasDefault);
    cycles += isJoin[link] || !hasOther ? costs.guard : costs.ifElse;
    if (!here) cycles += idle[link]!;
    if (rest) continue;
    // Code generation branches around the other links, but not around what little the last one leads to.
    if (isLast) cycles += idle[count]!;
    break;
  }
  return cycles;
}

/**
 * Branches behind which one side is soon done with the function, while the main work lies on the other one: a guard
 * against input that needs none. Most threads stay (T. Ball and J. R. Larus, "Branch Prediction for Free", PLDI 1993:
 * their return heuristic is right for 72 % of the branches that it is about).
 */
import type { Analyses } from '../../analysis/analyses.js';
import type { BlockId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import type { FunctionSnapshot } from '../../ir/snapshot.js';

/** What is soon done with: instructions, in how many blocks. */
const FEW = { instructions: 12, blocks: 4 };
/** What is the main work: so many instructions, and so many times what is on the other side. */
const MUCH = { instructions: 40, times: 4 };

/** Which side of a branch leaves early: 0 for T, 1 for F, or `NONE`. */
export function sideOfEarlyExit(fn: FunctionSnapshot, analyses: Analyses, branch: BlockId): 0 | 1 | -1 {
  const join = analyses.postDominators.idom[branch] as BlockId | -1 | undefined;
  if (join === undefined || join === NONE || stretch(fn, join, NONE) === null) return NONE;
  const [t, f] = [0, 1].map((k) => fn.succ[fn.succStart[branch]! + k] as BlockId) as [BlockId, BlockId];
  const leaves = (exit: BlockId, main: BlockId): boolean => {
    const short = stretch(fn, exit, join);
    return short !== null && isMainWork(fn, main, join, Math.max(MUCH.instructions, MUCH.times * short));
  };
  return leaves(t, f) ? 0 : leaves(f, t) ? 1 : NONE;
}

/** How many instructions lie between a block and another one, or the end of the function; null: more than a few. */
function stretch(fn: FunctionSnapshot, from: BlockId, to: BlockId | -1): number | null {
  let count = 0;
  let b = from;
  for (let blocks = 0; b !== to; blocks++) {
    count += sizeOf(fn, b);
    if (blocks === FEW.blocks || count > FEW.instructions) return null;
    const ways = fn.succStart[b + 1]! - fn.succStart[b]!;
    if (ways === 0) return to === NONE ? count : null;
    if (ways > 1) return null;
    b = fn.succ[fn.succStart[b]!] as BlockId;
  }
  return count;
}

/** Whether so many instructions lie between a block and another one, on any way. */
function isMainWork(fn: FunctionSnapshot, from: BlockId, to: BlockId, least: number): boolean {
  const seen = new Set<number>([to, from]);
  let count = 0;
  for (const b of seen) {
    if (b === to) continue;
    count += sizeOf(fn, b);
    if (count >= least) return true;
    for (let e = fn.succStart[b]!; e < fn.succStart[b + 1]!; e++) seen.add(fn.succ[e]!);
  }
  return false;
}

const sizeOf = (fn: FunctionSnapshot, b: number): number => fn.blockInstrStart[b + 1]! - fn.blockInstrStart[b]!;

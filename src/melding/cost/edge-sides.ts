/** By which edge of a branch control comes to what is behind it. */
import type { Analyses } from '../../analysis/analyses.js';
import type { BlockId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { isConditionalBranch, type FunctionSnapshot } from '../../ir/snapshot.js';

/** The successor of `from` by whose edge alone control comes to `to`, which it dominates; `NONE` if there is none. */
export function sideOf(fn: FunctionSnapshot, analyses: Analyses, from: BlockId, to: BlockId): 0 | 1 | -1 {
  if (!isConditionalBranch(fn, from)) return NONE;
  const { succ, succStart, pred, predStart } = analyses.graph;
  const [t, f] = [succ[succStart[from]!]!, succ[succStart[from]! + 1]!];
  if (t === f) return NONE;
  // Where a loop ends says nothing about what runs in it.
  if (analyses.cycles.depthOf(t as BlockId) !== analyses.cycles.depthOf(f as BlockId)) return NONE;
  for (const side of [0, 1] as const) {
    const s = (side === 0 ? t : f) as BlockId;
    if (!analyses.dominators.dominates(s, to)) continue;
    const entries = pred.subarray(predStart[s], predStart[s + 1]);
    if (entries.every((p) => p === from || analyses.dominators.dominates(s, p as BlockId))) return side;
  }
  return NONE;
}

/**
 * Whether control comes to a block by the edges of a switch alone, which is its immediate dominator. Where a loop ends
 * says nothing about what runs in it.
 */
export function isCase(analyses: Analyses, from: BlockId, to: BlockId): boolean {
  const { pred, predStart, succ, succStart } = analyses.graph;
  const { dominators, cycles } = analyses;
  const depth = cycles.depthOf(from);
  const entries = pred.subarray(predStart[to], predStart[to + 1]);
  return (
    entries.includes(from) &&
    entries.every((p) => p === from || dominators.dominates(to, p as BlockId)) &&
    succ.subarray(succStart[from], succStart[from + 1]).every((s) => cycles.depthOf(s as BlockId) >= depth)
  );
}

/** By which successor of `fork` control comes along the edge `from → to`. */
export function edgeSide(
  fn: FunctionSnapshot,
  analyses: Analyses,
  fork: BlockId,
  from: BlockId,
  to: BlockId,
): 0 | 1 | -1 {
  if (from !== fork) return sideOf(fn, analyses, fork, from);
  const { succ, succStart } = analyses.graph;
  return succ[succStart[fork]!] === to ? 0 : 1;
}

/**
 * Divergent regions and the ordered chain of single-entry single-exit subgraphs on each side of a divergent branch.
 * Source: the DARM paper, sections "Detecting Meldable Divergent Regions" and "Computing Melding Profitability"
 * (definitions 1–6); the edge conditions are rules 1.1–1.4 and 1.8 of MELDING-RULES.md.
 *
 * For a branch block E with successors BT, BF and X = ipdom(E), a side's chain starts at b = BT (or BF). The next
 * subgraph is R = everything reachable from b without passing x, for the first x on b's post-dominator chain such that
 * - no edge enters R except at b, and none of those comes from a block that b dominates (b is no loop header of a
 *   larger loop), and no entry comes from unreachable code,
 * - R holds only blocks that the side's own edge E→BT dominates (not merely E: short-circuit code joins sides early).
 * By construction every edge out of R goes to x. The chain goes on at x and ends at X, at the first block the edge does
 * not dominate, or at a block for which no x up to X fits: the *open* block, a candidate for rule 1.8.
 *
 * Region simplification is virtual: a subgraph may have several entry edges (all to `entry`) and several exit edges
 * (all to `exit`). Whoever carries a meld out puts a unifying block on the entry edges and one exit block on the exit
 * edges.
 *
 * Cost: per chain element linear in the edges visited (conditions are kept incrementally while R grows).
 */
import type { BlockId } from '../ir/ids.js';
import { NONE } from '../ir/ids.js';
import type { DominatorTree } from './dominators.js';
import type { Graph } from './graph.js';

export interface Subgraph {
  readonly entry: BlockId;
  /** The one block all edges out of the subgraph go to. */
  readonly exit: BlockId;
  /** In reverse post-order; the first is `entry`. */
  readonly blocks: readonly BlockId[];
  /** Blocks of this side in front of the subgraph: those of all earlier subgraphs of the chain. */
  readonly before: readonly BlockId[];
}

export interface SideChain {
  /** First block of the side: the branch's successor. */
  readonly start: BlockId;
  /** False when other edges than the branch's own lead into the side (rule 1.3); the chain is empty then. */
  readonly edgeDominated: boolean;
  readonly subgraphs: readonly Subgraph[];
  /** Edge-dominated block at which the chain stops without a fitting subgraph, or `NONE`. */
  readonly open: BlockId | -1;
  /** Blocks of all subgraphs of the chain: what lies in front of `open`. */
  readonly beforeOpen: readonly BlockId[];
}

export interface DivergentRegion {
  readonly kind: 'region';
  /** E: ends in the divergent conditional branch. */
  readonly branch: BlockId;
  /** X: E's immediate post-dominator. */
  readonly join: BlockId;
  readonly t: SideChain;
  readonly f: SideChain;
  /** E and everything between E and X, in reverse post-order. */
  readonly blocks: readonly BlockId[];
}

/** Why a branch has no region of two sides and a join. */
export type RegionProblem =
  /** Both successors are the same block. */
  | 'same-successors'
  /** The branch has no immediate post-dominator. */
  | 'no-join'
  /** One successor post-dominates the other: `if` without `else`. */
  | 'one-sided'
  /** The join dominates the branch: it heads an enclosing loop. */
  | 'join-heads-loop'
  /** There is an irreducible cycle between branch and join. */
  | 'irreducible';

export interface RefusedRegion {
  readonly kind: 'refused';
  readonly branch: BlockId;
  readonly problem: RegionProblem;
}

/**
 * What `regionOf` needs, computed once per function. `order[b]` is b's index in reverse post-order, `NONE` if
 * unreachable.
 */
export interface RegionInputs {
  readonly graph: Graph;
  readonly dominators: DominatorTree;
  readonly postDominators: DominatorTree;
  readonly order: Int32Array;
}

export function regionOf(inputs: RegionInputs, branch: BlockId): DivergentRegion | RefusedRegion {
  const { graph, dominators, postDominators, order } = inputs;
  const t = graph.succ[graph.succStart[branch]!] as BlockId;
  const f = graph.succ[graph.succStart[branch]! + 1] as BlockId;
  const refuse = (problem: RegionProblem): RefusedRegion => ({ kind: 'refused', branch, problem });
  const join = postDominators.idom[branch] as BlockId | -1;
  if (t === f) return refuse('same-successors');
  if (join === NONE) return refuse('no-join');
  if (join === t || join === f) return refuse('one-sided');
  if (dominators.dominates(join, branch)) return refuse('join-heads-loop');

  const region = reachableUntil(graph, branch, join);
  const inside = new Uint8Array(graph.count);
  for (const b of region) inside[b] = 1;
  for (const b of region) {
    for (let e = graph.succStart[b]!; e < graph.succStart[b + 1]!; e++) {
      const s = graph.succ[e]! as BlockId;
      // A retreating edge to a block that does not dominate its source closes an irreducible cycle.
      if (inside[s] && order[s]! <= order[b]! && !dominators.dominates(s, b)) return refuse('irreducible');
    }
  }
  region.sort((a, b) => order[a]! - order[b]!);
  return {
    kind: 'region',
    branch,
    join,
    t: chainOf(inputs, branch, t, join),
    f: chainOf(inputs, branch, f, join),
    blocks: region,
  };
}

/** Blocks reachable from `from` without passing `until`; `from` is the first. */
export function reachableUntil(graph: Graph, from: BlockId, until: BlockId): BlockId[] {
  const seen = new Uint8Array(graph.count);
  const list: BlockId[] = [from];
  seen[from] = 1;
  for (let i = 0; i < list.length; i++) {
    const b = list[i]!;
    for (let e = graph.succStart[b]!; e < graph.succStart[b + 1]!; e++) {
      const s = graph.succ[e]! as BlockId;
      if (s === until || seen[s]) continue;
      seen[s] = 1;
      list.push(s);
    }
  }
  return list;
}

function chainOf(inputs: RegionInputs, branch: BlockId, start: BlockId, join: BlockId): SideChain {
  const { graph, dominators } = inputs;
  // The edge dominates its side when every other way into `start` comes from inside the side (BasicBlockEdge in LLVM).
  let own = 0;
  let edgeDominated = true;
  for (let e = graph.predStart[start]!; e < graph.predStart[start + 1]!; e++) {
    const p = graph.pred[e]! as BlockId;
    if (p === branch) own++;
    else if (!dominators.isReachable(p) || !dominators.dominates(start, p)) edgeDominated = false;
  }
  edgeDominated &&= own === 1 && start !== graph.entry;
  const subgraphs: Subgraph[] = [];
  const before: BlockId[] = [];
  let open: BlockId | -1 = NONE;
  for (let b = start; edgeDominated && b !== join && dominators.dominates(start, b);) {
    const found = nextSubgraph(inputs, start, b, join);
    if (!found) {
      open = b;
      break;
    }
    subgraphs.push({ entry: b, exit: found.exit, blocks: found.blocks, before: before.slice() });
    for (const x of found.blocks) before.push(x);
    b = found.exit;
  }
  return { start, edgeDominated, subgraphs, open, beforeOpen: before };
}

/** The smallest subgraph that starts at `b`, or null when none ends before or at `join`. */
function nextSubgraph(
  inputs: RegionInputs,
  start: BlockId,
  b: BlockId,
  join: BlockId,
): { exit: BlockId; blocks: BlockId[] } | null {
  const { graph, dominators, postDominators, order } = inputs;
  const inside = new Uint8Array(graph.count);
  const members: BlockId[] = [];
  /** Edges from outside R into R that make it unfit; edges count once per edge. */
  let bad = 0;
  const add = (m: BlockId): boolean => {
    if (!dominators.dominates(start, m)) return false;
    inside[m] = 1;
    members.push(m);
    for (let e = graph.predStart[m]!; e < graph.predStart[m + 1]!; e++) {
      const p = graph.pred[e]! as BlockId;
      if (inside[p]) continue;
      if (m !== b || !dominators.isReachable(p) || dominators.dominates(b, p)) bad++;
    }
    for (let e = graph.succStart[m]!; e < graph.succStart[m + 1]!; e++) {
      const s = graph.succ[e]! as BlockId;
      // The edge m→s was counted when s joined, unless it is an entry that was fit all along or a self-edge (never
      // counted).
      if (inside[s] && s !== m && (s !== b || dominators.dominates(b, m))) bad--;
    }
    return true;
  };
  if (!add(b)) return null;
  let next = 0;
  let deferred: BlockId[] = [];
  for (let x = postDominators.idom[b] as BlockId | -1; x !== NONE; x = postDominators.idom[x] as BlockId | -1) {
    // Grow R up to x. The previous x (and only it) was deferred.
    for (const d of deferred) if (d !== x && !inside[d] && !add(d)) return null;
    deferred = deferred.filter((d) => d === x);
    for (; next < members.length; next++) {
      const m = members[next]!;
      for (let e = graph.succStart[m]!; e < graph.succStart[m + 1]!; e++) {
        const s = graph.succ[e]! as BlockId;
        if (inside[s]) continue;
        if (s === x) deferred.push(s);
        else if (!add(s)) return null;
      }
    }
    if (bad === 0) {
      members.sort((p, q) => order[p]! - order[q]!);
      return { exit: x, blocks: members };
    }
    if (x === join) return null;
  }
  return null;
}

/**
 * Rule 1.8: the open blocks of both sides, if both end in conditional branches to the same two successors. `swapped`
 * says that the order of the successors differs.
 */
export function sharedSuccessors(graph: Graph, region: DivergentRegion): { swapped: boolean } | null {
  const { open: t } = region.t;
  const { open: f } = region.f;
  if (t === NONE || f === NONE) return null;
  const ts = graph.succStart[t]!;
  const fs = graph.succStart[f]!;
  if (graph.succStart[t + 1]! - ts !== 2 || graph.succStart[f + 1]! - fs !== 2) return null;
  const [t0, t1] = [graph.succ[ts]!, graph.succ[ts + 1]!];
  const [f0, f1] = [graph.succ[fs]!, graph.succ[fs + 1]!];
  if (t0 === t1 || t0 === t || t1 === t || f0 === f || f1 === f) return null;
  // No loop leads back to an open block: it would pass a shared successor, and so enter the side behind its own edge's
  // back.
  if (t0 === f0 && t1 === f1) return { swapped: false };
  if (t0 === f1 && t1 === f0) return { swapped: true };
  return null;
}

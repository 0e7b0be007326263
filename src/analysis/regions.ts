/**
 * Divergent regions, and the ordered chain of single-entry single-exit subgraphs on each side of a divergent branch.
 * The source is the DARM paper, sections "Detecting Meldable Divergent Regions" and "Computing Melding Profitability"
 * (definitions 1–6). docs/melding.md has the conditions on edges as rules 1.2 to 1.4 and 1.8.
 *
 * Let E be a branch block with successors BT and BF, and X = ipdom(E). The chain of a side starts at b = BT (or BF).
 * The next subgraph is R, everything that is reachable from b without passing x. Here x is the first block on b's
 * post-dominator chain for which R fits:
 * - Edges enter R only at b. None of them comes from a block outside R that b dominates, so b does not head a larger
 *   loop. None comes from unreachable code.
 * - R holds only blocks that the side's own edge E→BT dominates. That E itself dominates them is not enough, because in
 *   short-circuit code the sides join early.
 *
 * By construction every edge out of R goes to x. The chain goes on at x. It ends at X, or at the first block that the
 * edge does not dominate, or at a block for which no x up to X fits. Such a block is *open*, a candidate for rule 1.8.
 *
 * Region simplification is virtual. A subgraph may have several entry edges, all to `entry`, and several exit edges,
 * all to `exit`. When a meld is carried out, a unifying block takes the entry edges and one exit block takes the exit
 * edges.
 *
 * The cost per subgraph is linear in the edges visited, because the conditions are kept up to date while R grows.
 */
import type { BlockId } from '../ir/ids.js';
import { NONE } from '../ir/ids.js';
import type { DeadEnd } from './dead-ends.js';
import type { DominatorTree } from './dominators.js';
import type { Graph } from './graph.js';

export interface Subgraph {
  readonly entry: BlockId;
  /** The block that all edges out of the subgraph go to. */
  readonly exit: BlockId;
  /** In reverse post-order; the first is `entry`. */
  readonly blocks: readonly BlockId[];
  /** How many blocks of the chain are in front of the subgraph. */
  readonly place: number;
}

export interface SideChain {
  /** The first block of the side, which is a successor of the branch. */
  readonly start: BlockId;
  /** False when edges other than the branch's own lead into the side (rule 1.3). Then the chain is empty. */
  readonly edgeDominated: boolean;
  readonly subgraphs: readonly Subgraph[];
  /** The edge-dominated block at which the chain stops because no subgraph fits, or `NONE`. */
  readonly open: BlockId | -1;
  /** The blocks of all subgraphs, one subgraph after the other. They lie in front of `open`. */
  readonly blocks: readonly BlockId[];
}

export interface DivergentRegion {
  readonly kind: 'region';
  /** Block E, which ends in the divergent conditional branch. */
  readonly branch: BlockId;
  /** Block X, the immediate post-dominator of E. */
  readonly join: BlockId;
  readonly t: SideChain;
  readonly f: SideChain;
  /** E and everything between E and X, in reverse post-order. */
  readonly blocks: readonly BlockId[];
  /**
   * Null where the edges of E lead into the sides. Otherwise the blocks between E and both sides, in reverse post-order
   * (`joinedRegionOf`). Then not the condition of E says which side a thread is on, but the edge by which it comes.
   */
  readonly front: readonly BlockId[] | null;
  /** The dead ends that lead out of it (dead-ends.ts), in reverse post-order. None of `blocks` is one. */
  readonly deadEnds: readonly DeadEnd[];
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
 * What `regionOf` needs. It is computed once per function. `order[b]` is the index of b in reverse post-order, or
 * `NONE` if b is unreachable.
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
  // The edges out of the region go to the join.
  for (const b of region) {
    for (let e = graph.succStart[b]!; e < graph.succStart[b + 1]!; e++) {
      const s = graph.succ[e]! as BlockId;
      // A retreating edge to a block that does not dominate its source closes an irreducible cycle.
      if (s !== join && order[s]! <= order[b]! && !dominators.dominates(s, b)) return refuse('irreducible');
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
    front: null,
    deadEnds: [],
  };
}

/** Larger regions are not searched for sides with several entry edges: the search takes time for pairs of blocks. */
const MOST_SEARCHED = 32;

/**
 * Finds two sides with several entry edges, as short-circuit code has them: in `if (a || b) A else B`, both branches
 * lead to A. Whatever way a thread takes from E to X, it comes to one of A and B, and never to both. So where a thread
 * enters says which side it is on.
 *
 * Takes the pair with the fewest blocks in front of it, so that most of the region lies behind; null if there is none.
 */
export function joinedRegionOf(inputs: RegionInputs, region: DivergentRegion): DivergentRegion | null {
  const { graph, dominators, order } = inputs;
  const { branch, join, blocks } = region;
  if (blocks.length > MOST_SEARCHED) return null;
  const isEntry = (b: BlockId): boolean => {
    let entries = 0;
    for (let e = graph.predStart[b]!; e < graph.predStart[b + 1]!; e++)
      if (order[graph.pred[e]!] !== NONE && !dominators.dominates(b, graph.pred[e] as BlockId)) entries++;
    return entries > 1;
  };
  const behind = new Map(blocks.map((b) => [b, new Set(reachableUntil(graph, b, join))]));
  let best: { a: BlockId; b: BlockId; front: BlockId[] } | null = null;
  for (const a of blocks) {
    if (a === branch || !isEntry(a)) continue;
    for (const b of blocks) {
      if (b === a || b === branch || (isEntry(b) && order[b]! < order[a]!)) continue;
      if (!dominators.dominates(branch, a) || !dominators.dominates(branch, b)) continue;
      if (behind.get(a)!.has(b) || behind.get(b)!.has(a)) continue;
      const front = frontOf(graph, branch, join, a, b);
      if (front === null || front.some((each) => behind.get(a)!.has(each) || behind.get(b)!.has(each))) continue;
      // Otherwise E is not where the ways part: a later branch has the same sides.
      if (front.some((each) => dominators.dominates(each, a) && dominators.dominates(each, b))) continue;
      if (best === null || front.length < best.front.length) best = { a, b, front };
    }
  }
  if (best === null) return null;
  const { a, b, front } = best;
  front.sort((p, q) => order[p]! - order[q]!);
  const [t, f] = branchesTo(graph, [branch, ...front], b, a) ? [b, a] : [a, b];
  const chain = (start: BlockId): SideChain => sideChain(inputs, start, join, true);
  return { ...region, t: chain(t), f: chain(f), front };
}

/** The blocks that are reached from `branch` without passing `a` or `b`; null if the join is among them. */
function frontOf(graph: Graph, branch: BlockId, join: BlockId, a: BlockId, b: BlockId): BlockId[] | null {
  const seen = new Set<number>([branch, a, b]);
  const list = [branch];
  for (const from of list)
    for (let e = graph.succStart[from]!; e < graph.succStart[from + 1]!; e++) {
      const to = graph.succ[e] as BlockId;
      if (to === join) return null;
      if (seen.has(to)) continue;
      seen.add(to);
      list.push(to);
    }
  return list.slice(1);
}

/** Whether one of the blocks branches to `t` if its condition is true, and otherwise to `f`. */
const branchesTo = ({ succStart, succ }: Graph, blocks: readonly BlockId[], t: BlockId, f: BlockId): boolean =>
  blocks.some(
    (b) => succStart[b + 1]! - succStart[b]! === 2 && succ[succStart[b]!] === t && succ[succStart[b]! + 1] === f,
  );

/** The blocks that are reachable from `from` without passing `until`. The first is `from`. */
function reachableUntil(graph: Graph, from: BlockId, until: BlockId): BlockId[] {
  const seen = graph.tables.lend();
  const list: BlockId[] = [from];
  seen[from] = 1;
  for (let i = 0; i < list.length; i++) {
    const b = list[i]!;
    for (let e = graph.succStart[b]!; e < graph.succStart[b + 1]!; e++) {
      const s = graph.succ[e]! as BlockId;
      if (s === until || seen[s] === 1) continue;
      seen[s] = 1;
      list.push(s);
    }
  }
  graph.tables.takeBack(seen, list);
  return list;
}

function chainOf(inputs: RegionInputs, branch: BlockId, start: BlockId, join: BlockId): SideChain {
  const { graph, dominators } = inputs;
  // The edge dominates its side if all other edges into `start` come from inside the side (`BasicBlockEdge` in LLVM).
  let own = 0;
  let edgeDominated = true;
  for (let e = graph.predStart[start]!; e < graph.predStart[start + 1]!; e++) {
    const p = graph.pred[e]! as BlockId;
    if (p === branch) own++;
    else if (!dominators.isReachable(p) || !dominators.dominates(start, p)) edgeDominated = false;
  }
  return sideChain(inputs, start, join, edgeDominated && own === 1 && start !== graph.entry);
}

function sideChain(inputs: RegionInputs, start: BlockId, join: BlockId, edgeDominated: boolean): SideChain {
  const { dominators } = inputs;
  const subgraphs: Subgraph[] = [];
  const blocks: BlockId[] = [];
  let open: BlockId | -1 = NONE;
  for (let b = start; edgeDominated && b !== join && dominators.dominates(start, b);) {
    const found = nextSubgraph(inputs, start, b, join);
    if (!found) {
      open = b;
      break;
    }
    subgraphs.push({ entry: b, exit: found.exit, blocks: found.blocks, place: blocks.length });
    for (const x of found.blocks) blocks.push(x);
    b = found.exit;
  }
  return { start, edgeDominated, subgraphs, open, blocks };
}

/** The smallest subgraph that starts at `b`, or null when none ends before or at `join`. */
function nextSubgraph(
  inputs: RegionInputs,
  start: BlockId,
  b: BlockId,
  join: BlockId,
): { exit: BlockId; blocks: BlockId[] } | null {
  const { graph, dominators, postDominators, order } = inputs;
  const inside = graph.tables.lend();
  const members: BlockId[] = [];
  /** How many edges from outside R make R unfit. */
  let bad = 0;
  const add = (m: BlockId): boolean => {
    if (!dominators.dominates(start, m)) return false;
    inside[m] = 1;
    members.push(m);
    for (let e = graph.predStart[m]!; e < graph.predStart[m + 1]!; e++) {
      const p = graph.pred[e]! as BlockId;
      if (inside[p] === 1) continue;
      if (m !== b || !dominators.isReachable(p) || dominators.dominates(b, p)) bad++;
    }
    for (let e = graph.succStart[m]!; e < graph.succStart[m + 1]!; e++) {
      const s = graph.succ[e]! as BlockId;
      // The edge m→s was counted when s joined. Self-edges and permitted entries were never counted.
      if (inside[s] === 1 && s !== m && (s !== b || dominators.dominates(b, m))) bad--;
    }
    return true;
  };
  /** Adds blocks until R fits. Returns the exit, or `NONE`. */
  const grow = (): BlockId | -1 => {
    if (!add(b)) return NONE;
    let next = 0;
    let deferred: BlockId[] = [];
    for (let x = postDominators.idom[b] as BlockId | -1; x !== NONE; x = postDominators.idom[x] as BlockId | -1) {
      // Grow R up to x. Only the previous x was deferred.
      for (const d of deferred) if (d !== x && inside[d] === NONE && !add(d)) return NONE;
      deferred = deferred.filter((d) => d === x);
      for (; next < members.length; next++) {
        const m = members[next]!;
        for (let e = graph.succStart[m]!; e < graph.succStart[m + 1]!; e++) {
          const s = graph.succ[e]! as BlockId;
          if (inside[s] === 1) continue;
          if (s === x) deferred.push(s);
          else if (!add(s)) return NONE;
        }
      }
      if (bad === 0) return x;
      if (x === join) return NONE;
    }
    return NONE;
  };
  const exit = grow();
  graph.tables.takeBack(inside, members);
  return exit === NONE ? null : { exit, blocks: members.sort((p, q) => order[p]! - order[q]!) };
}

/**
 * Rule 1.8: whether both open blocks end in conditional branches to the same two successors. `swapped` says that the
 * order of the successors differs. Null if they do not.
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
  // An open block is not in a loop. A loop would pass a shared successor and so enter the side by another edge than its
  // own.
  if (t0 === f0 && t1 === f1) return { swapped: false };
  if (t0 === f1 && t1 === f0) return { swapped: true };
  return null;
}

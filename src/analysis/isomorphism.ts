/**
 * Ordered isomorphism of two single-entry single-exit block sets: which block corresponds to which (the paper's
 * "structurally similar" subgraphs, definition "Meldable SESE Subgraphs").
 *
 * The entries correspond. The successors of corresponding blocks correspond in the same order or in swapped order; then
 * the branch condition of one is negated. Exit edges correspond to exit edges.
 *
 * The search tries both orders, depth first, with an explicit stack and a bound on its steps. The variant whose pairs
 * have the greatest sum of `score` wins; among equals the one found first, which prefers the same order. A search that
 * reaches the bound keeps the best variant found so far. Deterministic.
 *
 * Only blocks with one or two successors (`br`) are supported. Others never match.
 */
import type { BlockId } from '../ir/ids.js';
import { NONE } from '../ir/ids.js';
import type { Graph } from './graph.js';

export interface CorrespondingBlocks {
  readonly t: BlockId;
  readonly f: BlockId;
  /** Successor 0 of `t` corresponds to successor 1 of `f`. */
  readonly swapped: boolean;
}

export interface BlockSet {
  readonly entry: BlockId;
  readonly blocks: readonly BlockId[];
}

const MOST_STEPS = 1024;

/** Pairs in the order in which they were reached (entry first), or null when the subgraphs are not isomorphic. */
export function isomorphism(
  graph: Graph,
  t: BlockSet,
  f: BlockSet,
  score: (t: BlockId, f: BlockId) => number,
): CorrespondingBlocks[] | null {
  const size = t.blocks.length;
  if (size !== f.blocks.length) return null;
  if (size === 1) return ofSingleBlocks(graph, t.entry, f.entry);
  const degrees = new Int32Array(3);
  for (const b of t.blocks) degrees[Math.min(2, degree(graph, b))]++;
  for (const b of f.blocks) degrees[Math.min(2, degree(graph, b))]--;
  if (degrees.some((d) => d !== 0)) return null;

  const { tables } = graph;
  const inT = tables.lend();
  const inF = tables.lend();
  for (const b of t.blocks) inT[b] = 1;
  for (const b of f.blocks) inF[b] = 1;
  /** The partner of each T block and of each F block. Two tables, because the sets are disjoint or equal. */
  const toF = tables.lend();
  const toT = tables.lend();
  /**
   * The T blocks in the order they were reached. When the stack holds `k` choices, the first `k` blocks have been
   * processed.
   */
  const reached: BlockId[] = [t.entry];
  toF[t.entry] = f.entry;
  toT[f.entry] = t.entry;
  /**
   * Per processed block: the order of its successors (0 same, 1 swapped), and how many blocks were reached before it.
   */
  const choice: number[] = [];
  const mark: number[] = [];
  let best: CorrespondingBlocks[] | null = null;
  let bestScore = -1;

  const undoTo = (count: number): void => {
    while (reached.length > count) {
      const b = reached.pop()!;
      toT[toF[b]!] = NONE;
      toF[b] = NONE;
    }
  };
  /**
   * Matches the successors of the next block in the given order. If that fails, it leaves nothing behind and returns
   * false.
   */
  const tryOrder = (order: number): boolean => {
    const a = reached[choice.length]!;
    const b = toF[a]! as BlockId;
    const count = degree(graph, a);
    const before = reached.length;
    let fits = count === degree(graph, b) && count >= 1 && count <= 2 && order < count;
    // Two equal successors have only one order.
    if (order === 1 && graph.succ[graph.succStart[a]!] === graph.succ[graph.succStart[a]! + 1]) fits = false;
    for (let slot = 0; fits && slot < count; slot++) {
      const x = graph.succ[graph.succStart[a]! + slot]! as BlockId;
      const y = graph.succ[graph.succStart[b]! + (order === 1 ? 1 - slot : slot)]! as BlockId;
      if (inT[x] === NONE || inF[y] === NONE) fits = inT[x] === inF[y];
      else if (toF[x] === NONE && toT[y] === NONE) {
        toF[x] = y;
        toT[y] = x;
        reached.push(x);
      } else fits = toF[x] === y;
    }
    if (!fits) {
      undoTo(before);
      return false;
    }
    choice.push(order);
    mark.push(before);
    return true;
  };

  let order = 0;
  for (let steps = 0; steps < MOST_STEPS; steps++) {
    if (choice.length < reached.length && order <= 1) {
      if (tryOrder(order)) order = 0;
      else order++;
      continue;
    }
    if (choice.length === reached.length && reached.length === size) {
      let sum = 0;
      for (const b of reached) sum += score(b, toF[b]! as BlockId);
      if (sum > bestScore) {
        bestScore = sum;
        best = reached.map((b, k) => ({ t: b, f: toF[b]! as BlockId, swapped: choice[k] === 1 }));
      }
    }
    if (choice.length === 0) break;
    order = choice.pop()! + 1;
    undoTo(mark.pop()!);
  }
  for (const table of [inT, toF]) tables.takeBack(table, t.blocks);
  for (const table of [inF, toT]) tables.takeBack(table, f.blocks);
  return best;
}

const degree = (graph: Graph, b: BlockId): number => graph.succStart[b + 1]! - graph.succStart[b]!;

/** Most subgraphs are one block: both loop, or leave, by corresponding successors. */
function ofSingleBlocks(graph: Graph, t: BlockId, f: BlockId): CorrespondingBlocks[] | null {
  const count = degree(graph, t);
  if (count !== degree(graph, f) || count < 1 || count > 2) return null;
  const [atT, atF] = [graph.succStart[t]!, graph.succStart[f]!];
  const loops = (slot: number, other: number): boolean =>
    (graph.succ[atT + slot] === t) === (graph.succ[atF + other] === f);
  if (count === 1) return loops(0, 0) ? [{ t, f, swapped: false }] : null;
  if (loops(0, 0) && loops(1, 1)) return [{ t, f, swapped: false }];
  const mayCross = graph.succ[atT] !== graph.succ[atT + 1];
  return mayCross && loops(0, 1) && loops(1, 0) ? [{ t, f, swapped: true }] : null;
}

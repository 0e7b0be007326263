/**
 * Cycles of a control-flow graph, including irreducible ones. Equal to LLVM 23's `CycleInfo`.
 *
 * A cycle is a header together with those of its descendants in a depth-first tree that are strongly connected with it
 * (LLVM's docs/CycleTerminology.rst). The nesting is that of P. Havlak, "Nesting of Reducible and Irreducible Loops",
 * TOPLAS 19(4), 1997. Which blocks become headers of irreducible cycles depends on the tree. So the walk is LLVM's: it
 * takes successors from last to first. Headers are tried in reverse preorder, so that inner cycles exist before the
 * cycles around them.
 *
 * Invariants: the header is the first entry and the first block. Ids of cycles grow outwards (`parent[c] > c`).
 * Unreachable blocks are in no cycle, and as predecessors they do not make a block an entry.
 *
 * The order of `blocks`, `exits` and further `entries` also depends on the order of predecessors. In LLVM that is the
 * order of the use list. We take reverse layout order, which is what LLVM has for a module just read. The contents of
 * the lists do not depend on it.
 */
import { DarmError } from '../errors.js';
import type { BlockId } from '../ir/ids.js';
import { NONE } from '../ir/ids.js';
import type { Graph } from './graph.js';

export type CycleId = number & { readonly __brand: 'CycleId' };

/** What `cycles` finds. The first three are per cycle. */
interface CycleParts {
  readonly header: Int32Array;
  readonly parent: Int32Array;
  readonly nesting: Nesting;
  /** Per block: the innermost cycle around it, or `NONE`. */
  readonly innermost: Int32Array;
  readonly blockLists: Lists;
  readonly entryLists: Lists;
  readonly exitLists: Lists;
}

export class CycleInfo {
  readonly count: number;
  /** Header block per cycle. */
  readonly header: Int32Array;
  /** The cycle around each cycle, or `NONE`. */
  readonly parent: Int32Array;
  /** Per cycle: 1 for outermost cycles. */
  readonly depth: Int32Array;
  private readonly innermost: Int32Array;
  private readonly blockLists: Lists;
  private readonly entryLists: Lists;
  private readonly exitLists: Lists;
  private readonly first: Int32Array;
  private readonly end: Int32Array;

  /** @internal use `cycles` */
  constructor({ header, parent, nesting, innermost, blockLists, entryLists, exitLists }: CycleParts) {
    this.count = header.length;
    this.header = header;
    this.parent = parent;
    this.depth = nesting.depth;
    this.innermost = innermost;
    this.blockLists = blockLists;
    this.entryLists = entryLists;
    this.exitLists = exitLists;
    this.first = nesting.first;
    this.end = nesting.end;
  }

  /** The innermost cycle around the block, or `NONE`. */
  cycleOf(b: BlockId): CycleId {
    return this.innermost[b] as CycleId;
  }

  /** How many cycles are around the block. */
  depthOf(b: BlockId): number {
    return this.innermost[b] === NONE ? 0 : this.depth[this.innermost[b]];
  }

  contains(c: CycleId, b: BlockId): boolean {
    return this.innermost[b] !== NONE && this.containsCycle(c, this.cycleOf(b));
  }

  /** Reflexive: a cycle contains itself. */
  containsCycle(outer: CycleId, inner: CycleId): boolean {
    return this.first[outer] <= this.first[inner] && this.first[inner] < this.end[outer];
  }

  /** Whether the cycle has one entry only, as natural loops have. */
  isReducible(c: CycleId): boolean {
    return this.entries(c).length === 1;
  }

  /** The blocks of the cycle and of the cycles inside, header first. A view, like the two below: do not write to it. */
  blocks(c: CycleId): Int32Array {
    return listOf(this.blockLists, c);
  }

  /** The blocks with a reachable predecessor outside, header first. */
  entries(c: CycleId): Int32Array {
    return listOf(this.entryLists, c);
  }

  /** The blocks outside that follow a block inside, each once. */
  exits(c: CycleId): Int32Array {
    return listOf(this.exitLists, c);
  }
}

interface Lists {
  readonly start: Int32Array;
  readonly items: Int32Array;
}

const listOf = (lists: Lists, i: number): Int32Array => lists.items.subarray(lists.start[i], lists.start[i + 1]);

/**
 * Every cycle lists the blocks of those inside. Thousands of loops in each other would be more than fits into memory.
 */
const MOST_LISTED = 1 << 24;

/** @throws DarmError `compile-failed` for cycles that are nested too deeply */
export function cycles(g: Graph): CycleInfo {
  const { start, last, preorder } = numberBackToFront(g);
  /** Whether `a` is `b` or an ancestor of it in the depth-first tree. False when `b` is unreachable. */
  const above = (a: number, b: number): boolean => start[a] <= start[b] && last[b] <= last[a];

  const innermost = new Int32Array(g.count).fill(NONE);
  const header: number[] = [];
  const parent: number[] = [];
  /** Per cycle: some cycle around it, to find the outermost one fast (path halving). */
  const around: number[] = [];
  const outermost = (c: number): number => {
    while (around[c] !== c) c = around[c] = around[around[c]];
    return c;
  };
  // Only the newest cycle grows, so the lists of all cycles can follow each other in one array.
  /** The blocks of each cycle, where those of a cycle `c` inside are one item, `-1 - c`. */
  const held: number[] = [];
  /** Number of blocks per cycle, and of all cycles. */
  const size: number[] = [];
  let listed = 0;
  const entries: number[] = [];
  const entryStart: number[] = [];
  const worklist: number[] = [];

  for (let i = preorder.length - 1; i >= 0; i--) {
    const candidate = preorder[i];
    for (let e = g.predStart[candidate + 1] - 1; e >= g.predStart[candidate]; e--)
      if (above(candidate, g.pred[e])) worklist.push(g.pred[e]);
    if (worklist.length === 0) continue;

    const cycle = header.push(candidate) - 1;
    parent.push(NONE);
    around.push(cycle);
    entryStart.push(entries.length);
    size.push(0);
    const hold = (item: number, blocks: number): void => {
      held.push(item);
      size[cycle] += blocks;
      listed += blocks;
      if (listed > MOST_LISTED) throw new DarmError('compile-failed', 'loops are nested too deeply');
    };
    hold(candidate, 1);
    entries.push(candidate);
    innermost[candidate] = cycle;
    /** Puts what leads to `block` into the worklist, or finds that `block` is a further entry. */
    const followPredecessors = (block: number): void => {
      let isEntry = false;
      for (let e = g.predStart[block + 1] - 1; e >= g.predStart[block]; e--) {
        const pred = g.pred[e];
        if (above(candidate, pred)) worklist.push(pred);
        else if (start[pred] !== 0) isEntry = true;
      }
      if (isEntry) entries.push(block);
    };
    for (let block = worklist.pop(); block !== undefined; block = worklist.pop()) {
      if (innermost[block] === NONE) {
        innermost[block] = cycle;
        hold(block, 1);
        followPredecessors(block);
        continue;
      }
      const child = outermost(innermost[block]);
      if (child === cycle) continue;
      parent[child] = around[child] = cycle;
      hold(-1 - child, size[child]);
      const endOfEntries = entryStart[child + 1];
      for (let k = entryStart[child]; k < endOfEntries; k++) followPredecessors(entries[k]);
    }
  }
  entryStart.push(entries.length);

  const parents = Int32Array.from(parent);
  const blockLists = listBlocks(held, size);
  const entryLists = { start: Int32Array.from(entryStart), items: Int32Array.from(entries) };
  const nest = nestingOf(parents);
  const exitLists = findExits(g, blockLists, innermost, nest);
  return new CycleInfo({
    header: Int32Array.from(header),
    parent: parents,
    nesting: nest,
    innermost,
    blockLists,
    entryLists,
    exitLists,
  });
}

/** Writes the list of every cycle out. Cycles inside come first, so their lists are there to be copied. */
function listBlocks(held: readonly number[], size: readonly number[]): Lists {
  const start = new Int32Array(size.length + 1);
  for (const [c, blocks] of size.entries()) start[c + 1] = start[c] + blocks;
  const items = new Int32Array(start[size.length]);
  let at = 0;
  for (const item of held) {
    if (item >= 0) items[at++] = item;
    else {
      const child = -1 - item;
      items.copyWithin(at, start[child], start[child + 1]);
      at += size[child];
    }
  }
  return { start, items };
}

/** Depth-first numbers from 1 (0 means unreachable), the last number below each block, and the blocks in preorder. */
function numberBackToFront(g: Graph): { start: Int32Array; last: Int32Array; preorder: Int32Array } {
  const start = new Int32Array(g.count);
  const last = new Int32Array(g.count);
  const preorder = new Int32Array(g.count);
  if (g.count === 0) return { start, last, preorder };
  const next = g.succStart.slice(1);
  const stack = new Int32Array(g.count);
  let depth = 0;
  let reached = 0;
  const open = (b: number): void => {
    preorder[reached++] = b;
    start[b] = reached;
    stack[depth++] = b;
  };
  open(g.entry);
  while (depth > 0) {
    const b = stack[depth - 1];
    if (next[b] === g.succStart[b]) {
      last[b] = reached;
      depth--;
      continue;
    }
    const to = g.succ[--next[b]];
    if (start[to] === 0) open(to);
  }
  return { start, last, preorder: preorder.slice(0, reached) };
}

interface Nesting {
  readonly depth: Int32Array;
  /** Preorder interval of the cycle's subtree: `[first, end)`. */
  readonly first: Int32Array;
  readonly end: Int32Array;
}

/** Depths and preorder intervals of the forest of cycles. Parents have greater ids than children. */
function nestingOf(parent: Int32Array): Nesting {
  const count = parent.length;
  const size = new Int32Array(count).fill(1);
  for (let c = 0; c < count; c++) if (parent[c] !== NONE) size[parent[c]] += size[c];
  const depth = new Int32Array(count);
  const first = new Int32Array(count);
  const free = new Int32Array(count);
  let top = 0;
  for (let c = count - 1; c >= 0; c--) {
    const p = parent[c];
    depth[c] = p === NONE ? 1 : depth[p] + 1;
    first[c] = p === NONE ? top : free[p];
    if (p === NONE) top += size[c];
    else free[p] += size[c];
    free[c] = first[c] + 1;
  }
  return { depth, first, end: first.map((at, c) => at + size[c]) };
}

function findExits(g: Graph, blockLists: Lists, innermost: Int32Array, nest: Nesting): Lists {
  const count = nest.depth.length;
  const start = new Int32Array(count + 1);
  const items: number[] = [];
  const stamp = new Int32Array(g.count).fill(NONE);
  for (let c = 0; c < count; c++) {
    for (const b of listOf(blockLists, c)) {
      for (let e = g.succStart[b]; e < g.succStart[b + 1]; e++) {
        const to = g.succ[e];
        const inner = innermost[to];
        const inside = inner !== NONE && nest.first[c] <= nest.first[inner] && nest.first[inner] < nest.end[c];
        if (inside || stamp[to] === c) continue;
        stamp[to] = c;
        items.push(to);
      }
    }
    start[c + 1] = items.length;
  }
  return { start, items: Int32Array.from(items) };
}

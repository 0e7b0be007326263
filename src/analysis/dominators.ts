/**
 * Dominator and post-dominator trees, equal to LLVM 23's `DominatorTree` and `PostDominatorTree`.
 *
 * Both use the Semi-NCA algorithm of Georgiadis and Tarjan (L. Georgiadis, "Linear-Time Algorithms for Dominators and
 * Related Problems", PhD thesis, Princeton 2005, chapter 3). Semidominators are an idea of Lengauer and Tarjan (1979).
 * Post-dominators are the dominators of the reversed graph, from a virtual exit.
 *
 * The predecessors of the virtual exit are called roots. They follow LLVM. Every block without successors is one. Then
 * come the blocks of infinite loops, from which no such block can be reached, in layout order: for each of them, the
 * root is the last block in preorder of a forward depth-first walk that first takes the successor that is last in
 * layout. A root from which another root can be reached is dropped again.
 *
 * Unreachable blocks are treated as in LLVM. In a dominator tree they have no node, every block dominates them, and
 * they dominate only other unreachable blocks. In a post-dominator tree every block has a node.
 */
import type { BlockId } from '../ir/ids.js';
import { NONE } from '../ir/ids.js';
import type { Graph } from './graph.js';
import { reversed } from './graph.js';

export class DominatorTree {
  /**
   * @param idom immediate dominator per block; `NONE` for the root, for children of the virtual exit and for
   * unreachable blocks
   * @param first number per block in preorder of the tree; `NONE` for blocks without a node
   * @param end one more than the last number in the block's subtree
   */
  constructor(
    readonly idom: Int32Array,
    private readonly first: Int32Array,
    private readonly end: Int32Array,
  ) {}

  /** Whether the block has a node in the tree. */
  isReachable(b: BlockId): boolean {
    return this.first[b] !== NONE;
  }

  /** Reflexive: a block dominates itself. Takes O(1) time. */
  dominates(a: BlockId, b: BlockId): boolean {
    if (a === b || this.first[b] === NONE) return true;
    return this.first[a] !== NONE && this.first[a] <= this.first[b] && this.first[b] < this.end[a];
  }

  properlyDominates(a: BlockId, b: BlockId): boolean {
    return a !== b && this.dominates(a, b);
  }
}

export function dominators(g: Graph): DominatorTree {
  return treeOf(g, 0);
}

export function postDominators(g: Graph): DominatorTree {
  return treeOf(reversed(g, postDominatorRoots(g)), 1);
}

/** The predecessors of the virtual exit as LLVM chooses them, in LLVM's order. */
export function postDominatorRoots(g: Graph): Int32Array {
  const roots: number[] = [];
  const seen = new Uint8Array(g.count);
  const stack: number[] = [];
  const markBackwards = (root: number): void => {
    stack.push(root);
    seen[root] = 1;
    for (let b = stack.pop(); b !== undefined; b = stack.pop()) {
      for (let e = g.predStart[b]; e < g.predStart[b + 1]; e++) {
        const pred = g.pred[e];
        if (seen[pred] === 1) continue;
        seen[pred] = 1;
        stack.push(pred);
      }
    }
  };
  for (let b = 0; b < g.count; b++) {
    if (g.succStart[b] !== g.succStart[b + 1]) continue;
    roots.push(b);
    markBackwards(b);
  }
  const trivial = roots.length;
  const visit = new Int32Array(g.count);
  for (let b = 0; b < g.count; b++) {
    if (seen[b] === 1) continue;
    const furthest = lastInPreorder(g, b, visit, b + 1);
    roots.push(furthest);
    markBackwards(furthest);
  }
  if (roots.length > trivial) dropRedundantRoots(g, roots, trivial);
  return Int32Array.from(roots);
}

/**
 * The block that a depth-first walk from `start` reaches last, if it takes later blocks first. `stamp` marks visits in
 * `visit`.
 */
function lastInPreorder(g: Graph, start: number, visit: Int32Array, stamp: number): number {
  const stack = [start];
  let last = start;
  for (let b = stack.pop(); b !== undefined; b = stack.pop()) {
    if (visit[b] === stamp) continue;
    visit[b] = stamp;
    last = b;
    for (const to of g.succ.slice(g.succStart[b], g.succStart[b + 1]).sort()) stack.push(to);
  }
  return last;
}

/**
 * Drops each non-trivial root from which another root can be reached. The last root takes the place of a dropped one.
 */
function dropRedundantRoots(g: Graph, roots: number[], trivial: number): void {
  const isRoot = new Uint8Array(g.count);
  for (const root of roots) isRoot[root] = 1;
  const visit = new Int32Array(g.count);
  let stamp = 0;
  const reachesAnother = (root: number): boolean => {
    visit[root] = ++stamp;
    const stack = [root];
    for (let b = stack.pop(); b !== undefined; b = stack.pop()) {
      for (let e = g.succStart[b]; e < g.succStart[b + 1]; e++) {
        const to = g.succ[e];
        if (visit[to] === stamp) continue;
        if (isRoot[to] === 1) return true;
        visit[to] = stamp;
        stack.push(to);
      }
    }
    return false;
  };
  for (let i = trivial; i < roots.length;) {
    if (!reachesAnother(roots[i])) {
      i++;
      continue;
    }
    isRoot[roots[i]] = 0;
    const last = roots.pop()!;
    if (i < roots.length) roots[i] = last;
  }
}

/** Semi-NCA from the entry of `g`. With `virtual` 1, the entry is the last node of `g` and left out of the result. */
function treeOf(g: Graph, virtual: 0 | 1): DominatorTree {
  const count = g.count - virtual;
  // Depth-first preorder. From here on, nodes are their preorder numbers. `vertex` leads back to blocks.
  const number = new Int32Array(g.count).fill(NONE);
  const vertex = new Int32Array(g.count);
  const parent = new Int32Array(g.count);
  const reached = g.count === 0 ? 0 : numberDepthFirst(g, number, vertex, parent);

  const idom = parent.slice();
  const semi = new Int32Array(reached);
  const label = new Int32Array(reached);
  for (let v = 0; v < reached; v++) semi[v] = label[v] = v;
  // `parent` is also the link to the ancestor in the virtual forest. Nodes above w are linked when w is processed.
  const forest: Forest = { ancestor: parent, label, semi, path: new Int32Array(reached) };
  for (let w = reached - 1; w > 0; w--) {
    let least = idom[w];
    const block = vertex[w];
    for (let e = g.predStart[block]; e < g.predStart[block + 1]; e++) {
      const v = number[g.pred[e]];
      if (v === NONE) continue;
      least = Math.min(least, v <= w ? v : semi[bestLabel(v, w, forest)]);
    }
    semi[w] = least;
  }
  // The immediate dominator is the nearest common ancestor of the semidominator and the parent.
  for (let w = 1; w < reached; w++) while (idom[w] > semi[w]) idom[w] = idom[idom[w]];

  return asTree(count, virtual, reached, vertex, idom);
}

function numberDepthFirst(g: Graph, number: Int32Array, vertex: Int32Array, parent: Int32Array): number {
  const next = g.succStart.slice(0, g.count);
  const stack = new Int32Array(g.count);
  let depth = 0;
  let reached = 0;
  number[g.entry] = reached;
  vertex[reached++] = g.entry;
  stack[depth++] = g.entry;
  while (depth > 0) {
    const b = stack[depth - 1];
    if (next[b] === g.succStart[b + 1]) {
      depth--;
      continue;
    }
    const to = g.succ[next[b]++];
    if (number[to] !== NONE) continue;
    parent[reached] = number[b];
    number[to] = reached;
    vertex[reached++] = to;
    stack[depth++] = to;
  }
  return reached;
}

/** The virtual forest of Lengauer and Tarjan. All arrays are by depth-first number. */
interface Forest {
  readonly ancestor: Int32Array;
  readonly label: Int32Array;
  readonly semi: Int32Array;
  /** Scratch of `bestLabel`. */
  readonly path: Int32Array;
}

/**
 * Lengauer and Tarjan's EVAL with path compression: the node with the least semidominator on the linked path from `v`
 * up to `w`.
 */
function bestLabel(v: number, w: number, { ancestor, label, semi, path }: Forest): number {
  let length = 0;
  let u = v;
  for (; ancestor[u] > w; u = ancestor[u]) path[length++] = u;
  let top = u;
  while (length > 0) {
    u = path[--length];
    if (semi[label[top]] < semi[label[u]]) label[u] = label[top];
    ancestor[u] = ancestor[top];
    top = u;
  }
  return label[v];
}

/** Turns immediate dominators by depth-first number into blocks, and adds the preorder intervals of the tree. */
function asTree(count: number, virtual: 0 | 1, reached: number, vertex: Int32Array, idom: Int32Array): DominatorTree {
  const size = new Int32Array(reached).fill(1);
  for (let v = reached - 1; v > 0; v--) size[idom[v]] += size[v];
  const place = new Int32Array(reached);
  const free = new Int32Array(reached);
  if (reached > 0) free[0] = 1;
  for (let v = 1; v < reached; v++) {
    place[v] = free[idom[v]];
    free[idom[v]] += size[v];
    free[v] = place[v] + 1;
  }
  const blockIdom = new Int32Array(count).fill(NONE);
  const first = new Int32Array(count).fill(NONE);
  const end = new Int32Array(count);
  for (let v = virtual; v < reached; v++) {
    const b = vertex[v];
    first[b] = place[v] - virtual;
    end[b] = first[b] + size[v];
    if (v > 0 && (virtual === 0 || idom[v] > 0)) blockIdom[b] = vertex[idom[v]];
  }
  return new DominatorTree(blockIdom, first, end);
}

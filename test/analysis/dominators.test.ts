import fc from 'fast-check';
import { dominators, postDominatorRoots, postDominators } from '../../src/analysis/dominators.js';
import type { Graph } from '../../src/analysis/graph.js';
import { cfgOf } from '../../src/analysis/graph.js';
import type { BlockId } from '../../src/ir/ids.js';
import { NONE } from '../../src/ir/ids.js';
import { graphSnapshot } from '../support/snapshot-builder.js';
import { assert, suite } from '../support/suite.js';
import type { Successors } from './random-program.js';
import { arbitraryCfg } from './random-program.js';
import { reachableFrom } from './reachable.js';

const test = suite('analysis/dominators', { tests: 7 });
const graph = (successors: Successors): Graph => cfgOf(graphSnapshot(successors).f);
const blocks = (g: Graph): BlockId[] => Array.from({ length: g.count }, (_, b) => b as BlockId);

/** By definition: if `a` is removed, the entry does not reach `b`. */
function dominatesByRemoval(g: Graph, a: BlockId, b: BlockId): boolean {
  if (reachableFrom(g, g.entry)[b] === 0) return true;
  if (a === b || a === g.entry) return true;
  return reachableFrom(g, g.entry, a)[b] === 0;
}

/** By definition: if `a` is removed, `b` reaches no root. */
function postDominatesByRemoval(g: Graph, roots: readonly number[], a: BlockId, b: BlockId): boolean {
  if (a === b) return true;
  const reached = reachableFrom(g, b, a);
  return !roots.some((root) => reached[root] === 1);
}

test('dominators of an annotated graph', () => {
  // Lengauer and Tarjan's example (1979, figure 1), R = 0 and A … L = 1 … 12.
  const [R, A, B, C, D, E, F, G, H, I, J, K, L] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
  const g = graph([[A, B, C], [D], [A, D, E], [F, G], [L], [H], [I], [I, J], [E, K], [K], [I], [I, R], [H]]);
  const dom = dominators(g);
  assert.equal([...dom.idom], [NONE, R, R, R, R, R, C, C, R, R, G, R, D]);
  assert.equal(
    blocks(g).filter((b) => dom.dominates(C as BlockId, b)),
    [C, F, G, J],
  );
});

test('unreachable blocks are dominated by everything and dominate nothing reachable', () => {
  const dom = dominators(graph([[1], [], [1]]));
  assert.not(dom.isReachable(2 as BlockId));
  assert.ok(dom.dominates(1 as BlockId, 2 as BlockId));
  assert.not(dom.dominates(2 as BlockId, 1 as BlockId));
  assert.ok(dom.properlyDominates(1 as BlockId, 2 as BlockId));
  assert.is(dom.idom[2], NONE);
  assert.is(dom.idom[1], 0);
});

test('dominators agree with removing nodes', () => {
  fc.assert(
    fc.property(arbitraryCfg({ maxBlocks: 14 }), (successors) => {
      const g = graph(successors);
      const dom = dominators(g);
      for (const a of blocks(g)) {
        if (!dom.isReachable(a)) continue;
        for (const b of blocks(g)) assert.is(dom.dominates(a, b), dominatesByRemoval(g, a, b), `${a} dominates ${b}`);
        const strict = blocks(g).filter((d) => dom.isReachable(d) && d !== a && dominatesByRemoval(g, d, a));
        const nearest = strict.find((d) => strict.every((other) => dominatesByRemoval(g, other, d))) ?? NONE;
        assert.is(dom.idom[a], nearest, `idom of ${a}`);
      }
    }),
    { numRuns: 300 },
  );
});

test('post-dominators of an annotated graph with two exits', () => {
  //     0 → 1 | 2, 1 → 3, 2 → 3 | 4, 3 returns, 4 returns
  const g = graph([[1, 2], [3], [3, 4], [], []]);
  const post = postDominators(g);
  assert.equal([...postDominatorRoots(g)], [3, 4]);
  assert.equal([...post.idom], [NONE, 3, NONE, NONE, NONE]);
});

test('the roots of endless loops are LLVM’s', () => {
  // From LLVM 22.1.8, opt -passes='print<postdomtree>'. One endless loop beside an exit. Its root is the block at which
  // a walk from 2 ends.
  const g = graph([[1, 2], [], [3, 4], [2], [2]]);
  assert.equal([...postDominatorRoots(g)], [1, 3]);
  assert.equal([...postDominators(g).idom], [NONE, NONE, 3, NONE, 2]);
  // An endless loop that leads to another one: only the last one stays. Unreachable endless loops count, too.
  assert.equal([...postDominatorRoots(graph([[1], [1, 2], [2], [3]]))], [2, 3]);
  assert.equal([...postDominatorRoots(graph([[1], [1]]))], [1]);
});

test('post-dominators agree with removing nodes, given the roots', () => {
  fc.assert(
    fc.property(arbitraryCfg({ maxBlocks: 14 }), (successors) => {
      const g = graph(successors);
      const post = postDominators(g);
      const roots = [...postDominatorRoots(g)];
      for (const a of blocks(g)) {
        assert.ok(post.isReachable(a), `${a} has a node`);
        for (const b of blocks(g))
          assert.is(post.dominates(a, b), postDominatesByRemoval(g, roots, a, b), `${a} post-dominates ${b}`);
      }
    }),
    { numRuns: 300 },
  );
});

test('roots: all exits, none reachable from another, every block reaches one', () => {
  fc.assert(
    fc.property(arbitraryCfg({ maxBlocks: 14 }), (successors) => {
      const g = graph(successors);
      const roots = [...postDominatorRoots(g)];
      successors.forEach((to, b) => assert.ok(to.length > 0 || roots.includes(b)));
      for (const b of blocks(g)) assert.ok(roots.some((root) => reachableFrom(g, b)[root] === 1));
      for (const root of roots)
        assert.not(roots.some((other) => other !== root && reachableFrom(g, root as BlockId)[other] === 1));
    }),
    { numRuns: 300 },
  );
});

test.run();

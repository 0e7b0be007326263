import fc from 'fast-check';
import { dominators, postDominators } from '../../src/analysis/dominators.js';
import { cfgOf, positionsIn, reversePostOrder } from '../../src/analysis/graph.js';
import { joinedRegionOf, regionOf, sharedSuccessors } from '../../src/analysis/regions.js';
import type { RegionInputs, SideChain } from '../../src/analysis/regions.js';
import type { BlockId } from '../../src/ir/ids.js';
import { graphSnapshot } from '../support/snapshot-builder.js';
import { assert, suite } from '../support/suite.js';
import { reachableFrom } from './reachable.js';

const test = suite('analysis/regions', { tests: 14 });

function inputsOf(successors: readonly (readonly number[])[]): RegionInputs {
  const graph = cfgOf(graphSnapshot(successors).f);
  return {
    graph,
    dominators: dominators(graph),
    postDominators: postDominators(graph),
    order: positionsIn(reversePostOrder(graph), graph.count),
  };
}
const at = (successors: readonly (readonly number[])[], branch = 0) =>
  regionOf(inputsOf(successors), branch as BlockId);
function region(successors: readonly (readonly number[])[], branch = 0) {
  const found = at(successors, branch);
  if (found.kind === 'refused') throw new Error(found.problem);
  return found;
}
const shape = (c: SideChain): unknown => c.subgraphs.map((s) => [...s.blocks, '→', s.exit]);

test('a diamond: one block on each side', () => {
  const r = region([[1, 2], [3], [3], []]);
  assert.equal([r.join, shape(r.t), shape(r.f)], [3, [[1, '→', 3]], [[2, '→', 3]]]);
});

test('an if-then has a side that is the join', () => {
  assert.equal(at([[1, 2], [2], []]), {
    kind: 'refused',
    branch: 0,
    problem: 'one-sided',
  });
});

test('a join that heads the enclosing loop', () => {
  // 1 is the header, 2 branches to 3 and 4, both latches.
  const r = at([[1], [2, 5], [3, 4], [1], [1], []], 2);
  assert.is(r.kind === 'refused' && r.problem, 'join-heads-loop');
});

test('several subgraphs: block, if-then with a block behind, loop', () => {
  //  1; 2→{3,4} 3→4; 4→5; 5 rotated loop 5→{5,9} | 6→9
  const r = region([[1, 6], [2], [3, 4], [4], [5], [5, 9], [9], [], [], []]);
  assert.equal(shape(r.t), [
    [1, '→', 2],
    [2, 3, '→', 4],
    [4, '→', 5],
    [5, '→', 9],
  ]);
  assert.equal(
    r.t.subgraphs.map((s) => r.t.blocks.slice(0, s.place)),
    [[], [1], [1, 2, 3], [1, 2, 3, 4]],
  );
});

test('a loop of two blocks is one subgraph', () => {
  const r = region([[1, 3], [2], [1, 4], [4], []]);
  assert.equal(shape(r.t), [[1, 2, '→', 4]]);
});

test('short-circuit code: the second side is entered twice', () => {
  // if (a || b) X else Y: 0→{2,1}, 1→{2,3}
  const r = region([[2, 1], [2, 3], [4], [4], []]);
  assert.is(r.t.edgeDominated, false);
  assert.equal(shape(r.t), []);
  assert.is(r.f.open, 1);
});

test('rule 1.8: both open blocks lead to the same two blocks', () => {
  const straight = inputsOf([[1, 2], [3, 4], [3, 4], [4], []]);
  const r = regionOf(straight, 0 as BlockId);
  assert.equal(r.kind === 'region' && sharedSuccessors(straight.graph, r), { swapped: false });
  const swapped = inputsOf([[1, 2], [3, 4], [4, 3], [4], []]);
  const s = regionOf(swapped, 0 as BlockId);
  assert.equal(s.kind === 'region' && sharedSuccessors(swapped.graph, s), { swapped: true });
});

test('rule 1.8 behind a subgraph', () => {
  const inputs = inputsOf([[1, 2], [5], [3, 4], [4], [], [3, 4]]);
  const r = regionOf(inputs, 0 as BlockId);
  if (r.kind === 'refused') throw new Error(r.problem);
  assert.equal([shape(r.t), r.t.open, r.f.open, [...r.t.blocks]], [[[1, '→', 5]], 5, 2, [1]]);
  assert.equal(sharedSuccessors(inputs.graph, r), { swapped: false });
});

/** Both sides of a region with several entry edges, and what lies in front of them; null if there is none. */
function joined(successors: readonly (readonly number[])[], branch = 0): unknown {
  const found = joinedRegionOf(inputsOf(successors), region(successors, branch));
  return found && [shape(found.t), shape(found.f), found.front!.toSorted((a, b) => a - b)];
}

test('rule 1.3: sides with several entry edges', () => {
  // if (a || b) 2 else 3
  assert.equal(joined([[2, 1], [2, 3], [4], [4], []]), [[[2, '→', 4]], [[3, '→', 4]], [1]]);
  // if (a && b) 3 else 2: the side that is T is that of the true successor of a branch to both.
  assert.equal(joined([[1, 2], [3, 2], [4], [4], []]), [[[3, '→', 4]], [[2, '→', 4]], [1]]);
  // A merge step: left && (!right || less), with a block on the way of !left.
  assert.equal(joined([[1, 2], [3, 4], [5], [4, 5], [6], [6], []]), [[[4, '→', 6]], [[5, '→', 6]], [1, 2, 3]]);
  // A loop in front, and chains of two subgraphs behind.
  assert.equal(joined([[1, 4], [1, 2], [3, 4], [7], [5], [8], [], [8], []]), [
    [
      [3, '→', 7],
      [7, '→', 8],
    ],
    [
      [4, '→', 5],
      [5, '→', 8],
    ],
    [1, 2],
  ]);
});

test('rule 1.3: every way leads through one of both sides, and through no more', () => {
  // A third way around both.
  assert.is(joined([[1, 2], [3, 4], [4, 5], [6], [6], [6], []]), null);
  // One side goes on to the other.
  assert.is(joined([[2, 1], [2, 3], [3, 4], [4], []]), null);
});

test('rule 1.3: a branch behind which both sides are entered from elsewhere, too', () => {
  const successors = [[1, 2], [3, 4], [5], [4, 5], [6], [6], []];
  assert.is(joined(successors, 1), null);
});

test('rule 1.3: a side that leads back to the front', () => {
  // 3 leads back to 2.
  assert.is(joined([[1], [2, 4], [3, 4], [2, 5], [5], []], 1), null);
});

test('irreducible control flow between branch and join', () => {
  const r = at([[1, 2], [3, 4], [6], [4, 5], [3], [6], []]);
  assert.is(r.kind === 'refused' && r.problem, 'irreducible');
});

/** Random graphs: every subgraph must have the properties that the header of regions.ts states. */
test('subgraphs are what they claim to be', () => {
  // Mostly forward edges, and sometimes an edge to anywhere, so that there are loops and entries from elsewhere.
  const edge = fc.oneof(
    { weight: 9, arbitrary: fc.record({ ahead: fc.integer({ min: 1, max: 4 }) }) },
    { weight: 1, arbitrary: fc.record({ to: fc.nat(20) }) },
  );
  const graphs = fc.array(fc.array(edge, { minLength: 1, maxLength: 2 }), { minLength: 4, maxLength: 14 });
  let seen = 0;
  fc.assert(
    fc.property(graphs, (edges) => {
      const last = edges.length - 1;
      const withExit = edges.map((list, b) =>
        b === last ? [] : list.map((e) => ('ahead' in e ? Math.min(last, b + e.ahead) : 1 + (e.to % last))),
      );
      const inputs = inputsOf(withExit);
      const { graph } = inputs;
      withExit.forEach((s, branch) => {
        if (s.length !== 2 || inputs.order[branch] < 0) return;
        const r = regionOf(inputs, branch as BlockId);
        if (r.kind === 'refused') return;
        const all = new Set<number>();
        for (const [k, chain] of [r.t, r.f].entries()) {
          // If the edge is removed, nothing of the side can be reached.
          const cut = withExit.map((list, b) => (b === branch ? list.filter((_, i) => i !== k) : list));
          const reached = reachableFrom(cfgOf(graphSnapshot(cut).f), 0 as BlockId);
          for (const sub of chain.subgraphs) {
            seen++;
            const members = new Set<number>(sub.blocks);
            for (const b of sub.blocks) {
              assert.is(reached[b], 0, 'edge-dominated');
              assert.not(all.has(b), 'disjoint');
              all.add(b);
              for (let e = graph.succStart[b]; e < graph.succStart[b + 1]; e++)
                assert.ok(members.has(graph.succ[e]) || graph.succ[e] === sub.exit, 'one exit');
              for (let e = graph.predStart[b]; e < graph.predStart[b + 1]; e++)
                assert.ok(b === sub.entry || members.has(graph.pred[e]), 'one entry');
            }
            for (let e = graph.predStart[sub.entry]; e < graph.predStart[sub.entry + 1]; e++) {
              const p = graph.pred[e];
              assert.ok(
                members.has(p) || !inputs.dominators.dominates(sub.entry, p as BlockId),
                'no back edge from behind',
              );
            }
            assert.not(members.has(sub.exit));
          }
        }
      });
    }),
    { numRuns: 500 },
  );
  assert.ok(seen > 100, `only ${seen} subgraphs seen`);
});

test.run();

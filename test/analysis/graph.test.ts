import fc from 'fast-check';
import { cfgOf, positionsIn, reversed, reversePostOrder } from '../../src/analysis/graph.js';
import type { BlockId } from '../../src/ir/ids.js';
import { graphSnapshot } from '../support/snapshot-builder.js';
import { assert, suite } from '../support/suite.js';
import type { Successors } from './random-program.js';
import { arbitraryCfg } from './random-program.js';
import { reachableFrom } from './reachable.js';

const test = suite('analysis/graph', { tests: 4 });
const graph = (successors: Successors) => cfgOf(graphSnapshot(successors).f);

test('keeps duplicate edges in both directions', () => {
  const g = graph([[1, 1], [2, 1, 2], []]);
  assert.equal([...g.succ], [1, 1, 2, 1, 2]);
  assert.equal([...g.predStart], [0, 0, 3, 5]);
  assert.equal([...g.pred], [0, 0, 1, 1, 1]);
});

test('reverse post-order visits the first successor last', () => {
  //      0 → 1 → 3,  0 → 2 → 3,  4 unreachable
  assert.equal([...reversePostOrder(graph([[1, 2], [3], [3], [], [3]]))], [0, 2, 1, 3]);
  assert.equal([...reversePostOrder(graph([[]]))], [0]);
});

test('reverse post-order: every edge goes forwards unless it closes a cycle', () => {
  fc.assert(
    fc.property(arbitraryCfg({ maxBlocks: 14 }), (successors) => {
      const g = graph(successors);
      const position = positionsIn(reversePostOrder(g), g.count);
      const reachable = reachableFrom(g, g.entry);
      for (let b = 0; b < g.count; b++) {
        assert.is(position[b] !== -1, reachable[b] === 1);
        if (reachable[b] === 0) continue;
        for (const to of successors[b])
          assert.ok(position[b] < position[to] || reachableFrom(g, to as BlockId)[b] === 1, `edge ${b} → ${to}`);
      }
    }),
  );
});

test('the reversed graph has a virtual exit', () => {
  const r = reversed(graph([[1, 2], [3], [3], []]), Int32Array.of(3));
  assert.is(r.count, 5);
  assert.is(r.entry, 4 as BlockId);
  assert.equal([...r.succStart], [0, 0, 1, 2, 4, 5]);
  assert.equal([...r.succ], [0, 0, 1, 2, 3]);
  assert.equal([...r.pred.subarray(r.predStart[3], r.predStart[4])], [4]);
});

test.run();

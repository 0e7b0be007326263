import fc from 'fast-check';
import { cycles, type CycleId } from '../../src/analysis/cycles.js';
import { cfgOf } from '../../src/analysis/graph.js';
import { isReducible } from '../../src/analysis/reducible.js';
import { graphSnapshot } from '../support/snapshot-builder.js';
import { assert, suite } from '../support/suite.js';
import { arbitraryCfg, type Successors } from './random-program.js';

const test = suite('analysis/reducible', { tests: 2 });
const graph = (successors: Successors) => cfgOf(graphSnapshot(successors).f);

test('loops, in each other and with several back edges, are reducible; a loop with two entries is not', () => {
  assert.ok(isReducible(graph([[1], [1, 2], [3, 2], [1, 4], []])));
  assert.ok(isReducible(graph([[1], [2, 3], [1], [1, 4], []])));
  assert.not(isReducible(graph([[1, 2], [2], [1, 3], []])));
  // Block 3, through which the loop would have a second entry, is not reachable.
  assert.ok(isReducible(graph([[1], [2], [1, 4], [2], []])));
});

test('as the cycles of the graph say', () => {
  const seen = new Set<boolean>();
  fc.assert(
    fc.property(arbitraryCfg({ maxBlocks: 12 }), (successors) => {
      const g = graph(successors);
      const all = cycles(g);
      const expected = Array.from({ length: all.count }, (_, c) => all.isReducible(c as CycleId)).every(Boolean);
      assert.is(isReducible(g), expected);
      seen.add(expected);
    }),
  );
  assert.is(seen.size, 2);
});

test.run();

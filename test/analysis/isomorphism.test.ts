import fc from 'fast-check';
import { graphOf } from '../../src/analysis/graph.js';
import type { Graph } from '../../src/analysis/graph.js';
import { isomorphism } from '../../src/analysis/isomorphism.js';
import type { BlockId } from '../../src/ir/ids.js';
import { assert, suite } from '../support/suite.js';

const test = suite('analysis/isomorphism', { tests: 6 });

function graph(successors: readonly (readonly number[])[]): Graph {
  const start = new Int32Array(successors.length + 1);
  successors.forEach((s, i) => (start[i + 1] = start[i] + s.length));
  return graphOf(successors.length, 0 as BlockId, start, Int32Array.from(successors.flat()));
}
const set = (...blocks: number[]) => ({ entry: blocks[0] as BlockId, blocks: blocks as BlockId[] });
const flat = (): number => 1;

test('if-then against if-then, straight', () => {
  const g = graph([[1, 4], [2, 3], [3], [7], [5, 6], [6], [7], []]);
  assert.equal(isomorphism(g, set(1, 2, 3), set(4, 5, 6), flat), [
    { t: 1, f: 4, swapped: false },
    { t: 2, f: 5, swapped: false },
    { t: 3, f: 6, swapped: false },
  ]);
});

test('if-then against if-else: successors swapped', () => {
  const g = graph([[1, 4], [2, 3], [3], [7], [6, 5], [6], [7], []]);
  assert.equal(
    isomorphism(g, set(1, 2, 3), set(4, 5, 6), flat)?.map((p) => p.swapped),
    [true, false, false],
  );
});

test('a diamond takes the order with the better score', () => {
  const g = graph([[1, 5], [2, 3], [4], [4], [9], [6, 7], [8], [8], [9], []]);
  const t = set(1, 2, 3, 4);
  const f = set(5, 6, 7, 8);
  assert.is(isomorphism(g, t, f, flat)![0].swapped, false);
  assert.is(isomorphism(g, t, f, (a, b) => (a === 2 && b === 7 ? 5 : 0))![0].swapped, true);
});

test('a loop is no if-then', () => {
  const g = graph([[1, 4], [2, 3], [1], [7], [5, 6], [6], [7], []]);
  assert.is(isomorphism(g, set(1, 2, 3), set(4, 5, 6), flat), null);
});

test('exit edges pair with exit edges only', () => {
  // Rotated loop 1→{1, exit} against block 2→{exit, exit}.
  const g = graph([[1, 2], [1, 3], [3, 3], []]);
  assert.is(isomorphism(g, set(1), set(2), flat), null);
  const both = graph([[1, 2], [1, 3], [3, 2], []]);
  assert.equal(isomorphism(both, set(1), set(2), flat), [{ t: 1, f: 2, swapped: true }]);
});

/** A random subgraph of `n` blocks (the exit is block n), and a copy with renamed blocks and swapped successors. */
const twins = fc.integer({ min: 1, max: 7 }).chain((n) =>
  fc.record({
    n: fc.constant(n),
    succ: fc.array(fc.array(fc.nat(n), { minLength: 1, maxLength: 2 }), { minLength: n, maxLength: n }),
    flip: fc.array(fc.boolean(), { minLength: n, maxLength: n }),
    order: fc.shuffledSubarray(
      Array.from({ length: n - 1 }, (_, i) => i + 1),
      { minLength: n - 1 },
    ),
  }),
);

test('finds a renamed and flipped copy, both ways round', () => {
  fc.assert(
    fc.property(twins, ({ n, succ, flip, order }) => {
      const renamed = [0, ...order];
      // Blocks: 0 branch, 1..n the original, n+1..2n the copy, 2n+1 the exit.
      const exit = 2 * n + 1;
      const out: number[][] = Array.from({ length: exit + 1 }, () => []);
      out[0] = [1, n + 1];
      succ.forEach((list, b) => {
        // Every block is reachable: block b leads to b+1 first.
        const all = [b + 1, ...list].slice(0, 2);
        out[1 + b] = all.map((s) => (s === n ? exit : 1 + s));
        const copy = all.map((s) => (s === n ? exit : n + 1 + renamed[s]));
        out[n + 1 + renamed[b]] = flip[b] ? copy.reverse() : copy;
      });
      const g = graph(out);
      const t = set(...Array.from({ length: n }, (_, i) => 1 + i));
      const f = set(...Array.from({ length: n }, (_, i) => n + 1 + i));
      const there = isomorphism(g, t, f, flat);
      const back = isomorphism(g, f, t, flat);
      assert.ok(there && back);
      assert.is(there.length, n);
      for (const p of there) {
        const a = [...g.succ.subarray(g.succStart[p.t], g.succStart[p.t + 1])];
        const b = [...g.succ.subarray(g.succStart[p.f], g.succStart[p.f + 1])];
        if (p.swapped) b.reverse();
        const to = (x: number): number => there.find((q) => q.t === x)?.f ?? x;
        assert.equal(a.map(to), b);
      }
    }),
    { numRuns: 300 },
  );
});

test.run();

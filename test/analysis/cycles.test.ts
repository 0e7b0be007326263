import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import type { CycleId, CycleInfo } from '../../src/analysis/cycles.js';
import { cycles } from '../../src/analysis/cycles.js';
import type { Graph } from '../../src/analysis/graph.js';
import { cfgOf } from '../../src/analysis/graph.js';
import type { BlockId } from '../../src/ir/ids.js';
import { NONE } from '../../src/ir/ids.js';
import { graphSnapshot, snapshot } from '../support/snapshot-builder.js';
import { assert, suite } from '../support/suite.js';
import type { Successors } from './random-program.js';
import { arbitraryCfg } from './random-program.js';
import { reachableFrom } from './reachable.js';

const test = suite('analysis/cycles', { tests: 9 });
const graph = (successors: Successors): Graph => cfgOf(graphSnapshot(successors).f);
const ids = (c: CycleInfo): CycleId[] => Array.from({ length: c.count }, (_, i) => i as CycleId);
const sorted = (list: Iterable<number>): number[] => [...list].sort((a, b) => a - b);

/** Cycles as LLVM prints them: the entries, then the other blocks in LLVM's order. */
function print(c: CycleInfo, names: readonly string[]): string[] {
  return ids(c).map((id) => {
    const entries = [...c.entries(id)];
    const rest = [...c.blocks(id)]
      .filter((b) => !entries.includes(b))
      .map((b) => ` ${names[b]}`)
      .join('');
    return `depth=${c.depth[id]}: entries(${entries.map((b) => names[b]).join(' ')})${rest}`;
  });
}

test('no cycle', () => {
  const c = cycles(graph([[1, 2], [3], [3], []]));
  assert.is(c.count, 0);
  assert.is(c.cycleOf(1 as BlockId), NONE as CycleId);
  assert.is(c.depthOf(1 as BlockId), 0);
});

test('nested natural loops', () => {
  // 1 { 2 { 3 } 4 } 5, and 6 loops to itself
  const c = cycles(graph([[1], [2, 5], [3], [2, 4], [1], [6], [6, 7], []]));
  assert.is(c.count, 3);
  const inner = c.cycleOf(3 as BlockId);
  const outer = c.cycleOf(4 as BlockId);
  assert.is(c.header[inner], 2);
  assert.is(c.header[outer], 1);
  assert.is(c.parent[inner], outer);
  assert.equal(sorted(c.blocks(outer)), [1, 2, 3, 4]);
  assert.equal([...c.exits(outer)], [5]);
  assert.equal([...c.exits(inner)], [4]);
  assert.is(c.depthOf(3 as BlockId), 2);
  assert.ok(c.isReducible(inner) && c.isReducible(outer));
  assert.ok(c.contains(outer, 3 as BlockId));
  assert.not(c.contains(inner, 4 as BlockId));
  assert.equal([...c.blocks(c.cycleOf(6 as BlockId))], [6]);
});

test('an unreachable predecessor makes no entry and an unreachable loop no cycle', () => {
  const c = cycles(graph([[1], [2], [1, 3], [], [2], [5], [5]]));
  assert.is(c.count, 1);
  assert.equal([...c.entries(0 as CycleId)], [1]);
});

test('the header of an irreducible cycle is the entry that LLVM’s walk meets first', () => {
  assert.equal(print(cycles(graph([[1, 2], [2], [1, 3], []])), ['e', 'A', 'B', 'x']), ['depth=1: entries(B A)']);
  assert.equal(print(cycles(graph([[2, 1], [2], [1, 3], []])), ['e', 'A', 'B', 'x']), ['depth=1: entries(A B)']);
});

// Expected lines: LLVM 22's llvm/test/Analysis/UniformityAnalysis/AMDGPU/irreducible/diverged-entry-headers-nested.ll.
const nested = (entry: string, c: string): ReturnType<typeof snapshot> =>
  snapshot(`
    arg %u i1
    entry:
      br %u ${entry}
    A:
      br B
    B:
      br %u C D
    C:
      br %u ${c}
    P:
      br %u R Q
    Q:
      br %u S R
    R:
      br S
    S:
      br %u D T
    D:
      br %u exit A
    T:
      br P
    exit:
      ret`);

test('nested irreducible cycles: LLVM’s headers and block order', () => {
  const lines = (entry: string, c: string): string[] => {
    const s = nested(entry, c);
    return print(cycles(cfgOf(s.f)), s.blockNames);
  };
  assert.ok(lines('B A', 'P T').includes('depth=1: entries(A B) D T S Q P R C'));
  assert.ok(lines('A B', 'P T').includes('depth=2: entries(T P) S Q R'));
});

/**
 * The strongly connected sets of `within`, by pairwise reachability. Single blocks without an edge to themselves are
 * not included.
 */
function connectedSets(g: Graph, successors: Successors, within: readonly number[]): number[][] {
  const inner = graph(successors.map((to, b) => (within.includes(b) ? to.filter((t) => within.includes(t)) : [])));
  const reach = Array.from({ length: g.count }, (_, b) => {
    const out = new Uint8Array(g.count);
    for (const to of inner.succ.subarray(inner.succStart[b], inner.succStart[b + 1]))
      reachableFrom(inner, to as BlockId).forEach((m, i) => (out[i] |= m));
    return out;
  });
  const sets = within
    .filter((b) => reach[b][b] === 1)
    .map((b) => within.filter((d) => reach[b][d] === 1 && reach[d][b] === 1));
  return sets.filter((s, i) => sets.findIndex((other) => other[0] === s[0]) === i);
}

test('cycles are the strongly connected sets, and inside, those without the header', () => {
  fc.assert(
    fc.property(arbitraryCfg({ maxBlocks: 14 }), (successors) => {
      const g = graph(successors);
      const c = cycles(g);
      const reachable = reachableFrom(g, g.entry);
      const childrenOf = (parent: number): number[][] =>
        ids(c)
          .filter((id) => c.parent[id] === parent)
          .map((id) => sorted(c.blocks(id)))
          .sort((a, b) => a[0] - b[0]);
      const expected = (within: number[]): number[][] =>
        connectedSets(g, successors, within)
          .map(sorted)
          .sort((a, b) => a[0] - b[0]);
      assert.equal(childrenOf(NONE), expected([...reachable.keys()].filter((b) => reachable[b] === 1)), 'outermost');
      for (const id of ids(c))
        assert.equal(childrenOf(id), expected(sorted(c.blocks(id)).filter((b) => b !== c.header[id])), `inside ${id}`);
    }),
    { numRuns: 300 },
  );
});

test('entries, exits, nesting and membership fit the blocks', () => {
  fc.assert(
    fc.property(arbitraryCfg({ maxBlocks: 14 }), (successors) => {
      const g = graph(successors);
      const c = cycles(g);
      const reachable = reachableFrom(g, g.entry);
      for (const id of ids(c)) {
        const inside = new Set(c.blocks(id));
        assert.is(inside.size, c.blocks(id).length, 'each block once');
        assert.is(c.blocks(id)[0], c.header[id]);
        assert.is(c.entries(id)[0], c.header[id]);
        const entries = [...inside].filter((b) =>
          [...g.pred.subarray(g.predStart[b], g.predStart[b + 1])].some((p) => reachable[p] === 1 && !inside.has(p)),
        );
        assert.equal(sorted(c.entries(id)), sorted(entries));
        assert.is(c.isReducible(id), entries.length === 1);
        const exits = new Set([...inside].flatMap((b) => successors[b].filter((t) => !inside.has(t))));
        assert.equal(sorted(c.exits(id)), sorted(exits));
        assert.is(c.depth[id], c.parent[id] === NONE ? 1 : c.depth[c.parent[id]] + 1);
        assert.ok(c.parent[id] === NONE || c.parent[id] > id);
        for (let b = 0; b < g.count; b++)
          assert.is(c.contains(id, b as BlockId), inside.has(b), `cycle ${id}, block ${b}`);
      }
      for (let b = 0; b < g.count; b++) {
        const around = ids(c).filter((id) => c.contains(id, b as BlockId));
        assert.is(c.depthOf(b as BlockId), around.length);
        assert.ok(around.every((id) => c.containsCycle(id, c.cycleOf(b as BlockId))));
      }
    }),
    { numRuns: 300 },
  );
});

/** Loops in each other. */
const nest = (depth: number): Graph => {
  const heads = Array.from({ length: depth }, (_, k) => [k + 1]);
  const latches = Array.from({ length: depth }, (_, k) => [depth - 1 - k, depth + k + 1]);
  return graph([...heads, ...latches, []]);
};

test('loops that are nested too deeply are an error, not the end of the process', () => {
  assert.is(cycles(nest(1000)).count, 1000);
  assert.throws(() => cycles(nest(5000)), /nested too deeply/);
});

test.long('and that takes no memory: nothing is copied before it is known', async () => {
  const asked = `
    const { parentPort, workerData } = require('node:worker_threads');
    import(workerData.module).then(({ cycles }) => {
      try { cycles(workerData.graph); } catch ({ message }) { parentPort.postMessage(message); }
    });`;
  const worker = new Worker(asked, {
    eval: true,
    workerData: { module: new URL('../../src/analysis/cycles.js', import.meta.url).href, graph: nest(5000) },
    // All lists together have 16 million numbers.
    resourceLimits: { maxOldGenerationSizeMb: 32 },
  });
  const [message] = (await once(worker, 'message')) as [string];
  assert.is(message, 'loops are nested too deeply');
  await worker.terminate();
});

test.run();

import { embed } from '../../src/analysis/embedding.js';
import { cfgOf } from '../../src/analysis/graph.js';
import type { BlockId } from '../../src/ir/ids.js';
import { graphSnapshot } from '../support/snapshot-builder.js';
import { assert, suite } from '../support/suite.js';

const test = suite('analysis/embedding', { tests: 5 });

/** Blocks 0 to 9 are the host. Blocks from 10 up are the guest. Block 20 is behind both. */
function embedding(host: readonly number[][], guest: readonly number[][], alike: Readonly<Record<string, number>>) {
  const successors: number[][] = Array.from({ length: 21 }, (_, b) => (b === 20 ? [] : [20]));
  host.forEach((to, b) => (successors[b] = to));
  guest.forEach((to, b) => (successors[10 + b] = to));
  const blocks = (from: number, count: number) => Array.from({ length: count }, (_, k) => (from + k) as BlockId);
  return embed(
    cfgOf(graphSnapshot(successors).f),
    { entry: 0 as BlockId, blocks: blocks(0, host.length) },
    { entry: 10 as BlockId, blocks: blocks(10, guest.length) },
    (at, block) => alike[`${at} ${block}`] ?? 0,
    () => 1,
  );
}

const places = (found: ReturnType<typeof embed>) =>
  Object.fromEntries(found!.blocks.filter((b) => b.guest >= 0).map((b) => [b.guest, b.host]));

test('a block goes where it is most alike, by fixed conditions', () => {
  // 0 → 1, 2; 1 → 3; 2 → 3
  const found = embedding([[1, 2], [3], [3], [20]], [[20]], { '2 10': 9, '1 10': 5 })!;
  assert.equal(places(found), { 10: 2 });
  assert.equal(
    found.blocks.map((b) => [b.host, b.takes, b.passed]),
    [
      [0, 1, true],
      [1, null, false],
      [2, null, true],
      [3, null, true],
    ],
  );
  assert.equal([found.entryLeaves, found.blocks[2]!.leaves], [0, [3]]);
});

test('passing through blocks costs, on the way in and out', () => {
  assert.equal(places(embedding([[1, 2], [3], [3], [20]], [[20]], { '3 10': 9, '1 10': 10 })), { 10: 1 });
});

test('an if-then fits into an if-then-else', () => {
  // Guest: 10 → 11, 12; 11 → 12. Host: 0 → 1, 2; 1 → 3; 2 → 3.
  const found = embedding([[1, 2], [3], [3], [20]], [[12, 11], [12], [20]], { '0 10': 5, '1 11': 5, '3 12': 5 })!;
  assert.equal(places(found), { 10: 0, 11: 1, 12: 3 });
  // The then-block is the first successor of the host and the second of the guest.
  assert.is(found.blocks[0]!.swapped, true);
  assert.equal(found.blocks[0]!.leaves, [2, 0]);
  assert.ok(found.blocks[2]!.passed);
});

test('a block in a loop leaves it at once', () => {
  // 0 → 1; 1 → 1, 2
  const found = embedding([[1], [1, 2], [20]], [[20]], { '1 10': 9 })!;
  assert.equal([places(found), found.blocks[1]!.takes], [{ 10: 1 }, 1]);
});

test('a loop does not fit where there is none', () => {
  assert.is(embedding([[1, 2], [3], [3], [20]], [[10, 20]], { '0 10': 9 }), null);
});

test.run();

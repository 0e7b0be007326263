import { analysesOf } from '../../src/analysis/analyses.js';
import { deadEndsBehind, liveFlow } from '../../src/analysis/dead-ends.js';
import { snapshot, type BuiltSnapshot } from '../support/snapshot-builder.js';
import { assert, suite } from '../support/suite.js';

const test = suite('analysis/dead-ends', { tests: 4 });

/** Both sides of a branch check something; what fails goes to `low` or to `high`, and from there to `stop`. */
const CHECKED = snapshot(`
  arg %c i1 never
  entry:
    br %c t f
  t:
    br %c low t2
  t2:
    br join
  f:
    br %c f2 high
  f2:
    br join
  low:
    br %c stop high
  high:
    br stop
  stop:
    unreachable
  join:
    ret`);

const flowOf = ({ f }: BuiltSnapshot) => liveFlow(f, analysesOf(f));

test('where everyone comes back there are none, and where no one does', () => {
  assert.is(flowOf(snapshot('arg %c i1 never\nentry:\n  br %c a b\na:\n  br b\nb:\n  ret')), null);
  assert.is(flowOf(snapshot('arg %c i1 never\nentry:\n  br %c a b\na:\n  br b\nb:\n  unreachable')), null);
});

test('blocks from which every way ends in unreachable, in reverse post-order, with the blocks in front', () => {
  const { deadEnds } = flowOf(CHECKED)!;
  const name = (b: number): string => CHECKED.blockNames[b]!;
  assert.equal(
    deadEnds.map(({ block, from }) => `${name(block)}: ${from.map(name).join(' ')}`),
    ['low: t', 'high: f low', 'stop: low high'],
  );
  const behind = (block: string): string[] =>
    deadEndsBehind([CHECKED.block(block)], deadEnds).map((each) => name(each.block));
  assert.equal([behind('t'), behind('f'), behind('t2')], [['low', 'high', 'stop'], ['high', 'stop'], []]);
});

test('without them, the branches in front have a join', () => {
  const { graph, postDominators } = flowOf(CHECKED)!;
  const [entry, t, join] = ['entry', 't', 'join'].map((name) => CHECKED.block(name));
  assert.is(analysesOf(CHECKED.f).postDominators.idom[entry!], -1);
  assert.is(postDominators.idom[entry!], join!);
  assert.equal([...graph.succ.subarray(graph.succStart[t!], graph.succStart[t! + 1])], [CHECKED.block('t2')]);
});

test('a loop is no dead end: threads may wait in it', () => {
  const waits =
    'arg %c i1 never\nentry:\n  br %c wait end\nwait:\n  br %c wait stop\nstop:\n  unreachable\nend:\n  ret';
  const s = snapshot(waits);
  assert.equal(
    flowOf(s)!.deadEnds.map(({ block }) => s.blockNames[block]),
    ['stop'],
  );
  assert.is(flowOf(s)!.postDominators.idom[s.block('entry')], -1);
});

test.run();

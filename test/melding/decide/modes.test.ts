/** The paper's baselines and the kinds of unpredication restrict what the planner does. */
import { analysesOf } from '../../../src/analysis/analyses.js';
import type { PlanOptions } from '../../../src/melding/plan.js';
import { planFunction } from '../../../src/melding/decide/plan-function.js';
import { DARM } from '../../support/plan-options.js';
import { snapshot } from '../../support/snapshot-builder.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('melding/decide/modes', { tests: 5 });

const ARGUMENTS = `
  arg %c i1 never
  arg %i i32 never
  arg %j i32 never
  arg %p ptr3 never
  arg %q ptr3 never`;

/** Both sides end in the same instructions. In front of these they share a load, but a store of T stands between. */
const DIAMOND = `${ARGUMENTS}
  entry:
    br %c t f
  t:
    %t1 = load %p !as=3
    store %i %q !as=3 !name=ts
    %t2 = mul %t1 %i
    store %t2 %p !as=3 !name=te
    br join
  f:
    %f1 = load %q !as=3
    %f2 = mul %f1 %i
    store %f2 %q !as=3 !name=fe
    br join
  join:
    ret`;

const IF_THENS = `${ARGUMENTS}
  entry:
    br %c t f
  t:
    %t0 = icmp slt %i 3
    br %t0 t1 t2
  t1:
    %t3 = load %p !as=3
    store %t3 %p !as=3 !name=ts
    br t2
  t2:
    br join
  f:
    %f0 = icmp slt %j 3
    br %f0 f1 f2
  f1:
    %f3 = load %q !as=3
    store %f3 %q !as=3 !name=fs
    br f2
  f2:
    br join
  join:
    ret`;

function plan(text: string, options: Partial<PlanOptions>) {
  const s = snapshot(text);
  const { melds, candidates } = planFunction(s.f, analysesOf(s.f), { ...DARM, ...options }, () => true);
  const lines = melds.flatMap((meld) => meld.blocks.flatMap((block) => block.alignment));
  return { pairs: lines.filter((line) => line.t >= 0 && line.f >= 0).length, lines, melds, candidates };
}

test('branch fusion melds a diamond as darm does', () => {
  assert.is(plan(DIAMOND, { mode: 'branch-fusion' }).pairs, 3);
  assert.equal(plan(DIAMOND, { mode: 'branch-fusion' }).melds, plan(DIAMOND, {}).melds);
});

test('branch fusion and tail merging leave regions alone', () => {
  assert.is(plan(IF_THENS, {}).melds.length, 1);
  for (const mode of ['branch-fusion', 'tail-merge'] as const) {
    const { melds, candidates } = plan(IF_THENS, { mode });
    assert.equal([melds.length, candidates[0]!.verdict], [0, 'refuse']);
    assert.match(candidates[0]!.reason, /diamonds only/);
  }
});

test('tail merging pairs only what both sides end in', () => {
  const { lines, pairs } = plan(DIAMOND, { mode: 'tail-merge', profit: 'paper' });
  assert.is(pairs, 2);
  assert.ok(lines.slice(-2).every((line) => line.t >= 0 && line.f >= 0));
});

/** The diamond with a long run in one side that every thread may execute. */
const longRun = (): string => {
  const extra = Array.from({ length: 16 }, (_, k) => `%x${k} = mul ${k ? `%x${k - 1}` : '%t1'} %j !+Speculatable`);
  return DIAMOND.replace('store %i %q !as=3 !name=ts', extra.join('\n')).replace('mul %t1 %i', 'mul %x15 %i');
};

test('unpredication: always guarded, all that is safe for all, or what is cheaper', () => {
  const text = longRun();
  const speculated = (unpredicate: PlanOptions['unpredicate']) =>
    plan(text, { unpredicate }).lines.filter((line) => line.speculate).length;
  assert.equal([speculated('always'), speculated('profitable'), speculated('never')], [0, 0, 16]);
});

test('where all waves part, long runs are not guarded', () => {
  const odd =
    '%tid = call @llvm.amdgcn.workitem.id.x !never !source=ThreadX\n %b = and %tid 1\n %d = icmp eq %b 0\n br %d t f';
  const { lines, melds } = plan(longRun().replace('br %c t f', odd), {});
  assert.equal([melds.length, lines.filter((line) => line.speculate).length], [1, 16]);
});

test.run();

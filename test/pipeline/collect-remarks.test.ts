/** Remarks say what was done, change nothing, and do not depend on the number of workers. */
import { createCompiler } from '../../src/index.js';
import type { CandidateRemark, FunctionRemark, Remark } from '../../src/job/remarks.js';
import { artifact, compile, heapAfterMelding, kernel } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('collect-remarks', { tests: 11, timeoutMs: 120_000 });
const EARLY = { meldPoint: 'early', optimize: 'O3' } as const;

/** Only the optimiser's interprocedural passes, behind an early meld, see that nothing calls `helper`. */
const DROPPED = `target triple = "amdgcn-amd-amdhsa"
define internal i32 @zero() #0 {
  ret i32 0
}
define internal i32 @helper(i32 %x, i1 %c) #0 {
  br i1 %c, label %t, label %f
t:
  %a = udiv i32 %x, 13
  br label %j
f:
  %b = udiv i32 %x, 17
  br label %j
j:
  %r = phi i32 [ %a, %t ], [ %b, %f ]
  ret i32 %r
}
define amdgpu_kernel void @k(ptr addrspace(1) %p) #0 {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %c = trunc i32 %id to i1
  %zero = call i32 @zero()
  %never = icmp ne i32 %zero, 0
  br i1 %never, label %do, label %done
do:
  %r = call i32 @helper(i32 %id, i1 %c)
  store i32 %r, ptr addrspace(1) %p
  br label %done
done:
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
attributes #0 = { noinline "target-cpu"="gfx906" }
`;

const ofKind = (remarks: readonly Remark[], kind: CandidateRemark['kind']): CandidateRemark[] =>
  remarks.filter((each): each is CandidateRemark => each.kind === kind);
const summaries = (remarks: readonly Remark[]): FunctionRemark[] =>
  remarks.filter((each): each is FunctionRemark => each.kind === 'analysis');

test.long('the same bytes with and without', async () => {
  for (const [name, options] of [
    ['many.gfx906.O3', {}],
    ['many.gfx1100.early', EARLY],
    ['bitonic.gfx906.O3-g', {}],
  ] as const) {
    const bytes = await kernel(name);
    const job = { emit: ['obj', 'bc'] as const, ...options };
    const without = await compile(bytes, job);
    const with_ = await compile(bytes, { ...job, remarks: true });
    assert.equal(without.remarks, []);
    assert.ok(with_.remarks.length > 0);
    for (const kind of job.emit) assert.equal(artifact(with_, kind), artifact(without, kind), name);
  }
});

test('no trace in the memory of LLVM', async () => {
  const bytes = await kernel('bitonic.gfx906.O3-g');
  const without = await heapAfterMelding(bytes, 'bitonic', { remarks: false });
  assert.is(await heapAfterMelding(bytes, 'bitonic', { remarks: true }), without);
});

test.long('the same remarks and bytes with one, two and three workers, in module order', async () => {
  const bytes = await kernel('many.gfx906.O3');
  const results = [];
  for (const threads of [1, 2, 3]) {
    await using compiler = createCompiler({ threads, tierPolicy: 'short' });
    results.push(await compiler.compile(bytes, { emit: ['obj'], remarks: true }));
  }
  for (const { remarks, artifacts, functions } of results) {
    assert.equal(remarks, results[0]!.remarks);
    assert.equal(artifacts, results[0]!.artifacts);
    assert.equal(
      summaries(remarks).map((each) => each.function),
      functions.map((fn) => fn.name),
    );
  }
});

test('a remark for each meld, with its figures', async () => {
  const { remarks, functions } = await compile(await kernel('many.gfx906.O3'), {
    emit: ['bc'],
    remarks: true,
    profit: 'paper',
  });
  const figures = (list: readonly { profit: number; net: number }[]) =>
    list.map(({ profit, net }) => [profit, net]).sort();
  for (const fn of functions) {
    const own = remarks.filter((each) => each.function === fn.name);
    assert.equal(figures(ofKind(own, 'passed')), figures(fn.melds));
    const [summary] = summaries(own);
    assert.is(
      Object.values(summary!.melds).reduce((sum, count) => sum + count),
      fn.melds.length,
    );
    assert.is(summary!.switchesLowered, fn.switchesLowered);
    assert.is(own.filter(({ kind }) => kind === 'lowered').length, fn.switchesLowered);
    assert.is(summary!.candidates, own.length - 1 - fn.switchesLowered);
  }
  assert.ok(functions.some((fn) => fn.switchesLowered > 0));
});

test('rounds count from 1, refusals are those of the last look', async () => {
  const job = { emit: ['bc'], remarks: true } as const;
  const { remarks } = await compile(await kernel('sb3.gfx906.O3'), job);
  const melds = ofKind(remarks, 'passed');
  const rounds = melds.map(({ round }) => round!);
  assert.equal(rounds, [...rounds].sort());
  assert.is(rounds[0], 1);
  for (const { round, rule } of ofKind(remarks, 'missed')) {
    assert.is(round, rounds.at(-1)! + 1);
    assert.type(rule, 'string');
  }
  const once = await compile(await kernel('sb3.gfx906.O3'), { ...job, once: true });
  assert.equal([...new Set(ofKind(once.remarks, 'passed').map(({ round }) => round))], [1]);
});

test('refusals name the rule and the blocks', async () => {
  const { remarks } = await compile(await kernel('hashjoin.gfx906.O3'), { emit: ['bc'], remarks: true });
  assert.equal(ofKind(remarks, 'passed'), []);
  const refused = ofKind(remarks, 'missed').find(({ rule }) => rule === '1.2')!;
  assert.match(refused.branch, /^%[\w.]+$/);
  assert.equal(
    refused.sides.map((side) => side.length),
    [1, 1],
  );
  assert.match(refused.reason, /post-dominates/);
});

test('places come from debug information', async () => {
  const { remarks } = await compile(await kernel('bitonic.gfx906.O3-g'), { emit: ['bc'], remarks: true });
  const [meld] = ofKind(remarks, 'passed');
  assert.is(meld!.location!.file, 'bitonic.hip');
  assert.ok(meld!.location!.line > 1 && meld!.location!.column > 0);
  const [summary] = summaries(remarks);
  assert.ok(summary!.location!.line > 1 && summary!.location!.line < meld!.location!.line);
  const plain = await compile(await kernel('bitonic.gfx906.O3'), { emit: ['bc'], remarks: true });
  for (const { location } of plain.remarks) assert.is(location, null);
});

test('a function that goes after melding keeps its remarks', async () => {
  const { remarks, functions } = await compile(DROPPED, { emit: ['bc'], remarks: true, ...EARLY });
  assert.equal(
    functions.map((fn) => fn.name),
    ['k'],
  );
  assert.equal(
    summaries(remarks).map((each) => each.function),
    ['zero', 'helper', 'k'],
  );
});

test('an analysis says what would be melded', async () => {
  await using compiler = createCompiler({ threads: 1, tierPolicy: 'short' });
  const bytes = await kernel('bitonic.gfx906.O3-g');
  const { remarks, functions } = await compiler.analyze(bytes, { remarks: true });
  assert.is(ofKind(remarks, 'passed').length, functions[0]!.plan.melds.length);
  assert.ok(ofKind(remarks, 'passed').every(({ round, location }) => round === null && location !== null));
  assert.is(ofKind(remarks, 'passed').length + ofKind(remarks, 'missed').length, functions[0]!.plan.candidates.length);
  assert.is(summaries(remarks).length, 1);
  assert.equal((await compiler.analyze(bytes)).remarks, []);
});

test('melding off, functions that are not wanted: nothing to say', async () => {
  const bytes = await kernel('many.gfx906.O3');
  assert.equal((await compile(bytes, { emit: ['bc'], remarks: true, meld: 'off' })).remarks, []);
  const { remarks } = await compile(bytes, { emit: ['bc'], remarks: true, functions: ['many_diamond'] });
  assert.ok(remarks.length > 0);
  assert.ok(remarks.every((each) => each.function === 'many_diamond'));
});

test('where the number of rounds ends melding, what would meld next is said not to', async () => {
  const options = { emit: ['bc'], remarks: true, profit: 'paper', functions: ['ms_64'], once: true } as const;
  const { remarks } = await compile(await kernel('ms.gfx906.O3'), options);
  const left = ofKind(remarks, 'missed').filter(({ reason }) => reason.startsWith('no more rounds'));
  assert.ok(left.length > 0);
  assert.ok(left.every(({ round, rule }) => round === 2 && rule === '7'));
  assert.not.ok(ofKind(remarks, 'passed').some(({ round }) => round !== 1));
});

test.run();

/** Early melds stay only where they gain more than LLVM's later passes do by themselves. */
import type { JobOptions } from '../../src/job/options.js';
import type { CandidateRemark, FunctionRemark } from '../../src/job/remarks.js';
import { meldFunctions } from '../../src/pipeline/compile.js';
import { artifact, compile, heapAfterMelding, kernel, runtime, SILENT, text, withDefaults } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('pipeline/function-gain', { tests: 8, timeoutMs: 60_000 });
const EARLY = { meldPoint: 'early', optimize: 'O3', emit: ['ll'] } as const;

/** LLVM sinks the atomic operation out of both sides: the branch becomes a select of two pointers. */
const SUNK = `
  br i1 %c, label %t, label %f
t:
  %old1 = atomicrmw add ptr addrspace(1) %p, i32 %id syncscope("agent") monotonic
  br label %j
f:
  %old2 = atomicrmw add ptr addrspace(1) %q, i32 %id syncscope("agent") monotonic
  br label %j
j:
  ret void
}
`;

/** No pass of LLVM's joins divisions by different values. */
const DIVIDED = `
  br i1 %c, label %t, label %f
t:
  %x1 = load i32, ptr addrspace(1) %p
  %y1 = udiv i32 %x1, %id
  store i32 %y1, ptr addrspace(1) %out
  br label %j
f:
  %x2 = load i32, ptr addrspace(1) %q
  %z2 = add i32 %id, %x2
  %y2 = udiv i32 %z2, %x2
  store i32 %y2, ptr addrspace(1) %out
  br label %j
j:
  ret void
}
`;

const kernelOf = (name: string, body: string): string => `
define amdgpu_kernel void @${name}(ptr addrspace(1) %base, ptr addrspace(1) %other, ptr addrspace(1) %res) #0 {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %p = getelementptr i32, ptr addrspace(1) %base, i32 %id
  %q = getelementptr i32, ptr addrspace(1) %other, i32 %id
  %out = getelementptr i32, ptr addrspace(1) %res, i32 %id
  %c = trunc i32 %id to i1
${body}`;

const moduleOf = (...kernels: readonly string[]): Uint8Array =>
  new TextEncoder().encode(`target triple = "amdgcn-amd-amdhsa"
${kernels.join('')}
declare i32 @llvm.amdgcn.workitem.id.x()
attributes #0 = { "target-cpu"="gfx906" }
`);

const both = moduleOf(kernelOf('sunk', SUNK), kernelOf('divided', DIVIDED));
const melded = async (input: Uint8Array, options: Partial<JobOptions>): Promise<string[]> =>
  (await compile(input, options)).functions.filter(({ melds }) => melds.length > 0).map(({ name }) => name);

test('melds are taken back where LLVM joins the sides by itself', async () => {
  assert.equal(await melded(both, EARLY), ['divided']);
  // The planner by itself would meld both.
  assert.equal(await melded(both, { ...EARLY, profit: 'paper' }), ['sunk', 'divided']);
});

test('a module in which no meld stays is that of -O3', async () => {
  const input = moduleOf(kernelOf('sunk', SUNK));
  const ir = async (options: Partial<JobOptions>) =>
    text(artifact(await compile(input, { ...EARLY, ...options }), 'll'));
  assert.is(await ir({}), await ir({ meld: 'off' }));
});

test('a remark says why, and a report shows the function as it came in', async () => {
  const { remarks, histories } = await compile(both, { ...EARLY, remarks: true, report: true });
  const about = remarks.filter((remark) => remark.function === 'sunk');
  const missed = about.filter((remark): remark is CandidateRemark => remark.kind === 'missed');
  assert.is(missed.length, 1);
  assert.is(missed[0]!.rule, '7');
  assert.match(
    missed[0]!.reason,
    /^LLVM's passes do as well without melds: all melds of the function would make it 1\.00 times as fast$/,
  );
  const summary = about.find((remark): remark is FunctionRemark => remark.kind === 'analysis')!;
  assert.equal(Object.values(summary.melds), [0, 0, 0]);
  const { steps, after } = histories.find((history) => history.function === 'sunk')!;
  assert.is(steps.length, 0);
  assert.equal(
    after.candidates.map(({ verdict }) => verdict),
    ['refuse'],
  );
});

test('judging leaves no trace in the memory of LLVM', async () => {
  // Both profit models meld this kernel alike, and only one judges.
  const input = await kernel('bitonic.gfx906.early');
  const heap = (profit: JobOptions['profit']) => heapAfterMelding(input, 'bitonic', { ...EARLY, profit });
  assert.is(await heap('net'), await heap('paper'));
});

test('a kernel may have any name', async () => {
  for (const name of ['divided(int, float)', 'a;b', 'a>b'])
    assert.equal(await melded(moduleOf(kernelOf(`"${name}"`, DIVIDED)), EARLY), [name]);
});

test('functions that are no kernels are judged, too, whoever sees them', async () => {
  const called = (name: string, linkage: string): string =>
    kernelOf(name, SUNK).replace('define amdgpu_kernel', `define ${linkage}`).replace(' #0 {', ' noinline #0 {'); // prettier-ignore
  const call = kernelOf('caller', '  call void @inside(ptr addrspace(1) %p, ptr addrspace(1) %q, ptr addrspace(1) %out)\n  ret void\n}\n'); // prettier-ignore
  const input = moduleOf(called('inside', 'internal'), called('outside', ''), call);
  assert.equal(await melded(input, EARLY), []);
  assert.equal(await melded(input, { ...EARLY, profit: 'paper' }), ['inside', 'outside']);
});

test.long('a function is judged alike, whatever was melded before', async () => {
  const rt = await runtime();
  const input = await kernel('many.gfx1100.early');
  const options = withDefaults(EARLY);
  const all = meldFunctions(rt, input, options, {}, SILENT);
  assert.ok(all.some(({ gain }) => gain > 1));
  for (const { function: name, gain, rounds } of all) {
    const [alone] = meldFunctions(rt, input, options, { only: [name] }, SILENT);
    assert.is(alone!.gain, gain, name);
    assert.equal(alone!.rounds, rounds, name);
  }
});

test('what gains stays', async () => {
  assert.equal(await melded(await kernel('bitonic.gfx906.early'), EARLY), ['bitonic']);
});

test.run();

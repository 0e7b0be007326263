/** Functions that only failed checks call stay as they are. */
import { analyzeModule } from '../../src/pipeline/analyze.js';
import { compile, runtime, withDefaults } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('pipeline/failure-functions', { tests: 3 });

/** A function whose two sides are alike. @param end behind their join @param begin in front of the branch */
const melding = (name: string, end: string, begin = ''): string => `
define void @${name}(i32 %x) noinline #0 {
  ${begin}
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp slt i32 %t, %x
  br i1 %c, label %yes, label %no
yes:
  %a = mul i32 %x, %t
  %a2 = mul i32 %a, %a
  %a3 = mul i32 %a2, %t
  store volatile i32 %a3, ptr addrspace(1) null
  br label %join
no:
  %b = mul i32 %t, %t
  %b2 = mul i32 %b, %b
  %b3 = mul i32 %b2, %x
  store volatile i32 %b3, ptr addrspace(1) null
  br label %join
join:
  ${end}
}`;

/** A kernel with a check. @param failed what happens where it fails @param passed and where it does not */
const checking = (failed: string, passed = 'ret void', more = ''): string => `
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.trap()
${melding('print', 'ret void')}
${melding('fail', 'call void @llvm.trap()\n  unreachable', 'call void @print(i32 %x)')}
${melding('apart', 'ret void')}
${more}
define amdgpu_kernel void @k(i32 %x) #0 {
  %c = icmp eq i32 %x, 7
  br i1 %c, label %failed, label %passed
failed:
  ${failed}
passed:
  ${passed}
}
attributes #0 = { "target-cpu"="gfx906" }`;

const FAILS = 'call void @fail(i32 %x)\n  unreachable';

async function analyzed(text: string, options = {}): Promise<string[]> {
  const { functions } = analyzeModule(await runtime(), new TextEncoder().encode(text), withDefaults(options));
  return functions.map(({ name }) => name);
}

test('what only a dead end calls, and what only that calls', async () => {
  assert.equal(await analyzed(checking(FAILS)), ['apart', 'k']);
  const { functions } = await compile(checking(FAILS), { emit: ['bc'], versions: 'never', threshold: 0 });
  assert.equal(
    functions.map(({ name, melds }) => [name, melds.length]),
    [
      ['print', 0],
      ['fail', 0],
      ['apart', 1],
      ['k', 0],
    ],
  );
});

test('not what is called elsewhere too, or in a loop, or whose address is taken, nor kernels', async () => {
  const all = ['print', 'fail', 'apart', 'k'];
  assert.equal(await analyzed(checking(FAILS, 'call void @fail(i32 1)\n  ret void')), all);
  assert.equal(await analyzed(checking('call void @fail(i32 %x)\n  br label %passed')), all);
  assert.equal(await analyzed(checking('call void @fail(i32 %x)\n  br label %again\nagain:\n  br label %again')), all);
  assert.equal(await analyzed(checking(FAILS, 'call void @print(i32 1)\n  ret void')), ['print', 'apart', 'k']);
  const passed = 'store volatile ptr @fail, ptr addrspace(1) null\n  ret void';
  assert.equal(await analyzed(checking(FAILS, passed)), all);
  assert.equal(await analyzed(checking(FAILS, 'ret void', '@other = alias void (i32), ptr @fail')), all);
  assert.equal(await analyzed(checking('unreachable')), all);
  // Who ends the program behind a call may be done.
  const done = 'call void @fail(i32 1)\n  call void @llvm.amdgcn.endpgm()\n  unreachable';
  const ends = 'declare void @llvm.amdgcn.endpgm()';
  assert.equal(await analyzed(checking(FAILS, done, ends)), all);
  const run = `${ends}\n${melding('run', 'call void @llvm.amdgcn.endpgm()\n  unreachable')}`;
  assert.equal(await analyzed(checking(FAILS, 'call void @run(i32 1)\n  unreachable', run)), ['apart', 'run', 'k']);
});

test('but where the size of code counts, or they are named', async () => {
  assert.equal(await analyzed(checking(FAILS), { profit: 'size' }), ['print', 'fail', 'apart', 'k']);
  assert.equal(await analyzed(checking(FAILS), { functions: ['fail'] }), ['fail']);
});

test.run();

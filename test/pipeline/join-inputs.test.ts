/** Operations in front of joins that LLVM 23's structurizer would move to the wrong place (src/pipeline/join-inputs.ts). */
import { LlvmModule } from '../../src/binding/module.js';
import { separateJoinInputs } from '../../src/pipeline/join-inputs.js';
import { runtime, text } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('pipeline/join-inputs', { tests: 5 });

/** The kernel, as it is and afterwards. */
async function separated(body: string): Promise<{ before: string; after: string }> {
  const llvm = await runtime();
  llvm.reset();
  return llvm.run(() => {
    const ir = `target triple = "amdgcn-amd-amdhsa"
      define amdgpu_kernel void @f(ptr addrspace(1) %out, i64 %x, i32 %c) {\n${body}
        %at = getelementptr i32, ptr addrspace(1) %out, i32 %id
        store i32 %v, ptr addrspace(1) %at
        ret void
      }
      declare i32 @llvm.amdgcn.workitem.id.x()`;
    using module = LlvmModule.read(llvm, new TextEncoder().encode(ir), { cpu: 'gfx1100', features: '' }, 2);
    const before = text(module.text());
    separateJoinInputs(() => module.open('f'));
    module.verify('f');
    return { before, after: text(module.text()) };
  });
}

/** A block that two branches lead to, in front of a join. @param input what it gives to the join */
const twoWays = (input: string): string => `
  entry:
    %id = call i32 @llvm.amdgcn.workitem.id.x()
    %few = icmp ult i32 %id, 3
    br i1 %few, label %both, label %else
  else:
    %more = icmp ult i32 %id, 7
    br i1 %more, label %both, label %other
  both:
    ${input}
    br label %join
  other:
    br label %join
  join:
    %v = phi i32 [ %n, %both ], [ %id, %other ]`;

test('each way into the block computes what the join takes', async () => {
  const { after } = await separated(twoWays('%n = trunc i64 %x to i32'));
  assert.match(after, /%0 = trunc i64 %x to i32\n +br i1 %few/);
  assert.match(after, /%1 = trunc i64 %x to i32\n +br i1 %more/);
  assert.match(after, /%join1 = phi i32 \[ %0, %entry \], \[ %1, %else \]/);
  assert.match(after, /%v = phi i32 \[ %join1, %both \], \[ %id, %other \]/);
});

test('copies in front of a join that several ways lead to go up to these', async () => {
  const { after } = await separated(`
  entry:
    %id = call i32 @llvm.amdgcn.workitem.id.x()
    %few = icmp ult i32 %id, 3
    br i1 %few, label %both, label %else
  else:
    %more = icmp ult i32 %id, 7
    br i1 %more, label %both, label %third
  both:
    store i32 1, ptr addrspace(1) %out
    br label %last
  third:
    %odd = icmp ult i32 %id, 9
    br i1 %odd, label %last, label %other
  last:
    %n = trunc i64 %x to i32
    br label %join
  other:
    br label %join
  join:
    %v = phi i32 [ %n, %last ], [ %id, %other ]`);
  assert.is(after.match(/trunc i64 %x to i32\n +br i1 /g)?.length, 3);
});

test('what LLVM does not move stays', async () => {
  const moved = [
    '%n = mul i32 %id, 5',
    '%y = add i64 %x, 1\n %n = trunc i64 %y to i32',
    '%n = load i32, ptr addrspace(1) %out',
  ];
  for (const input of moved) {
    const { before, after } = await separated(twoWays(input));
    assert.is(after, before);
  }
});

test('a block with one way into it stays', async () => {
  const { before, after } = await separated(
    twoWays('%n = trunc i64 %x to i32').replace('label %both, label %else', 'label %join, label %else').replace('[ %id, %other ]', '[ %id, %other ], [ %id, %entry ]'), // prettier-ignore
  );
  assert.is(after, before);
});

test('a switch in front of the block becomes branches: code generation makes several ways of one', async () => {
  const { after } = await separated(`
  entry:
    %id = call i32 @llvm.amdgcn.workitem.id.x()
    switch i32 %id, label %b [
      i32 1, label %other
      i32 3, label %other
      i32 5, label %third
    ]
  b:
    %n = trunc i64 %x to i32
    br label %join
  other:
    br label %join
  third:
    br label %join
  join:
    %v = phi i32 [ %n, %b ], [ %id, %other ], [ 7, %third ]`);
  assert.not.match(after, /switch/);
  assert.is(after.match(/trunc i64 %x to i32/g)?.length, 1, 'there is one way into each block now');
});

test.run();

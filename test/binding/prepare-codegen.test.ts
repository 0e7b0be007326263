/**
 * The preparation of melded functions for code generation (wasm/select.cpp).
 */
import { LlvmModule } from '../../src/binding/module.js';
import { runtime, text } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('binding/prepare-codegen', { tests: 7 });

const COPY = /call \S+ @llvm\.amdgcn\.softwqm/;

const IR = (module: LlvmModule) => module.text();
const ASSEMBLY = (module: LlvmModule) => {
  module.generate('asm');
  return module.generated();
};

/** Compiles the functions to `output`, with the preparation or without. */
async function made(
  body: string,
  cpu: string,
  output: (module: LlvmModule) => Uint8Array,
  prepare = true,
): Promise<string> {
  const llvm = await runtime();
  llvm.reset();
  return llvm.run(() => {
    const ir = new TextEncoder().encode(`target triple = "amdgcn-amd-amdhsa"\n${body}`);
    using module = LlvmModule.read(llvm, ir, { cpu, features: '' }, 2);
    for (const { name } of prepare ? module.functions() : []) {
      module.prepareCodegen(name);
      module.verify(name);
    }
    return text(output(module));
  });
}

const prepared = (body: string): Promise<string> => made(body, 'gfx906', IR);

/** A kernel that stores `%s`, which is made of loaded words and of the products of bytes `%p` and `%q`. */
const kernelOf = (sum: string): string => `
  define amdgpu_kernel void @f(ptr addrspace(1) %out, ptr addrspace(1) %in) {
    %id = call i32 @llvm.amdgcn.workitem.id.x()
    %at = getelementptr [8 x i32], ptr addrspace(1) %in, i32 %id
    %a = load <4 x i32>, ptr addrspace(1) %at
    %more = getelementptr i8, ptr addrspace(1) %at, i32 16
    %b = load <4 x i32>, ptr addrspace(1) %more
    ${[0, 1, 2, 3].map((k) => `%w${k} = extractelement <4 x i32> %a, i32 ${k}`).join('\n')}
    ${[0, 1, 2, 3].map((k) => `%a${k} = and i32 %w${k}, 255`).join('\n')}
    %x = extractelement <4 x i32> %b, i32 0
    %y = extractelement <4 x i32> %b, i32 1
    %x8 = and i32 %x, 255
    %c = icmp sgt i32 %y, 7
    %p = mul i32 %a0, %a1
    %q = mul i32 %a2, %a3
    ${sum}
    %to = getelementptr i32, ptr addrspace(1) %out, i32 %id
    store i32 %s, ptr addrspace(1) %to
    ret void
  }
  declare i32 @llvm.amdgcn.workitem.id.x()`;

test('selects between conditions become masks', async () => {
  const ir = await prepared('define i1 @f(i1 %c, i1 %a, i1 %b) {\n %s = select i1 %c, i1 %a, i1 %b\n ret i1 %s\n}');
  assert.not.match(ir, /select/);
  assert.match(ir, /or i1/);
});

/** Expressions that LLVM 23 took for sums of products, at once or after it had rearranged them (wasm/repairs/). */
const NO_SUMS = {
  'a select': '%o = select i1 %c, i32 %q, i32 %x\n %s = add i32 %p, %o',
  'a difference': '%o = sub i32 %q, %x\n %s = add i32 %o, %p',
  differences: '%o = sub i32 %q, %x\n %s = sub i32 %p, %o',
  'exclusive or': '%o = xor i32 %q, %x\n %s = add i32 %p, %o',
  'a product of a product':
    '%t = trunc i32 %q to i8\n %z = zext i8 %t to i32\n %o = mul i32 %z, %x8\n %s = add i32 %p, %o',
  'a product of a narrow product':
    '%g = trunc i32 %w2 to i8\n %h = trunc i32 %w3 to i8\n %m = mul i8 %g, %h\n %z = zext i8 %m to i32\n %o = mul i32 %z, %x8\n %s = add i32 %p, %o',
  'a constant between': '%t = add i32 %p, 5\n %o = select i1 %c, i32 %q, i32 %x\n %s = add i32 %t, %o',
  'a constant at the select': '%o = select i1 %c, i32 %q, i32 %x\n %t = add i32 %o, 5\n %s = add i32 %p, %t',
  'an idle mask': '%m = and i32 %q, 65535\n %o = select i1 %c, i32 %m, i32 %x\n %s = add i32 %p, %o',
  'a narrowed sum':
    '%pz = zext i32 %p to i64\n %qz = zext i32 %q to i64\n %xz = zext i32 %x to i64\n %o = select i1 %c, i64 %qz, i64 %xz\n %t = add i64 %pz, %o\n %s = trunc i64 %t to i32',
  'a select of sums': '%t = add i32 %q, %p\n %u = add i32 %x, %p\n %s = select i1 %c, i32 %t, i32 %u',
};

const DOT = /v_dot4/;

test('expressions that only look like sums of products do not become dot products', async () => {
  for (const cpu of ['gfx906', 'gfx1100'])
    for (const [what, sum] of Object.entries(NO_SUMS))
      for (const prepare of [false, true])
        assert.not.match(await made(kernelOf(sum), cpu, ASSEMBLY, prepare), DOT, `${what}, ${cpu}, ${prepare}`);
});

test('sums of products stay sums', async () => {
  const dot = '%r = mul i32 %x8, %a0\n %t = add i32 %p, %y\n %u = add i32 %q, %t\n %s = add i32 %r, %u';
  for (const cpu of ['gfx906', 'gfx1100']) assert.match(await made(kernelOf(dot), cpu, ASSEMBLY), DOT, cpu);
});

test('operations on words are left alone', async () => {
  const ir = await prepared(kernelOf('%m = mul i32 %w0, %w1\n %o = xor i32 %m, %x\n %s = add i32 %p, %o'));
  assert.not.match(ir, COPY);
});

test('a value that depends only on itself, in an unreachable block', async () => {
  await prepared('define void @f() {\n ret void\ndead:\n %x = freeze i32 %x\n %y = mul i32 %x, 3\n br label %dead\n}');
});

/** Bodies of functions of a pointer and two numbers that are loops, or become loops in code generation. */
const LOOPS = {
  'a loop': 'br label %l\nl:\n br label %l',
  'an atomic operation': '%o = atomicrmw fadd ptr addrspace(1) %p, float 1.0 monotonic\n ret void',
  'an element by an index that differs': '%o = insertelement <32 x i32> zeroinitializer, i32 %a, i32 %b\n ret void',
  'a remainder': '%x = bitcast i32 %a to float\n %o = frem float %x, 3.0\n ret void',
  'a long division': '%x = zext i32 %a to i128\n %o = udiv i128 99, %x\n ret void',
  'a reduction': '%o = call i32 @llvm.amdgcn.wave.reduce.umin.i32(i32 %a, i32 1)\n ret void',
  'a descriptor': '%o = load i32, ptr addrspace(7) null\n ret void',
  'an array': '%o = alloca [16 x i32], addrspace(5)\n ret void',
  'a call': '%o = call i32 null(i32 %a) memory(none)\n ret void',
};

test('memory clauses are off where there may be a loop', async () => {
  const ir = (body: string): Promise<string> =>
    prepared(
      `define void @f(ptr addrspace(1) %p, i32 %a, i32 %b) {\n ${body}\n}\ndeclare i32 @llvm.amdgcn.wave.reduce.umin.i32(i32, i32)`,
    );
  const OFF = /"amdgpu-max-memory-clause"="1"/;
  for (const [what, body] of Object.entries(LOOPS)) assert.match(await ir(body), OFF, what);
  assert.not.match(await ir('%o = load i32, ptr addrspace(1) %p\n ret void'), OFF);
});

test('16-bit inputs on processors without such instructions', async () => {
  const ir = `
    define amdgpu_kernel void @f(ptr addrspace(1) %p, i32 %a, i16 %b) {
      %id = call i32 @llvm.amdgcn.workitem.id.x()
      %c = icmp ult i32 %id, 7
      br i1 %c, label %from, label %join
    from:
      %v = trunc i32 %id to i16
      br label %join
    join:
      %phi = phi i16 [ %v, %from ], [ %b, %0 ]
      store i16 %phi, ptr addrspace(1) %p
      ret void
    }
    declare i32 @llvm.amdgcn.workitem.id.x()`;
  for (const cpu of ['gfx600', 'gfx700', 'gfx803', 'gfx906', 'gfx1100', 'gfx1200'])
    assert.match(await made(ir, cpu, ASSEMBLY), /store_(short|b16)/, cpu);
});

test.run();

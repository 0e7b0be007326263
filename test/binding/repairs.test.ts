/**
 * What LLVM does wrong and is repaired in the module (wasm/repair.mjs): sums of products, and halves. The other repairs
 * show in what kernels compute (test/melding/fixtures/, `structurizer-*` and `lost-*`).
 */
import { LlvmModule } from '../../src/binding/module.js';
import { runtime, text } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('binding/repairs', { tests: 3 });

const CPUS = ['gfx906', 'gfx1100'];
const DOT = /v_dot4/;

async function assembly(ir: string, cpu: string): Promise<string> {
  const llvm = await runtime();
  llvm.reset();
  return llvm.run(() => {
    using module = LlvmModule.read(llvm, new TextEncoder().encode(ir), { cpu, features: '' }, 2);
    module.generate('asm');
    return text(module.generated());
  });
}

/** A kernel that stores `%s`. `%a` to `%d` are loaded bytes; `%p` is `%a * %b`, `%q` is `%c * %d`. */
const sums = (body: string): string => `target triple = "amdgcn-amd-amdhsa"
  define amdgpu_kernel void @f(ptr addrspace(1) %out, ptr addrspace(1) %in, i1 %wanted) {
    ${[...'abcd'].map((name, k) => `%${name}.at = getelementptr i8, ptr addrspace(1) %in, i32 ${8 * k}`).join('\n')}
    ${[...'abcd'].map((name) => `%${name}.byte = load i8, ptr addrspace(1) %${name}.at`).join('\n')}
    ${[...'abcd'].map((name) => `%${name} = zext i8 %${name}.byte to i32`).join('\n')}
    %p = mul i32 %a, %b
    %q = mul i32 %c, %d
    ${body}
    store i32 %s, ptr addrspace(1) %out
    ret void
  }`;

const MISTAKEN = {
  or: '%o = or i32 %q, %a\n %s = add i32 %p, %o',
  'or, its product second': '%o = or i32 %a, %q\n %s = add i32 %o, %p',
  select: '%o = select i1 %wanted, i32 %q, i32 %a\n %s = add i32 %p, %o',
  'a factor of ten bits':
    '%w = load i32, ptr addrspace(1) %in\n %f = and i32 %w, 1023\n %m = mul i32 %f, %b\n %t = add i32 %p, %q\n %s = add i32 %t, %m',
  'a factor of two bytes that are apart':
    '%w = load i32, ptr addrspace(1) %in\n %f = and i32 %w, 16711935\n %m = mul i32 %f, %b\n %t = add i32 %p, %q\n %s = add i32 %t, %m',
  shift: '%o = lshr i32 %q, %a\n %s = add i32 %p, %o',
  bytes:
    '%m = mul i8 %a.byte, %b.byte\n %o = or i8 %m, %a.byte\n %t = add i8 %o, %m\n %s = zext i8 %t to i32',
} as const; // prettier-ignore

test('an operation on a product that is no sum does not become a part of one', async () => {
  for (const cpu of CPUS)
    for (const [what, body] of Object.entries(MISTAKEN))
      assert.not.match(await assembly(sums(body), cpu), DOT, `${what}, ${cpu}`);
});

test('sums of products become dot products', async () => {
  for (const cpu of CPUS)
    assert.match(await assembly(sums('%t = add i32 %p, %a\n %s = add i32 %t, %q'), cpu), DOT, cpu);
});

test('a uniform half that the vector unit computes is there in another block', async () => {
  const ir = `target triple = "amdgcn-amd-amdhsa"
    define amdgpu_kernel void @f(ptr addrspace(1) %out, half %a, half %b, i32 %n) {
    entry:
      %id = call i32 @llvm.amdgcn.workitem.id.x()
      %uniform = fadd half %a, %b
      %c = icmp slt i32 %id, %n
      br i1 %c, label %then, label %end
    then:
      %p = getelementptr half, ptr addrspace(1) %out, i32 %id
      %h = load half, ptr addrspace(1) %p
      %r = call half @llvm.copysign.f16(half %h, half %uniform)
      store half %r, ptr addrspace(1) %p
      br label %end
    end:
      ret void
    }
    declare i32 @llvm.amdgcn.workitem.id.x()
    declare half @llvm.copysign.f16(half, half)`;
  for (const cpu of CPUS) assert.match(await assembly(ir, cpu), /v_add_f16/, cpu);
});

test.run();

/** What LLVM 23 takes for sums of products, in code that is not melded (src/pipeline/mistaken-sums.ts). */
import { LlvmModule } from '../../src/binding/module.js';
import { generate } from '../../src/pipeline/generate.js';
import { runtime, text } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('pipeline/mistaken-sums', { tests: 3 });

const CPUS = ['gfx906', 'gfx1100'];
const DOT = /v_dot4/;

/** The assembly of a kernel that stores `%s`: as it leaves darm, and as LLVM makes it. `%a` to `%d` are loaded bytes. */
async function assemblies(body: string, cpu: string): Promise<{ ours: string; llvms: string }> {
  const llvm = await runtime();
  const ir = `target triple = "amdgcn-amd-amdhsa"
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
  const made = (emit: (module: LlvmModule) => void): string => {
    llvm.reset();
    return llvm.run(() => {
      using module = LlvmModule.read(llvm, new TextEncoder().encode(ir), { cpu, features: '' }, 2);
      emit(module);
      return text(module.generated());
    });
  };
  return {
    ours: made((module) => {
      generate(module, 'asm');
    }),
    llvms: made((module) => {
      module.generate('asm');
    }),
  };
}

const MISTAKEN = {
  or: '%o = or i32 %q, %a\n %s = add i32 %p, %o',
  'or, its product second': '%o = or i32 %a, %q\n %s = add i32 %o, %p',
  select: '%o = select i1 %wanted, i32 %q, i32 %a\n %s = add i32 %p, %o',
  shift: '%o = lshr i32 %q, %a\n %s = add i32 %p, %o',
  bytes:
    '%m = mul i8 %a.byte, %b.byte\n %o = or i8 %m, %a.byte\n %t = add i8 %o, %m\n %s = zext i8 %t to i32',
} as const; // prettier-ignore

test('an operation on a product that is no sum does not become a part of one', async () => {
  for (const cpu of CPUS)
    for (const [what, body] of Object.entries(MISTAKEN)) {
      const { ours, llvms } = await assemblies(body, cpu);
      assert.match(llvms, DOT, `LLVM has learnt it: ${what}, ${cpu}`);
      assert.not.match(ours, DOT, `${what}, ${cpu}`);
    }
});

test('sums of products stay dot products', async () => {
  for (const cpu of CPUS) {
    const { ours, llvms } = await assemblies('%t = add i32 %p, %a\n %s = add i32 %t, %q', cpu);
    assert.match(ours, DOT, cpu);
    assert.equal(ours, llvms);
  }
});

const OTHERS = {
  'products of words':
    '%w = load i32, ptr addrspace(1) %in\n %v = mul i32 %w, %b\n %u = mul i32 %w, %w\n %o = or i32 %v, %a\n %s = add i32 %u, %o',
  'another block': '%o = or i32 %q, %a\n br i1 %wanted, label %l, label %l\nl:\n %s = add i32 %p, %o',
  'no second product': '%o = or i32 %q, %a\n %s = add i32 %b, %o',
} as const;

test('what only resembles that gets the code of LLVM', async () => {
  for (const cpu of CPUS)
    for (const [what, body] of Object.entries(OTHERS)) {
      const { ours, llvms } = await assemblies(body, cpu);
      assert.equal(ours, llvms, `${what}, ${cpu}`);
    }
});

test.run();

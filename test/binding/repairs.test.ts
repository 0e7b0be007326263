/**
 * What LLVM does wrong and is repaired in the module (wasm/repair.mjs): sums of products. The other repairs show in what
 * kernels compute (test/melding/fixtures/, `structurizer-*` and `lost-*`).
 */
import { LlvmModule } from '../../src/binding/module.js';
import { runtime, text } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('binding/repairs', { tests: 2 });

const CPUS = ['gfx906', 'gfx1100'];
const DOT = /v_dot4/;

/** The assembly of a kernel that stores `%s`. `%a` to `%d` are loaded bytes; `%p` is `%a * %b`, `%q` is `%c * %d`. */
async function assembly(body: string, cpu: string): Promise<string> {
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
  llvm.reset();
  return llvm.run(() => {
    using module = LlvmModule.read(llvm, new TextEncoder().encode(ir), { cpu, features: '' }, 2);
    module.generate('asm');
    return text(module.generated());
  });
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
    for (const [what, body] of Object.entries(MISTAKEN))
      assert.not.match(await assembly(body, cpu), DOT, `${what}, ${cpu}`);
});

test('sums of products become dot products', async () => {
  for (const cpu of CPUS) assert.match(await assembly('%t = add i32 %p, %a\n %s = add i32 %t, %q', cpu), DOT, cpu);
});

test.run();

/** Kernels that call what their processor has no instructions for. */
import { compile } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('pipeline/left-out', { tests: 1 });

/** A kernel that reads an image by a function like those of the device libraries, and one that does not. */
const module = (cpu: string): string => `
target triple = "amdgcn-amd-amdhsa"
declare <4 x float> @llvm.amdgcn.image.load.1d.v4f32.i32.v8i32(i32, i32, <8 x i32>, i32, i32)
define internal <4 x float> @image_load(i32 %x, <8 x i32> inreg %r) noinline #1 {
  %v = call <4 x float> @llvm.amdgcn.image.load.1d.v4f32.i32.v8i32(i32 15, i32 %x, <8 x i32> %r, i32 0, i32 0)
  ret <4 x float> %v
}
define amdgpu_kernel void @reads(ptr addrspace(1) %p, i32 %x, <8 x i32> %r) #0 {
  %v = call <4 x float> @image_load(i32 %x, <8 x i32> %r)
  store <4 x float> %v, ptr addrspace(1) %p
  ret void
}
define amdgpu_kernel void @writes(ptr addrspace(1) %p) #0 {
  store i32 1, ptr addrspace(1) %p
  ret void
}
attributes #0 = { "target-cpu"="${cpu}" }
attributes #1 = { "target-cpu"="${cpu}" "target-features"="+extended-image-insts" }
`;

test('a warning names the kernel, and not others', async () => {
  const warning =
    "'reads' calls 'image_load', which needs instructions that gfx942 lacks: LLVM leaves out all that leads there";
  assert.equal((await compile(module('gfx942'), {})).diagnostics, [warning]);
  // No code, and so nothing that is left out of it.
  assert.equal((await compile(module('gfx942'), { emit: ['bc'] })).diagnostics, []);
  assert.equal((await compile(module('gfx906'), {})).diagnostics, []);
});

test.run();

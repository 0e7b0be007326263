/** What is convergent by its call only, and what really is. */
import { LlvmModule } from '../../src/binding/module.js';
import { InstrFlag } from '../../src/ir/snapshot.js';
import { runtime } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('binding/opencl-intrinsics', { tests: 3 });

/** `InstrFlag` bits of an operation in a function of its own. */
async function flagsOf(call: string, declaration: string, triple: string, cpu: string): Promise<number> {
  const ir = `target triple = "${triple}"
define void @f(float %a, <2 x float> %v, <2 x i1> %mask, <2 x i32> %w, i32 %i, i1 %b, ptr %p) {
  %r = ${call}
  ret void
}
${declaration}
attributes #0 = { convergent nounwind }`;
  const llvm = await runtime();
  llvm.reset();
  return llvm.run(() => {
    using module = LlvmModule.read(llvm, new TextEncoder().encode(ir), { cpu, features: '' }, 2);
    return module.look('f').snapshot.instrFlags[0]!;
  });
}

const amd = (call: string, declaration: string): Promise<number> =>
  flagsOf(call, declaration, 'amdgcn-amd-amdhsa', 'gfx906');

test('arithmetic is as it is without the attribute', async () => {
  for (const [call, declaration] of [
    ['call float @llvm.maxnum.f32(float %a, float 2.0)', 'declare float @llvm.maxnum.f32(float, float)'],
    ['call float @llvm.fabs.f32(float %a)', 'declare float @llvm.fabs.f32(float)'],
    ['call float @llvm.fmuladd.f32(float %a, float %a, float 1.0)', 'declare float @llvm.fmuladd.f32(float, float, float)'], // prettier-ignore
    ['call float @llvm.ldexp.f32.i32(float %a, i32 %i)', 'declare float @llvm.ldexp.f32.i32(float, i32)'],
    ['call <2 x float> @llvm.floor.v2f32(<2 x float> %v)', 'declare <2 x float> @llvm.floor.v2f32(<2 x float>)'],
    ['call <2 x float> @llvm.fma.v2f32(<2 x float> %v, <2 x float> %v, <2 x float> %v)', 'declare <2 x float> @llvm.fma.v2f32(<2 x float>, <2 x float>, <2 x float>)'], // prettier-ignore
    ['call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %v, <2 x float> %v, <2 x float> %v)', 'declare <2 x float> @llvm.fmuladd.v2f32(<2 x float>, <2 x float>, <2 x float>)'], // prettier-ignore
  ] as const) {
    const flags = await amd(call, declaration);
    assert.is(flags & InstrFlag.Speculatable, InstrFlag.Speculatable, call);
    assert.is(await amd(`${call} #0`, declaration), flags | InstrFlag.TakenForConvergent, call);
  }
});

test('what talks to other threads, and what may, stays convergent', async () => {
  for (const [call, declaration] of [
    ['call float @llvm.amdgcn.readfirstlane.f32(float %a)', 'declare float @llvm.amdgcn.readfirstlane.f32(float)'],
    ['call i32 @llvm.amdgcn.readfirstlane.i32(i32 %i) #0', 'declare i32 @llvm.amdgcn.readfirstlane.i32(i32)'],
    ['call float @g(float %a) #0', 'declare float @g(float) memory(none)'],
    ['call float %p(float %a) #0', ''],
    ['call float asm "v_mov_b32 $0, $1", "=v,v"(float %a) #0', ''],
    ['call i1 @llvm.is.constant.i32(i32 %i)', 'declare i1 @llvm.is.constant.i32(i32)'],
    // Undefined behaviour if the length is too large.
    ['call <2 x float> @llvm.vp.fadd.v2f32(<2 x float> %v, <2 x float> %v, <2 x i1> %mask, i32 %i) #0', 'declare <2 x float> @llvm.vp.fadd.v2f32(<2 x float>, <2 x float>, <2 x i1>, i32)'], // prettier-ignore
    ['call float @llvm.vp.reduce.fadd.v2f32(float %a, <2 x float> %v, <2 x i1> %mask, i32 %i) #0', 'declare float @llvm.vp.reduce.fadd.v2f32(float, <2 x float>, <2 x i1>, i32)'], // prettier-ignore
    // And if a divisor is 0 where the mask, of the same type here, holds.
    ['call <2 x i1> @llvm.masked.udiv.v2i1(<2 x i1> %mask, <2 x i1> %mask, <2 x i1> %mask) #0', 'declare <2 x i1> @llvm.masked.udiv.v2i1(<2 x i1>, <2 x i1>, <2 x i1>)'], // prettier-ignore
  ] as const) {
    const flags = await amd(call, declaration);
    assert.is(flags & (InstrFlag.Convergent | InstrFlag.TakenForConvergent), InstrFlag.Convergent, call);
    assert.is(flags & InstrFlag.Speculatable, 0, call);
  }
});

test("other targets' intrinsics are what their calls say", async () => {
  const call = 'call float @llvm.nvvm.shfl.sync.down.f32(i32 -1, float %a, i32 1, i32 31)';
  const declaration = 'declare float @llvm.nvvm.shfl.sync.down.f32(i32, float, i32, i32)';
  assert.ok((await flagsOf(call, declaration, 'nvptx64-nvidia-cuda', 'sm_70')) & InstrFlag.Convergent);
  const plain = ['call float @llvm.fabs.f32(float %a) #0', 'declare float @llvm.fabs.f32(float)'] as const;
  assert.ok((await flagsOf(...plain, 'nvptx64-nvidia-cuda', 'sm_70')) & InstrFlag.Convergent);
});

test.run();

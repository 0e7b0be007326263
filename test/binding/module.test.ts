/** What a module says of its functions. */
import { LlvmModule } from '../../src/binding/module.js';
import { runtime } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('binding/module', { tests: 4 });

const DIVISIONS = `target triple = "amdgcn-amd-amdhsa"
define float @exact(float %a) {
  %q = fdiv float %a, 3.0
  ret float %q
}
define float @rough(float %a) {
  %q = fdiv float %a, 3.0, !fpmath !0
  ret float %q
}
!0 = !{float 2.5}`;

test('whether a function divides roughly is asked without a trace, and behind any other question', async () => {
  const llvm = await runtime();
  llvm.reset();
  llvm.run(() => {
    using module = LlvmModule.read(llvm, new TextEncoder().encode(DIVISIONS), { cpu: 'gfx906', features: '' }, 2);
    const { snapshot } = module.look('exact');
    const opcodes = [...snapshot.instrOpcode];
    assert.is(snapshot.dividesRoughly(), false);
    assert.equal([...snapshot.instrOpcode], opcodes);
    assert.is(module.look('rough').snapshot.dividesRoughly(), true);
    assert.is(module.look('exact').snapshot.dividesRoughly(), false);
  });
});

const EXCHANGES = `target triple = "amdgcn-amd-amdhsa"
@sums = internal addrspace(3) global [4 x float] poison
@data = internal addrspace(3) global [64 x i16] poison
@launch = external addrspace(3) global [0 x i32]
define void @small(i32 %i) {
  %p = getelementptr float, ptr addrspace(3) @sums, i32 %i
  store float 1.0, ptr addrspace(3) %p
  ret void
}
define void @both(i32 %i) {
  store float 1.0, ptr addrspace(3) @sums
  store i16 1, ptr addrspace(3) getelementptr (i16, ptr addrspace(3) @data, i32 3)
  ret void
}
define void @unknown() {
  store i32 1, ptr addrspace(3) @launch
  ret void
}
define void @none(ptr addrspace(3) %p) {
  store i32 1, ptr addrspace(3) %p
  ret void
}`;

test('how much LDS a function names', async () => {
  const llvm = await runtime();
  llvm.reset();
  llvm.run(() => {
    using module = LlvmModule.read(llvm, new TextEncoder().encode(EXCHANGES), { cpu: 'gfx906', features: '' }, 2);
    const bytes = ['small', 'both', 'unknown', 'none'].map((name) => module.look(name).snapshot.ldsBytes());
    assert.equal(bytes, [16, 16 + 128, Infinity, 0]);
  });
});

const INLINED = `target triple = "amdgcn-amd-amdhsa"
define float @exact(float %a) {
  %q = fdiv float %a, 3.0
  ret float %q
}
define internal float @rough(float %a) alwaysinline {
  %q = fdiv float %a, 3.0, !fpmath !0
  ret float %q
}
define float @caller(float %a) {
  %q = call float @rough(float %a)
  ret float %q
}
!0 = !{float 2.5}`;

test('a pass may inline what divides roughly, and what one in a question did is forgotten', async () => {
  const llvm = await runtime();
  llvm.reset();
  llvm.run(() => {
    using module = LlvmModule.read(llvm, new TextEncoder().encode(INLINED), { cpu: 'gfx906', features: '' }, 2);
    const dividesRoughly = (name: string): boolean => module.look(name).snapshot.dividesRoughly();
    module.peek(() => {
      module.keepOnly(['exact']);
      assert.is(dividesRoughly('exact'), false);
    });
    assert.is(dividesRoughly('rough'), true);
    assert.is(dividesRoughly('caller'), false);
    module.runPasses('always-inline');
    assert.is(dividesRoughly('caller'), true);
  });
});

test("another vendor's processor for a module without a triple", async () => {
  const llvm = await runtime();
  const message = (text: string, cpu: string): string => {
    llvm.reset();
    try {
      llvm.run(() => LlvmModule.read(llvm, new TextEncoder().encode(text), { cpu, features: '' }, 2));
    } catch (error) {
      return (error as Error).message;
    }
    return '';
  };
  const plain = 'define void @f() {\n  ret void\n}\n';
  const amd = `target triple = "amdgcn-amd-amdhsa"\n${plain}`;
  const unknown = (cpu: string): string => `unknown processor '${cpu}' for amdgcn (asked for)`;
  assert.is(
    message(plain, 'sm_80'),
    `${unknown('sm_80')}: the module has no target triple and counts as AMD's ` +
      '(NVIDIA\'s say target triple = "nvptx64-nvidia-cuda")',
  );
  assert.is(message(amd, 'sm_80'), unknown('sm_80'));
  assert.is(message(plain, 'gfx9999'), unknown('gfx9999'));
  assert.is(message(`target triple = "nvptx64-nvidia-cuda"\n${plain}`, 'sm_80'), '');
});

test.run();

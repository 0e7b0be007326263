/** What a module says of its functions. */
import { LlvmModule } from '../../src/binding/module.js';
import type { LlvmRuntime } from '../../src/binding/runtime.js';
import type { BlockId, InstrId, ValueId } from '../../src/ir/ids.js';
import type { FunctionSnapshot } from '../../src/ir/snapshot.js';
import { runtime } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('binding/module', { tests: 9 });

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

const COMPARES = `target triple = "amdgcn-amd-amdhsa"
define i1 @low(float %x) {
  %c = fcmp olt float %x, 1.5
  ret i1 %c
}
define internal i1 @high(float %x) alwaysinline {
  %c = fcmp olt float %x, 0x3810000000000000
  %d = fcmp ogt float %x, 8.0
  %e = or i1 %c, %d
  ret i1 %e
}
define i1 @unused(float %x) {
  %a = fcmp olt float %x, 2.5
  %b = fcmp olt float %x, 5.5
  %c = fcmp ogt float %x, 7.0
  %d = or i1 %b, %c
  ret i1 %d
}
define i1 @caller(float %x) {
  %c = call i1 @high(float %x)
  ret i1 %c
}`;

test('constant floats that compares name, which are forgotten when a pass runs', async () => {
  const llvm = await runtime();
  llvm.reset();
  llvm.run(() => {
    using module = LlvmModule.read(llvm, new TextEncoder().encode(COMPARES), { cpu: 'gfx906', features: '' }, 2);
    const floats = (name: string): number[] => {
      const { snapshot } = module.look(name);
      const all = Array.from({ length: snapshot.valueCount }, (_, v) => snapshot.floatConstant(v as ValueId));
      return all.filter((x) => !Number.isNaN(x));
    };
    assert.equal(floats('high'), [2 ** -126, 8]);
    assert.equal(floats('low'), [1.5]);
    assert.equal(floats('caller'), []);
    // `tidy` deletes a compare that nobody uses. What was asked before it, and of whom, does not matter.
    module.tidy('unused');
    module.peek(() => assert.equal(floats('unused'), [5.5, 7]));
    assert.equal(floats('unused'), [5.5, 7]);
    module.runPasses('always-inline');
    assert.equal(floats('caller'), [2 ** -126, 8]);
  });
});

const ROOTS = `declare double @llvm.sqrt.f64(double)
declare double @llvm.rint.f64(double)
define double @roots(double %x) {
  %a = call double @llvm.rint.f64(double %x)
  %unused = call double @llvm.sqrt.f64(double %a)
  %b = call double @llvm.rint.f64(double %a)
  %c = call double @llvm.sqrt.f64(double %b)
  ret double %c
}`;

test('names of intrinsics, also when a function has changed', async () => {
  const llvm = await runtime();
  llvm.reset();
  llvm.run(() => {
    using module = LlvmModule.read(llvm, new TextEncoder().encode(ROOTS), { cpu: 'gfx906', features: '' }, 2);
    const names = (): (string | null)[] => {
      const { snapshot } = module.look('roots');
      return Array.from({ length: snapshot.instrCount }, (_, i) => snapshot.intrinsic(i as InstrId));
    };
    assert.equal(names(), ['rint.f64', 'sqrt.f64', 'rint.f64', 'sqrt.f64', null]);
    module.tidy('roots');
    assert.equal(names(), ['rint.f64', 'rint.f64', 'sqrt.f64', null]);
  });
});

const ASKED = `target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
define void @asked(ptr %p) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp eq i32 %x, 7
  br i1 %c, label %side, label %join
side:
  store i32 %x, ptr %p
  br label %join
join:
  ret void
}`;

const read = (llvm: LlvmRuntime, text: string): LlvmModule =>
  LlvmModule.read(llvm, new TextEncoder().encode(text), { cpu: 'gfx906', features: '' }, 2);

const namesIn = ({ instrCount, intrinsic }: FunctionSnapshot): Set<string | null> =>
  new Set(Array.from({ length: instrCount }, (_, i) => intrinsic(i as InstrId)).filter((name) => name !== null));

function ask(module: LlvmModule): FunctionSnapshot {
  const { editor, snapshot } = module.open('asked');
  editor.askWave(editor.block(0 as BlockId), editor.block(2 as BlockId), ['t']);
  editor[Symbol.dispose]();
  module.changed('asked');
  return snapshot;
}

test('a function is printed again for an intrinsic that an edit has brought, and for nothing else', async () => {
  const llvm = await runtime();
  llvm.reset();
  llvm.run(() => {
    using module = read(llvm, ASKED);
    let printed = 0;
    const text = module.text.bind(module);
    module.text = () => {
      printed++;
      return text();
    };
    const names = (): string[] => [...namesIn(module.look('asked').snapshot)] as string[];
    assert.equal(names(), ['amdgcn.workitem.id.x']);
    module.tidy('asked');
    assert.equal(names(), ['amdgcn.workitem.id.x']);
    assert.is(printed, 1);
    ask(module);
    // What is found out within a question is forgotten.
    module.peek(() => assert.is(names().length, 2));
    assert.equal(names(), ['amdgcn.workitem.id.x', 'amdgcn.ballot.i64']);
    assert.is(printed, 3);
  });
});

test('an older snapshot does not fit the text, and spoils nothing', async () => {
  const llvm = await runtime();
  llvm.reset();
  llvm.run(() => {
    using module = read(llvm, ASKED);
    assert.equal([...namesIn(ask(module))], []);
    assert.equal([...namesIn(module.look('asked').snapshot)], ['amdgcn.workitem.id.x', 'amdgcn.ballot.i64']);
  });
});

const SWITCHES = `define void @both(i32 %x, i8 %y) {
  switch i32 %x, label %end [
    i32 7, label %one
    i32 -1, label %one
  ], !prof !0
one:
  %n = call range(i8 0, 9) i8 @llvm.ctpop.i8(i8 %y)
  switch i8 %n, label %end [ i8 3, label %end ]
end:
  ret void
}
declare i8 @llvm.ctpop.i8(i8)
!0 = !{!"branch_weights", i32 1, i32 9, i32 9}`;

test('what switches ask for, of the function as it is', async () => {
  const llvm = await runtime();
  llvm.reset();
  llvm.run(() => {
    using module = LlvmModule.read(llvm, new TextEncoder().encode(SWITCHES), { cpu: 'gfx906', features: '' }, 2);
    const values = () => {
      const { snapshot } = module.look('both');
      return Array.from({ length: snapshot.blockCount }, (_, b) => snapshot.switchValues(b as BlockId));
    };
    const first = { values: [7n, -1n], range: null, isWeighed: true };
    assert.equal(values(), [first, { values: [3n], range: [0n, 9n], isWeighed: false }, null]);
    // The second switch has one destination.
    module.tidy('both');
    assert.equal(values(), [null]);
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

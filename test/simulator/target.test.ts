import { createCompiler } from '../../src/compiler/compiler.js';
import { SIMULATED_CPUS, simulatedTarget } from '../../src/simulator/target.js';
import { parseSpec } from '../../src/simulator/launch/spec.js';
import { artifact, compile } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('simulator/target', { tests: 3, timeoutMs: 60_000 });

test('only simulated processors have a target', () => {
  for (const cpu of ['gfx803', 'gfx1200', 'gfx9', 'toString', ''])
    assert.throws(() => simulatedTarget(cpu), /the simulator does not know the processor/);
});

const KERNEL = `
target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) %data) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %row = mul i32 %y, 32
  %item = add i32 %row, %x
  %at = getelementptr float, ptr addrspace(1) %data, i32 %item
  %old = load float, ptr addrspace(1) %at
  %new = fmul float %old, 3.0
  store float %new, ptr addrspace(1) %at
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.y()
`;

test.long('every simulated processor executes a kernel and estimates its cycles', async () => {
  const args = [{ buffer: 'f32', length: 96, fill: { iota: 0 }, out: true }];
  const spec = parseSpec(JSON.stringify({ grid: [1], block: [32, 3], args }), () => new Uint8Array());
  await using compiler = createCompiler({ threads: 0, tierPolicy: 'short' });
  for (const cpu of SIMULATED_CPUS) {
    const object = artifact(await compile(KERNEL, { emit: ['hsaco'], meld: 'off', mcpu: cpu }), 'hsaco');
    const { buffers, launches } = await compiler.simulate(object, spec);
    const floats = new Float32Array(buffers[0]!.bytes.buffer);
    assert.equal(
      Array.from(floats),
      Array.from({ length: 96 }, (_, item) => 3 * item),
      cpu,
    );
    assert.ok(launches[0]!.cycles! > 100 && launches[0]!.cycles! < 10_000, `${cpu}: ${launches[0]!.cycles} cycles`);
  }
});

const NEIGHBOURS = `
target triple = "amdgcn-amd-amdhsa"
@bytes = internal addrspace(3) global [40 x i8] poison
define amdgpu_kernel void @k(ptr addrspace(1) %data) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %own = getelementptr i8, ptr addrspace(3) @bytes, i32 %x
  %low = trunc i32 %x to i8
  store i8 %low, ptr addrspace(3) %own
  call void @llvm.amdgcn.s.barrier()
  %eight = load i64, ptr addrspace(3) %own, align 1
  %at = getelementptr i64, ptr addrspace(1) %data, i32 %x
  store i64 %eight, ptr addrspace(1) %at
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
`;

test('neighbouring bytes of LDS are read in one access at any address', async () => {
  const args = [{ buffer: 'u8', length: 256, fill: { iota: 0 }, out: true }];
  const spec = parseSpec(JSON.stringify({ grid: [1], block: [32], args }), () => new Uint8Array());
  await using compiler = createCompiler({ threads: 0, tierPolicy: 'short' });
  const object = artifact(await compile(NEIGHBOURS, { emit: ['hsaco'], meld: 'off', mcpu: 'gfx90a' }), 'hsaco');
  const { buffers } = await compiler.simulate(object, spec);
  for (const x of [0, 1, 7, 24])
    assert.equal(
      [...buffers[0]!.bytes.subarray(8 * x, 8 * x + 8)],
      Array.from({ length: 8 }, (_, k) => x + k),
    );
  const strict = await compiler.simulate(object, spec, { unalignedLds: false }).catch((error: Error) => error.message);
  assert.match(strict as string, /no multiple of 8/);
});

test.run();

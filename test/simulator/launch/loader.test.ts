/** Code objects in memory: segments, relocations, descriptors; and damaged ones. */
import { DarmError } from '../../../src/errors.js';
import { readCodeObject, type LoadableCodeObject } from '../../../src/simulator/launch/code-object.js';
import { addressOf, planImage, writeImage } from '../../../src/simulator/launch/loader.js';
import { ADDRESS_HIGH, GlobalMemory, MemoryPlan } from '../../../src/simulator/memory.js';
import { artifact, compile } from '../../support/llvm.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('simulator/launch/loader', { tests: 6 });

const MODULE = `
target triple = "amdgcn-amd-amdhsa"
@constant = addrspace(4) constant [2 x i32] [i32 11, i32 22]
@counter = addrspace(1) global i32 7
@shadowed = protected addrspace(1) global i32 8
@where = addrspace(1) global [3 x ptr addrspace(1)] [
  ptr addrspace(1) @counter, ptr addrspace(1) @shadowed, ptr addrspace(1) getelementptr (i32, ptr addrspace(1) @zeros, i64 5)]
@zeros = addrspace(1) global [1000 x i32] zeroinitializer
define amdgpu_kernel void @first(ptr addrspace(1) %out) #1 {
  store i32 1, ptr addrspace(1) %out
  ret void
}
define amdgpu_kernel void @second(ptr addrspace(1) %out, i64 %n) #0 {
  %id = call i32 @llvm.amdgcn.workitem.id.z()
  store volatile i32 %id, ptr addrspace(1) @counter
  store i64 %n, ptr addrspace(1) %out
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.z()
attributes #0 = { "target-cpu"="gfx906" }
attributes #1 = { "target-cpu"="gfx906" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" }
`;

const hsaco = async (text: string = MODULE): Promise<Uint8Array> =>
  artifact(await compile(text, { emit: ['hsaco'], meld: 'off' }), 'hsaco');

interface Loaded {
  readonly object: LoadableCodeObject;
  readonly memory: GlobalMemory;
  readonly base: number;
  /** Lower word of a variable's address. */
  variable(name: string): number;
}

async function load(): Promise<Loaded> {
  const object = readCodeObject(await hsaco());
  const plan = new MemoryPlan();
  plan.add('a buffer', 100, true);
  const base = planImage(plan, object);
  const memory = new GlobalMemory(plan.regions, new ArrayBuffer(plan.end));
  writeImage(memory, object, base);
  return {
    object,
    memory,
    base,
    variable: (name) => base + object.variables.find((each) => each.name === name)!.address,
  };
}

test('variables have their values, the rest is zero', async () => {
  const { memory, variable } = await load();
  const word = (at: number): number => memory.u32[at / 4]!;
  assert.is(word(variable('counter')), 7);
  assert.is(word(variable('shadowed')), 8);
  assert.is(word(variable('zeros') + 3996), 0);
});

test('pointers are relocated, with and without a symbol', async () => {
  const { object, memory, variable } = await load();
  const view = new DataView(memory.buffer);
  const pointer = (index: number): bigint => view.getBigUint64(variable('where') + 8 * index, true);
  assert.ok(object.relocations.some(({ symbol }) => symbol !== null));
  assert.ok(object.relocations.some(({ symbol }) => symbol === null));
  assert.is(pointer(0), addressOf(variable('counter')));
  assert.is(pointer(1), addressOf(variable('shadowed')));
  assert.is(pointer(2), addressOf(variable('zeros') + 20));
});

test('code is read-only, variables are not, and between them is nothing', async () => {
  const { object, memory, base, variable } = await load();
  const code = base + object.code.address;
  assert.is(memory.locate(code, ADDRESS_HIGH, 4, false, 0), code);
  assert.throws(() => memory.locate(code, ADDRESS_HIGH, 4, true, 0), /the code object is read-only/);
  assert.is(memory.locate(variable('counter'), ADDRESS_HIGH, 4, true, 0), variable('counter'));
  const last = Math.max(...object.segments.map(({ address, size }) => address + size));
  assert.throws(() => memory.locate(base + last + 64, ADDRESS_HIGH, 4, false, 0), /the code object's data, which has/);
});

test('kernels with their descriptors', async () => {
  const { object } = await load();
  assert.equal(
    object.kernels.map(({ info }) => info.name),
    ['first', 'second'],
  );
  const [first, second] = object.kernels;
  assert.ok(first!.entryAddress >= object.code.address);
  assert.is(first!.entryAddress % 256, 0);
  assert.ok(second!.entryAddress >= first!.endAddress!);
  assert.is(first!.descriptor.workItemIds, 0);
  assert.is(second!.descriptor.workItemIds, 2);
  assert.is(first!.descriptor.kernargBytes, first!.info.kernargSize);
  assert.equal(first!.descriptor.float, {
    roundF32: 0,
    roundF16F64: 0,
    denormF32: 3,
    denormF16F64: 3,
    ieee: true,
    dx10Clamp: true,
  });
});

test('other processors and object files are refused', async () => {
  const bytes = await hsaco();
  const withFlags = (mach: number): Uint8Array => {
    const copy = bytes.slice();
    copy[48] = mach;
    return copy;
  };
  assert.throws(() => readCodeObject(withFlags(0x49)), /does not know the processor 'gfx1250'/);
  assert.throws(() => readCodeObject(withFlags(0x2a)), /does not know the processor 'gfx803'/);
  const object = artifact(await compile(MODULE, { emit: ['obj'], meld: 'off' }), 'obj');
  assert.throws(() => readCodeObject(object), /is not linked/);
  const x86 = bytes.slice();
  x86[18] = 62;
  assert.throws(() => readCodeObject(x86), /holds no AMD GPU code/);
});

test.long('truncated and damaged code objects give an error or an answer', async () => {
  const whole = await hsaco();
  const survives = (bytes: Uint8Array): void => {
    try {
      const object = readCodeObject(bytes);
      const plan = new MemoryPlan();
      const base = planImage(plan, object);
      if (plan.end > 2 ** 24) return;
      const memory = new GlobalMemory(plan.regions, new ArrayBuffer(plan.end));
      writeImage(memory, object, base);
    } catch (error) {
      assert.instance(error, DarmError, String((error as Error).stack));
      assert.is((error as DarmError).exitCode, 1);
    }
  };
  for (let length = 0; length < whole.length; length += 97) survives(whole.subarray(0, length));
  let state = 1;
  const next = (below: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  for (let run = 0; run < 1500; run++) {
    const bytes = whole.slice();
    // Headers and the dynamic segment are where damage matters.
    for (let change = 0; change < 3; change++)
      bytes[next(run % 2 ? 700 : bytes.length)] = [0, 0xff, 0x7f, next(256)][next(4)]!;
    survives(bytes);
  }
});

test.run();

/** One instance over many tasks, and what happens to an instance after a failure. */
import { createHash } from 'node:crypto';
import { readManifest } from '../../src/binding/load.js';
import { DarmError } from '../../src/errors.js';
import { compileModule } from '../../src/pipeline/compile.js';
import { artifact, compile, freshRuntime, kernel, runtime, SILENT, withDefaults } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('binding/runtime', { tests: 14, timeoutMs: 300_000 });

const OBJECT = withDefaults({ emit: ['obj'], meld: 'off' });

/** Calls `use`, which must fail with a `DarmError`. */
function failure(job: () => unknown): DarmError {
  try {
    job();
  } catch (error) {
    assert.instance(error, DarmError);
    return error as DarmError;
  }
  throw new Error('the job succeeded');
}

test.long('twenty compilations of one kernel need no byte more than one', async () => {
  const rt = await freshRuntime();
  const bytes = await kernel('sb1.gfx906.O3');
  const options = withDefaults({ emit: ['hsaco'] });
  compileModule(rt, bytes, options, SILENT);
  const end = rt.llvm._sbrk(0);
  const before = rt.memory.buffer.byteLength;
  for (let round = 0; round < 20; round++) {
    compileModule(rt, bytes, options, SILENT);
    assert.is(rt.llvm._sbrk(0), end);
  }
  assert.is(rt.memory.buffer.byteLength, before);
});

test.long('a peek leaves the memory as it was', async () => {
  const rt = await freshRuntime();
  rt.allocate(100);
  const hash = (): string => createHash('sha256').update(new Uint8Array(rt.memory.buffer)).digest('hex');
  const [before, end] = [hash(), rt.llvm._sbrk(0)];
  const asked = rt.peek(() => {
    const far = rt.allocate(2 ** 26);
    new Uint8Array(rt.memory.buffer).fill(7, far, far + 2 ** 26);
    return [rt.allocate(8), rt.llvm._sbrk(0)];
  });
  assert.ok(asked[1]! > end);
  assert.is(rt.llvm._sbrk(0), end);
  const grown = new Uint8Array(rt.memory.buffer);
  assert.ok(grown.subarray(end).every((byte) => byte === 0));
  assert.is(
    createHash('sha256')
      .update(grown.subarray(0, 2 ** 26))
      .digest('hex'),
    before,
  );
  assert.throws(() =>
    rt.peek(() => {
      rt.allocate(1000);
      throw new DarmError('bad-input', 'no');
    }),
  );
  assert.is(
    createHash('sha256')
      .update(new Uint8Array(rt.memory.buffer).subarray(0, 2 ** 26))
      .digest('hex'),
    before,
  );
});

test('a peek within another leaves the memory as the outer one found it, and then as it was', async () => {
  const rt = await freshRuntime();
  const place = rt.allocate(8);
  const byte = (): number => new Uint8Array(rt.memory.buffer)[place]!;
  const write = (value: number): void => void new Uint8Array(rt.memory.buffer).fill(value, place, place + 8);
  write(1);
  rt.peek(() => {
    write(2);
    rt.peek(() => write(3));
    assert.is(byte(), 2);
  });
  assert.is(byte(), 1);
});

test('a name that was given during a peek is copied anew afterwards', async () => {
  const rt = await freshRuntime();
  const early = rt.name('early');
  rt.peek(() => assert.equal([rt.name('early'), rt.stringOut(rt.name('late'))], [early, 'late']));
  rt.allocate(64);
  assert.equal([rt.name('early'), rt.stringOut(rt.name('late'))], [early, 'late']);
});

test('the bytes do not depend on earlier compilations', async () => {
  const [a, b] = [await kernel('bitonic.gfx906.O3'), await kernel('sb3.gfx1100.O3')];
  const options = { emit: ['obj', 'bc'] as const };
  const first = await compile(a, options);
  await compile(b, options);
  const again = await compile(a, options);
  const alone = compileModule(await freshRuntime(), a, withDefaults(options), SILENT);
  for (const kind of ['obj', 'bc'] as const) {
    assert.equal(artifact(again, kind), artifact(first, kind));
    assert.equal(artifact(alone, kind), artifact(first, kind));
  }
});

test.long('nothing writes to the data that a reset takes for constant', async () => {
  const rt = await freshRuntime();
  const { constants } = await readManifest();
  assert.ok(constants.end - constants.start > 2 ** 20);
  const hash = (): string =>
    createHash('sha256')
      .update(new Uint8Array(rt.memory.buffer, constants.start, constants.end - constants.start))
      .digest('hex');
  const before = hash();
  const options = withDefaults({ emit: ['hsaco', 'asm', 'll', 'bc'], optimize: 'O3' });
  for (const name of ['many.gfx906.early', 'many.gfx1100.O3']) compileModule(rt, await kernel(name), options, SILENT);
  assert.is(hash(), before);
});

test('an error in the input leaves the instance usable', async () => {
  const rt = await freshRuntime();
  const wrong = failure(() => compileModule(rt, new TextEncoder().encode('define void @f( {'), OBJECT, SILENT));
  assert.is(wrong.code, 'bad-input');
  assert.is(wrong.location?.line, 1);
  assert.is(rt.poisoned, false);
  compileModule(rt, await kernel('sb1.gfx906.O3'), OBJECT, SILENT);
});

test("a fatal error carries LLVM's own message and poisons the instance", async () => {
  const rt = await freshRuntime();
  const module = `target triple = "amdgcn-amd-amdhsa"
define void @f(fp128 %x, ptr %p) #0 {
  %r = fadd fp128 %x, %x
  store fp128 %r, ptr %p
  ret void
}
attributes #0 = { "target-cpu"="gfx906" }`;
  const error = failure(() => compileModule(rt, new TextEncoder().encode(module), OBJECT, SILENT));
  assert.is(error.code, 'compile-failed');
  assert.is(error.message, 'unsupported library call operation');
  assert.is(rt.poisoned, true);
});

test('an error that LLVM reports without aborting leaves the instance usable', async () => {
  const rt = await freshRuntime();
  const module = `target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @f() #0 {
  call void asm sideeffect "no_such_instruction v0", ""()
  ret void
}
attributes #0 = { "target-cpu"="gfx906" }`;
  const error = failure(() => compileModule(rt, new TextEncoder().encode(module), OBJECT, SILENT));
  assert.is(error.code, 'compile-failed');
  assert.match(error.message, /invalid instruction/);
  assert.is(rt.poisoned, false);
});

test('the memory limit holds', async () => {
  // Less than the instance may have: the message names what was asked for.
  const rt = await freshRuntime(80 * 2 ** 20);
  const lines = Array.from({ length: 200_000 }, (_, i) => `  %v${i} = add i32 %n, ${i}`).join('\n');
  const module = `target triple = "amdgcn-amd-amdhsa"\ndefine void @f(i32 %n) {\n${lines}\n  ret void\n}`;
  const error = failure(() => compileModule(rt, new TextEncoder().encode(module), OBJECT, SILENT));
  assert.is(error.code, 'out-of-memory');
  assert.match(error.message, /limit of 80 MiB/);
  assert.is(rt.poisoned, true);
});

test.long('a code object that does not fit into the memory', async () => {
  // The object, a GiB of zeros and a byte, fits; lld has no room for its output.
  const module = `target triple = "amdgcn-amd-amdhsa"\n@far = addrspace(1) global i8 1, align ${2 ** 30}`;
  const rt = await freshRuntime(2 ** 32);
  const options = withDefaults({ mcpu: 'gfx906', meld: 'off' });
  const error = failure(() => compileModule(rt, new TextEncoder().encode(module), options, SILENT));
  assert.is(error.code, 'out-of-memory');
  assert.match(error.message, /limit of 4096 MiB/);
});

test('no addresses for the memory', async () => {
  const { Memory } = WebAssembly;
  // As V8 behaves below `ulimit -v`.
  WebAssembly.Memory = class {
    constructor() {
      throw new RangeError('could not allocate memory');
    }
  } as unknown as typeof Memory;
  const error = await freshRuntime()
    .then(
      () => null,
      (thrown: unknown) => thrown,
    )
    .finally(() => (WebAssembly.Memory = Memory));
  assert.instance(error, DarmError);
  assert.is((error as DarmError).code, 'out-of-memory');
});

test("an overflow of LLVM's stack is the input's fault", async () => {
  const depth = 200_000;
  for (const module of [
    `!0 = ${'!{'.repeat(depth)}${'}'.repeat(depth)}`,
    `@g = global ${'{'.repeat(depth)}i32${'}'.repeat(depth)} zeroinitializer`,
  ]) {
    const rt = await freshRuntime();
    const error = failure(() => compileModule(rt, new TextEncoder().encode(module), OBJECT, SILENT));
    assert.is(error.code, 'compile-failed');
    assert.match(error.message, /ran out of stack/);
  }
});

test('a poisoned instance refuses further work', async () => {
  const rt = await runtime();
  const error = failure(() =>
    rt.run(() => {
      throw new Error('trap');
    }),
  );
  assert.is(error.code, 'internal');
  const next = failure(() => rt.run(() => 1));
  assert.match(next.message, /poisoned/);
});

test.run();

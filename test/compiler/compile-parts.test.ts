/** Modules in parts: the same bytes from any number of workers, and kernels that leave the same memory. */
import { createHash } from 'node:crypto';
import { manyKernels } from '../../bench/many-kernels.js';
import { inspectCodeObject } from '../../src/formats/code-object.js';
import { createCompiler, DarmError, type Compiler, type JobOptions } from '../../src/index.js';
import { defaultSpec } from '../../src/simulator/launch/default-spec.js';
import { kernel, text } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('compiler/compile-parts', { tests: 6, timeoutMs: 120_000 });

/** Kernels and a function that share a function, a constant and LDS; one kernel has a variable of its own. */
const SHARING = `target triple = "amdgcn-amd-amdhsa"
@lds = internal addrspace(3) global [256 x i32] poison, align 4
@shared = internal addrspace(3) global [256 x i32] poison, align 4
@table = internal addrspace(4) constant [4 x i32] [i32 1, i32 20, i32 300, i32 4000]
@count = internal addrspace(1) global i32 5
declare i32 @llvm.amdgcn.workitem.id.x()
define internal i32 @help(i32 %x) noinline "target-cpu"="gfx906" {
  %p = getelementptr i32, ptr addrspace(3) @shared, i32 %x
  store i32 %x, ptr addrspace(3) %p
  %s = and i32 %x, 3
  %q = getelementptr i32, ptr addrspace(4) @table, i32 %s
  %w = load i32, ptr addrspace(4) %q
  %v = load i32, ptr addrspace(3) %p
  %y = add i32 %v, %w
  ret i32 %y
}
${['first', 'second', 'third'].map((name, n) => `
define amdgpu_kernel void @${name}(ptr addrspace(1) %o) "target-cpu"="gfx906" {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %v = call i32 @help(i32 %id)
  %p = getelementptr i32, ptr addrspace(3) @lds, i32 %id
  store i32 %v, ptr addrspace(3) %p
  %l = load i32, ptr addrspace(3) %p
  ${n === 1 ? '%c = load i32, ptr addrspace(1) @count' : `%c = add i32 %l, ${n}`}
  %s = mul i32 %l, %c
  %q = getelementptr i32, ptr addrspace(1) %o, i32 %id
  store i32 %s, ptr addrspace(1) %q
  ret void
}`).join('')}
define i32 @outside(i32 %n) "target-cpu"="gfx906" {
  %v = call i32 @help(i32 %n)
  ret i32 %v
}
`; // prettier-ignore

const bytesOf = (module: string): Uint8Array => new TextEncoder().encode(module);

async function codeObject(compiler: Compiler, module: Uint8Array, options: Partial<JobOptions>): Promise<Uint8Array> {
  const { artifacts } = await compiler.compile(module, options);
  return artifacts[0]!.bytes;
}

/** The memory that each kernel leaves, as a hash. */
async function memories(compiler: Compiler, code: Uint8Array): Promise<string[]> {
  const { kernels } = inspectCodeObject(code);
  return Promise.all(
    kernels.map(async (each) => {
      const { buffers } = await compiler.simulate(code, defaultSpec(each, 0), { cycles: false });
      const hash = createHash('sha256');
      for (const { bytes } of buffers) hash.update(bytes);
      return `${each.name} ${hash.digest('hex')}`;
    }),
  );
}

async function someCopies(compiler: Compiler, name: string): Promise<Uint8Array> {
  const { artifacts } = await compiler.compile(await kernel(name), { emit: ['ll'], meld: 'off' });
  return bytesOf(manyKernels(text(artifacts[0]!.bytes), 4));
}

test.long('the same bytes from any number of workers', async () => {
  const hashes = new Set<string>();
  for (const threads of [0, 1, 3]) {
    await using compiler = createCompiler({ threads, tierPolicy: 'short' });
    const code = await codeObject(compiler, await someCopies(compiler, 'bitonic.gfx906.O3'), { partitions: 3 });
    hashes.add(createHash('sha256').update(code).digest('hex'));
  }
  assert.is(hashes.size, 1);
});

test.long('kernels leave the same memory as in a whole module, and are described in the same order', async () => {
  await using compiler = createCompiler({ threads: 2, tierPolicy: 'short' });
  for (const module of [
    bytesOf(SHARING),
    await someCopies(compiler, 'bitonic.gfx906.O3'),
    await someCopies(compiler, 'bitonic.gfx1100.O3'),
  ]) {
    // prettier-ignore
    const whole = await codeObject(compiler, module, {});
    const inParts = await codeObject(compiler, module, { partitions: 4 });
    assert.not.equal(inParts, whole);
    assert.equal(await memories(compiler, inParts), await memories(compiler, whole));
    const described = (code: Uint8Array) => {
      const { kernels, ...rest } = inspectCodeObject(code);
      return { ...rest, kernels: kernels.map((each) => ({ ...each, codeBytes: null })) };
    };
    assert.equal(described(inParts), described(whole));
  }
});

test.long('parts hold the melds that make the whole module smallest', async () => {
  await using compiler = createCompiler({ threads: 2, tierPolicy: 'short' });
  const module = await someCopies(compiler, 'sb3r.gfx906.O3');
  const sizes = async (options: Partial<JobOptions>): Promise<(number | null)[]> =>
    inspectCodeObject(await codeObject(compiler, module, options)).kernels.map(({ codeBytes }) => codeBytes);
  // The planner likes these melds, and they make the code larger.
  assert.equal(await sizes({ profit: 'size', partitions: 4 }), await sizes({ meld: 'off' }));
  assert.not.equal(await sizes({ profit: 'paper', partitions: 4 }), await sizes({ meld: 'off' }));
});

test('modules that cannot be divided are those of one part', async () => {
  await using compiler = createCompiler({ threads: 1, tierPolicy: 'short' });
  const one = await kernel('sb1.gfx906.O3');
  assert.equal(await codeObject(compiler, one, { partitions: 4 }), await codeObject(compiler, one, {}));
  const small = bytesOf(SHARING);
  assert.equal(await codeObject(compiler, small, { partitions: 'auto' }), await codeObject(compiler, small, {}));
});

test.long('figures, bitcode and text are those of the whole module', async () => {
  await using compiler = createCompiler({ threads: 1, tierPolicy: 'short' });
  const options = { emit: ['ll', 'hsaco', 'bc'], stats: true } as const;
  const module = await someCopies(compiler, 'bitonic.gfx906.O3');
  const whole = await compiler.compile(module, options);
  const inParts = await compiler.compile(module, { ...options, partitions: 2 });
  assert.equal(inParts.functions, whole.functions);
  assert.equal(inParts.artifacts.map(({ kind }) => kind), ['ll', 'hsaco', 'bc']); // prettier-ignore
  for (const index of [0, 2]) assert.equal(inParts.artifacts[index]!.bytes, whole.artifacts[index]!.bytes);
});

test('what parts do not have together is refused', async () => {
  await using compiler = createCompiler({ threads: 1, tierPolicy: 'short' });
  for (const kind of ['obj', 'asm', 'ptx'] as const)
    try {
      await compiler.compile(bytesOf(SHARING), { partitions: 2, emit: ['hsaco', kind] });
      assert.unreachable();
    } catch (error) {
      assert.ok(error instanceof DarmError && error.code === 'usage', String(error));
      assert.match(error.message, new RegExp(`there is no one ${kind} of several parts`));
    }
});

test.run();

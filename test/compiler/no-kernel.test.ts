/** Code objects of which nobody can launch anything are made, and said to be that. */
import { manyKernels } from '../../bench/many-kernels.js';
import { NO_KERNEL } from '../../src/job/results.js';
import type { JobOptions, SourceCompileOptions } from '../../src/index.js';
import { inlineCompiler as compiler } from '../support/inline-compiler.js';
import { assert, suite } from '../support/suite.js';

const test = suite('compiler/no-kernel', { tests: 3, timeoutMs: 120_000 });

const TRIPLE = 'target triple = "amdgcn-amd-amdhsa"\n';
const FUNCTION = `${TRIPLE}define i32 @f(i32 %x) {\n  ret i32 %x\n}\n`;
const KERNEL = `${TRIPLE}define amdgpu_kernel void @k() {\n  ret void\n}\n`;

const warningsOf = async (input: string, options: Partial<JobOptions> | SourceCompileOptions = {}) =>
  (await compiler().compile(input, { mcpu: 'gfx906', ...options })).diagnostics;

test('a warning for code objects, not for what may be linked to kernels', async () => {
  for (const input of [FUNCTION, TRIPLE]) {
    assert.equal(await warningsOf(input), [NO_KERNEL]);
    assert.equal(await warningsOf(input, { meld: 'off', stats: true }), [NO_KERNEL]);
    for (const kind of ['obj', 'asm', 'bc', 'll'] as const) assert.equal(await warningsOf(input, { emit: [kind] }), []);
  }
  assert.equal(await warningsOf(KERNEL), []);
  const shader = KERNEL.replace('amd-amdhsa', '-amdpal').replace('amdgpu_kernel', 'amdgpu_cs');
  assert.equal(await warningsOf(shader), []);
  assert.equal(await warningsOf(`${KERNEL}${FUNCTION.replace(TRIPLE, '')}`), []);
});

test('the same in parts', async () => {
  const kernels = manyKernels(KERNEL, 4);
  const functions = kernels.replaceAll('amdgpu_kernel ', '');
  assert.equal(await warningsOf(functions, { partitions: 2 }), [NO_KERNEL]);
  assert.equal(await warningsOf(kernels, { partitions: 2 }), []);
});

test('of source: OpenCL C is for the device, HIP may be for the host alone', async () => {
  assert.equal(await warningsOf('int f(int x) { return x; }', { language: 'opencl' }), [NO_KERNEL]);
  assert.equal(await warningsOf('int f(int x) { return x; }', { language: 'hip', flags: ['-nogpuinc'] }), []);
});

test.run();

/** LLVM's module splitting: the parts hold every kernel once and compile by themselves. */
import * as assert from 'uvu/assert';
import { LlvmModule } from '../../src/binding/module.js';
import { compile, kernel, runtime } from '../support/llvm.js';
import { suite } from '../support/suite.js';

const test = suite('binding/split', { tests: 2 });

const NO_TARGET = { cpu: '', features: '' };

function kernelsOf(bytes: Uint8Array, rt: Awaited<ReturnType<typeof runtime>>): string[] {
  using module = LlvmModule.read(rt, bytes, NO_TARGET, 2);
  return module
    .functions()
    .filter((each) => each.kernel)
    .map((each) => each.name);
}

test('three parts of a module', async () => {
  const rt = await runtime();
  rt.reset();
  const whole = await kernel('many.gfx906.O3');
  const all = kernelsOf(whole, rt);
  const module = LlvmModule.read(rt, whole, NO_TARGET, 2);
  const parts = module.split(3);
  assert.is(parts.length, 3);
  const split = parts.flatMap((part) => kernelsOf(part, rt));
  assert.equal(split.toSorted(), all.toSorted());
  for (const part of parts) {
    const { artifacts } = await compile(part, { emit: ['obj'], meld: 'off' });
    assert.ok(artifacts[0]!.bytes.length > 0);
  }
});

test('only amdgcn modules can be split', async () => {
  const rt = await runtime();
  rt.reset();
  const module = LlvmModule.read(rt, await kernel('nvptx-threshold.sm_70.O3'), NO_TARGET, 2);
  assert.throws(() => module.split(2), /only amdgcn modules can be split/);
});

test.run();

/** What code generation goes without, because LLVM 23 does it wrong (src/pipeline/generate.ts). */
import { LlvmModule } from '../../src/binding/module.js';
import { DEFAULT_OPTIONS } from '../../src/job/options.js';
import { compilePart } from '../../src/pipeline/compile-parts.js';
import { generate } from '../../src/pipeline/generate.js';
import { kernel, runtime } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('pipeline/generate', { tests: 2 });

/** `llc-23` makes other code of it with `-amdgpu-enable-rewrite-partial-reg-uses=false`. */
const KERNEL = 'raytri.gfx906.O3';

/** The object file, after something has been done with the module. */
async function objectBy(emit: (module: LlvmModule) => void): Promise<Buffer> {
  const llvm = await runtime();
  const bitcode = await kernel(KERNEL);
  llvm.reset();
  return llvm.run(() => {
    using module = LlvmModule.read(llvm, bitcode, { cpu: '', features: '' }, 2);
    emit(module);
    return Buffer.from(module.generated());
  });
}

const ours = (isMelded: boolean): Promise<Buffer> =>
  objectBy((module) => {
    generate(module, 'obj', isMelded);
  });

test('register tuples are rewritten where nothing is melded, as llc does it, and nowhere else', async () => {
  const llvms = await objectBy((module) => {
    module.generate('obj');
  });
  assert.ok((await ours(false)).equals(llvms));
  assert.not.ok((await ours(true)).equals(llvms));
});

test('in the parts of a module, too', async () => {
  const llvm = await runtime();
  const bitcode = await kernel(KERNEL);
  const names: string[] = [];
  await objectBy((module) => {
    names.push(...module.functions().map(({ name }) => name));
    module.generate('obj');
  });
  const part = (isMelded: boolean): Buffer =>
    Buffer.from(compilePart(llvm, bitcode, DEFAULT_OPTIONS, { names, isMelded }).object);
  assert.ok(part(false).equals(part(false)));
  assert.not.ok(part(true).equals(part(false)));
});

test.run();

/** Options of LLVM that are switched off for one module. */
import { LlvmModule } from '../../src/binding/module.js';
import { withSwitchedOff } from '../../src/binding/switched-off.js';
import { kernel, runtime, text } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('binding/switched-off', { tests: 2 });

const REWRITING = 'amdgpu-enable-rewrite-partial-reg-uses';
/** `llc-23` makes other code of it with `-amdgpu-enable-rewrite-partial-reg-uses=false`. */
const KERNEL = 'raytri.gfx906.O3';

test('an option is off for one module, and on for the next one', async () => {
  const llvm = await runtime();
  const bitcode = await kernel(KERNEL);
  const code = (without: readonly string[]): string =>
    llvm.run(() => {
      using module = LlvmModule.read(llvm, bitcode, { cpu: '', features: '' }, 2);
      module.generate('asm', without);
      return text(module.generated());
    });
  llvm.reset();
  const usual = code([]);
  const without = code([REWRITING]);
  assert.ok(without !== usual, 'the pass does something');
  assert.equal(code([]), usual);
  llvm.reset();
  assert.equal(code([REWRITING]), without);
  llvm.reset();
  assert.equal(code([]), usual);
});

test('what is no such option is an error', async () => {
  const llvm = await runtime();
  for (const name of ['no-such-option', 'amdgpu-max-memory-clause', 'help'])
    assert.throws(() => withSwitchedOff(llvm, [name], () => 0), /is not in its memory as expected/);
});

test.run();

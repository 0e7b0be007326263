/** What is said of symbols that nothing defines. */
import { LlvmModule } from '../../src/binding/module.js';
import { shortLinkError } from '../../src/binding/link-error.js';
import { runtime } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('binding/link-error', { tests: 2 });

const calls = (...names: string[]): string => `target triple = "amdgcn-amd-amdhsa"
${names.map((name) => `declare void @${name}()`).join('\n')}
define amdgpu_kernel void @k() {
${[...names, ...names].map((name) => `  call void @${name}()`).join('\n')}
  ret void
}`;

async function linkError(text: string): Promise<string> {
  const llvm = await runtime();
  llvm.reset();
  return llvm.run(() => {
    using module = LlvmModule.read(llvm, new TextEncoder().encode(text), { cpu: 'gfx906', features: '' }, 2);
    module.generate('obj');
    try {
      module.link();
    } catch (error) {
      return (error as Error).message;
    }
    return '';
  });
}

test('undefined symbols are one list, with a place of the first and the library that has them', async () => {
  assert.is(
    await linkError(calls('nowhere')),
    'ld.lld: error: undefined symbol: nowhere (referenced by /kernel.o:(k))',
  );
  assert.is(
    await linkError(calls('__kmpc_barrier', 'nowhere', '__ocml_sin_f32', '__kmpc_target_init')),
    'ld.lld: error: undefined symbols: __kmpc_barrier, nowhere, __ocml_sin_f32, __kmpc_target_init ' +
      "(the first is referenced by /kernel.o:(k); link OpenMP's device runtime into the bitcode first, e.g. with " +
      "llvm-link; AMD's device libraries lack it, or were not to be linked (--device-libs))",
  );
});

test('what else lld says stays', () => {
  const other = 'ld.lld: error: duplicate symbol: k >>> defined in a.o >>> defined in b.o';
  assert.is(shortLinkError(other), other);
  const hidden = 'ld.lld: error: undefined hidden symbol: f >>> referenced by a.c:3 (/src/a.c:3) >>> /kernel.o:(k)';
  assert.is(
    shortLinkError(`${other} ${hidden} ld.lld: error: too many errors emitted, stopping now`),
    'ld.lld: error: undefined symbol: f (referenced by a.c:3 (/src/a.c:3)) ' +
      `${other} ld.lld: error: too many errors emitted, stopping now`,
  );
});

test.run();

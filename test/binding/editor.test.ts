/** References to what a function consists of. */
import { LlvmModule } from '../../src/binding/module.js';
import type { LlvmRuntime } from '../../src/binding/runtime.js';
import type { BlockId, InstrId } from '../../src/ir/ids.js';
import { freshRuntime } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('binding/editor', { tests: 1 });

const FUNCTION = `target triple = "amdgcn-amd-amdhsa"
define i32 @f(i32 %a) {
entry:
  %sum = add i32 %a, 1
  br label %next
next:
  %product = mul i32 %sum, %sum
  ret i32 %product
}
define void @trap() {
  ret void
}
define void @g() {
entry:
  call void @trap()
  unreachable
}`;

/** Takes what is free of the first 2 GiB. */
function fillBelow(llvm: LlvmRuntime): void {
  for (const size of [2 ** 16, 2 ** 12, 2 ** 9, 2 ** 7, 2 ** 5, 8]) while (llvm.allocate(size) < 2 ** 31);
}

test('above 2 GiB of memory, too, a value has one reference', async () => {
  const llvm = await freshRuntime(2 ** 32);
  llvm.run(() => {
    // Nothing is written there, so the system gives no pages for it.
    llvm.allocate(2 ** 31);
    fillBelow(llvm);
    using module = LlvmModule.read(llvm, new TextEncoder().encode(FUNCTION), { cpu: 'gfx906', features: '' }, 2);
    const { editor } = module.open('f');
    const [entry, next] = [0, 1].map((b) => editor.block(b as BlockId));
    const [sum, jump, product, end] = [0, 1, 2, 3].map((i) => editor.instr(i as InstrId));
    assert.ok(sum! > 2 ** 31);
    assert.equal(editor.instructions(next!), [product, end]);
    assert.equal(editor.operands(product!), [sum, sum]);
    assert.equal(editor.users(sum!), [product, product]);
    assert.is(editor.parent(jump!), entry);
    assert.equal(editor.successors(entry!), [next]);
    assert.equal(editor.predecessors(next!), [entry]);
    editor[Symbol.dispose]();
    const thrower = module.open('g').editor;
    assert.equal(module.callsOf('trap'), [{ block: thrower.block(0 as BlockId), isLast: true }]);
    thrower[Symbol.dispose]();
    assert.equal(module.warnings(), []);
  });
});

test.run();

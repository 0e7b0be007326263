/** Functions are found whatever they are called. */
import { artifact, compile, text } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('pipeline/names', { tests: 2 });

const body = `() "target-cpu"="gfx906" {
  ret void
}
`;

test('no name at all', async () => {
  const result = await compile(`target triple = "amdgcn-amd-amdhsa"\ndefine void @0${body}define void @1${body}`, {
    emit: ['ll', 'obj'],
  });
  assert.equal(result.functions.map((fn) => fn.name), ['@0', '@1']); // prettier-ignore
  assert.match(text(artifact(result, 'll')), /define void @1\(\)/);
});

test('tabs, newlines, quotes and letters of other alphabets', async () => {
  const result = await compile(
    `target triple = "amdgcn-amd-amdhsa"\ndefine amdgpu_kernel void @"a\\09b\\0Ac\\22dé"${body}`,
    { emit: ['obj'] },
  );
  const [fn] = result.functions;
  assert.is(fn!.name, 'a\tb\nc"dé');
  assert.ok(fn!.after.machineInstructions! > 0);
});

test.run();

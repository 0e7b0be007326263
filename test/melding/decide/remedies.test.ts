/** What `darm analyze` says would have to change. */
import { createCompiler } from '../../../src/index.js';
import { kernel } from '../../support/llvm.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('melding/decide/remedies', { tests: 3, timeoutMs: 60_000 });

async function remedies(input: Uint8Array, name: string): Promise<Map<string, readonly (string | null)[]>> {
  await using compiler = createCompiler({ threads: 0, tierPolicy: 'short' });
  const { functions } = await compiler.analyze(input, { functions: [name] });
  const [{ plan, remedies: all, blockNames }] = functions as [(typeof functions)[0]];
  assert.is(all.length, plan.candidates.length);
  const byBranch = new Map<string, (string | null)[]>();
  for (const [k, { branch, verdict }] of plan.candidates.entries()) {
    if (verdict === 'meld') assert.is(all[k], null);
    const block = blockNames[branch]!;
    byBranch.set(block, [...(byBranch.get(block) ?? []), all[k]!]);
  }
  return byBranch;
}

test('of what is not legal, by the rule; of the way out of a loop, nothing', async () => {
  const found = await remedies(await kernel('ms.gfx906.O3'), 'ms_32');
  assert.match(found.get('%land.lhs.true')![0]!, /^let one condition decide/);
  assert.equal(found.get('%for.inc'), [null]);
});

/** The threads of one side check what they have loaded. */
const CHECKED = `target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.trap()
define amdgpu_kernel void @checked(ptr addrspace(1) %p) "target-cpu"="gfx906" {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %x
  %v = load i32, ptr addrspace(1) %q
  %ok = icmp ult i32 %v, 100
  br i1 %ok, label %store, label %fail
fail:
  call void @llvm.trap()
  unreachable
store:
  store i32 %x, ptr addrspace(1) %q
  ret void
}`;

test('of a check, nothing', async () => {
  const found = await remedies(Buffer.from(CHECKED), 'checked');
  assert.equal(found.get('%entry'), [null]);
});

test.long('of what does not pay, what was found by trying', async () => {
  const parting = await remedies(await kernel('sb4cr.gfx906.O3'), 'sb4cr_32');
  assert.match(parting.get('%if.else')![0]!, /^it pays if more waves part/);
  const found = await remedies(await kernel('nqu.gfx906.O3'), 'nqu_64');
  assert.match(
    found.get('%while.body')![0]!,
    /^melded, 1 instructions would pair, 31 stay alone, and 2 operands differ/,
  );
});

test.run();

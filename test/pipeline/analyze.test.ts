/** A function that cannot be analysed does not keep the others from it. */
import { analyzeModule } from '../../src/pipeline/analyze.js';
import { deepLoops } from '../support/deep-loops.js';
import type { JobOptions } from '../../src/job/options.js';
import type { OtherChanges } from '../../src/job/results.js';
import { compile, kernel, runtime, withDefaults } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('pipeline/analyze', { tests: 4, timeoutMs: 120_000 });
const REASON = 'loops are nested too deeply';

test('a function whose loops are nested too deeply is a failure, and the others are analysed', async () => {
  const bytes = new TextEncoder().encode(deepLoops());
  const { functions, failures, remarks } = analyzeModule(
    await runtime(),
    bytes,
    withDefaults({ mcpu: 'gfx906', remarks: true }),
  );
  assert.equal(failures, [{ name: 'deep', reason: REASON }]);
  assert.equal(
    functions.map(({ name, divergentBranches }) => [name, divergentBranches]),
    [['plain', 1]],
  );
  assert.equal(remarks[0], { kind: 'failure', function: 'deep', location: null, reason: REASON });
  assert.ok(remarks.some((each) => each.kind === 'analysis' && each.function === 'plain'));
});

test('with figures, its divergent branches are not known, and those of the others are', async () => {
  const { functions } = await compile(deepLoops(), { emit: ['bc'], mcpu: 'gfx906', meld: 'off', stats: true });
  assert.equal(
    functions.map(({ name, before, after }) => [name, before!.divergentBranches, after.divergentBranches]),
    [
      ['deep', null, null],
      ['plain', 1, 1],
    ],
  );
});

test('lowered switches and hoisted sides are those of a compilation', async () => {
  const changes = (functions: readonly (OtherChanges & { readonly name: string })[]) =>
    functions.map(({ name, switchesLowered, sidesHoisted }) => [name, switchesLowered, sidesHoisted]);
  for (const name of ['many.gfx906.O3', 'nqu.gfx906.O3']) {
    const input = await kernel(name);
    const { functions } = await compile(input, { emit: ['bc'] });
    assert.ok(functions.some(({ switchesLowered, sidesHoisted }) => switchesLowered + sidesHoisted > 0));
    const analyzed = analyzeModule(await runtime(), input, withDefaults({ remarks: true }));
    assert.equal(changes(analyzed.functions), changes(functions));
    const summaries = analyzed.remarks.flatMap((each) => (each.kind === 'analysis' ? each : []));
    assert.equal(changes(summaries.map((each) => ({ ...each, name: each.function }))), changes(functions));
  }
});

/** Each thread adds to one of `count` registers, as `kind` says. */
const counting = (count: number): string => `target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
define amdgpu_kernel void @k(ptr addrspace(1) %p) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %kind = load i32, ptr addrspace(1) %at
  switch i32 %kind, label %end [
${Array.from({ length: count }, (_, k) => `    i32 ${7 * k * k}, label %b${k}\n`).join('')}  ]
${Array.from({ length: count }, (_, k) => `b${k}:\n  %x${k} = mul i32 %t, ${k + 3}\n  store i32 %x${k}, ptr addrspace(1) %at\n  br label %end\n`).join('')}end:
  ret void
}
attributes #0 = { "target-cpu"="gfx906" }
`;

test('divergent switches: which become chains of branches, and why others do not', async () => {
  const forecast = async (text: string, options: Partial<JobOptions> = {}) =>
    analyzeModule(await runtime(), new TextEncoder().encode(text), withDefaults(options)).functions[0]!.switches;
  assert.equal(await forecast(counting(4)), [{ branch: 0, destinations: 5, refusal: null }]);
  const [kept] = await forecast(counting(4), { meld: 'branch-fusion' });
  assert.match(kept!.refusal!, 'a chain of branches, with what would meld in it, does not gain enough');
  const [large] = await forecast(counting(20));
  assert.match(large!.refusal!, 'it has 21 destinations, and only 16 may become a chain of branches');
});

test.run();

/** Our analyses equal LLVM's on every function of our kernels, as read and before an early meld. */
import { readdir } from 'node:fs/promises';
import { analysesOf } from '../../src/analysis/analyses.js';
import { LlvmModule } from '../../src/binding/module.js';
import { beforeEarlyMeld } from '../../src/pipeline/passes.js';
import { compareAnalyses } from '../../src/pipeline/verify-analyses.js';
import { kernel, REPOSITORY, runtime } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('pipeline/oracle', { tests: 2, timeoutMs: 120_000 });

async function differences(
  files: RegExp,
  prepare: (module: LlvmModule) => void,
): Promise<{ functions: number; found: string[] }> {
  const rt = await runtime();
  const names = (await readdir(`${REPOSITORY}kernels/ir`)).filter((name) => files.test(name));
  let functions = 0;
  const found: string[] = [];
  for (const name of names.sort()) {
    rt.reset();
    const module = LlvmModule.read(rt, await kernel(name.replace(/\.bc$/, '')), { cpu: '', features: '' }, 2);
    prepare(module);
    for (const fn of module.functions()) {
      const { snapshot } = module.open(fn.name);
      const different = compareAnalyses(snapshot, analysesOf(snapshot), module.oracle(fn.name));
      found.push(...different.map((text) => `${name} ${fn.name}: ${text}`));
      functions++;
    }
  }
  return { functions, found };
}

test('dominators, post-dominators, cycles and divergence of the kernels as they are', async () => {
  const { functions, found } = await differences(/\.bc$/, () => {});
  assert.equal(found, []);
  assert.ok(functions > 100, `only ${functions} functions`);
});

test.long('and at the early meld point', async () => {
  const { functions, found } = await differences(/\.early\.bc$/, (module) =>
    module.runPasses(beforeEarlyMeld(module.isAmdgcn)),
  );
  assert.equal(found, []);
  assert.ok(functions > 30, `only ${functions} functions`);
});

test.run();

/** Every case of the conformance set, melded as by default, on gfx906 or gfx1100 in turn. */
import { createCompiler } from '../../src/index.js';
import { assert, suite } from '../support/suite.js';
import { CASES } from './cases.js';
import { complaint } from './run.js';

const test = suite('conformance', { tests: 1, timeoutMs: 600_000 });

test(`${CASES.length} sources compute what TypeScript computes`, async () => {
  await using compiler = createCompiler({ threads: 2, tierPolicy: 'short' });
  const queue = CASES.entries();
  const wrong: string[] = [];
  const work = async (): Promise<void> => {
    for (const [index, each] of queue) {
      const mcpu = each.target ?? (index % 2 === 0 ? 'gfx906' : 'gfx1100');
      const found = await complaint(compiler, each, mcpu).catch((error: Error) => `${each.name}: ${error.message}`);
      if (found !== '') wrong.push(found);
    }
  };
  await Promise.all([work(), work()]);
  assert.ok(CASES.length >= 60);
  assert.equal(wrong, []);
});

test.run();

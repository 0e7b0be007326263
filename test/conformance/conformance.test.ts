/** Every case of the conformance set, melded as by default, on gfx906 or gfx1100 in turn. */
import { createCompiler } from '../../src/index.js';
import { assert, suite } from '../support/suite.js';
import { CASES, type Case } from './cases.js';
import { complaints } from './run.js';

const test = suite('conformance', { tests: 1, timeoutMs: 600_000 });

/** Cases that can be one source, by what they have in common: clang takes a second for the headers of each. */
function sources(): Map<string, { mcpu: string; cases: Case[] }> {
  const found = new Map<string, { mcpu: string; cases: Case[] }>();
  for (const [index, each] of CASES.entries()) {
    const mcpu = each.target ?? (index % 2 === 0 ? 'gfx906' : 'gfx1100');
    const key = JSON.stringify([mcpu, each.language, each.flags, each.headers]);
    const source = found.get(key) ?? { mcpu, cases: [] };
    found.set(key, source);
    source.cases.push(each);
  }
  return found;
}

test(`${CASES.length} kernels compute what TypeScript computes`, async () => {
  await using compiler = createCompiler({ threads: 2, tierPolicy: 'short' });
  assert.ok(CASES.length >= 60);
  const wrong = [...sources().values()].map(({ mcpu, cases }) => complaints(compiler, cases, mcpu));
  assert.equal((await Promise.all(wrong)).flat(), []);
});

test.run();

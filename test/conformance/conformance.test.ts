/** Every case of the conformance set, melded as by default, on gfx906 or gfx1100 in turn. */
import { createCompiler } from '../../src/index.js';
import { assert, suite } from '../support/suite.js';
import { CASES, type Case } from './cases.js';
import { complaints } from './run.js';

const test = suite('conformance', { tests: 2, timeoutMs: 600_000 });

/** Cases that can be one source, by what they have in common: clang takes a second for the headers of each. */
function sources(language: Case['language']): Map<string, { mcpu: string; cases: Case[] }> {
  const found = new Map<string, { mcpu: string; cases: Case[] }>();
  for (const [index, each] of CASES.entries()) {
    if (each.language !== language) continue;
    const mcpu = each.target ?? (index % 2 === 0 ? 'gfx906' : 'gfx1100');
    const key = JSON.stringify([mcpu, each.language, each.flags, each.headers]);
    const source = found.get(key) ?? { mcpu, cases: [] };
    found.set(key, source);
    source.cases.push(each);
  }
  return found;
}

for (const [language, least] of [
  ['opencl', 20],
  ['hip', 60],
] as const) {
  const cases = CASES.filter((each) => each.language === language);
  const register = language === 'hip' ? test.long : test;
  register(`${cases.length} kernels compute what TypeScript computes: ${language}`, async () => {
    await using compiler = createCompiler({ threads: 2, tierPolicy: 'short' });
    assert.ok(cases.length >= least);
    const wrong = [...sources(language).values()].map((each) => complaints(compiler, each.cases, each.mcpu));
    assert.equal((await Promise.all(wrong)).flat(), []);
  });
}

test.run();

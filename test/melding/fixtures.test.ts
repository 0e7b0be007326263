/** Kernels that melding once got wrong, or that stand for a kind of meld (test/fuzz/): compiled, executed, compared. */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { JobOptions } from '../../src/job/options.js';
import { Bench, type Code } from '../fuzz/bench.js';
import { check, type Finding } from '../fuzz/check.js';
import { parseFixture, subjectOfFixture, type Fixture } from '../fuzz/fixture.js';
import { siteOf } from '../fuzz/variants.js';
import { llvmCode, REPOSITORY } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('melding/fixtures', { tests: 3, timeoutMs: 120_000 });

const folder = path.join(REPOSITORY, 'test', 'melding', 'fixtures');
const fixtures = readdirSync(folder)
  .filter((name) => name.endsWith('.ll'))
  .sort()
  .map((name) => [name, parseFixture(readFileSync(path.join(folder, name), 'utf8'))] as const);

/** Those that stand for a kind of meld. */
const kinds = fixtures.filter(([name]) => /^(block|region)-/.test(name));

async function findings(bench: Bench, fixture: Fixture): Promise<{ found: readonly Finding[]; melded: number }> {
  const { variant } = fixture;
  const result = await check(bench, subjectOfFixture(fixture), siteOf(variant), [variant]);
  assert.equal([...result.unusable], [], 'the unmelded build runs');
  return { found: result.findings, melded: result.melded.get(variant)?.size ?? 0 };
}

/** Returns how many are melded. */
async function leaveTheSame(chosen: typeof fixtures): Promise<number> {
  const bench = new Bench(await llvmCode());
  const wrong: string[] = [];
  let melded = 0;
  for (const [name, fixture] of chosen) {
    const result = await findings(bench, fixture);
    wrong.push(...result.found.map(({ kind, how }) => `${name}: ${kind}: ${how}`));
    if (result.melded > 0) melded++;
  }
  assert.equal(wrong, []);
  return melded;
}

test('each kind of meld leaves the same memory', async () => {
  assert.ok(kinds.length >= 7);
  assert.is(await leaveTheSame(kinds), kinds.length);
});

test.long('all leave the same memory melded and unmelded', async () => {
  const melded = await leaveTheSame(fixtures);
  assert.ok(melded >= fixtures.length / 2, `only ${melded} of ${fixtures.length} are melded`);
});

test('a melded build that stores something else is found', async () => {
  class Faulty extends Bench {
    override code(ir: string, options: Partial<JobOptions>): Promise<Code> {
      return super.code(options.meld === 'off' ? ir : ir.replaceAll(' xor i32 ', ' and i32 '), options);
    }
  }
  const bench = new Faulty(await llvmCode());
  const withXor = kinds.filter(([, { ir }]) => / xor i32 /.test(ir));
  let found = 0;
  for (const [, fixture] of withXor) found += (await findings(bench, fixture)).found.length;
  assert.ok(found > 0);
});

test.run();

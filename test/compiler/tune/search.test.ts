/** The search for a plan, over made-up kernels whose cycles are known. */
import { setTimeout as sleep } from 'node:timers/promises';
import { search, type Measure, type SearchResult } from '../../../src/compiler/tune/search.js';
import type { Decision, Policy, TriedBranch } from '../../../src/job/tuning.js';
import { decisionOf } from '../../../src/pipeline/policy.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('compiler/tune/search', { tests: 5 });

/** What a decision about a branch of the made-up kernel saves. */
type Saves = (branch: number, decision: Exclude<Decision, 'model'>) => number;

const BRANCHES = 5;

/** The model melds branches with even numbers, by cycles. */
function made(branch: number, decision: Decision): Exclude<Decision, 'model'> {
  if (decision !== 'model') return decision;
  return branch % 2 === 0
    ? { pairs: [[0, 0]], sides: [], profit: 'net', unpredicate: 'profitable', threshold: 0, regionReplication: true }
    : 'leave';
}

function kernel(saves: Saves, trials: Policy[] = [], patience = 0): Measure {
  return async (policy) => {
    trials.push(policy);
    await sleep(patience * ((trials.length * 7) % 5));
    let cycles = 1000;
    const branches: TriedBranch[] = [];
    for (let b = 0; b < BRANCHES; b++) {
      const decision = made(b, decisionOf(policy, String(b)));
      cycles -= saves(b, decision);
      const way = decision === 'leave' ? null : { ...decision, branch: b as never, pairs: decision.pairs ?? [[0, 0]] };
      branches.push({ name: String(b), block: `%${b}`, way: way as TriedBranch['way'], net: b, reason: 'profitable' });
    }
    return { cycles, trace: { rounds: [], fingerprint: '', branches, switches: false } };
  };
}

/** Melding pays at branches 1 and 2 by cycles, at 3 by likeness and with questions, and costs at the others. */
const saves: Saves = (branch, decision) => {
  if (decision === 'leave') return 0;
  if (branch === 3) return (decision.profit === 'paper' ? 40 : -20) + (decision.sides.length === 2 ? 30 : 0);
  return branch === 1 || branch === 2 ? (decision.profit === 'net' ? 50 : -10) : -30;
};

const found = async (measure: Measure, budget: number): Promise<SearchResult> => (await search(measure, budget))!;

test('finds the best decision for every branch', async () => {
  const { best, model } = await found(kernel(saves), 1000);
  assert.is(best.cycles, 1000 - 50 - 50 - 70);
  assert.is(model!.cycles, 1000 - 50 + 60);
});

test('says what other decisions came to', async () => {
  const { changes } = await found(kernel(saves), 1000);
  const left = changes.find(({ branch, decision }) => branch === '1' && decision === 'leave');
  assert.ok(left !== undefined && left.to - left.from === 50);
});

test('keeps to the budget, and never tries the same twice', async () => {
  for (const budget of [1, 8, 30, 1000]) {
    const trials: Policy[] = [];
    const result = await found(kernel(saves, trials), budget);
    assert.ok(trials.length <= budget && result.trials === trials.length);
    assert.is(new Set(trials.map((each) => JSON.stringify(each))).size, trials.length);
  }
});

test('does not depend on which trial ends first', async () => {
  const [quiet, busy] = [await found(kernel(saves), 60), await found(kernel(saves, [], 2), 60)];
  assert.equal(busy, quiet);
});

test('code that fails is no choice; without any code there is nothing', async () => {
  const measure = kernel(saves);
  const failing: Measure = async (policy) => (decisionOf(policy, '1') === 'leave' ? measure(policy) : null);
  const { best, model } = await found(failing, 1000);
  assert.is(model, null);
  assert.is(best.cycles, 1000 - 50 - 70);
  assert.is(await search(async () => null, 100), null);
});

test.run();

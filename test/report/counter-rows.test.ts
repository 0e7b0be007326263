/** Which rows a table of counters has, and what cycles are called in it. */
import { assert, suite } from '../support/suite.js';
import { counterRows } from '../../src/report/counter-rows.js';
import type { Counters } from '../../src/simulator/counters.js';

const test = suite('report/counter-rows', { tests: 1 });

const COUNTERS: Counters = {
  waves: 1,
  instructions: 9,
  valu: 4,
  salu: 2,
  smem: 1,
  lds: 0,
  ldsBankConflicts: 0,
  vmemRead: 1,
  vmemWrite: 1,
  flat: 0,
  cacheLines: 2,
  branch: 0,
  barrier: 0,
  activeLanes: 256,
  valuUtilization: 100,
};

const runs = (...cycles: (number | null)[]): Parameters<typeof counterRows>[0] =>
  cycles.map((each) => ({ counters: COUNTERS, cycles: each }));

test('cycles come last, with what they stand for, or why there are none', () => {
  assert.equal(counterRows(runs(200, 150)).at(-1), ['cycles (estimate)', '200', '150', '0.75']);
  assert.equal(counterRows(runs(200), { fullUnit: true }).at(-1), ['cycles (estimate, full unit)', '200']);
  assert.equal(counterRows(runs(200, null)).at(-1), ['cycles (estimate)', '200', 'too long', '']);
  assert.equal(counterRows(runs(null)).at(-1), ['cycles (estimate)', 'too long']);
  assert.is(counterRows(runs(null), { cycles: false }).at(-1)![0], 'VALU utilisation %');
});

test.run();

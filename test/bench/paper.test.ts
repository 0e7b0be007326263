/** The evaluation's arithmetic, its copy of the paper's figures, and that the report is self-contained. */
import type { Measurement, Run } from '../../bench/paper/measure.js';
import {
  PAPER_ALU,
  PAPER_COMPILE_TIME,
  PAPER_MEANS,
  PAPER_MEMORY,
  PAPER_REAL,
  PAPER_SWEEP,
  PAPER_SYNTHETIC,
  PAPER_THRESHOLDS,
} from '../../bench/paper/paper-figures.js';
import { reportPage } from '../../bench/paper/report.js';
import { fastestBaselines, means, outcome } from '../../bench/paper/statistics.js';
import { geometricMean } from '../../bench/support.js';
import { assert, suite } from '../support/suite.js';

const test = suite('bench/paper', { tests: 4 });

function run(cycles: number, instructions = cycles): Run {
  const counters = { waves: 1, valu: 10, salu: 0, smem: 0, lds: 4, ldsBankConflicts: 0, vmemRead: 1, vmemWrite: 1, flat: 2, branch: 0, barrier: 0, activeLanes: 320, valuUtilization: 50, cacheLines: 2, instructions }; // prettier-ignore
  return { cycles, counters, melds: { 'block-block': 1 } };
}

function measurement(name: string, size: string, elements: number, cycles: readonly number[]): Measurement {
  const ids = [
    'O3',
    'plain.late',
    'plain.early',
    'darm.late',
    'darm.early',
    'branch-fusion.late',
    'branch-fusion.early',
  ];
  const runs = Object.fromEntries(ids.map((id, index) => [id, run(cycles[index]!, 2 * cycles[index]!)]));
  return { name, group: 'real', size, input: '', elements, runs };
}

const POINTS = ['late', 'early'] as const;

test('the baseline is the better of its point, the better point the one with the fewest cycles', () => {
  const each = measurement('BIT', '64', 1, [1000, 1010, 800, 900, 750, 1000, 1000]);
  const late = outcome(each, 'darm', 'default', POINTS);
  assert.is(late.point, 'late');
  assert.is(late.speedup, 1000 / 900);
  // Early takes fewer cycles although its speed-up is smaller: its pipeline is faster even without melds.
  const early = outcome(each, 'darm', 'better', POINTS);
  assert.is(early.point, 'early');
  assert.is(early.speedup, 800 / 750);
  assert.equal(early.overO3, { cycles: 1000 / 750, instructions: 1000 / 750 });
});

test('means, the smallest and how many are below 0.99; GM-Best uses cycles per element', () => {
  const all = [
    measurement('BIT', '32', 100, [1000, 1000, 1000, 500, 500, 1000, 1000]),
    measurement('BIT', '64', 400, [2000, 2000, 2000, 2500, 2500, 2000, 2000]),
  ];
  const both = means(all.map((each) => outcome(each, 'darm', 'default', POINTS)));
  assert.ok(Math.abs(both.speedup - Math.sqrt(2 * 0.8)) < 1e-12);
  assert.is(both.least, 0.8);
  assert.is(both.below, 1);
  assert.equal(
    fastestBaselines(all, 'default', POINTS).map(({ size }) => size),
    ['64'],
  );
});

test("the paper's raw numbers have the means that its text states, and its tables name the same benchmarks", () => {
  const mean = (figures: typeof PAPER_REAL, mode: 'darm' | 'fusion') =>
    geometricMean(Object.values(figures).flatMap((sizes) => Object.values(sizes).map((each) => each[mode][0])));
  assert.is(mean(PAPER_SYNTHETIC, 'darm').toFixed(2), PAPER_MEANS.synthetic.darm.toFixed(2));
  assert.is(mean(PAPER_SYNTHETIC, 'fusion').toFixed(2), PAPER_MEANS.synthetic.fusion.toFixed(2));
  assert.is(mean(PAPER_REAL, 'darm').toFixed(2), PAPER_MEANS.real.darm.toFixed(2));
  const real = Object.keys(PAPER_REAL);
  const every = [...Object.keys(PAPER_SYNTHETIC), ...real];
  assert.is(every.length, 15);
  for (const figures of [PAPER_ALU, PAPER_MEMORY]) assert.equal(Object.keys(figures), every);
  for (const figures of [PAPER_SWEEP, PAPER_COMPILE_TIME]) assert.equal(Object.keys(figures), real);
  for (const speedups of Object.values(PAPER_SWEEP)) assert.is(speedups.length, PAPER_THRESHOLDS.length);
});

test('the report loads nothing and defines all its colours', async () => {
  const page = await reportPage(
    [
      {
        target: 'gfx906',
        points: POINTS,
        measurements: [measurement('BIT', '64', 100, [1000, 1000, 1000, 900, 800, 1000, 1000])],
        sweeps: [{ name: 'BIT', size: '64', point: 'late', speedups: [1.2, 1.2, 1.1, 1, 1] }],
        compileTimes: [{ name: 'BIT', O3: 100, darm: { late: 105, early: 104 } }],
      },
    ],
    ['<note>'],
  );
  // Two panels of the sweep, three kinds of memory instructions, speed-up, ALU, compile time.
  assert.is(page.match(/<svg /g)?.length, 8);
  assert.not.match(page.replaceAll(/xmlns(:xlink)?="[^"]*"/g, ''), /https?:|<script|\bsrc=|\bhref=|NaN|undefined/);
  assert.match(page, '&lt;note&gt;');
  const defined = new Set(page.match(/--[\w-]+(?=: #)/g));
  for (const [, name] of page.matchAll(/var\((--[\w-]+)\)/g)) assert.ok(defined.has(name!), name);
});

test.run();

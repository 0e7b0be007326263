/** The figures of the corpus and the search for constants, with measurements worked out by hand. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { constants, setConstants } from '../../bench/calibrate/constants.js';
import { coordinateSearch, scoreOf } from '../../bench/calibrate/search.js';
import { placesWithin, type Measurement, type SettingMeasurement } from '../../bench/corpus/measure.js';
import { writeDocument } from '../../bench/corpus/report.js';
import { flips, outcome, summarize } from '../../bench/corpus/statistics.js';
import { CostModel } from '../../src/melding/cost/cost-model.js';
import { costsOf } from '../../src/melding/cost/target-costs.js';
import { inFolder } from '../support/command.js';
import { assert, suite } from '../support/suite.js';

const test = suite('bench/corpus', { tests: 8 });

const cost = (cycles: number, instructions = cycles) => ({ cycles, instructions });
const setting = (O3: number, plain: number, melded: number, instructions = melded): SettingMeasurement => ({
  seed: 1,
  size: 1,
  O3: cost(O3),
  plain: cost(plain),
  melded: cost(melded, instructions),
});
const measurement = (kernel: string, melds: number, ...settings: SettingMeasurement[]): Measurement => ({
  kernel,
  family: 'none',
  half: 'fit',
  target: 'gfx906',
  melds: Array.from({ length: melds }, () => 'block-block'),
  covered: 1,
  settings,
});

test('the baseline is the better of -O3 and the same passes without melds', () => {
  assert.is(outcome(setting(200, 150, 100)).speedup, 1.5);
  assert.is(outcome(setting(200, 250, 100)).speedup, 2);
  assert.is(outcome(setting(200, 150, 100)).instructions, 2);
});

test('less than a percent is no change', () => {
  assert.is(outcome(setting(1000, 1000, 1009)).verdict, 'same');
  assert.is(outcome(setting(1000, 1000, 1012)).verdict, 'slower');
  assert.is(outcome(setting(1000, 1000, 991)).verdict, 'same');
  assert.is(outcome(setting(1000, 1000, 989)).verdict, 'faster');
  assert.ok(flips(measurement('a', 1, setting(100, 100, 90), setting(100, 100, 110))));
  assert.not.ok(flips(measurement('a', 1, setting(100, 100, 90), setting(100, 100, 100))));
});

test('no more of a kernel is covered than there is of it', () => {
  const row = (pc: number) => ({ pc, text: 's_nop 0', executed: 3, lanes: 0, transactions: 0 });
  const launches = [
    [0, 8, 12, 256, 260],
    [8, 16],
  ].map((pcs) => ({ instructions: pcs.map(row) }));
  // A function that the kernel calls is at 256, another kernel at 0.
  assert.is(placesWithin(launches, 8, 20), 3);
});

test('a summary is of what melds', () => {
  const summary = summarize([
    measurement('a', 1, setting(200, 200, 100)),
    measurement('b', 2, setting(100, 100, 200)),
    measurement('c', 0, setting(100, 100, 100)),
    measurement('d', 1, setting(100, 100, 100, 110)),
  ]);
  assert.equal([summary.kernels, summary.melded, summary.faster, summary.slower], [4, 3, 1, 1]);
  assert.ok(Math.abs(summary.speedup - 1) < 1e-9);
  assert.equal(summary.worst, { kernel: 'b', speedup: 0.5 });
  assert.is(summary.grown, 2);
  assert.is(summarize([]).speedup, 1);
});

test('figures of full units do not come where those of plain launches belong', () =>
  inFolder(async (folder) => {
    const file = path.join(folder, 'evaluation.md');
    const marks = 'a\n<!-- npm run bench:corpus -- --doc -->\nold\n<!-- end -->\nb\n';
    await writeFile(file, marks);
    const measurements = [measurement('k', 1, setting(200, 200, 100))];
    const document = { schema: 1, fullUnit: true, settings: [], measurements, failures: [] } as const;
    const refused = await writeDocument(document, file).catch((error: unknown) => (error as Error).message);
    assert.match(refused!, /those of --full-unit/);
    assert.is(await readFile(file, 'utf8'), marks);
    await writeDocument({ ...document, fullUnit: false }, file);
    assert.match(await readFile(file, 'utf8'), /^a\n[^]*\| `k` \| fit \| 2\.00 \|\n[^]*\nb\n$/);
  }));

test('a loss outweighs a gain', () => {
  assert.is(scoreOf([measurement('a', 0, setting(100, 100, 100))]), 0);
  assert.ok(scoreOf([measurement('a', 1, setting(100, 100, 80)), measurement('b', 1, setting(80, 80, 100))]) < 0);
  const [large, larger] = [2, 3].map((gain) => scoreOf([measurement('a', 1, setting(100 * gain, 900, 100))]));
  assert.is(large, larger);
  const twoKinds = measurement('a', 1, setting(100, 100, 80), setting(100, 100, 100));
  assert.is(scoreOf([twoKinds]), scoreOf([measurement('a', 1, setting(100, 100, 80))]) / 2);
});

test('the search finds the best constants within their bounds', async () => {
  const constant = (name: string, targets: string[], value: number, low: number, high: number) => ({
    ...{ name, targets, value },
    ...{ low, high },
  });
  const wanted: Readonly<Record<string, number>> = { share: 0.6, cost: 21, bound: 99 };
  const asked: string[] = [];
  const { values } = await coordinateSearch({
    constants: [
      constant('share', ['a', 'b'], 0.25, 0, 1),
      constant('cost', ['a'], 8, 2, 32),
      constant('bound', ['b'], 8, 2, 32),
    ],
    isTimeUp: () => false,
    score: async (target, some) => {
      asked.push(target);
      const names = target === 'a' ? ['share', 'cost'] : ['share', 'bound'];
      return -names.reduce((off, name) => off + Math.abs(Math.log(some[name]! / wanted[name]!)), 0);
    },
  });
  assert.ok(Math.abs(values['share']! - 0.6) < 0.05);
  assert.ok(Math.abs(Math.log(values['cost']! / 21)) < 0.1);
  assert.is(values['bound'], 32);
});

test('constants are found in the tables and set in them', () => {
  const targets = ['gfx906', 'gfx1101', 'gfx1100'];
  const all = constants(targets);
  const guard = all.filter(({ name }) => name.endsWith('.guard'));
  assert.equal(
    guard.map((each) => [each.name, each.targets]),
    [
      ['gfx906.guard', ['gfx906']],
      ['gfx1101+gfx1100.guard', ['gfx1101', 'gfx1100']],
    ],
  );
  const speculate = all.find(({ name }) => name === 'CostModel.speculate')!;
  assert.equal([speculate.value, speculate.low, speculate.high], [CostModel.speculate, 0, 1]);
  const before = { 'CostModel.speculate': CostModel.speculate, 'gfx906.guard': costsOf('gfx906').guard };
  setConstants(['gfx906'], targets, { 'CostModel.speculate': 0.5, 'gfx906.guard': 7, 'gfx1101+gfx1100.guard': 9 });
  assert.equal([CostModel.speculate, costsOf('gfx906').guard, costsOf('gfx1100').guard], [0.5, 7, guard[1]!.value]);
  setConstants(['gfx906'], targets, before);
});

test.run();

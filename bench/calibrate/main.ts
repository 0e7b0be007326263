/**
 * `npm run calibrate`: fits the constants of the cost model on one half of the corpus and reports both halves, before
 * and after. The other half takes no part in any decision.
 *
 * It is a coordinate search: each constant in turn is made larger and smaller, by a factor or by steps of a share, and
 * what raises the score stays; then again with smaller changes, until nothing changes or the time is up. The score is
 * the sum of the logarithms of the speed-ups of the kernels of the half. A loss counts four times, and what is beyond
 * 1.5 does not count, so that no kernel outweighs all others.
 *
 * The model samples waves, and which melds seem to pay depends on the drawing in one of twenty kernels. A constant that
 * is fitted to one drawing is partly fitted to luck. So the score is the mean over several, and figures are given for
 * each. It is the mean over several kinds of data, too (kernels/corpus/coherent.ts): on what is sorted, other melds
 * pay.
 *
 * It changes no file: it prints the constants that it would change. Their places are src/melding/cost/cost-model.ts
 * and target-costs.ts.
 *
 * usage: node dist/bench/calibrate/main.js [--minutes 20] [--targets gfx906,gfx1100] [--constants guard,speculate]
 *   [--drawings 0,1,2] [--data usual,runs,records] [--json FILE] [options of melding, as of darm check]
 */
import { writeFile } from 'node:fs/promises';
import { Command } from 'commander';
import { Piscina } from 'piscina';
import { DATA_KINDS, dataKinds } from '../../kernels/corpus/coherent.js';
import { CORPUS_TARGETS, type Half } from '../../kernels/corpus/index.js';
import { addJobOptions, jobOptions } from '../../src/cli/option-groups.js';
import type { Measurement } from '../corpus/measure.js';
import { printSummaries } from '../corpus/report.js';
import { printTable } from '../support.js';
import { constants, type Values } from './constants.js';
import { printDrawings } from './drawings.js';
import { coordinateSearch, scoreOf } from './search.js';
import type { Question, WorkerData } from './worker.js';

interface Flags {
  readonly minutes: string;
  readonly targets: string;
  readonly constants?: string;
  readonly drawings: string;
  readonly data: string;
  readonly json?: string;
}

const flags = addJobOptions(
  new Command('check')
    .option('--minutes <n>', 'most time for the search', '20')
    .option('--targets <names>', 'processors', CORPUS_TARGETS.join())
    .option('--constants <parts of names>', 'fit only these')
    .option('--drawings <numbers>', 'of the unknown, on which all are judged; darm compiles with 0', '0,1,2')
    .option('--data <kinds>', 'on which all are judged', DATA_KINDS.join())
    .option('--json <file>', 'write constants and measurements'),
)
  .parse()
  .opts<Flags>();

const targets = flags.targets.split(',');
const drawings = flags.drawings.split(',').map(Number);
if (!drawings.every(Number.isSafeInteger)) throw new Error(`'${flags.drawings}' is no list of whole numbers`);
const minutes = Number(flags.minutes);
if (!(minutes >= 0)) throw new Error(`'${flags.minutes}' is no number of minutes`);
const data = dataKinds(flags.data);
const parts = flags.constants?.split(',') ?? [''];
const fitted = constants(CORPUS_TARGETS)
  .map((each) => ({ ...each, targets: each.targets.filter((target) => targets.includes(target)) }))
  .filter((each) => each.targets.length > 0 && parts.some((part) => each.name.includes(part)));
const initial: Values = Object.fromEntries(fitted.map(({ name, value }) => [name, value]));

const filename = new URL('worker.js', import.meta.url).href;
const workers = new Map(
  targets.map((target) => {
    const workerData: WorkerData = { target, options: jobOptions(flags), data };
    return [target, new Piscina({ filename, minThreads: 1, maxThreads: 1, workerData, atomics: 'disabled' })] as const;
  }),
);
const measure = (target: string, question: Question): Promise<Measurement[]> =>
  workers.get(target)!.run(question) as Promise<Measurement[]>;
/** With one drawing. */
const measureHalf = async (half: Half, values: Values): Promise<Measurement[]> =>
  (await Promise.all(targets.map((target) => measure(target, { half, values })))).flat();
const withDrawing = (values: Values, drawing: number): Values => ({ ...values, 'CostModel.drawing': drawing });
/** By drawing. */
async function measureAll(values: Values): Promise<Measurement[][]> {
  const all: Measurement[][] = [];
  for (const each of drawings.map((drawing) => withDrawing(values, drawing)))
    all.push([...(await measureHalf('fit', each)), ...(await measureHalf('unseen', each))]);
  return all;
}
async function meanScore(target: string, values: Values): Promise<number> {
  let total = 0;
  for (const drawing of drawings)
    total += scoreOf(await measure(target, { half: 'fit', values: withDrawing(values, drawing) }));
  return total / drawings.length;
}

const before = await measureAll(initial);
const end = performance.now() + 60_000 * minutes;
const { values, score, asked } = await coordinateSearch({
  constants: fitted,
  score: meanScore,
  isTimeUp: () => performance.now() > end,
  onBetter: (name, from, to, better) =>
    console.error(`${name}: ${from.toPrecision(3)} → ${to.toPrecision(3)}, score ${better.toFixed(3)}`),
});
const after = await measureAll(values);
await Promise.all([...workers.values()].map((worker) => worker.destroy()));

const changed = fitted.filter(({ name, value }) => values[name] !== value);
console.log(`${fitted.length} constants, ${asked} sets of constants tried, score ${score.toFixed(3)}\n`);
printTable(
  ['constant', 'before', 'after'],
  changed.map(({ name, value }) => [name, value.toPrecision(3), values[name]!.toPrecision(3)]),
);
for (const [when, measurements] of Object.entries({ before, after })) {
  for (const [k, drawing] of drawings.entries()) {
    console.log(`\n${when}, drawing ${drawing}`);
    printSummaries(measurements[k]!);
  }
  console.log(`\n${when}\n`);
  printDrawings(drawings, data, measurements);
}
if (flags.json !== undefined)
  await writeFile(
    flags.json,
    JSON.stringify({ schema: 3, drawings, data, initial, values, before, after }, null, 1) + '\n',
  );

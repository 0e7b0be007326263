/**
 * `npm run bench:paper`: the paper's evaluation on the simulator. It compiles every kernel and block size with -O3,
 * branch fusion and darm, and shows the paper's numbers beside ours on the terminal, in build/paper/results.json and in
 * build/paper/report.html. The exit status is 1 if any code leaves other memory than -O3's code or the kernel's
 * reference.
 *
 * usage: node dist/bench/paper/main.js [--kernels bit,lud] [--targets gfx906,gfx1100] [--points early,late] [--quick]
 *   [--full-unit]
 *
 * By default it takes all kernels, both meld points, and gfx906, which is the paper's Vega 20. `--quick` measures one
 * block size per kernel and leaves out the sweep and compile times. `--full-unit` estimates cycles as if there were
 * enough workgroups to fill a compute unit all the time.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { createCompiler, DEFAULT_OPTIONS, type MeldPoint } from '../../src/index.js';
import { freshLlvm } from '../llvm.js';
import { printTable, REPOSITORY } from '../support.js';
import { BENCHMARKS, configurations, type Benchmark, type Configuration } from './catalogue.js';
import { compileTime, sweep } from './experiments.js';
import { measure, type Bench, type Measurement } from './measure.js';
import * as paper from './paper-figures.js';
import { reportPage } from './report.js';
import { largestSpeedups, orderedPoints } from './statistics.js';
import { tables, type Results } from './tables.js';

const OUTPUT = path.join(REPOSITORY, 'build', 'paper');
const COMPILE_ROUNDS = 9;

const { values: given } = parseArgs({
  options: {
    kernels: { type: 'string' },
    targets: { type: 'string', default: 'gfx906' },
    points: { type: 'string', default: 'early,late' },
    quick: { type: 'boolean', default: false },
    'full-unit': { type: 'boolean', default: false },
  },
});
const fullUnit = given['full-unit'];
const points = orderedPoints(given.points.split(',').map(meldPoint), DEFAULT_OPTIONS.meldPoint);
const benchmarks = given.kernels === undefined ? BENCHMARKS : given.kernels.split(',').map(benchmarkCalled);

function meldPoint(name: string): MeldPoint {
  if (name !== 'early' && name !== 'late') throw new Error(`--points: there is no meld point '${name}'`);
  return name;
}

function benchmarkCalled(name: string): Benchmark {
  const found = BENCHMARKS.find((each) => each.name.toLowerCase() === name.toLowerCase());
  if (found === undefined)
    throw new Error(`--kernels: there is no '${name}', but ${BENCHMARKS.map((each) => each.name).join(', ')}`);
  return found;
}

const missing: string[] = [];
const chosen: [Benchmark, Configuration[]][] = [];
for (const benchmark of benchmarks) {
  const all = configurations(benchmark);
  if (all.length === 0) missing.push(benchmark.name);
  // The kernels of `many` have names instead of sizes.
  else chosen.push([benchmark, given.quick && benchmark.group !== 'shapes' ? [all[(all.length - 1) >> 1]!] : all]);
}

async function evaluate(bench: Bench): Promise<Results> {
  const measurements: Measurement[] = [];
  for (const [benchmark, some] of chosen) {
    process.stderr.write(`${bench.target}: ${benchmark.name}\n`);
    measurements.push(...(await measure(bench, benchmark, some)));
  }
  const { target } = bench;
  if (given.quick) return { target, points, measurements, sweeps: [], compileTimes: [] };
  const real = chosen.filter(([{ group }]) => group === 'real');
  const sweeps = [];
  for (const measured of largestSpeedups(measurements, points)) {
    const [, some] = real.find(([{ name }]) => name === measured.name) ?? [];
    const configuration = some?.find(({ size }) => size === measured.size);
    if (configuration !== undefined) sweeps.push(await sweep(bench, configuration, measured));
  }
  process.stderr.write(`${target}: compile time\n`);
  const compileTimes = [];
  for (const [benchmark] of real) compileTimes.push(await compileTime(bench, benchmark, COMPILE_ROUNDS));
  return { target, points, measurements, sweeps, compileTimes };
}

// The process lives for minutes, so it pays off that V8 optimises LLVM's code in the background.
const compiler = createCompiler({ threads: 0, tierPolicy: 'long' });
const rt = await freshLlvm();
const all: Results[] = [];
const failures: string[] = [];
for (const target of given.targets.split(','))
  all.push(await evaluate({ rt, compiler, target, points, fullUnit, failures }));
await compiler.close();

const notes = [
  "The evaluation of the DARM paper, on this repository's kernels, compiled by darm and executed on its simulator. " +
    "The paper's numbers are run times on an AMD Vega 20 (gfx906) with LLVM 12; ours are estimates of cycles " +
    '(docs/cycle-model.md) and counts of executed instructions. Inputs are scaled down; the tables say to what.',
  ...(given.quick ? ['A quick run: one block size a kernel, no threshold sweep, no compile times.'] : []),
  ...failures.map((failure) => `Wrong, and left out: ${failure}.`),
  ...(missing.length > 0 ? [`Not in kernels/: ${missing.join(', ')}.`] : []),
];
for (const results of all) {
  for (const { title, header, rows, note } of tables(results)) {
    console.log(`\n${results.target}: ${title}\n`);
    printTable(header, rows);
    console.log(note);
  }
}
console.log(`\n${notes.join('\n')}`);
await mkdir(OUTPUT, { recursive: true });
const document = { schema: 1, notes, paper, results: all.map((each) => ({ ...each, tables: tables(each) })) };
await writeFile(path.join(OUTPUT, 'results.json'), JSON.stringify(document, null, 1) + '\n');
await writeFile(path.join(OUTPUT, 'report.html'), await reportPage(all, notes));
console.log('\nwritten: build/paper/results.json, build/paper/report.html');
if (failures.length > 0) process.exitCode = 1;

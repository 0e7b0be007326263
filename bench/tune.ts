/**
 * `npm run bench:tune`: the paper's real-world kernels without melds, as the cost model decides, and with the plans of
 * `darm tune`, in estimated cycles. A kernel and block size is tuned by its own launch spec, once at the default meld
 * point and once at both.
 *
 * A speed-up is over the better of -O3 and the same pipeline without melds (bench/paper/statistics.ts). "Least cycles"
 * is the code that a user would take: that of the better plan, over -O3.
 *
 * usage: node dist/bench/tune.js [--kernels bit,lud] [--target gfx906] [--budget N] [-j N]
 */
import { parseArgs } from 'node:util';
import { createCompiler, type LaunchSpec } from '../src/index.js';
import { BENCHMARKS, configurations } from './paper/catalogue.js';
import { moduleOf } from './paper/measure.js';
import { compileBy } from './paper/pipelines.js';
import { freshLlvm } from './llvm.js';
import { geometricMean, printTable, sum } from './support.js';

const { values: given } = parseArgs({
  options: {
    kernels: { type: 'string' },
    target: { type: 'string', default: 'gfx906' },
    budget: { type: 'string' },
    jobs: { type: 'string', short: 'j', default: '2' },
  },
});
const wanted = given.kernels?.split(',');
const benchmarks = BENCHMARKS.filter(({ group, module }) => wanted?.includes(module) ?? group === 'real');

const compiler = createCompiler({ threads: Number(given.jobs), tierPolicy: 'long' });
const rt = await freshLlvm();

async function cycles(code: Uint8Array, spec: LaunchSpec): Promise<number> {
  const { launches } = await compiler.simulate(code, spec, { cycles: true });
  return sum(launches.map((each) => each.cycles!));
}

const rows: (string | number)[][] = [];
const means = { model: [] as number[], late: [] as number[], least: [] as number[] };
for (const benchmark of benchmarks) {
  const module = await moduleOf(benchmark, given.target);
  const unmelded = compileBy(rt, module, 'O3').code;
  const plain = { late: compileBy(rt, module, 'plain.late').code, early: compileBy(rt, module, 'plain.early').code };
  const started = performance.now();
  for (const { size, spec } of configurations(benchmark)) {
    const O3 = await cycles(unmelded, spec);
    const tuning = { specs: [spec], ...(given.budget !== undefined && { budget: Number(given.budget) }) };
    const both = await compiler.tune(module, { optimize: 'O3', meldPoint: 'auto' }, tuning);
    const late = await compiler.tune(module, { optimize: 'O3' }, tuning);
    const of = (each: typeof late) => each.kernels[0]!.cycles;
    const baseline = { late: Math.min(O3, await cycles(plain.late, spec)), early: Math.min(O3, await cycles(plain.early, spec)) }; // prettier-ignore
    const speedups = [baseline.late / of(late).model, baseline.late / of(late).tuned, O3 / of(both).tuned];
    means.model.push(speedups[0]!);
    means.late.push(speedups[1]!);
    means.least.push(speedups[2]!);
    rows.push([
      benchmark.name,
      size,
      O3,
      baseline.early,
      of(late).model,
      of(late).tuned,
      `${of(both).tuned} ${both.meldPoint}`,
      ...speedups.map((each) => each.toFixed(2)),
      (baseline[both.meldPoint] / of(both).tuned).toFixed(2),
      late.trials + both.trials,
    ]);
    console.log(rows.at(-1)!.join('  '));
  }
  console.log(`${benchmark.name}: ${((performance.now() - started) / 1000).toFixed(0)} s\n`);
}
await compiler.close();
const header = ['kernel', 'size', '-O3', 'early, plain', 'model', 'tuned, late', 'tuned', 'model', 'tuned, late', 'least cycles', 'its own baseline', 'trials']; // prettier-ignore
printTable(header, rows);
for (const [name, values] of Object.entries(means)) console.log(`${name}: ${geometricMean(values).toFixed(3)}`);

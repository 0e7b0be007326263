/** Two further experiments: the sweep of the profitability threshold, and compile time compared with -O3. */
import type { MeldPoint } from '../../src/job/options.js';
import { median } from '../support.js';
import type { Benchmark, Configuration } from './catalogue.js';
import { Checked, moduleOf, type Bench, type Measurement } from './measure.js';
import { PAPER_THRESHOLDS } from './paper-figures.js';
import { compileBy, type PipelineId } from './pipelines.js';
import { outcome } from './statistics.js';

export interface Sweep {
  readonly name: string;
  readonly size: string;
  readonly point: MeldPoint;
  /** darm's speed-up at each of `PAPER_THRESHOLDS`. */
  readonly speedups: readonly number[];
}

/** Runs one configuration with each threshold, at the meld point that is better for it. */
export async function sweep(bench: Bench, configuration: Configuration, measured: Measurement): Promise<Sweep> {
  const { benchmark, size } = configuration;
  const module = await moduleOf(benchmark, bench.target);
  const { point, baseline } = outcome(measured, 'darm', 'better', bench.points);
  const checked = new Checked(bench.compiler, configuration, bench.fullUnit);
  await checked.run(compileBy(bench.rt, module, 'O3'), 'O3');
  const speedups: number[] = [];
  for (const threshold of PAPER_THRESHOLDS) {
    const compiled = compileBy(bench.rt, module, `darm.${point}`, { threshold });
    const { cycles } = await checked.run(compiled, `darm.${point}, threshold ${threshold}`);
    speedups.push(baseline.cycles / cycles);
  }
  return { name: benchmark.name, size, point, speedups };
}

export interface CompileTime {
  readonly name: string;
  /** Medians, in milliseconds; all block sizes of the benchmark are one module. */
  readonly O3: number;
  readonly darm: Readonly<Partial<Record<MeldPoint, number>>>;
}

/** Measures the pipelines in turn, from the front end's bitcode to a linked code object, in a warm instance. */
export async function compileTime(bench: Bench, benchmark: Benchmark, rounds: number): Promise<CompileTime> {
  const module = await moduleOf(benchmark, bench.target);
  const ids: PipelineId[] = ['O3', ...bench.points.map((point): PipelineId => `darm.${point}`)];
  const times = new Map(ids.map((id) => [id, [] as number[]]));
  for (let round = -2; round < rounds; round++)
    for (const id of ids) {
      const { milliseconds } = compileBy(bench.rt, module, id);
      if (round >= 0) times.get(id)!.push(milliseconds); // the first two are the warm-up
    }
  const of = (id: PipelineId) => median(times.get(id)!);
  return {
    name: benchmark.name,
    O3: of('O3'),
    darm: Object.fromEntries(bench.points.map((point) => [point, of(`darm.${point}`)])),
  };
}

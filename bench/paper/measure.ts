/** Measures every pipeline with every block size of a benchmark, and checks that all leave the same memory. */
import { createHash } from 'node:crypto';
import { expectedOutputs } from '../../kernels/references/index.js';
import type { LlvmRuntime } from '../../src/binding/runtime.js';
import type { Compiler, SimulationResult } from '../../src/index.js';
import type { MeldPoint } from '../../src/job/options.js';
import { sumCounters, type Counters } from '../../src/simulator/counters.js';
import { kernel, sum } from '../support.js';
import { describeInput, outputElements, type Benchmark, type Configuration } from './catalogue.js';
import { compileBy, pipelineIds, type Compiled, type PipelineId } from './pipelines.js';

/** The measurements of one pipeline's code, summed over the launches of the spec. */
export interface Run {
  readonly cycles: number;
  readonly counters: Counters;
  /** Number of melds in the kernel, by kind. */
  readonly melds: Readonly<Record<string, number>>;
}

export interface Measurement {
  /** The benchmark's name. */
  readonly name: string;
  readonly group: string;
  readonly size: string;
  /** A description of the launches. */
  readonly input: string;
  /** Number of elements of the outputs. */
  readonly elements: number;
  readonly runs: Readonly<Partial<Record<PipelineId, Run>>>;
}

export interface Bench {
  readonly rt: LlvmRuntime;
  readonly compiler: Compiler;
  readonly target: string;
  readonly points: readonly MeldPoint[];
  /** Whether cycles are of launches that fill a compute unit. */
  readonly fullUnit: boolean;
  /** Messages about code that failed or left wrong memory. The configurations concerned have no measurements. */
  readonly failures: string[];
}

const complaintOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const moduleOf = (benchmark: Benchmark, target: string): Promise<Uint8Array> =>
  kernel(`${benchmark.module}.${target}.early`);

export async function measure(
  bench: Bench,
  benchmark: Benchmark,
  some: readonly Configuration[],
): Promise<Measurement[]> {
  const module = await moduleOf(benchmark, bench.target);
  const compiled = pipelineIds(bench.points).map((id) => [id, compileBy(bench.rt, module, id)] as const);
  const all: Measurement[] = [];
  for (const configuration of some) {
    const { spec, size } = configuration;
    const checked = new Checked(bench.compiler, configuration, bench.fullUnit);
    const runs: Partial<Record<PipelineId, Run>> = {};
    const complaints = bench.failures.length;
    for (const [id, code] of compiled)
      await checked.run(code, id).then(
        (run) => (runs[id] = run),
        (error: unknown) => bench.failures.push(complaintOf(error)),
      );
    if (bench.failures.length > complaints) continue;
    const { name, group } = benchmark;
    const elements = outputElements(spec);
    all.push({ name, group, size, input: describeInput(configuration), elements, runs });
  }
  return all;
}

/**
 * Simulates a configuration with several code objects, and compares the memory of the others with that of the first.
 */
export class Checked {
  readonly #known = new Map<string, SimulationResult>();
  readonly #expected: ReadonlyMap<string, Uint8Array>;
  #first: SimulationResult | null = null;

  constructor(
    private readonly compiler: Compiler,
    private readonly configuration: Configuration,
    private readonly fullUnit: boolean,
  ) {
    this.#expected = expectedOutputs(configuration.spec);
  }

  async run({ code, melds }: Compiled, what: string): Promise<Run> {
    const { spec } = this.configuration;
    const hash = createHash('sha256').update(code).digest('hex');
    const result =
      this.#known.get(hash) ?? (await this.compiler.simulate(code, spec, { cycles: true, fullUnit: this.fullUnit }));
    if (!this.#known.has(hash)) this.#check(result, what);
    this.#known.set(hash, result);
    const kinds: Record<string, number> = {};
    for (const name of new Set(spec.launches.map((launch) => launch.kernel!)))
      for (const kind of melds.get(name) ?? []) kinds[kind] = (kinds[kind] ?? 0) + 1;
    const { launches } = result;
    if (launches.some(({ cycles }) => cycles === null))
      throw this.#error(what, 'is too long for an estimate of cycles');
    return {
      cycles: sum(launches.map(({ cycles }) => cycles!)),
      counters: sumCounters(launches.map(({ counters }) => counters)),
      melds: kinds,
    };
  }

  #check(result: SimulationResult, what: string): void {
    const first = (this.#first ??= result);
    const same = (a: Uint8Array, b: Uint8Array | undefined) => b !== undefined && Buffer.compare(a, b) === 0;
    for (const place of ['buffers', 'variables'] as const)
      for (const { name, bytes } of result[place])
        if (!same(bytes, first[place].find((each) => each.name === name)?.bytes))
          throw this.#error(what, `leaves other contents in '${name}' than -O3`);
    for (const [name, bytes] of this.#expected)
      if (!same(bytes, result.buffers.find((each) => each.name === name)?.bytes))
        throw this.#error(what, `leaves other contents in '${name}' than the reference`);
  }

  #error(what: string, complaint: string): Error {
    const { benchmark, size } = this.configuration;
    return new Error(`${benchmark.name}, block size ${size}, ${what}: ${complaint}`);
  }
}

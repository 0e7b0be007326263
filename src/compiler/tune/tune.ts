/**
 * `darm tune`: searches for the melds that take the fewest cycles in the simulator, kernel by kernel and meld point by
 * meld point, and writes them down as a plan. A plan is compiled and measured as a whole before it is handed out, and
 * must leave the memory that the unmelded code leaves.
 */
import { DarmError } from '../../errors.js';
import { inspectCodeObject } from '../../formats/code-object.js';
import type { JobOptions } from '../../job/options.js';
import type { CompileResult } from '../../job/results.js';
import { PLAN_FORMAT, PLAN_VERSION, planText, type TunedFunction, type TunedPlan } from '../../job/tuned-plan.js';
import type { Decision } from '../../job/tuning.js';
import { differences } from '../../simulator/compare.js';
import type { LaunchSpec } from '../../simulator/launch/spec.js';
import type { SimulationOptions } from '../../simulator/options.js';
import type { SimulationResult } from '../../simulator/run.js';
import type { Executor } from '../../workers/executor.js';
import type { TaskLimits } from '../../workers/task-limits.js';
import type { TuneOptions, TuneProgress, TuneResult } from '../api.js';
import { simulateOn } from '../simulate.js';
import { cyclesOf, KernelTrials, type Reference } from './kernel-trials.js';
import { search, type SearchResult } from './search.js';

type Point = TuneResult['meldPoint'];
type Compile = (module: Uint8Array, options: JobOptions) => Promise<CompileResult>;

export interface TuneSetup {
  readonly executor: Executor;
  readonly limits: TaskLimits;
  readonly compile: Compile;
  readonly onProgress: (progress: TuneProgress) => void;
}

export async function tuneOn(
  setup: TuneSetup,
  module: Uint8Array,
  job: JobOptions,
  options: TuneOptions,
): Promise<TuneResult> {
  if (job.profit === 'size') throw new DarmError('usage', 'a plan is about cycles: the profit size has none');
  const tuning = new Tuning(setup, module, { ...job, emit: ['hsaco'], plan: null, partitions: 1 }, options);
  return tuning.run();
}

/** What was found at one meld point. */
interface AtPoint {
  readonly meldPoint: Point;
  readonly target: string;
  readonly found: ReadonlyMap<string, SearchResult>;
}

/** A plan, compiled and measured: cycles by kernel. */
interface Candidate {
  readonly meldPoint: Point;
  readonly plan: TunedPlan;
  readonly cycles: ReadonlyMap<string, number>;
}

class Tuning {
  #references: Reference[] = [];
  #kernels: string[] = [];
  #trials = 0;

  constructor(
    private readonly setup: TuneSetup,
    private readonly module: Uint8Array,
    private readonly job: JobOptions,
    private readonly options: TuneOptions,
  ) {}

  async run(): Promise<TuneResult> {
    const unmelded = await this.#code({ ...this.job, meld: 'off', meldPoint: 'late' });
    this.#references = await this.#referencesOf(unmelded);
    const launched = this.#references.flatMap(({ result }) => result.launches.map(({ kernel }) => kernel));
    const { functions } = this.job;
    this.#kernels = [...new Set(launched)].filter((name) => functions.length === 0 || functions.includes(name));
    if (this.#kernels.length === 0) throw new DarmError('usage', 'no launch is of a function that is to be tuned');

    const model = await this.#cycles({ ...this.job, meldPoint: this.#points[0]! });
    const candidates: Candidate[] = [];
    for (const meldPoint of this.#points) candidates.push(...(await this.#candidates(await this.#searchAt(meldPoint))));
    const total = ({ cycles }: Pick<Candidate, 'cycles'>): number => [...cycles.values()].reduce((a, b) => a + b, 0);
    if (candidates.length === 0) {
      await this.#refuseRaces(unmelded);
      throw new DarmError('internal', 'no plan leaves the memory of the unmelded code');
    }
    const best = candidates.reduce((a, b) => (total(b) < total(a) ? b : a));
    return {
      plan: planText(best.plan),
      meldPoint: best.meldPoint,
      target: best.plan.target,
      trials: this.#trials,
      kernels: this.#kernels.map((kernel) => ({
        kernel,
        cycles: {
          unmelded: this.#unmeldedCycles(kernel),
          model: model?.get(kernel) ?? this.#unmeldedCycles(kernel),
          tuned: best.cycles.get(kernel)!,
        },
      })),
    };
  }

  /** The job's own point, or both. */
  get #points(): readonly Point[] {
    const { meldPoint, optimize } = this.job;
    if (meldPoint !== 'auto') return [meldPoint];
    return optimize === 'none' ? ['late'] : ['late', 'early'];
  }

  #unmeldedCycles(kernel: string): number {
    return this.#references.reduce((sum, { result }) => sum + cyclesOf(result, kernel), 0);
  }

  async #code(options: JobOptions): Promise<Uint8Array> {
    return (await this.setup.compile(this.module, options)).artifacts[0]!.bytes;
  }

  /** Specs with the names of their kernels, and what the unmelded code does with them. */
  async #referencesOf(code: Uint8Array): Promise<Reference[]> {
    const { kernels } = inspectCodeObject(code);
    const references: Reference[] = [];
    for (const given of this.options.specs) {
      const launches = given.launches.map((launch) => {
        const kernel = launch.kernel ?? (kernels.length === 1 ? kernels[0]!.name : null);
        if (kernel === null) throw new DarmError('usage', 'the launch spec does not say which kernel it is for');
        return { ...launch, kernel };
      });
      const spec = { ...given, launches };
      references.push({ spec, result: await this.#simulate(code, spec) });
    }
    return references;
  }

  /**
   * Launches that race leave other memory in another order, and no code can be compared with theirs.
   *
   * @throws DarmError `simulation-failed`, which says what races
   */
  async #refuseRaces(unmelded: Uint8Array): Promise<void> {
    for (const { spec } of this.#references) await this.#simulate(unmelded, spec, { detectRaces: true });
  }

  #simulate(
    code: Uint8Array,
    spec: LaunchSpec,
    options: Partial<SimulationOptions> = { cycles: true, fullUnit: this.options.fullUnit },
  ): Promise<SimulationResult> {
    return simulateOn(this.setup.executor, code, spec, options, this.setup.limits);
  }

  async #searchAt(meldPoint: Point): Promise<AtPoint> {
    const { executor, limits, onProgress } = this.setup;
    const options = { ...this.job, meldPoint };
    const found = new Map<string, SearchResult>();
    let target = '';
    for (const kernel of this.#kernels) {
      const references = this.#references.filter(({ spec }) => spec.launches.some((each) => each.kernel === kernel));
      const needed = new Set(references.flatMap(({ spec }) => spec.launches.map((each) => each.kernel!)));
      const takeOut = { kind: 'take-out', bytes: this.module, options, kernels: [...needed] } as const;
      const subject = await executor.run(takeOut, limits);
      target = subject.target;
      const { tolerance, budget, fullUnit } = this.options;
      // Of a late meld point, the passes have run.
      const rest: JobOptions = meldPoint === 'late' ? { ...options, optimize: 'none' } : options;
      const given = { executor, limits, subject, kernel, references, tolerance, fullUnit };
      const trials = new KernelTrials({ ...given, options: rest });
      const unmelded = this.#unmeldedCycles(kernel);
      const most = budget * this.#kernels.length * this.#points.length;
      let best = unmelded;
      const result = await search(trials.measure, budget, (cycles) => {
        this.#trials++;
        best = Math.min(best, cycles);
        onProgress({ kernel, meldPoint, trials: this.#trials, budget: most, unmelded, best });
      });
      if (result !== null) found.set(kernel, result);
    }
    return { meldPoint, target, found };
  }

  /** The plan of a meld point, if it holds for the whole module what the search has found. */
  async #candidates({ meldPoint, target, found }: AtPoint): Promise<Candidate[]> {
    const functions = [...found].map(([kernel, result]) => functionOf(kernel, result, this.#unmeldedCycles(kernel)));
    const plan: TunedPlan = { format: PLAN_FORMAT, version: PLAN_VERSION, target, meldPoint, functions };
    const cycles = await this.#cycles({ ...this.job, meldPoint, plan: JSON.stringify(plan) });
    return cycles === null ? [] : [{ meldPoint, plan, cycles }];
  }

  /** Cycles by kernel; null if some memory differs. */
  async #cycles(options: JobOptions): Promise<ReadonlyMap<string, number> | null> {
    const code = await this.#code(options);
    const results: SimulationResult[] = [];
    for (const { spec, result } of this.#references) {
      const found = await this.#simulate(code, spec);
      if (differences(result, found, this.options.tolerance).length > 0) return null;
      results.push(found);
    }
    return new Map(
      this.#kernels.map((kernel) => [kernel, results.reduce((sum, each) => sum + cyclesOf(each, kernel), 0)]),
    );
  }
}

/** What was found about a kernel, with the reasons. */
function functionOf(name: string, { best, model, changes }: SearchResult, unmelded: number): TunedFunction {
  const { trace, cycles } = best;
  const { rounds, fingerprint, branches } = trace;
  const tried = new Map(branches.map((each) => [each.name, changes.filter(({ branch }) => branch === each.name)]));
  const byBlock = new Map(branches.map((each) => [each.block, each]));
  const reasons = (branch: string): string =>
    (tried.get(branch) ?? []).map(({ decision, from, to }) => `; ${described(decision)}: ${to} instead of ${from} cycles`).join(''); // prettier-ignore
  return {
    name,
    reason:
      `${cycles} cycles in the simulator; ${unmelded} without melds` +
      (model === null ? '' : `, ${model.cycles} as the cost model decides`),
    rounds: rounds.map((round) => ({
      ...round,
      melds: round.melds.map((meld) => ({
        ...meld,
        reason: meld.reason + reasons(byBlock.get(meld.block)?.name ?? ''),
      })),
    })),
    fingerprint,
    remarks: branches
      .filter(({ way }) => way === null)
      .map(({ name: branch, block, reason }) => ({ block, reason: `stays: ${reason}${reasons(branch)}` })),
  };
}

function described(decision: Decision): string {
  if (typeof decision === 'string') return decision === 'leave' ? 'left as it is' : 'as the cost model decides';
  const { pairs, sides, profit, unpredicate } = decision;
  const parts = [
    profit === 'net' ? 'melded by cycles' : 'melded by likeness',
    ...(pairs === null ? [] : [`${pairs.length} pairs`]),
    ...(sides.length === 0 ? [] : [`waves asked about ${sides.join(' and ')}`]),
    ...(unpredicate === 'profitable' ? [] : [`guards ${unpredicate}`]),
  ];
  return parts.join(', ');
}

/**
 * Runs the jobs of requests on a compiler. Each takes a slot of the admission, has a time limit, and ends when its
 * client goes away. The time limit is for the whole job, which may be several tasks for the worker threads.
 */
import type { Compiler } from '../compiler/compiler.js';
import { DarmError } from '../errors.js';
import type { AnalyzeResult, CompileResult } from '../job/results.js';
import type { Admission, Wait } from './admission.js';
import type { RequestedJob } from './job-options.js';
import type { Metrics } from './metrics.js';

interface JobResults {
  compile: CompileResult;
  analyze: AnalyzeResult;
}

export interface JobCall extends Wait {
  /** Longest time that the job may run, in milliseconds; 0 for no limit. */
  readonly timeout: number;
}

export class JobRunner {
  readonly #compiler: Compiler;
  readonly #admission: Admission;
  readonly #metrics: Metrics;

  constructor(compiler: Compiler, admission: Admission, metrics: Metrics) {
    this.#compiler = compiler;
    this.#admission = admission;
    this.#metrics = metrics;
  }

  run<K extends keyof JobResults>(
    kind: K,
    module: Uint8Array,
    { options, timeout }: RequestedJob,
    call: JobCall,
  ): Promise<JobResults[K]> {
    const limit = shorter(call.timeout, timeout ?? 0);
    return this.#admission.run(async (waitedMs) => {
      this.#metrics.waited(waitedMs);
      const started = performance.now();
      let outcome = 'ok';
      try {
        return await withTimeout(limit, call.signal, (signal) => {
          const job: Promise<CompileResult | AnalyzeResult> = this.#compiler[kind](module, options, { signal });
          return job as Promise<JobResults[K]>;
        });
      } catch (error) {
        outcome = error instanceof DarmError ? error.code : 'internal';
        throw error;
      } finally {
        this.#metrics.job(kind, outcome, performance.now() - started);
      }
    }, call);
  }
}

/** 0 stands for no limit. */
export const shorter = (a: number, b: number): number => (a === 0 ? b : b === 0 ? a : Math.min(a, b));

async function withTimeout<T>(
  limitMs: number,
  outer: AbortSignal,
  job: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (limitMs === 0) return job(outer);
  const tooLate = AbortSignal.timeout(Math.ceil(limitMs));
  try {
    return await job(AbortSignal.any([outer, tooLate]));
  } catch (error) {
    if (tooLate.aborted && error instanceof DarmError && error.code === 'aborted')
      throw new DarmError('timeout', `the job took longer than its limit of ${limitMs / 1000} s`);
    throw error;
  }
}

/**
 * Runs the jobs of requests on a compiler. Each takes a slot of the admission, has a time limit, and ends when its
 * client goes away. The time limit is for the whole job, which may be several tasks for the worker threads.
 */
import type { CompiledModule, Compiler } from '../compiler/api.js';
import { DarmError, limitText } from '../errors.js';
import { isForSource } from '../frontend/options.js';
import type { AnalyzeResult } from '../job/results.js';
import type { Admission, Wait } from './admission.js';
import type { RequestedJob } from './job-options.js';
import type { Metrics } from './metrics.js';

interface JobResults {
  compile: CompiledModule;
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

  /** @param finish makes the answer from the result, still in the job's slot */
  run<K extends keyof JobResults, T>(
    kind: K,
    module: Uint8Array,
    { options, timeout }: RequestedJob,
    call: JobCall,
    finish: (result: JobResults[K]) => T | Promise<T>,
  ): Promise<T> {
    const job = (signal: AbortSignal): Promise<CompiledModule | AnalyzeResult> =>
      kind === 'compile' ? this.#compiler.compile(module, options, { signal }) : this.#analyze(module, options, signal);
    const limited = { ...call, timeout: shorter(call.timeout, timeout ?? 0) };
    return this.#inSlot(kind, limited, job as (signal: AbortSignal) => Promise<JobResults[K]>, finish);
  }

  /** Several tasks, for an answer of the explorer. */
  explore<T>(call: JobCall, answer: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.#inSlot('explore', call, answer, (outcome) => outcome);
  }

  #inSlot<R, T>(
    kind: string,
    call: JobCall,
    job: (signal: AbortSignal) => Promise<R>,
    finish: (result: R) => T | Promise<T>,
  ): Promise<T> {
    return this.#admission.run(async (waitedMs) => {
      this.#metrics.waited(waitedMs);
      return finish(await this.#measured(kind, () => withTimeout(call.timeout, call.signal, job)));
    }, call);
  }

  async #measured<R>(kind: string, job: () => Promise<R>): Promise<R> {
    const started = performance.now();
    let outcome = 'ok';
    try {
      return await job();
    } catch (error) {
      outcome = error instanceof DarmError ? error.code : 'internal';
      throw error;
    } finally {
      this.#metrics.job(kind, outcome, performance.now() - started);
    }
  }

  async #analyze(input: Uint8Array, options: RequestedJob['options'], signal: AbortSignal): Promise<AnalyzeResult> {
    if (!isForSource(options)) return this.#compiler.analyze(input, options, { signal });
    const { bitcode, options: job } = await this.#compiler.translate(input, options, { signal });
    return this.#compiler.analyze(bitcode, job, { signal });
  }
}

/** Node's timers cannot be set any longer. */
export const LONGEST_MS = 2 ** 31 - 1;

/** 0 stands for no limit. */
export const shorter = (a: number, b: number): number => (a === 0 ? b : b === 0 ? a : Math.min(a, b));

async function withTimeout<T>(
  limitMs: number,
  outer: AbortSignal,
  job: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  // A signal of its own for each job: Node warns of many listeners on one signal.
  if (limitMs === 0) return job(AbortSignal.any([outer]));
  const tooLate = AbortSignal.timeout(Math.min(Math.ceil(limitMs), LONGEST_MS));
  try {
    return await job(AbortSignal.any([outer, tooLate]));
  } catch (error) {
    if (tooLate.aborted && error instanceof DarmError && error.code === 'aborted')
      throw new DarmError('timeout', `the job took longer than its limit of ${limitText(limitMs)}`);
    throw error;
  }
}

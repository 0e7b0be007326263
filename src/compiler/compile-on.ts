/**
 * The tasks of a job that compiles a module: one, or several side by side that meld some of its functions each and one
 * that carries out what they have melded. The bytes are the same.
 */
import type { EditLog } from '../job/edit-log.js';
import type { FunctionSubset } from '../job/function-subset.js';
import { mayComeFromMelds } from '../job/meld-faults.js';
import { isSettled, type JobOptions } from '../job/options.js';
import type { CompileResult } from '../job/results.js';
import type { Executor } from '../workers/executor.js';
import { Teller, type TaskLimits } from '../workers/task-limits.js';
import { allInOrder } from './all-in-order.js';
import { compileInParts } from './compile-parts.js';
import { divideFunctions } from './divide-functions.js';

/**
 * What the options leave open is settled first, once for all tasks of the job.
 *
 * @param hasSpare whether there are workers to spare for a second task of the job
 */
export async function compileOn(
  executor: Executor,
  module: Uint8Array,
  job: JobOptions,
  limits: TaskLimits,
  hasSpare: () => boolean,
): Promise<CompileResult> {
  if (isSettled(job)) return compileSettled(executor, module, job, limits, hasSpare());
  const { options, warnings } = await executor.run({ kind: 'settle', bytes: module, options: job }, limits);
  const teller = new Teller(limits.events);
  for (const warning of warnings) teller.diagnostic(warning);
  teller.check();
  const compiled = compileSettled(executor, module, options, limits, hasSpare());
  const result = await compiled.finally(() => teller.check());
  return { ...result, diagnostics: [...warnings, ...result.diagnostics] };
}

async function compileSettled(
  executor: Executor,
  module: Uint8Array,
  job: JobOptions,
  limits: TaskLimits,
  divides: boolean,
): Promise<CompileResult> {
  const task = { bytes: module, options: job };
  const subsets = job.meld === 'off' || !divides ? [] : await subsetsOf(executor, module, job, limits);
  const inParts = job.partitions !== 1 && job.emit.includes('hsaco');
  const compileWhole = (): Promise<CompileResult> => executor.run({ kind: 'compile', ...task }, limits);
  if (subsets.length < 2) return inParts ? compileInParts(executor, task, null, limits) : compileWhole();

  const started = performance.now();
  let logs: EditLog[];
  try {
    const melded = subsets.map((subset) => executor.run({ kind: 'meld', ...task, subset }, limits));
    logs = (await allInOrder(melded)).flat();
  } catch (error) {
    // One task that finds out by itself which code cannot be generated gives the same for any number of threads.
    if (mayComeFromMelds(error)) return compileWhole();
    throw error;
  }
  const meldMs = performance.now() - started;
  const compiled = await (inParts
    ? compileInParts(executor, task, logs, limits)
    : executor.run({ kind: 'emit', ...task, logs }, limits));
  const timings = { ...compiled.timings, meldInParallel: meldMs, total: meldMs + (compiled.timings['total'] ?? 0) };
  return { ...compiled, timings };
}

async function subsetsOf(
  executor: Executor,
  bytes: Uint8Array,
  job: JobOptions,
  limits: TaskLimits,
): Promise<FunctionSubset[]> {
  const info = await executor.run({ kind: 'info', bytes }, { ...limits, events: null });
  const wanted = info.functions.filter(({ name }) => job.functions.length === 0 || job.functions.includes(name));
  return divideFunctions(wanted, executor.width);
}

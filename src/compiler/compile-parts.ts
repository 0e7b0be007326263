/** The tasks of a job whose module is compiled in parts (`partitions`): see pipeline/compile-parts.ts. */
import { mergeMetadata } from '../formats/merge-metadata.js';
import type { EditLog } from '../job/edit-log.js';
import { mayComeFromMelds } from '../job/meld-faults.js';
import type { JobOptions } from '../job/options.js';
import type { CompileResult } from '../job/results.js';
import type { Executor } from '../workers/executor.js';
import type { TaskLimits } from '../workers/task-limits.js';
import { allInOrder } from './all-in-order.js';
import type { TaskResults } from '../workers/tasks.js';

interface ModuleJob {
  readonly bytes: Uint8Array;
  readonly options: JobOptions;
}

/** @param melded what workers have melded side by side; null: nothing yet */
export async function compileInParts(
  executor: Executor,
  job: ModuleJob,
  melded: readonly EditLog[] | null,
  limits: TaskLimits,
): Promise<CompileResult> {
  let logs = melded;
  try {
    const divided = await executor.run({ kind: 'divide', ...job, logs }, limits);
    ({ logs } = divided);
    if (divided.parts.length > 1) return await compileDivided(executor, job.options, divided, limits);
  } catch (error) {
    // As a whole, the module can go out without the melds that no code can be generated for.
    if (!mayComeFromMelds(error)) throw error;
  }
  return logs === null
    ? executor.run({ kind: 'compile', ...job }, limits)
    : executor.run({ kind: 'emit', ...job, logs }, limits);
}

async function compileDivided(
  executor: Executor,
  options: JobOptions,
  { parts, bitcode, kernels, result }: TaskResults['divide'],
  limits: TaskLimits,
): Promise<CompileResult> {
  const started = performance.now();
  const compiled = await allInOrder(
    parts.map((names) => executor.run({ kind: 'part', bytes: bitcode, options, names }, limits)),
  );
  const codegenMs = performance.now() - started;
  const objects = mergeMetadata(compiled.map(({ object }) => object), kernels); // prettier-ignore
  const bytes = await executor.run({ kind: 'link', objects }, limits);
  const ms = performance.now() - started;
  const counted = new Map(compiled.toReversed().flatMap(({ machineInstructions }) => [...machineInstructions]));
  return {
    ...result,
    artifacts: options.emit.map(
      (kind) => result.artifacts.find((each) => each.kind === kind) ?? { kind: 'hsaco', bytes },
    ),
    functions: result.functions.map((each) => ({
      ...each,
      after: { ...each.after, machineInstructions: counted.get(each.name) ?? null },
    })),
    diagnostics: [...result.diagnostics, ...compiled.flatMap(({ diagnostics }) => diagnostics)],
    timings: {
      ...result.timings,
      codegen: codegenMs,
      link: ms - codegenMs,
      total: (result.timings['total'] ?? 0) + ms,
    },
  };
}

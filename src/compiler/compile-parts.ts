/** The tasks of a job whose module is compiled in parts (`partitions`): see pipeline/compile-parts.ts. */
import { DarmError, type ErrorCode } from '../errors.js';
import { mergeMetadata } from '../formats/merge-metadata.js';
import { hasEdits, type EditLog } from '../job/edit-log.js';
import type { JobOptions } from '../job/options.js';
import type { CompileResult } from '../job/results.js';
import type { Executor, TaskLimits } from '../workers/executor.js';
import { allInOrder } from './all-in-order.js';
import type { TaskResults } from '../workers/tasks.js';

const MAY_COME_FROM_MELDS: ReadonlySet<ErrorCode> = new Set([
  'compile-failed',
  'link-failed',
  'out-of-memory',
  'internal',
]);

/** Whether the module may go out as a whole all the same, without the melds that no code can be generated for. */
export const mayGoOutWhole = (error: unknown): boolean =>
  error instanceof DarmError && MAY_COME_FROM_MELDS.has(error.code);

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
    if (!mayGoOutWhole(error)) throw error;
  }
  return logs === null
    ? executor.run({ kind: 'compile', ...job }, limits)
    : executor.run({ kind: 'emit', ...job, logs }, limits);
}

async function compileDivided(
  executor: Executor,
  options: JobOptions,
  { parts, logs, bitcode, kernels, result }: TaskResults['divide'],
  limits: TaskLimits,
): Promise<CompileResult> {
  const started = performance.now();
  const isMelded = logs.some(hasEdits);
  const compiled = await allInOrder(
    parts.map((names) => executor.run({ kind: 'part', bytes: bitcode, options, names, isMelded }, limits)),
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

/**
 * Runs the jobs of a batch on a compiler, several at the same time. A failure ends only its own job, unless the batch
 * is to stop at the first failure. A result is written atomically, then entered in the journal; a job has one for each
 * kind that it writes.
 */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { compileKey } from '../compiler/compile-key.js';
import type { CompiledModule, Compiler } from '../compiler/api.js';
import { DarmError, type ErrorData } from '../errors.js';
import { ioError, makeFolder, readInput, typedError, writeOutput } from '../process/files.js';
import { sniffInput } from '../formats/bitcode.js';
import type { JobOptions } from '../job/options.js';
import { targetsOf, type BatchJob } from './jobs.js';
import { sha256, type Journal } from './journal.js';
import type { BatchOutputs } from './outputs.js';

/** What happens during a batch. Events come in the order in which they happen. */
export type BatchEvent =
  | { readonly event: 'start'; readonly jobs: number }
  | (Written & {
      readonly event: 'done';
      readonly input: string;
      /** What a job of several kinds has written beside its first result. */
      readonly others?: readonly Written[];
      readonly cached: boolean;
      readonly melds: number;
      readonly milliseconds: number;
    })
  /** What clang said of a source that it took. */
  | { readonly event: 'log'; readonly input: string; readonly log: string }
  /** The results of an earlier run are still there and unchanged. Of several, `output` is the first. */
  | { readonly event: 'skipped'; readonly input: string; readonly output: string }
  | { readonly event: 'failed'; readonly input: string; readonly output: string; readonly error: ErrorData }
  | ({ readonly event: 'end' } & BatchTotals);

/** A result that is in place. */
interface Written {
  /** Path in the output folder. */
  readonly output: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface BatchTotals {
  readonly done: number;
  /** How many of `done` came from the cache. */
  readonly cached: number;
  readonly skipped: number;
  readonly failed: number;
  /** Jobs that were not begun or not finished, because of a failure or an interruption. */
  readonly left: number;
  readonly melds: number;
  readonly milliseconds: number;
}

export interface BatchOptions {
  readonly outDir: string;
  readonly journal: Journal;
  readonly outputs: BatchOutputs;
  /**
   * Number of jobs at the same time. One more than there are workers keeps them busy while files are read and written.
   */
  readonly width: number;
  /** Whether the first failure ends the batch, including the jobs that are running. */
  readonly failFast: boolean;
  /** Whether to compile the jobs that are in the journal, too. */
  readonly force: boolean;
  /** Interrupts the batch. */
  readonly signal: AbortSignal;
  readonly onEvent: (event: BatchEvent) => void;
}

export async function runBatch(
  compiler: Compiler,
  jobs: readonly BatchJob[],
  options: BatchOptions,
): Promise<BatchTotals> {
  const { width, failFast, signal, onEvent } = options;
  const started = performance.now();
  const totals = { done: 0, cached: 0, skipped: 0, failed: 0, melds: 0 };
  const stop = new AbortController();
  const ended = AbortSignal.any([signal, stop.signal]);
  const folders = new Set<string>();
  onEvent({ event: 'start', jobs: jobs.length });

  const one = async (job: BatchJob): Promise<void> => {
    const { input, outputs } = job;
    try {
      const event = await compileOne(compiler, job, options, folders, ended);
      onEvent(event);
      totals[event.event]++;
      if (event.event === 'skipped') return;
      if (event.cached) totals.cached++;
      totals.melds += event.melds;
    } catch (thrown) {
      if (ended.aborted) return;
      const error = typedError(thrown);
      totals.failed++;
      onEvent({ event: 'failed', input, output: outputs[0]!, error: error.toJSON() });
      if (failFast) stop.abort();
    }
  };
  const queue = jobs.values();
  const runFromQueue = async (): Promise<void> => {
    for (const job of queue) {
      if (ended.aborted) return;
      await one(job);
    }
  };
  await Promise.all(Array.from({ length: width }, runFromQueue));

  const left = jobs.length - totals.done - totals.skipped - totals.failed;
  const result: BatchTotals = { ...totals, left, milliseconds: performance.now() - started };
  onEvent({ event: 'end', ...result });
  return result;
}

async function compileOne(
  compiler: Compiler,
  job: BatchJob,
  { outDir, journal, outputs: allOutputs, force, onEvent }: BatchOptions,
  folders: Set<string>,
  signal: AbortSignal,
): Promise<Extract<BatchEvent, { event: 'done' | 'skipped' }>> {
  const { input, outputs } = job;
  const started = performance.now();
  const bytes = await readModule(input);
  const modules = await modulesOf(compiler, job, bytes, signal);
  allOutputs.keepIncluded(modules.flatMap(({ included }) => included));
  const keys = await Promise.all(modules.map((each) => compileKey(each.bytes, each.options)));
  const key = keys.join('-') + (job.fatBinary ? await fatBinaryKey(job) : '');
  if (!force && (await journal.isDone(outputs, key))) return { event: 'skipped', input, output: outputs[0]! };
  // Before what follows, which may fail: a warning is often about the same mistake.
  for (const log of new Set(modules.map((each) => each.log))) if (log !== '') onEvent({ event: 'log', input, log });
  const { results, compilations } = await compile(compiler, job, bytes, modules, signal);
  // They lie in one folder.
  const file = path.join(outDir, outputs[0]!);
  await makeFolderOnce(path.dirname(file), folders).catch((error) => Promise.reject(ioError('make', file, error)));
  for (const output of outputs) allOutputs.checkResult(output);
  const written: Written[] = [];
  for (const [at, output] of outputs.entries()) {
    const result = results[at]!;
    await writeOutput(path.join(outDir, output), result);
    const hash = sha256(result);
    await journal.add(output, key, hash);
    written.push({ output, bytes: result.length, sha256: hash });
  }
  const [first, ...others] = written;
  const functions = compilations.flatMap((each) => each.functions);
  const melds = functions.reduce((sum, fn) => sum + fn.melds.length, 0);
  const cached = compilations.length > 0 && compilations.every((each) => each.cached);
  const milliseconds = performance.now() - started;
  return { event: 'done', input, ...first!, ...(others.length > 0 && { others }), cached, melds, milliseconds };
}

async function fatBinaryKey({ source }: BatchJob): Promise<string> {
  const { areCompressed } = await import('../compiler/fat-binary.js');
  return (await areCompressed(source?.flags ?? [])) ? '-fatbin-compressed' : '-fatbin';
}

/** @param made folders that are there, because this batch has made them */
async function makeFolderOnce(folder: string, made: Set<string>): Promise<void> {
  if (made.has(folder)) return;
  await makeFolder(folder);
  made.add(folder);
}

/** Reads an ordinary file. A pipe or a device may never end, and a batch has files enough to wait for each of them. */
async function readModule(input: string): Promise<Uint8Array> {
  const found = await stat(input).catch((error) => Promise.reject(ioError('read', input, error)));
  if (!found.isFile()) throw new DarmError('io', `cannot read ${input}: it is not an ordinary file`);
  return readInput(input);
}

interface BatchModule {
  readonly bytes: Uint8Array;
  readonly options: JobOptions;
  /** clang's. */
  readonly log: string;
  readonly included: readonly string[];
}

/**
 * The modules of a job. Of source it is one per target, and each is asked for in any case: what the source includes may
 * have changed since the last run. Where it has not, the compiler's cache has what clang made of it.
 */
async function modulesOf(
  compiler: Compiler,
  { options, source, fatBinary }: BatchJob,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<BatchModule[]> {
  if (source === null) return [{ bytes, options, log: '', included: [] }];
  const modules: BatchModule[] = [];
  for (const mcpu of targetsOf({ options: source, fatBinary })) {
    const translated = await compiler.translate(bytes, { ...source, mcpu }, { signal });
    const { bitcode, options: own, log, dependencies: included } = translated;
    modules.push({ bytes: bitcode, options: own, log, included });
  }
  return modules;
}

/** Compiles a job: the bytes of its results, and the compilations that it took. */
async function compile(
  compiler: Compiler,
  { options, source, fatBinary }: BatchJob,
  bytes: Uint8Array,
  modules: readonly BatchModule[],
  signal: AbortSignal,
): Promise<{ results: readonly Uint8Array[]; compilations: readonly CompiledModule[] }> {
  if (!fatBinary) {
    const [module] = modules;
    const compiled = await compiler.compile(module!.bytes, module!.options, { signal });
    return { results: compiled.artifacts.map((artifact) => artifact.bytes), compilations: [compiled] };
  }
  const { compileContainer, compileFatBinary } = await import('../compiler/fat-binary.js');
  const { mcpu, emit: _, ...common } = options;
  const isContainer = sniffInput(bytes) === 'offload-bundle';
  if (isContainer && mcpu !== null)
    throw new DarmError('usage', 'the images of a bundle name their targets: leave --mcpu out');
  const targets = (source ?? options).mcpu?.split(',') ?? [];
  const { bytes: result, images } =
    source === null && isContainer
      ? await compileContainer(compiler, bytes, common, { signal })
      : await compileFatBinary(compiler, bytes, targets, source ?? common, { signal });
  return { results: [result], compilations: images.flatMap(({ compiled }) => compiled ?? []) };
}

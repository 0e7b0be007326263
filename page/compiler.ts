/**
 * The page's compiler: the tasks that the package's worker threads carry out, on the thread that this is called on, a
 * Web Worker. Whoever wants to stop a job ends the worker.
 */
import { SourceTranslator } from '../src/compiler/compile-source.js';
import { withDeviceLibraries } from '../src/compiler/link-libraries.js';
import { LlvmLoader } from '../src/compiler/llvm-code.js';
import { simulateOn } from '../src/compiler/simulate.js';
import type { CompiledModule } from '../src/compiler/api.js';
import type { ExploringCompiler } from '../src/explorer/explorer.js';
import { unwrapModule } from '../src/formats/bitcode.js';
import { NO_EVENTS } from '../src/job/events.js';
import { completeJobOptions, type JobOptions } from '../src/job/options.js';
import { unwrap, type Executor } from '../src/workers/executor.js';
import type { TaskLimits } from '../src/workers/task-limits.js';
import { LlvmHost } from '../src/workers/llvm-host.js';
import type { Task, TaskResult } from '../src/workers/tasks.js';
import type { Translation } from '../src/job/source.js';
import { findResult, keepResult } from './kept-results.js';

const MEMORY_LIMIT = 2 ** 32;
const LIMITS: TaskLimits = { timeoutMs: 0, events: null };

type Translated = Translation & { readonly product: Uint8Array<ArrayBuffer> };

class OwnThread implements Executor {
  readonly width = 1;
  /** All of LLVM: what the page shows calls more than a first part has, and would be done twice. */
  readonly #llvm = new LlvmLoader();
  readonly #host = new LlvmHost({ code: () => this.#llvm.coming(), memoryLimitBytes: MEMORY_LIMIT });
  #last: Promise<unknown> = Promise.resolve();
  #prepared: Promise<unknown> = Promise.resolve();

  /** One after the other: there is one instance. clang's work does not wait for LLVM. */
  run<T extends Task>(task: T): Promise<TaskResult<T>> {
    const result = this.#last.then(async () => {
      if (task.kind !== 'translate') await this.#prepared;
      return unwrap(await this.#host.run(task, NO_EVENTS));
    });
    this.#last = result.catch(() => {});
    return result;
  }

  /** Makes an instance of LLVM before there is anything to compile. */
  async prepare(): Promise<void> {
    const prepared = this.#llvm.coming().then(() => this.#host.prepare());
    this.#prepared = prepared.catch(() => {});
    await prepared;
  }

  async close(): Promise<void> {}
}

interface PageCompiler extends ExploringCompiler {
  /** Loads LLVM. */
  prepare(): Promise<void>;
  /** The same compiler, which takes nothing from earlier visits. */
  readonly afresh: ExploringCompiler;
}

export function createPageCompiler(): PageCompiler {
  const executor = new OwnThread();
  const translator = new SourceTranslator();
  const prepare = (): Promise<void> => executor.prepare();
  return { ...compilerOf(executor, translator, true), prepare, afresh: compilerOf(executor, translator, false) };
}

/** @param keeps whether translations are kept, and found, in the browser's storage */
function compilerOf(executor: OwnThread, translator: SourceTranslator, keeps: boolean): ExploringCompiler {
  return {
    async compile(input, options = {}) {
      const job = completeJobOptions('compile()', options as Partial<JobOptions>);
      const linking = { start: async () => executor, translator: async () => translator, limits: LIMITS };
      const module = await withDeviceLibraries(unwrapModule(input as Uint8Array), job, linking);
      const result = await executor.run({ kind: 'compile', bytes: new Uint8Array(module), options: job });
      return { ...result, cached: false } satisfies CompiledModule;
    },
    async translate(source, options) {
      const request = await translator.request('translate()', source, options);
      const job = await translator.job(request, 'bitcode', false);
      const asked = { ...job, headers: [...job.headers] };
      const kept = keeps ? await findResult<Translated>(asked) : null;
      const translation = kept ?? (await translator.translate(executor, request, job, LIMITS));
      if (keeps && kept === null) void keepResult(asked, translation);
      const { product: bitcode, time } = translation;
      return { ...translator.result(request, translation), bitcode, options: request.job, time };
    },
    simulate: (codeObject, spec, options = {}) => simulateOn(executor, codeObject, spec, options, LIMITS),
  };
}

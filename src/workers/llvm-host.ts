/**
 * The LLVM instance of a thread, and the tasks that the thread carries out with it. Tasks are stateless: the pipeline
 * starts each from the heap of a fresh instance. An instance that a trap, a fatal error or a lack of memory has left
 * unusable is replaced before the next task.
 */
import { disassemble } from '../binding/disassemble.js';
import { instantiateLlvm, type LlvmRuntime } from '../binding/runtime.js';
import { DarmError } from '../errors.js';
import type { Events } from '../job/events.js';
import type { CompileResult } from '../job/results.js';
import { analyzeModule, moduleInfo } from '../pipeline/analyze.js';
import { compileModule, emitModule, meldFunctions } from '../pipeline/compile.js';
import type { Outcome, Task, TaskResult, TaskResults, WorkerSetup } from './tasks.js';

/** WebAssembly's memory never shrinks. An instance that has grown beyond this is given up with its memory. */
const KEPT_BYTES = 512 * 2 ** 20;

export class LlvmHost {
  readonly #setup: WorkerSetup;
  #runtime: LlvmRuntime | null = null;

  constructor(setup: WorkerSetup) {
    this.#setup = setup;
  }

  /** The thread's instance: a new one, unless there is one that is usable and small enough to keep. */
  async prepare(): Promise<LlvmRuntime> {
    const grown = (this.#runtime?.memory.buffer.byteLength ?? 0) > KEPT_BYTES;
    if (this.#runtime === null || this.#runtime.poisoned || grown) {
      this.#runtime = null;
      this.#runtime = await instantiateLlvm(this.#setup.module, this.#setup);
    }
    return this.#runtime;
  }

  /** @param within calls the function that does the work, perhaps with a time limit */
  async run<T extends Task>(
    task: T,
    events: Events,
    within = <R>(work: () => R): R => work(),
  ): Promise<Outcome<TaskResult<T>>> {
    try {
      const work = await this.#work(task, events);
      const value = within(work);
      return { ok: true, value: value as TaskResult<T> };
    } catch (error) {
      return { ok: false, error: toDarmError(error).toJSON() };
    }
  }

  async #work(task: Task, events: Events): Promise<() => TaskResults[keyof TaskResults]> {
    if (task.kind !== 'simulate') {
      const runtime = await this.prepare();
      return () => perform(runtime, task, events);
    }
    const { runWorkgroups } = await import('../simulator/launch/run-workgroups.js');
    return () => runWorkgroups(task.part);
  }
}

function perform(
  runtime: LlvmRuntime,
  task: Exclude<Task, { kind: 'simulate' }>,
  events: Events,
): TaskResults[keyof TaskResults] {
  switch (task.kind) {
    case 'info':
      return moduleInfo(runtime, task.bytes);
    case 'compile':
      return compileModule(runtime, task.bytes, task.options, events);
    case 'meld':
      return meldFunctions(runtime, task.bytes, task.options, task.subset, events);
    case 'emit':
      return emitModule(runtime, task.bytes, task.options, task.logs, events);
    case 'analyze':
      return analyzeModule(runtime, task.bytes, task.options);
    case 'disassemble':
      runtime.reset();
      return disassemble(runtime, task.code, task.cpu, `+wavefrontsize${task.waveSize}`);
  }
}

/** Whatever was thrown, as the one error type that callers see. What is not a `DarmError` yet is a mistake of ours. */
function toDarmError(error: unknown): DarmError {
  if (error instanceof DarmError) return error;
  return new DarmError('internal', error instanceof Error ? `${error.name}: ${error.message}` : String(error));
}

/** The buffers of a result, for moving them between threads instead of copying. */
export function buffersOf(outcome: Outcome<unknown>): ArrayBuffer[] {
  if (!outcome.ok || typeof outcome.value !== 'object' || outcome.value === null) return [];
  if (!('artifacts' in outcome.value)) return [];
  const { artifacts } = outcome.value as CompileResult;
  // Two kinds may share their bytes (`asm` and `ptx`): a buffer can be moved once only.
  return [...new Set(artifacts.map(({ bytes }) => bytes.buffer as ArrayBuffer))];
}

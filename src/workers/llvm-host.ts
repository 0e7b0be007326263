/**
 * The LLVM instance of a thread, and the tasks that the thread carries out with it. Tasks are stateless: the pipeline
 * starts each from the heap of a fresh instance. An instance that a trap, a fatal error or a lack of memory has left
 * unusable is replaced before the next task. Where no code can be generated from melded functions, the task goes on
 * without their melds: see pipeline/take-back.ts.
 */
import { disassemble } from '../binding/disassemble.js';
import type { ComingCode, LlvmCode } from '../binding/load.js';
import { LlvmModule } from '../binding/module.js';
import { instantiateLlvm, type LlvmRuntime } from '../binding/runtime.js';
import { DarmError } from '../errors.js';
import { hasEdits, type EditLog } from '../job/edit-log.js';
import { NO_EVENTS, type Events } from '../job/events.js';
import { ALL_FUNCTIONS } from '../job/function-subset.js';
import { mayComeFromMelds } from '../job/meld-faults.js';
import type { JobOptions } from '../job/options.js';
import type { CompileResult } from '../job/results.js';
import type { Translation } from '../job/source.js';
import { analyzeModule, moduleInfo } from '../pipeline/analyze.js';
import { compileExactly, compileMelded, compileModule, meldBlindly, meldFunctions } from '../pipeline/compile.js';
import { inFreshHeap } from '../pipeline/compilation.js';
import { compilePart, divideModule } from '../pipeline/compile-parts.js';
import { isJudgedByCode } from '../pipeline/modelled-point.js';
import { libraryUser } from '../pipeline/library-user.js';
import { settle, type Settled } from '../pipeline/settle.js';
import { takeOut, tryPolicy } from '../pipeline/trial.js';
import { emitWithoutFaults } from '../pipeline/take-back.js';
import { platform } from '../platform/index.js';
import type { FrontendHost } from './frontend-host.js';
import type { Outcome, Task, TaskResult, TaskResults, WorkerSetup } from './tasks.js';

/** Calls the function that does the work, perhaps with a time limit. */
type Within = <R>(work: () => R) => R;

/** WebAssembly's memory never shrinks. An instance that has grown beyond this is given up with its memory. */
const KEPT_BYTES = 512 * 2 ** 20;

/** Whether LLVM ran out of stack. How much there is depends on the thread. */
export const isOutOfStack = ({ message }: Pick<Error, 'message'>): boolean => /\bout of stack\b/.test(message);

export interface HostSetup extends Omit<WorkerSetup, 'code'> {
  /** Or what loads it: clang's work does not wait for LLVM. */
  readonly code: LlvmCode | (() => Promise<ComingCode>);
}

export class LlvmHost {
  readonly #setup: HostSetup;
  readonly #isFault: (error: unknown) => error is DarmError;
  #runtime: LlvmRuntime | null = null;
  #hasMadeOne = false;
  /** clang, for source alone. */
  #frontend: FrontendHost | null = null;

  /** @param hasLargeStack false where a task that runs out of stack is done again by a thread with a larger one */
  constructor(setup: HostSetup, hasLargeStack = true) {
    this.#setup = setup;
    this.#isFault = (error): error is DarmError => mayComeFromMelds(error) && (hasLargeStack || !isOutOfStack(error));
  }

  /** The thread's instance: a new one, unless there is one that is usable and small enough to keep. */
  async prepare(): Promise<LlvmRuntime> {
    if (!this.#isUsable()) {
      this.#runtime = null;
      if (this.#hasMadeOne) await platform.dropMemory();
      this.#hasMadeOne = true;
      const { code } = this.#setup;
      this.#runtime = await instantiateLlvm(typeof code === 'function' ? await code() : code, this.#setup);
    }
    return this.#runtime!;
  }

  /** Apart: as long as a function runs, what it has looked at stays in memory. */
  #isUsable(): boolean {
    return this.#runtime !== null && !this.#runtime.poisoned && this.#runtime.memory.buffer.byteLength <= KEPT_BYTES;
  }

  /** Gives up what was stopped in the middle of something. */
  discard(): void {
    this.#runtime = null;
    this.#frontend?.discard();
  }

  async run<T extends Task>(
    task: T,
    events: Events,
    within: Within = (work) => work(),
  ): Promise<Outcome<TaskResult<T>>> {
    try {
      const value = await this.#perform(task, events, within);
      return { ok: true, value: value as TaskResult<T> };
    } catch (error) {
      return { ok: false, error: toDarmError(error).toJSON() };
    }
  }

  async #perform(task: Task, events: Events, within: Within): Promise<TaskResults[keyof TaskResults]> {
    if (task.kind === 'simulate') {
      const { runWorkgroups } = await import('../simulator/launch/run-workgroups.js');
      return within(() => runWorkgroups(task.part));
    }
    if (task.kind === 'translate') {
      const { FrontendHost } = await import('./frontend-host.js');
      this.#frontend ??= new FrontendHost(this.#setup);
      return this.#frontend.translate(task.clang, task.source, within);
    }
    try {
      return await this.#withInstance(within, (runtime) => perform(runtime, task, events));
    } catch (error) {
      if (task.kind === 'settle' && isJudgedByCode(task.options) && this.#isFault(error))
        return settledLate(task.options);
      return this.#withoutFaults(task, error, events, within);
    }
  }

  /** Once more without the melds that fail, if that is what failed. The failure may have cost the instance. */
  async #withoutFaults(task: LlvmTask, error: unknown, events: Events, within: Within): Promise<CompileResult> {
    if ((task.kind !== 'compile' && task.kind !== 'emit') || task.options.meld === 'off') throw error;
    if (!this.#isFault(error)) throw error;
    const { bytes, options } = task;
    const logs = task.kind === 'emit' ? task.logs : await this.#melded(task, within);
    if (!logs.some(hasEdits)) throw error;
    return emitWithoutFaults({
      logs,
      emitWith: (some) => this.#withInstance(within, (runtime) => compileExactly(runtime, bytes, options, some)),
      isFault: this.#isFault,
      events,
    });
  }

  /**
   * As several workers would meld, which judge the melds by the code that LLVM generates of each function. Only where
   * that is what fails, nobody judges them by it.
   */
  async #melded({ bytes, options }: CompileTask, within: Within): Promise<EditLog[]> {
    try {
      return await this.#withInstance(within, (runtime) =>
        meldFunctions(runtime, bytes, options, ALL_FUNCTIONS, NO_EVENTS),
      );
    } catch (error) {
      if (!this.#isFault(error)) throw error;
    }
    return this.#withInstance(within, (runtime) => meldBlindly(runtime, bytes, options));
  }

  /** Nothing else holds the instance: where a next one is made, its memory goes first. */
  async #withInstance<R>(within: Within, work: (runtime: LlvmRuntime) => R): Promise<R> {
    const runtime = await this.prepare();
    try {
      return within(() => work(runtime));
    } catch (error) {
      // Until its text is asked for, V8 keeps the stack of an error with the objects whose methods are on it.
      void (error as Partial<Error>).stack;
      throw error;
    }
  }
}

/** Where code cannot be generated at one of both meld points, neither is compared. The job takes the melds back. */
const settledLate = (options: JobOptions): Settled => ({ options: { ...options, meldPoint: 'late' }, warnings: [] });

type CompileTask = Extract<Task, { kind: 'compile' }>;
type LlvmTask = Exclude<Task, { kind: 'simulate' | 'translate' }>;

function perform(runtime: LlvmRuntime, task: LlvmTask, events: Events): TaskResults[keyof TaskResults] {
  switch (task.kind) {
    case 'info':
      return moduleInfo(runtime, task.bytes);
    case 'library-user':
      return libraryUser(runtime, task.bytes, task.options);
    case 'compile':
      return compileModule(runtime, task.bytes, task.options, events);
    case 'meld':
      return meldFunctions(runtime, task.bytes, task.options, task.subset, events);
    case 'emit':
      return compileMelded(runtime, task.bytes, task.options, task.logs, events);
    case 'divide':
      return divideModule(runtime, task.bytes, task.options, task.logs, events);
    case 'part':
      return compilePart(runtime, task.bytes, task.options, task.names);
    case 'link':
      return inFreshHeap(runtime, () => LlvmModule.linkObjects(runtime, task.objects));
    case 'analyze':
      return analyzeModule(runtime, task.bytes, task.options);
    case 'settle':
      return settle(runtime, task.bytes, task.options);
    case 'take-out':
      return takeOut(runtime, task.bytes, task.options, task.kernels);
    case 'try':
      return tryPolicy(runtime, task.bytes, task.options, task);
    case 'disassemble':
      runtime.reset();
      return runtime.run(() => disassemble(runtime, task.code, task.cpu, `+wavefrontsize${task.waveSize}`));
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
  if ('product' in outcome.value) {
    const { product } = outcome.value as Translation;
    return product === null ? [] : [product.buffer];
  }
  if (!('artifacts' in outcome.value)) return [];
  const { artifacts } = outcome.value as CompileResult;
  // Two kinds may share their bytes (`asm` and `ptx`): a buffer can be moved once only.
  return [...new Set(artifacts.map(({ bytes }) => bytes.buffer as ArrayBuffer))];
}

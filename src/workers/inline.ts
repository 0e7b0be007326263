/**
 * Runs tasks on the calling thread. No worker has to start, so a single job is done sooner. But the thread is blocked,
 * and only the time limit can end a task before it is done: Node's `vm` has a thread that watches the time and stops
 * whatever runs.
 *
 * LLVM recurses over what it compiles, and a process's main thread has a small stack. A task that runs out of stack is
 * done again in a worker, whose stack is larger.
 */
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import vm from 'node:vm';
import { arrived } from '../binding/load.js';
import { abortedError } from '../errors.js';
import { isGone } from '../formats/bytes.js';
import { ioError } from '../process/files.js';
import { goneError, timeoutError, unwrap, type Executor } from './executor.js';
import { Teller, type TaskLimits } from './task-limits.js';
import { isOutOfStack, LlvmHost, type HostSetup } from './llvm-host.js';
import type { Task, TaskResult } from './tasks.js';

/** More than the event loop of the thread that watches the time takes. */
const DESCRIPTORS = 8;

/**
 * Node aborts when it cannot make that event loop.
 *
 * @throws DarmError `io` when too few files can be opened
 */
function checkDescriptors(): void {
  const opened: number[] = [];
  try {
    while (opened.length < DESCRIPTORS) opened.push(openSync(devNull, 'r'));
  } catch (error) {
    throw ioError('open', devNull, error);
  } finally {
    opened.forEach((descriptor) => closeSync(descriptor));
  }
}

export class InlineExecutor implements Executor {
  readonly width = 1;
  readonly #setup: HostSetup;
  readonly #host: LlvmHost;
  #pool: Executor | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(setup: HostSetup) {
    this.#setup = setup;
    this.#host = new LlvmHost(setup, false);
  }

  /** One after the other. A task that waits does not need an instance yet. */
  run<T extends Task>(task: T, limits: TaskLimits): Promise<TaskResult<T>> {
    const result = this.#last.then(() => this.#runNow(task, limits));
    this.#last = result.catch(() => {});
    return result;
  }

  async #runNow<T extends Task>(task: T, limits: TaskLimits): Promise<TaskResult<T>> {
    if (this.#closed) throw abortedError();
    if (limits.signal?.aborted) throw abortedError(limits.signal);
    const teller = new Teller(limits.events);
    let end: number | null = null;
    const outcome = await this.#host.run(task, teller, (perform) => {
      if ('bytes' in task && isGone(task.bytes)) throw goneError();
      end ??= performance.now() + limits.timeoutMs;
      return this.#within(limits.timeoutMs, end, perform);
    });
    teller.check();
    if (outcome.ok || !isOutOfStack(outcome.error)) return unwrap(outcome);
    if (this.#closed) throw abortedError();
    this.#pool ??= await this.#startPool();
    if (this.#closed) {
      // Whoever closed this has seen no pool.
      await this.#pool.close();
      throw abortedError();
    }
    return this.#pool.run(task, limits);
  }

  /** @param end of the time that all of a task's work has, which may be several attempts */
  #within<R>(timeoutMs: number, end: number, perform: () => R): R {
    if (timeoutMs === 0) return perform();
    const timeout = Math.ceil(end - performance.now());
    if (timeout <= 0) throw timeoutError(timeoutMs);
    checkDescriptors();
    try {
      const context = vm.createContext({ perform });
      return vm.runInContext('perform()', context, { timeout, displayErrors: false }) as R;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      this.#host.discard();
      throw timeoutError(timeoutMs);
    }
  }

  async #startPool(): Promise<Executor> {
    const { code, memoryLimitBytes } = this.#setup;
    const { WorkerPool } = await import('./pool.js');
    return new WorkerPool(1, {
      code: await arrived(typeof code === 'function' ? await code() : code),
      memoryLimitBytes,
    });
  }

  /** Ends the tasks that wait. The one that runs has the thread, and is done before. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#pool?.close();
    await this.#last;
  }
}

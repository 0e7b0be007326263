/**
 * Runs tasks on the calling thread. No worker has to start, so a single job is done sooner. But the thread is blocked, and nothing
 * can end a task before it is done.
 *
 * LLVM recurses over what it compiles, and a process's main thread has a small stack. A task that runs out of stack is done again in
 * a worker, whose stack is larger.
 */
import { DarmError } from '../errors.js';
import { NO_EVENTS } from '../job/events.js';
import { unwrap, type Executor, type TaskLimits } from './executor.js';
import { isOutOfStack, LlvmHost } from './llvm-host.js';
import type { Task, TaskResult, WorkerSetup } from './tasks.js';

export class InlineExecutor implements Executor {
  readonly width = 1;
  readonly #setup: WorkerSetup;
  readonly #host: LlvmHost;
  #pool: Promise<Executor> | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(setup: WorkerSetup) {
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
    if (limits.signal?.aborted) throw new DarmError('aborted', 'the job was aborted');
    const outcome = await this.#host.run(task, limits.events ?? NO_EVENTS);
    if (outcome.ok || !isOutOfStack(outcome.error)) return unwrap(outcome);
    this.#pool ??= import('./pool.js').then(({ WorkerPool }) => new WorkerPool(1, this.#setup));
    return (await this.#pool).run(task, limits);
  }

  async close(): Promise<void> {
    await (await this.#pool)?.close();
  }
}

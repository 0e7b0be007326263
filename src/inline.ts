import { DarmError } from './errors.js';
import { NO_EVENTS, unwrap, type Executor, type TaskLimits } from './executor.js';
import { LlvmHost, type Task, type TaskResult, type WorkerSetup } from './jobs.js';

/**
 * Runs tasks on the calling thread: no worker has to start, so a single job is done sooner; but the thread is blocked, and
 * nothing can end a task before it is done.
 */
export class InlineExecutor implements Executor {
  readonly width = 1;
  readonly #host: LlvmHost;

  constructor(setup: WorkerSetup) {
    this.#host = new LlvmHost(setup);
  }

  async run<T extends Task>(task: T, { signal, events }: TaskLimits): Promise<TaskResult<T>> {
    if (signal?.aborted) throw new DarmError('aborted', 'the job was aborted');
    return unwrap(await this.#host.run(task, events ?? NO_EVENTS));
  }

  async close(): Promise<void> {}
}

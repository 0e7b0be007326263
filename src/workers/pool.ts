/**
 * Worker threads, each with an LLVM instance of its own. Piscina hands out the tasks. A Comlink port beside each task
 * carries what the worker tells while it is busy: progress, diagnostics, and that the task has started, from when the
 * time limit counts. A task that runs out of time or is aborted ends by terminating its worker; Piscina then starts
 * another.
 *
 * `minThreads` equals `maxThreads`: when a worker ends with its task, Piscina starts another only up to the minimum,
 * and tasks that wait would wait for ever. A worker makes its LLVM instance with its first task, so an idle worker is
 * cheap.
 *
 * `atomics: 'disabled'`: with Piscina's default an idle worker sleeps in `Atomics.wait` and never answers on other
 * ports.
 */
import { MessageChannel } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { expose, nodeEndpoint } from './comlink.js';
import { abortedError, DarmError } from '../errors.js';
import type { Events } from '../job/events.js';
import { deathError, goneError, timeoutError, unwrap, WORKER_LIMITS, type Executor } from './executor.js';
import { Teller, type TaskLimits } from './task-limits.js';
import type { Outcome, Task, TaskResult, WorkerSetup } from './tasks.js';

/** What a worker calls on the main thread while a task runs. */
export interface TaskListener extends Events {
  started(): void;
}

/** What a worker gets per task. */
export interface TaskMessage {
  readonly task: Task;
  /** A `MessagePort` behind which a `TaskListener` is exposed. */
  readonly port: import('node:worker_threads').MessagePort;
  /** Whether anybody wants to hear of progress and diagnostics. */
  readonly verbose: boolean;
}

const WORKER = new URL('../../workers/task.js', import.meta.url).href;

export class WorkerPool implements Executor {
  readonly width: number;
  readonly #piscina: Piscina;
  #closed = false;

  /**
   * @param worker another entry point, for tests
   * @throws DarmError `io` where there may be no more threads
   */
  constructor(threads: number, setup: WorkerSetup, worker = WORKER) {
    this.width = threads;
    try {
      this.#piscina = new Piscina({
        filename: worker,
        minThreads: threads,
        maxThreads: threads,
        concurrentTasksPerWorker: 1,
        atomics: 'disabled',
        workerData: setup,
        resourceLimits: WORKER_LIMITS,
      });
    } catch (error) {
      throw deathError('a worker', error);
    }
    // A worker that cannot start (too many open files) fails the task that it was for; Piscina also tells it here.
    this.#piscina.on('error', () => {});
  }

  async run<T extends Task>(task: T, { signal, timeoutMs, events }: TaskLimits): Promise<TaskResult<T>> {
    const { port1, port2 } = new MessageChannel();
    const timeUp = new AbortController();
    const cut = new AbortController();
    const teller = new Teller(events, () => cut.abort());
    let timer: NodeJS.Timeout | undefined;
    const listener: TaskListener = {
      progress: teller.progress,
      diagnostic: teller.diagnostic,
      started() {
        if (timeoutMs > 0) timer = setTimeout(() => timeUp.abort(), timeoutMs);
      },
    };
    expose(listener, nodeEndpoint(port1));
    try {
      const message: TaskMessage = { task, port: port2, verbose: events !== null };
      const outcome = (await this.#piscina.run(message, {
        transferList: [port2],
        signal: AbortSignal.any([timeUp.signal, cut.signal, ...(signal ? [signal] : [])]),
      })) as Outcome<TaskResult<T>>;
      teller.check();
      return unwrap(outcome);
    } catch (error) {
      teller.check();
      if (error instanceof DarmError) throw error;
      if (timeUp.signal.aborted) throw timeoutError(timeoutMs);
      if (signal?.aborted) throw abortedError(signal);
      if (this.#closed) throw abortedError();
      if (error instanceof DOMException && error.name === 'DataCloneError') throw goneError();
      throw deathError('a worker', error);
    } finally {
      clearTimeout(timer);
      port1.close();
      port2.close();
    }
  }

  /** Ends the workers; tasks that still run or wait end with `aborted`. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#piscina.destroy();
  }
}

/**
 * Back-pressure. A request for work takes a ticket before its body is read. There are as many tickets as jobs that may
 * run or wait; without a free ticket the request is refused at once. A job then waits for a slot, first come, first
 * served. This bounds the memory for bodies and the time in the queue under any load.
 *
 * A batch has one ticket for all its jobs, and these wait for slots without a limit. They queue behind the jobs of
 * other requests, so a large batch does not keep the others out.
 */
import { DarmError } from '../errors.js';
import { Refusal } from './problem.js';

export interface AdmissionLimits {
  /** Jobs that run at the same time. */
  readonly concurrency: number;
  /** Requests that may wait. */
  readonly queue: number;
  /** Longest time that a job waits for a slot, in milliseconds; 0 for no limit. */
  readonly queueTimeout: number;
}

export interface Wait {
  readonly signal: AbortSignal;
  /** Whether the job waits for a slot without a time limit. */
  readonly patient: boolean;
}

export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #waiters: (() => void)[] = [];
  #tickets = 0;
  #running = 0;
  #closing = false;
  #emptied: (() => void) | null = null;

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
  }

  get tickets(): number {
    return this.#tickets;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiters.length;
  }

  get closing(): boolean {
    return this.#closing;
  }

  /**
   * Takes a ticket. The result is a function that gives it back; further calls of it do nothing.
   *
   * @throws Refusal `overloaded`, `shutting-down`
   */
  enter(): () => void {
    if (this.#closing) throw new Refusal('shutting-down', 'the service takes no new work');
    const { concurrency, queue } = this.#limits;
    if (this.#tickets >= concurrency + queue)
      throw new Refusal('overloaded', `${this.#tickets} requests are running or waiting already`);
    this.#tickets++;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#tickets--;
      if (this.#tickets === 0) this.#emptied?.();
    };
  }

  /**
   * Runs `job` in a slot. Its argument is how long it waited for the slot, in milliseconds.
   *
   * @throws Refusal `queue-timeout`; DarmError `aborted` when the signal comes first
   */
  async run<T>(job: (waitedMs: number) => Promise<T>, wait: Wait): Promise<T> {
    const asked = performance.now();
    await this.#slot(wait);
    try {
      return await job(performance.now() - asked);
    } finally {
      // The slot goes straight to the first in the queue; nobody else can take it in between.
      const next = this.#waiters.shift();
      if (next) next();
      else this.#running--;
    }
  }

  #slot({ signal, patient }: Wait): Promise<void> {
    if (signal.aborted) return Promise.reject(new DarmError('aborted', 'the job was aborted'));
    if (this.#running < this.#limits.concurrency) {
      this.#running++;
      return Promise.resolve();
    }
    const { queueTimeout } = this.#limits;
    const tooLate = patient || queueTimeout === 0 ? null : AbortSignal.timeout(queueTimeout);
    const ended = tooLate === null ? signal : AbortSignal.any([signal, tooLate]);
    return new Promise((resolve, reject) => {
      const serve = (): void => {
        ended.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        this.#waiters.splice(this.#waiters.indexOf(serve), 1);
        reject(
          tooLate?.aborted
            ? new Refusal('queue-timeout', `no worker became free within ${queueTimeout / 1000} s`)
            : new DarmError('aborted', 'the job was aborted'),
        );
      };
      ended.addEventListener('abort', leave, { once: true });
      this.#waiters.push(serve);
    });
  }

  /** Hands out no more tickets, and resolves when all are given back. */
  close(): Promise<void> {
    this.#closing = true;
    if (this.#tickets === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const before = this.#emptied;
      this.#emptied = () => {
        before?.();
        resolve();
      };
    });
  }
}

/**
 * Back-pressure. A request that wants work done takes a ticket before its body is read; there are as many tickets as jobs can
 * run and wait, and whoever finds none is refused at once. A job then waits for one of the slots, first come, first served.
 * So the memory for bodies and the time in the queue are bounded, whatever the load.
 *
 * A batch has one ticket for all its jobs, and they may wait for slots as long as it takes: they are taken one after the other,
 * and so the jobs of others come in between.
 */
import { DarmError } from '../errors.js';
import { Refusal } from './problem.js';

export interface AdmissionLimits {
  /** Jobs that run at the same time. */
  readonly concurrency: number;
  /** Requests that wait. */
  readonly queue: number;
  /** Milliseconds that a job waits for a slot before it is refused; 0: no limit. */
  readonly queueTimeout: number;
}

export interface Wait {
  readonly signal: AbortSignal;
  /** The limit on waiting does not count. */
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
   * Takes a ticket; the function that is returned gives it back and may be called twice.
   *
   * @throws Refusal `overloaded`, `shutting-down`
   */
  enter(): () => void {
    if (this.#closing) throw new Refusal('shutting-down', 'no new work is taken');
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
   * Runs `job` in a slot. `job` is told how many milliseconds it waited.
   *
   * @throws Refusal `queue-timeout`; DarmError `aborted` when the signal comes first
   */
  async run<T>(job: (waitedMs: number) => Promise<T>, wait: Wait): Promise<T> {
    const asked = performance.now();
    await this.#slot(wait);
    try {
      return await job(performance.now() - asked);
    } finally {
      // The slot goes to the next in line without becoming free in between.
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
    return new Promise((resolve, reject) => {
      const settle = (then: () => void): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        const place = this.#waiters.indexOf(serve);
        if (place >= 0) this.#waiters.splice(place, 1);
        then();
      };
      const serve = (): void => settle(resolve);
      const abort = (): void => settle(() => reject(new DarmError('aborted', 'the job was aborted')));
      const { queueTimeout } = this.#limits;
      const late = (): void =>
        settle(() => reject(new Refusal('queue-timeout', `no worker became free in ${queueTimeout / 1000} s`)));
      const timer = patient || queueTimeout === 0 ? undefined : setTimeout(late, queueTimeout);
      signal.addEventListener('abort', abort, { once: true });
      this.#waiters.push(serve);
    });
  }

  /** No more tickets; resolves when all are back. */
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

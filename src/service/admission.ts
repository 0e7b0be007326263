/**
 * Back-pressure: what bounds the service's memory and the time in its queue under any load.
 *
 * A request for work is a visit, from its head until its answer is sent or its client has gone. A visit reads its body
 * first, and then takes a ticket. There are as many tickets as jobs that may run or wait; without a free ticket the
 * request is refused at once. So slow bodies keep nobody out. A job then waits for a slot, first come, first served.
 *
 * The bytes of bodies and of answers are counted. A body that does not fit into the limit is refused, and no job starts
 * while the clients have as many bytes of answers still to read.
 *
 * A batch has one ticket for all its jobs, and these wait for slots without a limit. They queue behind the jobs of
 * other requests, so a large batch does not keep the others out.
 */
import { abortedError } from '../errors.js';
import { Refusal } from './problem.js';

export interface AdmissionLimits {
  /** Jobs that run at the same time. */
  readonly concurrency: number;
  /** Requests that may wait. */
  readonly queue: number;
  /** Longest time that a job waits for a slot, in milliseconds; 0 for no limit. */
  readonly queueTimeout: number;
  /** Most bytes of bodies, and most bytes of answers with which another job starts. */
  readonly maxBuffered: number;
}

export interface Wait {
  readonly signal: AbortSignal;
  /** Whether the job waits for a slot without a time limit. */
  readonly patient: boolean;
}

export interface Visit {
  /**
   * Counts bytes of the body.
   *
   * @throws Refusal `overloaded`
   */
  readonly holdBody: (bytes: number) => void;
  /** The body is not needed any more. */
  readonly dropBody: () => void;
  /**
   * Takes the ticket.
   *
   * @throws Refusal `overloaded`
   */
  readonly enter: () => void;
  /** Counts bytes of the answer. */
  readonly holdAnswer: (bytes: number) => void;
  readonly dropAnswer: (bytes: number) => void;
  /** Ends the visit and gives everything back. Further calls do nothing. */
  readonly leave: () => void;
}

export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #waiters: (() => void)[] = [];
  #visits = 0;
  #tickets = 0;
  #running = 0;
  #bodyBytes = 0;
  #answerBytes = 0;
  #closing = false;
  #emptied: (() => void) | null = null;

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
  }

  get visits(): number {
    return this.#visits;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiters.length;
  }

  get bodyBytes(): number {
    return this.#bodyBytes;
  }

  get answerBytes(): number {
    return this.#answerBytes;
  }

  get closing(): boolean {
    return this.#closing;
  }

  /**
   * Begins a visit, unless all tickets are taken.
   *
   * @throws Refusal `overloaded`, `shutting-down`
   */
  arrive(): Visit {
    if (this.#closing) throw new Refusal('shutting-down', 'the service takes no new work');
    this.#checkTickets();
    this.#visits++;
    const held = { visit: true, ticket: false, bodyBytes: 0, answerBytes: 0 };
    const visit: Visit = {
      holdBody: (bytes) => {
        const { maxBuffered } = this.#limits;
        if (this.#bodyBytes + bytes > maxBuffered)
          throw new Refusal('overloaded', `the bodies of other requests take most of ${maxBuffered} bytes`);
        this.#bodyBytes += bytes;
        held.bodyBytes += bytes;
      },
      dropBody: () => {
        this.#bodyBytes -= held.bodyBytes;
        held.bodyBytes = 0;
      },
      enter: () => {
        this.#checkTickets();
        this.#tickets++;
        held.ticket = true;
      },
      holdAnswer: (bytes) => {
        this.#answerBytes += bytes;
        held.answerBytes += bytes;
      },
      dropAnswer: (bytes) => {
        this.#answerBytes -= bytes;
        held.answerBytes -= bytes;
        this.#serve();
      },
      leave: () => {
        if (!held.visit) return;
        held.visit = false;
        if (held.ticket) this.#tickets--;
        visit.dropBody();
        visit.dropAnswer(held.answerBytes);
        this.#visits--;
        if (this.#visits === 0) this.#emptied?.();
      },
    };
    return visit;
  }

  #checkTickets(): void {
    const { concurrency, queue } = this.#limits;
    if (this.#tickets >= concurrency + queue)
      throw new Refusal('overloaded', `${this.#tickets} requests are running or waiting already`);
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
      this.#running--;
      this.#serve();
    }
  }

  get #hasSlot(): boolean {
    const { concurrency, maxBuffered } = this.#limits;
    return this.#running < concurrency && this.#answerBytes < maxBuffered;
  }

  /** Gives free slots to the first in the queue. */
  #serve(): void {
    while (this.#hasSlot && this.#waiters.length > 0) {
      this.#running++;
      this.#waiters.shift()!();
    }
  }

  #slot({ signal, patient }: Wait): Promise<void> {
    if (signal.aborted) return Promise.reject(abortedError());
    const { queueTimeout } = this.#limits;
    const tooLate = patient || queueTimeout === 0 ? null : AbortSignal.timeout(queueTimeout);
    // A signal of its own for each job: Node warns of many listeners on one signal.
    const ended = AbortSignal.any(tooLate === null ? [signal] : [signal, tooLate]);
    return new Promise((resolve, reject) => {
      const start = (): void => {
        ended.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        this.#waiters.splice(this.#waiters.indexOf(start), 1);
        reject(
          tooLate?.aborted
            ? new Refusal('queue-timeout', `no worker became free within ${queueTimeout / 1000} s`)
            : abortedError(),
        );
      };
      ended.addEventListener('abort', leave, { once: true });
      this.#waiters.push(start);
      this.#serve();
    });
  }

  /** Takes no more visits, and resolves when all have ended. */
  close(): Promise<void> {
    this.#closing = true;
    if (this.#visits === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const before = this.#emptied;
      this.#emptied = () => {
        before?.();
        resolve();
      };
    });
  }
}

/** What bounds a task, beside what it is. */
import { NO_EVENTS, type Events, type Phase } from '../job/events.js';

export interface TaskLimits {
  /** Ends the task with `aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds from the moment the task starts; 0: no limit. */
  readonly timeoutMs: number;
  /** Told what happens while the task runs; null when nobody listens. */
  readonly events: Events | null;
}

/** Calls a caller's functions until one of them throws. What it throws is kept until somebody asks. */
export class Callbacks {
  #thrown: { readonly error: unknown } | null = null;

  /** @param onThrow called at the first time */
  constructor(private readonly onThrow = (): void => {}) {}

  call(callback: () => unknown): void {
    if (this.#thrown !== null) return;
    try {
      const called = callback();
      // An `async` function is a callback, too. Nobody else would hear of its error, and Node ends the process then.
      if (called instanceof Promise) called.catch(this.#keep);
    } catch (error) {
      this.#keep(error);
    }
  }

  #keep = (error: unknown): void => {
    if (this.#thrown !== null) return;
    this.#thrown = { error };
    this.onThrow();
  };

  /** @throws what the caller threw, now or before */
  now(callback: () => unknown): void {
    this.call(callback);
    this.check();
  }

  /** @throws what the caller threw */
  check(): void {
    if (this.#thrown !== null) throw this.#thrown.error;
  }
}

/** Tells the caller of a task what happens. What the caller throws then is kept until the task has ended. */
export class Teller extends Callbacks implements Events {
  constructor(
    private readonly events: Events | null,
    onThrow?: () => void,
  ) {
    super(onThrow);
  }

  progress = (phase: Phase, functionName?: string): void =>
    this.#tell((events) => events.progress(phase, functionName));

  diagnostic = (line: string): void => this.#tell((events) => events.diagnostic(line));

  #tell(tell: (events: Events) => void): void {
    this.call(() => tell(this.events ?? NO_EVENTS));
  }
}

/** What bounds a task, beside what it is. */
import { NO_EVENTS, type Events } from '../job/events.js';

export interface TaskLimits {
  /** Ends the task with `aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds from the moment the task starts; 0: no limit. */
  readonly timeoutMs: number;
  /** Told what happens while the task runs; null when nobody listens. */
  readonly events: Events | null;
}

/** Tells the caller of a task what happens. What the caller throws then is kept until the task has ended. */
export class Teller implements Events {
  #thrown: { readonly error: unknown } | null = null;

  /** @param onThrow called at the first time */
  constructor(
    private readonly events: Events | null,
    private readonly onThrow = (): void => {},
  ) {}

  progress = (phase: string, functionName?: string): void =>
    this.#tell((events) => events.progress(phase, functionName));

  diagnostic = (line: string): void => this.#tell((events) => events.diagnostic(line));

  #tell(tell: (events: Events) => void): void {
    if (this.#thrown !== null) return;
    try {
      const told: unknown = tell(this.events ?? NO_EVENTS);
      // An `async` function is a callback, too. Nobody else would hear of its error, and Node ends the process then.
      if (told instanceof Promise) told.catch(this.#keep);
    } catch (error) {
      this.#keep(error);
    }
  }

  #keep = (error: unknown): void => {
    if (this.#thrown !== null) return;
    this.#thrown = { error };
    this.onThrow();
  };

  /** @throws what the caller threw */
  check(): void {
    if (this.#thrown !== null) throw this.#thrown.error;
  }
}

/** What bounds a task, beside what it is. */
import type { Events } from '../job/events.js';

export interface TaskLimits {
  /** Ends the task with `aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds from the moment the task starts; 0: no limit. */
  readonly timeoutMs: number;
  /** Told what happens while the task runs; null when nobody listens. */
  readonly events: Events | null;
}

/** What runs tasks: worker threads (pool.ts), or the calling thread (inline.ts). Imports no LLVM, so that it loads quickly. */
import { DarmError } from '../errors.js';
import type { Outcome, Task, TaskResult } from './llvm-host.js';
import type { Events } from '../pipeline/pipeline.js';

export interface TaskLimits {
  /** Ends the task with `aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds from the moment the task starts; 0: no limit. */
  readonly timeoutMs: number;
  /** Told what happens while the task runs; null when nobody listens. */
  readonly events: Events | null;
}

export interface Executor {
  /** Number of tasks that can run at the same time. */
  readonly width: number;
  run<T extends Task>(task: T, limits: TaskLimits): Promise<TaskResult<T>>;
  close(): Promise<void>;
}

export const NO_EVENTS: Events = { progress: () => {}, diagnostic: () => {} };

/** The value of an outcome; throws its error. */
export function unwrap<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw DarmError.fromJSON(outcome.error);
}

/**
 * Limits of V8's for a worker: stack for LLVM's recursion (native LLVM has 8 MiB; frames of WebAssembly's baseline code are larger),
 * and heap for what is in TypeScript, without which a worker that needs too much of it takes the process along.
 */
export const WORKER_LIMITS = { stackSizeMb: 32, maxOldGenerationSizeMb: 2048 };

/**
 * What runs tasks: worker threads (pool.ts) or the calling thread (inline.ts). It does not import LLVM, so that it
 * loads quickly.
 */
import { DarmError, limitText } from '../errors.js';
import type { TaskLimits } from './task-limits.js';
import type { Outcome, Task, TaskResult } from './tasks.js';

export interface Executor {
  /** Number of tasks that can run at the same time. */
  readonly width: number;
  run<T extends Task>(task: T, limits: TaskLimits): Promise<TaskResult<T>>;
  close(): Promise<void>;
}

/** The value of an outcome; throws its error. */
export function unwrap<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw DarmError.fromJSON(outcome.error);
}

export const timeoutError = (timeoutMs: number): DarmError =>
  new DarmError('timeout', `the job took longer than its limit of ${limitText(timeoutMs)}`);

/** The caller has transferred what the job was given. */
export const goneError = (): DarmError =>
  new DarmError('usage', 'the bytes are gone: they must stay as they are until the job is done');

/**
 * V8's limits for a worker. The stack is for LLVM's recursion: native LLVM has 8 MiB, and the frames of WebAssembly's
 * baseline code are larger. The limit of the heap is for our own code: without it, a worker that needs too much ends
 * the whole process.
 */
export const WORKER_LIMITS = { stackSizeMb: 32, maxOldGenerationSizeMb: 2048 };

/** Why a worker ended by itself. */
export function deathError(worker: string, thrown: unknown): DarmError {
  const { code, message = String(thrown) } = Object(thrown) as NodeJS.ErrnoException;
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') {
    const { maxOldGenerationSizeMb: limit } = WORKER_LIMITS;
    return new DarmError(
      'out-of-memory',
      `the job needs more of V8's heap than ${limit} MiB, or than --max-old-space-size allows`,
    );
  }
  // Only the message says so in all cases.
  if (/\bEMFILE\b|too many open files/.test(message))
    return new DarmError('io', `${worker} cannot start: too many open files: raise the limit (ulimit -n)`);
  if (/\bEAGAIN\b/.test(message))
    return new DarmError('io', `${worker} cannot start: too many threads: raise the limit (ulimit -u)`);
  return new DarmError('internal', `${worker} died: ${message}`);
}

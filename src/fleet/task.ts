/**
 * What is said in the queue: tasks, their results, and why there is none. Others may write there, so all is checked.
 */
import { DarmError, isErrorOfJob, type ErrorData } from '../errors.js';
import type { JobOptions } from '../job/options.js';

export const SCHEMA = 1;
/** The names of jobs. */
export const COMPILE = 'compile';
export const CHECK = 'check';

/** Bytes: small ones themselves, as base64, and large ones by the hash under which the shared store has them. */
export type Blob = { readonly inline: string } | { readonly hash: string; readonly size: number };

interface AnyTask {
  readonly schema: typeof SCHEMA;
  /** Most milliseconds; 0: no limit but the worker's. */
  readonly timeout: number;
  /** Which batch handed it out. */
  readonly from: string;
}

export interface CompileTask extends AnyTask {
  readonly module: Blob;
  /** Complete, but not checked. */
  readonly options: Partial<JobOptions>;
}

export interface CheckTask extends AnyTask {
  /** Code objects. */
  readonly before: Blob;
  readonly after: Blob;
  /** The rest of the question: see check.ts. */
  readonly question: Blob;
}

export type Task = CompileTask | CheckTask;

export interface TaskResult {
  readonly schema: typeof SCHEMA;
  /** As stored-result.ts encodes what is shared, or check.ts. */
  readonly result: Blob;
}

/**
 * The id of a job: equal work has equal ids, for several batches, too. The time limit is a part of it, because it
 * decides whether the job fails.
 *
 * @param timeout as in `AnyTask`
 */
export const idOf = (key: string, timeout: number): string => `c-${key}-${timeout}`;

/** @returns null for what is no task */
export function readCompileTask(data: unknown): CompileTask | null {
  const { module, options } = Object(data) as Record<string, unknown>;
  return isTask(data) && isBlob(module) && isObject(options) ? (data as CompileTask) : null;
}

/** @returns null for what is no task */
export function readCheckTask(data: unknown): CheckTask | null {
  const { before, after, question } = Object(data) as Record<string, unknown>;
  return isTask(data) && [before, after, question].every(isBlob) ? (data as CheckTask) : null;
}

export function isTask(data: unknown): data is AnyTask {
  const { schema, timeout, from } = Object(data) as Record<string, unknown>;
  return schema === SCHEMA && isTime(timeout) && typeof from === 'string';
}

/** @returns null for what is no result */
export function readTaskResult(value: unknown): TaskResult | null {
  const { schema, result } = Object(value) as Record<string, unknown>;
  return schema === SCHEMA && isBlob(result) ? (value as TaskResult) : null;
}

function isBlob(value: unknown): value is Blob {
  const { inline, hash, size } = Object(value) as Record<string, unknown>;
  if (typeof inline === 'string') return true;
  return typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash) && Number.isSafeInteger(size) && Number(size) >= 0;
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
const isTime = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value < 2 ** 31;

export const reasonText = (error: DarmError): string => JSON.stringify(error.toJSON());

/** @returns the job's own error; null when the workers or the store are at fault */
export function readReason(reason: string): DarmError | null {
  // BullMQ's words for a job whose workers ended one after the other.
  if (reason.includes('stalled more than'))
    return new DarmError('internal', 'all workers that began it ended before it');
  try {
    const data = JSON.parse(reason) as ErrorData;
    const error = DarmError.fromJSON({ ...data, message: String(data.message) });
    return isErrorOfJob(error.code) ? error : null;
  } catch {
    return null;
  }
}

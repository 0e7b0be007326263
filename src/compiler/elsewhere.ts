/** A place beside this process where jobs may be compiled: a fleet of workers. */
import type { JobOptions } from '../job/options.js';
import type { CompileResult } from '../job/results.js';
import type { TaskLimits } from '../workers/task-limits.js';

export interface Elsewhere {
  /**
   * @returns null when the job is to be compiled here
   * @throws DarmError about the job
   */
  compile(module: Uint8Array, job: JobOptions, limits: TaskLimits): Promise<CompileResult | null>;
}

/** Does one job in a process of its own, which may end in whatever way: see workers/apart.ts. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { LaunchCheck, LaunchQuestion } from '../compiler/check-launch.js';
import { DarmError, type ErrorData } from '../errors.js';
import type { JobOptions } from '../job/options.js';
import type { CompileResult } from '../job/results.js';
import type { Apart } from './worker.js';

export interface ApartLimits {
  /** Milliseconds; 0: no limit. */
  readonly timeout: number;
  /** Bytes. */
  readonly memoryLimit: number;
}

export type ApartTask = ApartLimits &
  ({ readonly module: Uint8Array; readonly options: JobOptions } | { readonly question: LaunchQuestion });

export type ApartAnswer = { readonly result: CompileResult | LaunchCheck } | { readonly error: ErrorData };

/** For its start, and for the end of its own limit. */
const MORE_MS = 30_000;
const PROCESS = fileURLToPath(new URL('../../workers/apart.js', import.meta.url));

/**
 * Every job gets a process, with these limits at most.
 *
 * @param file another process, for tests
 */
export function jobsApart(most: ApartLimits, file: string = PROCESS): Apart {
  const limits = (timeout: number): ApartLimits => ({
    ...most,
    timeout: Math.min(timeout || most.timeout, most.timeout || timeout),
  });
  return {
    compile: (module, options, timeout) =>
      doApart({ module, options, ...limits(timeout) }, file) as Promise<CompileResult>,
    check: (question, timeout) => doApart({ question, ...limits(timeout) }, file) as Promise<LaunchCheck>,
  };
}

/** A launch is simulated twice, and once more to find races. */
const STEPS = 3;

/** @throws DarmError that of the job; `internal` when the process ended */
function doApart(task: ApartTask, file: string): Promise<CompileResult | LaunchCheck> {
  return new Promise((resolve, reject) => {
    const child = fork(file, { serialization: 'advanced', stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    let timer: NodeJS.Timeout | undefined;
    if (task.timeout > 0) timer = setTimeout(() => child.kill('SIGKILL'), STEPS * task.timeout + MORE_MS);
    child.once('message', (answer: ApartAnswer) => {
      if ('result' in answer) resolve(answer.result);
      else reject(DarmError.fromJSON(answer.error));
      child.kill('SIGKILL');
    });
    // There may be several: that it cannot be started, and that nothing can be sent to it.
    child.on('error', (error) =>
      reject(new DarmError('io', `cannot start, or reach, a process for it: ${error.message}`)),
    );
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      const how = signal ?? `exit code ${code}`;
      reject(
        new DarmError(
          'internal',
          `it ended the process that ${'module' in task ? 'compiled' : 'simulated'} it (${how}), after a worker before`,
        ),
      );
    });
    child.send(task);
  });
}

/** Compiles one module in a process of its own, which may end in whatever way: see workers/apart.ts. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { DarmError, type ErrorData } from '../errors.js';
import type { JobOptions } from '../job/options.js';
import type { CompileResult } from '../job/results.js';

export interface ApartTask {
  readonly module: Uint8Array;
  readonly options: JobOptions;
  /** Milliseconds; 0: no limit. */
  readonly timeout: number;
  /** Bytes. */
  readonly memoryLimit: number;
}

export type ApartAnswer = { readonly result: CompileResult } | { readonly error: ErrorData };

/** For its start, and for the end of its own limit. */
const MORE_MS = 30_000;
const PROCESS = fileURLToPath(new URL('../../workers/apart.js', import.meta.url));

/**
 * @throws DarmError that of the compilation; `internal` when the process ended
 */
export function compileApart(task: ApartTask, file: string = PROCESS): Promise<CompileResult> {
  return new Promise((resolve, reject) => {
    const child = fork(file, { serialization: 'advanced', stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    let timer: NodeJS.Timeout | undefined;
    if (task.timeout > 0) timer = setTimeout(() => child.kill('SIGKILL'), task.timeout + MORE_MS);
    child.once('message', (answer: ApartAnswer) => {
      if ('result' in answer) resolve(answer.result);
      else reject(DarmError.fromJSON(answer.error));
      child.kill('SIGKILL');
    });
    child.once('error', (error) => reject(new DarmError('io', `no process can be started: ${error.message}`)));
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      const how = signal ?? `exit code ${code}`;
      reject(new DarmError('internal', `it ended the process that compiled it (${how}), after a worker before`));
    });
    child.send(task);
  });
}

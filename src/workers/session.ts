/**
 * An open module: a conversation with a worker of its own, which keeps the module's bytes and its LLVM instance between
 * questions. Comlink carries it. A Comlink call never settles when its worker dies, so every call races with the
 * worker's end; a call that exceeds its limit ends the worker and with it the session.
 */
import { Worker } from 'node:worker_threads';
import { nodeEndpoint, type Remote, wrap } from './comlink.js';
import { abortedError, DarmError } from '../errors.js';
import { deathError, timeoutError, unwrap, WORKER_LIMITS } from './executor.js';
import type { Outcome, WorkerSetup } from './tasks.js';
import type { JobOptions } from '../job/options.js';
import type { AnalyzeResult, ModuleInfo } from '../job/results.js';

/** What the worker exposes. */
export interface SessionService {
  info(): Promise<Outcome<ModuleInfo>>;
  analyze(options: JobOptions): Promise<Outcome<AnalyzeResult>>;
}

/** `workerData` of a session's worker. */
export interface SessionSetup extends WorkerSetup {
  readonly bytes: Uint8Array;
}

export interface SessionCall {
  readonly signal?: AbortSignal | undefined;
}

export class WorkerSession {
  readonly #worker: Worker;
  readonly #service: Remote<SessionService>;
  readonly #timeoutMs: number;
  readonly #death: Promise<never>;
  #ending: DarmError | null = null;
  #closed = false;
  #last: Promise<unknown> = Promise.resolve();

  constructor(setup: SessionSetup, timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
    // A worker that is a file does not start with that flag, which is for a script on the command line.
    const isScript = process.execArgv.some((each) => each.startsWith('--input-type'));
    try {
      this.#worker = new Worker(new URL('../../workers/session.js', import.meta.url), {
        workerData: setup,
        resourceLimits: WORKER_LIMITS,
        ...(isScript && { execArgv: [] }),
      });
    } catch (error) {
      throw deathError("the session's worker", error);
    }
    this.#death = new Promise((_, reject) => {
      this.#worker.once('error', (error) => reject(deathError("the session's worker", error)));
      this.#worker.once('exit', () => reject(this.#ending ?? new DarmError('internal', "the session's worker died")));
    });
    // Nobody may be waiting when the session is closed.
    this.#death.catch(() => {});
    this.#service = wrap<SessionService>(nodeEndpoint(this.#worker));
  }

  info(call: SessionCall = {}): Promise<ModuleInfo> {
    return this.#call(() => this.#service.info(), call);
  }

  analyze(options: JobOptions, call: SessionCall = {}): Promise<AnalyzeResult> {
    return this.#call(() => this.#service.analyze(options), call);
  }

  /** One after the other, as the worker answers them: no question's time begins while it waits for others. */
  async #call<T>(ask: () => Promise<Outcome<T>>, call: SessionCall): Promise<T> {
    const { signal } = call;
    if (this.#closed) throw new DarmError('usage', 'the session is closed');
    if (signal?.aborted) throw abortedError(signal);
    let isWaiting = true;
    const answer = this.#last.then(() => {
      isWaiting = false;
      return this.#callNow(ask, call);
    });
    this.#last = answer.catch(() => {});
    return new Promise((resolve, reject) => {
      // A question that waits does not end the session.
      const leave = (): void => {
        if (isWaiting) reject(abortedError(signal));
      };
      signal?.addEventListener('abort', leave, { once: true });
      void answer.then(resolve, reject).finally(() => signal?.removeEventListener('abort', leave));
    });
  }

  async #callNow<T>(ask: () => Promise<Outcome<T>>, { signal }: SessionCall): Promise<T> {
    if (this.#ending !== null) throw this.#ending;
    if (signal?.aborted) throw abortedError(signal);
    const limit = this.#timeoutMs > 0 ? AbortSignal.timeout(this.#timeoutMs) : null;
    const end = AbortSignal.any([signal, limit].filter((each) => each != null));
    const ended = (): void => this.#end(limit?.aborted === true ? timeoutError(this.#timeoutMs) : abortedError(signal));
    end.addEventListener('abort', ended, { once: true });
    this.#worker.ref();
    try {
      return unwrap(await Promise.race([ask(), this.#death]));
    } finally {
      end.removeEventListener('abort', ended);
      // An open session alone does not keep the process alive.
      this.#worker.unref();
    }
  }

  #end(why: DarmError): void {
    this.#ending ??= why;
    void this.#worker.terminate();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#ending ??= abortedError();
    await this.#worker.terminate();
  }
}

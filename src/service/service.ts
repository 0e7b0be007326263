/**
 * The compile service as a web-standard handler: `fetch(Request) → Response`. `darm serve` runs it with Node's HTTP
 * server (node-server.ts), `darm/lambda` on AWS Lambda. docs/service.md describes its interface.
 */
import { Hono, type Context } from 'hono';
import { requestId } from 'hono/request-id';
import { checkOptions, wholeNumberIn, type Checks } from '../job/option-table.js';
import type { Compiler } from '../compiler/compiler.js';
import { DarmError } from '../errors.js';
import { analyzeDocument } from '../report/json/analyze-document.js';
import { Admission, type AdmissionLimits } from './admission.js';
import { artifactHeaders, compileAnswer } from './artifacts.js';
import { streamBatch, type StreamedJob } from './batch.js';
import type { BodyLimits } from './body.js';
import { batchInputs, moduleInput, type BatchInput } from './inputs.js';
import { requestedJob } from './job-options.js';
import { JobRunner, shorter } from './job-runner.js';
import { Metrics } from './metrics.js';
import { problemHeaders, problemOf, Refusal, type Problem } from './problem.js';

/** Writes one line per call. A pino logger can be used as one. */
export interface ServiceLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface ServiceOptions extends AdmissionLimits, BodyLimits {
  /** Longest time that a job may run, in milliseconds; 0 for no limit except the compiler's own. */
  readonly timeout: number;
  /** Most modules in one batch. */
  readonly maxBatch: number;
  readonly log: ServiceLog | null;
}

export interface FetchLimits {
  /** Longest time that a job of this request may run, in milliseconds. The service's own `timeout` applies as well. */
  readonly timeout?: number;
}

export interface Service {
  fetch(request: Request, limits?: FetchLimits): Promise<Response>;
  /** Refuses new work, and resolves when all accepted requests are answered. The compiler stays open. */
  close(): Promise<void>;
}

const LARGEST_MS = 2 ** 31 - 1;

const CHECKS: Checks<ServiceOptions> = {
  concurrency: wholeNumberIn(1, 1024),
  queue: wholeNumberIn(0, 1_000_000),
  queueTimeout: wholeNumberIn(0, LARGEST_MS),
  maxBody: wholeNumberIn(1, 2 ** 31),
  bodyTimeout: wholeNumberIn(0, LARGEST_MS),
  timeout: wholeNumberIn(0, LARGEST_MS),
  maxBatch: wholeNumberIn(1, 1_000_000),
  log: (value) => (value === null || typeof value === 'object' ? null : 'must be a logger or null'),
};

export const DEFAULT_SERVICE: Omit<ServiceOptions, 'concurrency'> = {
  queue: 64,
  queueTimeout: 30_000,
  maxBody: 32 * 2 ** 20,
  bodyTimeout: 30_000,
  timeout: 60_000,
  maxBatch: 4096,
  log: null,
};

interface Env {
  Variables: {
    requestId: string;
    /** Set for an answer that is streamed: resolves at its end, with more fields for the log. */
    streamed?: Promise<object>;
  };
  Bindings: FetchLimits;
}

const OPERATIONS = ['/healthz', '/readyz', '/metrics', '/openapi.json'] as const;
const WORK = ['/v1/compile', '/v1/analyze', '/v1/batch'] as const;
const ROUTES: readonly string[] = [...OPERATIONS, ...WORK];

/**
 * @param options `concurrency` is required: the compiler's number of threads
 * @throws DarmError `usage`
 */
export function createService(
  compiler: Compiler,
  options: Partial<ServiceOptions> & Pick<ServiceOptions, 'concurrency'>,
): Service {
  checkOptions('createService()', options as ServiceOptions, CHECKS);
  const settings: ServiceOptions = { ...DEFAULT_SERVICE, ...options };
  const admission = new Admission(settings);
  const metrics = new Metrics(admission, settings.concurrency, () => compiler.cacheCounts);
  const runner = new JobRunner(compiler, admission, metrics);
  const { log } = settings;

  const app = new Hono<Env>();
  app.use(requestId({ limitLength: 128 }));

  app.use(async (c, next) => {
    const started = performance.now();
    await next();
    c.header('X-Content-Type-Options', 'nosniff');
    const { method, path } = c.req;
    const { status } = c.res;
    const report = (more: object = {}): void => {
      const ms = performance.now() - started;
      metrics.request(ROUTES.includes(path) ? path : 'other', status, ms);
      log?.info({ requestId: c.get('requestId'), method, path, status, ms: Math.round(ms), ...more }, 'request');
    };
    const streamed = c.get('streamed');
    if (streamed) void streamed.then(report);
    else report(c.error ? { code: problemOf(c.error, c.get('requestId')).code } : {});
  });

  app.get('/healthz', (c) => c.json({ status: 'ok' }));
  app.get('/readyz', (c) => {
    if (admission.closing) throw new Refusal('shutting-down', 'the service takes no new work');
    return c.json({ status: 'ready' });
  });
  app.get('/metrics', async (c) => c.body(await metrics.text(), 200, { 'Content-Type': metrics.contentType }));
  app.get('/openapi.json', async (c) => c.json((await import('./openapi.js')).openApiDocument()));

  app.post('/v1/compile', async (c) => {
    using _ticket = ticket();
    const { module, options: given } = await moduleInput(c.req.raw, settings);
    const job = requestedJob(given);
    const wantsJson = /\bapplication\/json\b/.test(c.req.header('Accept') ?? '');
    if (!wantsJson && job.options.emit.length > 1)
      throw new DarmError('usage', 'several kinds of "emit" in the request need the header Accept: application/json');
    const result = await runner.run('compile', module, job, callOf(c));
    c.header('Vary', 'Accept');
    if (wantsJson) return c.json(compileAnswer(result));
    const artifact = result.artifacts[0]!;
    return c.body(artifact.bytes as Uint8Array<ArrayBuffer>, 200, artifactHeaders(artifact));
  });

  app.post('/v1/analyze', async (c) => {
    using _ticket = ticket();
    const { module, options: given } = await moduleInput(c.req.raw, settings);
    return c.json(analyzeDocument(await runner.run('analyze', module, requestedJob(given), callOf(c))));
  });

  app.post('/v1/batch', async (c) => {
    const leave = admission.enter();
    try {
      const inputs = await batchInputs(c.req.raw, settings);
      const stop = new AbortController();
      const signal = AbortSignal.any([c.req.raw.signal, stop.signal]);
      const jobs = inputs.map((input, index) => batchJob(c, input, index, signal));
      const streamed = new Promise<object>((resolve) => {
        const abort = (): void => stop.abort();
        const body = streamBatch(jobs, settings.concurrency, settings.bodyTimeout, abort, (counts) => {
          leave();
          resolve(counts);
        });
        c.res = c.body(body, 200, { 'Content-Type': 'application/x-ndjson' });
      });
      c.set('streamed', streamed);
      return c.res;
    } catch (error) {
      leave();
      throw error;
    }
  });

  for (const path of ROUTES) {
    const allowed = path.startsWith('/v1/') ? 'POST' : 'GET';
    app.all(path, (c) => {
      c.header('Allow', allowed);
      throw new Refusal('method-not-allowed', `${path} takes ${allowed}`);
    });
  }
  app.notFound((c) => answer(c, new Refusal('not-found', 'there is nothing under this path')));
  app.onError((error, c) => answer(c, error));

  /** A ticket of the admission that is given back at the end of the block. */
  function ticket(): Disposable {
    return { [Symbol.dispose]: admission.enter() };
  }

  function callOf(c: Context<Env>): { signal: AbortSignal; patient: boolean; timeout: number } {
    const timeout = shorter(settings.timeout, c.env?.timeout ?? 0);
    return { signal: c.req.raw.signal, patient: false, timeout };
  }

  function batchJob(c: Context<Env>, load: BatchInput, index: number, signal: AbortSignal): StreamedJob {
    let name: string | null = null;
    const run = async (): Promise<object> => {
      const input = await load();
      name = input.name;
      if (admission.closing) throw new Refusal('shutting-down', 'the service shut down before the module had its turn');
      const job = requestedJob(input.options);
      const call = { ...callOf(c), signal, patient: true };
      return compileAnswer(await runner.run('compile', input.module, job, call));
    };
    return {
      run: () =>
        run().then(
          (document) => ({ ok: true, line: { index, name, ...document } }),
          (error: unknown) => ({ ok: false, line: { index, name, error: tell(error, c) } }),
        ),
    };
  }

  /** The problem as the client sees it. An internal error, whose details it does not see, is logged. */
  function tell(error: unknown, c: Context<Env>): Problem {
    const problem = problemOf(error, c.get('requestId'));
    if (problem.status === 500) log?.error({ requestId: problem.requestId, err: error }, 'internal error');
    return problem;
  }

  function answer(c: Context<Env>, error: Error): Response {
    const problem = tell(error, c);
    return c.body(JSON.stringify(problem), problem.status as 500, problemHeaders(problem));
  }

  return {
    fetch: async (request, limits = {}) => app.fetch(request, limits),
    close: () => admission.close(),
  };
}

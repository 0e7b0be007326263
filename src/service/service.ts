/**
 * The compile service as a web-standard handler: `fetch(Request) → Response`. `darm serve` runs it with Node's HTTP
 * server (node-server.ts), `darm/lambda` on AWS Lambda. docs/service.md describes its interface.
 */
import { Hono, type Context } from 'hono';
import { requestId } from 'hono/request-id';
import { type Checks, boolean, checkOptions, givenOf, requireOptions, wholeNumberIn } from '../job/option-table.js';
import type { Compiler } from '../compiler/api.js';
import { cacheComplaint } from '../compiler/cache-complaint.js';
import { Retried } from '../compiler/retried.js';
import { DarmError } from '../errors.js';
import { packageVersion } from '../compiler/version.js';
import { analyzeDocument } from '../report/json/analyze-document.js';
import { Admission, type AdmissionLimits, type Visit } from './admission.js';
import { answerStream, type Ending } from './answer-stream.js';
import { artifactAnswer, checkArtifacts, compileAnswer, documentAnswer, type Answer } from './answers.js';
import { batchPieces, type BatchCounts, type BatchJob } from './batch.js';
import { readBody, type BodyLimits, type BodyReading } from './body.js';
import { batchInputs, moduleInput, type BatchInput } from './inputs.js';
import { requestedJob } from './job-options.js';
import { JobRunner, LONGEST_MS, shorter } from './job-runner.js';
import { safeLog, type ServiceLog } from './log.js';
import { Metrics } from './metrics.js';
import { problemHeaders, problemOf, Refusal, type Problem } from './problem.js';
import type { Unreadable } from './unreadable.js';
import { requirePage } from './explorer-page.js';

export interface ServiceOptions extends AdmissionLimits, BodyLimits {
  /** Longest time that a job may run, in milliseconds; 0 for no limit except the compiler's own. */
  readonly timeout: number;
  /** Most bytes of the artifacts of a module, and most characters of a document. What is larger is refused. */
  readonly maxArtifact: number;
  /** Most modules in one batch. */
  readonly maxBatch: number;
  /** Whether there is the explorer's page under `/explore/` (docs/explorer.md). */
  readonly explore: boolean;
  readonly log: ServiceLog | null;
}

export interface FetchLimits {
  /** Longest time that a job of this request may run, in milliseconds. The service's own `timeout` applies as well. */
  readonly timeout?: number;
}

export interface Service {
  fetch(request: Request, limits?: FetchLimits): Promise<Response>;
  /**
   * The answer to what a server cannot make a `Request` of. It is logged and counted like all others. Without this
   * method, `listen` answers with the problem alone.
   */
  refuse?(request: Unreadable): Promise<Response>;
  /**
   * Refuses new work, and resolves when the answers to all accepted requests are sent. The compiler stays open.
   *
   * @param enough when it is aborted, the jobs that are left are ended, and answered with `shutting-down`
   */
  close(enough?: AbortSignal): Promise<void>;
}

const CHECKS: Checks<ServiceOptions> = {
  concurrency: wholeNumberIn(1, 1024),
  queue: wholeNumberIn(0, 1_000_000),
  queueTimeout: wholeNumberIn(0, LONGEST_MS),
  maxBuffered: wholeNumberIn(1, 2 ** 40),
  maxBody: wholeNumberIn(1, 2 ** 31),
  bodyTimeout: wholeNumberIn(0, LONGEST_MS),
  timeout: wholeNumberIn(0, LONGEST_MS),
  maxArtifact: wholeNumberIn(1, 2 ** 32),
  maxBatch: wholeNumberIn(1, 1_000_000),
  explore: boolean,
  log: (value) => (value === null || typeof value === 'object' ? null : 'must be a logger or null'),
};

export const DEFAULT_SERVICE: Omit<ServiceOptions, 'concurrency'> = {
  queue: 64,
  queueTimeout: 30_000,
  maxBuffered: 512 * 2 ** 20,
  maxBody: 32 * 2 ** 20,
  bodyTimeout: 30_000,
  timeout: 60_000,
  maxArtifact: 128 * 2 ** 20,
  maxBatch: 4096,
  explore: false,
  log: null,
};

interface Env {
  Variables: {
    requestId: string;
    /** Set for a request for work: ends its jobs. */
    signal: AbortSignal;
    /** Set for the answer to a request for work. */
    ending?: Promise<Ending>;
    /** Set at the end of the answer to a batch. */
    counts?: BatchCounts;
  };
  Bindings: FetchLimits & { readonly unreadable?: Unreadable };
}

interface BatchItem {
  readonly input: BatchInput;
  readonly index: number;
  readonly visit: Visit;
}

const OPERATIONS = ['/healthz', '/readyz', '/metrics', '/openapi.json'] as const;
const WORK = ['/v1/compile', '/v1/analyze', '/v1/batch'] as const;
const ROUTES: readonly string[] = [...OPERATIONS, ...WORK];

/**
 * @param options `concurrency` is required: the compiler's number of threads
 * @throws DarmError `usage`, `io` where the explorer's page is missing
 */
export function createService(
  compiler: Compiler,
  options: Partial<ServiceOptions> & Pick<ServiceOptions, 'concurrency'>,
): Service {
  checkOptions('createService()', options as ServiceOptions, CHECKS);
  requireOptions('createService()', options, ['concurrency']);
  const service = new CompileService(compiler, { ...DEFAULT_SERVICE, ...givenOf(options, Object.keys(CHECKS)) });
  return {
    fetch: async (request, { timeout } = {}) => service.app.fetch(request, timeout === undefined ? {} : { timeout }),
    refuse: async (unreadable) => {
      const headers = { 'X-Request-Id': unreadable.requestId ?? '' };
      return service.app.fetch(new Request('http://unreadable/', { headers }), { unreadable });
    },
    close: (enough) => service.close(enough),
  };
}

class CompileService {
  readonly app = new Hono<Env>();
  readonly admission: Admission;
  readonly #version = packageVersion();
  readonly #log: Required<ServiceLog>;
  readonly #metrics: Metrics;
  readonly #runner: JobRunner;
  /** Of the requests for work that are not answered yet. One signal for all would keep something of each. */
  readonly #stops = new Set<AbortController>();
  #isEnough = false;
  readonly #noteCache: () => void;

  constructor(
    private readonly compiler: Compiler,
    private readonly settings: ServiceOptions,
  ) {
    const { concurrency, maxBuffered, maxBody, explore } = settings;
    const admission = new Admission({ ...settings, maxBuffered: Math.max(maxBuffered, maxBody) });
    const log = safeLog(settings.log);
    this.admission = admission;
    this.#log = log;
    this.#noteCache = cacheComplaint(compiler, (err, message) => log.error({ err }, message));
    this.#metrics = new Metrics({
      admission,
      workers: concurrency,
      cache: () => compiler.cacheCounts,
      remoteCache: () => compiler.remoteCacheReport,
      prepared: () => compiler.prepared,
      droppedLogLines: () => log.dropped(),
    });
    this.#runner = new JobRunner(compiler, admission, this.#metrics);
    this.app.use(requestId({ limitLength: 128 }));
    this.app.use((c, next) => this.#observe(c, next));
    this.app.use((c, next) => {
      const { unreadable } = c.env;
      if (unreadable !== undefined) throw unreadable.refusal;
      return next();
    });
    this.#routeOperations();
    this.#routeWork();
    if (explore) this.#routeExplorer();
    this.#routeRefusals();
  }

  close(enough?: AbortSignal): Promise<void> {
    const stop = (): void => {
      this.#isEnough = true;
      for (const each of this.#stops) each.abort();
    };
    if (enough?.aborted) stop();
    else enough?.addEventListener('abort', stop, { once: true });
    return this.admission.close();
  }

  #routeOperations(): void {
    const { app } = this;
    const metrics = this.#metrics;
    app.get('/healthz', (c) => c.json({ status: 'ok' }));
    app.get('/readyz', async (c) => {
      await this.#checkReady(c.get('requestId'));
      return c.json({ status: 'ready' });
    });
    app.get('/metrics', async (c) => c.body(await metrics.text(), 200, { 'Content-Type': metrics.contentType }));
    app.get('/openapi.json', async (c) => c.json((await import('./openapi.js')).openApiDocument()));
  }

  #routeWork(): void {
    const { app } = this;
    app.post('/v1/compile', (c) => this.#serve(c, (visit) => this.#compile(c, visit)));
    app.post('/v1/analyze', (c) => this.#serve(c, (visit) => this.#analyze(c, visit)));
    app.post('/v1/batch', (c) => this.#serve(c, (visit) => this.#batch(c, visit)));
  }

  #routeExplorer(): void {
    requirePage();
    const { app, compiler, settings } = this;
    // What draws graphs is large, and most services have no page.
    const explorer = new Retried(async () => {
      const { outcomeAnswer, ServiceExplorer } = await import('./explorer.js');
      return { explorer: new ServiceExplorer(compiler), outcomeAnswer };
    });
    app.get('/explore', (c) => c.redirect('explore/'));
    app.get('/explore/', async () => (await explorer.get()).explorer.file('index.html'));
    app.get('/explore/:file', async (c) => (await explorer.get()).explorer.file(c.req.param('file')));
    app.post('/explore/ask', (c) =>
      this.#serve(c, async (visit) => {
        const { explorer: answering, outcomeAnswer } = await explorer.get();
        const body = await readBody(c.req.raw, this.#readingFor(c, visit));
        const question = answering.question(c.req.header('Content-Type'), body);
        visit.enter();
        const outcome = await this.#runner.explore(this.#callOf(c), (signal) => answering.answer(question, signal));
        return held(outcomeAnswer(outcome, settings.maxArtifact), visit);
      }),
    );
  }

  #routeRefusals(): void {
    const { app } = this;
    for (const path of ROUTES) {
      const allowed = path.startsWith('/v1/') ? 'POST' : 'GET';
      app.all(path, (c) => {
        c.header('Allow', allowed);
        throw new Refusal('method-not-allowed', `${path} takes ${allowed}`);
      });
    }
    app.notFound(() => {
      throw new Refusal('not-found', 'there is nothing under this path');
    });
    app.onError((error, c) => this.#refuse(c, error));
  }

  /** Answers a request, and logs and counts it: one for work when its answer has been sent. */
  async #observe(c: Context<Env>, next: () => Promise<void>): Promise<void> {
    const started = performance.now();
    await next();
    c.header('X-Content-Type-Options', 'nosniff');
    c.header('Darm-Version', this.#version);
    const { method, path } = c.env.unreadable ?? c.req;
    const { status } = c.res;
    const id = c.get('requestId');
    const report = (more: object): void => {
      const ms = performance.now() - started;
      this.#metrics.request(path !== null && ROUTES.includes(path) ? path : 'other', status, ms);
      this.#log.info({ requestId: id, method, path, status, ms: Math.round(ms), ...more }, 'request');
      this.#noteCache();
    };
    const ending = c.get('ending');
    if (ending === undefined) return report(c.error ? { code: problemOf(this.#reasonFor(c.error), id).code } : {});
    void ending.then((how) => {
      if (how.kind === 'failed') this.#log.error({ requestId: id, err: how.error }, 'an answer broke off');
      if (how.kind !== 'sent') this.#metrics.brokenOff(how.kind);
      report({ ...c.get('counts'), ...(how.kind !== 'sent' && { brokenOff: how.kind }) });
    });
  }

  async #checkReady(id: string): Promise<void> {
    if (this.admission.closing) throw new Refusal('shutting-down', 'the service takes no new work');
    await this.compiler.ready().catch((error: unknown) => {
      this.#log.error({ requestId: id, err: error }, 'the compiler cannot be loaded');
      throw new Refusal('not-ready', `the server's log has the details of request ${id}`);
    });
  }

  /** Answers a request for work. The visit ends when the answer is sent, or broken off. */
  async #serve(c: Context<Env>, work: (visit: Visit) => Promise<Answer>): Promise<Response> {
    const visit = this.admission.arrive();
    const stop = new AbortController();
    this.#stops.add(stop);
    const leave = (): void => {
      this.#stops.delete(stop);
      visit.leave();
    };
    c.set('signal', AbortSignal.any([c.req.raw.signal, stop.signal]));
    try {
      const answer = await work(visit);
      c.set(
        'ending',
        new Promise((resolve) => {
          const stream = answerStream(answer.pieces(), {
            stallMs: this.settings.bodyTimeout,
            stop: () => stop.abort(),
            ended: (ending) => {
              leave();
              resolve(ending.kind === 'gone' && this.#isEnough ? { kind: 'shutting-down' } : ending);
            },
          });
          c.res = c.body(stream, 200, answer.headers);
        }),
      );
      return c.res;
    } catch (error) {
      leave();
      throw error;
    }
  }

  async #compile(c: Context<Env>, visit: Visit): Promise<Answer> {
    const { maxArtifact } = this.settings;
    const { module, options: given } = await moduleInput(c.req.raw, this.#readingFor(c, visit));
    const job = requestedJob(given);
    const wantsJson = /\bapplication\/json\b/.test(c.req.header('Accept') ?? '');
    if (!wantsJson && job.emit.length > 1)
      throw new DarmError('usage', 'several kinds of "emit" in the request need the header Accept: application/json');
    visit.enter();
    c.header('Vary', 'Accept');
    return this.#runner.run('compile', module, job, this.#callOf(c), async (result) => {
      checkArtifacts(result.artifacts, maxArtifact);
      const answer = await (wantsJson ? compileAnswer(result, maxArtifact) : artifactAnswer(result.artifacts[0]!));
      return held(answer, visit);
    });
  }

  async #analyze(c: Context<Env>, visit: Visit): Promise<Answer> {
    const { module, options: given } = await moduleInput(c.req.raw, this.#readingFor(c, visit));
    const job = requestedJob(given);
    visit.enter();
    return this.#runner.run('analyze', module, job, this.#callOf(c), (result) =>
      held(documentAnswer(analyzeDocument(result), this.settings.maxArtifact), visit),
    );
  }

  async #batch(c: Context<Env>, visit: Visit): Promise<Answer> {
    const { maxBatch, concurrency } = this.settings;
    const inputs = await batchInputs(c.req.raw, { ...this.#readingFor(c, visit), maxBatch });
    visit.enter();
    const jobs = inputs.map((input, index) => this.#batchJob(c, { input, index, visit }));
    const done = (counts: BatchCounts): void => c.set('counts', counts);
    return {
      headers: { 'Content-Type': 'application/x-ndjson' },
      size: 0,
      pieces: () => batchPieces(jobs, concurrency, done),
    };
  }

  #batchJob(c: Context<Env>, { input: load, index, visit }: BatchItem): BatchJob {
    const { maxArtifact } = this.settings;
    return async () => {
      let name: string | null = null;
      try {
        const input = await load((found) => (name = found));
        if (this.admission.closing)
          throw new Refusal('shutting-down', 'the service shut down before the module had its turn');
        const job = requestedJob(input.options);
        const call = { ...this.#callOf(c), patient: true };
        return await this.#runner.run('compile', input.module, job, call, async (result) => {
          checkArtifacts(result.artifacts, maxArtifact);
          const { pieces, size } = await compileAnswer(result, maxArtifact, { index, name });
          visit.holdAnswer(size);
          return { ok: true, pieces, sent: () => visit.dropAnswer(size) };
        });
      } catch (error) {
        const { pieces } = documentAnswer({ index, name, error: this.#tell(error, c) }, Infinity);
        return { ok: false, pieces, sent: () => {} };
      }
    };
  }

  #readingFor(c: Context<Env>, visit: Visit): BodyReading {
    const { maxBody, bodyTimeout } = this.settings;
    return { maxBody, bodyTimeout, received: (bytes) => visit.holdBody(bytes), signal: c.get('signal') };
  }

  #callOf(c: Context<Env>): { signal: AbortSignal; patient: boolean; timeout: number } {
    const timeout = shorter(this.settings.timeout, c.env.timeout ?? 0);
    return { signal: c.get('signal'), patient: false, timeout };
  }

  /** The problem as the client sees it. An internal error, whose details it does not see, is logged. */
  #tell(error: unknown, c: Context<Env>): Problem {
    const problem = problemOf(this.#reasonFor(error), c.get('requestId'));
    if (problem.status === 500) this.#log.error({ requestId: problem.requestId, err: error }, 'internal error');
    return problem;
  }

  /** Who ended a job: the client that has gone, or the service. */
  #reasonFor(error: unknown): unknown {
    if (!this.#isEnough || !(error instanceof DarmError) || error.code !== 'aborted') return error;
    return new Refusal('shutting-down', 'the service shut down before the job was done');
  }

  #refuse(c: Context<Env>, error: Error): Response {
    const problem = this.#tell(error, c);
    return c.body(JSON.stringify(problem), problem.status as 500, problemHeaders(problem));
  }
}

/** The module has become an answer. */
function held(answer: Answer, visit: Visit): Answer {
  visit.dropBody();
  visit.holdAnswer(answer.size);
  return answer;
}

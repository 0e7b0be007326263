/** The service's metrics for Prometheus. Every service has its own registry, so that one process may have several. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { CacheCounts } from '../compiler/compile-cache.js';
import type { RemoteCacheReport } from '../remote-cache/setting.js';
import type { Admission } from './admission.js';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

const REMOTE_CACHE = [
  ['hits', 'hits', 'Compilations taken from the remote cache'],
  ['misses', 'misses', 'Compilations that the remote cache did not hold'],
  ['errors', 'errors', 'Lookups in the remote cache without a proper answer'],
  ['refused', 'refused', 'Answers of the remote cache with wrong bytes'],
  ['skipped', 'skipped', 'Lookups that were not made, because the remote cache is left alone'],
  ['uploads', 'uploads', 'Results brought to the remote cache'],
  ['uploads_lost', 'uploadsLost', 'Results that the remote cache did not get'],
] as const;

export interface MetricsSources {
  readonly admission: Admission;
  readonly workers: number;
  readonly cache: () => CacheCounts | null;
  readonly remoteCache: () => RemoteCacheReport | null;
  /** Whether LLVM runs as prepared code; null before it is loaded. */
  readonly prepared: () => boolean | null;
  readonly droppedLogLines: () => number;
}

export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: Counter<'route' | 'status'>;
  readonly #requestSeconds: Histogram<'route'>;
  readonly #jobs: Counter<'kind' | 'outcome'>;
  readonly #jobSeconds: Histogram<'kind'>;
  readonly #waitSeconds: Histogram;
  readonly #brokenOff: Counter<'reason'>;

  constructor({ admission, workers, cache, remoteCache, prepared, droppedLogLines }: MetricsSources) {
    const registers = [this.#registry];
    this.#requests = new Counter({
      name: 'darm_requests_total',
      help: 'Requests that were answered',
      labelNames: ['route', 'status'],
      registers,
    });
    this.#requestSeconds = new Histogram({
      name: 'darm_request_duration_seconds',
      help: 'Time from the head of a request to the end of its answer',
      labelNames: ['route'],
      buckets: SECONDS,
      registers,
    });
    this.#jobs = new Counter({
      name: 'darm_jobs_total',
      help: "Jobs by outcome: ok, or the error's code",
      labelNames: ['kind', 'outcome'],
      registers,
    });
    this.#jobSeconds = new Histogram({
      name: 'darm_job_duration_seconds',
      help: 'Time of a job on the workers, without waiting',
      labelNames: ['kind'],
      buckets: SECONDS,
      registers,
    });
    this.#waitSeconds = new Histogram({
      name: 'darm_job_wait_seconds',
      help: 'Time that a job waited for a worker',
      buckets: SECONDS,
      registers,
    });
    this.#brokenOff = new Counter({
      name: 'darm_answers_broken_off_total',
      help: 'Answers that began and did not come to their end: stalled or gone clients, failed for an error, or shutting down',
      labelNames: ['reason'],
      registers,
    });
    const gauge = (name: string, help: string, value: () => number): void => {
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(value());
        },
      });
    };
    gauge('darm_workers', 'Jobs that can run at the same time', () => workers);
    gauge('darm_jobs_running', 'Jobs that are running', () => admission.running);
    gauge('darm_jobs_waiting', 'Jobs that wait for a worker', () => admission.waiting);
    gauge('darm_requests_in_flight', 'Requests for work whose answer is not sent yet', () => admission.visits);
    gauge('darm_body_bytes', 'Bytes of bodies that arrive, wait or are at work', () => admission.bodyBytes);
    gauge('darm_answer_bytes', 'Bytes of answers that are not sent yet', () => admission.answerBytes);
    gauge('darm_prepared_code', 'Whether LLVM runs as prepared code (darm prepare): 1 or 0', () =>
      prepared() ? 1 : 0,
    );
    gauge('darm_cache_hits', 'Compilations taken from the cache', () => cache()?.hits ?? 0);
    gauge('darm_cache_misses', 'Compilations that the cache did not hold', () => cache()?.misses ?? 0);
    gauge('darm_cache_errors', 'Results that could not be stored in the cache', () => cache()?.errors ?? 0);
    for (const [name, count, help] of REMOTE_CACHE)
      gauge(`darm_remote_cache_${name}`, help, () => remoteCache()?.[count] ?? 0);
    gauge('darm_log_lines_dropped', 'Lines of the log that could not be written', droppedLogLines);
    gauge('darm_resident_memory_bytes', 'Memory of the process', () => process.memoryUsage.rss());
  }

  request(route: string, status: number, ms: number): void {
    this.#requests.inc({ route, status });
    this.#requestSeconds.observe({ route }, ms / 1000);
  }

  brokenOff(reason: string): void {
    this.#brokenOff.inc({ reason });
  }

  waited(ms: number): void {
    this.#waitSeconds.observe(ms / 1000);
  }

  job(kind: string, outcome: string, ms: number): void {
    this.#jobs.inc({ kind, outcome });
    this.#jobSeconds.observe({ kind }, ms / 1000);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }
}

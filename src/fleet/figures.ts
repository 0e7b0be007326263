/** A worker's metrics for Prometheus: its own, and those of the queue, which are the same at every worker. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Queue } from 'bullmq';
import { Gauge, Registry } from 'prom-client';
import type { Compiler } from '../compiler/api.js';
import { ioError } from '../process/files.js';
import type { FleetWorker } from './worker.js';

export interface FigureSources {
  readonly queue: Queue;
  readonly worker: Pick<FleetWorker, 'counts'>;
  readonly compiler: Pick<Compiler, 'cacheCounts' | 'remoteCacheReport'>;
  readonly host: string;
  readonly port: number;
}

const STATES = ['waiting', 'active', 'delayed', 'completed', 'failed'] as const;
/** A queue that does not answer so long is away. */
const ANSWER_MS = 2000;

/** @throws DarmError `io` when the port cannot be had */
export async function serveFigures(sources: FigureSources): Promise<{ readonly url: string; close(): Promise<void> }> {
  const { host, port } = sources;
  const registry = new Registry();
  const server = createServer((request, response) => {
    if (request.url === '/healthz') return void response.end('ok\n');
    if (request.url !== '/metrics') return void response.writeHead(404).end();
    void collect(registry, sources)
      .then(() => registry.metrics())
      .then(
        (text) => response.writeHead(200, { 'Content-Type': registry.contentType }).end(text),
        () => response.writeHead(500).end(),
      );
  });
  server.listen(port, host);
  await once(server, 'listening').catch((error) => Promise.reject(ioError('listen on', `${host}:${port}`, error)));
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}/metrics`,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function collect(registry: Registry, { queue, worker, compiler }: FigureSources): Promise<void> {
  const set = (name: string, help: string, value: number | undefined): void => {
    if (value === undefined) return;
    const gauge =
      (registry.getSingleMetric(name) as Gauge | undefined) ?? new Gauge({ name, help, registers: [registry] });
    gauge.set(value);
  };
  const { done, failed, running, foreign } = worker.counts;
  set('darm_worker_jobs_done', 'Jobs that this worker has done', done);
  set('darm_worker_jobs_failed', 'Jobs that failed at this worker', failed);
  set('darm_worker_jobs_running', 'Jobs that run at this worker', running);
  set('darm_worker_jobs_foreign', 'Jobs in the queue that are not of darm', foreign);
  set('darm_cache_hits', "Compilations taken from this worker's cache", compiler.cacheCounts?.hits);
  set('darm_cache_errors', 'Results that could not be stored in the cache', compiler.cacheCounts?.errors);
  set('darm_remote_cache_hits', 'Compilations taken from the remote cache', compiler.remoteCacheReport?.hits);
  set('darm_remote_cache_errors', 'Lookups without a proper answer', compiler.remoteCacheReport?.errors);
  const late = new Promise<null>((resolve) => setTimeout(resolve, ANSWER_MS, null).unref());
  const asked = Promise.all([
    queue.getJobCounts(...STATES),
    // Others may write what cannot be read.
    queue.getJobs(['waiting'], 0, 0, true).catch(() => []),
    queue.getWorkersCount().catch(() => undefined),
  ]);
  const found = await Promise.race([asked, late]).catch(() => null);
  asked.catch(() => {});
  set('darm_queue_up', 'Whether the queue answers', found === null ? 0 : 1);
  if (found === null) return;
  const [counts, [oldest], workers] = found;
  for (const state of STATES) set(`darm_queue_${state}`, `Jobs of the queue that are ${state}`, counts[state] ?? 0);
  set(
    'darm_queue_oldest_seconds',
    'How long the oldest job waits',
    oldest === undefined ? 0 : Math.max(0, (Date.now() - oldest.timestamp) / 1000),
  );
  set('darm_queue_workers', 'Workers at the queue', workers);
}

/** `darm serve`: runs the compile service with Node's HTTP server until SIGTERM or SIGINT. */
import { tmpdir } from 'node:os';
import path from 'node:path';
import pino from 'pino';
import { createCompiler } from '../compiler/compiler.js';
import { createService, listen } from '../service/index.js';
import { cacheFolder } from './cache-arguments.js';
import { dropOptimising } from '../workers/tier-policy.js';
import type { ServeFlags } from './serve-arguments.js';

export async function runServe(flags: ServeFlags): Promise<void> {
  const destination = pino.destination({ dest: 2, sync: false });
  const log = pino({ level: flags.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  const { jobs, memoryLimit } = flags;
  const cache = cacheFolder(flags, path.join(tmpdir(), 'darm-cache'));
  const compiler = createCompiler({
    threads: jobs,
    memoryLimit,
    tierPolicy: 'long',
    ...(cache !== null && { cache: { path: cache, maxBytes: flags.cacheSize } }),
  });
  const { queue, queueTimeout, timeout, bodyTimeout, maxBody, maxBatch } = flags;
  const limits = { queue, queueTimeout, timeout, bodyTimeout, maxBody, maxBatch };
  const service = createService(compiler, { ...limits, concurrency: jobs, log });
  const server = await listen(service, { ...limits, host: flags.host, port: flags.port });
  log.info({ url: server.url, workers: jobs }, 'listening');

  log.info({ signal: await firstSignal() }, 'shutting down: new work is refused, running jobs are finished');
  await server.close();
  await compiler.close();
  log.info({}, 'stopped');
  destination.flushSync();
  await dropOptimising();
}

/** Waits for the first signal that asks the service to end. A second one ends the process at once. */
function firstSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'])
      process.once(signal, () => {
        process.removeAllListeners('SIGTERM').removeAllListeners('SIGINT');
        resolve(signal);
      });
  });
}

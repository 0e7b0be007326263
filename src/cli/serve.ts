/** `darm serve`: runs the compile service with Node's HTTP server until SIGTERM or SIGINT. */
import path from 'node:path';
import { createCompiler } from '../compiler/compiler.js';
import { createService, listen, type ServiceLog } from '../service/index.js';
import { privateTemporaryFolder } from '../process/files.js';
import { cacheFolder, remoteCacheOption } from './cache-arguments.js';
import { firstSignal } from './signals.js';
import { LogOutput, logTo } from './log-output.js';
import { dropOptimising } from '../workers/tier-policy.js';
import type { ServeFlags } from './serve-arguments.js';

/**
 * What the first requests would load. Later, clients may have taken all the files that the process may open, and Node
 * keeps an import that failed as failed for good.
 */
const loadAhead = () =>
  Promise.all([
    import('../compiler/compile-cache.js'),
    import('../compiler/compile-key.js'),
    import('../compiler/compile-caches.js'),
    import('../compiler/source-jobs.js'),
    import('../compiler/source-key.js'),
    import('../workers/make-under-policy.js'),
    import('../workers/pool.js'),
  ]);

export async function runServe(flags: ServeFlags): Promise<void> {
  await loadAhead();
  const output = new LogOutput();
  const logger = logTo(output, flags.logLevel);
  const log: ServiceLog = {
    info: (fields, message) => logger.info(fields, message),
    error: (fields, message) => logger.error(fields, message),
    dropped: () => output.dropped,
  };
  logFaults(log);
  const { jobs, memoryLimit } = flags;
  const temporary = await privateTemporaryFolder();
  const cache = cacheFolder(flags, temporary && path.join(temporary, 'cache'));
  const compiler = createCompiler({
    threads: jobs,
    memoryLimit,
    tierPolicy: 'long',
    ...(cache !== null && { cache: { path: cache, maxBytes: flags.cacheSize } }),
    ...remoteCacheOption(flags),
  });
  const { queue, queueTimeout, timeout, bodyTimeout, maxBody, maxBatch, maxArtifact, maxBuffered } = flags;
  const limits = { queue, queueTimeout, timeout, bodyTimeout, maxBody, maxBatch, maxArtifact, maxBuffered };
  const service = createService(compiler, { ...limits, concurrency: jobs, log, explore: flags.explore });
  const { host, port, listen: place = { host, port }, grace } = flags;
  const signalled = firstSignal();
  const server = await listen(service, { ...limits, ...place, grace });
  log.info({ url: server.url, workers: jobs }, 'listening');

  log.info({ signal: await signalled }, 'shutting down: new work is refused, accepted work is finished');
  await server.close();
  await compiler.close();
  log.info({}, 'stopped');
  await output.flush();
  await dropOptimising();
}

/**
 * What would end the process or be printed by Node goes to the log: a mistake in one request is not the others' end.
 */
function logFaults(log: ServiceLog): void {
  process.on('unhandledRejection', (reason) => log.error({ err: reason }, 'internal error'));
  process.removeAllListeners('warning');
  // What Node warns of may hang on the warning: a connection, with a client's headers.
  process.on('warning', ({ stack }) => log.info({ warning: stack }, 'warning'));
}

/** `darm worker`: does what batches and checks hand out, until SIGTERM or SIGINT. */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCompiler } from '../compiler/compiler.js';
import { privateTemporaryFolder } from '../process/files.js';
import { jobsApart } from '../fleet/apart.js';
import { serveFigures } from '../fleet/figures.js';
import { FleetWorker } from '../fleet/worker.js';
import { dropOptimising } from '../workers/tier-policy.js';
import { cacheFolder, remoteCacheOption } from './cache-arguments.js';
import { firstSignal } from './signals.js';
import { LogOutput, logTo } from './log-output.js';
import type { WorkerFlags } from './queue-arguments.js';
import { queueOf } from './queue.js';

/** How long the connection to the queue may take to end. */
const END_MS = 1000;

export async function runWorker(flags: WorkerFlags): Promise<void> {
  const { jobs, timeout, memoryLimit, metricsPort, host } = flags;
  const output = new LogOutput();
  const log = logTo(output, flags.logLevel);
  const { connection, carrier } = await queueOf(flags.queue, flags);
  const queue = await connection.openQueue();
  queue.on('error', () => {}); // The worker's own connection says it.
  const temporary = await privateTemporaryFolder();
  const cache = cacheFolder(flags, temporary && path.join(temporary, 'cache'));
  const compiler = createCompiler({
    threads: jobs,
    timeout,
    memoryLimit,
    tierPolicy: 'long',
    ...(cache !== null && { cache: { path: cache, maxBytes: flags.cacheSize } }),
    ...remoteCacheOption(flags),
  });
  await compiler.ready();
  const signalled = firstSignal();
  const worker = new FleetWorker({
    connection,
    carrier,
    compiler,
    apart: jobsApart({ timeout, memoryLimit }),
    // One more than there are threads keeps them busy while bytes are fetched and brought.
    concurrency: jobs + 1,
    log,
  });
  const stopExpiring = connection.expire(queue);
  const figures =
    metricsPort === undefined ? null : await serveFigures({ queue, worker, compiler, host, port: metricsPort });
  log.info({ queue: connection.shown, name: connection.queueName, threads: jobs, metrics: figures?.url }, 'working');

  log.info({ signal: await signalled }, 'shutting down: no new jobs, those that run are finished');
  stopExpiring();
  await worker.close();
  await figures?.close();
  await compiler.close();
  await carrier.close();
  // Without its server, a connection may not end.
  await Promise.race([queue.disconnect().catch(() => {}), sleep(END_MS)]);
  log.info({ ...worker.counts }, 'stopped');
  await output.flush();
  await dropOptimising();
}

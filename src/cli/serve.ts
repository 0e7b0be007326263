/** `darm serve`: a compiler, the service over it, Node's HTTP server around both; ends with SIGTERM or SIGINT. */
import pino from 'pino';
import { createCompiler } from '../compiler.js';
import { createService, listen } from '../service/index.js';
import type { ServeFlags } from './serve-arguments.js';

/** What a process that a signal ended is said to have exited with: 128 + SIGINT. */
const INTERRUPTED = 130;

export async function runServe(flags: ServeFlags): Promise<void> {
  const destination = pino.destination({ dest: 2, sync: false });
  const log = pino({ level: flags.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  const { jobs, memoryLimit } = flags;
  await using compiler = createCompiler({ threads: jobs, memoryLimit, tierPolicy: 'long' });
  const { queue, queueTimeout, timeout, bodyTimeout, maxBody, maxBatch } = flags;
  const limits = { queue, queueTimeout, timeout, bodyTimeout, maxBody, maxBatch };
  const service = createService(compiler, { ...limits, concurrency: jobs, log });
  const server = await listen(service, { ...limits, host: flags.host, port: flags.port });
  log.info({ url: server.url, workers: jobs }, 'listening');

  const told = await firstSignal(() => process.exit(INTERRUPTED));
  log.info({ signal: told }, 'shutting down: new work is refused, what runs is finished');
  await server.close();
  log.info({}, 'stopped');
  destination.flushSync();
}

/** The first signal that asks the service to end; whoever sends another does not want to wait. */
function firstSignal(impatient: () => void): Promise<string> {
  return new Promise((resolve) => {
    let asked = false;
    const told = (signal: string): void => {
      if (asked) impatient();
      asked = true;
      resolve(signal);
    };
    process.on('SIGTERM', told).on('SIGINT', told);
  });
}

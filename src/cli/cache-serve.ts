/** `darm cache serve`: a cache for other machines, until SIGTERM or SIGINT. */
import pino from 'pino';
import { serveCache } from '../cache-server/server.js';
import { Store } from '../cache-server/store.js';
import { ioError, makeFolder } from '../files.js';
import type { CacheCommandFlags } from './cache-arguments.js';
import { firstSignal } from './first-signal.js';
import { LogOutput } from './log-output.js';

/** How long the last lines of the log may take. */
const LOG_MS = 1000;

/** `$DARM_CACHE_CREDENTIALS`, `user:password`, is what clients must send: command lines can be read by others. */
export async function runCacheServer(folder: string, flags: CacheCommandFlags): Promise<void> {
  const { host, port, cacheSize, maxEntry, readOnly } = flags;
  if (!readOnly) await makeFolder(folder).catch((error) => Promise.reject(ioError('make', folder, error)));
  const output = new LogOutput();
  const log = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, output);
  const server = await serveCache(new Store(folder, cacheSize), {
    host,
    port,
    maxEntry,
    readOnly,
    credentials: process.env['DARM_CACHE_CREDENTIALS'] || null,
    onFault: (error) => log.error({ err: error }, 'internal error'),
  });
  log.info({ url: server.url }, 'listening');
  log.info({ signal: await firstSignal() }, 'shutting down');
  await server.close();
  log.info({}, 'stopped');
  await output.flush(LOG_MS);
}

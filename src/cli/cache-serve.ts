/** `darm cache serve`: a cache for other machines, until SIGTERM or SIGINT. */
import { serveCache } from '../cache-server/server.js';
import { Store } from '../cache-server/store.js';
import { DarmError } from '../errors.js';
import { ioError, makeFolder } from '../process/files.js';
import type { CacheCommandFlags } from './cache-arguments.js';
import { firstSignal } from './signals.js';
import { LogOutput, logTo } from './log-output.js';

/** `$DARM_CACHE_CREDENTIALS`, `user:password`, is what clients must send: command lines can be read by others. */
export async function runCacheServer(folder: string, flags: CacheCommandFlags): Promise<void> {
  const { host, port, cacheSize, maxEntry, readOnly } = flags;
  const credentials = process.env['DARM_CACHE_CREDENTIALS'] ?? null;
  // What should have filled it has failed, and the cache would be open to all.
  if (credentials === '') throw new DarmError('usage', '$DARM_CACHE_CREDENTIALS is empty: set it, or unset it');
  if (credentials?.includes(':') === false)
    throw new DarmError('usage', '$DARM_CACHE_CREDENTIALS must be user:password, and has no colon');
  if (!readOnly) await makeFolder(folder).catch((error) => Promise.reject(ioError('make', folder, error)));
  const output = new LogOutput();
  const log = logTo(output);
  const signalled = firstSignal();
  const server = await serveCache(new Store(folder, cacheSize), {
    host,
    port,
    maxEntry,
    readOnly,
    credentials,
    onFault: (error) => log.error({ err: error }, 'internal error'),
  });
  log.info({ url: server.url }, 'listening');
  log.info({ signal: await signalled }, 'shutting down');
  await server.close();
  log.info({}, 'stopped');
  await output.flush();
}

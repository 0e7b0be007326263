/** `darm cache` */
import { cacheStatistics } from '../compiler/cache-folder.js';
import { cleanCache, verifyCache } from '../compiler/compile-cache.js';
import { writeStandardOutput, ioError } from '../process/files.js';
import { namedCache, type CacheAction, type CacheCommandFlags } from './cache-arguments.js';

const MIB = 2 ** 20;
const when = (time: number | null): string => (time === null ? '-' : new Date(time).toISOString());
const mib = (bytes: number): string => `${(bytes / MIB).toFixed(1)} MiB`;
const counted = (entries: number): string => `${entries} ${entries === 1 ? 'entry' : 'entries'}`;

export async function runCache(action: CacheAction, flags: CacheCommandFlags): Promise<void> {
  const folder = namedCache(flags);
  if (action === 'serve') return (await import('./cache-serve.js')).runCacheServer(folder, flags);
  try {
    const [document, text] = await ACTIONS[action](folder);
    await writeStandardOutput(
      flags.json ? JSON.stringify({ schema: 1, path: folder, ...document }) + '\n' : text + '\n',
    );
  } catch (error) {
    throw ioError('read', folder, error);
  }
}

const ACTIONS: Record<Exclude<CacheAction, 'serve'>, (folder: string) => Promise<[document: object, text: string]>> = {
  async stats(folder) {
    const found = await cacheStatistics(folder);
    const { entries, bytes, oldest, newest } = found;
    return [found, `${counted(entries)}, ${mib(bytes)}, oldest ${when(oldest)}, newest ${when(newest)}`];
  },
  async clean(folder) {
    const { entries, bytes } = await cleanCache(folder);
    return [{ removed: entries, bytesFreed: bytes }, `${counted(entries)} removed, ${mib(bytes)}`];
  },
  async verify(folder) {
    const found = await verifyCache(folder);
    return [found, `${found.checked} checked, ${found.damaged} damaged and removed, ${mib(found.bytesFreed)} freed`];
  },
};

/**
 * A folder of cacache's: what it holds, and how it stays within a limit of bytes. The compile cache and the cache
 * server keep theirs so.
 */
import cacache from 'cacache';

export interface CacheStatistics {
  readonly entries: number;
  readonly bytes: number;
  /** Milliseconds since 1970; null without entries. */
  readonly oldest: number | null;
  readonly newest: number | null;
}

/** Evicting goes on to this part of the limit, so that the next entry does not evict again. */
const EVICT_TO = 0.8;

/** It is listed once, and then what is written is counted. Other processes' entries are seen when the oldest go. */
export class BoundedFolder {
  #bytes = 0;
  /** Null until somebody writes. Whoever writes meanwhile waits for the same listing. */
  #listing: Promise<void> | null = null;
  #evicting: Promise<void> | null = null;

  constructor(
    private readonly path: string,
    private readonly maxBytes: number,
  ) {}

  /** Whether an entry may be that large. */
  takes(bytes: number): boolean {
    return bytes <= this.maxBytes * EVICT_TO;
  }

  /** @param write writes an entry of so many bytes */
  async add(bytes: number, write: () => Promise<unknown>): Promise<void> {
    await (this.#listing ??= this.#list());
    await write();
    this.#bytes += bytes;
    if (this.#bytes > this.maxBytes) await (this.#evicting ??= this.#evict().finally(() => (this.#evicting = null)));
  }

  async #list(): Promise<void> {
    try {
      this.#bytes += (await cacheStatistics(this.path)).bytes;
    } catch (error) {
      this.#listing = null;
      throw error;
    }
  }

  async #evict(): Promise<void> {
    const before = this.#bytes;
    const left = await evictOldest(this.path, this.maxBytes * EVICT_TO);
    // What has been written meanwhile may not have been listed.
    this.#bytes += left - before;
  }
}

/** Without its option, which the types leave out, cacache writes that the entry is gone, and keeps a file for it. */
export const removeEntry = (path: string, key: string): Promise<unknown> =>
  (cacache.rm.entry as (path: string, key: string, options: object) => Promise<unknown>)(path, key, {
    removeFully: true,
  });

/**
 * Removes the oldest entries until the rest has no more than `maxBytes`.
 *
 * @returns the bytes of the rest
 */
async function evictOldest(path: string, maxBytes: number): Promise<number> {
  const entries = (await entriesOf(path)).sort((a, b) => a.time - b.time);
  let bytes = entries.reduce((sum, { size }) => sum + size, 0);
  for (const { key, integrity, size } of entries) {
    if (bytes <= maxBytes) break;
    await removeEntry(path, key);
    // An equal content of another key goes with it and becomes a miss.
    await cacache.rm.content(path, integrity);
    bytes -= size;
  }
  return bytes;
}

/** What cacache's list holds; its types leave some of it out. */
interface Entry {
  readonly key: string;
  /** The file of its content. */
  readonly path: string;
  readonly integrity: string;
  readonly size: number;
  readonly time: number;
}

export const entriesOf = async (path: string): Promise<Entry[]> =>
  Object.values(await cacache.ls(path)) as unknown as Entry[];

export async function cacheStatistics(path: string): Promise<CacheStatistics> {
  const entries = await entriesOf(path);
  const times = entries.map(({ time }) => time).sort((a, b) => a - b);
  return {
    entries: entries.length,
    bytes: entries.reduce((sum, { size }) => sum + size, 0),
    oldest: times[0] ?? null,
    newest: times.at(-1) ?? null,
  };
}

/**
 * The contents of a cache server in a folder: action results under their keys, contents under their hashes. cacache
 * keeps both, as it keeps the compile cache: files are written elsewhere and renamed, what is read is checked, several
 * processes may use the folder, and `darm cache stats`, `verify` and `clean` work on it.
 */
import { createHash } from 'node:crypto';
import cacache from 'cacache';
import { BoundedFolder, cacheStatistics, type CacheStatistics } from '../compiler/cache-folder.js';
import { decodeActionResult } from '../remote-cache/action-result.js';

/** The two kinds of things, as the protocol names them. */
export type Kind = 'ac' | 'cas';

export class Store {
  readonly #folder: string;
  readonly #bounded: BoundedFolder;

  constructor(folder: string, maxBytes: number) {
    this.#folder = folder;
    this.#bounded = new BoundedFolder(folder, maxBytes);
  }

  /** Null for what is not there, is damaged, or is an action result that names a content that is not there. */
  async get(kind: Kind, hash: string): Promise<Uint8Array | null> {
    const bytes = await this.#read(kind, hash);
    if (bytes === null || kind === 'cas') return bytes;
    const action = decodeActionResult(bytes);
    if (action === null) return null;
    const contents = [...action.outputFiles.map(({ digest }) => digest), ...action.otherDigests];
    // One after the other: an entry may name many, and a process may not have so many files open.
    for (const { hash: content, size } of contents) if (size > 0 && !(await this.#has('cas', content))) return null;
    return bytes;
  }

  async #read(kind: Kind, hash: string): Promise<Uint8Array | null> {
    try {
      return (await cacache.get(this.#folder, `${kind}/${hash}`)).data;
    } catch (error) {
      // A damaged content is there no more; a disk that fails is a fault of the server.
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'EINTEGRITY' || code === 'EBADSIZE') return null;
      throw error;
    }
  }

  /** Bytes; 0 for what is not there. */
  async sizeOf(kind: Kind, hash: string): Promise<number> {
    return (await cacache.get.info(this.#folder, `${kind}/${hash}`))?.size ?? 0;
  }

  async #has(kind: Kind, hash: string): Promise<boolean> {
    const entry = await cacache.get.info(this.#folder, `${kind}/${hash}`);
    return entry !== null && (await cacache.get.hasContent(this.#folder, entry.integrity)) !== false;
  }

  /** @returns what is wrong with the bytes; null when they are kept */
  async put(kind: Kind, hash: string, bytes: Uint8Array): Promise<string | null> {
    const digest = createHash('sha256').update(bytes).digest();
    if (kind === 'cas' && digest.toString('hex') !== hash) return 'the content does not have this hash';
    if (kind === 'ac' && decodeActionResult(bytes) === null) return 'the entry is no ActionResult';
    if (!this.#bounded.takes(bytes.length)) return 'the content is too large for the cache';
    if (kind === 'cas' && (await this.#read(kind, hash)) !== null) return null;
    await this.#bounded.add(bytes.length, async () => {
      // cacache would take a damaged content for the new one of the same hash.
      await cacache.rm.content(this.#folder, `sha256-${digest.toString('base64')}`);
      await cacache.put(this.#folder, `${kind}/${hash}`, bytes as Buffer, { algorithms: ['sha256'] });
    });
    return null;
  }

  statistics(): Promise<CacheStatistics> {
    return cacheStatistics(this.#folder);
  }
}

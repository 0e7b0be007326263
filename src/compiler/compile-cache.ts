/**
 * A content-addressed cache of compilations in a folder. cacache keeps it: several processes may use it at the same
 * time, and what is read is checked against its hash. A damaged entry is a miss and goes, so that the next result takes
 * its place. A cache that cannot be read is a miss, too, and one that cannot be written stays as it is. Only successes
 * are kept.
 */
import { createHash } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import cacache from 'cacache';
import { ifThere, ioError, makeFolder } from '../process/files.js';
import { BoundedFolder, cacheStatistics, entriesOf, removeEntry, type CacheStatistics } from './cache-folder.js';
import { decodeResult, encodeResult, type Keepable } from './stored-result.js';
import type { CompileResult } from '../job/results.js';

export interface CacheOptions {
  /** The folder; made when missing. */
  readonly path: string;
  /** Most bytes of the entries together; the oldest go first. Default: 2 GiB. */
  readonly maxBytes?: number;
}

export interface CacheCounts {
  readonly hits: number;
  readonly misses: number;
  /** Results that could not be kept. */
  readonly errors: number;
  /** Why the first of them could not; null when all could. */
  readonly complaint: string | null;
}

export interface CacheVerification {
  readonly checked: number;
  /** Damaged ones that were removed. */
  readonly damaged: number;
  readonly bytesFreed: number;
}

const DEFAULT_MAX_BYTES = 2 * 2 ** 30;
/** cacache's folders. */
const [INDEX, CONTENTS, TEMPORARY] = ['index-v5', 'content-v2', 'tmp'];
/** Nobody takes so long to write a file. */
const LEFT_BEHIND_MS = 60 * 60_000;

export class CompileCache {
  readonly #path: string;
  readonly #folder: BoundedFolder;
  readonly #counts: { -readonly [Name in keyof CacheCounts]: CacheCounts[Name] } = {
    hits: 0,
    misses: 0,
    errors: 0,
    complaint: null,
  };

  constructor({ path, maxBytes = DEFAULT_MAX_BYTES }: CacheOptions) {
    this.#path = path;
    this.#folder = new BoundedFolder(path, maxBytes);
  }

  get counts(): CacheCounts {
    return { ...this.#counts };
  }

  /** What was kept, without timings; null when there is nothing, or only something damaged or no longer current. */
  async get<Result extends Keepable = CompileResult>(
    key: string,
    isCurrent?: (result: Result) => boolean,
  ): Promise<Result | null> {
    const result = await this.find(key, isCurrent);
    this.#counts[result === null ? 'misses' : 'hits']++;
    return result;
  }

  /** The same for a step on the way to a result, which is neither a hit nor a miss. */
  async find<Result extends Keepable>(
    key: string,
    isCurrent: (result: Result) => boolean = () => true,
  ): Promise<Result | null> {
    const read = (await this.#read(key)) as Result | null;
    return read !== null && isCurrent(read) ? read : null;
  }

  async #read(key: string): Promise<Keepable | null> {
    try {
      const { data } = await cacache.get(this.#path, key);
      return decodeResult(data);
    } catch (error) {
      // What is damaged goes. A system call that failed (too many open files) says nothing about the entry.
      const { code, syscall } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && syscall === undefined) await this.#drop(key).catch(() => {});
      return null;
    }
  }

  /** Removes an entry with its content: cacache would take the damaged content for the new one of the same hash. */
  async #drop(key: string): Promise<void> {
    const entry = await cacache.get.info(this.#path, key);
    if (entry !== null) await cacache.rm.content(this.#path, entry.integrity);
    await removeEntry(this.#path, key);
  }

  async put(key: string, result: CompileResult): Promise<void> {
    try {
      await this.#write(key, result);
    } catch (error) {
      this.#counts.errors++;
      this.#counts.complaint ??= ioError('write', this.#path, error).message;
    }
  }

  /** The same for a step on the way to a result. A folder that cannot be written is told of the result. */
  async keep<Step extends Keepable>(key: string, step: Step): Promise<void> {
    await this.#write(key, step).catch(() => {});
  }

  async #write(key: string, result: Keepable): Promise<void> {
    const data = encodeResult(result);
    if (!this.#folder.takes(data.length)) return;
    await makeFolder(this.#path);
    await this.#folder.add(data.length, async () => {
      // cacache keeps a content that is there already, even a damaged one, which no entry may lead to any more.
      await cacache.rm.content(this.#path, `sha512-${createHash('sha512').update(data).digest('base64')}`);
      await cacache.put(this.#path, key, data);
    });
  }
}

/** Removes every entry. (cacache itself would take the name of the folder for a pattern.) */
export async function cleanCache(path: string): Promise<CacheStatistics> {
  const before = await cacheStatistics(path);
  for (const folder of [INDEX, CONTENTS]) await rm(join(path, folder), { recursive: true, force: true });
  return before;
}

/**
 * Checks all entries against their hashes and removes what is damaged or belongs to nothing. It needs no space on the
 * disk. (cacache itself writes its index anew, and takes the name of the folder for a pattern.)
 */
export async function verifyCache(path: string): Promise<CacheVerification> {
  await makeFolder(path);
  // First: a content that another process stores meanwhile is not among them, and stays.
  const files = (await ifThere(readdir(join(path, CONTENTS), { recursive: true, withFileTypes: true }))) ?? [];
  const kept = new Set<string>();
  const lost: string[] = [];
  const found = { checked: 0, damaged: 0, bytesFreed: 0 };
  for (const { key, integrity, path: file } of await entriesOf(path)) {
    const fault = await faultOf(path, integrity);
    if (fault === null) kept.add(file);
    else lost.push(key);
    if (fault !== 'ENOENT') found.checked++;
    if (fault === 'EINTEGRITY') found.damaged++;
  }
  for (const { parentPath, name } of files.filter((each) => each.isFile())) {
    const file = join(parentPath, name);
    if (kept.has(file)) continue;
    found.bytesFreed += (await ifThere(stat(file)))?.size ?? 0;
    await rm(file, { force: true });
  }
  for (const key of lost) await removeEntry(path, key);
  await removeLeftBehind(join(path, TEMPORARY));
  return found;
}

/** Removes what killed processes have left. Younger files may be those of others that are storing a result. */
async function removeLeftBehind(folder: string): Promise<void> {
  for (const name of (await ifThere(readdir(folder))) ?? []) {
    const file = join(folder, name);
    const found = await ifThere(stat(file));
    if (found !== null && Date.now() - found.mtimeMs > LEFT_BEHIND_MS) await rm(file, { recursive: true, force: true });
  }
}

/** Null for a content that is there and whole. */
async function faultOf(path: string, integrity: string): Promise<'ENOENT' | 'EINTEGRITY' | null> {
  try {
    await cacache.get.byDigest(path, integrity);
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'EINTEGRITY') return code;
    throw error;
  }
}

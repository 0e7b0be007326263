/**
 * The client of a cache that speaks Bazel's HTTP protocol (bazel-remote, nginx with WebDAV, `darm cache serve`):
 * `GET` and `PUT` of `/ac/KEY`, an `ActionResult`, and of `/cas/HASH`, a content under its SHA-256.
 *
 * Nothing here fails: whatever the server does, the answer is a result or null. What comes back is checked against its
 * hash and its key. Uploads happen in the background; what does not fit into their bounds is dropped and counted.
 */
import { createHash } from 'node:crypto';
import pLimit from 'p-limit';
import { parseAddress, type Address } from '../http/address.js';
import { ExchangeError, HttpClient, MOST_CONNECTIONS, type HttpAnswer } from '../http/client.js';
import { decodeActionResult, encodeActionResult, type Digest } from './action-result.js';
import { DEFAULT_PATIENCE, Patience, type PatienceSettings } from './patience.js';
import { NOTHING_REMOTE, REMOTE_CACHE_FLAG, type RemoteCacheReport, type RemoteCacheSetting } from './setting.js';

const MIB = 2 ** 20;
const DEFAULT_TIMEOUT_MS = 1000;
const BYTES_PER_MS = MIB / 1000;
const MOST_ACTION_BYTES = 64 * 1024;
/** Contents up to this size are in their `ActionResult`, too: then a lookup is one exchange and not two. */
const MOST_INLINE_BYTES = 32 * 1024;
const MOST_CONTENT_BYTES = 256 * MIB;
const UPLOADS_SIDE_BY_SIDE = 4;
/** A fleet's batch has hundreds of jobs at the same time. */
const LOOKUPS_SIDE_BY_SIDE = MOST_CONNECTIONS - UPLOADS_SIDE_BY_SIDE;
const MOST_WAITING_BYTES = 64 * MIB;
const UPLOAD_MS = 10_000;
/** How long `close` waits for uploads, in all and for one beside its size. */
const FLUSH_MS = 5000;
const UPLOAD_SHOULD_MS = 500;
/** How often it looks whether they still may come to an end. */
const LOOK_MS = 50;
/** The name of the one file that an entry consists of. */
const FILE = 'darm-result';

class WrongBytes extends Error {}

/** What a lookup comes to. */
type Outcome<T> = { readonly result: T } | 'miss' | Error;

interface Uploader {
  /** When what it sends should be there. */
  due: number;
}

interface Lookup {
  /** How much longer than other answers its own may take, in milliseconds: contents have a size. */
  extraMs: number;
}

const SILENT = new ExchangeError('timeout', 'it does not answer');

export class RemoteCache {
  readonly #client: HttpClient;
  readonly #address: Address;
  readonly #writes: boolean;
  readonly #timeoutMs: number;
  readonly #patience: Patience;
  readonly #limit = pLimit(LOOKUPS_SIDE_BY_SIDE);
  readonly #counts = { ...NOTHING_REMOTE };
  readonly #uploaders = new Map<Uploader, Promise<void>>();
  readonly #queue: { readonly key: string; readonly content: Uint8Array }[] = [];
  #waitingBytes = 0;
  #lastError: string | null = null;

  /** @throws DarmError `usage` for what is no address */
  constructor(
    { url, mode = 'read', timeout = DEFAULT_TIMEOUT_MS }: RemoteCacheSetting,
    patience: PatienceSettings = DEFAULT_PATIENCE,
  ) {
    this.#address = parseAddress(url, REMOTE_CACHE_FLAG);
    this.#client = new HttpClient(this.#address);
    this.#writes = mode === 'read-write';
    this.#timeoutMs = timeout;
    this.#patience = new Patience(patience);
  }

  get report(): RemoteCacheReport {
    const complaint = this.#lastError && `the remote cache ${this.#address.shown}: ${this.#lastError}`;
    return { ...this.#counts, complaint };
  }

  /**
   * @param read makes something of the content, and throws when it is not what belongs to the key
   * @returns null when the server does not have it, does not give it as it should, or says nothing
   */
  get<T>(key: string, read: (content: Uint8Array) => T): Promise<T | null> {
    return this.#limit(() => this.#ask(key, read));
  }

  async #ask<T>(key: string, read: (content: Uint8Array) => T): Promise<T | null> {
    if (!this.#patience.mayAsk()) {
      this.#counts.skipped++;
      return null;
    }
    const started = performance.now();
    const lookup: Lookup = { extraMs: 0 };
    const found = this.#lookUp(key, read, lookup);
    const outcome = (await this.#whilePatient(found, lookup)) ? await found : SILENT;
    this.#patience.waited(performance.now() - started);
    return this.#counted(outcome);
  }

  /** Does not fail. Goes on when nobody waits any longer: the server may only be slow. */
  async #lookUp<T>(key: string, read: (content: Uint8Array) => T, lookup: Lookup): Promise<Outcome<T>> {
    this.#patience.asked();
    const started = performance.now();
    try {
      const content = await this.#download(key, lookup);
      const outcome = content === null ? 'miss' : { result: readOrRefuse(read, content) };
      this.#patience.answered(performance.now() - started - lookup.extraMs);
      return outcome;
    } catch (error) {
      this.#patience.failed();
      return error as Error;
    }
  }

  /**
   * Waits for a lookup, unless the server is silent for too long.
   *
   * @returns whether the lookup has ended
   */
  async #whilePatient(found: Promise<unknown>, lookup: Lookup): Promise<boolean> {
    for (;;) {
      const left = Math.max(0, this.#patience.silenceLeftMs + lookup.extraMs);
      const due = performance.now() + left;
      if (await endsWithin(found, left)) return true;
      // A thread that was busy has not listened.
      this.#patience.excuse(Math.max(0, performance.now() - due));
      if (this.#patience.silenceLeftMs + lookup.extraMs > 0) continue;
      this.#patience.gaveUp();
      return false;
    }
  }

  #counted<T>(outcome: Outcome<T>): T | null {
    if (outcome === 'miss') {
      this.#counts.misses++;
      return null;
    }
    if (!(outcome instanceof Error)) {
      this.#counts.hits++;
      return outcome.result;
    }
    if (!(outcome instanceof ExchangeError || outcome instanceof WrongBytes)) throw outcome;
    this.#counts[outcome instanceof WrongBytes ? 'refused' : 'errors']++;
    this.#lastError = outcome.message;
    return null;
  }

  /** A hit saved so many milliseconds. */
  saved(ms: number): void {
    this.#patience.saved(ms);
  }

  /** A job that the cache did not have took so many milliseconds. */
  compiled(ms: number): void {
    this.#patience.compiled(ms);
  }

  /** Sends it in the background, unless the cache is for reading only. */
  put(key: string, content: Uint8Array): void {
    if (!this.#writes) return;
    if (!this.#patience.isTrusted || this.#waitingBytes + content.length > MOST_WAITING_BYTES) {
      this.#counts.uploadsLost++;
      return;
    }
    this.#queue.push({ key, content });
    this.#waitingBytes += content.length;
    if (this.#uploaders.size >= UPLOADS_SIDE_BY_SIDE) return;
    const uploader: Uploader = { due: Infinity };
    this.#uploaders.set(
      uploader,
      this.#uploadAll(uploader).finally(() => this.#uploaders.delete(uploader)),
    );
  }

  /** Waits for the uploads, but not for long, and for none that takes longer than it should. */
  async close(): Promise<void> {
    const until = performance.now() + FLUSH_MS;
    while (this.#uploaders.size > 0 && this.#patience.isTrusted) {
      const latest = Math.max(...[...this.#uploaders.keys()].map(({ due }) => due));
      if (performance.now() > Math.min(until, latest)) break;
      await endsWithin(Promise.all(this.#uploaders.values()), LOOK_MS);
    }
    this.#counts.uploadsLost += this.#queue.splice(0).length;
    await this.#client.close();
    // What was on its way has failed now, and is to be counted.
    await endsWithin(Promise.all(this.#uploaders.values()), LOOK_MS);
  }

  async #download(key: string, lookup: Lookup): Promise<Uint8Array | null> {
    const found = await this.#read(`/ac/${key}`, MOST_ACTION_BYTES, this.#timeoutMs);
    if (found === null) return null;
    const action = decodeActionResult(found);
    if (action === null) throw new WrongBytes('an entry is no ActionResult');
    const file = action.outputFiles.find(({ path }) => path === FILE);
    if (file === undefined) throw new WrongBytes('an entry is not one of darm');
    const { hash, size } = file.digest;
    if (size > MOST_CONTENT_BYTES) throw new WrongBytes(`a content has ${size} bytes, more than are taken`);
    const content = file.contents ?? (await this.#downloadContent(file.digest, lookup));
    // Caches may drop a content before the entry that names it.
    if (content === null) return null;
    if (content.length !== size || sha256(content) !== hash) throw new WrongBytes('a content does not have its hash');
    return content;
  }

  #downloadContent({ hash, size }: Digest, lookup: Lookup): Promise<Uint8Array | null> {
    lookup.extraMs = size / BYTES_PER_MS;
    return this.#read(`/cas/${hash}`, size, this.#timeoutMs + lookup.extraMs);
  }

  async #read(path: string, maxAnswer: number, timeoutMs: number): Promise<Uint8Array | null> {
    const answer = await this.#client.exchange({ method: 'GET', path, maxAnswer, timeoutMs });
    if (answer.status === 404 || answer.status === 410) return null;
    if (answer.status !== 200) throw unexpected(answer);
    return answer.body;
  }

  async #uploadAll(uploader: Uploader): Promise<void> {
    for (let next; (next = this.#queue.shift()) !== undefined;) {
      const { key, content } = next;
      uploader.due = performance.now() + UPLOAD_SHOULD_MS + content.length / BYTES_PER_MS;
      try {
        if (!this.#patience.isTrusted) throw new ExchangeError('broken', 'the server does not answer');
        const digest: Digest = { hash: sha256(content), size: content.length };
        // The content comes first: an entry must not name what is not there.
        await this.#write(`/cas/${digest.hash}`, content);
        const inline = content.length <= MOST_INLINE_BYTES ? { contents: content } : {};
        await this.#write(`/ac/${key}`, encodeActionResult([{ path: FILE, digest, ...inline }]));
        this.#counts.uploads++;
      } catch (error) {
        this.#counts.uploadsLost++;
        // What fails later may only fail because `close` no longer waits.
        this.#lastError ??= (error as Error).message;
        this.#patience.uploadFailed();
      } finally {
        this.#waitingBytes -= content.length;
      }
    }
  }

  async #write(path: string, body: Uint8Array): Promise<void> {
    const headers = { 'Content-Type': 'application/octet-stream' };
    const timeoutMs = UPLOAD_MS + body.length / BYTES_PER_MS;
    const limits = { maxAnswer: MOST_ACTION_BYTES, timeoutMs };
    const answer = await this.#client.exchange({ method: 'PUT', path, headers, body, ...limits });
    if (answer.status < 200 || answer.status > 299) throw unexpected(answer);
  }
}

/** Whether the promise settles within so many milliseconds, but at least one turn of the event loop. */
async function endsWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(resolve, ms, false)));
  // After the timers, Node reads from the network; what runs "immediately" comes after that.
  const heard = late.then(() => new Promise<boolean>((resolve) => setImmediate(resolve, false)));
  const ended = promise.then(
    () => true,
    () => true,
  );
  const result = await Promise.race([ended, heard]);
  clearTimeout(timer);
  return result;
}

function readOrRefuse<T>(read: (content: Uint8Array) => T, content: Uint8Array): T {
  try {
    return read(content);
  } catch {
    throw new WrongBytes('a content is not what belongs to its key');
  }
}

const unexpected = ({ status }: HttpAnswer): ExchangeError =>
  new ExchangeError(
    'broken',
    status >= 300 && status < 400
      ? `it answers ${status}, and redirects are not followed`
      : status === 401 || status === 403
        ? `it answers ${status}: user and password belong into the address`
        : `it answers ${status}`,
  );

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

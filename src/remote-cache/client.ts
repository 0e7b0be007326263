/**
 * The client of a cache that speaks Bazel's HTTP protocol (bazel-remote, nginx with WebDAV, `darm cache serve`):
 * `GET` and `PUT` of `/ac/KEY`, an `ActionResult`, and of `/cas/HASH`, a content under its SHA-256.
 *
 * Nothing here fails: whatever the server does, the answer is a result or null. What comes back is checked against its
 * hash and its key. Uploads happen in the background; what does not fit into their bounds is dropped and counted.
 */
import { createHash } from 'node:crypto';
import { parseAddress, type Address } from '../http/address.js';
import { ExchangeError, HttpClient, type HttpAnswer } from '../http/client.js';
import { decodeActionResult, encodeActionResult, type Digest } from './action-result.js';
import { DEFAULT_PATIENCE, Patience, type PatienceSettings } from './patience.js';
import { NOTHING_REMOTE, REMOTE_CACHE_FLAG, type RemoteCacheReport, type RemoteCacheSetting } from './setting.js';

const MIB = 2 ** 20;
const DEFAULT_TIMEOUT_MS = 1000;
const BYTES_PER_MS = MIB / 1000;
/** An `ActionResult` of ours has some hundred bytes. */
const MOST_ACTION_BYTES = 64 * 1024;
const MOST_CONTENT_BYTES = 256 * MIB;
const UPLOADS_SIDE_BY_SIDE = 4;
const MOST_WAITING_BYTES = 64 * MIB;
const UPLOAD_MS = 10_000;
/** How long `close` waits for uploads. */
const FLUSH_MS = 5000;
/** The name of the one file that an entry consists of. */
const FILE = 'darm-result';

class WrongBytes extends Error {}

export class RemoteCache {
  readonly #client: HttpClient;
  readonly #address: Address;
  readonly #writes: boolean;
  readonly #timeoutMs: number;
  readonly #patience: Patience;
  readonly #counts = { ...NOTHING_REMOTE };
  readonly #uploads = new Set<Promise<void>>();
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
   * @returns null when the server does not have it, or does not give it as it should
   */
  async get<T>(key: string, read: (content: Uint8Array) => T): Promise<T | null> {
    if (!this.#patience.mayAsk()) {
      this.#counts.skipped++;
      return null;
    }
    const started = performance.now();
    try {
      const content = await this.#download(key);
      this.#patience.answered();
      if (content === null) {
        this.#counts.misses++;
        return null;
      }
      const result = readOrRefuse(read, content);
      this.#counts.hits++;
      return result;
    } catch (error) {
      if (!(error instanceof ExchangeError || error instanceof WrongBytes)) throw error;
      this.#counts[error instanceof WrongBytes ? 'refused' : 'errors']++;
      this.#failed(error);
      return null;
    } finally {
      this.#patience.waited(performance.now() - started);
    }
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
    if (this.#uploads.size >= UPLOADS_SIDE_BY_SIDE) return;
    const upload = this.#uploadAll().finally(() => this.#uploads.delete(upload));
    this.#uploads.add(upload);
  }

  /** Waits for the uploads, but not for long. */
  async close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, FLUSH_MS)));
    await Promise.race([Promise.all(this.#uploads), late]);
    clearTimeout(timer);
    this.#counts.uploadsLost += this.#queue.splice(0).length;
    await this.#client.close();
  }

  async #download(key: string): Promise<Uint8Array | null> {
    const found = await this.#read(`/ac/${key}`, MOST_ACTION_BYTES, this.#timeoutMs);
    if (found === null) return null;
    const action = decodeActionResult(found);
    if (action === null) throw new WrongBytes('an entry is no ActionResult');
    const file = action.outputFiles.find(({ path }) => path === FILE);
    if (file === undefined) throw new WrongBytes('an entry is not one of darm');
    const { hash, size } = file.digest;
    if (size > MOST_CONTENT_BYTES) throw new WrongBytes(`a content has ${size} bytes, more than are taken`);
    const content = await this.#read(`/cas/${hash}`, size, this.#timeoutMs + size / BYTES_PER_MS);
    // Caches may drop a content before the entry that names it.
    if (content === null) return null;
    if (content.length !== size || sha256(content) !== hash) throw new WrongBytes('a content does not have its hash');
    return content;
  }

  async #read(path: string, maxAnswer: number, timeoutMs: number): Promise<Uint8Array | null> {
    const answer = await this.#client.exchange({ method: 'GET', path, maxAnswer, timeoutMs });
    if (answer.status === 404 || answer.status === 410) return null;
    if (answer.status !== 200) throw unexpected(answer);
    return answer.body;
  }

  async #uploadAll(): Promise<void> {
    for (let next; (next = this.#queue.shift()) !== undefined;) {
      const { key, content } = next;
      try {
        if (!this.#patience.isTrusted) throw new ExchangeError('broken', 'the server does not answer');
        const digest: Digest = { hash: sha256(content), size: content.length };
        // The content comes first: an entry must not name what is not there.
        await this.#write(`/cas/${digest.hash}`, content);
        await this.#write(`/ac/${key}`, encodeActionResult([{ path: FILE, digest }]));
        this.#counts.uploads++;
      } catch (error) {
        this.#counts.uploadsLost++;
        this.#failed(error as Error);
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

  #failed({ message }: Error): void {
    this.#lastError = message;
    this.#patience.failed();
  }
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

/**
 * Bytes under their SHA-256, in a cache that speaks Bazel's HTTP protocol: `PUT` and `GET` of `/cas/HASH`. Unlike a
 * lookup in the cache, this may fail, and says why.
 */
import { createHash } from 'node:crypto';
import pLimit from 'p-limit';
import { DarmError } from '../errors.js';
import { parseAddress } from '../http/address.js';
import { ExchangeError, HttpClient, MOST_CONNECTIONS, type HttpAnswer } from '../http/client.js';
import type { Digest } from './action-result.js';
import { REMOTE_CACHE_FLAG, type RemoteCacheSetting } from './setting.js';

const BYTES_PER_MS = 2 ** 20 / 1000;
const TIMEOUT_MS = 10_000;
/** Milliseconds for which a server is left alone that does not answer: hundreds of jobs may want to ask it. */
const REST_MS = 5000;
const MOST_BYTES = 256 * 2 ** 20;

export class BlobStore {
  readonly #client: HttpClient;
  readonly #shown: string;
  readonly #limit = pLimit(MOST_CONNECTIONS);
  #rest = { until: -Infinity, why: '' };
  readonly writes: boolean;

  /** @throws DarmError `usage` for what is no address */
  constructor({ url, mode = 'read' }: RemoteCacheSetting) {
    const address = parseAddress(url, REMOTE_CACHE_FLAG);
    this.#client = new HttpClient(address);
    this.#shown = address.shown;
    this.writes = mode === 'read-write';
  }

  /** @throws DarmError `io` */
  async put(bytes: Uint8Array): Promise<Digest> {
    const digest = { hash: sha256(bytes), size: bytes.length };
    const status = (await this.#exchange('PUT', digest, bytes)).status;
    if (status < 200 || status > 299) throw this.#error(`it answers ${status}`);
    return digest;
  }

  /** @throws DarmError `io`, also for bytes without the hash */
  async get(digest: Digest): Promise<Uint8Array> {
    if (digest.size > MOST_BYTES) throw this.#error(`a content has ${digest.size} bytes, more than are taken`);
    const { status, body } = await this.#exchange('GET', digest);
    if (status !== 200) throw this.#error(status === 404 ? 'a content is not there' : `it answers ${status}`);
    if (body.length !== digest.size || sha256(body) !== digest.hash)
      throw this.#error('a content does not have its hash');
    return body;
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  #exchange(method: 'GET' | 'PUT', { hash, size }: Digest, body?: Uint8Array): Promise<HttpAnswer> {
    const limits = { timeoutMs: TIMEOUT_MS + size / BYTES_PER_MS, maxAnswer: method === 'GET' ? size : 2 ** 16 };
    const headers = { 'Content-Type': 'application/octet-stream' };
    return this.#limit(async () => {
      if (performance.now() < this.#rest.until) throw this.#error(this.#rest.why);
      try {
        return await this.#client.exchange({ method, path: `/cas/${hash}`, ...limits, ...(body && { headers, body }) });
      } catch (error) {
        if (!(error instanceof ExchangeError)) throw error;
        const { fault, message: why } = error;
        if (fault === 'timeout' || fault === 'unreachable') this.#rest = { until: performance.now() + REST_MS, why };
        throw this.#error(why);
      }
    });
  }

  #error(what: string): DarmError {
    return new DarmError('io', `the remote cache ${this.#shown}: ${what}`);
  }
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

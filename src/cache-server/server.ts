/**
 * A small server of Bazel's HTTP cache protocol, for tests and small teams: `GET`, `HEAD` and `PUT` of `/ac/KEY` and
 * `/cas/HASH`. What is put is checked: contents have their hash, entries are an `ActionResult`. An entry is given out
 * only with all the contents that it names. `/status` says how full the cache is.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { once, setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DarmError } from '../errors.js';
import type { Kind, Store } from './store.js';

export interface CacheServerOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Bytes of the largest content. */
  readonly maxEntry: number;
  readonly readOnly: boolean;
  /** Most bytes of bodies that arrive, and of answers that clients have not read. Default: 1 GiB each. */
  readonly mostBytes?: number;
  /** `user:password`, which every request must have; null: anybody may. */
  readonly credentials: string | null;
  /** Told of faults of the server's own, such as a disk that is full. */
  readonly onFault: (error: unknown) => void;
}

export interface CacheServer {
  readonly url: string;
  /** Takes no new connections, and ends when the open requests have their answers, within a grace of seconds. */
  close(): Promise<void>;
}

const MIB = 2 ** 20;
const HEAD_MS = 10_000;
const REQUEST_MS = 10 * 60_000;
/** A connection on which nothing happens. */
const IDLE_MS = 60_000;
const GRACE_MS = 10_000;
/** Most memory for bodies that arrive, and for answers that clients have not read. */
const MOST_BYTES = 1024 * MIB;

/** An answer without a content. */
class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** @throws DarmError `io` when the address cannot be listened on */
export async function serveCache(store: Store, options: CacheServerOptions): Promise<CacheServer> {
  const { host, port, onFault } = options;
  const requests = new Requests(store, options);
  const server = createServer({ headersTimeout: HEAD_MS, requestTimeout: REQUEST_MS }, (request, response) => {
    requests.answer(request, response).catch((error: unknown) => {
      const known = error instanceof Refused ? error : new Refused(500, 'the server failed');
      if (known !== error) onFault(error);
      refuse(response, known);
    });
  });
  server.timeout = IDLE_MS;
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    throw new DarmError('io', `cannot listen on ${host}, port ${port}: ${(error as NodeJS.ErrnoException).code}`);
  }
  const { address, family, port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      const timer = setTimeout(() => server.closeAllConnections(), GRACE_MS);
      await closed;
      clearTimeout(timer);
    },
  };
}

function refuse(response: ServerResponse, { status, message }: Refused): void {
  if (response.headersSent) return void response.destroy();
  // The body may not have been read.
  response.writeHead(status, { 'Content-Type': 'text/plain', Connection: 'close' }).end(`${message}\n`);
}

class Requests {
  readonly #mostBytes: number;
  #arrivingBytes = 0;
  #leavingBytes = 0;

  constructor(
    private readonly store: Store,
    private readonly options: CacheServerOptions,
  ) {
    this.#mostBytes = options.mostBytes ?? MOST_BYTES;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    if (url === '/healthz') return void response.end('ok\n');
    if (!this.#isKnown(headers.authorization)) {
      response.setHeader('WWW-Authenticate', 'Basic realm="darm"');
      throw new Refused(401, 'user and password are missing or wrong');
    }
    if (url === '/status') {
      response.setHeader('Content-Type', 'application/json');
      return void response.end(JSON.stringify(await this.store.statistics()));
    }
    const [, kind, hash] = /^\/(ac|cas)\/([0-9a-f]{64})$/.exec(url) ?? [];
    if (kind === undefined || hash === undefined) throw new Refused(404, 'there is nothing under this path');
    if (method === 'PUT') return this.#put(kind as Kind, hash, request, response);
    if (method === 'GET' || method === 'HEAD') return this.#get(kind as Kind, hash, method, response);
    response.setHeader('Allow', 'GET, HEAD, PUT');
    throw new Refused(405, `${method} is not for this path`);
  }

  /** Hashes are compared: they have the same length, whatever was sent. */
  #isKnown(authorization = ''): boolean {
    const { credentials } = this.options;
    if (credentials === null) return true;
    const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
    return timingSafeEqual(hash(authorization), hash(`Basic ${Buffer.from(credentials).toString('base64')}`));
  }

  async #get(kind: Kind, hash: string, method: 'GET' | 'HEAD', response: ServerResponse): Promise<void> {
    const size = await this.store.sizeOf(kind, hash);
    if (!this.#leaves(size, response)) throw new Refused(503, 'too many answers have not been read yet');
    const bytes = await this.store.get(kind, hash);
    if (bytes === null) {
      // Not a refusal: the connection stays open.
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Content-Length': bytes.length });
    response.end(method === 'HEAD' ? undefined : bytes);
  }

  /** Counts an answer until it has left, or its connection has ended. @returns whether there is room for it */
  #leaves(size: number, response: ServerResponse): boolean {
    const { socket } = response.req;
    if (this.#leavingBytes + size > this.#mostBytes) return false;
    if (socket.destroyed) return true;
    this.#leavingBytes += size;
    // Not every Node tells an answer that waits behind others on a connection of its end.
    setMaxListeners(0, socket);
    const leave = (): void => {
      this.#leavingBytes -= size;
      response.off('close', leave);
      socket.off('close', leave);
    };
    response.on('close', leave);
    socket.on('close', leave);
    return true;
  }

  async #put(kind: Kind, hash: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.options.readOnly) throw new Refused(403, 'the cache takes nothing');
    const pieces: Uint8Array[] = [];
    let size = 0;
    try {
      for await (const piece of request as AsyncIterable<Uint8Array>) {
        size += piece.length;
        this.#arrivingBytes += piece.length;
        if (size > this.options.maxEntry)
          throw new Refused(413, `the content has more than ${this.options.maxEntry} bytes`);
        if (this.#arrivingBytes > this.#mostBytes) throw new Refused(503, 'too much arrives at the same time');
        pieces.push(piece);
      }
      if (!request.complete) return;
      const complaint = await this.store.put(kind, hash, Buffer.concat(pieces, size));
      if (complaint !== null) throw new Refused(400, complaint);
      response.writeHead(200).end();
    } catch (error) {
      // The client has gone: nobody is left to be told.
      if (!(error instanceof Refused) && (error as NodeJS.ErrnoException).code === 'ECONNRESET') return;
      throw error;
    } finally {
      this.#arrivingBytes -= size;
    }
  }
}

/**
 * Runs a service with Node's HTTP server. The server's own limits deal with what the service cannot see: request heads
 * that arrive slowly, idle connections, and clients that do not read their answers.
 */
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import type { ReadableStream as WebReadableStream } from 'node:stream/web';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createAdaptorServer } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { DarmError } from '../errors.js';
import { requireOptions } from '../job/option-table.js';
import { LONGEST_MS } from './job-runner.js';
import { listenOn, type Place } from './listen-on.js';
import type { Service, ServiceOptions } from './service.js';

export type ListenOptions = Place & ServerLimits;

interface ServerLimits extends Pick<ServiceOptions, 'bodyTimeout' | 'queueTimeout' | 'timeout'> {
  /** How long `close` may take, in milliseconds; 0 for no limit. */
  readonly grace: number;
}

export interface ServiceServer {
  readonly url: string;
  /**
   * Refuses new work from now on, and stops listening when the answers to all accepted requests are sent. Until then
   * `/readyz` says that the service is shutting down. What is not sent within the grace is broken off: its connection
   * ends without the end of the answer.
   */
  close(): Promise<void>;
}

const HEAD_MS = 10_000;
/** A connection without any traffic is closed after this time plus the longest time that a job can take. */
const IDLE_MS = 10 * 60_000;
/** Since Node 26 a read takes one chunk, and not all that have arrived. */
const READS_ONE_CHUNK = Number(process.versions.node.split('.')[0]) >= 26;
/** How long the end of the last answers may take when their bodies are sent. */
const LAST_ENDS_MS = 5000;
/**
 * How long connections stay open after the last large answer, for their clients to close them. When a connection ends,
 * a client can lose what has arrived and is not yet read: Node's own `fetch` does ("other side closed").
 */
const LINGER_MS = 1000;
const LOOKS_EVERY_MS = 20;
/** More than this, in bytes, a client does not take in one read. */
const LARGE_ANSWER = 64 * 1024;

/**
 * How long what a refused request still sends is thrown away. A connection that ends while its client sends is reset,
 * and most clients lose the refusal by that.
 */
const DISCARD_MS = 5000;

interface NodeExchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/** @throws DarmError `io`, `usage` */
export async function listen(service: Service, options: ListenOptions): Promise<ServiceServer> {
  requireOptions('listen()', options, ['bodyTimeout', 'queueTimeout', 'timeout', 'grace']);
  // Without a host, Node would listen on all addresses of the machine.
  if (!('socketPath' in options || 'descriptor' in options)) requireOptions('listen()', options, ['host', 'port']);
  if ('host' in options && options.host === '')
    throw new DarmError('usage', 'option "host" in listen() must be a string that is not empty');
  const { bodyTimeout, queueTimeout, timeout, grace } = options;
  let closing = false;
  let lastLargeAnswer = -Infinity;
  const sending = new Set<Promise<void>>();
  /** Connections that end with an answer which is known already. */
  const ending = new WeakSet<Socket>();
  const server = createAdaptorServer({
    fetch: async (request, { incoming, outgoing }) => {
      const node = { incoming: incoming as IncomingMessage, outgoing: outgoing as ServerResponse };
      const { socket } = node.incoming;
      // An answer without its connection is one that waits for another. If that one is a refusal which needs no body,
      // it is known in the next turn.
      if (node.outgoing.socket === null) await nextTurn();
      if (ending.has(socket)) return RESPONSE_ALREADY_SENT;
      const answer = await service.fetch(request.method === 'POST' ? withBody(request, node) : request);
      if (endsConnection(answer)) ending.add(socket);
      const sent = whileConnected(socket, send(answer, node));
      sending.add(sent);
      await sent;
      sending.delete(sent);
      if (isLarge(answer)) lastLargeAnswer = performance.now();
      // Else the connection stays open for another request. For Node a connection is idle when its answer has been
      // written, even if most of it waits in the process.
      if (closing && sending.size === 0) setImmediate(() => server.closeIdleConnections());
      return RESPONSE_ALREADY_SENT;
    },
    ...('host' in options && { hostname: options.host }),
    serverOptions: {
      headersTimeout: HEAD_MS,
      // The service itself refuses slow bodies with an explanation; this limit is for those that it does not read.
      requestTimeout: bodyTimeout === 0 ? 0 : bodyTimeout + HEAD_MS,
      connectionsCheckingInterval: 1000,
    },
  }) as Server;
  server.timeout = timeout === 0 || queueTimeout === 0 ? 0 : Math.min(IDLE_MS + timeout + queueTimeout, LONGEST_MS);
  const url = await listenOn(server, options);
  return {
    url,
    async close() {
      const breakOff = (): void => server.closeAllConnections();
      const timers = grace === 0 ? [] : [setTimeout(breakOff, grace)];
      await service.close();
      timers.push(setTimeout(breakOff, LAST_ENDS_MS));
      // Closing cuts off what counts as idle.
      await Promise.all(sending);
      await clientsGone(server, lastLargeAnswer + LINGER_MS);
      const closed = once(server, 'close');
      closing = true;
      server.close();
      await closed;
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

const endsConnection = ({ headers }: Response): boolean => headers.get('connection') === 'close';

const isLarge = ({ headers }: Response): boolean =>
  !(Number(headers.get('content-length') ?? Infinity) <= LARGE_ANSWER);

/** Waits until no client is connected, at most until a time of `performance.now()`. */
async function clientsGone(server: Server, until: number): Promise<void> {
  const connections = promisify(server.getConnections.bind(server));
  while (performance.now() < until && (await connections()) > 0) await sleep(LOOKS_EVERY_MS);
}

/**
 * The request with a body that comes in pieces of what has arrived in a turn of the event loop. The adapter's body has
 * a piece for every chunk that the client sends; a million chunks of a byte keep other clients waiting for long.
 */
function withBody({ url, method, headers }: Request, { incoming, outgoing }: NodeExchange): Request {
  const gone = new AbortController();
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) gone.abort();
  });
  let pieces: AsyncIterator<Uint8Array, undefined> | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        pieces ??= incoming.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array, undefined>;
        const { done, value } = await pieces.next();
        if (done) return controller.close();
        const chunks = [value];
        if (READS_ONE_CHUNK) for (let more; (more = incoming.read() as Uint8Array | null) !== null;) chunks.push(more);
        controller.enqueue(chunks.length === 1 ? value : Buffer.concat(chunks));
        await nextTurn();
      },
      cancel: () => void pieces?.return?.(),
    },
    { highWaterMark: 0 },
  );
  const init: RequestInit & { duplex: 'half' } = { method, headers, body, duplex: 'half', signal: gone.signal };
  return new Request(url, init);
}

/**
 * Sends an answer as fast as its client reads. An answer that breaks off ends its connection, so that no client takes
 * it for complete. The adapter's own sending ends some of them as if they were.
 */
async function send(answer: Response, { incoming, outgoing }: NodeExchange): Promise<void> {
  const { status, headers, body } = answer;
  outgoing.setHeaders(headers);
  const isRefused = endsConnection(answer) && !incoming.complete;
  if (isRefused) return sendRefusal(answer, { incoming, outgoing });
  outgoing.writeHead(status);
  if (body === null) {
    outgoing.end();
    return;
  }
  // Without a buffer in between, the end of the stream means that the connection has taken everything.
  const source = Readable.fromWeb(body as WebReadableStream<Uint8Array>, { highWaterMark: 0 });
  // The service knows already that the answer broke off.
  await pipeline(source, outgoing).catch(() => {});
}

/** Its length tells the client when it has all of it: the connection stays a while, and reads what still comes. */
async function sendRefusal(answer: Response, { incoming, outgoing }: NodeExchange): Promise<void> {
  const content = Buffer.from(await answer.arrayBuffer());
  outgoing.removeHeader('Transfer-Encoding');
  outgoing.setHeader('Content-Length', content.length).writeHead(answer.status);
  await pipeline(Readable.from([content]), outgoing, { end: false }).catch(() => {});
  incoming.on('data', () => {});
  await finished(incoming, { signal: AbortSignal.timeout(DISCARD_MS) }).catch(() => {});
  if (!outgoing.destroyed) outgoing.end();
}

/** Waits for the end of something, or of the connection: the request behind a refused one never gets its turn. */
async function whileConnected(connection: Socket, something: Promise<void>): Promise<void> {
  if (connection.destroyed) return void something.catch(() => {});
  const ended = new AbortController();
  const gone = once(connection, 'close', { signal: ended.signal }).catch(() => {});
  await Promise.race([something.finally(() => ended.abort()), gone]);
}

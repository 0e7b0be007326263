/**
 * Answers what arrives at Node's HTTP server with a service. Requests that cannot be read are refused by the service,
 * too, so that they have an id and a problem document and are logged and counted: those that hono's adapter makes no
 * `Request` of, and those that Node's parser reports as a `clientError`. The latter have no `ServerResponse`.
 */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import type { ReadableStream as WebReadableStream } from 'node:stream/web';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { getRequestListener, RequestError } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Refusal } from './problem.js';
import type { Service } from './service.js';
import { aboutHead, aboutNothing, answerText, refusalOfParser, withoutService, type Unreadable } from './unreadable.js';

/** What the parser says of a request without its end. */
const HUNG_UP = 'HPE_INVALID_EOF_STATE';
/** Since Node 26 a read takes one chunk, and not all that have arrived. */
const READS_ONE_CHUNK = Number(process.versions.node.split('.')[0]) >= 26;
/** More than this, in bytes, a client does not take in one read. */
const LARGE_ANSWER = 64 * 1024;

/**
 * How long what a request still sends behind its answer is thrown away. A connection that ends while its client sends
 * is reset, and most clients lose the answer by that.
 */
const DISCARD_MS = 5000;
/** How long a request to be a proxy waits for the answers before it. */
const ANSWERS_BEFORE_MS = 5000;

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Breaks the body off that the service reads. */
  failBody?: (reason: Refusal) => void;
}

export class Exchanges {
  readonly #sending = new Set<Promise<void>>();
  /** Connections on which the parser is lost: it complains of all that still comes. */
  readonly #broken = new WeakSet<Socket>();
  /** The last request of each connection. */
  readonly #last = new WeakMap<Socket, Exchange>();
  lastLargeAnswer = -Infinity;

  /** @param idle told when nothing is being sent any more */
  constructor(
    private readonly service: Service,
    private readonly idle: () => void,
  ) {}

  /** Resolves when all answers that are being sent have been. */
  async sent(): Promise<void> {
    await Promise.all(this.#sending);
  }

  onRequest(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const exchange: Exchange = { incoming, outgoing };
    this.#last.set(incoming.socket, exchange);
    const listener = getRequestListener(
      async (request) => {
        checkHead(incoming);
        const read = request.method === 'POST' ? withBody(request, exchange) : request;
        await this.#answer(exchange, () => this.service.fetch(read));
        return RESPONSE_ALREADY_SENT;
      },
      {
        // Of requests that name no host, as those of HTTP 1.0 may.
        hostname: 'localhost',
        overrideGlobalObjects: false,
        autoCleanupIncoming: false,
        errorHandler: (error) =>
          error instanceof RequestError
            ? this.#answer(exchange, () => this.#refuse(aboutHead(incoming, error.message)))
            : new Response(null, { status: 500 }),
      },
    );
    void listener(incoming, outgoing);
  }

  /** Refuses what the parser cannot read, unless the request has an answer, and ends the connection. */
  async onClientError(error: NodeJS.ErrnoException, socket: Socket): Promise<void> {
    const refusal = refusalOfParser(error);
    // A connection on which nothing came had no request.
    if (refusal === null || socket.bytesRead === 0) return void socket.destroy();
    if (this.#broken.has(socket)) return;
    this.#broken.add(socket);
    const last = this.#last.get(socket);
    const isOfBody = last !== undefined && !last.incoming.complete;
    if (isOfBody) {
      // Whoever hangs up in a body has gone. The parser calls it an error of the body.
      if (error.code === HUNG_UP || last.outgoing.headersSent) return void socket.destroy();
      last.failBody?.(refusal);
    }
    if (last?.outgoing.closed === false) await once(last.outgoing, 'close');
    if (isOfBody || !socket.writable) return socket.destroySoon();
    const answer = await this.#refuse(aboutNothing(refusal));
    await this.#noted(sendAndEnd(answer, socket));
  }

  /** Refuses to be a proxy. Node gives such a connection away, and has no `ServerResponse` for it either. */
  async onConnect(incoming: IncomingMessage, socket: Socket): Promise<void> {
    socket.on('error', () => {});
    // What a client sends to the other side is thrown away; and unread, it would hide that the client has gone.
    socket.resume();
    const last = this.#last.get(socket);
    // Node goes on no longer with an answer that did not fit into one write: it would be on its way for ever.
    if (last?.outgoing.closed === false)
      await once(last.outgoing, 'close', { signal: AbortSignal.timeout(ANSWERS_BEFORE_MS) }).catch(() =>
        socket.destroy(),
      );
    if (!socket.writable) return void socket.destroy();
    const refusal = new Refusal('method-not-allowed', 'the service is no proxy');
    const answer = await this.#refuse({ ...aboutHead(incoming, ''), refusal });
    answer.headers.set('Connection', 'close');
    await this.#noted(sendAndEnd(answer, socket));
  }

  /** Requests of a connection take turns: each begins when the answer before it is sent, and the client still there. */
  async #answer(exchange: Exchange, ask: () => Promise<Response>): Promise<void> {
    const { socket } = exchange.incoming;
    if (exchange.outgoing.socket === null) await once(exchange.outgoing, 'socket');
    // The answer before it ended the connection.
    if (!socket.writable) return;
    const answer = await ask();
    await this.#noted(this.#send(answer, exchange));
    if (this.#sending.size === 0) this.idle();
  }

  async #send(answer: Response, exchange: Exchange): Promise<void> {
    const { socket } = exchange.incoming;
    const before = socket.bytesWritten;
    await send(answer, exchange);
    if (socket.bytesWritten - before > LARGE_ANSWER) this.lastLargeAnswer = performance.now();
  }

  async #noted(sending: Promise<void>): Promise<void> {
    this.#sending.add(sending);
    await sending.finally(() => this.#sending.delete(sending));
  }

  async #refuse(unreadable: Unreadable): Promise<Response> {
    return (await this.service.refuse?.(unreadable)) ?? withoutService(unreadable);
  }
}

/**
 * What neither Node's parser nor the adapter minds.
 *
 * @throws RequestError
 */
function checkHead({ httpVersion, headers, headersDistinct }: IncomingMessage): void {
  const hosts = headersDistinct.host?.length ?? 0;
  if (hosts === 0 && httpVersion === '1.1') throw new RequestError('the header Host is missing');
  if (hosts > 1) throw new RequestError('the header Host is there more than once');
  // The parser would take the body for another request.
  if (headers['transfer-encoding'] === '') throw new RequestError('the header Transfer-Encoding is empty');
}

/**
 * The request with a body that comes in pieces of what has arrived in a turn of the event loop. The adapter's body has
 * a piece for every chunk that the client sends; a million chunks of a byte keep other clients waiting for long.
 */
function withBody({ url, method, headers }: Request, node: Exchange): Request {
  const { incoming, outgoing } = node;
  const gone = new AbortController();
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) gone.abort();
  });
  let pieces: AsyncIterator<Uint8Array, undefined> | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => void (node.failBody = (reason) => controller.error(reason)),
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
async function send(answer: Response, { incoming, outgoing }: Exchange): Promise<void> {
  const { status, headers, body } = answer;
  outgoing.setHeaders(headers);
  if (!incoming.complete) return sendEarly(answer, { incoming, outgoing });
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

/**
 * Sends an answer whose request is not all there, as most refusals. Its length tells the client when it has all of it:
 * the connection stays a while, and reads what still comes.
 */
async function sendEarly(answer: Response, { incoming, outgoing }: Exchange): Promise<void> {
  const content = Buffer.from(await answer.arrayBuffer());
  outgoing.setHeader('Content-Length', content.length).setHeader('Connection', 'close').writeHead(answer.status);
  await pipeline(Readable.from([content]), outgoing, { end: false }).catch(() => {});
  incoming.on('data', () => {});
  await finished(incoming, { signal: AbortSignal.timeout(DISCARD_MS) }).catch(() => {});
  if (!outgoing.destroyed) outgoing.end();
}

/** Sends an answer where there is no `ServerResponse` for it. */
async function sendAndEnd(answer: Response, socket: Socket): Promise<void> {
  socket.end(await answerText(answer));
  await finished(socket, { signal: AbortSignal.timeout(DISCARD_MS) }).catch(() => {});
  socket.destroy();
}

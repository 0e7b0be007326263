/**
 * Requests to one server, each within a limit on time and on the size of the answer. Node's own client, and not
 * `fetch`: it knows sockets of the file system, loads sooner, and follows no redirects, which could lead anywhere.
 */
import { Agent, request as requestHttp, type IncomingHttpHeaders, type RequestOptions } from 'node:http';
import type { Address } from './address.js';

export interface Exchange {
  readonly method: 'GET' | 'PUT' | 'POST';
  /** Behind the base of the address. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Milliseconds for everything, from connecting to the last byte of the answer; 0: no limit. */
  readonly timeoutMs: number;
  /** Bytes; an answer with more breaks off. */
  readonly maxAnswer: number;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
}

export type ExchangeFault =
  /** Nobody listens there, or the name is unknown. */
  | 'unreachable'
  | 'timeout'
  | 'too-large'
  /** The connection ended in the middle, or what came was not HTTP. */
  | 'broken';

/** An exchange without a whole answer. The message says what happened, without address and password. */
export class ExchangeError extends Error {
  constructor(
    readonly fault: ExchangeFault,
    message: string,
  ) {
    super(message);
  }
}

const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody listens there',
  ENOENT: 'there is no such socket',
  EACCES: 'permission denied',
  ENOTFOUND: 'the host is unknown',
  EAI_AGAIN: 'the name service does not answer',
  EHOSTUNREACH: 'there is no way to the host',
  ENETUNREACH: 'there is no way to the network',
  ENOTSOCK: 'it is not a socket',
};

/** What asks for more at the same time takes turns, so that nobody's time is up while it waits for a connection. */
export const MOST_CONNECTIONS = 12;
/** How long a connection may take to be made. */
const CONNECT_MS = 5000;

export class HttpClient {
  readonly #address: Address;
  #agent: Promise<Agent> | null = null;
  #closed = false;

  constructor(address: Address) {
    this.#address = address;
  }

  /** @throws ExchangeError */
  async exchange(exchange: Exchange): Promise<HttpAnswer> {
    const agent = await (this.#agent ??= this.#makeAgent());
    return this.#send(agent, exchange, true);
  }

  /** Ends all connections; exchanges that are not done fail. */
  async close(): Promise<void> {
    this.#closed = true;
    (await this.#agent)?.destroy();
  }

  async #makeAgent(): Promise<Agent> {
    const settings = { keepAlive: true, maxSockets: MOST_CONNECTIONS };
    return this.#address.protocol === 'http:' ? new Agent(settings) : new (await import('node:https')).Agent(settings);
  }

  async #send(agent: Agent, exchange: Exchange, mayRepeat: boolean): Promise<HttpAnswer> {
    const { method, path, headers, body, timeoutMs, maxAnswer } = exchange;
    const { protocol, socketPath, hostname, port, base, authorization } = this.#address;
    const request = protocol === 'http:' ? requestHttp : (await import('node:https')).request;
    const options: RequestOptions = {
      agent,
      method,
      path: base + path,
      ...(socketPath === null ? { hostname, port: port || undefined } : { socketPath }),
      headers: {
        ...headers,
        ...(body !== undefined && { 'Content-Length': body.length }),
        ...(authorization !== null && { Authorization: authorization }),
      },
    };
    return new Promise((resolve, reject) => {
      const sent = request(options);
      let timer: NodeJS.Timeout | undefined;
      let failed = false;
      const fail = (error: Error): void => {
        // Ending the request is an error of its own.
        if (failed) return;
        failed = true;
        clearTimeout(timer);
        sent.destroy();
        const { code = '' } = error as NodeJS.ErrnoException;
        // The server may have closed an idle connection just when it was to be used again.
        if (mayRepeat && !this.#closed && sent.reusedSocket && code === 'ECONNRESET')
          resolve(this.#send(agent, exchange, false));
        else reject(asExchangeError(error));
      };
      if (timeoutMs > 0) {
        const late = () => new ExchangeError('timeout', `no whole answer within ${timeoutMs / 1000} s`);
        timer = setTimeout(() => fail(late()), timeoutMs);
      }
      const unconnected = () => new ExchangeError('unreachable', `no connection within ${CONNECT_MS / 1000} s`);
      sent.on('socket', (socket) => {
        if (!socket.connecting) return;
        const connecting = setTimeout(() => fail(unconnected()), CONNECT_MS);
        for (const event of ['connect', 'close']) socket.once(event, () => clearTimeout(connecting));
      });
      sent.on('error', fail);
      sent.on('response', (answer) => {
        const pieces: Uint8Array[] = [];
        let size = 0;
        answer.on('data', (piece: Uint8Array) => {
          size += piece.length;
          if (size > maxAnswer) fail(new ExchangeError('too-large', `the answer has more than ${maxAnswer} bytes`));
          else pieces.push(piece);
        });
        answer.on('error', fail);
        answer.on('end', () => {
          clearTimeout(timer);
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(pieces, size) });
        });
      });
      sent.end(body);
    });
  }
}

function asExchangeError(error: Error): ExchangeError {
  if (error instanceof ExchangeError) return error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  const unreachable = UNREACHABLE[code];
  return unreachable === undefined
    ? new ExchangeError('broken', `the connection broke: ${code || message}`)
    : new ExchangeError('unreachable', unreachable);
}

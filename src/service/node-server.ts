/**
 * Runs a service with Node's HTTP server. The server's own limits deal with what the service cannot see: request heads
 * that arrive slowly, idle connections, and clients that do not read their answers.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { DarmError } from '../errors.js';
import { requireOptions } from '../job/option-table.js';
import { Exchanges } from './exchanges.js';
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
   * `/readyz` says that the service is shutting down. At the end of the grace, jobs are ended and their requests
   * refused; what is not sent a second later is broken off: its connection ends without the end of the answer.
   */
  close(): Promise<void>;
}

const HEAD_MS = 10_000;
/** A connection without any traffic is closed after this time plus the longest time that a job can take. */
const IDLE_MS = 10 * 60_000;
/** How long the refusals of what is left at the end of the grace may take. */
const REFUSALS_MS = 1000;
/** How long the end of the last answers may take when their bodies are sent. */
const LAST_ENDS_MS = 5000;
/**
 * How long connections stay open after the last large answer, for their clients to close them. When a connection ends,
 * a client can lose what has arrived and is not yet read: Node's own `fetch` does ("other side closed").
 */
const LINGER_MS = 1000;
const LOOKS_EVERY_MS = 20;

/** @throws DarmError `io`, `usage` */
export async function listen(service: Service, options: ListenOptions): Promise<ServiceServer> {
  requireOptions('listen()', options, ['bodyTimeout', 'queueTimeout', 'timeout', 'grace']);
  // Without a host, Node would listen on all addresses of the machine.
  if (!('socketPath' in options || 'descriptor' in options)) requireOptions('listen()', options, ['host', 'port']);
  if ('host' in options && options.host === '')
    throw new DarmError('usage', 'option "host" in listen() must be a string that is not empty');
  const { bodyTimeout, queueTimeout, timeout, grace } = options;
  let closing = false;
  const exchanges = new Exchanges(service, () => {
    // Else the connection stays open for another request. For Node a connection is idle when its answer has been
    // written, even if most of it waits in the process.
    if (closing) setImmediate(() => server.closeIdleConnections());
  });
  const settings: ServerOptions = {
    headersTimeout: HEAD_MS,
    // The service itself refuses slow bodies with an explanation; this limit is for those that it does not read.
    requestTimeout: bodyTimeout === 0 ? 0 : bodyTimeout + HEAD_MS,
    connectionsCheckingInterval: 1000,
    // Node's own refusal would be neither logged nor counted.
    requireHostHeader: false,
  };
  const server = createServer(settings);
  // What a client expects that Node does not know is ignored: Node would refuse it without an id and a line in the log.
  for (const event of ['request', 'checkExpectation'])
    server.on(event, (incoming: IncomingMessage, outgoing: ServerResponse) => exchanges.onRequest(incoming, outgoing));
  server.on('connect', (incoming: IncomingMessage, socket) => {
    exchanges.onConnect(incoming, socket as Socket).catch(() => socket.destroy());
  });
  server.on('clientError', (error, socket) => {
    exchanges.onClientError(error, socket as Socket).catch(() => socket.destroy());
  });
  server.timeout = timeout === 0 || queueTimeout === 0 ? 0 : Math.min(IDLE_MS + timeout + queueTimeout, LONGEST_MS);
  const url = await listenOn(server, options);
  return {
    url,
    async close() {
      const breakOff = (): void => server.closeAllConnections();
      const enough = new AbortController();
      const timers =
        grace === 0 ? [] : [setTimeout(() => enough.abort(), grace), setTimeout(breakOff, grace + REFUSALS_MS)];
      await service.close(enough.signal);
      timers.push(setTimeout(breakOff, LAST_ENDS_MS));
      // Closing cuts off what counts as idle.
      await exchanges.sent();
      await clientsGone(server, exchanges.lastLargeAnswer + LINGER_MS);
      const closed = once(server, 'close');
      closing = true;
      server.close();
      await closed;
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

/** Waits until no client is connected, at most until a time of `performance.now()`. */
async function clientsGone(server: Server, until: number): Promise<void> {
  const connections = promisify(server.getConnections.bind(server));
  while (performance.now() < until && (await connections()) > 0) await sleep(LOOKS_EVERY_MS);
}

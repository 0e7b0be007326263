/**
 * Runs a service with Node's HTTP server. The server's own limits deal with what the service cannot see: request heads
 * that arrive slowly, idle connections, and clients that do not read their answers.
 */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { DarmError } from '../errors.js';
import type { Service, ServiceOptions } from './service.js';

export interface ListenOptions extends Pick<ServiceOptions, 'bodyTimeout' | 'queueTimeout' | 'timeout'> {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
}

export interface ServiceServer {
  readonly url: string;
  /**
   * Refuses new work from now on, and stops listening when all accepted requests are answered. Until then `/readyz`
   * says that the service is shutting down.
   */
  close(): Promise<void>;
}

const HEAD_MS = 10_000;
/** A connection without any traffic is closed after this time plus the longest time that a job can take. */
const IDLE_MS = 10 * 60_000;
/** The time that clients have to read the last answers. */
const LAST_ANSWERS_MS = 5000;

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use',
  EADDRNOTAVAIL: 'the address is not one of this machine',
  EACCES: 'permission denied',
  ENOTFOUND: 'the host is unknown',
};

/** @throws DarmError `io` */
export async function listen(
  service: Service,
  { host, port, bodyTimeout, queueTimeout, timeout }: ListenOptions,
): Promise<ServiceServer> {
  const server = createAdaptorServer({
    fetch: (request) => service.fetch(request),
    hostname: host,
    serverOptions: {
      headersTimeout: HEAD_MS,
      // The service itself refuses slow bodies with an explanation; this limit is for those that it does not read.
      requestTimeout: bodyTimeout === 0 ? 0 : bodyTimeout + HEAD_MS,
      connectionsCheckingInterval: 1000,
    },
  }) as Server;
  server.timeout = timeout === 0 || queueTimeout === 0 ? 0 : IDLE_MS + timeout + queueTimeout;
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new DarmError('io', `cannot listen on ${host}, port ${port}: ${REASONS[code] ?? message}`);
  }
  const { address, family, port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`,
    async close() {
      await service.close();
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      const timer = setTimeout(() => server.closeAllConnections(), LAST_ANSWERS_MS);
      await closed;
      clearTimeout(timer);
    },
  };
}

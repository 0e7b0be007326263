/**
 * A service behind Node's HTTP server. Its own limits end what the service cannot see: heads that come slowly, connections that stay
 * open and do nothing, clients that do not take their answers.
 */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { DarmError } from '../errors.js';
import type { Service, ServiceOptions } from './service.js';

export interface ListenOptions extends Pick<ServiceOptions, 'bodyTimeout' | 'queueTimeout' | 'timeout'> {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
}

export interface ServiceServer {
  readonly url: string;
  /**
   * Refuses new work but goes on answering (`/readyz` says why) until every request that was taken is answered; then stops listening.
   */
  close(): Promise<void>;
}

const HEAD_MS = 10_000;
/** A connection without any traffic ends after this and the longest that a job can take. */
const IDLE_MS = 10 * 60_000;
/** For clients to take the last answers. */
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
      // The service ends slow bodies itself, and says so; this is for those that it does not read.
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

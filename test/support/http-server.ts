/** HTTP servers on loopback that do what a test says: well, or badly. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface TestServer extends AsyncDisposable {
  readonly url: string;
  /** `METHOD /path` of every request, in order. */
  readonly requests: string[];
  /** The `Authorization` of every request. */
  readonly authorizations: (string | undefined)[];
}

export async function testServer(listener: RequestListener): Promise<TestServer> {
  const requests: string[] = [];
  const authorizations: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    authorizations.push(request.headers.authorization);
    listener(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    authorizations,
    async [Symbol.asyncDispose]() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A server that takes connections and never says anything. */
export const hangingServer = (): Promise<TestServer> => testServer(() => {});

/** A cache without any checks, like a web server with WebDAV: it gives back what was put. */
export async function plainCache(kept: Map<string, Buffer> = new Map()): Promise<TestServer> {
  return testServer((request, response) => {
    const { method, url = '' } = request;
    if (method === 'PUT') {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        kept.set(url, Buffer.concat(pieces));
        response.writeHead(201).end();
      });
    } else {
      const found = kept.get(url);
      response.writeHead(found === undefined ? 404 : 200).end(found);
    }
  });
}

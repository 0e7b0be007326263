/** Large, slow and odd heads, and paths that point elsewhere. */
import { rawAttack, type Attack } from './attack.js';
import { exchange, head, open, pause } from './raw.js';
import { statusComplaint } from './attack.js';

const GET = 'GET /healthz HTTP/1.1';

const hosts = ['', 'a b', '/', 'user:pass@x', '[::1', 'x/../y', 'x?y#z', '127.0.0.1:99999', 'ä', '*', '%00', 'x'.repeat(10_000)].map((host) =>
  rawAttack(`Host ${JSON.stringify(host.slice(0, 20))}`, `${GET}\r\nHost: ${host}\r\n\r\n`, [200, 400]),
); // prettier-ignore

const paths = ['/../../etc/passwd', '/..%2f..%2fetc/passwd', '/%2e%2e/%2e%2e/etc/passwd', '//etc/passwd', '/\\..\\..\\etc\\passwd', '/v1/compile/../../metrics/..', '/v1/compile%2f', '/v1/compile%00', '/%', '/%zz', '/v1/../v1/nothing', '/metrics;x=1', '/.env', '/node_modules/', '/dist/src/cli/main.js', '/constructor', '/__proto__', '/%F0%28%8C%BC'].map((path) => ({
  name: `GET ${path}`,
  run: async ({ port }: { port: number }): Promise<string | null> => {
    const { text, statuses } = await exchange(port, head(`GET ${path} HTTP/1.1`, 'Connection: close'));
    if (/root:|"dependencies"|import /.test(text)) return `the answer shows a file: ${text.slice(0, 300)}`;
    return statusComplaint(statuses, [400, 404, 405]);
  },
})); // prettier-ignore

const methods = ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND', 'GET'].map((method) =>
  rawAttack(`${method} /v1/compile`, head(`${method} /v1/compile HTTP/1.1`, 'Connection: close'), [405]),
);

/** Connections that send a part of a head, or nothing; the service must end them, and answer others meanwhile. */
const slow = (name: string, count: number, feed: (write: (text: string) => void, i: number) => void, waitMs: number): Attack => ({
  name,
  run: async ({ port, url }) => {
    const sockets = await Promise.all(Array.from({ length: count }, () => open(port)));
    sockets.forEach((socket, i) => {
      socket.resume();
      feed((text) => !socket.destroyed && socket.write(text), i);
    });
    await pause(200);
    const started = performance.now();
    const { status } = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(10_000) });
    const answered = performance.now() - started;
    let left = sockets.length;
    while (left > 0 && performance.now() - started < waitMs) {
      await pause(200);
      sockets.forEach((socket, i) => feed((text) => !socket.destroyed && socket.write(text), i + 1_000_000));
      left = sockets.filter((socket) => !socket.destroyed).length;
    }
    sockets.forEach((socket) => socket.destroy());
    if (status !== 200 || answered > 5000) return `another client got ${status} after ${Math.round(answered)} ms`;
    return waitMs > 1000 && left > 0 ? `${left} of ${count} connections are still open after ${waitMs / 1000} s` : null;
  },
}); // prettier-ignore

const large: readonly Attack[] = [
  rawAttack('a header of 1 MB', `${GET}\r\nHost: s\r\nX: ${'a'.repeat(2 ** 20)}\r\n\r\n`, [431, 0]),
  rawAttack('10,000 headers', head(GET, ...Array.from({ length: 10_000 }, (_, i) => `X-${i}: 1`)), [431, 0]),
  rawAttack('2,000 short headers', head(GET, ...Array.from({ length: 2000 }, () => 'a:1')), [200, 431]),
  rawAttack('a path of 100 KB', head(`GET /${'a'.repeat(100_000)} HTTP/1.1`), [414, 431, 0]),
  rawAttack('a query of 15 KB', head(`POST /v1/compile?emit=${'hsaco,'.repeat(2400)} HTTP/1.1`, 'Content-Length: 0'), [400, 431]), // prettier-ignore
  rawAttack('a query with 3,000 options', head(`POST /v1/compile?${'a=1&'.repeat(3000)} HTTP/1.1`, 'Content-Length: 0'), [400, 431]), // prettier-ignore
  rawAttack('a query that cannot be decoded', head('POST /v1/compile?mcpu=%ff%fe%00 HTTP/1.1', 'Content-Length: 0'), [400, 422]), // prettier-ignore
  rawAttack('a request id of 10 KB', head(GET, `X-Request-Id: ${'a'.repeat(10_000)}`), [200]),
  rawAttack('a request id of a terminal', head(GET, 'X-Request-Id: \x1b[2J\x1b]0;x\x07'), [200, 400]),
  rawAttack('Accept of 14 KB', head('POST /v1/compile HTTP/1.1', `Accept: ${'application/json,'.repeat(800)}`, 'Content-Length: 0'), [422]), // prettier-ignore
  rawAttack('Content-Type of 14 KB', head('POST /v1/compile HTTP/1.1', `Content-Type: ${'a/b;'.repeat(3500)}`, 'Content-Length: 0'), [415]), // prettier-ignore
  rawAttack('Content-Type of odd bytes', head('POST /v1/compile HTTP/1.1', 'Content-Type: \xff\xfe;\x01', 'Content-Length: 0'), [400, 415]), // prettier-ignore
  rawAttack('Expect nothing known', head('POST /v1/compile HTTP/1.1', 'Expect: miracle', 'Content-Length: 0'), [422]),
  rawAttack('a range', head('GET /openapi.json HTTP/1.1', 'Range: bytes=0-0,1-1,2-2'), [200]),
  rawAttack('no host', 'GET /healthz HTTP/1.1\r\n\r\n', [400]),
  rawAttack('two hosts', head(GET, 'Host: other'), [400]),
  rawAttack('an absolute URI', head('GET http://elsewhere/healthz HTTP/1.1'), [200, 400]),
  rawAttack('another scheme', head('GET file:///etc/passwd HTTP/1.1'), [400, 404]),
];

export const HEADS: readonly Attack[] = [
  ...large,
  ...hosts,
  ...paths,
  ...methods,
  slow('100 heads that come slowly', 100, (write, i) => write(i < 1_000_000 ? `${GET}\r\nHost: s\r\n` : 'X: 1\r\n'), 15_000), // prettier-ignore
  slow('1,000 connections that say nothing', 1000, () => {}, 1000),
];

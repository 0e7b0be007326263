/**
 * Request smuggling: heads whose length two parsers could read differently. No answer may belong to a request that was
 * hidden in a body.
 */
import { rawAttack, type Attack } from './attack.js';
import { chunked, exchange, head } from './raw.js';

const HIDDEN = 'GET /metrics HTTP/1.1\r\nHost: service\r\n\r\n';
const POST = 'POST /v1/compile HTTP/1.1';
const LENGTH = `Content-Length: ${HIDDEN.length}`;
const CHUNKED = 'Transfer-Encoding: chunked';

/** Impossible lengths, after which nothing may be read. */
const lengths = ['+4', '-1', '0x4', '4, 4', '4 4', '', '99999999999999999999', '4;', '1e1', 'NaN'].map((value) =>
  rawAttack(`Content-Length ${JSON.stringify(value)}`, head(POST, `Content-Length: ${value}`) + HIDDEN, [400]),
);

/** Codings that are not known; a server that ignores them would take the body for the next request. */
const codings = ['xchunked', 'identity', 'chunked, identity', 'gzip', 'chunked;q=1', '', '"chunked"', 'chun\0ked'].map(
  (value) => rawAttack(`Transfer-Encoding ${JSON.stringify(value)}`, head(POST, `Transfer-Encoding: ${value}`) + chunked(HIDDEN), [400, 415, 422, 501]), // prettier-ignore
);

const chunks = (
  [
    ['a chunk size beyond 64 bits', `FFFFFFFFFFFFFFFFF\r\n${HIDDEN}`],
    ['a negative chunk size', `-1\r\n${HIDDEN}`],
    ['a chunk size in no base', `g\r\n${HIDDEN}`],
    ['a chunk size with a prefix', `0x1\r\nx\r\n0\r\n\r\n`],
    ['a chunk that is longer than its size', `1\r\nxx\r\n0\r\n\r\n`],
    ['a chunk without its end', `1\r\nx0\r\n\r\n`],
    ['chunk extensions of 40 KB', `1;${'a'.repeat(40_000)}\r\nx\r\n0\r\n\r\n`],
    ['trailers of 40 KB', `1\r\nx\r\n0\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`],
    ['line feeds alone in chunks', `1\nx\n0\n\n${HIDDEN}`],
  ] as const
).map(([name, body]) => rawAttack(name, head(POST, CHUNKED) + body, [400, 413, 431]));

const heads: readonly Attack[] = [
  rawAttack('a length and chunks', head(POST, 'Content-Length: 4', CHUNKED) + '0\r\n\r\n' + HIDDEN, [400]),
  rawAttack('chunks and a length', head(POST, CHUNKED, 'Content-Length: 4') + '0\r\n\r\n' + HIDDEN, [400]),
  rawAttack('two different lengths', head(POST, 'Content-Length: 4', LENGTH) + HIDDEN, [400]),
  rawAttack('a space in front of the colon', head(POST, 'Transfer-Encoding : chunked') + chunked(HIDDEN), [400]),
  rawAttack('a folded line', head(POST, `X: a\r\n ${LENGTH}`) + HIDDEN, [400]),
  rawAttack('a carriage return in a value', head(POST, `X: a\r${LENGTH}`) + HIDDEN, [400]),
  rawAttack('a zero byte in a value', head(POST, 'X: a\0b', LENGTH) + HIDDEN, [400]),
  rawAttack('a zero byte in a name', head(POST, 'X\0: a', LENGTH) + HIDDEN, [400]),
  rawAttack('a length behind a line feed', head(POST, `X: a\n${LENGTH}`) + HIDDEN, [400, 422]),
  rawAttack('GET with a body', head('GET /healthz HTTP/1.1', LENGTH) + HIDDEN, [200, 400]),
  rawAttack('a hidden request in chunks', head(POST, CHUNKED) + chunked(HIDDEN), [422]),
  rawAttack('HTTP/0.9', 'GET /healthz\r\n\r\n', [200, 400, 0]),
  rawAttack('HTTP/1.0 with chunks', `POST /v1/compile HTTP/1.0\r\nHost: s\r\n${CHUNKED}\r\n\r\n${chunked(HIDDEN)}`, [400, 422]),
  rawAttack('HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', [400, 505, 0]),
  rawAttack('HTTP/9.9', head('GET /healthz HTTP/9.9'), [400, 505]),
  rawAttack('no version', head('GET /healthz'), [200, 400]),
  rawAttack('an unknown method', head('DARM /healthz HTTP/1.1'), [400]),
  rawAttack('a method in lower case', head('get /healthz HTTP/1.1'), [400]),
  rawAttack('CONNECT', head('CONNECT 127.0.0.1:22 HTTP/1.1'), [400, 404, 405, 0]),
  rawAttack('TRACE', head('TRACE /healthz HTTP/1.1', 'X-Secret: 1'), [404, 405, 501]),
  rawAttack('OPTIONS *', head('OPTIONS * HTTP/1.1'), [400, 404, 405, 0]),
  rawAttack('an upgrade to HTTP/2', head('GET /healthz HTTP/1.1', 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk'), [200]),
  rawAttack('an upgrade to a web socket', head('GET /healthz HTTP/1.1', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: x', 'Sec-WebSocket-Version: 13'), [200]),
  rawAttack('TLS', Buffer.from('16030100a5010000a10303' + '00'.repeat(160), 'hex'), [400, 0]),
  rawAttack('random bytes', Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 2654435761) >>> 24)), [400, 0]),
  {
    name: 'a thousand requests in one write',
    run: async ({ port }) => {
      const { statuses } = await exchange(port, head('GET /healthz HTTP/1.1').repeat(1000));
      return statuses.length === 1000 && statuses.every((status) => status === 200) ? null : `${statuses.length} answers`;
    },
  },
]; // prettier-ignore

export const SMUGGLING: readonly Attack[] = [...lengths, ...codings, ...chunks, ...heads];

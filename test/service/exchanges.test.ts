/** Requests that cannot be read are refused as all others are: with a problem and an id, logged and counted. */
import { once } from 'node:events';
import { connect } from 'node:net';
import path from 'node:path';
import { listen, type Service } from '../../src/service/index.js';
import { inFolder } from '../support/command.js';
import { assert, suite } from '../support/suite.js';
import { fakeService, figure, HeldJobs, settle } from '../support/service.js';

const test = suite('service/exchanges', { tests: 11, timeoutMs: 60_000 });

type Line = Record<string, unknown>;

interface Served {
  readonly answer: string;
  readonly log: readonly Line[];
  readonly service: Service;
}

const PLACE = { host: '127.0.0.1', port: 0 };

/** Sends the parts of a request, each after `between`, and reads until the connection ends. */
async function exchange(
  parts: readonly string[],
  { between = settle, jobs = new HeldJobs(), place = PLACE as typeof PLACE | { readonly socketPath: string } } = {},
): Promise<Served> {
  const log: Line[] = [];
  const note = (fields: object): void => void log.push(fields as Line);
  const service = fakeService(jobs.compile, { log: { info: note, error: note } });
  const limits = { bodyTimeout: 30_000, queueTimeout: 0, timeout: 0, grace: 1 };
  const server = await listen(service, { ...limits, ...place });
  const socket =
    'socketPath' in place ? connect(place.socketPath) : connect(Number(new URL(server.url).port), place.host);
  const closed = once(socket, 'close');
  let answer = '';
  // What is sent behind a refusal may find the connection closed.
  socket.on('error', () => {});
  socket.on('data', (bytes) => {
    answer += bytes.toString();
    // A server lets its clients be the first to close.
    if (/"requestId":"[^"]*"\}(\r\n0\r\n\r\n)?$/.test(answer)) socket.end();
  });
  for (const part of parts) {
    // The answer may have come before the rest of its request.
    if (!socket.writable) break;
    socket.write(part);
    await between();
  }
  await closed;
  await server.close();
  return { answer, log, service };
}

const HOST = 'Host: x\r\n';

/** The heads and the codes of the answers. */
const codes = ({ answer }: Served): string[] =>
  [...answer.matchAll(/HTTP\/1\.1 (\d+)|"code":"([^"]+)"/g)].map(([, status, code]) => status ?? code!);

test('heads that the parser takes: the target, the host', async () => {
  for (const [line, path, host] of [
    ['GET /healthz?x', '/healthz', 'Host: a b[\r\n'],
    ['GET /healthz', '/healthz', ''],
    ['GET /healthz', '/healthz', `${HOST}${HOST}`],
    ['GET http://[', 'http://[', HOST],
    ['OPTIONS *', '*', HOST],
  ] as const) {
    const served = await exchange([`${line} HTTP/1.1\r\n${host}X-Request-Id: mine\r\n\r\n`]);
    assert.equal(codes(served), ['400', 'malformed-http'], line);
    assert.match(served.answer, /content-type: application\/problem\+json.*x-request-id: mine.*"requestId":"mine"/is);
    const { ms, ...logged } = served.log[0]!;
    assert.type(ms, 'number');
    const [method] = line.split(' ');
    assert.equal(logged, { requestId: 'mine', method, path, status: 400, code: 'malformed-http' });
    const route = path === '/healthz' ? path : 'other';
    assert.is(await figure(served.service, `darm_requests_total{route="${route}",status="400"}`), 1);
  }
});

test('a request of HTTP 1.0 needs no host, on a socket of the file system either', () =>
  inFolder(async (folder) => {
    for (const place of [PLACE, { socketPath: path.join(folder, 'socket') }])
      assert.match((await exchange(['GET /healthz HTTP/1.0\r\n\r\n'], { place })).answer, /^HTTP\/1.1 200 .*"ok"/s);
  }));

test('who takes the service for a proxy gets an answer, behind that of the request before', async () => {
  const connected = 'CONNECT away:443 HTTP/1.1\r\nHost: away:443\r\n\r\n';
  const served = await exchange([`GET /healthz HTTP/1.1\r\n${HOST}\r\n${connected}`]);
  assert.equal(codes(served), ['200', '405', 'method-not-allowed']);
  assert.match(served.answer, /connection: close.*the service is no proxy/is);
  const { ms: _, requestId: __, ...logged } = served.log[1]!;
  assert.equal(logged, { method: 'CONNECT', path: 'away:443', status: 405, code: 'method-not-allowed' });
});

test.long('a large answer in front of a request to be a proxy does not keep the server from closing', async () => {
  let pieces = 0;
  const large = (): ReadableStream =>
    new ReadableStream({ pull: (to) => (pieces++ < 100 ? to.enqueue(new Uint8Array(2 ** 16)) : to.close()) });
  const service: Service = { fetch: () => Promise.resolve(new Response(large())), close: () => Promise.resolve() };
  const server = await listen(service, { bodyTimeout: 30_000, queueTimeout: 0, timeout: 0, grace: 1, ...PLACE });
  const socket = connect(Number(new URL(server.url).port), PLACE.host);
  socket.on('error', () => {}).resume();
  socket.write(`GET / HTTP/1.1\r\n${HOST}\r\nCONNECT away:443 HTTP/1.1\r\nHost: away:443\r\n\r\n`);
  await once(socket, 'data');
  await server.close();
  if (!socket.closed) await once(socket, 'close');
});

test('what is refused or ignored without a body is logged as all else', async () => {
  for (const [head, status, code] of [
    ['GET /healthz HTTP/1.1\r\nExpect: wonders\r\n', 200, undefined],
    ['GET /nothing HTTP/1.1\r\n', 404, 'not-found'],
  ] as const) {
    const { log } = await exchange([`${head}${HOST}Connection: close\r\n\r\n`]);
    assert.equal([log[0]!['status'], log[0]!['code']], [status, code]);
  }
});

test('heads that the parser refuses', async () => {
  for (const [head, status, code] of [
    ['GARBAGE\r\n\r\n', '400', 'malformed-http'],
    [`POST / HTTP/1.1\r\n${HOST}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`, '400', 'malformed-http'],
    [`GET / HTTP/1.1\r\n${HOST}A: ${'x'.repeat(100_000)}\r\n\r\n`, '431', 'head-too-large'],
  ] as const) {
    const served = await exchange([head]);
    assert.equal(codes(served), [status, code]);
    const [, id] = /\r\nx-request-id: ([0-9a-f-]{36})\r\n.*Content-Length: \d+\r\n\r\n\{"type"/s.exec(served.answer)!;
    const { ms: _, ...logged } = served.log[0]!;
    assert.equal(logged, { requestId: id, method: null, path: null, status: Number(status), code });
    assert.is(await figure(served.service, `darm_requests_total{route="other",status="${status}"}`), 1);
  }
});

const POST = `POST /v1/compile HTTP/1.1\r\n${HOST}`;

test('a body that the parser refuses: its request gets the one answer', async () => {
  const served = await exchange([`${POST}Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n`, 'zz\r\n', 'more']);
  assert.equal(codes(served), ['400', 'malformed-http']);
  assert.equal(
    served.log.map(({ method, path, status }) => ({ method, path, status })),
    [{ method: 'POST', path: '/v1/compile', status: 400 }],
  );
});

test('an answer before its body is the only one', async () => {
  const served = await exchange([`GET /healthz HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n`, 'zz\r\n']);
  assert.equal(codes(served), ['200']);
  assert.is(served.log.length, 1);
});

test('a body that the parser takes for another request', async () => {
  const served = await exchange([`${POST}Transfer-Encoding:\r\n\r\nBC`]);
  assert.equal(codes(served), ['400', 'malformed-http']);
  assert.is(served.log.length, 1);
});

test('what cannot be read behind a request waits for its answer', async () => {
  const jobs = new HeldJobs();
  const parts = [`${POST}Content-Length: 1\r\n\r\nx`, 'GARBAGE\r\n\r\n', ''];
  let sent = 0;
  const between = async (): Promise<void> => {
    await settle();
    if (++sent === parts.length) jobs.finishAll();
  };
  const served = await exchange(parts, { between, jobs });
  assert.equal(codes(served), ['200', '400', 'malformed-http']);
  assert.equal(
    served.log.map(({ status }) => status),
    [200, 400],
  );
});

test.long('a head that comes too slowly', async () => {
  const served = await exchange(['GET / HTTP/1.1\r\n']);
  assert.equal(codes(served), ['408', 'request-timeout']);
  assert.is(served.log.length, 1);
});

test.run();

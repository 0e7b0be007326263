/** Node's HTTP server in front of a service: how bodies arrive. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen, type Service } from '../../src/service/index.js';
import { assert, suite } from '../support/suite.js';

const test = suite('service/node-server', { tests: 9, timeoutMs: 60_000 });

/** Sends one request to a service that is `fetch`, and returns what comes until the connection ends. */
async function exchange(fetch: Service['fetch'], request: string, hangUp = false): Promise<string> {
  const service: Service = { fetch, close: () => Promise.resolve() };
  const limits = { bodyTimeout: 30_000, queueTimeout: 0, timeout: 0, grace: 1 };
  const server = await listen(service, { ...limits, host: '127.0.0.1', port: 0 });
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  let answer = '';
  socket.on('data', (bytes) => (answer += bytes.toString()));
  socket.write(request);
  if (hangUp) setTimeout(() => socket.destroy(), 200);
  await once(socket, 'close');
  await server.close();
  return answer;
}

const HEAD = 'POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n';

test('a body of very many chunks arrives in few pieces', async () => {
  const chunks = 200_000;
  let pieces = 0;
  let bytes = 0;
  const fetch = async (request: Request): Promise<Response> => {
    const reader = request.body!.getReader();
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      pieces++;
      bytes += read.value.length;
    }
    return new Response('done');
  };
  assert.match(await exchange(fetch, `${HEAD}${'1\r\nx\r\n'.repeat(chunks)}0\r\n\r\n`), /^HTTP\/1.1 200 .*done/s);
  assert.is(bytes, chunks);
  assert.ok(pieces < chunks / 100, `${pieces} pieces`);
});

test('a client that hangs up: the body breaks off, and the signal tells it', async () => {
  const seen: unknown[] = [];
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  const fetch = async ({ body, signal }: Request): Promise<Response> => {
    const reader = body!.getReader();
    seen.push((await reader.read()).value?.length);
    await reader.read().catch(() => seen.push('broken off'));
    if (!signal.aborted) await once(signal, 'abort');
    seen.push('aborted');
    end();
    return new Response('nobody reads this');
  };
  await exchange(fetch, `${HEAD}1\r\nx\r\n`, true);
  await ended;
  assert.equal(seen, [1, 'broken off', 'aborted']);
});

test('closing: the client of a large answer is the one that ends the connection', async () => {
  const answer = new Uint8Array(2 ** 24);
  const service: Service = { fetch: () => Promise.resolve(new Response(answer)), close: () => Promise.resolve() };
  const limits = { bodyTimeout: 30_000, queueTimeout: 0, timeout: 0, grace: 0 };
  const server = await listen(service, { ...limits, host: '127.0.0.1', port: 0 });
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  let bytes = 0;
  let serverEnded = false;
  socket.on('end', () => (serverEnded = true));
  const closed = new Promise<void>((resolve) => {
    socket.on('data', (piece) => {
      if (bytes === 0) void server.close().then(resolve);
      bytes += piece.length;
      // A client that is slow with the last piece: a fetch that the connection's end overtakes loses it.
      if (bytes > answer.length) setTimeout(() => socket.end(), 100);
    });
  });
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'finish');
  assert.not.ok(serverEnded);
  await closed;
});

/** A refusal without reading, as the service refuses what is too large. */
const refusal = (): Response => new Response('refused', { status: 413, headers: { Connection: 'close' } });

const POST = 'POST / HTTP/1.1\r\nHost: x\r\n';

/**
 * Sends `request` to a server that refuses everything, and expects it to see one request only. It must close as soon as
 * its clients are gone.
 */
async function withRefusals(request: string, use: (socket: Socket) => Promise<void>): Promise<void> {
  let seen = 0;
  const refuse = (): Promise<Response> => {
    seen++;
    return Promise.resolve(refusal());
  };
  const service: Service = { fetch: refuse, close: () => Promise.resolve() };
  const limits = { bodyTimeout: 30_000, queueTimeout: 0, timeout: 0, grace: 0 };
  const server = await listen(service, { ...limits, host: '127.0.0.1', port: 0 });
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.write(request);
  await use(socket);
  await server.close();
  assert.is(seen, 1);
}

/** What comes until it ends with `end`. */
async function answerOf(socket: Socket, end: string): Promise<string> {
  let answer = '';
  await new Promise<void>((resolve) => {
    socket.on('data', (bytes) => {
      answer += bytes.toString();
      if (answer.endsWith(end)) resolve();
    });
  });
  return answer;
}

test('a client that sends all of its body before it reads gets the refusal', async () => {
  const body = Buffer.alloc(2 ** 24);
  await withRefusals(`${POST}Content-Length: ${body.length}\r\n\r\n`, async (socket) => {
    await new Promise<void>((resolve, reject) => {
      socket.on('error', reject);
      socket.write(body, () => resolve());
    });
    assert.match(await answerOf(socket, 'refused'), /^HTTP\/1.1 413 /);
    await once(socket, 'close');
  });
});

test('a client that sends no more knows by its length when it has the whole refusal', () =>
  withRefusals(`${POST}Content-Length: 4\r\n\r\n`, async (socket) => {
    assert.match(await answerOf(socket, 'refused'), /\r\nContent-Length: 7\r\n/i);
    socket.destroy();
  }));

test('what comes behind a refused request is not begun, and keeps nobody waiting', () =>
  withRefusals(`${POST}Content-Length: 4\r\n\r\nbodyGET / HTTP/1.1\r\nHost: x\r\n\r\n`, async (socket) => {
    const answer = answerOf(socket, 'refused');
    await once(socket, 'close');
    assert.is((await answer).match(/HTTP\/1.1/g)?.length, 1);
  }));

test('nor is what comes when the refused request has all of its body', async () => {
  await withRefusals(`${POST}Content-Length: 4\r\n\r\n`, async (socket) => {
    await answerOf(socket, 'refused');
    socket.write(`body${POST}Content-Length: 0\r\n\r\n`);
    await once(socket, 'close');
  });
});

test('requests behind another wait for its answer, and are not begun when their client has gone', async () => {
  let begun = 0;
  const fetch = async ({ signal }: Request): Promise<Response> => {
    begun++;
    if (!signal.aborted) await once(signal, 'abort');
    return new Response('nobody reads this');
  };
  await exchange(fetch, `${POST}Content-Length: 0\r\n\r\n`.repeat(20), true);
  assert.is(begun, 1);
});

test('an answer before the body: the client may send the rest, and is told that the connection ends', async () => {
  const service: Service = {
    fetch: () => Promise.resolve(new Response('not found', { status: 404 })),
    close: () => Promise.resolve(),
  };
  const limits = { bodyTimeout: 30_000, queueTimeout: 0, timeout: 0, grace: 0 };
  const server = await listen(service, { ...limits, host: '127.0.0.1', port: 0 });
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  let ended = false;
  socket.on('end', () => (ended = true));
  socket.write(`${POST}Content-Length: 8\r\n\r\nbody`);
  assert.match(await answerOf(socket, 'not found'), /^HTTP\/1.1 404 .*Content-Length: 9\r\nConnection: close\r\n/s);
  await sleep(700);
  assert.not.ok(ended);
  socket.write('body');
  await once(socket, 'close');
  await server.close();
});

test.run();

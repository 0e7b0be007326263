/** The client of a remote cache against servers that work, and that do what they should not. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeActionResult } from '../../src/remote-cache/action-result.js';
import { RemoteCache } from '../../src/remote-cache/client.js';
import { NOTHING_REMOTE, type RemoteCacheReport } from '../../src/remote-cache/setting.js';
import { hangingServer, plainCache, testServer } from '../support/http-server.js';
import { assert, suite } from '../support/suite.js';

const test = suite('remote-cache/client', { tests: 15 });

const key = 'a1'.repeat(32);
const content = Buffer.from('a result of a compilation');
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const entry = (bytes: Uint8Array, path = 'darm-result'): Buffer =>
  Buffer.from(encodeActionResult([{ path, digest: { hash: sha256(bytes), size: bytes.length } }]));
/** With a content inside. */
const full = (bytes: Uint8Array, inside: Uint8Array): Buffer => {
  const digest = { hash: sha256(bytes), size: bytes.length };
  return Buffer.from(encodeActionResult([{ path: 'darm-result', digest, contents: inside }]));
};
const asText = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

/** What a lookup at a server comes to. */
async function lookup(url: string, timeout = 300): Promise<{ found: string | null; report: RemoteCacheReport }> {
  const cache = new RemoteCache({ url, timeout });
  const found = await cache.get(key, asText);
  const { report } = cache;
  await cache.close();
  return { found, report };
}

/** Asserts that a lookup finds nothing, how it is counted, and what is said about it. */
async function assertFails(url: string, count: 'errors' | 'refused', complaint: RegExp): Promise<void> {
  const { found, report } = await lookup(url);
  assert.is(found, null);
  assert.equal({ ...report, complaint: null }, { ...NOTHING_REMOTE, [count]: 1 });
  assert.match(report.complaint!, complaint);
}

test('what was put is found by others', async () => {
  await using server = await plainCache();
  const writer = new RemoteCache({ url: `${server.url}/darm/`, mode: 'read-write' });
  assert.is(await writer.get(key, asText), null);
  writer.put(key, content);
  await writer.close();
  assert.equal(writer.report, { ...NOTHING_REMOTE, misses: 1, uploads: 1 });
  // The content comes before the entry that names it.
  assert.equal(server.requests, [`GET /darm/ac/${key}`, `PUT /darm/cas/${sha256(content)}`, `PUT /darm/ac/${key}`]);
  const { found, report } = await lookup(`${server.url}/darm`);
  assert.is(found, content.toString());
  assert.equal(report, { ...NOTHING_REMOTE, hits: 1 });
  assert.equal(server.requests.slice(3), [`GET /darm/ac/${key}`]);
});

test('a large content is not in its entry', async () => {
  await using server = await plainCache();
  const large = Buffer.alloc(40_000, 'large');
  const writer = new RemoteCache({ url: server.url, mode: 'read-write' });
  writer.put(key, large);
  await writer.close();
  assert.is((await lookup(server.url)).found, large.toString());
  assert.equal(server.requests.slice(2), [`GET /ac/${key}`, `GET /cas/${sha256(large)}`]);
});

test('a cache for reading gets nothing', async () => {
  await using server = await plainCache();
  const cache = new RemoteCache({ url: server.url });
  cache.put(key, content);
  await cache.close();
  assert.equal(server.requests, []);
});

test('wrong bytes are refused: not the hash, not the size, no ActionResult, not ours, not for this key', async () => {
  const damaged = Buffer.from(content).fill(1, 3, 4);
  const cases: [Map<string, Buffer>, RegExp][] = [
    [new Map([[`/ac/${key}`, entry(content)], [`/cas/${sha256(content)}`, damaged]]), /does not have its hash/],
    [new Map([[`/ac/${key}`, entry(content)], [`/cas/${sha256(content)}`, content.subarray(1)]]), /its hash/],
    [new Map([[`/ac/${key}`, full(content, damaged)]]), /does not have its hash/],
    [new Map([[`/ac/${key}`, full(content, content.subarray(1))]]), /its hash/],
    [new Map([[`/ac/${key}`, Buffer.from('<html>')]]), /no ActionResult/],
    [new Map([[`/ac/${key}`, entry(content, 'main.o')]]), /not one of darm/],
    [new Map([[`/ac/${key}`, Buffer.from('')]]), /not one of darm/],
  ]; // prettier-ignore
  for (const [kept, complaint] of cases) {
    await using server = await plainCache(kept);
    await assertFails(server.url, 'refused', complaint);
  }
  const kept = new Map([[`/ac/${key}`, entry(content)], [`/cas/${sha256(content)}`, content]]); // prettier-ignore
  await using server = await plainCache(kept);
  const cache = new RemoteCache({ url: server.url });
  const notOurs = (): never => {
    throw new Error('another key');
  };
  assert.is(await cache.get(key, notOurs), null);
  assert.is(cache.report.refused, 1);
  await cache.close();
});

test('an entry without its content is a miss', async () => {
  await using server = await plainCache(new Map([[`/ac/${key}`, entry(content)]]));
  assert.equal((await lookup(server.url)).report, { ...NOTHING_REMOTE, misses: 1 });
});

test('answers that are none: 500, 401, a redirect, which is not followed', async () => {
  await using elsewhere = await plainCache();
  for (const [status, complaint] of [
    [500, /answers 500/],
    [401, /user and password belong into the address/],
    [302, /redirects are not followed/],
  ] as const) {
    await using server = await testServer((_, response) =>
      response.writeHead(status, { Location: `${elsewhere.url}/ac/${key}` }).end(),
    );
    await assertFails(server.url, 'errors', complaint);
  }
  assert.equal(elsewhere.requests, []);
});

test('huge answers break off', async () => {
  let sent = 0;
  await using server = await testServer((_, response) => {
    const more = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(65536))) sent += 65536;
    };
    response.on('drain', more);
    more();
  });
  await assertFails(server.url, 'errors', /more than 65536 bytes/);
  assert.ok(sent < 2 ** 26, `${sent} bytes were sent`);
});

test('a huge content is not asked for', async () => {
  const action = encodeActionResult([{ path: 'darm-result', digest: { hash: sha256(content), size: 2 ** 40 } }]);
  await using server = await plainCache(new Map([[`/ac/${key}`, Buffer.from(action)]]));
  await assertFails(server.url, 'refused', /more than are taken/);
  assert.is(server.requests.length, 1);
});

test('a server that hangs, drips, breaks off, or is not there', async () => {
  await using hanging = await hangingServer();
  await assertFails(hanging.url, 'errors', /it does not answer/);
  await using dripping = await testServer((_, response) => {
    const timer = setInterval(() => response.write('x'), 20);
    response.on('close', () => clearInterval(timer));
  });
  await assertFails(dripping.url, 'errors', /it does not answer/);
  await using breaking = await testServer((_, response) => {
    response.writeHead(200, { 'Content-Length': 100 }).write('x', () => response.destroy());
  });
  await assertFails(breaking.url, 'errors', /the connection broke/);
  await using garbled = await testServer((request) => request.socket.end('SSH-2.0-OpenSSH_9.6\r\n'));
  await assertFails(garbled.url, 'errors', /the connection broke/);
  const gone = await hangingServer();
  await gone[Symbol.asyncDispose]();
  await assertFails(gone.url, 'errors', /nobody listens there/);
});

test('a server that hangs is left alone, gets no uploads, and is asked again after a rest', async () => {
  let works = false;
  await using server = await testServer((_, response) => {
    if (works) response.writeHead(404).end();
  });
  const patience = { failures: 2, restMs: 200, allowanceMs: 10_000, silenceMs: 1000 };
  const cache = new RemoteCache({ url: server.url, mode: 'read-write', timeout: 50 }, patience);
  for (let n = 0; n < 10; n++) {
    assert.is(await cache.get(key, asText), null);
    cache.put(key, content);
  }
  assert.is(server.requests.length, 2);
  assert.equal({ ...cache.report, complaint: null }, { ...NOTHING_REMOTE, errors: 2, skipped: 8, uploadsLost: 10 });
  works = true;
  await sleep(220);
  await cache.get(key, asText);
  assert.is(cache.report.misses, 1);
  await cache.close();
});

test('the first silence ends all lookups that wait; a late answer brings the server back', async () => {
  const silent: (() => void)[] = [];
  let works = false;
  await using server = await testServer((_, response) => {
    const answer = (): void => void response.writeHead(404).end();
    if (works) answer();
    else silent.push(answer);
  });
  const cache = new RemoteCache({ url: server.url, timeout: 60_000 });
  assert.equal(await Promise.all([1, 2, 3].map(() => cache.get(key, asText))), [null, null, null]);
  assert.is(await cache.get(key, asText), null);
  assert.equal({ ...cache.report, complaint: null }, { ...NOTHING_REMOTE, errors: 3, skipped: 1 });
  works = true;
  for (const answer of silent) answer();
  // The late answers take a moment.
  for (let n = 0; n < 100 && cache.report.misses === 0; n++) {
    await sleep(20);
    await cache.get(key, asText);
  }
  assert.is(cache.report.misses, 1);
  await cache.close();
});

test('a server that takes uploads and never thanks is not waited for', async () => {
  await using server = await testServer((request, response) => {
    if (request.method === 'GET') response.writeHead(404).end();
  });
  const cache = new RemoteCache({ url: server.url, mode: 'read-write' });
  await cache.get(key, asText);
  for (let n = 0; n < 4; n++) cache.put(key, content);
  const closed = cache.close().then(() => true);
  assert.ok(await Promise.race([closed, sleep(4000, false)]), 'five seconds are for uploads that make progress');
  assert.is(cache.report.uploads, 0);
  assert.is(cache.report.uploadsLost, 4);
});

test('uploads are bounded, and a server that fails them loses them', async () => {
  await using server = await testServer((request, response) => {
    request.resume();
    request.on('end', () => response.writeHead(507).end());
  });
  const cache = new RemoteCache({ url: server.url, mode: 'read-write' });
  // 64 MiB may wait.
  const large = Buffer.alloc(30 * 2 ** 20);
  for (let n = 0; n < 4; n++) cache.put(`${n}`.repeat(64), large);
  assert.is(cache.report.uploadsLost, 2);
  await cache.close();
  assert.is(cache.report.uploadsLost, 4);
  assert.match(cache.report.complaint!, /answers 507/);
});

test('user and password go to the server, and into no message', async () => {
  await using server = await testServer((_, response) => response.writeHead(500).end());
  const url = server.url.replace('//', '//jane:p%40ss@');
  const { report } = await lookup(`${url}/cache`);
  assert.is(server.authorizations[0], `Basic ${Buffer.from('jane:p@ss').toString('base64')}`);
  assert.match(report.complaint!, `${server.url}/cache`);
  assert.not.match(report.complaint!, /jane|p%40ss|p@ss/);
});

test('what is no address is refused, and not repeated', () => {
  for (const url of ['', 'jane:secret@host', 'ftp://jane:secret@host/', 'http://jane:secret@', 'unix:secret', 'http://h/?secret'])
    try {
      new RemoteCache({ url });
      assert.unreachable(url);
    } catch (error) {
      const { code, message } = error as { code: string; message: string };
      assert.is(code, 'usage');
      assert.match(message, /--remote-cache/);
      assert.not.match(message, /secret/);
    } // prettier-ignore
});

test.run();

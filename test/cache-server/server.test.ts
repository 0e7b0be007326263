/** The cache server: the protocol, its checks, its limits. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveCache, type CacheServerOptions } from '../../src/cache-server/server.js';
import { Store } from '../../src/cache-server/store.js';
import { verifyCache } from '../../src/compiler/compile-cache.js';
import { encodeActionResult } from '../../src/remote-cache/action-result.js';
import { inFolder } from '../support/command.js';
import { assert, suite } from '../support/suite.js';

const test = suite('cache-server', { tests: 9 });

const key = 'c0'.repeat(32);
const content = Buffer.from('content');
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const cas = (bytes: Uint8Array): string => `/cas/${sha256(bytes)}`;
const entry = (bytes: Uint8Array): Uint8Array =>
  encodeActionResult([{ path: 'f', digest: { hash: sha256(bytes), size: bytes.length } }]);

type Ask = (method: string, path: string, body?: Uint8Array, headers?: Record<string, string>) => Promise<Response>;

const withServer = (
  options: Partial<CacheServerOptions> & { readonly maxBytes?: number },
  use: (ask: Ask, folder: string, url: string) => Promise<void>,
): Promise<void> =>
  inFolder(async (folder) => {
    const faults: unknown[] = [];
    const { maxBytes = 2 ** 30, ...others } = options;
    const server = await serveCache(new Store(folder, maxBytes), {
      host: '127.0.0.1',
      port: 0,
      maxEntry: 2 ** 20,
      readOnly: false,
      credentials: null,
      onFault: (error) => faults.push(error),
      ...others,
    });
    try {
      await use(async (method, path, body, headers = {}) => {
        if (method === 'SLOW') return fetch(server.url + path);
        const answer = await fetch(server.url + path, { method, headers, ...(body !== undefined && { body: Buffer.from(body) }) });
        // The connection becomes free when the answer is read.
        return new Response(method === 'HEAD' || answer.status === 204 ? null : await answer.arrayBuffer(), answer);
      }, folder, server.url); // prettier-ignore
    } finally {
      await server.close();
    }
    assert.equal(faults, []);
  });

async function contentFiles(folder: string): Promise<string[]> {
  const files = await readdir(path.join(folder, 'content-v2'), { recursive: true, withFileTypes: true });
  return files.filter((file) => file.isFile()).map((file) => path.join(file.parentPath, file.name));
}

test('answers that nobody reads have a bound', () =>
  withServer({ maxEntry: 2 ** 26, mostBytes: 2 ** 25 }, async (ask, _, url) => {
    const large = Buffer.alloc(20 * 2 ** 20, 7);
    assert.is((await ask('PUT', cas(large), large)).status, 200);
    assert.is((await ask('GET', cas(large))).status, 200);
    // As much as the sockets do not hold, and nobody reads it.
    const slow = await ask('SLOW', cas(large));
    assert.is((await ask('GET', cas(large))).status, 503);
    assert.is((await ask('GET', cas(content))).status, 404);
    await slow.body!.cancel();
    while ((await ask('GET', cas(large))).status === 503) await sleep(10);
    // Several requests on one connection, which ends before the second answer begins.
    const small = Buffer.alloc(5 * 2 ** 20, 7);
    assert.is((await ask('PUT', cas(small), small)).status, 200);
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(`GET ${cas(small)} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(6));
    await once(socket, 'readable');
    // Newer versions of Node do not even read requests behind an answer that nobody reads.
    for (let k = 0; k < 20 && (await ask('GET', cas(large))).status === 200; k++) await sleep(10);
    socket.destroy();
    while ((await ask('GET', cas(large))).status === 503) await sleep(10);
  }));

test('contents and entries come back; HEAD says whether they are there', () =>
  withServer({}, async (ask) => {
    assert.is((await ask('GET', cas(content))).status, 404);
    assert.is((await ask('HEAD', cas(content))).status, 404);
    assert.is((await ask('PUT', cas(content), content)).status, 200);
    assert.is((await ask('PUT', `/ac/${key}`, entry(content))).status, 200);
    assert.is(await (await ask('GET', cas(content))).text(), 'content');
    assert.is((await ask('HEAD', cas(content))).headers.get('content-length'), '7');
    assert.equal(new Uint8Array(await (await ask('GET', `/ac/${key}`)).arrayBuffer()), new Uint8Array(entry(content)));
    assert.equal(((await (await ask('GET', '/status')).json()) as { entries: number }).entries, 2);
  }));

test('contents must have their hash, entries be an ActionResult', () =>
  withServer({}, async (ask) => {
    const answer = await ask('PUT', cas(content), Buffer.from('another content'));
    assert.is(answer.status, 400);
    assert.match(await answer.text(), /does not have this hash/);
    assert.is((await ask('PUT', `/ac/${key}`, Buffer.from('<html>'))).status, 400);
    assert.is((await ask('GET', cas(content))).status, 404);
    assert.is((await ask('GET', `/ac/${key}`)).status, 404);
  }));

test('an entry is given out only with its contents', () =>
  withServer({}, async (ask) => {
    await ask('PUT', `/ac/${key}`, entry(content));
    assert.is((await ask('GET', `/ac/${key}`)).status, 404);
    await ask('PUT', cas(content), content);
    assert.is((await ask('GET', `/ac/${key}`)).status, 200);
  }));

test('a damaged content is not given out, and is replaced by the next one', () =>
  withServer({}, async (ask, folder) => {
    const large = Buffer.alloc(5000, 7);
    await ask('PUT', cas(large), large);
    const [file] = await contentFiles(folder);
    await writeFile(file!, (await readFile(file!)).fill(1, 100, 101));
    assert.is((await ask('GET', cas(large))).status, 404);
    assert.is((await ask('PUT', cas(large), large)).status, 200);
    assert.ok(Buffer.from(await (await ask('GET', cas(large))).arrayBuffer()).equals(large));
    assert.is((await verifyCache(folder)).damaged, 0);
  }));

test('limits: a content that is too large, and a full cache, from which the oldest go', () =>
  withServer({ maxEntry: 4000, maxBytes: 20_000 }, async (ask) => {
    assert.is((await ask('PUT', cas(Buffer.alloc(4001)), Buffer.alloc(4001))).status, 413);
    const contents = Array.from({ length: 12 }, (_, n) => Buffer.alloc(3000, n));
    for (const each of contents) assert.is((await ask('PUT', cas(each), each)).status, 200);
    const { bytes } = (await (await ask('GET', '/status')).json()) as { bytes: number };
    assert.ok(bytes <= 20_000, `${bytes} bytes`);
    assert.is((await ask('GET', cas(contents[0]!))).status, 404);
    assert.is((await ask('GET', cas(contents[11]!))).status, 200);
  }));

test('user and password, and a cache that takes nothing', () =>
  withServer({ credentials: 'jane:secret', readOnly: true }, async (ask) => {
    const known = { Authorization: `Basic ${Buffer.from('jane:secret').toString('base64')}` };
    assert.is((await ask('GET', cas(content))).status, 401);
    assert.is((await ask('GET', cas(content), undefined, { Authorization: 'Basic AAAA' })).status, 401);
    assert.is((await ask('GET', cas(content), undefined, known)).status, 404);
    assert.is((await ask('PUT', cas(content), content, known)).status, 403);
    assert.is((await ask('GET', '/healthz')).status, 200);
  }));

test('other paths and methods', () =>
  withServer({}, async (ask) => {
    for (const path of ['/', '/ac/', '/cas/zz', `/cas/${'A'.repeat(64)}`, `/ac/../cas/${key}x`, `/other/${key}`])
      assert.is((await ask('GET', path)).status, 404, path);
    assert.is((await ask('DELETE', `/cas/${key}`)).status, 405);
  }));

test('many clients at the same time, equal contents among them', () =>
  withServer({}, async (ask, folder) => {
    const contents = Array.from({ length: 40 }, (_, n) => Buffer.alloc(2000 + (n % 10), n % 10));
    const statuses = await Promise.all(contents.map(async (each) => (await ask('PUT', cas(each), each)).status));
    assert.ok(statuses.every((status) => status === 200));
    for (const each of contents) assert.is((await ask('GET', cas(each))).status, 200);
    assert.is((await contentFiles(folder)).length, 10);
    // Nothing is left of what was written first.
    assert.equal(await readdir(path.join(folder, 'tmp')).catch(() => []), []);
  }));

test.run();

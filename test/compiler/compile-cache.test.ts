/**
 * The cache: it returns what was stored, damage is a miss, the size is limited, several processes may use one folder.
 */
import { mkdir, readdir, readFile, rename, rmdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { cacheStatistics } from '../../src/compiler/cache-folder.js';
import { cleanCache, CompileCache, verifyCache } from '../../src/compiler/compile-cache.js';
import { compileKey } from '../../src/compiler/compile-key.js';
import { completeJobOptions } from '../../src/job/options.js';
import { createCompiler } from '../../src/index.js';
import type { CompileResult } from '../../src/job/results.js';
import { darm, inFolder } from '../support/command.js';
import { kernel, kernelPath } from '../support/llvm.js';
import { assert, suite } from '../support/suite.js';

const test = suite('cache/compile-cache', { tests: 13, timeoutMs: 60_000 });

const result = (bytes: number, fill = 1): CompileResult => ({
  target: 'gfx906',
  artifacts: [{ kind: 'hsaco', bytes: new Uint8Array(bytes).fill(fill) }],
  functions: [],
  remarks: [],
  histories: [],
  diagnostics: [],
  timings: {},
});

async function filesBelow(folder: string): Promise<string[]> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  return files.filter((file) => file.isFile()).map((file) => path.join(file.parentPath, file.name));
}

/** Every file in the cache that holds the contents of an entry. */
const contents = (folder: string): Promise<string[]> => filesBelow(path.join(folder, 'content-v2'));

test('a compilation comes back unchanged, except for its timings', () =>
  inFolder(async (folder) => {
    const bytes = await kernel('bitonic.gfx906.O3-g');
    const options = { emit: ['hsaco', 'll'], stats: true, remarks: true } as const;
    await using compiler = createCompiler({ threads: 0, tierPolicy: 'short', cache: { path: folder } });
    const first = await compiler.compile(bytes, options);
    const second = await compiler.compile(bytes, options);
    assert.equal([first.cached, second.cached], [false, true]);
    assert.ok(first.remarks.length > 1);
    assert.equal({ ...second, cached: false, timings: {} }, { ...first, timings: {} });
    assert.equal(compiler.cacheCounts, { hits: 1, misses: 1, errors: 0, complaint: null });
    // Another option, another key.
    assert.is((await compiler.compile(bytes, { ...options, threshold: 0.21 })).cached, false);
    assert.equal(compiler.cacheCounts, { hits: 1, misses: 2, errors: 0, complaint: null });
  }));

test('the key depends on the input and on every option', async () => {
  const options = completeJobOptions('test', {});
  const bytes = new Uint8Array([1, 2, 3]);
  const keys = [await compileKey(bytes, options), await compileKey(new Uint8Array([1, 2]), options)];
  const others: Record<string, unknown> = {
    emit: ['obj'], mcpu: 'gfx90a', codegenLevel: 3, optimize: 'O1', meld: 'off', meldPoint: 'early', profit: 'size', threshold: 0.3,
    regionReplication: false, unpredicate: 'never', versions: 'always', deviceLibs: 'never', partitions: 4, functions: ['k'], once: true, stats: true, remarks: true, report: true, verifyAnalyses: true, plan: '{}',
  }; // prettier-ignore
  assert.equal(Object.keys(others).sort(), Object.keys(options).sort());
  for (const [name, value] of Object.entries(others)) keys.push(await compileKey(bytes, { ...options, [name]: value }));
  assert.is(new Set(keys).size, keys.length);
  assert.is(await compileKey(bytes, { ...options }), keys[0]);
  assert.match(keys[0]!, /^[0-9a-f]{64}$/);
});

test('the name of the folder is no pattern', () =>
  inFolder(async (folder) => {
    const place = path.join(folder, 'a[b]{c}*');
    await new CompileCache({ path: place }).put('a', result(1000, 1));
    assert.is((await verifyCache(place)).checked, 1);
    assert.is((await cleanCache(place)).entries, 1);
    assert.is((await cacheStatistics(place)).entries, 0);
    assert.equal(await filesBelow(place), []);
  }));

test('a damaged entry is a miss, and verify removes it', () =>
  inFolder(async (folder) => {
    const cache = new CompileCache({ path: folder });
    await cache.put('a', result(1000, 1));
    await cache.put('b', result(1000, 2));
    const [file] = await contents(folder);
    const bytes = await readFile(file!);
    bytes[500]! ^= 1;
    await writeFile(file!, bytes);
    await writeFile(path.join(path.dirname(file!), 'nobody'), 'x');
    assert.equal(await verifyCache(folder), { checked: 2, damaged: 1, bytesFreed: bytes.length + 1 });
    assert.is((await cacheStatistics(folder)).entries, 1);
    assert.is((await filesBelow(path.join(folder, 'index-v5'))).length, 1);
    const found = [await cache.get('a'), await cache.get('b')].filter((each) => each !== null);
    assert.is(found.length, 1);
    assert.is((await contents(folder)).length, 1);
  }));

test('what the system does not let us read for a moment is a miss, and stays', () =>
  inFolder(async (folder) => {
    const cache = new CompileCache({ path: folder });
    await cache.put('a', result(1000));
    const [file] = await contents(folder);
    await rename(file!, path.join(folder, 'away'));
    await mkdir(file!);
    assert.is(await cache.get('a'), null);
    await rmdir(file!);
    await rename(path.join(folder, 'away'), file!);
    assert.ok(await cache.get('a'));
  }));

test('verify removes what a killed process has left, and not what another one is writing', () =>
  inFolder(async (folder) => {
    const temporary = path.join(folder, 'tmp');
    await mkdir(temporary);
    for (const name of ['left', 'written']) await writeFile(path.join(temporary, name), 'x');
    await utimes(path.join(temporary, 'left'), 0, 0);
    await verifyCache(folder);
    assert.equal(await readdir(temporary), ['written']);
  }));

test('a damaged entry is replaced by the next result', () =>
  inFolder(async (folder) => {
    for (const damage of [
      (bytes: Buffer) => bytes.fill(7, 500, 501),
      (bytes: Buffer) => bytes.subarray(0, 10),
      () => Buffer.alloc(0),
    ]) {
      const cache = new CompileCache({ path: folder });
      await cache.put('a', result(1000));
      const [file] = await contents(folder);
      await writeFile(file!, damage(await readFile(file!)));
      assert.is(await cache.get('a'), null);
      await cache.put('a', result(1000));
      assert.is((await cache.get('a'))?.artifacts[0]!.bytes.length, 1000);
    }
  }));

test('an entry whose content and line in the index are both damaged is replaced by the next result', () =>
  inFolder(async (folder) => {
    const cache = new CompileCache({ path: folder });
    await cache.put('a', result(1000));
    for (const kind of ['content-v2', 'index-v5'])
      for (const file of await filesBelow(path.join(folder, kind)))
        await writeFile(file, (await readFile(file)).fill(7, 20, 21));
    assert.is(await cache.get('a'), null);
    await cache.put('a', result(1000));
    assert.is((await cache.get('a'))?.artifacts[0]!.bytes.length, 1000);
  }));

test('an entry of another format is a miss', () =>
  inFolder(async (folder) => {
    const { default: cacache } = await import('cacache');
    await cacache.put(folder, 'a', Buffer.from([0xc1, 0xff, 0x00]));
    await cacache.put(folder, 'b', Buffer.from([0x01]));
    const cache = new CompileCache({ path: folder });
    assert.equal([await cache.get('a'), await cache.get('b')], [null, null]);
  }));

test('the oldest entries go when the limit is reached', () =>
  inFolder(async (folder) => {
    const cache = new CompileCache({ path: folder, maxBytes: 10_000 });
    for (let n = 0; n < 20; n++) await cache.put(`k${n}`, result(1000, n));
    const { entries, bytes } = await cacheStatistics(folder);
    assert.ok(bytes <= 10_000 && entries >= 5, `${entries} entries, ${bytes} bytes`);
    assert.is((await filesBelow(path.join(folder, 'index-v5'))).length, entries);
    assert.ok((await cache.get('k19')) !== null);
    assert.is(await cache.get('k0'), null);
    assert.equal((await cleanCache(folder)).entries, entries);
    assert.is((await cacheStatistics(folder)).entries, 0);
  }));

test('many results at a time: the folder is listed once', () =>
  inFolder(async (folder) => {
    const { default: cacache } = await import('cacache');
    for (let n = 0; n < 30; n++) await cacache.put(folder, `old${n}`, Buffer.alloc(500, n));
    const list = cacache.ls;
    let listed = 0;
    try {
      cacache.ls = ((where: string) => (listed++, list(where))) as typeof cacache.ls;
      const cache = new CompileCache({ path: folder, maxBytes: 40_000 });
      await Promise.all(Array.from({ length: 20 }, (_, n) => cache.put(`k${n}`, result(500, n))));
      assert.is(listed, 1);
      // What was there counts.
      await Promise.all(Array.from({ length: 20 }, (_, n) => cache.put(`l${n}`, result(500, n))));
      assert.ok((await cacheStatistics(folder)).bytes <= 40_000);
    } finally {
      cacache.ls = list;
    }
  }));

test('a folder that cannot be written to costs nothing but the hits', () =>
  inFolder(async (folder) => {
    const file = path.join(folder, 'file');
    await writeFile(file, '');
    await using compiler = createCompiler({
      threads: 0,
      tierPolicy: 'short',
      cache: { path: path.join(file, 'cache') },
    });
    const { artifacts, cached } = await compiler.compile(await kernel('sb1.gfx906.O3'));
    assert.is(cached, false);
    assert.ok(artifacts[0]!.bytes.length > 1000);
    const complaint = `cannot write ${path.join(file, 'cache')}: a part of the path is not a directory`;
    assert.equal(compiler.cacheCounts, { hits: 0, misses: 1, errors: 1, complaint });
  }));

test.long('several processes use one folder; stats, verify and clean', () =>
  inFolder(async (folder) => {
    const cache = path.join(folder, 'cache');
    const compile = (name: string) =>
      darm(['compile', kernelPath('sb1.gfx906.O3'), '--cache', cache, '-o', path.join(folder, name)]);
    const codes = await Promise.all(['a', 'b', 'c'].map(compile));
    assert.equal(codes.map(({ code }) => code), [0, 0, 0]); // prettier-ignore
    const [a, b, c] = await Promise.all(['a', 'b', 'c'].map((name) => readFile(path.join(folder, name))));
    assert.ok(a!.equals(b!) && a!.equals(c!));
    const ask = async (action: string) => {
      const { code, stdout } = await darm(['cache', action, '--cache', cache, '--json']);
      assert.is(code, 0);
      return JSON.parse(stdout.toString()) as Record<string, unknown>;
    };
    assert.is((await ask('stats'))['entries'], 1);
    assert.equal([(await ask('verify'))['checked'], (await ask('verify'))['damaged']], [1, 0]);
    assert.is((await ask('clean'))['removed'], 1);
    assert.is((await ask('stats'))['entries'], 0);
    const { code, stderr } = await darm(['cache', 'stats']);
    assert.is(code, 2);
    assert.match(stderr, /which cache/);
  }),
);

test.run();

/** Commands with a remote cache: what one machine compiled, another one takes; and a server that is of no use. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { createCompiler } from '../../src/index.js';
import { darm, inFolder, MAIN } from '../support/command.js';
import { hangingServer, plainCache } from '../support/http-server.js';
import { kernel, kernelPath } from '../support/llvm.js';
import { figureAt, startServer } from '../support/server.js';
import { assert, suite } from '../support/suite.js';

const test = suite('cli/remote-cache', { tests: 8, timeoutMs: 60_000 });

const INPUT = kernelPath('sb1.gfx906.O3');

/** Calls `use` with the address of `darm cache serve`, which wants user and password. */
async function withCacheServer(folder: string, use: (url: string, shown: string) => Promise<void>): Promise<void> {
  const child = spawn(process.execPath, [MAIN, 'cache', 'serve', '--cache', folder, '--port', '0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, DARM_CACHE_CREDENTIALS: 'jane:secret' },
  });
  const exit = once(child, 'exit');
  const log: string[] = [];
  const lines = createInterface({ input: child.stderr });
  lines.on('line', (line) => log.push(line));
  await once(lines, 'line');
  const { url } = JSON.parse(log[0]!) as { url: string };
  try {
    await use(url.replace('//', '//jane:secret@'), url);
  } finally {
    child.kill('SIGTERM');
  }
  assert.equal(await exit, [0, null]);
  assert.not.match(log.join('\n'), /secret/);
}

test('a server with empty credentials does not start', async () => {
  const args = ['cache', 'serve', '--cache', 'nothing', '--port', '0'];
  const { code, stderr } = await darm(args, { env: { DARM_CACHE_CREDENTIALS: '' } });
  assert.is(code, 2);
  assert.match(stderr, /\$DARM_CACHE_CREDENTIALS is empty/);
  const half = await darm(args, { env: { DARM_CACHE_CREDENTIALS: 'jane' } });
  assert.equal([half.code, /must be user:password, and has no colon/.test(half.stderr)], [2, true]);
});

test('what one machine compiled, another one takes: same bytes, same report', () =>
  inFolder(async (folder) => {
    await withCacheServer(path.join(folder, 'served'), async (url) => {
      const options = { emit: ['hsaco', 'll'], stats: true, remarks: true, report: true } as const;
      const bytes = await kernel('bitonic.gfx906.O3-g');
      const remoteCache = { url, mode: 'read-write', timeout: 10_000 } as const;
      await using one = createCompiler({ threads: 0, tierPolicy: 'short', remoteCache });
      const first = await one.compile(bytes, options);
      assert.is(first.cached, false);
      await one.close();
      assert.is(one.remoteCacheReport!.uploads, 1);

      const cache = { path: path.join(folder, 'local') };
      await using other = createCompiler({ threads: 0, tierPolicy: 'short', cache, remoteCache });
      const second = await other.compile(bytes, options);
      assert.is(second.cached, true);
      assert.equal({ ...second, cached: false, timings: {} }, { ...first, timings: {} });
      // It is in the folder now.
      assert.is((await other.compile(bytes, options)).cached, true);
      assert.equal(other.remoteCacheReport, { ...one.remoteCacheReport, misses: 0, hits: 1, uploads: 0 });
      assert.equal(other.cacheCounts, { hits: 1, misses: 1, errors: 0, complaint: null });
    });
  }));

test.long('darm compile and darm batch, by flag and by environment', () =>
  inFolder(async (folder) => {
    await withCacheServer(path.join(folder, 'served'), async (url, shown) => {
      const flags = ['--remote-cache', url, '--remote-cache-mode', 'read-write', '--remote-cache-timeout', '10'];
      const [a, b] = [path.join(folder, 'a'), path.join(folder, 'b')];
      const compiled = await darm(['compile', INPUT, '-o', a, ...flags]);
      assert.equal([compiled.code, compiled.stderr], [0, '']);
      const status = await fetch(`${shown}/status`, { headers: { Authorization: `Basic ${btoa('jane:secret')}` } });
      assert.is(((await status.json()) as { entries: number }).entries, 2);
      const batch = await darm(['batch', INPUT, '--out-dir', b, '--no-cache', ...flags]);
      assert.is(batch.code, 0, batch.stderr);
      assert.match(batch.stderr, /from the cache/);
      assert.match(batch.stderr, /remote cache: hits/);
      assert.ok((await readFile(a)).equals(await readFile(path.join(b, 'sb1.gfx906.O3.hsaco'))));
      assert.not.match(compiled.stderr + batch.stderr, /secret/);
    });
  }),
);

test.long('a wrong password, a server that hangs: one warning without the password, and the same bytes', () =>
  inFolder(async (folder) => {
    const file = (name: string): string => path.join(folder, name);
    assert.is((await darm(['compile', INPUT, '-o', file('local')])).code, 0);
    const compile = async (url: string, name: string, complaint: RegExp): Promise<void> => {
      const flags = ['--remote-cache', url, '--remote-cache-mode', 'read-write', '--remote-cache-timeout', '0.5'];
      const { code, stderr } = await darm(['compile', INPUT, '-o', file(name), ...flags]);
      assert.is(code, 0);
      assert.match(stderr, complaint);
      assert.is(stderr.trim().split('\n').length, 1);
      assert.not.match(stderr, /jane|secret/);
      assert.ok((await readFile(file(name))).equals(await readFile(file('local'))));
    };
    await withCacheServer(file('served'), (url) =>
      compile(url.replace('secret', 'secrets'), 'refused', /user and password .*lookups failed: 1, uploads failed: 1/),
    );
    await using server = await hangingServer();
    // Which limit is first depends on how busy this machine is.
    const complaint = /it does not answer|no whole answer within 0\.5 s/;
    await compile(server.url.replace('//', '//jane:secret@'), 'hanging', complaint);
  }),
);

test('an entry of another job, or with a damaged form, is refused and compiled here', async () => {
  const kept = new Map<string, Buffer>();
  await using server = await plainCache(kept);
  const remoteCache = { url: server.url, mode: 'read-write', timeout: 10_000 } as const;
  const bytes = await kernel('sb1.gfx906.O3');
  const compile = async (emit: 'hsaco' | 'll') => {
    await using compiler = createCompiler({ threads: 0, tierPolicy: 'short', remoteCache });
    const { cached, artifacts } = await compiler.compile(bytes, { emit: [emit] });
    await compiler.close();
    return { cached, artifact: artifacts[0]!, report: compiler.remoteCacheReport! };
  };
  const [code, text] = [await compile('hsaco'), await compile('ll')];
  const [one, other] = [...kept.keys()].filter((each) => each.startsWith('/ac/'));
  // The server mixes up its entries.
  kept.set(other!, kept.get(one!)!);
  const again = await compile('ll');
  assert.equal([again.cached, again.report.refused], [false, 1]);
  assert.equal(again.artifact, text.artifact);
  const hit = await compile('hsaco');
  assert.equal([hit.cached, hit.report.hits], [true, 1]);
  assert.equal(hit.artifact, code.artifact);
});

test('source: clang runs here, and what follows comes from the remote cache', async () => {
  await using server = await plainCache();
  const remoteCache = { url: server.url, mode: 'read-write', timeout: 10_000 } as const;
  const source = 'kernel void add(global int *a, int b) { a[get_global_id(0)] += b; }';
  const compile = async () => {
    await using compiler = createCompiler({ threads: 0, tierPolicy: 'short', remoteCache });
    const { artifacts } = await compiler.compile(source, { language: 'opencl', mcpu: 'gfx906' });
    await compiler.close();
    const { hits, misses, uploads } = compiler.remoteCacheReport!;
    return { artifacts, counts: [hits, misses, uploads] };
  };
  const [first, second] = [await compile(), await compile()];
  assert.equal([first.counts, second.counts], [[0, 1, 1], [1, 0, 0]]); // prettier-ignore
  assert.equal(second.artifacts, first.artifacts);
});

test.long('the service counts what its remote cache does', () =>
  inFolder(async (folder) => {
    await using server = await plainCache();
    const service = await startServer('-j', '1', '--remote-cache', server.url, '--cache', path.join(folder, 'local'));
    const body = new Uint8Array(await kernel('sb1.gfx906.O3'));
    assert.is((await fetch(`${service.url}/v1/compile`, { method: 'POST', body })).status, 200);
    assert.is(await figureAt(service.url, 'darm_remote_cache_misses'), 1);
    assert.is(await figureAt(service.url, 'darm_remote_cache_uploads'), 0);
    service.child.kill('SIGTERM');
    assert.is(await service.exit, 0);
  }),
);

test.long('an address that is none: one error without the password', () =>
  inFolder(async (folder) => {
    for (const url of ['ftp://jane:secret@host', 'http://jane:secret@host/?a', 'jane:secret'])
      for (const command of [['compile', INPUT], ['batch', INPUT, '--out-dir', 'out'], ['serve']]) {
        const { code, stderr } = await darm([...command, '--remote-cache', url], { cwd: folder });
        assert.is(code, 2);
        assert.match(stderr, /^darm: error: .*--remote-cache.*\n$/);
        assert.not.match(stderr, /secret/);
      }
  }),
);

test.run();

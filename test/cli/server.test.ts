/** `darm compile --server`: the same bytes, messages and exit codes as a compilation here; and servers of no use. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { darm, filesIn, inFolder, MAIN, type CommandResult } from '../support/command.js';
import { testServer } from '../support/http-server.js';
import { kernelPath } from '../support/llvm.js';
import { startServer } from '../support/server.js';
import { POISON } from '../support/service.js';
import { assert, suite } from '../support/suite.js';

const test = suite('cli/server', { tests: 8, timeoutMs: 120_000 });

const INPUT = kernelPath('sb1.gfx906.O3');

const IR = (body: string): string => `target triple = "amdgcn-amd-amdhsa"\n${body}\n`;
/** Inputs, and flags. Most are refused; each has something to say. */
const CASES: readonly (readonly [input: string, flags: readonly string[]])[] = [
  [INPUT, ['--stats']],
  [INPUT, ['--emit', 'asm', '--threshold', '0.1', '--function', 'a,b', '--function', 'sb1']],
  [kernelPath('bitonic.gfx906.O3-g'), ['--remarks', 'remarks.yaml', '--report', 'report.html']],
  [INPUT, ['--emit', 'fatbin', '--mcpu', 'gfx906']],
  [INPUT, ['--mcpu', 'gfx9999']],
  [INPUT, ['--meld-point', 'early']],
  [INPUT, ['--emit', 'obj', '--partitions', '2']],
  ['empty.bc', []],
  ['text.ll', []],
  ['host.ll', []],
  ['undefined.ll', []],
  ['fatal.ll', []],
  ['warns.ll', ['--quiet']],
  ['warns.ll', []],
  ['missing.bc', []],
];
const FILES: Readonly<Record<string, string | Uint8Array>> = {
  'empty.bc': '',
  'text.ll': IR('define void @k() {\n  %x = add i32 %y, 1\n  ret void\n}'),
  'host.ll': 'target triple = "x86_64-linux-gnu"\ndefine void @k() {\n  ret void\n}\n',
  'undefined.ll': IR(
    'declare void @nowhere()\ndefine amdgpu_kernel void @k() "target-cpu"="gfx906" {\n  call void @nowhere()\n  ret void\n}',
  ),
  'fatal.ll': POISON.fatal.bytes,
  'warns.ll': IR(
    'define amdgpu_kernel void @k(ptr addrspace(1) %p) "target-cpu"="gfx906" "amdgpu-waves-per-eu"="9,1" {\n  call void asm sideeffect "s_nop 0 // x", ""()\n  ret void\n}',
  ),
};

/** Runs every case with these flags in the folder: what was said, and what was written. */
async function runCases(folder: string, more: readonly string[]): Promise<object[]> {
  const outcomes: object[] = [];
  for (const [input, flags] of CASES) {
    const { code, stdout, stderr } = await darm(['compile', input, '-o', 'out', ...flags, ...more], { cwd: folder });
    const files: Record<string, string | undefined> = {};
    for (const file of ['out', 'remarks.yaml', 'report.html']) files[file] = await takeHash(path.join(folder, file));
    outcomes.push({ input, flags, code, stdout: stdout.toString(), stderr, ...files });
  }
  return outcomes;
}

/** Of a file, which goes; undefined when there is none. */
async function takeHash(file: string): Promise<string | undefined> {
  const bytes = await readFile(file).catch(() => null);
  await rm(file, { force: true });
  return bytes === null ? undefined : createHash('sha256').update(bytes).digest('hex');
}

async function withFiles(use: (folder: string) => Promise<void>): Promise<void> {
  await inFolder(async (folder) => {
    for (const [name, content] of Object.entries(FILES)) await writeFile(path.join(folder, name), content);
    await use(folder);
  });
}

async function runServer(args: readonly string[], stdio: 'ignore' | number = 'ignore') {
  const child = spawn(process.execPath, [MAIN, 'serve', '--no-cache', '-j', '1', ...args], {
    stdio: ['ignore', 'ignore', 'pipe', stdio],
  });
  const exit = once(child, 'exit');
  const lines = createInterface({ input: child.stderr! });
  const [first] = (await once(lines, 'line')) as [string];
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<unknown[]> => {
    child.kill(signal);
    return exit;
  };
  return { url: (JSON.parse(first) as { url: string }).url, end };
}

const failed = ({ code, stderr }: CommandResult, message: RegExp): void => {
  assert.is(code, 1);
  assert.match(stderr, message);
  assert.match(stderr, /^darm: error: .*\n$/);
};

test.long('the same bytes, messages and exit codes as here', () =>
  withFiles(async (folder) => {
    const server = await startServer('-j', '1');
    const there = await runCases(folder, ['--server', server.url]);
    server.child.kill('SIGTERM');
    await server.exit;
    const here = await runCases(folder, []);
    for (const [i, outcome] of here.entries()) assert.equal(there[i], outcome);
    const codes = new Set(here.map((each) => (each as { code: number }).code));
    assert.equal([...codes].sort(), [0, 1, 2]);
  }),
);

test.long('the document of --json, without its timings', () =>
  inFolder(async (folder) => {
    const server = await startServer('-j', '1');
    const document = async (...more: string[]): Promise<object> => {
      const { stdout } = await darm(['compile', INPUT, '-o', 'out', '--stats', '--json', ...more], { cwd: folder });
      return { ...(JSON.parse(stdout.toString()) as object), timings: null };
    };
    assert.equal(await document('--server', server.url), await document());
    server.child.kill('SIGTERM');
    assert.is(await server.exit, 0);
  }),
);

test.long(
  'a socket of the file system: for its user only, taken over when it was left behind, removed at the end',
  () =>
    inFolder(async (folder) => {
      const socket = path.join(folder, 'darm.sock');
      const first = await runServer(['--listen', `unix:${socket}`]);
      assert.is(first.url, `unix:${socket}`);
      assert.is((await stat(socket)).mode & 0o777, 0o600);
      const busy = await darm(['serve', '--listen', `unix:${socket}`]);
      failed(busy, /cannot listen on the socket .*darm.sock: it is in use/);
      await first.end('SIGKILL');
      const second = await runServer(['--listen', `unix:${socket}`]);
      const { code, stderr } = await darm(['compile', INPUT, '-o', 'out', '--server', second.url], { cwd: folder });
      assert.equal([code, stderr], [0, '']);
      assert.equal(await second.end('SIGTERM'), [0, null]);
      assert.equal(await filesIn(folder), ['out']);
      // Not a socket: it stays.
      failed(await darm(['serve', '--listen', `unix:${folder}/out`]), /it is in use/);
      failed(await darm(['serve', '--listen', `unix:${folder}/none/s`]), /none\/s: there is no such folder/);
      failed(
        await darm(['serve', '--listen', `unix:${folder}/out/s`]),
        /out\/s: a part of the path is not a directory/,
      );
      failed(await darm(['serve', '--listen', `unix:${folder}/${'s'.repeat(200)}`]), /s: the path is too long/);
      assert.equal(await filesIn(folder), ['out']);
    }),
);

test.long('a socket that listens already, as systemd hands it over', () =>
  inFolder(async (folder) => {
    const socket = path.join(folder, 'darm.sock');
    const opened = createServer().listen(`${socket}.new`);
    await once(opened, 'listening');
    const { fd } = (opened as unknown as { _handle: { fd: number } })._handle;
    // Closing takes the name away that it was opened with, not this one.
    await rename(`${socket}.new`, socket);
    const server = await runServer(['--listen', 'fd:3'], fd);
    // Else this process may take the connection.
    opened.close();
    const { code, stderr } = await darm(['compile', INPUT, '-o', 'out', '--server', `unix:${socket}`], { cwd: folder });
    assert.equal([code, stderr], [0, '']);
    assert.equal(await server.end('SIGTERM'), [0, null]);
    failed(await darm(['serve', '--listen', 'fd:77']), /cannot listen on descriptor 77/);
  }),
);

test('no server: one error, or a compilation here when that was asked for', () =>
  inFolder(async (folder) => {
    const away = `unix:${folder}/none.sock`;
    const compile = (...flags: string[]) => darm(['compile', INPUT, '-o', 'out', ...flags], { cwd: folder });
    failed(await compile('--server', away), /the server unix:.*none.sock: there is no such socket/);
    assert.equal(await filesIn(folder), []);
    const { code, stderr } = await compile('--server', away, '--server-fallback');
    assert.is(code, 0);
    assert.match(stderr, /^darm: warning: the server unix:.*: there is no such socket; it is compiled here\n$/);
    const there = await readFile(path.join(folder, 'out'));
    assert.is((await compile()).code, 0);
    assert.ok(there.equals(await readFile(path.join(folder, 'out'))));
  }));

test.long('servers that are something else, of another version, damaged or full', () =>
  inFolder(async (folder) => {
    const compile = (url: string) => darm(['compile', INPUT, '-o', 'out', '--server', url], { cwd: folder });
    const { version } = JSON.parse(await readFile(new URL('../../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    const result = (...kinds: string[]): string => {
      const artifacts = kinds.map((kind) => ({ kind, data: '', sha256: createHash('sha256').digest('hex') }));
      const rest = { functions: [], remarks: [], histories: [], diagnostics: [], timings: {} };
      return JSON.stringify({ target: 'gfx906', artifacts, ...rest });
    };
    const answers: [status: number, headers: object, body: string, RegExp][] = [
      [200, {}, '<html>', /it is no darm serve/],
      [200, { 'Darm-Version': '0.0.1' }, '{}', /it has the version 0\.0\.1, this is /],
      [200, { 'Darm-Version': version }, '<html>', /its answer cannot be read/],
      [200, { 'Darm-Version': version }, '{"artifacts":7}', /its answer is not what belongs to the job/],
      [200, { 'Darm-Version': version }, result(), /its answer is not what belongs to the job/],
      [200, { 'Darm-Version': version }, result('ll'), /its answer is not what belongs to the job/],
      [200, { 'Darm-Version': version }, 'null', /its answer is not what belongs to the job/],
      [500, { 'Darm-Version': version }, 'null', /it answers 500$/m],
      [302, { 'Darm-Version': version, Location: '/' }, '', /it answers 302$/m],
      [413, { 'Darm-Version': version }, '{"code":"body-too-large","detail":"too large"}', /it answers 413: too large/],
    ];
    for (const [status, headers, body, complaint] of answers) {
      await using server = await testServer((request, response) => {
        request.resume();
        request.on('end', () => response.writeHead(status, headers as Record<string, string>).end(body));
      });
      failed(await compile(server.url.replace('//', '//jane:secret@')), complaint);
      assert.match(server.authorizations[0]!, /^Basic /);
    }
    await using breaking = await testServer((request, response) => {
      request.on('data', () => response.destroy());
    });
    failed(await compile(breaking.url), /the connection broke/);
    assert.equal(await filesIn(folder), []);
  }),
);

test.long('a full server is asked again', () =>
  inFolder(async (folder) => {
    const server = await startServer('-j', '1', '--queue', '0');
    const names = ['a', 'b', 'c', 'd'];
    const results = await Promise.all(
      names.map((name) => darm(['compile', INPUT, '-o', name, '--server', server.url], { cwd: folder })),
    );
    assert.equal(results.map(({ code, stderr }) => [code, stderr]), names.map(() => [0, ''])); // prettier-ignore
    server.child.kill('SIGTERM');
    assert.is(await server.exit, 0);
  }),
);

test.long('flags that make no sense', async () => {
  for (const [flags, complaint] of [
    [['--server', 'unix:relative'], /--server needs a whole path after unix:/],
    [['--server', `unix:/${'x'.repeat(200)}`], /the path of --server is too long: \d+ bytes are the limit/],
    [['--server', 'ftp://jane:secret@host'], /--server needs an address/],
    [['--server-fallback'], /--server-fallback is for --server/],
    [['--server', 'unix:/x', '-x', 'hip'], /a server takes modules/],
    [['--server', 'unix:/x', '--report', 'r', '--spec', 's'], /a server does not simulate/],
  ] as const) {
    const { code, stderr } = await darm(['compile', INPUT, ...flags]);
    assert.is(code, 2);
    assert.match(stderr, complaint);
    assert.not.match(stderr, /secret/);
  }
  for (const [flags, complaint] of [
    [['--listen', 'tcp:1'], /It must be unix:\/PATH or fd:N/],
    [['--listen', 'unix:/x', '--port', '1'], /--listen says where to listen: leave --port out/],
    [['--host', '', '--port', '0'], /'--host <address>' argument '' is invalid\. It must not be empty/],
  ] as const) {
    const { code, stderr } = await darm(['serve', ...flags]);
    assert.match(stderr, complaint);
    assert.is(code, 2);
  }
});

test.run();

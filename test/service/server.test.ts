/** `darm serve` as a process: signals, clients that go away, are slow or send too much, ports in use. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { inFolder } from '../support/command.js';
import { assert, suite } from '../support/suite.js';
import { kernel } from '../support/llvm.js';
import { MAIN } from '../support/command.js';
import {
  figureAt as figure,
  readSlowly,
  startServer,
  startServerBehind,
  startServerWithFiles,
  unread,
} from '../support/server.js';
import { base64, largeModule, LINES, POISON, tinyKernel } from '../support/service.js';

const test = suite('service/server', { tests: 10, timeoutMs: 60_000 });

const compile = (url: string, body: Uint8Array<ArrayBuffer>, init: RequestInit = {}): Promise<Response> =>
  fetch(`${url}/v1/compile`, { method: 'POST', body, ...init });

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}

test.long('SIGTERM: accepted jobs are finished, new ones refused, exit code 0', async () => {
  const server = await startServer('-j', '1');
  const bytes = new Uint8Array(await kernel('pcm.gfx906.O3'));
  const answers = [compile(server.url, bytes), compile(server.url, bytes)];
  // Both have arrived; on a fast machine the first may be done already.
  const answered = 'darm_requests_total{route="/v1/compile",status="200"}';
  const arrived = async (): Promise<number> =>
    (await figure(server.url, 'darm_requests_in_flight')) + (await figure(server.url, answered));
  await until(async () => (await arrived()) >= 2);
  server.child.kill('SIGTERM');
  await server.logged(({ signal }) => signal === 'SIGTERM');
  assert.is((await fetch(`${server.url}/readyz`)).status, 503);
  assert.is((await compile(server.url, tinyKernel(1))).status, 503);
  const [first, second] = await Promise.all(
    answers.map(async (answer) => new Uint8Array(await (await answer).arrayBuffer())),
  );
  assert.ok(first!.length > 1000);
  assert.equal(first, second);
  assert.is(await server.exit, 0);
  assert.is(server.log.at(-1)!['msg'], 'stopped');
});

test('a signal that comes just when the service says that it listens: exit code 0', async () => {
  const signal = `(text.includes('"listening"') && process.kill(process.pid, 'SIGTERM'))`;
  const server = await startServerBehind(
    `import fs from 'node:fs';
     import { syncBuiltinESMExports } from 'node:module';
     const { writeFile } = fs;
     fs.writeFile = (file, text, done) => (${signal}, writeFile(file, text, done));
     syncBuiltinESMExports();`,
    '-j',
    '1',
  );
  assert.is(await server.exit, 0);
  assert.is(server.log.at(-1)!['msg'], 'stopped');
});

test('a client that goes away frees its worker; a second signal ends at once', async () => {
  const server = await startServer('-j', '1', '--timeout', '0');
  const stop = new AbortController();
  const endless = compile(server.url, POISON.endless.bytes, { signal: stop.signal }).catch(() => 'gone');
  await until(async () => (await figure(server.url, 'darm_jobs_running')) === 1);
  stop.abort();
  assert.is(await endless, 'gone');
  assert.is((await compile(server.url, tinyKernel(1))).status, 200);
  assert.is(await figure(server.url, 'darm_jobs_total{kind="compile",outcome="aborted"}'), 1);

  const again = compile(server.url, POISON.endless.bytes).catch(() => 'cut off');
  await until(async () => (await figure(server.url, 'darm_jobs_running')) === 1);
  server.child.kill('SIGINT');
  await server.logged(({ signal }) => signal === 'SIGINT');
  server.child.kill('SIGINT');
  assert.is(await server.exit, 'SIGINT');
  assert.is(await again, 'cut off');
});

test.long('clients that take all files that the service may open: it works when they have gone', () =>
  inFolder(async (folder) => {
    const server = await startServerWithFiles(64, '-j', '1', '--cache', folder);
    const { hostname, port } = new URL(server.url);
    const sockets = Array.from({ length: 100 }, () => connect(Number(port), hostname).on('error', () => {}));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    const [first] = sockets;
    let answer = '';
    first!.on('data', (chunk) => (answer += chunk.toString()));
    const module = Buffer.from(tinyKernel(1));
    first!.write(`POST /v1/compile HTTP/1.1\r\nHost: service\r\nContent-Length: ${module.length}\r\n\r\n`);
    first!.write(module);
    await until(async () => answer !== '');
    assert.match(answer, /^HTTP\/1.1 500 .*"code":"(internal|io)"/s);
    for (const socket of sockets) socket.destroy();
    // The service may still be closing connections.
    await until(() => compile(server.url, tinyKernel(1)).then(({ status }) => status === 200, () => false)); // prettier-ignore
    server.child.kill('SIGTERM');
    assert.is(await server.exit, 0);
  }),
);

test('bodies that are too slow or too large', async () => {
  const server = await startServer('-j', '1', '--body-timeout', '0.2', '--max-body', '1');
  const { hostname, port } = new URL(server.url);
  /** Sends a head and what `feed` sends; the result is the answer. */
  const raw = async (feed: (write: (bytes: string) => boolean) => void): Promise<string> => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString();
      // The server would go on reading for some seconds.
      if (answer.endsWith('}')) socket.destroy();
    });
    socket.write('POST /v1/compile HTTP/1.1\r\nHost: service\r\nTransfer-Encoding: chunked\r\n\r\n');
    feed((bytes) => !socket.destroyed && socket.write(bytes));
    await new Promise((resolve) => socket.once('close', resolve));
    return answer;
  };
  assert.match(await raw((write) => write('1\r\nx\r\n')), /^HTTP\/1.1 408 .*"code":"body-timeout"/s);
  const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
  let feeding: NodeJS.Timeout | undefined;
  const large = await raw((write) => (feeding = setInterval(() => write(chunk), 1)));
  clearInterval(feeding);
  assert.match(large, /^HTTP\/1.1 413 .*"code":"body-too-large"/s);
  assert.is((await compile(server.url, tinyKernel(1))).status, 200);
  server.child.kill('SIGTERM');
  assert.is(await server.exit, 0);
});

test.long('a port in use gives an error of one line', async () => {
  const server = await startServer('-j', '1');
  const { port } = new URL(server.url);
  const child = spawn(process.execPath, [MAIN, 'serve', '--no-cache', '--port', port], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let written = '';
  child.stderr.on('data', (chunk: Buffer) => (written += chunk.toString()));
  assert.equal((await once(child, 'close'))[0], 1);
  assert.match(written, /^darm: error: cannot listen on 127\.0\.0\.1, port \d+: it is in use\n$/);
  server.child.kill('SIGTERM');
  assert.is(await server.exit, 0);
});

test('a warning of Node is logged without what hangs on it', async () => {
  const warn = `process.emitWarning(Object.assign(new Error('too many listeners'), { emitter: {} }))`;
  // Not before the service listens for warnings, however long it takes to start.
  const warnWhenHeard = `process.on('newListener', (name) => name === 'warning' && setImmediate(() => ${warn}))`;
  const server = await startServerBehind(warnWhenHeard, '-j', '1');
  await server.logged(({ msg }) => msg === 'warning');
  const line = server.log.find(({ msg }) => msg === 'warning')!;
  assert.equal(Object.keys(line), ['level', 'time', 'warning', 'msg']);
  assert.match(line['warning'] as string, /^Error: too many listeners\n +at /);
  server.child.kill('SIGTERM');
  assert.is(await server.exit, 0);
});

const MIB = 2 ** 20;

test.long('SIGTERM: an answer that began is finished, or visibly broken off at the end of the grace', async () => {
  const server = await startServer('-j', '1', '--grace', '4');
  const slow = await unread(`${server.url}/v1/compile?emit=obj`, largeModule(24 * MIB));
  const size = Number(slow.headers['content-length']);
  assert.ok(size > 24 * MIB);
  const stuck = await unread(`${server.url}/v1/compile?emit=obj`, largeModule(24 * MIB));
  assert.is(await figure(server.url, 'darm_requests_in_flight'), 2);
  server.child.kill('SIGTERM');
  const signalled = performance.now();
  assert.equal(await readSlowly(slow, 2), { bytes: size, complete: true });
  assert.is(await server.exit, 0);
  assert.ok(performance.now() - signalled < 8000);
  const cut = await readSlowly(stuck, 0);
  assert.ok(cut.bytes < size && !cut.complete);
  assert.equal(
    server.log.filter(({ path }) => path === '/v1/compile').map(({ brokenOff }) => brokenOff),
    [undefined, 'shutting-down'],
  );
});

test.long('clients that do not read are cut off, and their memory is free', async () => {
  const server = await startServer('-j', '1', '--body-timeout', '2', '--queue', '3');
  const stuck = await Promise.all(
    [1, 2, 3].map(() => unread(`${server.url}/v1/compile?emit=obj`, largeModule(24 * MIB))),
  );
  assert.ok((await figure(server.url, 'darm_answer_bytes')) > 24 * MIB);
  await until(async () => (await figure(server.url, 'darm_requests_in_flight')) === 0);
  assert.is(await figure(server.url, 'darm_answer_bytes'), 0);
  assert.is(await figure(server.url, 'darm_answers_broken_off_total{reason="stalled"}'), 3);
  for (const answer of stuck) assert.is((await readSlowly(answer, 0)).complete, false);
  server.child.kill('SIGTERM');
  assert.is(await server.exit, 0);
});

test.long('an artifact beyond the limit costs only its module; a full log disk costs only lines', async () => {
  const free = createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const { port } = free.address() as AddressInfo;
  free.close();
  const full = openSync('/dev/full', 'w');
  const args = ['serve', '--no-cache', '-j', '1', '--max-artifact', '1', '--port', String(port)];
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'ignore', full] });
  closeSync(full);
  const url = `http://127.0.0.1:${port}`;
  await until(() =>
    fetch(`${url}/healthz`).then(
      () => true,
      () => false,
    ),
  );
  const module = base64(largeModule(2 * MIB));
  const lines = [
    { name: 'large', module, options: { emit: ['obj', 'hsaco'] } },
    { name: 'small', module: base64(tinyKernel(1)) },
  ];
  const body = lines.map((line) => JSON.stringify(line)).join('\n');
  const answer = await (await fetch(`${url}/v1/batch`, { method: 'POST', body, ...LINES })).text();
  assert.match(answer, /"name":"large","error":.*"code":"answer-too-large"/);
  assert.match(answer, /"name":"small".*"artifacts"/);
  assert.match(answer, /\{"done":true,"succeeded":1,"failed":1\}\n$/);
  await until(async () => (await figure(url, 'darm_log_lines_dropped')) > 1);
  child.kill('SIGTERM');
  assert.equal(await once(child, 'exit'), [0, null]);
});

test.run();

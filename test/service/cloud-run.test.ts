/**
 * The contract of Google Cloud Run's containers: listen on 0.0.0.0 and $PORT, take as many requests at the same time as
 * the service's setting says, and end within ten seconds of SIGTERM.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { MAIN } from '../support/command.js';
import { freePort } from '../support/redis.js';
import { tinyKernel } from '../support/service.js';
import { assert, suite } from '../support/suite.js';

const test = suite('service/cloud-run', { tests: 2, timeoutMs: 60_000 });

const CONCURRENCY = 32;
const GRACE_SECONDS = 8;

test.long('$PORT, many requests at the same time, SIGTERM in the middle', async () => {
  const port = await freePort();
  const words = ['serve', '--host', '0.0.0.0', '-j', '1', '--no-cache', '--grace', String(GRACE_SECONDS)];
  const child = spawn(process.execPath, [MAIN, ...words], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, PORT: String(port) },
  });
  const exit = once(child, 'exit');
  const lines = createInterface({ input: child.stderr });
  const [first] = (await once(lines, 'line')) as [string];
  assert.is((JSON.parse(first) as { url: string }).url, `http://0.0.0.0:${port}`);
  const url = `http://127.0.0.1:${port}/v1/compile`;
  const send = async (n: number): Promise<number> => {
    const answer = await fetch(url, { method: 'POST', body: tinyKernel(n) });
    await answer.arrayBuffer();
    return answer.status;
  };
  const round = await Promise.all(Array.from({ length: CONCURRENCY }, (_, n) => send(n)));
  assert.equal(new Set(round), new Set([200]));
  // Whom nobody listens to any more is refused, too.
  const last = Promise.all(Array.from({ length: CONCURRENCY }, (_, n) => send(CONCURRENCY + n).catch(() => 503)));
  // Until half of them are in flight, or done.
  for (let inFlight = 0; inFlight < CONCURRENCY / 2;) {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const done = Number(/darm_requests_total\{route="\/v1\/compile",status="200"\} (\d+)/.exec(text)?.[1] ?? 0);
    inFlight = Number(/^darm_requests_in_flight (\d+)/m.exec(text)?.[1] ?? 0) + Math.max(0, done - CONCURRENCY);
  }
  child.kill('SIGTERM');
  // What was accepted is answered; what came after the signal is refused.
  const statuses = await last;
  assert.ok(
    statuses.every((status) => status === 200 || status === 503),
    String(statuses),
  );
  assert.ok(statuses.filter((status) => status === 200).length >= CONCURRENCY / 2);
  assert.equal(await exit, [0, null]);
});

test('a $PORT that is none is refused, and an empty one says nothing', async () => {
  for (const [PORT, message] of [
    ['http', /'http' from env 'PORT' is invalid/],
    ['', /"url":"http:\/\/127\.0\.0\.1:8080"|port 8080: it is in use/],
  ] as const) {
    const child = spawn(process.execPath, [MAIN, 'serve', '--no-cache'], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, PORT },
    });
    const [line] = (await once(createInterface({ input: child.stderr }), 'line')) as [string];
    child.kill();
    assert.match(line, message);
  }
});

test.run();

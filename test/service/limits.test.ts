/** What the service refuses before it reaches a compiler, and what it does when there is too much work. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { DarmError } from '../../src/index.js';
import type { Service } from '../../src/service/index.js';
import { assert, suite } from '../support/suite.js';
import {
  compiled,
  fakeService,
  figure,
  get,
  HeldJobs,
  LINES,
  post,
  problem,
  settle,
  text,
} from '../support/service.js';

const test = suite('service/limits', { tests: 17 });

const status = async (response: Promise<Response>): Promise<string> => {
  const answer = await response;
  if (!answer.ok) return `${answer.status} ${(await problem(answer)).code}`;
  await answer.arrayBuffer();
  return String(answer.status);
};
const stream = (pull: UnderlyingSourcePullCallback<Uint8Array>): RequestInit =>
  // The DOM's types do not have `duplex` yet.
  ({ body: new ReadableStream({ pull }, { highWaterMark: 0 }), duplex: 'half' }) as RequestInit;
const idle = (): Service => fakeService(async () => compiled(), { maxBody: 1000 });

test('a body whose declared size is too large is not read', async () => {
  let pulled = 0;
  const init = { ...stream(() => void pulled++), headers: { 'Content-Length': '1001' } };
  const response = await post(idle(), '/v1/compile', undefined, init);
  assert.is(response.status, 413);
  assert.is(response.headers.get('connection'), 'close');
  assert.is((await problem(response)).code, 'body-too-large');
  assert.is(pulled, 0);
  assert.is(await status(post(idle(), '/v1/compile', text('x'.repeat(1001)))), '413 body-too-large');
  assert.is(await status(post(idle(), '/v1/compile', text('x'.repeat(1000)))), '200');
});

test('a body without a declared size is read only up to the limit', async () => {
  let pulled = 0;
  const endless = stream((controller) => {
    pulled++;
    controller.enqueue(new Uint8Array(100));
  });
  assert.is(await status(post(idle(), '/v1/compile', undefined, endless)), '413 body-too-large');
  await settle();
  assert.is(pulled, 11);
});

test('a body that comes too slowly ends the request and frees its ticket', async () => {
  const service = fakeService(async () => compiled(), { bodyTimeout: 20, queue: 0 });
  const slow = stream((controller) => {
    controller.enqueue(new Uint8Array(1));
    return new Promise(() => {});
  });
  assert.is(await status(post(service, '/v1/compile', undefined, slow)), '408 body-timeout');
  assert.is(await figure(service, 'darm_requests_in_flight'), 0);
  assert.is(await status(post(service, '/v1/compile', text('x'))), '200');
});

test('types of bodies', async () => {
  const service = idle();
  const typed = (path: string, type: string, more: object = {}): Promise<string> =>
    status(post(service, path, text('{}'), { headers: { 'Content-Type': type, ...more } }));
  assert.is(await typed('/v1/compile', 'text/plain; charset=utf-8'), '200');
  assert.is(await typed('/v1/compile', 'application/json'), '415 unsupported-media-type');
  assert.is(await typed('/v1/batch', 'application/octet-stream'), '415 unsupported-media-type');
  assert.is(await typed('/v1/compile', 'text/plain', { 'Content-Encoding': 'gzip' }), '415 unsupported-media-type');
  assert.is(await typed('/v1/compile', 'multipart/form-data; boundary=x'), '400 malformed-request');
  assert.is(await typed('/v1/compile', 'multipart/form-data'), '400 malformed-request');
  const form = new FormData();
  form.append('module', 'no file');
  assert.is(await status(post(service, '/v1/compile', form)), '400 malformed-request');
});

test('unknown paths and methods', async () => {
  const service = idle();
  assert.is(await status(get(service, '/')), '404 not-found');
  assert.is(await status(get(service, '/v1/compile/../../etc/passwd')), '404 not-found');
  const wrong = await get(service, '/v1/compile');
  assert.is(wrong.status, 405);
  assert.is(wrong.headers.get('allow'), 'POST');
  assert.is(await status(post(service, '/healthz')), '405 method-not-allowed');
  assert.is((await service.fetch(new Request('http://service/healthz', { method: 'HEAD' }))).status, 200);
});

test('beyond the queue: 429 at once without reading; accepted requests are answered', async () => {
  const jobs = new HeldJobs();
  const service = fakeService(jobs.compile, { concurrency: 2, queue: 3 });
  const taken = Array.from({ length: 5 }, (_, i) => post(service, '/v1/compile', text(`module ${i}`)));
  await settle();
  assert.is(jobs.started, 2);
  assert.is(await figure(service, 'darm_jobs_waiting'), 3);
  let pulled = 0;
  const refused = await post(
    service,
    '/v1/compile',
    undefined,
    stream(() => void pulled++),
  );
  assert.is(refused.status, 429);
  assert.is(refused.headers.get('retry-after'), '1');
  assert.is(refused.headers.get('connection'), 'close');
  assert.is(pulled, 0);
  assert.is(await status(post(service, '/v1/batch', text('{}'), LINES)), '429 overloaded');
  for (const [i, answer] of taken.entries()) {
    jobs.finishAll();
    assert.is(await (await answer).text(), `module ${i}`);
  }
  assert.is(await figure(service, 'darm_requests_total{route="/v1/compile",status="429"}'), 1);
});

test('a request that waits too long for a worker gets 503', async () => {
  const jobs = new HeldJobs();
  const service = fakeService(jobs.compile, { queueTimeout: 10 });
  const running = post(service, '/v1/compile', text('x'));
  await settle();
  const late = await post(service, '/v1/compile', text('y'));
  assert.is(late.headers.get('retry-after'), '5');
  assert.is((await problem(late)).code, 'queue-timeout');
  jobs.finishAll();
  assert.is((await running).status, 200);
  assert.is(jobs.started, 1);
});

test('a client that goes away ends its job, running or waiting', async () => {
  const jobs = new HeldJobs();
  const service = fakeService(jobs.compile);
  const stop = new AbortController();
  const running = post(service, '/v1/compile', text('x'), { signal: stop.signal });
  const waiting = post(service, '/v1/compile', text('y'), { signal: stop.signal });
  await settle();
  stop.abort();
  assert.is(await status(running), '499 aborted');
  assert.is(await status(waiting), '499 aborted');
  assert.is(jobs.started, 1);
  assert.is(jobs.aborted, 1);
  assert.is(await figure(service, 'darm_requests_in_flight'), 0);
});

test('a time limit is for the whole job', async () => {
  const jobs = new HeldJobs();
  const service = fakeService(jobs.compile, { timeout: 10 });
  assert.is(await status(post(service, '/v1/compile', text('x'))), '504 timeout');
  const hurried = service.fetch(new Request('http://service/v1/compile?timeout=5000', { method: 'POST', body: 'x' }));
  assert.match((await problem(await hurried)).detail, /limit of 0.01 s/);
});

test('the details of an internal error go to the log and not to the client', async () => {
  const lines: string[] = [];
  const note = (fields: object, message: string): void => {
    const { err } = fields as { err?: Error };
    lines.push(`${message} ${JSON.stringify(fields)} ${err?.message}`);
  };
  for (const error of [new Error('/home/secret'), new DarmError('io', 'ENOENT /home/secret')]) {
    lines.length = 0;
    const service = fakeService(() => Promise.reject(error), { log: { info: note, error: note } });
    const init = { headers: { 'X-Request-Id': 'my-request' } };
    const response = await post(service, '/v1/compile', text('x'), init);
    assert.is(response.status, 500);
    const body = await response.text();
    assert.not.match(body, /secret|\.js|at /);
    assert.match(body, /my-request/);
    assert.match(lines[0]!, /internal error .*my-request.*/);
    assert.match(lines.join(), /secret/);
    assert.match(lines[1]!, /request .*"status":500.*"code":"(internal|io)"/);
  }
});

test('slow bodies keep nobody out', async () => {
  const service = fakeService(async () => compiled(), { queue: 1 });
  const stop = new AbortController();
  const slow = Array.from({ length: 10 }, () => {
    const body = stream((controller) => {
      controller.enqueue(new Uint8Array(10));
      return once(stop.signal, 'abort').then(() => controller.close());
    });
    return status(post(service, '/v1/compile', undefined, body));
  });
  await settle();
  assert.is(await figure(service, 'darm_body_bytes'), 100);
  assert.is(await status(post(service, '/v1/compile', text('x'))), '200');
  stop.abort();
  assert.equal((await Promise.all(slow)).filter((answer) => answer === '200').length, 2);
  await settle();
  assert.is(await figure(service, 'darm_body_bytes'), 0);
});

test('bodies that do not fit into the memory for them are refused', async () => {
  const jobs = new HeldJobs();
  const service = fakeService(jobs.compile, { maxBody: 100, maxBuffered: 150 });
  const running = status(post(service, '/v1/compile', new Uint8Array(100)));
  await settle();
  assert.is(await status(post(service, '/v1/compile', new Uint8Array(60))), '429 overloaded');
  const waiting = status(post(service, '/v1/compile', new Uint8Array(50)));
  await settle();
  jobs.finishAll();
  assert.is(await running, '200');
  await settle();
  jobs.finishAll();
  assert.is(await waiting, '200');
});

const BOUNDARY = 'x'.repeat(30);
const FORM = { headers: { 'Content-Type': `multipart/form-data; boundary="${BOUNDARY}"` } };
const part = (head: string, body = 'x'): string =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${body}\r\n`;
const form = (...parts: readonly string[]): Uint8Array<ArrayBuffer> => text(`${parts.join('')}--${BOUNDARY}--\r\n`);

test('forms of many parts or long heads are refused before they are parsed', async () => {
  const service = fakeService(async () => compiled(), { maxBatch: 100, maxBody: 64 * 2 ** 20 });
  const file = part('name="m"; filename="f"');
  const batch = (body: Uint8Array<ArrayBuffer>): Promise<string> => status(post(service, '/v1/batch', body, FORM));
  assert.is(await batch(form(...Array<string>(100).fill(file), part('name="options"', '{}'))), '200');
  const started = process.cpuUsage();
  for (const hostile of [
    form(file.repeat(100_000)),
    form(part(`name="m"; filename="${'%0A'.repeat(5_000_000)}"`)),
    form(part(`name="m"; filename="f"${'\r\nA: b'.repeat(2_000_000)}`)),
    form(...Array<string>(100).fill(part(`name="m"; filename="${'f'.repeat(1000)}"`))),
  ])
    assert.is(await batch(hostile), '413 body-too-large');
  // Processor time: the machine may be busy with other things.
  const milliseconds = process.cpuUsage(started).user / 1000;
  assert.ok(milliseconds < 1500, `${milliseconds} ms`);
  assert.is(await status(post(service, '/v1/compile', form(file, file, file), FORM)), '413 body-too-large');
});

test('what a message quotes is cut, and unknown options are refused once for all modules', async () => {
  const service = fakeService((module) => Promise.reject(new DarmError('bad-input', new TextDecoder().decode(module))));
  const long = 'n'.repeat(100_000);
  const files = Array<string>(100).fill(part('name="m"; filename="f"'));
  const options = part('name="options"', `{"${long}":1}`);
  const refused = await post(service, '/v1/batch', form(...files, options), FORM);
  assert.is(refused.status, 400);
  assert.ok((await refused.text()).length < 2000);
  assert.ok((await (await post(service, '/v1/compile', text(long))).text()).length < 2000);
  const lines = Array<string>(10)
    .fill(JSON.stringify({ module: '', [long]: 1 }))
    .join('\n');
  assert.ok((await (await post(service, '/v1/batch', lines, LINES)).text()).length < 20_000);
});

test('a request may ask for more time than a timer has', async () => {
  const service = fakeService(async (_, signal) => sleep(20, compiled(), { signal }), { timeout: 0 });
  for (const timeout of ['2147483648', '4294967296', '1e300'])
    assert.is(await status(post(service, `/v1/compile?timeout=${timeout}`, text('x'))), '200');
});

test('artifacts that are too large are refused, in a batch the module alone', async () => {
  const service = fakeService(async (bytes) => compiled(bytes), { maxArtifact: 10 });
  assert.is(await status(post(service, '/v1/compile', text('x'.repeat(11)))), '422 answer-too-large');
  assert.is(await status(post(service, '/v1/compile', text('x'.repeat(10)))), '200');
});

test('many jobs on one signal give no warning of Node', async () => {
  const warnings: string[] = [];
  const note = ({ name }: Error): void => void warnings.push(name);
  process.on('warning', note);
  const jobs = new HeldJobs();
  const service = fakeService(jobs.compile, { concurrency: 16, timeout: 0 });
  const lines = Array<string>(100)
    .fill(JSON.stringify({ module: '' }))
    .join('\n');
  const answers = [1, 2].map(async () => (await post(service, '/v1/batch', lines, LINES)).text());
  for (let i = 0; i < 13; i++) {
    await settle();
    jobs.finishAll();
  }
  for (const answer of await Promise.all(answers)) assert.match(answer, /"succeeded":100/);
  process.off('warning', note);
  assert.equal(warnings, []);
});

test.run();

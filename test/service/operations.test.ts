/** Health, readiness, metrics, request ids, and the OpenAPI document. */
import { DarmError, DEFAULT_OPTIONS, createCompiler } from '../../src/index.js';
import { createService, listen, type ListenOptions } from '../../src/service/index.js';
import { optionsSchema } from '../../src/service/schemas.js';
import { assert, suite } from '../support/suite.js';
import {
  compiled,
  fakeCompiler,
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

const test = suite('service/operations', { tests: 11 });

test('ready until it is closed; closing waits for accepted requests', async () => {
  const jobs = new HeldJobs();
  const service = fakeService(jobs.compile);
  assert.equal(await (await get(service, '/healthz')).json(), { status: 'ok' });
  assert.equal(await (await get(service, '/readyz')).json(), { status: 'ready' });
  const answers = [post(service, '/v1/compile', text('x')), post(service, '/v1/compile', text('y'))];
  await settle();
  let closed = false;
  const closing = service.close().then(() => (closed = true));
  const ready = await get(service, '/readyz');
  assert.is(ready.status, 503);
  assert.is((await problem(ready)).code, 'shutting-down');
  assert.is((await get(service, '/healthz')).status, 200);
  const refused = await post(service, '/v1/compile', text('z'));
  assert.is(refused.status, 503);
  assert.is(refused.headers.get('connection'), 'close');
  assert.is(closed, false);
  for (const answer of answers) {
    jobs.finishAll();
    assert.is((await answer).status, 200);
    assert.is(closed, false);
    await (await answer).text();
  }
  await closing;
});

test('closing with an end: what runs, waits or arrives is refused, and the log says why', async () => {
  const jobs = new HeldJobs();
  const log: Record<string, unknown>[] = [];
  const note = (fields: object): void => void log.push(fields as Record<string, unknown>);
  const service = fakeService(jobs.compile, { log: { info: note, error: note } });
  const limits = { bodyTimeout: 30_000, queueTimeout: 0, timeout: 0, grace: 50 };
  const server = await listen(service, { ...limits, host: '127.0.0.1', port: 0 });
  const ask = (path: string, init: RequestInit): Promise<Response> =>
    fetch(`${server.url}${path}`, { method: 'POST', ...init });
  const slow = {
    body: new ReadableStream({ start: (body) => body.enqueue(text('x')) }),
    duplex: 'half',
  } as RequestInit;
  const lines = Array<string>(3)
    .fill(JSON.stringify({ module: '' }))
    .join('\n');
  const asked = [
    ask('/v1/compile', { body: 'running' }),
    ask('/v1/compile', { body: 'waiting' }),
    ask('/v1/compile', slow),
  ];
  const batch = ask('/v1/batch', { body: lines, ...LINES });
  while ((await figure(service, 'darm_requests_in_flight')) < 4) await settle();
  await server.close();
  for (const answer of await Promise.all(asked)) {
    assert.is(answer.status, 503);
    assert.is((await problem(answer)).code, 'shutting-down');
  }
  const answers = (await (await batch).text()).match(/"code":"[^"]+"|"done".*/g);
  assert.equal(answers, [...Array<string>(3).fill('"code":"shutting-down"'), '"done":true,"succeeded":0,"failed":3}']);
  assert.equal(
    log.filter(({ path }) => path === '/v1/compile').map(({ status, code }) => [status, code]),
    Array<unknown[]>(3).fill([503, 'shutting-down']),
  );
});

test('metrics', async () => {
  const jobs = new HeldJobs();
  const service = fakeService(jobs.compile, { concurrency: 3 });
  const answers = Array.from({ length: 4 }, () => post(service, '/v1/compile', text('x')));
  await settle();
  assert.is(await figure(service, 'darm_workers'), 3);
  assert.is(await figure(service, 'darm_jobs_running'), 3);
  assert.is(await figure(service, 'darm_jobs_waiting'), 1);
  assert.is(await figure(service, 'darm_requests_in_flight'), 4);
  jobs.finishAll();
  await settle();
  jobs.finishAll();
  for (const answer of answers) await (await answer).text();
  await get(service, '/no/such/path');
  await get(service, `/${'long'.repeat(100)}`);
  assert.is(await figure(service, 'darm_jobs_total{kind="compile",outcome="ok"}'), 4);
  assert.is(await figure(service, 'darm_job_wait_seconds_count'), 4);
  assert.is(await figure(service, 'darm_requests_total{route="/v1/compile",status="200"}'), 4);
  assert.is(await figure(service, 'darm_requests_total{route="other",status="404"}'), 2);
  assert.ok((await figure(service, 'darm_resident_memory_bytes')) > 0);
});

test("a request's id comes back, in the header and in problems; an invalid one is replaced", async () => {
  const service = fakeService(async () => compiled());
  const ask = (id: string): Promise<Response> =>
    service.fetch(new Request('http://service/nowhere', { headers: { 'X-Request-Id': id } }));
  const response = await ask('abc-123');
  assert.is(response.headers.get('x-request-id'), 'abc-123');
  assert.is(((await response.json()) as { requestId: string }).requestId, 'abc-123');
  for (const id of ['x'.repeat(200), 'a b', '"}{', '']) {
    const made = (await ask(id)).headers.get('x-request-id')!;
    assert.match(made, /^[0-9a-f-]{36}$/);
  }
});

test('the log has a line per request', async () => {
  const lines: { fields: Record<string, unknown>; message: string }[] = [];
  const note = (fields: object, message: string): void =>
    void lines.push({ fields: fields as Record<string, unknown>, message });
  const service = fakeService(async () => compiled(), { log: { info: note, error: note } });
  const answer = await post(service, '/v1/compile?emit=hsaco', text('x'), { headers: { 'X-Request-Id': 'one' } });
  await answer.text();
  await post(service, '/v1/compile?emit=nonsense', text('x'), { headers: { 'X-Request-Id': 'two' } });
  for (const { fields } of lines) assert.type(fields['ms'], 'number');
  assert.equal(
    lines.map(({ fields: { ms: _, ...fields }, message }) => ({ ...fields, message })),
    [
      { requestId: 'one', method: 'POST', path: '/v1/compile', status: 200, message: 'request' },
      { requestId: 'two', method: 'POST', path: '/v1/compile', status: 400, code: 'usage', message: 'request' },
    ],
  );
});

test('not ready while the compiler cannot be loaded', async () => {
  const errors: string[] = [];
  let broken = true;
  const ready = async (): Promise<void> => {
    if (broken) throw new DarmError('io', 'EMFILE /home/secret');
  };
  const log = { info: () => {}, error: (fields: object) => void errors.push(String((fields as { err: Error }).err)) };
  const service = createService(
    fakeCompiler(async () => compiled(), ready),
    { concurrency: 1, log },
  );
  const response = await get(service, '/readyz');
  assert.is(response.status, 503);
  assert.is(response.headers.get('retry-after'), '5');
  const { code, detail } = await problem(response);
  assert.is(code, 'not-ready');
  assert.not.match(detail, /secret/);
  assert.match(errors.join(), /secret/);
  broken = false;
  assert.is((await get(service, '/readyz')).status, 200);
});

test('that results cannot be kept is in the log, once', async () => {
  const errors: object[] = [];
  const log = { info: () => {}, error: (fields: object) => void errors.push(fields) };
  const counts = { hits: 0, misses: 1, errors: 0, complaint: null as string | null };
  const compiler = Object.assign(
    fakeCompiler(async () => compiled()),
    { cacheCounts: counts },
  );
  const service = createService(compiler, { concurrency: 1, log });
  const ask = async (): Promise<void> => {
    await (await post(service, '/v1/compile', text('x'))).text();
    await settle();
  };
  await ask();
  assert.equal(errors, []);
  counts.complaint = 'cannot write /cache: no space left';
  await ask();
  await ask();
  assert.equal(errors, [{ err: counts.complaint }]);
});

test('a log that fails costs lines, not requests', async () => {
  const fail = (): never => {
    throw new Error('ENOSPC');
  };
  const service = fakeService(async () => compiled(), { log: { info: fail, error: fail, dropped: () => 10 } });
  assert.is(await (await post(service, '/v1/compile', text('x'))).text(), 'artifact');
  await settle();
  assert.is(await figure(service, 'darm_log_lines_dropped'), 11);
});

test('the document describes every option and route', async () => {
  const service = fakeService(async () => compiled());
  const answer = await get(service, '/openapi.json');
  const document = (await answer.json()) as {
    paths: Record<string, Record<string, { parameters?: { name: string }[]; responses: object }>>;
    components: { schemas: Record<string, { properties?: object }> };
  };
  const source = ['language', 'name', 'flags', 'nameExpressions'];
  const names = [...Object.keys(DEFAULT_OPTIONS), ...source, 'timeout'];
  const all = [...Object.keys(DEFAULT_OPTIONS), ...source, 'headers', 'defines', 'timeout'];
  assert.equal(Object.keys(document.components.schemas['Options']!.properties!), all);
  const compile = document.paths['/v1/compile']!['post']!;
  assert.equal(
    compile.parameters!.map(({ name }) => name),
    names,
  );
  assert.ok('429' in compile.responses);
  // Two schemas that allow nothing else cannot both hold.
  assert.not.match(JSON.stringify(document), /"allOf"/);
  for (const [path, methods] of Object.entries(document.paths))
    for (const method of Object.keys(methods)) {
      const { status } = await service.fetch(new Request(`http://service${path}`, { method: method.toUpperCase() }));
      assert.not.equal(status, 404, path);
      assert.not.equal(status, 405, path);
    }
});

test("the document's options accept what the library accepts", () => {
  optionsSchema.parse(DEFAULT_OPTIONS);
  for (const wrong of [{ emit: [] }, { emit: ['exe'] }, { threshold: 0.6 }, { codegenLevel: 4 }, { nonsense: 1 }])
    assert.is(optionsSchema.safeParse(wrong).success, false);
});

test("the service's own options are refused by name", async () => {
  await using compiler = createCompiler({ threads: 1 });
  const make = (options: object) => () => createService(compiler, { concurrency: 1, ...options });
  assert.throws(make({ quue: 1 }), /unknown option "quue" in createService\(\)/);
  assert.throws(make({ queue: -1 }), /option "queue"/);
  assert.throws(make({ concurrency: 0 }), /option "concurrency"/);
  assert.throws(make({ concurrency: undefined }), /createService\(\) needs the option "concurrency"/);
  const service = make({ timeout: undefined, queueTimeout: undefined })();
  const body = 'target triple = "amdgcn-amd-amdhsa"\ndefine void @f() "target-cpu"="gfx906" { ret void }';
  const { status } = await service.fetch(new Request('http://darm/v1/analyze', { method: 'POST', body }));
  assert.is(status, 200);
  const started = async (options: object) => listen(service, options as ListenOptions).catch((error: Error) => error.message); // prettier-ignore
  const limits = { bodyTimeout: 0, queueTimeout: 0, timeout: 0 };
  assert.is(await started({ ...limits, host: '127.0.0.1', port: 0 }), 'listen() needs the option "grace"');
  assert.is(await started({ ...limits, grace: 1, port: 0 }), 'listen() needs the option "host"');
  const hostless = 'option "host" in listen() must be a string that is not empty';
  assert.is(await started({ ...limits, grace: 1, port: 0, host: '' }), hostless);
});

test.run();

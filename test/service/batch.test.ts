/** POST /v1/batch: a line per module, whatever happens to the others, and a last line. */
import { batchLineSchema } from '../../src/service/schemas.js';
import type { Service } from '../../src/service/index.js';
import { assert, suite } from '../support/suite.js';
import {
  base64,
  compiled,
  fakeService,
  figure,
  HeldJobs,
  LINES,
  post,
  problem,
  settle,
  text,
  tinyKernel,
  withService,
} from '../support/service.js';

const test = suite('service/batch', { tests: 7 });

type Line = ReturnType<typeof batchLineSchema.parse>;

const batch = (service: Service, lines: readonly unknown[], path = '/v1/batch'): Promise<Response> => {
  const written = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  return post(service, path, written.join('\n'), LINES);
};
const lines = async (response: Response): Promise<Line[]> => {
  assert.is(response.status, 200);
  assert.is(response.headers.get('content-type'), 'application/x-ndjson');
  const written = (await response.text()).trimEnd().split('\n');
  return written.map((line) => batchLineSchema.parse(JSON.parse(line)));
};
/** Results by index, as `NAME ok` or `NAME CODE`, and the last line. */
const outcomes = (answer: readonly Line[]): { results: string[]; last: Line } => {
  const results: string[] = [];
  for (const line of answer.slice(0, -1)) {
    if ('done' in line) throw new Error('a last line in the middle');
    results[line.index] = `${line.name} ${'error' in line ? line.error.code : 'ok'}`;
  }
  return { results, last: answer.at(-1)! };
};
const module = (name: string): object => ({ name, module: base64(text(name)) });

test("each module's artifacts, with options for the batch and for single modules", async () => {
  await withService({ threads: 2 }, {}, async (service, compiler) => {
    const expected = await Promise.all([1, 2].map((i) => compiler.compile(tinyKernel(i), { emit: ['asm'] })));
    const items = [
      { name: 'one', module: base64(tinyKernel(1)) },
      { module: base64(tinyKernel(2)), options: { emit: ['asm'] } },
    ];
    const answer = await lines(await batch(service, items, '/v1/batch?emit=asm'));
    assert.equal(outcomes(answer), {
      results: ['one ok', 'null ok'],
      last: { done: true, succeeded: 2, failed: 0 },
    });
    for (const line of answer) {
      if (!('artifacts' in line)) continue;
      assert.is(line.artifacts[0]!.data, base64(expected[line.index]!.artifacts[0]!.bytes));
    }
  });
});

test('a form with several files', async () => {
  const service = fakeService(async (bytes) => compiled(bytes));
  const form = new FormData();
  for (const name of ['a.bc', 'b.bc']) form.append('modules', new Blob([text(name)]), name);
  form.append('options', '{"once": true}');
  const answer = await lines(await post(service, '/v1/batch', form));
  assert.equal(outcomes(answer).results, ['a.bc ok', 'b.bc ok']);
});

test('a malformed line fails alone', async () => {
  const service = fakeService(async () => compiled());
  const wrong = ['{', '[]', '{}', { module: '!' }, { ...module('n'), nmae: 1 }, { ...module('x'), options: [] }];
  const odd = { ...module('odd'), options: { emit: ['exe'] } };
  const { results, last } = outcomes(await lines(await batch(service, [...wrong, '', odd, module('good')])));
  const malformed = 'null malformed-request';
  const sent = [malformed, malformed, malformed, malformed, 'n malformed-request', 'x usage', 'odd usage', 'good ok'];
  assert.equal(results, sent);
  assert.equal(last, { done: true, succeeded: 1, failed: 7 });
});

test('empty and too large batches', async () => {
  const service = fakeService(async () => compiled(), { maxBatch: 2 });
  const refused = async (items: readonly unknown[]): Promise<string> =>
    (await problem(await batch(service, items))).code;
  assert.is(await refused(['', ' ']), 'malformed-request');
  assert.is(await refused([module('a'), module('b'), module('c')]), 'body-too-large');
  assert.is(await figure(service, 'darm_requests_in_flight'), 0);
});

test('results come as they finish, and other requests come in between', async () => {
  const order: string[] = [];
  const service = fakeService(async (bytes) => {
    order.push(new TextDecoder().decode(bytes));
    await settle();
    return compiled(bytes);
  });
  const answer = await batch(service, ['a', 'b', 'c', 'd'].map(module));
  const reader = answer.body!.getReader();
  const other = post(service, '/v1/compile', text('other'));
  await reader.read();
  assert.ok(order.length < 4, 'everything was done before the first line was read');
  while (!(await reader.read()).done);
  await other;
  assert.ok(order.indexOf('other') < order.indexOf('d'), order.join());
});

test('a client that stops reading stops the batch', async () => {
  const jobs = new HeldJobs();
  const service = fakeService(jobs.compile);
  const answer = await batch(service, ['a', 'b', 'c'].map(module));
  const reader = answer.body!.getReader();
  const line = reader.read();
  await settle();
  await reader.cancel();
  assert.is((await line).done, true);
  await settle();
  assert.is(jobs.aborted, 1);
  assert.is(await figure(service, 'darm_requests_in_flight'), 0);

  const stalled = fakeService(async () => compiled(), { bodyTimeout: 10 });
  const unread = await batch(stalled, ['a', 'b', 'c'].map(module));
  await settle();
  await settle();
  assert.is(await figure(stalled, 'darm_requests_in_flight'), 0);
  await unread.text().then(
    () => assert.unreachable('a batch that was cut off looks complete'),
    () => {},
  );
});

test('shutting down finishes running jobs and reports those that were not done', async () => {
  const jobs = new HeldJobs();
  const service = fakeService(jobs.compile);
  const answer = await batch(service, ['a', 'b', 'c'].map(module));
  const read = lines(answer);
  await settle();
  const closing = service.close();
  jobs.finishAll();
  const { results, last } = outcomes(await read);
  assert.equal(results, ['a ok', 'b shutting-down', 'c shutting-down']);
  assert.equal(last, { done: true, succeeded: 1, failed: 2 });
  await closing;
});

test.run();

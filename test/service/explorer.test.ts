/** The explorer of a service: off by default, and strict about what it is asked. */
import { decode, encode } from '@msgpack/msgpack';
import { createCompiler } from '../../src/index.js';
import { checkQuestion } from '../../src/explorer/check-question.js';
import type { ExploreOutcome } from '../../src/explorer/protocol.js';
import { createService } from '../../src/service/index.js';
import { figure, tinyKernel } from '../support/service.js';
import { assert, suite } from '../support/suite.js';

const test = suite('service/explorer', { tests: 3, timeoutMs: 60_000 });

const JOB = { source: new TextDecoder().decode(tinyKernel(1)), language: 'ir', options: {}, flags: [] };
const QUESTION = { kind: 'artifact', job: JOB, side: 'after' };
const TYPE = 'application/vnd.msgpack';

const ask = (body: Uint8Array, type = TYPE): Request =>
  new Request('http://service/explore/ask', {
    method: 'POST',
    body: new Uint8Array(body),
    headers: { 'content-type': type },
  });

test('off by default', async () => {
  const compiler = createCompiler({ threads: 1, tierPolicy: 'short' });
  const service = createService(compiler, { concurrency: 1 });
  assert.is((await service.fetch(new Request('http://service/explore/'))).status, 404);
  assert.is((await service.fetch(ask(encode(QUESTION)))).status, 404);
  await compiler.close();
});

test.long('the page, and answers to its questions', async () => {
  const compiler = createCompiler({ threads: 1, tierPolicy: 'short' });
  const service = createService(compiler, { concurrency: 1, explore: true });
  const get = (path: string): Promise<Response> => service.fetch(new Request(`http://service${path}`));
  const page = await get('/explore/');
  assert.match(await page.text(), /<html lang="en" data-backend="server">/);
  assert.match(page.headers.get('content-security-policy')!, /default-src 'none'.*frame-ancestors 'none'/);
  assert.is((await get('/explore/main.js')).headers.get('content-type'), 'text/javascript');
  for (const name of ['..%2f..%2fpackage.json', 'worker.js', 'nothing'])
    assert.is((await get(`/explore/${name}`)).status, 404, name);

  const answer = await service.fetch(ask(encode(QUESTION)));
  assert.is(answer.headers.get('content-type'), TYPE);
  const outcome = decode(new Uint8Array(await answer.arrayBuffer())) as ExploreOutcome<'artifact'>;
  assert.ok(outcome.ok);
  const { artifacts } = await compiler.compile(tinyKernel(1));
  assert.ok(Buffer.from(artifacts[0]!.bytes).equals(outcome.ok ? outcome.value : Buffer.alloc(0)));

  const bad = await service.fetch(ask(encode({ ...QUESTION, job: { ...JOB, source: 'define' } })));
  const refused = decode(new Uint8Array(await bad.arrayBuffer())) as ExploreOutcome;
  assert.is(refused.ok ? null : refused.error.code, 'bad-input');
  assert.is(await figure(service, 'darm_jobs_total{kind="explore",outcome="ok"}'), 2);
  // Forms of other sites can send this, but not the type that is asked for.
  assert.is((await service.fetch(ask(encode(QUESTION), 'text/plain'))).status, 415);
  assert.is((await service.fetch(ask(new Uint8Array([0xc1])))).status, 422);
  assert.is((await service.fetch(ask(encode({ kind: 'compile' })))).status, 400);
  await service.close();
  await compiler.close();
});

test('what is no question', () => {
  assert.equal(checkQuestion(QUESTION), QUESTION);
  const launch = { kind: 'launch', job: JOB, spec: '{}', simulation: {} };
  assert.equal(checkQuestion(launch), launch);
  for (const wrong of [
    null,
    [],
    { ...QUESTION, kind: 'shell' },
    { ...QUESTION, side: 'left' },
    { ...launch, spec: {} },
    { ...launch, simulation: [] },
    ...['source', 'language', 'options', 'flags'].map((field) => ({ ...QUESTION, job: { ...JOB, [field]: 7 } })),
  ])
    assert.throws(() => checkQuestion(wrong), /in the explorer's question/);
});

test.run();

/** How answers are sent: in pieces, as fast as the client reads, to their end or visibly broken off. */
import { createHash } from 'node:crypto';
import type { CompileResult } from '../../src/job/results.js';
import { answerStream, type Ending } from '../../src/service/answer-stream.js';
import { compileSchema } from '../../src/service/schemas.js';
import { assert, suite } from '../support/suite.js';
import { compiled, fakeService, figure, LINES, post, settle, text } from '../support/service.js';

const test = suite('service/answers', { tests: 6, timeoutMs: 120_000 });

const JSON_ANSWER = { headers: { Accept: 'application/json' } };
/** With several artifacts. */
const withArtifacts = (...all: readonly Uint8Array[]): CompileResult => ({
  ...compiled(),
  artifacts: all.map((bytes) => ({ kind: 'hsaco', bytes })),
});
/** Bytes of a length that is no multiple of anything. */
const someBytes = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => (i * 7919) >> 3);

interface Streamed {
  readonly stream: ReadableStream<Uint8Array>;
  readonly endings: Ending[];
  stopped: number;
}

function streamed(pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>, stallMs = 0): Streamed {
  const endings: Ending[] = [];
  const result: Streamed = {
    stream: answerStream(pieces, { stallMs, stop: () => result.stopped++, ended: (ending) => endings.push(ending) }),
    endings,
    stopped: 0,
  };
  return result;
}

const outcome = (promise: Promise<unknown>): Promise<string> => promise.then(() => 'complete', String);

test('the pieces of a document are the document, and none is large', async () => {
  const artifacts = [someBytes(0), someBytes(1), someBytes(2_500_001)];
  const service = fakeService(async () => withArtifacts(...artifacts));
  const answer = await post(service, '/v1/compile', text('x'), JSON_ANSWER);
  let json = '';
  for await (const piece of answer.body! as unknown as AsyncIterable<Uint8Array>) {
    assert.ok(piece.length <= 2 ** 20);
    json += new TextDecoder().decode(piece);
  }
  const document = compileSchema.parse(JSON.parse(json));
  assert.equal(
    document.artifacts.map(({ data, sha256 }) => [new Uint8Array(Buffer.from(data, 'base64')), sha256]),
    artifacts.map((bytes) => [bytes, createHash('sha256').update(bytes).digest('hex')]),
  );
});

test.long('an answer may be longer than the longest string', async () => {
  // Two artifacts of 203 MB are 541 MB of base64.
  const artifact = new Uint8Array(203e6);
  const service = fakeService(async () => withArtifacts(artifact, artifact), { maxArtifact: 2 ** 30 });
  const answer = await post(service, '/v1/batch', '{"name":"big","module":""}', LINES);
  assert.is(answer.status, 200);
  let bytes = 0;
  for await (const piece of answer.body! as unknown as AsyncIterable<Uint8Array>) bytes += piece.length;
  assert.ok(bytes > 2 * 4 * Math.ceil(203e6 / 3), `${bytes}`);
  await settle();
  assert.is(await figure(service, 'darm_requests_in_flight'), 0);
});

test.long('a document that cannot be a string is refused', async () => {
  const line = 'x'.repeat(2 ** 20);
  const diagnostics = Array<string>(1000).fill(line);
  const service = fakeService(async () => ({ ...compiled(), diagnostics }));
  const answer = await (await post(service, '/v1/batch', '{"module":""}', LINES)).text();
  assert.match(answer, /"code":"answer-too-large"/);
  assert.match(answer, /\{"done":true,"succeeded":0,"failed":1\}\n$/);
});

test('a request is in flight until its answer is read; who does not read is cut off', async () => {
  const service = fakeService(async () => compiled(someBytes(3_000_000)), { bodyTimeout: 50, queue: 0 });
  const unread = await post(service, '/v1/compile', text('x'));
  assert.is(await figure(service, 'darm_requests_in_flight'), 1);
  assert.is(await figure(service, 'darm_answer_bytes'), 3_000_000);
  assert.is((await post(service, '/v1/compile', text('y'))).status, 429);
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.is(await figure(service, 'darm_requests_in_flight'), 0);
  assert.is(await figure(service, 'darm_answer_bytes'), 0);
  assert.match(await outcome(unread.arrayBuffer()), /does not read/);
  assert.is(await figure(service, 'darm_answers_broken_off_total{reason="stalled"}'), 1);

  const read = await post(service, '/v1/compile', text('z'));
  assert.is((await read.arrayBuffer()).byteLength, 3_000_000);
  await settle();
  assert.is(await figure(service, 'darm_requests_in_flight'), 0);
});

test('an error after the beginning breaks the answer off and is told', async () => {
  const failing = async function* (): AsyncGenerator<Uint8Array> {
    yield text('begun');
    throw new Error('a mistake');
  };
  const { stream, endings } = streamed(failing());
  assert.match(await outcome(new Response(stream).text()), /a mistake/);
  assert.equal(
    endings.map((ending) => [ending.kind, 'error' in ending && String(ending.error)]),
    [['failed', 'Error: a mistake']],
  );
});

test('the end is told once, when everything has been taken or nobody wants it', async () => {
  const pieces = [text('a'), text('b')];
  const whole = streamed(pieces);
  const reader = whole.stream.getReader();
  await reader.read();
  await reader.read();
  assert.equal(whole.endings, []);
  assert.is((await reader.read()).done, true);
  await reader.cancel();
  assert.equal(whole.endings, [{ kind: 'sent' }]);
  assert.is(whole.stopped, 0);

  let returned = false;
  const endless = function* (): Generator<Uint8Array> {
    try {
      for (;;) yield text('x');
    } finally {
      returned = true;
    }
  };
  const left = streamed(endless());
  const leaving = left.stream.getReader();
  await leaving.read();
  await leaving.cancel();
  assert.equal(left.endings, [{ kind: 'gone' }]);
  assert.ok(returned && left.stopped === 1);

  const stalled = streamed(endless(), 10);
  await settle();
  assert.equal(stalled.endings, [{ kind: 'stalled' }]);
  assert.match(await outcome(new Response(stalled.stream).text()), /does not read/);
});

test.run();

/**
 * Modules and answers that are larger than an event: by presigned URLs, with a server that speaks S3 and checks them.
 */
import { mkdir } from 'node:fs/promises';
import S3rver from '@20minutes/s3rver';
import { AwsClient } from 'aws4fetch';
import type { LambdaEvent } from 'hono/aws-lambda';
import { createCompiler } from '../../src/index.js';
import { createLambdaHandler } from '../../src/service/lambda.js';
import { inFolder } from '../support/command.js';
import { hangingServer } from '../support/http-server.js';
import { largeModule, text, tinyKernel } from '../support/service.js';
import { assert, suite } from '../support/suite.js';

const test = suite('service/lambda-objects', { tests: 2, timeoutMs: 90_000 });

const BUCKET = 'kernels';
/** Those that the server knows. */
const OWNER = new AwsClient({
  accessKeyId: 'S3RVER',
  secretAccessKey: 'S3RVER',
  service: 's3',
  region: 'eu-central-1',
});

interface Store extends AsyncDisposable {
  readonly origin: string;
  sign(method: 'GET' | 'PUT', key: string): Promise<string>;
}

async function startStore(folder: string): Promise<Store> {
  const directory = `${folder}/s3`;
  await mkdir(directory);
  const server = new S3rver({
    ...{ address: '127.0.0.1', port: 0, silent: true, directory },
    configureBuckets: [{ name: BUCKET, configs: [] }],
  });
  const { port } = await server.run();
  const origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    sign: async (method, key) =>
      (await OWNER.sign(`${origin}/${BUCKET}/${key}`, { method, aws: { signQuery: true } })).url,
    [Symbol.asyncDispose]: () => server.close(),
  };
}

const event = (query: string, body: object, accept = '*/*'): LambdaEvent =>
  ({
    version: '2.0',
    rawPath: '/v1/compile',
    rawQueryString: query,
    headers: { host: 'url-id.lambda-url.eu-central-1.on.aws', 'content-type': 'application/json', accept },
    requestContext: {
      domainName: 'url-id.lambda-url.eu-central-1.on.aws',
      http: { method: 'POST', path: '/v1/compile' },
    },
    body: JSON.stringify(body),
    isBase64Encoded: false,
  }) as unknown as LambdaEvent;

/** More than Lambda's 6 MB, in both directions. */
const LARGE = Buffer.concat([Buffer.alloc(8 * 2 ** 20, `; ${'x'.repeat(61)}\n`), largeModule(8 * 2 ** 20)]);

test.long('a module from an object, its artifact to an object', () =>
  inFolder(async (folder) => {
    await using store = await startStore(folder);
    await using compiler = createCompiler({ threads: 1, tierPolicy: 'short' });
    const expected = (await compiler.compile(new Uint8Array(LARGE))).artifacts[0]!.bytes;
    const handler = createLambdaHandler({ threads: 1, objects: { origins: [store.origin] } }, compiler);
    await fetch(await store.sign('PUT', 'large.bc'), { method: 'PUT', body: LARGE });

    const named = { get: await store.sign('GET', 'large.bc'), put: await store.sign('PUT', 'large.hsaco') };
    const answer = await handler(event('', named), { getRemainingTimeInMillis: () => 60_000 });
    assert.is(answer.statusCode, 200, answer.body);
    const { bytes, sha256 } = JSON.parse(answer.body) as { bytes: number; sha256: string };
    const kept = new Uint8Array(await (await fetch(await store.sign('GET', 'large.hsaco'))).arrayBuffer());
    assert.equal(kept, expected);
    assert.is(bytes, expected.length);
    assert.match(sha256, /^[0-9a-f]{64}$/);

    // Without a place for it, the answer does not fit.
    const unfit = await handler(event('', { get: named.get }));
    assert.is(unfit.statusCode, 422);
    assert.match(unfit.body, /answer-too-large.*name an object/s);
  }),
);

test.long('what is refused: other stores, other signatures, what is missing, too large, late or wrong', () =>
  inFolder(async (folder) => {
    await using store = await startStore(folder);
    await using silent = await hangingServer();
    await using compiler = createCompiler({ threads: 1, tierPolicy: 'short' });
    const objects = { origins: [store.origin, silent.url], maxBytes: 100_000 };
    const handler = createLambdaHandler({ threads: 1, objects }, compiler);
    for (const [key, body] of Object.entries({ tiny: tinyKernel(1), none: text('nonsense'), large: LARGE }))
      await fetch(await store.sign('PUT', key), { method: 'PUT', body: new Uint8Array(body) });
    const get = await store.sign('GET', 'tiny');
    const put = await store.sign('PUT', 'out');
    const forged = put.replace(/X-Amz-Signature=..../, 'X-Amz-Signature=0000');
    for (const [status, detail, named] of [
      [400, /not at a store/, { get: 'http://169.254.169.254/latest/meta-data' }],
      [400, /not at a store/, { get, put: 'file:///etc/passwd' }],
      [400, /not at a store/, { get: get.replace('http://', 'http://user:secret@') }],
      [400, /must be a presigned URL/, {}],
      [400, /it may have/, { get, url: get }],
      [400, /the store answers 404 to "get"/, { get: await store.sign('GET', 'missing') }],
      [400, /the store answers 403 to "put"/, { get, put: forged }],
      [400, /the store answers 403 to "put"/, { get, put: get }],
      [413, /more than the 100000 bytes/, { get: await store.sign('GET', 'large') }],
      [422, /bad-input/, { get: await store.sign('GET', 'none'), put }],
      [504, /the store took longer/, { get: silent.url }],
    ] as const) {
      // Only the store that never answers is waited for; the jobs themselves have time.
      const remaining = status === 504 ? 5000 : 60_000;
      const answer = await handler(event('', named), { getRemainingTimeInMillis: () => remaining });
      assert.is(answer.statusCode, status, answer.body);
      const problem = JSON.parse(answer.body) as { code: string; detail: string };
      assert.match(`${problem.code}: ${problem.detail}`, detail);
      assert.not.match(answer.body, /secret|Signature/);
    }
    assert.is((await fetch(await store.sign('GET', 'out'))).status, 404);
    // A handler that was not told of a store takes no such requests.
    const plain = createLambdaHandler({ threads: 1 }, compiler);
    assert.is((await plain(event('', { get }))).statusCode, 415);
    assert.throws(() => createLambdaHandler({ objects: { origins: ['https://store.example/path'] } }, compiler));
  }),
);

test.run();

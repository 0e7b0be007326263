/** The Lambda handler, with events in API Gateway's payload formats 2.0 and 1.0, and binary bodies as base64. */
import type { LambdaEvent } from 'hono/aws-lambda';
import { createCompiler } from '../../src/index.js';
import { createLambdaHandler } from '../../src/service/lambda.js';
import { assert, suite } from '../support/suite.js';
import { base64, tinyKernel } from '../support/service.js';

const test = suite('service/lambda', { tests: 1, timeoutMs: 60_000 });

const KERNEL = tinyKernel(1);
const HEADERS = { host: 'example.execute-api.eu-central-1.amazonaws.com', 'content-type': 'application/octet-stream' };

function eventV2(method: string, path: string, query: string, body?: Uint8Array): LambdaEvent {
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: query,
    headers: HEADERS,
    requestContext: {
      accountId: '123456789012',
      apiId: 'api-id',
      domainName: HEADERS.host,
      domainPrefix: 'example',
      http: { method, path, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'test' },
      requestId: 'id',
      routeKey: '$default',
      stage: '$default',
      time: '12/Mar/2020:19:03:58 +0000',
      timeEpoch: 1583348638390,
    },
    ...(body && { body: base64(body) }),
    isBase64Encoded: body !== undefined,
  } as unknown as LambdaEvent;
}

function eventV1(method: string, path: string, query: Record<string, string>, body?: Uint8Array): LambdaEvent {
  return {
    version: '1.0',
    resource: '/{proxy+}',
    path,
    httpMethod: method,
    headers: HEADERS,
    multiValueHeaders: Object.fromEntries(Object.entries(HEADERS).map(([name, value]) => [name, [value]])),
    queryStringParameters: query,
    multiValueQueryStringParameters: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value]])),
    requestContext: { accountId: '123456789012', apiId: 'id', httpMethod: method, path, stage: '$default' },
    pathParameters: null,
    stageVariables: null,
    body: body ? base64(body) : null,
    isBase64Encoded: body !== undefined,
  } as unknown as LambdaEvent;
}

test('compiles, answers in base64, refuses, and ends before the function does', async () => {
  await using compiler = createCompiler({ threads: 1, tierPolicy: 'short' });
  const expected = (await compiler.compile(KERNEL)).artifacts[0]!.bytes;
  const handler = createLambdaHandler({ threads: 1 }, compiler);

  for (const event of [
    eventV2('POST', '/v1/compile', 'emit=hsaco', KERNEL),
    eventV1('POST', '/v1/compile', { emit: 'hsaco' }, KERNEL),
  ]) {
    const answer = await handler(event, { getRemainingTimeInMillis: () => 30_000 });
    assert.is(answer.statusCode, 200);
    assert.is(answer.isBase64Encoded, true);
    assert.equal(new Uint8Array(Buffer.from(answer.body, 'base64')), expected);
    const headers: Record<string, unknown> = { ...answer.headers, ...answer.multiValueHeaders };
    assert.match(String(headers['content-type']), /octet-stream/);
  }

  const text = await handler(eventV2('POST', '/v1/compile', 'emit=asm', KERNEL));
  assert.is(text.isBase64Encoded, false);
  assert.match(text.body, /tiny1:/);

  const wrong = await handler(eventV1('POST', '/v1/compile', { emit: 'exe' }, KERNEL));
  assert.is(wrong.statusCode, 400);
  assert.is(wrong.isBase64Encoded, false);
  assert.is((JSON.parse(wrong.body) as { code: string }).code, 'usage');

  const large = await handler(eventV2('POST', '/v1/compile', '', new Uint8Array(5 * 2 ** 20)));
  assert.is(large.statusCode, 413);

  // The job ends half a second before the function's time limit.
  const late = await handler(eventV2('POST', '/v1/compile', '', KERNEL), { getRemainingTimeInMillis: () => 0 });
  assert.is(late.statusCode, 504);

  assert.is((await handler(eventV2('GET', '/healthz', ''))).statusCode, 200);
});

test.run();

/**
 * The subpath `darm/lambda`: the compile service as an AWS Lambda handler, for API Gateway (both payload formats),
 * function URLs and load balancers. Binary bodies are sent as base64, which hono's adapter handles. What is larger than
 * an event goes by objects of a store (objects.ts). examples/lambda shows how to package a function.
 *
 *     import { createLambdaHandler } from 'darm/lambda';
 *     export const handler = createLambdaHandler();
 */
import { availableParallelism } from 'node:os';
import { Hono } from 'hono';
import { handle, type APIGatewayProxyResult, type LambdaEvent } from 'hono/aws-lambda';
import type { Compiler, CompilerOptions } from '../compiler/api.js';
import { createCompiler } from '../compiler/compiler.js';
import { DarmError } from '../errors.js';
import { getObject, OBJECTS_TYPE, putObject, readNamedObjects, type ObjectOptions } from './objects.js';
import { problemHeaders, problemOf, Refusal } from './problem.js';
import { createService, type FetchLimits, type ServiceOptions } from './service.js';

export interface LambdaOptions
  extends
    Pick<CompilerOptions, 'threads' | 'memoryLimit' | 'tierPolicy'>,
    Partial<Omit<ServiceOptions, 'concurrency'>> {
  /** Lets requests name objects of a store; by default, they may not. */
  readonly objects?: ObjectOptions;
}

export interface LambdaContext {
  getRemainingTimeInMillis(): number;
}

export type LambdaHandler = (event: LambdaEvent, context?: LambdaContext) => Promise<APIGatewayProxyResult>;

/** The part of the function's own time limit that is kept for sending the answer. */
const RESERVE_MS = 500;
/** Lambda's limit is 6 MB per event, in each direction, and base64 makes three bytes four. */
const MAX_BODY = 4.5 * 1024 * 1024;
const MAX_OBJECT = 64 * 2 ** 20;
/** Of a request that names objects, when the function does not say how long it has, in milliseconds. */
const OBJECT_MS = 60_000;

/** @param compiler by default, one that is made from the options, whose threads start with the first event */
export function createLambdaHandler(options: LambdaOptions = {}, compiler?: Compiler): LambdaHandler {
  const { threads = availableParallelism(), memoryLimit, tierPolicy = 'short', objects, ...settings } = options;
  compiler ??= createCompiler({ threads, tierPolicy, ...(memoryLimit !== undefined && { memoryLimit }) });
  const origins = originsOf(objects);
  const maxObject = objects?.maxBytes ?? MAX_OBJECT;
  const maxBody = Math.max(settings.maxBody ?? MAX_BODY, objects === undefined ? 0 : maxObject);
  const service = createService(compiler, { ...settings, maxBody, concurrency: Math.max(1, threads) });
  const app = new Hono<{ Bindings: { lambdaContext?: LambdaContext } }>();
  app.all('*', async (c) => {
    const left = c.env.lambdaContext?.getRemainingTimeInMillis();
    const limits: FetchLimits = left === undefined ? {} : { timeout: Math.max(1, left - RESERVE_MS) };
    const request = c.req.raw;
    const type = request.headers.get('content-type') ?? '';
    if (objects === undefined || request.method !== 'POST' || !type.startsWith(OBJECTS_TYPE))
      return fitting(await service.fetch(request, limits));
    const signal = AbortSignal.timeout(limits.timeout ?? OBJECT_MS);
    const { get, put } = readNamedObjects(await request.text(), origins);
    const body = await getObject(get, maxObject, signal);
    const headers = new Headers(request.headers);
    headers.set('content-type', 'application/octet-stream');
    headers.delete('content-length');
    const answer = await service.fetch(new Request(request.url, { method: 'POST', headers, body }), limits);
    return put === null || !answer.ok ? fitting(answer) : c.json(await putObject(put, answer, signal));
  });
  app.onError((error, c) => {
    const problem = problemOf(error, c.req.header('x-request-id') ?? '');
    return c.body(JSON.stringify(problem), problem.status as 500, problemHeaders(problem));
  });
  return handle(app) as LambdaHandler;
}

/** @throws DarmError `usage` */
function originsOf(objects: ObjectOptions | undefined): ReadonlySet<string> {
  const origins = objects?.origins ?? [];
  for (const origin of origins)
    if (!URL.canParse(origin) || new URL(origin).origin !== origin)
      throw new DarmError('usage', 'createLambdaHandler(): objects.origins must be origins: https://HOST');
  return new Set(origins);
}

/** Lambda would answer with an error that does not say what is wrong. */
async function fitting(answer: Response): Promise<Response> {
  const bytes = new Uint8Array(await answer.arrayBuffer());
  if (bytes.length > MAX_BODY)
    throw new Refusal(
      'answer-too-large',
      `the answer has ${bytes.length} bytes, and an event holds ${MAX_BODY}: name an object for it`,
    );
  return new Response(bytes.length === 0 ? null : bytes, answer);
}

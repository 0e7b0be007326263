/**
 * The subpath `darm/lambda`: the compile service as an AWS Lambda handler, for API Gateway (both payload formats),
 * function URLs and load balancers. Binary bodies are sent as base64, which hono's adapter handles. examples/lambda
 * shows how to package a function.
 *
 *     import { createLambdaHandler } from 'darm/lambda';
 *     export const handler = createLambdaHandler();
 */
import { availableParallelism } from 'node:os';
import { Hono } from 'hono';
import { handle, type APIGatewayProxyResult, type LambdaEvent } from 'hono/aws-lambda';
import { createCompiler, type Compiler, type CompilerOptions } from '../compiler/compiler.js';
import { createService, type FetchLimits, type ServiceOptions } from './service.js';

export interface LambdaOptions
  extends
    Pick<CompilerOptions, 'threads' | 'memoryLimit' | 'tierPolicy'>,
    Partial<Omit<ServiceOptions, 'concurrency'>> {}

export interface LambdaContext {
  getRemainingTimeInMillis(): number;
}

export type LambdaHandler = (event: LambdaEvent, context?: LambdaContext) => Promise<APIGatewayProxyResult>;

/** The part of the function's own time limit that is kept for sending the answer. */
const RESERVE_MS = 500;
/** Lambda's limit is 6 MB per event, and base64 makes three bytes four. */
const MAX_BODY = 4.5 * 1024 * 1024;

/** @param compiler by default, one that is made from the options, whose threads start with the first event */
export function createLambdaHandler(options: LambdaOptions = {}, compiler?: Compiler): LambdaHandler {
  const { threads = availableParallelism(), memoryLimit, tierPolicy = 'short', ...settings } = options;
  compiler ??= createCompiler({ threads, tierPolicy, ...(memoryLimit !== undefined && { memoryLimit }) });
  const service = createService(compiler, { maxBody: MAX_BODY, ...settings, concurrency: Math.max(1, threads) });
  const app = new Hono<{ Bindings: { lambdaContext?: LambdaContext } }>();
  app.all('*', (c) => {
    const left = c.env.lambdaContext?.getRemainingTimeInMillis();
    const limits: FetchLimits = left === undefined ? {} : { timeout: Math.max(1, left - RESERVE_MS) };
    return service.fetch(c.req.raw, limits);
  });
  return handle(app) as LambdaHandler;
}

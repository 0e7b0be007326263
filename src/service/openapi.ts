/** /openapi.json: the service's routes over the schemas of schemas.ts. Loaded when somebody asks for it. */
import { createRoute, OpenAPIHono, z, type RouteConfig } from '@hono/zod-openapi';
import {
  analyzeSchema,
  batchInputSchema,
  batchLineSchema,
  compileSchema,
  optionsSchema,
  problemSchema,
} from './schemas.js';

const file = z.string().meta({ format: 'binary' });
/** What only JSON can say is no parameter. */
const QUERY = optionsSchema.omit({ headers: true, defines: true } as never);

const form = (files: object): object => z.object({ ...files, options: optionsSchema.optional() });

const problem = (description: string): object => ({
  description,
  content: { 'application/problem+json': { schema: problemSchema } },
});

const REFUSED = {
  400: problem('An option or the request makes no sense'),
  408: problem('The body came too slowly'),
  413: problem('The body is too large'),
  415: problem('The body has a type that is not supported'),
  422: problem('The module is at fault, or its artifacts are too large'),
  429: problem('Too many requests are running and waiting, or their bodies fill the memory; Retry-After'),
  500: problem('An internal error'),
  503: problem('No worker became free in time, or the service is shutting down; Retry-After'),
  504: problem('The job took longer than its limit'),
};

const work = (path: string, summary: string, content: object, responses: object): RouteConfig =>
  createRoute({
    method: 'post',
    path,
    summary,
    request: { query: QUERY, body: { required: true, content: content as Record<string, never> } },
    responses: { ...responses, ...REFUSED } as RouteConfig['responses'],
  });

const operation = (path: string, summary: string, contentType: string, more: object = {}): RouteConfig =>
  createRoute({
    method: 'get',
    path,
    summary,
    responses: { 200: { description: summary, content: { [contentType]: { schema: z.any() } } }, ...more },
  });

const MODULE = {
  'application/octet-stream': { schema: file },
  'multipart/form-data': { schema: form({ module: file }) },
};

const ROUTES: readonly RouteConfig[] = [
  work('/v1/compile', 'Meld and compile a module', MODULE, {
    200: {
      description: 'The artifact, or with Accept: application/json a document that holds it',
      content: {
        'application/octet-stream': { schema: file },
        'text/plain': { schema: z.string() },
        'application/json': { schema: compileSchema },
      },
    },
  }),
  work('/v1/analyze', 'Say what melding would do', MODULE, {
    200: { description: 'What melding would do', content: { 'application/json': { schema: analyzeSchema } } },
  }),
  work(
    '/v1/batch',
    'Compile many modules',
    {
      'application/x-ndjson': { schema: batchInputSchema },
      'multipart/form-data': { schema: form({ modules: z.array(file) }) },
    },
    {
      200: {
        description: 'A line per module as they finish, and one with the counts',
        content: { 'application/x-ndjson': { schema: batchLineSchema } },
      },
    },
  ),
  operation('/healthz', 'The process lives', 'application/json'),
  operation('/readyz', 'Work is taken', 'application/json', {
    503: problem('LLVM cannot be loaded, or the service is shutting down'),
  }),
  operation('/metrics', 'Figures for Prometheus', 'text/plain'),
  operation('/openapi.json', 'This document', 'application/json'),
];

export function openApiDocument(): object {
  const app = new OpenAPIHono();
  for (const route of ROUTES) app.openAPIRegistry.registerPath(route);
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'darm',
      version: '1',
      description: 'GPU kernels: HIP C++, OpenCL C or LLVM bitcode in, melded code objects out',
    },
  });
}

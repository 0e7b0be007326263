/**
 * What goes in and out of the service, as zod schemas: the source of /openapi.json, and what the tests hold answers
 * against. The service itself checks options with the library's own check, so that both say the same; only
 * /openapi.json loads this file.
 */
import { z } from '@hono/zod-openapi';
import { EMIT_KINDS, DEFAULT_OPTIONS, JOB_OPTIONS } from '../job/options.js';
import type { OptionType } from '../job/option-table.js';

/** The schema of a type in an option table. */
function schemaOf(type: OptionType): z.ZodType {
  switch (type.kind) {
    case 'boolean':
      return z.boolean();
    case 'choice':
      return z.literal(type.values);
    case 'number':
      return (type.whole ? z.int() : z.number()).min(type.low).max(type.high);
    case 'text':
      return z.string();
    case 'nullable':
      return schemaOf(type.of).nullable();
    case 'list':
      return z.array(schemaOf(type.of)).min(type.least);
  }
}

/** Options of source: docs/source.md. */
const sourceShape = {
  language: z.enum(['hip', 'opencl']).meta({ description: 'The body is source in this language' }),
  name: z.string().meta({ description: 'As messages name the source' }),
  flags: z.array(z.string()).meta({ description: "clang's flags, e.g. -std=c++20" }),
  nameExpressions: z.array(z.string()).meta({ description: 'Names whose symbols are wanted, e.g. add<float>' }),
  headers: z.record(z.string(), z.string()).meta({ description: 'Contents of headers by name' }),
  defines: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).meta({ description: 'Macros' }),
};

/** Every option of the library, with its default, and `timeout`. */
export const optionsSchema = z
  .strictObject({
    ...Object.fromEntries(
      Object.entries(JOB_OPTIONS).map(([name, { type, about }]) => [name, schemaOf(type).meta({ description: about })]),
    ),
    ...sourceShape,
    timeout: z.number().min(1).meta({ description: "Milliseconds for the job, at most the service's own limit" }),
  })
  .partial()
  .openapi('Options', { example: { emit: ['hsaco'], mcpu: 'gfx906' }, default: DEFAULT_OPTIONS });

export const problemSchema = z
  .strictObject({
    type: z.string(),
    title: z.string(),
    status: z.number(),
    detail: z.string(),
    code: z.string().meta({ description: "darm's error code" }),
    location: z.object({ file: z.string(), line: z.number(), column: z.number() }).partial().optional(),
    log: z.string().optional().meta({ description: 'What clang printed about a source' }),
    requestId: z.string(),
  })
  .openapi('Problem');

const kind = z.enum(['block-block', 'region-region', 'block-region']);
const count = z.strictObject({ before: z.number().nullable().optional(), after: z.number().nullable() });
const netUnit = z.enum(['cycles', 'bytes']).meta({ description: 'What nets count: bytes with the profit size' });
const melds = z.array(z.strictObject({ kind, profit: z.number(), net: z.number() }));

export const compileSchema = z
  .strictObject({
    schema: z.literal(1),
    target: z.string(),
    artifacts: z.array(
      z.strictObject({
        kind: z.enum(EMIT_KINDS),
        bytes: z.number(),
        sha256: z.string(),
        data: z.string().meta({ description: 'base64' }),
      }),
    ),
    functions: z.array(
      z.strictObject({
        name: z.string(),
        melds,
        meldsByKind: z.record(kind, z.number()),
        netUnit,
        cyclesSaved: z.number().optional().meta({ description: 'The sum of the nets, if they are cycles' }),
        bytesSaved: z.number().optional().meta({ description: 'The sum of the nets, if they are bytes' }),
        switchesLowered: z.number(),
        sidesHoisted: z.number(),
        divergentBranches: count,
        instructions: count,
        machineInstructions: count,
        bailout: z.string().optional().meta({ description: 'Why it is not melded, or only in part' }),
      }),
    ),
    timings: z.record(z.string(), z.number()).meta({ description: 'Milliseconds per phase' }),
    diagnostics: z.array(z.string()).meta({ description: 'Warnings' }),
    source: z
      .object({ log: z.string(), loweredNames: z.record(z.string(), z.string()) })
      .optional()
      .meta({ description: "For source: clang's messages, and the symbols of the name expressions" }),
    remarks: z.array(z.looseObject({})),
    histories: z.array(z.looseObject({})).meta({ description: 'What a report page shows, by function' }),
  })
  .openapi('Compiled');

export const analyzeSchema = z
  .strictObject({
    schema: z.literal(1),
    target: z.string(),
    functions: z.array(
      z.strictObject({
        name: z.string(),
        conditionalBranches: z.number(),
        divergentBranches: z.number(),
        values: z.number(),
        divergentValues: z.number(),
        switchesLowered: z.number(),
        sidesHoisted: z.number(),
        netUnit,
        candidates: z.array(
          z.strictObject({
            branch: z.string(),
            sides: z.array(z.array(z.string())).length(2),
            kind,
            profit: z.number(),
            net: z.number(),
            verdict: z.enum(['meld', 'refuse']),
            rule: z.string().nullable(),
            reason: z.string(),
            remedy: z.string().nullable().meta({ description: 'What would have to change so that it melds' }),
          }),
        ),
        switches: z
          .array(z.strictObject({ branch: z.string(), destinations: z.number(), refusal: z.string().nullable() }))
          .meta({
            description: 'Divergent ones. `refusal`: why one stays a switch; null: it becomes a chain of branches',
          }),
      }),
    ),
    failures: z
      .array(z.strictObject({ name: z.string(), reason: z.string() }))
      .meta({ description: 'The functions that cannot be analysed' }),
  })
  .openapi('Analyzed');

const place = { index: z.number(), name: z.string().nullable() };

export const batchLineSchema = z
  .union([
    z.strictObject({ ...place, ...compileSchema.shape }),
    z.strictObject({ ...place, error: problemSchema }),
    z.strictObject({ done: z.literal(true), succeeded: z.number(), failed: z.number() }),
  ])
  .openapi('BatchLine');

export const batchInputSchema = z
  .strictObject({
    name: z.string().optional(),
    module: z.string().meta({ description: 'base64' }),
    options: optionsSchema.optional(),
  })
  .openapi('BatchInput');

/**
 * What goes in and out of the service, as zod schemas: the source of /openapi.json, and what the tests hold answers against. The
 * service itself checks options with the library's own check, so that both say the same; only /openapi.json loads this file.
 */
import { z } from '@hono/zod-openapi';
import { CHOICES, DEFAULT_OPTIONS } from '../job/options.js';

const { emit, codegenLevel, optimize, meld, meldPoint, profit, unpredicate } = CHOICES;

/** Every option of the library, with its default, and `timeout`. */
export const optionsSchema = z
  .strictObject({
    emit: z.array(z.enum(emit)).min(1).meta({ description: 'What to make; several need Accept: application/json' }),
    mcpu: z.string().nullable().meta({ description: "Target id; default: the functions' own" }),
    codegenLevel: z.union(codegenLevel.map((level) => z.literal(level))),
    optimize: z.enum(optimize).meta({ description: "LLVM's optimisation pipeline" }),
    meld: z.enum(meld),
    meldPoint: z.enum(meldPoint).meta({ description: 'early needs an optimisation level' }),
    profit: z.enum(profit),
    threshold: z.number().min(0).max(0.5),
    regionReplication: z.boolean(),
    unpredicate: z.enum(unpredicate),
    functions: z.array(z.string()).meta({ description: 'Only these functions are melded; empty: all' }),
    once: z.boolean(),
    stats: z.boolean().meta({ description: 'Compile without melding, too, and report "before" figures' }),
    remarks: z.boolean().meta({ description: 'Say what melded, what did not, and why' }),
    report: z.boolean().meta({ description: 'Record what a report page shows' }),
    verifyAnalyses: z.boolean(),
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
    requestId: z.string(),
  })
  .openapi('Problem');

const kind = z.enum(['block-block', 'region-region', 'block-region']);
const count = z.strictObject({ before: z.number().nullable().optional(), after: z.number().nullable() });
const melds = z.array(z.object({ kind, profit: z.number(), net: z.number() }));

export const compileSchema = z
  .strictObject({
    schema: z.literal(1),
    target: z.string(),
    artifacts: z.array(
      z.strictObject({
        kind: z.enum(emit),
        bytes: z.number(),
        sha256: z.string(),
        data: z.string().meta({ description: 'base64' }),
      }),
    ),
    functions: z.array(
      z.object({ name: z.string(), melds, divergentBranches: count, instructions: count, machineInstructions: count }),
    ),
    timings: z.record(z.string(), z.number()).meta({ description: 'Milliseconds per phase' }),
    diagnostics: z.array(z.string()).meta({ description: "LLVM's warnings" }),
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
          }),
        ),
      }),
    ),
  })
  .openapi('Analyzed');

const place = { index: z.number(), name: z.string().nullable() };

export const batchLineSchema = z
  .union([
    compileSchema.extend(place),
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

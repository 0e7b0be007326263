/** The result of `compile` as the JSON document that the command prints and the service sends. */
import { tally } from '../../job/tally.js';
import type { Artifact, CompileResult, Counts, FunctionReport } from '../../job/results.js';

/** @param artifacts a document for each output: how it is described depends on where the caller puts it */
export const compileDocument = (result: CompileResult, artifacts: readonly object[]): object => ({
  schema: 1,
  artifacts,
  ...resultDocument(result),
});

/** Target, functions, warnings and timings of one compilation. */
export function resultDocument(result: CompileResult): object {
  return {
    target: result.target,
    functions: result.functions.map((fn) => ({
      name: fn.name,
      melds: fn.melds,
      meldsByKind: tally(fn.melds).byKind,
      netUnit: fn.netUnit,
      [`${fn.netUnit}Saved`]: tally(fn.melds).saved,
      switchesLowered: fn.switchesLowered,
      sidesHoisted: fn.sidesHoisted,
      divergentBranches: beforeAndAfter(fn, 'divergentBranches'),
      instructions: beforeAndAfter(fn, 'instructions'),
      machineInstructions: beforeAndAfter(fn, 'machineInstructions'),
      ...(fn.bailout !== null && { bailout: fn.bailout }),
    })),
    diagnostics: result.diagnostics,
    timings: result.timings,
  };
}

interface BeforeAndAfter {
  readonly before?: number | null;
  readonly after: number | null;
}

/** The document as the service sends it: with the artifacts' bytes, and with what the command prints separately. */
export interface CompileDocument extends Omit<CompileResult, 'artifacts' | 'functions'> {
  readonly artifacts: readonly { readonly kind: Artifact['kind']; readonly sha256: string; readonly data: string }[];
  readonly functions: readonly (Pick<
    FunctionReport,
    'name' | 'melds' | 'netUnit' | 'switchesLowered' | 'sidesHoisted'
  > &
    Readonly<Record<keyof Counts, BeforeAndAfter>> & { readonly bailout?: string })[];
}

/** The result that the service's document was made from. */
export function compileResultOf(document: CompileDocument): CompileResult {
  const { target, artifacts, functions, remarks, histories, diagnostics, timings } = document;
  const counts = (fn: CompileDocument['functions'][number], when: keyof BeforeAndAfter): Counts => ({
    divergentBranches: fn.divergentBranches[when]!,
    instructions: fn.instructions[when]!,
    machineInstructions: fn.machineInstructions[when]!,
  });
  return {
    target,
    artifacts: artifacts.map(({ kind, data }) => ({ kind, bytes: new Uint8Array(Buffer.from(data, 'base64')) })),
    functions: functions.map((fn) => ({
      name: fn.name,
      melds: fn.melds,
      netUnit: fn.netUnit,
      switchesLowered: fn.switchesLowered,
      sidesHoisted: fn.sidesHoisted,
      before: fn.instructions.before === undefined ? null : counts(fn, 'before'),
      after: counts(fn, 'after'),
      bailout: fn.bailout ?? null,
    })),
    remarks,
    histories,
    diagnostics,
    timings,
  };
}

function beforeAndAfter({ before, after }: FunctionReport, count: keyof Counts): object {
  return { ...(before !== null && { before: before[count] }), after: after[count] };
}

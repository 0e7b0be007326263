/** The result of `compile` as the JSON document that the command prints and the service sends. */
import { tally } from '../../job/tally.js';
import type { CompileResult, Counts, FunctionReport } from '../../job/results.js';

/** @param artifacts a document for each output: how it is described depends on where the caller puts it */
export const compileDocument = (result: CompileResult, artifacts: readonly object[]): object => ({
  schema: 1,
  artifacts,
  ...resultDocument(result),
});

/** Target, functions and timings of one compilation. */
export function resultDocument(result: CompileResult): object {
  return {
    target: result.target,
    functions: result.functions.map((fn) => ({
      name: fn.name,
      melds: fn.melds,
      meldsByKind: tally(fn.melds).byKind,
      cyclesSaved: tally(fn.melds).cyclesSaved,
      switchesLowered: fn.switchesLowered,
      divergentBranches: beforeAndAfter(fn, 'divergentBranches'),
      instructions: beforeAndAfter(fn, 'instructions'),
      machineInstructions: beforeAndAfter(fn, 'machineInstructions'),
      ...(fn.bailout !== null && { bailout: fn.bailout }),
    })),
    timings: result.timings,
  };
}

function beforeAndAfter({ before, after }: FunctionReport, count: keyof Counts): object {
  return { ...(before !== null && { before: before[count] }), after: after[count] };
}

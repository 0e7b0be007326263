/** What `darm compile` prints about a compilation: warnings, artifacts of the JSON document, the table of `--stats`. */
import { tally } from '../job/tally.js';
import type { CompileResult, Counts, FunctionReport } from '../job/results.js';
import { warn } from './messages.js';
import { table } from './table.js';

/** What is the same for several targets is said once. */
export function printWarnings(results: readonly CompileResult[]): void {
  const lines = results.flatMap(({ diagnostics, functions }) => [
    ...diagnostics,
    ...functions.flatMap(({ name, bailout }) =>
      bailout === null ? [] : `function '${name}' is not melded, or only in part: ${bailout}`,
    ),
  ]);
  for (const line of new Set(lines)) warn(line);
}

/** An output file, as the JSON document has it. */
export function artifactDocument(path: string, kind: string, bytes: Uint8Array): object {
  // Loaded here: other compilations need nothing of it.
  const { createHash } = process.getBuiltinModule('node:crypto');
  return { path, kind, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

export function statsTable(functions: readonly FunctionReport[]): string {
  const cell = (fn: FunctionReport, count: keyof Counts): string =>
    `${fn.before?.[count] ?? '?'} → ${fn.after[count] ?? '?'}`;
  return table(
    'l',
    [
      'function',
      'melds',
      'block-block',
      'region-region',
      'block-region',
      'switches lowered',
      'sides hoisted',
      `${functions[0]?.netUnit ?? 'cycles'} saved`,
      'divergent branches',
      'instructions',
      'machine instructions',
    ],
    functions.map((fn) => {
      const { byKind, saved } = tally(fn.melds);
      return [
        fn.name,
        fn.melds.length,
        byKind['block-block'],
        byKind['region-region'],
        byKind['block-region'],
        fn.switchesLowered,
        fn.sidesHoisted,
        saved.toFixed(0),
        cell(fn, 'divergentBranches'),
        cell(fn, 'instructions'),
        cell(fn, 'machineInstructions'),
      ];
    }),
  );
}

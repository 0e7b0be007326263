/** `darm compile` */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { DarmError } from '../errors.js';
import { createCompiler } from '../compiler.js';
import type { Emit } from '../options.js';
import { tally } from '../tally.js';
import type { CompileResult, Counts, FunctionReport } from '../wire.js';
import type { CompileFlags } from './arguments.js';
import { jobOptions } from './option-groups.js';
import { readInput, writeOutput, writeStandardOutput } from '../files.js';
import { depfile } from './depfile.js';
import { warn } from './messages.js';
import { checkRemarksFile, writeRemarks } from './remarks.js';
import { table } from './table.js';

export const EXTENSIONS: Record<Emit, string> = {
  hsaco: '.hsaco',
  obj: '.o',
  asm: '.s',
  bc: '.bc',
  ll: '.ll',
  ptx: '.ptx',
};

/** Named after the input, in the current folder, as compilers do; what comes from standard input goes to standard output. */
function outputName(input: string, { output, emit, json }: CompileFlags): string {
  const name = output ?? (input === '-' ? '-' : path.basename(input, path.extname(input)) + EXTENSIONS[emit]);
  if (name === '-' && json) throw new DarmError('usage', '--json and an output on standard output exclude each other');
  if (output === undefined && name !== '-' && path.resolve(name) === path.resolve(input))
    throw new DarmError('usage', `the output would replace the input ${input}; name it with -o`);
  return name;
}

/** Where the dependency file goes; null without one. */
function depfileName({ depfile: wanted, depfilePath, depfileTarget }: CompileFlags, output: string): string | null {
  if (depfilePath !== undefined) return depfilePath;
  if (!wanted && depfileTarget === undefined) return null;
  if (output === '-')
    throw new DarmError('usage', 'an output on standard output has no dependency file; name one with -MF');
  return output.slice(0, output.length - path.extname(output).length) + '.d';
}

export async function runCompile(input: string, flags: CompileFlags): Promise<void> {
  const output = outputName(input, flags);
  checkRemarksFile(flags.remarks, [output, ...(input === '-' ? [] : [input]), ...(flags.json ? ['-'] : [])]);
  const dependencies = depfileName(flags, output);
  // One worker and no time limit need no worker thread: on the main thread the job is done 0.1 s sooner.
  const threads = flags.jobs === 1 && flags.timeout === 0 ? 0 : flags.jobs;
  const compiler = createCompiler({
    threads,
    timeout: flags.timeout,
    memoryLimit: flags.memoryLimit,
    tierPolicy: 'short',
    ...(flags.cache !== undefined && { cache: { path: flags.cache } }),
  });
  const result = await compiler.compile(await readInput(input), {
    ...jobOptions(flags),
    emit: [flags.emit],
    codegenLevel: flags.codegenLevel,
    once: flags.once,
    stats: flags.stats,
    remarks: flags.remarks !== undefined,
  });
  if (!flags.quiet) printWarnings(result);
  const { bytes } = result.artifacts[0]!;
  await writeOutput(output, bytes);
  if (dependencies !== null) {
    const text = depfile(flags.depfileTarget ?? output, [input]);
    await writeOutput(dependencies, new TextEncoder().encode(text));
  }
  await writeRemarks(flags.remarks, result.remarks);
  if (flags.json) {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const artifacts = [{ path: output, kind: flags.emit, bytes: bytes.length, sha256 }];
    await writeStandardOutput(JSON.stringify(compileDocument(result, artifacts)) + '\n');
  } else if (flags.stats) {
    process.stderr.write(statsTable(result.functions));
  }
}

function printWarnings(result: CompileResult): void {
  for (const line of result.diagnostics) warn(line);
  for (const { name, bailout } of result.functions)
    if (bailout !== null) warn(`function '${name}' is not, or only in part, melded: ${bailout}`);
}

function compileDocument(result: CompileResult, artifacts: readonly object[]): object {
  return {
    schema: 1,
    target: result.target,
    artifacts,
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

function statsTable(functions: readonly FunctionReport[]): string {
  const cell = (fn: FunctionReport, count: keyof Counts): string =>
    `${fn.before?.[count] ?? '?'} → ${fn.after[count] ?? '?'}`;
  return table(
    'lrrrrrrrrr',
    [
      'function',
      'melds',
      'block-block',
      'region-region',
      'block-region',
      'switches lowered',
      'cycles saved',
      'divergent branches',
      'instructions',
      'machine instructions',
    ],
    functions.map((fn) => {
      const { byKind, cyclesSaved } = tally(fn.melds);
      return [
        fn.name,
        String(fn.melds.length),
        String(byKind['block-block']),
        String(byKind['region-region']),
        String(byKind['block-region']),
        String(fn.switchesLowered),
        cyclesSaved.toFixed(0),
        cell(fn, 'divergentBranches'),
        cell(fn, 'instructions'),
        cell(fn, 'machineInstructions'),
      ];
    }),
  );
}

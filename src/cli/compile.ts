/** `darm compile` */
import path from 'node:path';
import { DarmError } from '../errors.js';
import type { Compiler } from '../compiler/compiler.js';
import { sniffInput } from '../formats/bitcode.js';
import type { Emit } from '../job/options.js';
import type { CompileResult } from '../job/results.js';
import type { CompileFlags } from './arguments.js';
import { resultDocument } from '../report/json/compile-document.js';
import { artifactDocument, printWarnings, statsTable } from './compile-report.js';
import { visibleLine } from '../report/visible.js';
import { jobOptions, threadsFor } from './option-groups.js';
import { checkSecondOutput, readInput, writeOutput, writeStandardOutput } from '../files.js';
import { remoteCacheOption } from './cache-arguments.js';
import { depfile } from './depfile.js';
import { warn, writeMessage } from './messages.js';
import { writeRemarks } from './remarks.js';

export const EXTENSIONS: Record<Emit | 'fatbin', string> = {
  hsaco: '.hsaco',
  obj: '.o',
  asm: '.s',
  bc: '.bc',
  ll: '.ll',
  ptx: '.ptx',
  fatbin: '.hipfb',
};

/**
 * The output's name: by default that of the input with another extension, in the current folder, as with other
 * compilers. A module from standard input goes to standard output.
 */
function outputName(input: string, { output, emit, json }: CompileFlags): string {
  const name = output ?? (input === '-' ? '-' : path.basename(input, path.extname(input)) + EXTENSIONS[emit]);
  if (name === '-' && json) throw new DarmError('usage', '--json and an output on standard output exclude each other');
  if (output === undefined && name !== '-' && path.resolve(name) === path.resolve(input))
    throw new DarmError('usage', `the output would replace the input ${input}; name it with -o`);
  return name;
}

/** The name of the dependency file; null without one. */
function depfileName({ depfile: wanted, depfilePath, depfileTarget }: CompileFlags, output: string): string | null {
  if (depfilePath !== undefined) return depfilePath;
  if (!wanted && depfileTarget === undefined) return null;
  if (output === '-')
    throw new DarmError('usage', 'an output on standard output has no dependency file; name one with -MF');
  return output.slice(0, output.length - path.extname(output).length) + '.d';
}

/** The result of a command: one artifact, or a fat binary with several images. */
interface Outcome {
  readonly bytes: Uint8Array;
  /** `compiled` is null for an image of a container that was copied unchanged. */
  readonly images: readonly {
    readonly id: string;
    readonly bytes: Uint8Array;
    readonly compiled: CompileResult | null;
  }[];
}

export async function runCompile(input: string, flags: CompileFlags): Promise<void> {
  const output = outputName(input, flags);
  checkOutputs(input, output, flags);
  const spec =
    flags.spec === undefined
      ? null
      : await (await import('./launch-spec.js')).readSpec(flags.spec, null, flags.timeout);
  const dependencies = depfileName(flags, output);
  const rule = dependencies === null ? '' : depfile(flags.depfileTarget ?? output, [input]);
  const local = flags.server === undefined ? await localCompiler(flags) : null;
  const compiler = local ?? (await serverCompiler(flags.server!, flags));
  const module = await readInput(input, flags.timeout);
  const { bytes, images } = await compile(compiler, module, flags);
  const results = images.flatMap(({ compiled }) => (compiled === null ? [] : [compiled]));
  if (!flags.quiet) results.forEach(printWarnings);
  await writeOutput(output, bytes);
  if (dependencies !== null) await writeOutput(dependencies, rule);
  await writeRemarks(
    flags.remarks,
    results.flatMap(({ remarks }) => remarks),
  );
  if (flags.report !== undefined) {
    const { measureLaunches, writeReport } = await import('./report.js');
    const options = jobOptions(flags);
    const launches = spec && (await measureLaunches(local!, module, options, spec));
    await writeReport(flags.report, input, options, results[0]!, launches);
  }
  if (local !== null && local.remoteCacheReport !== null) await endRemoteCache(local, flags.quiet);
  if (flags.json) {
    const artifacts = [artifactDocument(output, flags.emit, bytes)];
    await writeStandardOutput(JSON.stringify({ schema: 1, artifacts, ...documentOf(flags.emit, images) }) + '\n');
  } else if (flags.stats) {
    for (const { functions, target } of results)
      writeMessage((results.length > 1 ? `${visibleLine(target)}\n` : '') + statsTable(functions));
  }
}

async function localCompiler(flags: CompileFlags): Promise<Compiler> {
  const { createCompiler } = await import('../compiler/compiler.js');
  return createCompiler({
    threads: threadsFor(flags),
    timeout: flags.timeout,
    memoryLimit: flags.memoryLimit,
    tierPolicy: 'short',
    ...(flags.cache !== undefined && { cache: { path: flags.cache } }),
    ...remoteCacheOption(flags),
  });
}

/** A process that only asks another one loads neither LLVM nor what drives it. */
async function serverCompiler(server: string, flags: CompileFlags): Promise<Pick<Compiler, 'compile'>> {
  const { ServerCompiler } = await import('../client/server-compiler.js');
  let local: Promise<Compiler> | null = null;
  const fallback = (why: string): Promise<Compiler> => {
    if (!flags.quiet && local === null) warn(`${why}; it is compiled here`);
    return (local ??= localCompiler(flags));
  };
  return new ServerCompiler({ server, timeout: flags.timeout, fallback: flags.serverFallback ? fallback : null });
}

/** The result is written; others get it as well, if the server takes it soon. */
async function endRemoteCache(compiler: Compiler, quiet: boolean): Promise<void> {
  await compiler.close();
  if (!quiet) (await import('./remote-cache.js')).warnOfRemoteCache(compiler);
}

function checkOutputs(input: string, output: string, flags: CompileFlags): void {
  const others = [output, ...(input === '-' ? [] : [input]), ...(flags.json ? ['-'] : [])];
  checkSecondOutput('--remarks', flags.remarks, others);
  checkSecondOutput('--report', flags.report, [...others, ...(flags.remarks === undefined ? [] : [flags.remarks])]);
  if (flags.report !== undefined && flags.emit === 'fatbin')
    throw new DarmError('usage', '--report is for one module: compile the images one by one');
  if (flags.serverFallback && flags.server === undefined)
    throw new DarmError('usage', '--server-fallback is for --server');
  if (flags.spec === undefined) return;
  if (flags.server !== undefined)
    throw new DarmError('usage', '--spec is for a compilation here: a server does not simulate');
  if (flags.report === undefined)
    throw new DarmError('usage', '--spec is for --report, or for darm run and darm check');
  if (input === '-' && flags.spec === '-')
    throw new DarmError('usage', 'standard input cannot be both module and spec');
}

async function compile(compiler: Pick<Compiler, 'compile'>, bytes: Uint8Array, flags: CompileFlags): Promise<Outcome> {
  const { mcpu, ...common } = {
    ...jobOptions(flags),
    stats: flags.stats || flags.report !== undefined,
    remarks: flags.remarks !== undefined,
    report: flags.report !== undefined,
  };
  if (flags.emit !== 'fatbin') {
    const compiled = await compiler.compile(bytes, { ...common, mcpu: mcpu ?? null, emit: [flags.emit] });
    const artifact = compiled.artifacts[0]!;
    return { bytes: artifact.bytes, images: [{ id: '', bytes: artifact.bytes, compiled }] };
  }
  const { compileContainer, compileFatBinary } = await import('../compiler/fat-binary.js');
  if (sniffInput(bytes) !== 'offload-bundle') return compileFatBinary(compiler, bytes, mcpu?.split(',') ?? [], common);
  if (mcpu != null) throw new DarmError('usage', 'the images of a bundle name their targets: leave --mcpu out');
  return compileContainer(compiler, bytes, common);
}

function documentOf(emit: CompileFlags['emit'], images: Outcome['images']): object {
  if (emit !== 'fatbin') return resultDocument(images[0]!.compiled!);
  return {
    images: images.map(({ id, bytes, compiled }) => ({
      id,
      bytes: bytes.length,
      action: compiled === null ? 'kept' : 'compiled',
      ...(compiled !== null && resultDocument(compiled)),
    })),
  };
}

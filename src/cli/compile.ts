/** `darm compile` */
import path from 'node:path';
import { DarmError } from '../errors.js';
import type { Compiler, CompilerOptions, ModuleCompiler, SourceResult } from '../compiler/api.js';
import { sniffInput } from '../formats/bitcode.js';
import type { SourceOptions } from '../frontend/options.js';
import type { JobOptions } from '../job/options.js';
import type { CompileResult, FunctionReport } from '../job/results.js';
import type { CompileFlags } from './arguments.js';
import { resultDocument } from '../report/json/compile-document.js';
import { artifactDocument, printWarnings, statsTable } from './compile-report.js';
import { visibleLine } from '../report/visible.js';
import { jobOptions, threadsFor } from './option-groups.js';
import { readInput, writeOutput, writeStandardOutput } from '../process/files.js';
import { remoteCacheOption } from './cache-arguments.js';
import { depfile } from './depfile.js';
import { warn, writeMessage } from './messages.js';
import { withPlanText } from './plan.js';
import { checkOutputs, type Outputs } from './outputs.js';
import { writeRemarks } from './remarks.js';
import { fatBinaryTargets, hasColors, moduleOf, printLog, sourceJobOptions, sourceOf } from './source.js';

export const EXTENSIONS: Record<CompileFlags['emit'], string> = {
  hsaco: '.hsaco',
  obj: '.o',
  asm: '.s',
  bc: '.bc',
  ll: '.ll',
  ptx: '.ptx',
  fatbin: '.hipfb',
  i: '.i',
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
  if (!wanted && depfileTarget.length === 0) return null;
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
    readonly compiled: (CompileResult & { readonly source?: SourceResult }) | null;
  }[];
  /** Of preprocessed text, which nothing was compiled for. */
  readonly source?: SourceResult;
}

/** @param shared compiles; it stays open. By default, a compiler as the flags want it. */
export async function runCompile(input: string, given: CompileFlags, shared?: Compiler): Promise<void> {
  const flags = await withPlanText(given);
  const output = outputName(input, flags);
  const dependencies = depfileName(flags, output);
  const outputs = checkFiles({ input, output, dependencies, plan: given.plan }, flags);
  const { spec, files: data } =
    flags.spec === undefined
      ? { spec: null, files: [] }
      : await (await import('./launch-spec.js')).readSpec(flags.spec, null, flags.timeout);
  // Made before anything is compiled, so that a name that cannot be written is refused early.
  if (dependencies !== null) depfile(output, [input], { targets: flags.depfileTarget });
  const local = shared ?? (flags.server === undefined ? await localCompiler(flags) : null);
  const compiler = local ?? (await serverCompiler(flags.server!, flags));
  const module = await readInput(input, flags.timeout);
  const source = sourceOf(input, flags);
  const { bytes, images, source: preprocessed } = await compile(compiler, module, source, flags);
  const results = images.flatMap(({ compiled }) => (compiled === null ? [] : [compiled]));
  const sources = [...results.map((each) => each.source), preprocessed].filter((each) => each !== undefined);
  const included = sources.flatMap((each) => each.dependencies);
  checkOutputs(outputs, [...included, ...data]);
  if (!flags.quiet) {
    for (const log of new Set(sources.map((each) => each.log))) printLog(log, hasColors(flags.clang));
    printWarnings(results);
  }
  await writeOutput(output, bytes);
  if (dependencies !== null) {
    const read = [...new Set([input, ...included])];
    const rule = { targets: flags.depfileTarget, hasPhonies: flags.depfilePhony };
    await writeOutput(dependencies, depfile(output, read, rule));
  }
  await writeRemarks(
    flags.remarks,
    results.flatMap(({ remarks }) => remarks),
  );
  if (flags.report !== undefined) {
    const { measureLaunches, writeReport } = await import('./report.js');
    // Measuring compiles twice more: bitcode then, not source.
    const measured = spec === null ? null : await moduleOf(local!, input, module, flags);
    const launches = spec && (await measureLaunches(local!, measured!.module, measured!.options, spec));
    const options = measured?.options ?? (source === null ? jobOptions(flags) : sourceDefaults(flags));
    await writeReport(flags.report, input, options, results[0]!, launches);
  }
  if (local !== null && shared === undefined) await endCaches(local, flags.quiet);
  if (flags.json) {
    const artifacts = [artifactDocument(output, flags.emit, bytes)];
    const document = { schema: 1, artifacts, ...documentOf(flags.emit, images), ...sourceDocument(sources) };
    await writeStandardOutput(JSON.stringify(document) + '\n');
  } else if (flags.stats) {
    const { functions: wanted = [] } = jobOptions(flags);
    const rows = ({ functions }: CompileResult): FunctionReport[] =>
      functions.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
    for (const result of results)
      writeMessage((results.length > 1 ? `${visibleLine(result.target)}\n` : '') + statsTable(rows(result)));
  }
}

/** What the flags say about the compiler, beside its threads. */
export const compilerSettings = (flags: CompileFlags): CompilerOptions => ({
  timeout: flags.timeout,
  memoryLimit: flags.memoryLimit,
  ...(flags.cache !== undefined && { cache: { path: flags.cache } }),
  ...remoteCacheOption(flags),
});

async function localCompiler(flags: CompileFlags): Promise<Compiler> {
  const { createCompiler } = await import('../compiler/compiler.js');
  return createCompiler({ ...compilerSettings(flags), threads: threadsFor(flags), tierPolicy: 'short' });
}

/** A process that only asks another one loads neither LLVM nor what drives it. */
async function serverCompiler(server: string, flags: CompileFlags): Promise<ModuleCompiler> {
  const { ServerCompiler } = await import('../client/server-compiler.js');
  let local: Promise<Compiler> | null = null;
  const fallback = (why: string): Promise<Compiler> => {
    if (!flags.quiet && local === null) warn(`${why}; it is compiled here`);
    return (local ??= localCompiler(flags));
  };
  return new ServerCompiler({ server, timeout: flags.timeout, fallback: flags.serverFallback ? fallback : null });
}

/** The result is written; others get it as well, if the server takes it soon. */
async function endCaches(compiler: Compiler, quiet: boolean): Promise<void> {
  const { cacheCounts, remoteCacheReport } = compiler;
  if (remoteCacheReport !== null) await compiler.close();
  if (quiet || (cacheCounts === null && remoteCacheReport === null)) return;
  const { warnOfCache, warnOfRemoteCache } = await import('./caches.js');
  warnOfCache(compiler);
  warnOfRemoteCache(compiler);
}

/** What the command reads and writes, apart from what other flags name. */
interface Files {
  readonly input: string;
  readonly output: string;
  readonly dependencies: string | null;
  readonly plan: string | undefined;
}

/** @returns the outputs by what they are called */
function checkFiles({ input, output, dependencies, plan }: Files, flags: CompileFlags): Outputs {
  const isSource = sourceOf(input, flags) !== null;
  const more = {
    'the dependency file': dependencies ?? undefined,
    '--remarks': flags.remarks,
    '--report': flags.report,
  };
  checkOutputs(more, [input]);
  // A module may be replaced by what becomes of it, where -o says so; a source would be lost.
  const read = [isSource ? input : undefined, flags.spec, plan];
  const outputs = { '--json': flags.json ? '-' : undefined, 'the output': output, ...more };
  checkOutputs(outputs, read);
  if (flags.report !== undefined && flags.emit === 'fatbin')
    throw new DarmError('usage', '--report is for one module: compile the images one by one');
  if (flags.emit === 'i' && (flags.report !== undefined || flags.remarks !== undefined || flags.stats))
    throw new DarmError(
      'usage',
      'with -E or --emit i nothing is compiled: --report, --remarks and --stats say nothing',
    );
  if (flags.serverFallback && flags.server === undefined)
    throw new DarmError('usage', '--server-fallback is for --server');
  if (flags.server !== undefined && isSource)
    throw new DarmError('usage', 'a server takes modules, and its disk is another one: leave --server out for source');
  if (flags.spec === undefined) return outputs;
  if (flags.server !== undefined)
    throw new DarmError('usage', '--spec is for a compilation here: a server does not simulate');
  if (flags.report === undefined)
    throw new DarmError('usage', '--spec is for --report, or for darm run and darm check');
  if (input === '-' && flags.spec === '-')
    throw new DarmError('usage', 'standard input cannot be both module and spec');
  return outputs;
}

async function compile(
  compiler: ModuleCompiler & Partial<Pick<Compiler, 'preprocess'>>,
  bytes: Uint8Array,
  source: SourceOptions | null,
  flags: CompileFlags,
): Promise<Outcome> {
  const call = { colors: hasColors(flags.clang) };
  if (flags.emit === 'i') {
    if (source === null) throw new DarmError('usage', 'only source is preprocessed');
    const { text, ...left } = await compiler.preprocess!(bytes, { ...sourceJobOptions(flags), ...source }, call);
    return { bytes: text, images: [], source: left };
  }
  const { mcpu, ...common } = {
    ...(source === null ? jobOptions(flags) : { ...sourceJobOptions(flags), ...source }),
    stats: flags.stats || flags.report !== undefined,
    remarks: flags.remarks !== undefined,
    report: flags.report !== undefined,
  };
  if (flags.emit !== 'fatbin') {
    const compiled = await compiler.compile(bytes, { ...common, mcpu: mcpu ?? null, emit: [flags.emit] }, call);
    const artifact = compiled.artifacts[0]!;
    return { bytes: artifact.bytes, images: [{ id: '', bytes: artifact.bytes, compiled }] };
  }
  const { compileContainer, compileFatBinary } = await import('../compiler/fat-binary.js');
  if (source !== null) {
    const [targets, flags] = fatBinaryTargets({ ...source, mcpu: mcpu ?? null });
    return compileFatBinary(compiler, bytes, targets, { ...common, flags }, call);
  }
  if (sniffInput(bytes) !== 'offload-bundle') return compileFatBinary(compiler, bytes, mcpu?.split(',') ?? [], common);
  if (mcpu != null) throw new DarmError('usage', 'the images of a bundle name their targets: leave --mcpu out');
  return compileContainer(compiler, bytes, common);
}

function sourceDocument(sources: readonly SourceResult[]): object {
  if (sources.length === 0) return {};
  const { diagnostics, dependencies } = sources[0]!;
  return { source: { diagnostics, dependencies } };
}

/** What a report says was asked for. */
const sourceDefaults = (flags: CompileFlags): Partial<JobOptions> => ({
  optimize: 'O3',
  ...sourceJobOptions(flags),
});

function documentOf(emit: CompileFlags['emit'], images: Outcome['images']): object {
  if (emit === 'i') return {};
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

/**
 * From device bitcode to fat binaries, on top of the compiler: every image of a container that is a module is melded
 * and compiled for the target that its entry names; finished code objects, and whatever else there is, pass through. A
 * module alone becomes a fat binary with one code object per target.
 */
import type { CallOptions, CompiledModule, ModuleCompiler, SourceCallOptions } from './api.js';
import type { SourceOptions } from '../frontend/options.js';
import { DarmError } from '../errors.js';
import { parseElf } from '../formats/elf.js';
import { targetIdOf } from '../formats/elf-target.js';
import { writeBundle } from '../formats/offload/bundle.js';
import { writeCompressed } from '../formats/offload/compressed.js';
import {
  readContainer,
  replaceImages,
  replaceInPart,
  type PlainPart,
  type WritePart,
} from '../formats/offload/container.js';
import { HOST_ID, imageContent, imageId, imageNameFor, type OffloadImage } from '../formats/offload/image.js';
import type { JobOptions } from '../job/options.js';
import { checkSameSettings, parseTargetId } from '../job/target-id.js';

/** What is emitted is settled, and the images of a container say for which processors. */
export type FatBinaryOptions = Omit<Partial<JobOptions>, 'emit' | 'mcpu'>;

export interface ContainerOptions extends FatBinaryOptions {
  /** Most bytes that compressed bundles may have together when uncompressed; default: 512 MiB. */
  readonly maxUncompressed?: number;
}

export interface FatBinaryImage {
  /** Name of the entry in the input; in a fat binary that is made from a module, in the output. */
  readonly id: string;
  readonly target: string;
  /** What went into the output. */
  readonly bytes: Uint8Array;
  /** Null: passed through. */
  readonly compiled: CompiledModule | null;
}

export interface FatBinaryResult {
  readonly bytes: Uint8Array;
  /** In the container's order. */
  readonly images: readonly FatBinaryImage[];
}

/**
 * Melds and compiles the modules in a container, side by side, and puts it together again: same kind, same compression.
 * A bundle in which every device image was a module becomes what clang writes for HIP: a host entry in front, code
 * objects at pages, entries of kind `hipv4`. From any other, everything that is not compiled comes back bit by bit;
 * when nothing is compiled, so does the whole container.
 */
export async function compileContainer(
  compiler: ModuleCompiler,
  bytes: Uint8Array,
  given: ContainerOptions = {},
  call: CallOptions = {},
): Promise<FatBinaryResult> {
  if (typeof given !== 'object' || given === null)
    throw new DarmError('usage', 'the options of compileContainer() must be an object');
  const { maxUncompressed, ...options } = given;
  const container = await readContainer(bytes, maxUncompressed);
  for (const image of container.images) if (isModule(image)) checkTarget(image);
  const results = await all(
    container.images.map(async (image) =>
      isModule(image) ? compileImage(compiler, image, options, call) : { compiled: null, bytes: image.bytes },
    ),
  );
  const replacements = new Map<number, Uint8Array>();
  results.forEach(({ compiled, bytes }, index) => {
    if (compiled !== null) replacements.set(index, bytes);
  });
  const images = container.images.map(({ id, target }, index) => ({ id, target, ...results[index]! }));
  return { bytes: await replaceImages(container, replacements, writeFatBinary), images };
}

/**
 * A fat binary from a module or from source: an offload bundle with an empty entry for the host and a code object per
 * target.
 *
 * @param targets target ids; none: the processor that the functions name
 */
export async function compileFatBinary(
  compiler: ModuleCompiler,
  input: Uint8Array | string,
  targets: readonly string[] = [],
  options: FatBinaryOptions | (SourceOptions & FatBinaryOptions) = {},
  call: CallOptions & SourceCallOptions = {},
): Promise<FatBinaryResult> {
  // A copy has no holes, which `some` leaves out.
  if (!Array.isArray(targets as unknown) || [...targets].some((target: unknown) => typeof target !== 'string'))
    throw new DarmError('usage', 'the targets must be an array of strings');
  if (new Set(targets).size !== targets.length) throw new DarmError('usage', 'a target is named twice');
  const wanted = targets.length === 0 ? [null] : targets;
  const results = await all(wanted.map((mcpu) => compiler.compile(input, { ...options, emit: ['hsaco'], mcpu }, call)));
  const images = results.map((compiled) => {
    const code = compiled.artifacts[0]!.bytes;
    const { id, target } = imageNameFor(targetIdOf(parseElf(code).flags));
    return { id, target, bytes: code, compiled };
  });
  // Flags may have completed a target.
  if (new Set(images.map(({ id }) => id)).size !== images.length)
    throw new DarmError('usage', 'a target is named twice');
  checkSameSettings(images.map(({ target }) => target));
  const bundle = writeBundle([{ id: HOST_ID, bytes: new Uint8Array(0) }, ...images]);
  const { flags = [] } = options as Partial<SourceOptions>;
  return { bytes: (await areCompressed(flags)) ? await writeCompressed(bundle, 'zstd', 3) : bundle, images };
}

/** Whether clang's flags ask for compressed fat binaries. By default, clang compresses none. */
export async function areCompressed(flags: readonly string[]): Promise<boolean> {
  const { parseFlags } = await import('../frontend/flags.js');
  return parseFlags(flags).compressed;
}

/** Waits for all, then throws the first error in order: which one it is does not depend on timing. */
async function all<T>(jobs: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(jobs);
  return settled.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}

/** Bitcode is one whatever it is for; text may be, for other targets, something finished (PTX). */
function isModule({ kind, triple, bytes }: OffloadImage): boolean {
  if (kind === 'host') return false;
  const content = imageContent(bytes);
  return content === 'bitcode' || (content === 'text' && triple.startsWith('amdgcn'));
}

function checkTarget({ id, target }: OffloadImage): void {
  try {
    parseTargetId(target === '' ? null : target);
  } catch (error) {
    // It is the container that says so, not the command line.
    throw error instanceof DarmError ? new DarmError('bad-input', `image ${id}: ${error.message}`) : error;
  }
}

async function compileImage(
  compiler: ModuleCompiler,
  { id, target, bytes }: OffloadImage,
  options: FatBinaryOptions,
  call: CallOptions,
): Promise<{ compiled: CompiledModule; bytes: Uint8Array }> {
  try {
    const job = { ...options, emit: ['hsaco'] as const, mcpu: target === '' ? null : target };
    const compiled = await compiler.compile(bytes, job, call);
    return { compiled, bytes: compiled.artifacts[0]!.bytes };
  } catch (error) {
    if (!(error instanceof DarmError) || error.code === 'usage' || error.code === 'aborted') throw error;
    throw new DarmError(error.code, `image ${id}: ${error.message}`, error.location);
  }
}

const writeFatBinary: WritePart = (part, replacements) => {
  const isKept = ({ kind, span }: OffloadImage, index: number): boolean =>
    kind !== 'host' && span.size > 0 && !replacements.has(index);
  if (part.format === 'offload-binary' || (part.format === 'bundle' && part.images.some(isKept)))
    return replaceInPart(part, replacements);
  return writeBundle(fatBinaryEntries(part, replacements));
};

function fatBinaryEntries(
  { images }: PlainPart,
  replacements: ReadonlyMap<number, Uint8Array>,
): Pick<OffloadImage, 'id' | 'bytes'>[] {
  const entries = images.map(({ id, kind, triple, target, bytes }, index) => {
    const code = replacements.get(index);
    if (code === undefined) return { id, bytes };
    return { id: kind === 'hip' ? imageId('hipv4', triple, target) : id, bytes: code };
  });
  const hasHost = images.some(({ kind }) => kind === 'host');
  return hasHost ? entries : [{ id: HOST_ID, bytes: new Uint8Array(0) }, ...entries];
}

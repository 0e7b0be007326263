/**
 * Finds LLVM's WebAssembly code, unpacks it once and compiles it. It is in two parts: what a first compilation calls,
 * and the rest, which is needed only when something in it is called (`wasm-split`, see build.sh). A third file is the
 * memory that an instance starts with. The package ships them compressed (`wasm/dist/*.br`). The first use writes the
 * unpacked files beside them or, where that folder is read-only, into a folder of the user's among the temporary files,
 * under names with the content's hash.
 */
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { DarmError } from '../errors.js';
import { ioError, privateTemporaryFolder, writeAtomically } from '../files.js';

export interface Manifest {
  readonly llvm: string;
  readonly emscripten: string;
  readonly compileFlags: string;
  readonly linkFlags: string;
  /** SHA-256 of every file the module was built from, by its path in the repository. */
  readonly sources: Readonly<Record<string, string>>;
  readonly module: FileFacts;
  /** The rest of the code; null in a build for debugging, whose module is whole. */
  readonly rest: FileFacts | null;
  /** What an instance's memory starts with, from the constants on; null in a build whose instances make it themselves. */
  readonly memory: FileFacts | null;
  /** The range of addresses in an instance's memory that holds constant data. */
  readonly constants: { readonly start: number; readonly end: number };
  /** By name, `*.br`. */
  readonly compressed: Readonly<Record<string, FileFacts>>;
  readonly loader: FileFacts;
  /** clang; null in a build without it. */
  readonly frontend: FrontendManifest | null;
}

export interface FrontendManifest {
  readonly module: FileFacts;
  readonly rest: FileFacts | null;
  readonly memory: FileFacts | null;
  readonly constants: { readonly start: number; readonly end: number };
  readonly loader: FileFacts;
  /** Headers and device libraries. */
  readonly image: FileFacts;
  /** Where the image's files come from. */
  readonly origins: readonly Readonly<Record<'package' | 'version' | 'file' | 'sha256' | 'licence', string>>[];
  /** The processors that there are device libraries for, as in the names of the libraries: `906`, `9-4-generic`. */
  readonly processors: readonly string[];
}

export interface FileFacts {
  readonly bytes: number;
  readonly sha256: string;
}

/** LLVM, compiled: what instances are made of. It can be posted to other threads. */
export interface LlvmCode {
  readonly first: WebAssembly.Module;
  /** `unread`: an instance has only the first part, and calls into the rest trap. Null: the first part is all. */
  readonly rest: WebAssembly.Module | 'unread' | null;
  /** Null: the first part holds it as data. */
  readonly memory: StartingMemory | null;
  /** Whether the first part is optimised code that was made before. */
  readonly prepared: boolean;
}

/** What the memory of an instance holds at first: zeros, except in one range. */
export interface StartingMemory {
  readonly start: number;
  readonly bytes: number;
  /** The file that it is in, or, where that may change, itself. */
  readonly content: string | Uint8Array<SharedArrayBuffer>;
}

/** The folder of the WebAssembly module. The environment variable `DARM_WASM` names another one, for debug builds. */
export function moduleFolder(): string {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  return process.env['DARM_WASM'] ? path.resolve(process.env['DARM_WASM']) : path.join(root, 'wasm', 'dist');
}

async function readPackaged(name: string, folder = moduleFolder()): Promise<Buffer> {
  const file = path.join(folder, name);
  return readFile(file).catch((error) => Promise.reject(ioError('read', file, error)));
}

export async function readManifest(folder = moduleFolder()): Promise<Manifest> {
  return JSON.parse((await readPackaged('manifest.json', folder)).toString('utf8')) as Manifest;
}

const unpackedName = (part: string, { sha256: hash }: FileFacts, extension: string): string =>
  `${part}.${hash.slice(0, 16)}.${extension}`;

/**
 * The bytes of an unpacked file. The package's own folder is trusted as far as darm's code is, which lies beside it:
 * there the size tells a whole file from half of one. A folder for temporary files is shared with others, so what lies
 * in ours there is checked by its hash.
 */
export async function readPart(part: string, facts: FileFacts, extension = 'wasm'): Promise<Uint8Array<ArrayBuffer>> {
  const { bytes: size, sha256: hash } = facts;
  const folder = moduleFolder();
  const name = unpackedName(part, facts, extension);
  const packaged = path.join(folder, name);
  const found = await readFile(packaged).catch(() => null);
  if (found?.length === size) return found;

  const folders = [folder];
  const temporary = await privateTemporaryFolder();
  if (temporary !== null) {
    const kept = await readFile(path.join(temporary, name)).catch(() => null);
    if (kept !== null && sha256(kept) === hash) return kept;
    folders.push(temporary);
  }
  const bytes = await promisify(brotliDecompress)(await readPackaged(`${part}.${extension}.br`));
  if (sha256(bytes) !== hash)
    throw new DarmError('internal', 'the compiled module is damaged: its hash is not the one in manifest.json');
  for (const each of folders)
    try {
      await writeAtomically(path.join(each, name), bytes);
      break;
    } catch {
      // Where nothing can be written, every process unpacks for itself.
    }
  return bytes as Uint8Array<ArrayBuffer>;
}

/** The package's own file is read by each instance for itself: without a copy in between, into its memory. */
export async function findMemory(
  part: string,
  start: number,
  facts: FileFacts,
  extension = 'memory',
): Promise<StartingMemory> {
  const file = path.join(moduleFolder(), unpackedName(part, facts, extension));
  const found = await stat(file).catch(() => null);
  if (found?.size === facts.bytes) return { start, bytes: facts.bytes, content: file };
  const bytes = await readPart(part, facts, extension);
  const content = new Uint8Array(new SharedArrayBuffer(bytes.length));
  content.set(bytes);
  return { start, bytes: bytes.length, content };
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** What the process began before it knew what it was for. */
let begun: Promise<LlvmCode> | null = null;

/** Begins to read and compile. The next caller of `compileFirst` gets the result, or the error. */
export function beginCompiling(compile: () => Promise<LlvmCode>): void {
  begun = compile();
  begun.catch(() => {});
}

/**
 * Makes a module of the first part.
 *
 * @param isWhole whether that is all of LLVM, in a build for debugging
 */
export type MakeFirst = (
  bytes: Uint8Array<ArrayBuffer>,
  facts: FileFacts,
  isWhole: boolean,
) => Promise<Pick<LlvmCode, 'first' | 'prepared'>>;

export const compileLazily: MakeFirst = async (bytes) => ({ first: await compileBytes(bytes), prepared: false });

/** All of LLVM, once per process. */
export async function compileLlvm(make: MakeFirst = compileLazily): Promise<LlvmCode> {
  return compileRest(await (takeBegun() ?? readManifest().then((facts) => compileWhole('llvm', 'rest', facts, make))));
}

/** The part of LLVM that a first compilation needs, or what the process has begun to compile. */
export async function compileFirst(make: MakeFirst = compileLazily): Promise<LlvmCode> {
  return takeBegun() ?? compileParts('llvm', null, await readManifest(), make);
}

function takeBegun(): Promise<LlvmCode> | null {
  const code = begun;
  begun = null;
  return code;
}

/** Adds what is missing. */
export async function compileRest(code: LlvmCode): Promise<LlvmCode> {
  if (code.rest !== 'unread') return code;
  const { rest } = await readManifest();
  return { ...code, rest: rest === null ? null : await compileBytes(await readPart('rest', rest)) };
}

/** What the manifest says of LLVM and of clang. */
type ModuleFacts = Pick<Manifest, 'module' | 'rest' | 'memory' | 'constants'>;

/**
 * Both parts of a module. The rest comes first, because its functions are compiled lazily: it takes little, and while
 * the first part is compiled ahead, so would be what is begun beside it.
 */
export async function compileWhole(
  first: string,
  rest: string,
  facts: ModuleFacts,
  make: MakeFirst,
): Promise<LlvmCode> {
  const restModule = facts.rest === null ? null : readPart(rest, facts.rest).then(compileBytes);
  return compileParts(first, restModule, facts, make);
}

async function compileParts(
  name: string,
  rest: Promise<WebAssembly.Module | null> | null,
  { module, rest: restFacts, memory: memoryFacts, constants }: ModuleFacts,
  make: MakeFirst,
): Promise<LlvmCode> {
  const found = memoryFacts === null ? null : findMemory(name, constants.start, memoryFacts);
  const read = readPart(name, module);
  // What fails is thrown where it is waited for.
  for (const each of [found, read]) each?.catch(() => {});
  const isWhole = restFacts === null;
  const restModule = rest === null ? (isWhole ? null : 'unread') : await rest;
  const code = await make(await read, module, isWhole);
  return { ...code, rest: restModule, memory: await found };
}

export async function compileBytes(bytes: Uint8Array<ArrayBuffer>): Promise<WebAssembly.Module> {
  // V8's threads do not keep a process alive while they compile.
  const awake = setInterval(() => {}, 2 ** 30);
  try {
    return await WebAssembly.compile(bytes);
  } finally {
    clearInterval(awake);
  }
}

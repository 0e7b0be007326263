/**
 * LLVM's WebAssembly code, compiled once. It is in two parts: what a first compilation calls, and the rest, which is
 * needed only when something in it is called (`wasm-split`, see build.sh). A third file is the memory that an instance
 * starts with. Where the files lie is the platform's affair.
 */
import { platform } from '../platform/index.js';
import type { FileFacts, ModulePart } from '../platform/interface.js';

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

export type { FileFacts };

/** LLVM, compiled: what instances are made of. It can be posted to other threads. */
export interface LlvmCode {
  readonly first: WebAssembly.Module;
  /** Null: the first part is all. */
  readonly rest: WebAssembly.Module | null;
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
  readonly content: string | Uint8Array;
}

export async function readManifest(): Promise<Manifest> {
  return JSON.parse(await platform.readManifest()) as Manifest;
}

/** The bytes of an unpacked file. */
export const readPart = (part: string, facts: FileFacts, extension = 'wasm'): Promise<Uint8Array<ArrayBuffer>> =>
  platform.readPart(part, facts, extension);

/** @param start where it lies in an instance's memory */
export async function findMemory(
  part: string,
  start: number,
  facts: FileFacts,
  extension = 'memory',
): Promise<StartingMemory> {
  return { start, bytes: facts.bytes, content: await platform.findMemory(part, facts, extension) };
}

/** What the process began before it knew what it was for. */
let begun: Promise<LlvmCode> | null = null;

/** Begins to read and compile. The next caller of `compileLlvm` gets the result, or the error. */
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
  part: ModulePart,
  facts: FileFacts,
  isWhole: boolean,
) => Promise<Pick<LlvmCode, 'first' | 'prepared'>>;

export const compileLazily: MakeFirst = async (part) => ({ first: await part.compile(), prepared: false });

/** LLVM, once per process, or what the process has begun to compile. */
export async function compileLlvm(make: MakeFirst = compileLazily): Promise<LlvmCode> {
  const code = begun;
  begun = null;
  return code ?? compileParts('llvm', 'rest', await readManifest(), make);
}

/** What the manifest says of LLVM and of clang. */
type ModuleFacts = Pick<Manifest, 'module' | 'rest' | 'memory' | 'constants'>;

/**
 * Both parts of a module. The rest comes first, because its functions are compiled lazily: it takes little, and while
 * the first part is compiled ahead, so would be what is begun beside it.
 */
export async function compileParts(
  name: string,
  restName: string,
  { module, rest: restFacts, memory: memoryFacts, constants }: ModuleFacts,
  make: MakeFirst,
): Promise<LlvmCode> {
  const found = memoryFacts === null ? null : findMemory(name, constants.start, memoryFacts);
  // What fails is thrown where it is waited for.
  found?.catch(() => {});
  const first = platform.openModule(name, module);
  const rest = restFacts === null ? null : await platform.openModule(restName, restFacts).compile();
  const code = await make(first, module, rest === null);
  return { ...code, rest, memory: await found };
}

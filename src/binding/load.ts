/**
 * LLVM's WebAssembly code, compiled once. It is in three parts: what a first compilation of bitcode calls, what `-O3`
 * calls beside that, and the rest, which is needed only when something in it is called (`wasm-split`, see build.sh).
 * What is cold in the rest is a module of its own (platform/divide.ts), which is read only then. A fourth file is the
 * memory that an instance starts with. Where the files lie is the platform's affair.
 */
import { DarmError } from '../errors.js';
import { platform } from '../platform/index.js';
import type { ColdCode, FileFacts, ModulePart } from '../platform/interface.js';

export interface Manifest {
  readonly llvm: string;
  readonly emscripten: string;
  readonly compileFlags: string;
  readonly linkFlags: string;
  /** SHA-256 of every file the module was built from, by its path in the repository. */
  readonly sources: Readonly<Record<string, string>>;
  readonly module: FileFacts;
  /** The parts of the code beside the first, by name; none in a build for debugging, whose module is whole. */
  readonly further: FurtherParts;
  /**
   * What an instance's memory starts with, from the constants on; null in a build whose instances make it themselves.
   */
  readonly memory: FileFacts | null;
  /** The range of addresses in an instance's memory that holds constant data. */
  readonly constants: { readonly start: number; readonly end: number };
  /** By name, `*.br`. */
  readonly compressed: Readonly<Record<string, FileFacts>>;
  readonly loader: FileFacts;
  /** clang; null in a build without it. */
  readonly frontend: FrontendManifest | null;
}

/** LLVM's are `optimiser` and `rest`, clang's is `clang-rest`. */
export type FurtherParts = Readonly<Record<string, FileFacts>>;

export interface FrontendManifest {
  readonly module: FileFacts;
  readonly further: FurtherParts;
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

/** The parts of a module, compiled. */
export interface CodeParts extends FirstPart {
  /** They put functions into the first part's table. */
  readonly further: readonly FurtherPart[];
}

export interface FurtherPart {
  readonly module: WebAssembly.Module;
  /** The module of its cold functions, which is compiled when one of them is called; null where there is none. */
  readonly cold: ColdCode | null;
}

/** The first part, compiled. */
export interface FirstPart {
  readonly first: WebAssembly.Module;
  /** Whether it is optimised code that was made before. */
  readonly prepared: boolean;
}

/** LLVM, compiled: what instances are made of. It can be posted to other threads. */
export interface LlvmCode extends CodeParts {
  /** Null: the first part holds it as data. */
  readonly memory: StartingMemory | null;
}

/** LLVM, of which parts may still be compiled. What an instance needs beside them can be done meanwhile. */
export interface ComingCode extends Pick<LlvmCode, 'memory'> {
  readonly parts: Promise<CodeParts>;
}

/** What an instance reads for itself. */
export interface KeptFile {
  readonly bytes: number;
  /** The file that it is in, or, where that may change, itself. */
  readonly content: string | Uint8Array;
}

/** What the memory of an instance holds at first: zeros, except in one range. */
export interface StartingMemory extends KeptFile {
  readonly start: number;
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
  return { start, bytes: facts.bytes, content: await platform.find(part, facts, extension) };
}

/** Unpacks every file of LLVM and of clang, so that no later process has to. @throws DarmError `io` */
export async function unpackAll(): Promise<void> {
  const { frontend, ...llvm } = await readManifest();
  const unpack = async (part: string, facts: FileFacts | null, extension?: string): Promise<void> =>
    void (facts && (await readPart(part, facts, extension)));
  for (const [name, all] of [['llvm', llvm] as const, ...(frontend ? [['clang', frontend] as const] : [])]) {
    // With what is cold in them.
    for (const [part, facts] of Object.entries({ [name]: all.module, ...all.further })) await unpack(part, facts);
    await unpack(name, all.memory, 'memory');
  }
  await unpack('headers', frontend?.image ?? null, 'image');
}

/** How the parts of a module are compiled. */
export interface Make {
  /** @param isWhole whether that is all of LLVM, in a build for debugging */
  first(part: ModulePart, facts: FileFacts, isWhole: boolean): Promise<FirstPart>;
  /** The further parts that are begun with the first, and made as `ahead` does. */
  readonly needed: readonly string[];
  /** With its functions, on all processors. */
  ahead(part: ModulePart, facts: FileFacts): Promise<WebAssembly.Module>;
  /** Without its functions: each is compiled when it is called. */
  lazily(part: ModulePart): Promise<WebAssembly.Module>;
}

export const compileLazily: Make = {
  first: async (part) => ({ first: await part.compile(), prepared: false }),
  needed: [],
  ahead: (part) => part.compile(),
  lazily: (part) => part.compile(),
};

/** A module whose first part is being read and compiled. `finish` does what needs this thread. */
export interface BegunCode {
  finish(): Promise<ComingCode>;
}

/** What the process began before it knew what it was for. */
let begun: Promise<BegunCode> | null = null;

/** Begins to read and compile LLVM. The next caller of `loadLlvm` gets the result, or the error. */
export function beginLlvm(make: Make): void {
  begun = beginParts('llvm', readManifest(), make);
  begun.catch(() => {});
}

/** LLVM, once per process, or what the process has begun to compile. */
export async function loadLlvm(make: Make = compileLazily): Promise<ComingCode> {
  const code = begun ?? beginParts('llvm', readManifest(), make);
  begun = null;
  return (await code).finish();
}

/** As `loadLlvm`, when all of it is there. */
export const compileLlvm = async (make?: Make): Promise<LlvmCode> => arrived(await loadLlvm(make));

export async function arrived(code: ComingCode | LlvmCode): Promise<LlvmCode> {
  return 'parts' in code ? { ...(await code.parts), memory: code.memory } : code;
}

/** What the manifest says of LLVM and of clang. */
type ModuleFacts = Pick<Manifest, 'module' | 'further' | 'memory' | 'constants'>;

/** @throws DarmError `usage` where Node was started without WebAssembly */
export function requireWebAssembly(): void {
  if (typeof WebAssembly === 'undefined')
    throw new DarmError('usage', 'this process has no WebAssembly, without which LLVM cannot run (--jitless)');
}

/** Begins with what is compiled ahead, on other threads. */
export async function beginParts(
  name: 'llvm' | 'clang',
  facts: ModuleFacts | Promise<ModuleFacts>,
  make: Make,
): Promise<BegunCode> {
  requireWebAssembly();
  const { module, further, memory, constants } = await facts;
  const names = Object.keys(further);
  const open = (part: string): ModulePart => platform.openModule(part, further[part]!);
  const first = make.first(platform.openModule(name, module), module, names.length === 0);
  const needed = new Map(
    make.needed.filter((part) => names.includes(part)).map((part) => [part, make.ahead(open(part), further[part]!)]),
  );
  // What fails is thrown where it is waited for.
  for (const coming of [first, ...needed.values()]) coming.catch(() => {});
  return {
    async finish() {
      // A first use unpacks all of them, side by side.
      const found = memory && findMemory(name, constants.start, memory);
      found?.catch(() => {});
      const lazy = new Map(names.filter((part) => !needed.has(part)).map((part) => [part, make.lazily(open(part))]));
      // When one fails, the others are waited for all the same: nothing goes on after the error.
      await Promise.allSettled(lazy.values());
      const all = names.map(async (part): Promise<FurtherPart> => {
        const own = further[part]!;
        const cold = own.division === undefined ? null : platform.findCold(part, own);
        cold?.catch(() => {});
        return { module: await (needed.get(part) ?? lazy.get(part))!, cold: await cold };
      });
      const parts = Promise.all([first, Promise.all(all)]).then(([made, rest]) => ({ ...made, further: rest }));
      parts.catch(() => {});
      return { parts, memory: await found };
    },
  };
}

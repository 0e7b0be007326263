/**
 * What compiling needs of the machine that it runs on, beside JavaScript and WebAssembly. Node's side is node.ts; the
 * explorer's page has its own (page/platform.ts), which its build puts in the place of index.ts. So everything from the
 * binding to the tasks of a worker runs in a browser as it runs in Node, and nothing of it imports Node's modules.
 */
import type { FileFacts as FoundFile, Lookup } from '../job/source.js';

/** A file of the package, as manifest.json describes it. */
export interface FileFacts {
  readonly bytes: number;
  readonly sha256: string;
  /** What is repaired in the file when it has been unpacked: bytes, in hexadecimal, from an offset on. */
  readonly repairs?: readonly { readonly at: number; readonly bytes: string }[];
  /** Of a part that is divided when it has been unpacked. The facts beside it are those of the functions called. */
  readonly division?: Division;
}

/** See divide.ts. */
export interface Division {
  /** What is shipped, compressed. */
  readonly whole: FileFacts;
  /** The file of the functions that no training called: the part's, with the extension `cold`. */
  readonly cold: FileFacts;
  /** A bit for each function, whether training called it; in base64. */
  readonly called: string;
}

/**
 * What is cold in a part: the bytes, or the file that they are in. A file that others may have written has more said
 * about it, by which it is checked and, where it does not hold, unpacked once more.
 */
export type ColdCode =
  Uint8Array | { readonly file: string; readonly bytes: number; readonly checked: CheckedBy | null };

export interface CheckedBy {
  readonly part: string;
  readonly division: Division;
}

/** Files of the host, for `#include`. */
export interface Disk {
  stat(file: string): FoundFile;
  /** Null when it cannot be read. */
  read(file: string): Uint8Array | null;
  /** Its only name: without links, and from the root. The name itself where there is no such file. */
  realPath(file: string): string;
  /** From the root. */
  absolute(file: string): string;
  hash(content: Uint8Array): string;
  /** Whether the disk still answers what it answered. */
  isUnchanged(lookup: Lookup): boolean;
}

/** A part of a module, which may be on its way. */
export interface ModulePart {
  /**
   * Calls `consume` with the bytes, which are there until it returns: long enough for an engine to copy them.
   *
   * @throws DarmError `io`, or `internal` when the bytes are not those of the manifest
   */
  use<T>(consume: (bytes: Uint8Array<ArrayBuffer>) => T | Promise<T>): Promise<T>;
  /** The engine's threads are given time meanwhile. @throws as `use` */
  compile(): Promise<WebAssembly.Module>;
}

export interface Platform {
  /** manifest.json of the compiled modules. */
  readManifest(): Promise<string>;
  /**
   * The bytes of a part, unpacked: `llvm`, `clang` and their further parts (`wasm`, and `cold` where they are divided),
   * `headers` (`image`).
   *
   * @throws DarmError `io`, or `internal` when the bytes are not those of the manifest
   */
  readPart(part: string, facts: FileFacts, extension: string): Promise<Uint8Array<ArrayBuffer>>;
  /** Begins to read `llvm`, `clang` or one of their further parts. */
  openModule(part: string, facts: FileFacts): ModulePart;
  /**
   * What each instance reads for itself, if at all: a name that `fill` knows, or the bytes. Other threads can use it.
   */
  find(part: string, facts: FileFacts, extension: string): Promise<string | Uint8Array>;
  /** Reads what `find` named, from a byte on. @throws DarmError `io` */
  fill(place: Uint8Array, content: string, from?: number): void;
  /** Finds what is cold in a divided part, and does not read it where that can wait. Other threads can use it. */
  findCold(part: string, facts: FileFacts): Promise<ColdCode>;
  /** At once on this thread. @throws DarmError `io`, or `internal` when the bytes are not those of the manifest */
  readCold(cold: ColdCode): Uint8Array<ArrayBuffer>;
  /** At once on this thread, without the module's functions: each is compiled when it is called. */
  compileNow(bytes: Uint8Array<ArrayBuffer>): WebAssembly.Module;
  /** Where the loader of a module is to be imported from. */
  loaderUrl(name: string): string;
  /**
   * Gives memory of WebAssembly back that nothing refers to any more, where the engine can be told to: it may see no
   * reason by itself, since its own heap has not grown.
   */
  dropMemory(): Promise<void>;
  /** Lets the engine do on this thread what waits for it. */
  nextTurn(): Promise<void>;
  /** In hexadecimal. */
  sha256(text: string, bytes: Uint8Array): Promise<string>;
  /** Null where source cannot include files of the host. */
  readonly disk: Disk | null;
}

/** Source on its way to bitcode, as plain data: what a worker is asked to translate, and what comes of it. */
import type { SourceDiagnostic } from '../errors.js';

/** What clang is to read and how: see frontend/cc1.ts. */
export interface SourceJob {
  /** Those of `clang -cc1`, the source's name last. */
  readonly arguments: readonly string[];
  readonly name: string;
  readonly source: Uint8Array;
  /** Headers that need no disk, by the name in `#include`. */
  readonly headers: ReadonlyMap<string, Uint8Array>;
  /** Whether includes may come from the host's disk. */
  readonly disk: boolean;
  /** Escape sequences for a terminal in the log. */
  readonly colors: boolean;
}

/** A file or folder of the disk that clang asked for. */
export interface Lookup {
  readonly path: string;
  /** SHA-256 of a file that was read; otherwise what there is: `nothing`, `folder`, `file`, `other`. */
  readonly found: string;
  /** Where links lead, if they do: one file under two names is read once, two equal ones are read twice. */
  readonly real?: string;
}

export interface Translation {
  /** Bitcode, or preprocessed text; null after an error. */
  readonly product: Uint8Array<ArrayBuffer> | null;
  /** What clang prints. */
  readonly log: string;
  readonly diagnostics: readonly SourceDiagnostic[];
  /** Files of the disk that were read, the source left out, in the order of reading. */
  readonly dependencies: readonly string[];
  /** Everything that was looked up on the disk. While all of it stays as it is, so does the result. */
  readonly lookups: readonly Lookup[];
  /** Of the name expressions, in their order. */
  readonly loweredNames: readonly string[];
  /** Milliseconds. */
  readonly time: number;
}

/** What clang asks for while it reads. */
export interface SourceFiles {
  stat(path: string): FileFacts;
  /** Null when it cannot be read. */
  read(path: string): Uint8Array | null;
}

export const enum FileKind {
  Nothing = 0,
  Folder = 1,
  File = 2,
  Other = 3,
}

export interface FileFacts {
  readonly kind: FileKind;
  readonly size: number;
  /** The same for the same file under another name. */
  readonly id: number;
}

/**
 * What clang finds when it looks for a file: the source itself, headers that came with it, and, where that is allowed,
 * the host's disk. The headers and libraries of the package are not here: the module has them
 * (wasm/frontend/files.cpp). Everything that was asked of the disk is written down, for the dependency file and for the
 * cache.
 */
import { createHash } from 'node:crypto';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { FileKind, type FileFacts, type Lookup, type SourceFiles, type SourceJob } from '../job/source.js';

/** Where headers that came with the source lie. */
export const HEADERS_FOLDER = '/.headers';

/** The largest file that can be included. */
const MAX_BYTES = 256 * 2 ** 20;

const NOTHING: FileFacts = { kind: FileKind.Nothing, size: 0, id: 0 };

export class JobFiles implements SourceFiles {
  readonly #job: SourceJob;
  readonly #memory = new Map<string, Uint8Array>();
  /** Folders of headers in memory. */
  readonly #folders = new Set<string>([HEADERS_FOLDER]);
  readonly #ids = new Map<string, number>();
  readonly #disk = new Map<string, DiskFile>();

  constructor(job: SourceJob) {
    this.#job = job;
    this.#add(path.posix.normalize(job.name), job.source);
    for (const [name, content] of job.headers) this.#add(path.posix.join(HEADERS_FOLDER, name), content);
  }

  /** clang looks for a file's folder first. */
  #add(file: string, content: Uint8Array): void {
    this.#memory.set(file, content);
    for (let folder = path.posix.dirname(file); !this.#folders.has(folder); folder = path.posix.dirname(folder))
      this.#folders.add(folder);
  }

  stat(name: string): FileFacts {
    const file = path.posix.normalize(name);
    const content = this.#memory.get(file);
    if (content !== undefined) return { kind: FileKind.File, size: content.length, id: this.#idOf(file) };
    if (this.#folders.has(file)) return { kind: FileKind.Folder, size: 0, id: this.#idOf(file) };
    if (!this.#job.disk || file.startsWith(`${HEADERS_FOLDER}/`)) return NOTHING;
    return this.#lookUp(file).facts;
  }

  read(name: string): Uint8Array | null {
    const file = path.posix.normalize(name);
    const content = this.#memory.get(file);
    if (content !== undefined || !this.#job.disk) return content ?? null;
    const found = this.#lookUp(file);
    try {
      return (found.content ??= readFileSync(file));
    } catch {
      return null;
    }
  }

  /** Files of the disk that were read, in that order, without the source. */
  dependencies(): string[] {
    return [...this.#disk].filter(([, { content }]) => content !== undefined).map(([file]) => file);
  }

  lookups(): Lookup[] {
    return [...this.#disk].map(([file, { facts, content }]) => ({
      path: path.resolve(file),
      found: content === undefined ? WORDS[facts.kind] : contentHash(content),
    }));
  }

  #lookUp(file: string): DiskFile {
    let found = this.#disk.get(file);
    if (found === undefined) {
      const facts = diskFacts(file);
      found = { facts: facts.kind === FileKind.Nothing ? NOTHING : { ...facts, id: this.#idOf(realPath(file)) } };
      this.#disk.set(file, found);
    }
    return found;
  }

  #idOf(file: string): number {
    let id = this.#ids.get(file);
    if (id === undefined) this.#ids.set(file, (id = this.#ids.size + 1));
    return id;
  }
}

interface DiskFile {
  readonly facts: FileFacts;
  content?: Uint8Array;
}

const WORDS = ['nothing', 'folder', 'file', 'other'] as const;

const contentHash = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return path.resolve(file);
  }
}

function diskFacts(file: string): FileFacts {
  try {
    const found = statSync(file);
    if (found.isDirectory()) return { kind: FileKind.Folder, size: 0, id: 0 };
    // A device or a pipe may be endless. Files of the system have no size.
    if (!found.isFile() || found.size > MAX_BYTES) return { kind: FileKind.Other, size: 0, id: 0 };
    return { kind: FileKind.File, size: found.size, id: 0 };
  } catch {
    return NOTHING;
  }
}

/** Whether the disk still answers what it answered. */
export function isUnchanged({ path: file, found }: Lookup): boolean {
  const { kind } = diskFacts(file);
  const word = WORDS[kind];
  if (word !== 'file' || found === 'file') return word === found;
  try {
    return contentHash(readFileSync(file)) === found;
  } catch {
    return false;
  }
}

/**
 * What clang finds when it looks for a file: the source itself, headers that came with it, the headers and libraries of
 * the package, and, where that is allowed, the host's disk. Everything that was asked of the disk is written down, for
 * the dependency file and for the cache.
 */
import { FileKind, type FileFacts, type Lookup, type SourceFiles, type SourceJob } from '../job/source.js';
import { platform } from '../platform/index.js';
import type { Disk } from '../platform/interface.js';
import { IMAGE_FOLDER, type PackageImage } from './image.js';
import { folderOf, joined, normalized } from './posix-path.js';
import { SUPPLEMENT, SUPPLEMENT_FOLDER } from './supplement.js';

/** Where headers that came with the source lie. */
export const HEADERS_FOLDER = '/.headers';

/** What is below is in memory, or nowhere. */
const IN_MEMORY = [`${HEADERS_FOLDER}/`, `${SUPPLEMENT_FOLDER}/`];

const isInImage = (file: string): boolean => file === IMAGE_FOLDER || file.startsWith(`${IMAGE_FOLDER}/`);

/**
 * Linux opens no file whose name has more bytes, and it has no fewer bytes than characters. A limit ends what would
 * double the name at every level, and find the file again: `#include __FILE__`.
 */
const LONGEST_NAME = 4095;

const NOTHING: FileFacts = { kind: FileKind.Nothing, size: 0, id: 0 };

const encoder = new TextEncoder();

export class JobFiles implements SourceFiles {
  /** Null where includes may not come from the disk. */
  readonly #disk: Disk | null;
  readonly #image: PackageImage;
  readonly #memory = new Map<string, Uint8Array>();
  /** Folders of headers in memory. */
  readonly #folders = new Set<string>([HEADERS_FOLDER]);
  /** What was read, by the name that it was read under. */
  readonly #read = new Map<string, Uint8Array>();
  readonly #ids = new Map<string, number>();
  /** What was asked of the disk. */
  readonly #found = new Map<string, DiskFile>();

  /** @param lean headers in the place of some of the package's, by their paths (lean.ts) */
  constructor({ name, source, headers, disk }: SourceJob, image: PackageImage, lean: ReadonlyMap<string, Uint8Array>) {
    this.#image = image;
    this.#disk = disk ? platform.disk : null;
    this.#add(normalized(name), source);
    for (const [header, text] of SUPPLEMENT) this.#add(joined(SUPPLEMENT_FOLDER, header), encoder.encode(text));
    for (const [header, content] of headers) this.#add(joined(HEADERS_FOLDER, header), content);
    for (const [file, content] of lean) this.#add(file, content);
  }

  /** clang looks for a file's folder first. */
  #add(file: string, content: Uint8Array): void {
    this.#memory.set(file, content);
    for (let folder = folderOf(file); !this.#folders.has(folder); folder = folderOf(folder)) this.#folders.add(folder);
  }

  stat(name: string): FileFacts {
    if (name.length > LONGEST_NAME) return NOTHING;
    const file = normalized(name);
    const content = this.#memory.get(file);
    if (content !== undefined) return { kind: FileKind.File, size: content.length, id: this.#idOf(file) };
    if (this.#folders.has(file)) return { kind: FileKind.Folder, size: 0, id: this.#idOf(file) };
    if (isInImage(file)) return { ...this.#image.stat(file), id: this.#idOf(file) };
    if (this.#disk === null || IN_MEMORY.some((folder) => file.startsWith(folder))) return NOTHING;
    return this.#lookUp(this.#disk, file).facts;
  }

  read(name: string): Uint8Array | null {
    if (name.length > LONGEST_NAME) return null;
    const file = normalized(name);
    const content = this.#contentOf(file);
    if (content !== null) this.#read.set(file, content);
    return content;
  }

  /** Everything that was read, by its name. */
  files(): ReadonlyMap<string, Uint8Array> {
    return this.#read;
  }

  #contentOf(file: string): Uint8Array | null {
    const content = this.#memory.get(file);
    if (content === undefined && isInImage(file)) return this.#image.read(file);
    if (content !== undefined || this.#disk === null) return content ?? null;
    const found = this.#lookUp(this.#disk, file);
    found.content ??= this.#disk.read(file);
    return found.content;
  }

  /** Files of the disk that were read, in that order, without the source. */
  dependencies(): string[] {
    return [...this.#found].filter(([, { content }]) => content !== null).map(([file]) => file);
  }

  lookups(): Lookup[] {
    const disk = this.#disk;
    if (disk === null) return [];
    return [...this.#found].map(([file, { facts, content, real }]) => {
      const path = disk.absolute(file);
      const found = content === null ? WORDS[facts.kind] : disk.hash(content);
      return real === null || real === path ? { path, found } : { path, found, real };
    });
  }

  #lookUp(disk: Disk, file: string): DiskFile {
    let found = this.#found.get(file);
    if (found === undefined) {
      const facts = disk.stat(file);
      const real = facts.kind === FileKind.Nothing ? null : disk.realPath(file);
      found = { facts: real === null ? NOTHING : { ...facts, id: this.#idOf(real) }, content: null, real };
      this.#found.set(file, found);
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
  /** Null until it is read. */
  content: Uint8Array | null;
  /** Null where there is nothing. */
  readonly real: string | null;
}

/** `Lookup.found` of what was not read, by kind. */
const WORDS = ['nothing', 'folder', 'file', 'other'] as const;

/**
 * The image of the package's headers and device libraries: one file, in the format that wasm/frontend/make-image.mjs
 * writes. A translation reads a tenth of it, so its files are read when clang opens them.
 */
import { FileKind } from '../job/source.js';
import { platform } from '../platform/index.js';

/** Where clang finds the image's files. The module would answer for `/.darm` itself, from an image in its memory. */
export const IMAGE_FOLDER = '/.package';

/** Numbers about each file: where its name and its content begin, and their lengths in bytes. */
const WORDS = 4;

interface ImageFile {
  readonly at: number;
  readonly bytes: number;
  /** Null until it is read. */
  content: Uint8Array | null;
}

export class PackageImage {
  readonly #image: string | Uint8Array;
  readonly #files = new Map<string, ImageFile>();
  readonly #folders = new Set<string>([IMAGE_FOLDER]);

  /**
   * Reads the names.
   *
   * @param image as `Platform.find` has it
   * @throws DarmError `io`
   */
  constructor(image: string | Uint8Array) {
    this.#image = image;
    const words = (at: number, count: number): Uint32Array => new Uint32Array(this.#bytes(at, 4 * count).buffer);
    const [count] = words(0, 1) as unknown as [number];
    const facts = words(4, WORDS * count);
    // The names are in front of the contents.
    const begin = 4 + facts.byteLength;
    const names = new TextDecoder().decode(this.#bytes(begin, facts[2]! - begin));
    for (let i = 0; i < facts.length; i += WORDS) {
      const name = `${IMAGE_FOLDER}/${names.substr(facts[i]! - begin, facts[i + 1])}`;
      this.#files.set(name, { at: facts[i + 2]!, bytes: facts[i + 3]!, content: null });
      this.#addFolders(name);
    }
  }

  #addFolders(name: string): void {
    const folder = name.slice(0, name.lastIndexOf('/'));
    if (this.#folders.has(folder)) return;
    this.#folders.add(folder);
    this.#addFolders(folder);
  }

  /** Without the folder. */
  names(): string[] {
    return [...this.#files.keys()].map((name) => name.slice(IMAGE_FOLDER.length + 1));
  }

  /** @param name a path below `IMAGE_FOLDER`, or that folder */
  stat(name: string): { readonly kind: FileKind; readonly size: number } {
    const file = this.#files.get(name);
    if (file !== undefined) return { kind: FileKind.File, size: file.bytes };
    return { kind: this.#folders.has(name) ? FileKind.Folder : FileKind.Nothing, size: 0 };
  }

  /** Null where there is no such file. @throws DarmError `io` */
  read(name: string): Uint8Array | null {
    const file = this.#files.get(name);
    if (file === undefined) return null;
    return (file.content ??= this.#bytes(file.at, file.bytes));
  }

  #bytes(at: number, bytes: number): Uint8Array {
    if (typeof this.#image !== 'string') return new Uint8Array(this.#image.subarray(at, at + bytes));
    const part = new Uint8Array(bytes);
    platform.fill(part, this.#image, at);
    return part;
  }
}

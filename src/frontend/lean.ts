/**
 * HIP's headers and clang's define hundreds of functions for every source, and reading them is most of clang's time. So
 * a source is given headers without the functions that it does not mention.
 *
 * Functions go by name, all overloads together, and one that is kept keeps what it mentions. What counts as mentioned:
 * every identifier in the source, in the arguments, in the headers that both include, and in the headers' other text
 * (`LEAN_INDEX`, which packaging/lean-index.ts makes and a test checks); and what can be pasted of them. The search has
 * to be complete. clang does not refuse every call of a function that was left out: of some in <cmath> a declaration
 * stays, and elsewhere another overload may do. Where it does refuse, the source is translated again with all headers.
 *
 * libc++'s <array> and <tuple>, which HIP's headers include and hardly use, are left out in the same way.
 */
import { LEAN_INDEX } from './lean-index.js';
import { IMAGE_FOLDER, type PackageImage } from './image.js';
import { SUPPLEMENT_FOLDER } from './supplement.js';

/** What packaging/lean-index.ts writes. Names are numbers: their places in `names`. */
export interface LeanIndex {
  /**
   * Of functions that can be left out, of macros and headers that mention some, and of the C++ library's headers that
   * can be left out. Functions that are mentioned where nothing can be left out are not among them.
   */
  readonly names: readonly string[];
  /** What macros and headers mention, by their own number. */
  readonly mentions: Readonly<Record<number, readonly number[]>>;
  /** The C++ library's headers that can be left out. */
  readonly libraries: readonly string[];
  /** Macros of the package's headers whose text has `##`. */
  readonly pasting: readonly string[];
  readonly headers: readonly LeanHeader[];
  /** The headers that every source reads: what they mention cannot be left out. */
  readonly read: readonly string[];
}

export interface LeanHeader {
  /** In the image. */
  readonly file: string;
  readonly chunks: readonly LeanChunk[];
}

/** Where it begins and how many bytes and lines it has, then what it may declare, then what it mentions. */
export type LeanChunk = readonly [number, number, number, readonly number[], readonly number[]];

/** The name of a header. */
export const INCLUDE = /^[ \t]*#[ \t]*include(?:_next)?[ \t]*[<"]([^>"\n]+)/gm;

/** How it is called among the names. */
export const mentionOf = (header: string): string => `<${header}>`;

let parsed: LeanIndex | null = null;
const index = (): LeanIndex => (parsed ??= JSON.parse(LEAN_INDEX) as LeanIndex);

let read: ReadonlySet<string> | null = null;
/** Whether what a file of the image mentions is known, or nothing. */
const isKnown = (file: string): boolean => /^(device|darm)\//.test(file) || (read ??= new Set(index().read)).has(file);

/** clang joins such lines before it looks for identifiers: the second is a trigraph of older standards. */
const BROKEN_LINE = /(?:\\|\?\?\/)[ \t\v\f]*(?:\r\n|\n|\r)/g;

/** The names that a source may use. */
export class MentionedNames {
  readonly #numbers: ReadonlyMap<string, number>;
  /** For each name, the chunks that may declare it, and what it mentions itself. */
  readonly #users: readonly (readonly number[])[];
  readonly #mentioned: Uint8Array;
  /** What `##` could join: the words of the source and of its own headers. */
  readonly #pieces = new Set<string>();
  readonly #pasting = new Set(index().pasting);
  readonly #scanned = new WeakSet<Uint8Array>();

  constructor() {
    const { names, mentions, headers } = index();
    this.#numbers = new Map(names.map((name, number) => [name, number]));
    const users: number[][] = names.map((_, number) => [...(mentions[number] ?? [])]);
    for (const { chunks } of headers)
      for (const [, , , declared, mentioned] of chunks) for (const name of declared) users[name]!.push(...mentioned);
    this.#users = users;
    this.#mentioned = new Uint8Array(names.length);
  }

  has(name: number): boolean {
    return this.#mentioned[name] === 1;
  }

  hasWord(word: string): boolean {
    return this.has(this.#numbers.get(word) ?? -1);
  }

  /** Text that is not the package's. @returns whether there is a name that was not mentioned before */
  addText(text: string): boolean {
    const before = this.#pieces.size;
    let isMore = false;
    // In raw strings, lines are not joined.
    for (const each of new Set([text, text.replace(BROKEN_LINE, '')])) {
      for (const [word] of each.matchAll(/\w+/g)) {
        if (this.#pieces.has(word)) continue;
        this.#pieces.add(word);
        // Names of symbols, or macros of the package that paste: what they mean is not looked for.
        const isOpen = word.startsWith('_Z') || this.#pasting.has(word);
        if (isOpen ? this.#addAll() : this.#addName(word)) isMore = true;
      }
      if (this.#addIncludes(each)) isMore = true;
    }
    if (this.#pieces.size > before && this.#addPasted()) isMore = true;
    return isMore;
  }

  /** As `addText`, whatever its name is. */
  addSource(content: Uint8Array): boolean {
    this.#scanned.add(content);
    return this.addText(characters(content));
  }

  /**
   * What files mention that were read.
   *
   * @param files by their names: those below `IMAGE_FOLDER` are the package's
   * @returns as `addText`
   */
  addFiles(files: Iterable<readonly [string, Uint8Array]>): boolean {
    let isMore = false;
    for (const [name, content] of files) {
      const isPackaged = name.startsWith(`${IMAGE_FOLDER}/`);
      if (this.#scanned.has(content) || (isPackaged && isKnown(name.slice(IMAGE_FOLDER.length + 1)))) continue;
      this.#scanned.add(content);
      // These mention headers, and functions of HIP's only to keep out of their way.
      if (name.startsWith(`${SUPPLEMENT_FOLDER}/`)) isMore = this.#addIncludes(characters(content)) || isMore;
      else if (isPackaged ? this.#addPackaged(characters(content)) : this.addSource(content)) isMore = true;
    }
    return isMore;
  }

  #addPackaged(text: string): boolean {
    let isMore = this.#addIncludes(text);
    for (const [word] of text.matchAll(/\w+/g)) if (this.#addName(word)) isMore = true;
    return isMore;
  }

  #addIncludes(text: string): boolean {
    let isMore = false;
    for (const [, header] of text.matchAll(INCLUDE)) if (this.#addName(mentionOf(header!))) isMore = true;
    return isMore;
  }

  #addName(name: string): boolean {
    const number = this.#numbers.get(name);
    return number !== undefined && this.#add(number);
  }

  /** Names that can be cut into pieces. */
  #addPasted(): boolean {
    let isMore = false;
    for (const [name, number] of this.#numbers)
      if (!this.has(number) && isMadeOf(name, this.#pieces) && this.#add(number)) isMore = true;
    return isMore;
  }

  #addAll(): boolean {
    const isMore = this.#mentioned.includes(0);
    this.#mentioned.fill(1);
    return isMore;
  }

  #add(name: number): boolean {
    if (this.has(name)) return false;
    this.#mentioned[name] = 1;
    for (const used of this.#users[name]!) this.#add(used);
    return true;
  }
}

export function isMadeOf(name: string, pieces: ReadonlySet<string>): boolean {
  /** Where the pieces so far may end. */
  const ends = [0];
  for (const begin of ends)
    for (let end = begin + 1; end <= name.length; end++)
      if (!ends.includes(end) && pieces.has(name.slice(begin, end))) {
        if (end === name.length) return true;
        ends.push(end);
      }
  return false;
}

/** One for each byte. What is no ASCII stands in comments only. */
const latin1 = new TextDecoder('latin1');
const characters = (bytes: Uint8Array): string => latin1.decode(bytes);

/**
 * The headers without what is not mentioned, by the paths of the package's, whose places they take. Lines keep their
 * numbers.
 */
export function leanHeaders(image: PackageImage, mentioned: MentionedNames): Map<string, Uint8Array> {
  const encoder = new TextEncoder();
  const files = new Map([[`${IMAGE_FOLDER}/${LEAN}/${PRINTING}`, encoder.encode(printing(PRINTING))]]);
  for (const { file, chunks } of index().headers) {
    const text = characters(image.read(`${IMAGE_FOLDER}/${file}`)!);
    let left = '';
    let at = 0;
    for (const [from, bytes, lines, declared] of chunks) {
      if (declared.some((each) => mentioned.has(each))) continue;
      left += text.slice(at, from) + '\n'.repeat(lines);
      at = from + bytes;
    }
    files.set(`${IMAGE_FOLDER}/${file}`, encoder.encode(left + text.slice(at)));
  }
  for (const name of index().libraries)
    if (!mentioned.hasWord(name)) files.set(`${IMAGE_FOLDER}/${LEAN}/${name}`, encoder.encode(unasked(name)));
  return files;
}

/** The folder in which the package has headers of its own with fewer contents (wasm/frontend/include/lean). */
export const LEAN = 'darm/lean';

const unasked = (name: string): string => `#ifndef __DARM_LEAN\n#include_next <${name}>\n#endif\n`;

/**
 * Of HIP's headers, the one that needs streams. All headers have them from <complex>. Libraries of kernels include it.
 */
const PRINTING = 'hip/amd_detail/amd_hip_bfloat16.h';

const printing = (name: string): string => `#include <ostream>\n#include_next <${name}>\n`;

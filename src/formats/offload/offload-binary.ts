/**
 * LLVM's OffloadBinary (llvm/Object/OffloadBinary.h), versions 1 and 2. All fields are u64 unless another size is
 * given.
 *
 * - Header: magic (u32), version (u32), size of the whole; then in version 1 the offset and size of the one entry, in
 *   version 2 the offset and number of the entries.
 * - Entry, 40 bytes: kind of image (u16), kind of offloading (u16), flags (u32), offset and number of its strings,
 *   offset and size of the image.
 * - String: offsets of a key and a value, both NUL-terminated; version 2 adds the size of the value.
 *
 * Tables and images are aligned to 8 bytes. Several binaries may follow one another, and with version 1 each has one
 * image.
 */
import { DarmError } from '../../errors.js';
import { ByteReader } from '../byte-reader.js';
import { checkCount, checkDisjoint } from './damage.js';
import { imageContent, imageId, parseImageId, type ImageName, type OffloadImage } from './image.js';
import { alignTo, layOut, type Replacements, type Slot } from './layout.js';

const MAGIC = 0xad10ff10;
const HEADER_BYTES = 32;
const ENTRY_BYTES = 40;
const ALIGNMENT = 8;
const MAX_STRING_BYTES = 2 ** 20;
/** The strings of all entries together have at most this many times the size of the binary. */
const MAX_SHARING = 16;

const ImageKind = { Object: 1, Bitcode: 2 } as const;
const OFFLOAD_KINDS: Readonly<Record<number, string>> = { 1: 'openmp', 2: 'cuda', 4: 'hip', 8: 'sycl' };

export interface OffloadBinary {
  readonly format: 'offload-binary';
  readonly version: number;
  readonly bytes: Uint8Array;
  readonly images: readonly OffloadImage[];
  /** The offset at which header, entries and strings end. */
  readonly head: number;
  /** Whether all images come after the head, as in the files that LLVM writes. Otherwise none can be replaced. */
  readonly imagesAreLast: boolean;
  readonly slots: readonly Slot[];
  /** Offsets of the entries. */
  readonly entries: readonly number[];
}

/** Reads the binary at the start of `bytes`, and ignores what follows it. */
export function readOffloadBinary(bytes: Uint8Array): OffloadBinary {
  const outer = new ByteReader(bytes, 'the offload binary');
  outer.check(0, HEADER_BYTES, 'the header');
  const version = outer.u32(4, 'the version');
  if (version !== 1 && version !== 2)
    throw new DarmError('bad-input', `the offload binary is of version ${version}; 1 and 2 are known`);
  const reader = new ByteReader(outer.slice(0, outer.u64(8, 'the size'), 'its end'), 'the offload binary');
  reader.check(0, HEADER_BYTES, 'the header');
  const table = reader.u64(16, 'the offset of the entries');
  const count = version === 1 ? 1 : reader.u64(24, 'the number of entries');
  if (version === 1 && reader.u64(24, 'the size of the entry') < ENTRY_BYTES)
    throw new DarmError('bad-input', 'the offload binary is damaged: its entry is too small');
  reader.check(table, count * ENTRY_BYTES, 'the table of entries');

  checkCount(count, 'the offload binary');

  const images: OffloadImage[] = [];
  const slots: Slot[] = [];
  const entries = Array.from({ length: count }, (_, i) => table + i * ENTRY_BYTES);
  const strings = new StringReader(reader, version);
  for (const at of entries) {
    const named = strings.ofEntry(at);
    const kind = reader.u16(at + 2, 'an entry');
    const id = imageId(OFFLOAD_KINDS[kind] ?? `kind${kind}`, named.get('triple') ?? '', named.get('arch') ?? '');
    const span = { offset: reader.u64(at + 24, 'an entry'), size: reader.u64(at + 32, 'an entry') };
    const image = reader.slice(span.offset, span.size, `the image of ${id}`);
    images.push({ ...parseImageId(id), bytes: image, span });
    slots.push({ span, bytes: image, offsetAt: at + 24, sizeAt: at + 32 });
  }
  checkDisjoint(images, HEADER_BYTES, 'the offload binary');
  const head = Math.max(HEADER_BYTES, table + count * ENTRY_BYTES, strings.end);
  const imagesAreLast = images.every(({ span }) => span.size === 0 || span.offset >= head);
  return { format: 'offload-binary', version, bytes: reader.bytes, images, head, imagesAreLast, slots, entries };
}

/**
 * Reads the strings of entries. Entries may use the same strings, so reading all strings of a small file could take
 * very long. Therefore the number of bytes that are read in all is limited, also in relation to the file's size.
 */
class StringReader {
  readonly #reader: ByteReader;
  readonly #version: number;
  #budget: number;
  /** The offset at which the last string ends. */
  end = 0;

  constructor(reader: ByteReader, version: number) {
    this.#reader = reader;
    this.#version = version;
    this.#budget = Math.min(MAX_STRING_BYTES, reader.length * MAX_SHARING);
  }

  ofEntry(entry: number): Map<string, string> {
    const stride = this.#version === 1 ? 16 : 24;
    const table = this.#reader.u64(entry + 8, 'an entry');
    const count = this.#reader.u64(entry + 16, 'an entry');
    this.#reader.check(table, count * stride, 'the strings of an entry');
    this.#take(table, count * stride);
    const strings = new Map<string, string>();
    for (let at = table; at < table + count * stride; at += stride) {
      const key = this.#terminated(this.#reader.u64(at, 'a string'), 'a key');
      const valueAt = this.#reader.u64(at + 8, 'a string');
      const size = this.#version === 1 ? null : this.#reader.u64(at + 16, 'a string');
      strings.set(key, size === null ? this.#terminated(valueAt, 'a value') : this.#sized(valueAt, size));
    }
    return strings;
  }

  #terminated(at: number, field: string): string {
    const text = this.#reader.string(at, Math.min(this.#reader.length, at + MAX_STRING_BYTES), field);
    this.#take(at, Buffer.byteLength(text) + 1);
    return text;
  }

  #sized(at: number, size: number): string {
    const text = this.#reader.slice(at, size, 'a value');
    this.#take(at, size);
    return new TextDecoder().decode(text);
  }

  #take(at: number, size: number): void {
    this.end = Math.max(this.end, at + size);
    this.#budget -= size;
    if (this.#budget < 0) throw new DarmError('bad-input', 'the offload binary is damaged: its strings are too long');
  }
}

export function replaceInOffloadBinary(binary: OffloadBinary, replacements: Replacements): Uint8Array {
  if (!binary.imagesAreLast)
    throw new DarmError(
      'bad-input',
      'the images of the offload binary are not behind its tables; none can be replaced',
    );
  const laidOut = layOut(binary.bytes, binary.head, binary.slots, replacements, ALIGNMENT);
  const result = new Uint8Array(alignTo(laidOut.length, ALIGNMENT));
  result.set(laidOut);
  const view = new DataView(result.buffer);
  view.setBigUint64(8, BigInt(result.length), true);
  for (const [index, bytes] of replacements) {
    const kind = imageKind(bytes);
    if (kind !== null) view.setUint16(binary.entries[index]!, kind, true);
  }
  return result;
}

function imageKind(bytes: Uint8Array): number | null {
  const content = imageContent(bytes);
  return content === 'elf' ? ImageKind.Object : content === 'bitcode' ? ImageKind.Bitcode : null;
}

/** Writes a binary of version 1 for each image, one after the other, as LLVM's tools do. */
export function writeOffloadBinaries(images: readonly (ImageName & { readonly bytes: Uint8Array })[]): Uint8Array {
  return Buffer.concat(images.map(writeOffloadBinary));
}

function writeOffloadBinary({
  id,
  kind,
  triple,
  target,
  bytes,
}: ImageName & { readonly bytes: Uint8Array }): Uint8Array {
  const offloadKind = Object.entries(OFFLOAD_KINDS).find(([, name]) => name === kind.replace(/^hipv4$/, 'hip'))?.[0];
  if (offloadKind === undefined)
    throw new DarmError('usage', `an offload binary has no entries of kind '${kind}', which ${id} is of`);
  const image = imageKind(bytes);
  if (image === null)
    throw new DarmError(
      'bad-input',
      `the image for ${id} is neither bitcode nor a code object, which an offload binary needs`,
    );
  const strings = [
    ['arch', target],
    ['triple', triple],
  ].map((pair) => pair.map((text) => new TextEncoder().encode(`${text}\0`)));
  const stringTable = HEADER_BYTES + ENTRY_BYTES;
  let text = stringTable + strings.length * 16;
  const imageAt = alignTo(
    strings.flat().reduce((sum, each) => sum + each.length, text),
    ALIGNMENT,
  );
  const result = new Uint8Array(alignTo(imageAt + bytes.length, ALIGNMENT));
  const view = new DataView(result.buffer);
  const u64 = (at: number, value: number): void => view.setBigUint64(at, BigInt(value), true);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, 1, true);
  u64(8, result.length);
  u64(16, HEADER_BYTES);
  u64(24, ENTRY_BYTES);
  view.setUint16(HEADER_BYTES, image, true);
  view.setUint16(HEADER_BYTES + 2, Number(offloadKind), true);
  u64(HEADER_BYTES + 8, stringTable);
  u64(HEADER_BYTES + 16, strings.length);
  u64(HEADER_BYTES + 24, imageAt);
  u64(HEADER_BYTES + 32, bytes.length);
  strings.flat().forEach((each, i) => {
    u64(stringTable + i * 8, text);
    result.set(each, text);
    text += each.length;
  });
  result.set(bytes, imageAt);
  return result;
}

/**
 * Makes one of the metadata notes of object files that will be linked together. lld puts notes of several objects one
 * behind the other, and loaders read the first.
 */
import { encode } from '@msgpack/msgpack';
import { DarmError } from '../errors.js';
import { elfNote, parseElf, SectionType } from './elf.js';
import { METADATA_NOTE } from './code-object.js';
import { decodeMessagePack } from './message-pack.js';

type Metadata = Record<string, unknown> & { 'amdhsa.kernels'?: { '.name': string }[] };

/**
 * The objects, of which the first describes the kernels of all and the others describe none.
 *
 * @param order names of kernels, as they are to be described
 */
export function mergeMetadata(objects: readonly Uint8Array[], order: readonly string[]): Uint8Array[] {
  const described = objects.map(metadataOf);
  const kernels = new Map(
    described.flatMap((metadata) => metadata['amdhsa.kernels'] ?? []).map((kernel) => [kernel['.name'], kernel]),
  );
  const inOrder = order.flatMap((name) => kernels.get(name) ?? []);
  const merged = encode({ ...described[0], 'amdhsa.kernels': inOrder });
  return objects.map((bytes, index) => withNotes(bytes, index === 0 ? note(merged) : new Uint8Array(0)));
}

function metadataOf(bytes: Uint8Array): Metadata {
  const { name, type } = METADATA_NOTE;
  const found = elfNote(parseElf(bytes), name, type);
  if (found === null) throw new DarmError('internal', 'an object of a part has no metadata');
  return decodeMessagePack(found, 'the metadata of a part') as Metadata;
}

const aligned = (size: number): number => Math.ceil(size / 4) * 4;

/** Three words (the sizes of name and contents, the type), the name, the contents. */
function note(contents: Uint8Array): Uint8Array {
  const { name, type } = METADATA_NOTE;
  const nameBytes = name.length + 1;
  const bytes = new Uint8Array(12 + aligned(nameBytes) + aligned(contents.length));
  const view = new DataView(bytes.buffer);
  [nameBytes, contents.length, type].forEach((word, index) => view.setUint32(4 * index, word, true));
  bytes.set(new TextEncoder().encode(name), 12);
  bytes.set(contents, 12 + aligned(nameBytes));
  return bytes;
}

/** The object with these bytes in place of its notes. They come at the end of the file. */
function withNotes(object: Uint8Array, notes: Uint8Array): Uint8Array {
  const section = parseElf(object).sections.find(({ type }) => type === SectionType.Note)!;
  const at = aligned(object.length);
  const bytes = new Uint8Array(at + notes.length);
  bytes.set(object);
  bytes.set(notes, at);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(section.headerOffset + 24, BigInt(at), true);
  view.setBigUint64(section.headerOffset + 32, BigInt(notes.length), true);
  return bytes;
}

/**
 * The binary form of clang's offload bundles (clang/docs/ClangOffloadBundler.rst). A bundle begins with 24 bytes of
 * magic and the number of entries (u64). An entry has the image's offset from the start of the bundle (u64), its size
 * (u64), the length of its id (u64), and the id. The images follow. There is no field for the size of the whole: a
 * bundle ends with its last image.
 */
import { DarmError } from '../../errors.js';
import { ByteReader } from '../byte-reader.js';
import { checkCount, checkDisjoint } from './damage.js';
import { parseImageId, type OffloadImage } from './image.js';
import { alignTo, CODE_OBJECT_ALIGNMENT, layOut, type Replacements, type Slot } from './layout.js';
import { BUNDLE_MAGIC } from './magic.js';

const HEADER_BYTES = 32;
const ENTRY_BYTES = 24;
/** HIP's runtime searches only this many bytes of a bundle for entries. */
const ENTRY_WINDOW = 4096;

export interface Bundle {
  readonly format: 'bundle';
  readonly bytes: Uint8Array;
  readonly images: readonly OffloadImage[];
  /** Length of header and entries. */
  readonly head: number;
  readonly slots: readonly Slot[];
}

/** Reads the bundle at the start of `bytes`, and ignores what follows it. */
export function readBundle(bytes: Uint8Array): Bundle {
  const reader = new ByteReader(bytes, 'the offload bundle');
  reader.check(0, HEADER_BYTES, 'the header');
  const count = reader.u64(24, 'the number of entries');
  checkCount(count, 'the offload bundle');
  const images: OffloadImage[] = [];
  const slots: Slot[] = [];
  let at = HEADER_BYTES;
  for (let i = 0; i < count; i++) {
    const offset = reader.u64(at, 'an entry');
    const size = reader.u64(at + 8, 'an entry');
    const idBytes = reader.slice(at + ENTRY_BYTES, reader.u64(at + 16, 'an entry'), 'the id of an entry');
    const id = new TextDecoder().decode(idBytes);
    const span = { offset, size };
    const image = reader.slice(offset, size, `the image of ${id}`);
    images.push({ ...parseImageId(id), bytes: image, span });
    slots.push({ span, bytes: image, offsetAt: at, sizeAt: at + 8 });
    at += ENTRY_BYTES + idBytes.length;
  }
  checkDisjoint(images, at, 'the offload bundle');
  const end = images.reduce((last, { span }) => Math.max(last, span.offset + span.size), at);
  return { format: 'bundle', bytes: bytes.subarray(0, end), images, head: at, slots };
}

export function replaceInBundle(bundle: Bundle, replacements: Replacements): Uint8Array {
  return layOut(bundle.bytes, bundle.head, bundle.slots, replacements, CODE_OBJECT_ALIGNMENT);
}

/**
 * Writes a bundle as clang does for HIP. Every image is aligned to a page; an empty image has the offset of the next
 * one.
 *
 * @throws DarmError `usage` when the entries do not fit into the first `ENTRY_WINDOW` bytes
 */
export function writeBundle(entries: readonly Pick<OffloadImage, 'id' | 'bytes'>[]): Uint8Array {
  const encoder = new TextEncoder();
  const ids = entries.map(({ id }) => encoder.encode(id));
  const head = ids.reduce((sum, id) => sum + ENTRY_BYTES + id.length, HEADER_BYTES);
  if (head > ENTRY_WINDOW)
    throw new DarmError('usage', `${entries.length} entries do not fit into the first 4096 bytes of a bundle`);
  let end = head;
  const offsets = entries.map(({ bytes }) => {
    const offset = alignTo(end, CODE_OBJECT_ALIGNMENT);
    end = offset + bytes.length;
    return offset;
  });
  const result = new Uint8Array(end);
  const view = new DataView(result.buffer);
  result.set(encoder.encode(BUNDLE_MAGIC));
  view.setBigUint64(24, BigInt(entries.length), true);
  let at = HEADER_BYTES;
  entries.forEach(({ bytes }, i) => {
    view.setBigUint64(at, BigInt(offsets[i]!), true);
    view.setBigUint64(at + 8, BigInt(bytes.length), true);
    view.setBigUint64(at + 16, BigInt(ids[i]!.length), true);
    result.set(ids[i]!, at + ENTRY_BYTES);
    result.set(bytes, offsets[i]!);
    at += ENTRY_BYTES + ids[i]!.length;
  });
  return result;
}

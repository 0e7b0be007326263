/**
 * Lays out the images of a container again when some of them are replaced. A container has a head (its tables), then
 * the images. The offsets and sizes in the tables are patched; every other byte of the head stays. An image that is not
 * replaced keeps its bytes, and its offset too unless larger images before it need the space. New and moved images keep
 * the alignment that the container had. New code objects are aligned to a page as well, because loaders map them.
 */
import { imageContent, type Span } from './image.js';

/** Alignment of code objects in the bundles that clang writes: a page. */
export const CODE_OBJECT_ALIGNMENT = 4096;

export const alignTo = (value: number, alignment: number): number => Math.ceil(value / alignment) * alignment;

/** An image, and the positions of the two 64-bit fields in the head that hold its offset and its size. */
export interface Slot {
  readonly span: Span;
  readonly bytes: Uint8Array;
  readonly offsetAt: number;
  readonly sizeAt: number;
}

/** New contents of images, by their index in the container. */
export type Replacements = ReadonlyMap<number, Uint8Array>;

/** The largest power of two, up to a page, that divides all the offsets. */
export function commonAlignment(offsets: readonly number[]): number {
  let alignment = offsets.length === 0 ? 1 : CODE_OBJECT_ALIGNMENT;
  while (offsets.some((offset) => offset % alignment !== 0)) alignment /= 2;
  return alignment;
}

interface Piece {
  readonly offset: number;
  readonly size: number;
  /** Whether the contents are new. Then the old offset is not kept. */
  readonly changed: boolean;
  readonly alignment: number;
}

/** New offsets for pieces in the order of their old ones, from `start` on. */
export function place(pieces: readonly Piece[], start: number): number[] {
  let end = start;
  return pieces.map(({ offset, size, changed, alignment }) => {
    const placed = !changed && offset >= end ? offset : alignTo(end, alignment);
    end = placed + size;
    return placed;
  });
}

/**
 * @param head length of the head, in bytes
 * @param codeAlignment minimum alignment of images that are code objects, when they are placed anew
 */
export function layOut(
  container: Uint8Array,
  head: number,
  slots: readonly Slot[],
  replacements: Replacements,
  codeAlignment: number,
): Uint8Array {
  const alignment = commonAlignment(slots.filter(({ span }) => span.size > 0).map(({ span }) => span.offset));
  // In order of offset. An empty image has the offset of the next one and stays before it.
  const order = slots
    .map((slot, index) => ({ slot, index, bytes: replacements.get(index) ?? slot.bytes }))
    .sort(
      (a, b) => a.slot.span.offset - b.slot.span.offset || a.slot.span.size - b.slot.span.size || a.index - b.index,
    );
  const offsets = place(
    order.map(({ slot, index, bytes }) => ({
      offset: slot.span.offset,
      size: bytes.length,
      changed: replacements.has(index),
      alignment: Math.max(alignment, imageContent(bytes) === 'elf' ? codeAlignment : 1),
    })),
    head,
  );
  const size = order.reduce((end, { bytes }, i) => Math.max(end, offsets[i]! + bytes.length), head);
  const result = new Uint8Array(size);
  result.set(container.subarray(0, head));
  const view = new DataView(result.buffer);
  order.forEach(({ slot, bytes }, i) => {
    view.setBigUint64(slot.offsetAt, BigInt(offsets[i]!), true);
    view.setBigUint64(slot.sizeAt, BigInt(bytes.length), true);
    result.set(bytes, offsets[i]!);
  });
  return result;
}

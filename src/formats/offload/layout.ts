/**
 * Where images go when some of a container's are replaced. The container is a head (its tables), then the images; what the
 * tables say about place and size is patched, every other byte of the head stays. An image that is not replaced keeps its
 * bytes, and its place unless a larger one before it takes that; what moves or is new starts at a multiple of the
 * alignment that the container had, and code objects at a page, where loaders map them.
 */
import { imageContent, type Span } from './image.js';

/** Alignment of code objects in a bundle, as clang has it: a page. */
export const CODE_OBJECT_ALIGNMENT = 4096;

export const alignTo = (value: number, alignment: number): number => Math.ceil(value / alignment) * alignment;

/** An image, and where the head says where it is: positions of two 64-bit fields. */
export interface Slot {
  readonly span: Span;
  readonly bytes: Uint8Array;
  readonly offsetAt: number;
  readonly sizeAt: number;
}

/** New contents of images by their number in the container. */
export type Replacements = ReadonlyMap<number, Uint8Array>;

/** The largest power of two, up to a page, that all of the offsets are multiples of. */
export function commonAlignment(offsets: readonly number[]): number {
  let alignment = offsets.length === 0 ? 1 : CODE_OBJECT_ALIGNMENT;
  while (offsets.some((offset) => offset % alignment !== 0)) alignment /= 2;
  return alignment;
}

interface Piece {
  readonly offset: number;
  readonly size: number;
  /** New or of another size: the old place says nothing. */
  readonly changed: boolean;
  readonly alignment: number;
}

/** New offsets of pieces that come in the order of their old ones; none starts before `start`. */
export function place(pieces: readonly Piece[], start: number): number[] {
  let end = start;
  return pieces.map(({ offset, size, changed, alignment }) => {
    const placed = !changed && offset >= end ? offset : alignTo(end, alignment);
    end = placed + size;
    return placed;
  });
}

/**
 * @param head length of the head; no image may begin in it
 * @param codeAlignment least alignment of a replacement that is a code object
 */
export function layOut(
  container: Uint8Array,
  head: number,
  slots: readonly Slot[],
  replacements: Replacements,
  codeAlignment: number,
): Uint8Array {
  const alignment = commonAlignment(slots.filter(({ span }) => span.size > 0).map(({ span }) => span.offset));
  // By place; empty images share theirs with the next one and stay in front of it.
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

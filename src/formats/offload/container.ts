/**
 * One model for all files that hold device images. A container is a sequence of parts with nothing but zeros between
 * them. A part is a bundle or an OffloadBinary, or a compressed bundle, whose contents are such a sequence again. The
 * images of all parts are numbered consecutively. Replacing some images keeps the bytes of all others, and everything
 * in the tables except offsets and sizes. A compressed part is compressed again with the same method and version.
 */
import { DarmError } from '../../errors.js';
import { readBundle, replaceInBundle, type Bundle } from './bundle.js';
import { readCompressed, writeCompressed, type CompressedBundle } from './compressed.js';
import { checkCount } from './damage.js';
import type { OffloadImage } from './image.js';
import { commonAlignment, place, type Replacements } from './layout.js';
import { BUNDLE_MAGIC, COMPRESSED_MAGIC, hasMagic, OFFLOAD_BINARY_MAGIC, textBundleComment } from './magic.js';
import { readOffloadBinary, replaceInOffloadBinary, type OffloadBinary } from './offload-binary.js';
import { readTextBundle, replaceInTextBundle, type TextBundle } from './text-bundle.js';

export type PlainPart = Bundle | TextBundle | OffloadBinary;

export interface CompressedPart extends Omit<CompressedBundle, 'uncompressed'> {
  readonly format: 'compressed';
  readonly contents: Sequence;
}

export type Part = PlainPart | CompressedPart;

interface Sequence {
  readonly bytes: Uint8Array;
  readonly parts: readonly { readonly offset: number; readonly part: Part }[];
}

export interface Container extends Sequence {
  /** The images of all parts, in order. */
  readonly images: readonly OffloadImage[];
}

/** Limit on the uncompressed size of all compressed bundles of one container together, in bytes. */
const MAX_UNCOMPRESSED = 2 ** 29;

/**
 * Reads what `sniffInput` calls an offload bundle.
 *
 * @param maxUncompressed limit on the uncompressed size of all compressed parts together, in bytes (default: 512 MiB)
 * @throws DarmError `bad-input`
 */
export async function readContainer(bytes: Uint8Array, maxUncompressed = MAX_UNCOMPRESSED): Promise<Container> {
  if (!(bytes instanceof Uint8Array)) throw new DarmError('usage', 'the container must be a Uint8Array');
  const sequence = await readSequence(bytes, { bytesLeft: maxUncompressed, entries: 0 }, 'with compressed parts');
  return { ...sequence, images: imagesOf(sequence) };
}

/** How much of a container has been read. A small compressed part may have millions of entries. */
interface Tally {
  /** Bytes that compressed parts may still have. */
  bytesLeft: number;
  /** Parts and images so far. */
  entries: number;
}

async function readSequence(
  bytes: Uint8Array,
  tally: Tally,
  mode: 'with compressed parts' | 'without compressed parts',
): Promise<Sequence> {
  const parts: { offset: number; part: Part }[] = [];
  let at = 0;
  do {
    const rest = bytes.subarray(at);
    const part =
      hasMagic(rest, COMPRESSED_MAGIC) && mode === 'with compressed parts'
        ? await readCompressedPart(rest, tally)
        : readPlain(rest, at);
    parts.push({ offset: at, part });
    tally.entries += 1 + (part.format === 'compressed' ? 0 : part.images.length);
    checkCount(tally.entries, 'the offload container');
    at += part.bytes.length;
    while (bytes[at] === 0) at++;
  } while (at < bytes.length);
  return { bytes, parts };
}

async function readCompressedPart(bytes: Uint8Array, tally: Tally): Promise<CompressedPart> {
  const { uncompressed, ...compressed } = await readCompressed(bytes, tally.bytesLeft);
  tally.bytesLeft -= uncompressed.length;
  const contents = await readSequence(uncompressed, tally, 'without compressed parts');
  return { format: 'compressed', ...compressed, contents };
}

function readPlain(bytes: Uint8Array, at: number): PlainPart {
  if (hasMagic(bytes, BUNDLE_MAGIC)) return readBundle(bytes);
  if (hasMagic(bytes, OFFLOAD_BINARY_MAGIC)) return readOffloadBinary(bytes);
  if (at === 0 && textBundleComment(bytes) !== null) return readTextBundle(bytes);
  throw new DarmError(
    'bad-input',
    `the offload container is damaged: no bundle or offload binary begins at byte ${at}`,
  );
}

const imagesOf = ({ parts }: Sequence): OffloadImage[] => parts.flatMap(({ part }) => imagesOfPart(part));
const imagesOfPart = (part: Part): readonly OffloadImage[] =>
  part.format === 'compressed' ? imagesOf(part.contents) : part.images;

/** Writes a part that is not compressed, with some of its images replaced. They are numbered within the part. */
export type WritePart = (part: PlainPart, replacements: Replacements) => Uint8Array;

export function replaceInPart(part: PlainPart, replacements: Replacements): Uint8Array {
  switch (part.format) {
    case 'bundle':
      return replaceInBundle(part, replacements);
    case 'text-bundle':
      return replaceInTextBundle(part, replacements);
    case 'offload-binary':
      return replaceInOffloadBinary(part, replacements);
  }
}

/**
 * Writes the container with new contents for some of its images. Without replacements the result is its own bytes.
 *
 * @param replacements new contents, by index in `images`
 * @param write writes a part that has replacements
 * @throws DarmError `usage`, `bad-input`
 */
export async function replaceImages(
  container: Container,
  replacements: Replacements,
  write: WritePart = replaceInPart,
): Promise<Uint8Array> {
  if (!Array.isArray((container as Partial<Container> | null)?.images) || !(container.bytes instanceof Uint8Array))
    throw new DarmError('usage', 'the container must be a result of readContainer()');
  if (!(replacements instanceof Map)) throw new DarmError('usage', 'the replacements must be a Map');
  for (const [index, bytes] of replacements as ReadonlyMap<number, Uint8Array>) {
    // A Map tells 1 and '1' apart.
    if (typeof index !== 'number' || !(index in container.images))
      throw new DarmError('usage', `the container has no image ${String(index)}`);
    if (!(bytes instanceof Uint8Array))
      throw new DarmError('usage', `the replacement of image ${index} must be a Uint8Array`);
  }
  return rewrite(container, replacements, write);
}

async function rewrite(sequence: Sequence, replacements: Replacements, write: WritePart): Promise<Uint8Array> {
  if (replacements.size === 0) return sequence.bytes;
  const alignment = commonAlignment(sequence.parts.map(({ offset }) => offset));
  const pieces: { offset: number; size: number; changed: boolean; alignment: number; bytes: Uint8Array }[] = [];
  let firstImage = 0;
  for (const { offset, part } of sequence.parts) {
    const count = imagesOfPart(part).length;
    const own = new Map<number, Uint8Array>();
    for (let i = 0; i < count; i++) {
      const replacement = replacements.get(firstImage + i);
      if (replacement !== undefined) own.set(i, replacement);
    }
    const bytes = own.size === 0 ? part.bytes : await rewritePart(part, own, write);
    pieces.push({ offset, size: bytes.length, changed: own.size > 0, alignment, bytes });
    firstImage += count;
  }
  const gaps = sequence.parts.map(({ offset, part }, i) => {
    const end = offset + part.bytes.length;
    return (sequence.parts[i + 1]?.offset ?? sequence.bytes.length) - end;
  });
  // LLVM expects an OffloadBinary right after the end of the one before it. So where there were no gaps, none are made.
  if (gaps.every((gap) => gap === 0)) return Buffer.concat(pieces.map(({ bytes }) => bytes));
  const offsets = place(pieces, 0);
  const end = offsets.at(-1)! + pieces.at(-1)!.size;
  const result = new Uint8Array(gaps.at(-1)! > 0 ? Math.max(end, sequence.bytes.length) : end);
  pieces.forEach(({ bytes }, i) => result.set(bytes, offsets[i]!));
  return result;
}

async function rewritePart(part: Part, replacements: Replacements, write: WritePart): Promise<Uint8Array> {
  if (part.format !== 'compressed') return write(part, replacements);
  const contents = await rewrite(part.contents, replacements, write);
  return writeCompressed(contents, part.compression, part.version);
}

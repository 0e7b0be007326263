/** Containers for tests: images that only look like bitcode or ELF files, in every kind of container. */
import { writeBundle } from '../../src/formats/offload/bundle.js';
import { writeCompressed } from '../../src/formats/offload/compressed.js';
import { HOST_ID, imageNameFor } from '../../src/formats/offload/image.js';
import { writeOffloadBinaries } from '../../src/formats/offload/offload-binary.js';

/** Bytes that begin like bitcode; they differ for every length and seed. */
export const fakeBitcode = (length: number, seed: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => [0x42, 0x43, 0xc0, 0xde][i] ?? (i * seed + (i >> 8)) & 0xff);
/** Bytes that begin like an ELF file. */
export const fakeElf = (length: number, seed: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => [0x7f, 0x45, 0x4c, 0x46][i] ?? (i * seed + (i >> 8)) & 0xff);

export const NOTHING = new Uint8Array(0);

export interface Image {
  readonly target: string;
  readonly bytes: Uint8Array;
}

/** A bundle with the host's empty entry in front. */
export const bundleOf = (...images: readonly Image[]): Uint8Array =>
  writeBundle([
    { id: HOST_ID, bytes: NOTHING },
    ...images.map(({ target, bytes }) => ({ id: imageNameFor(target).id, bytes })),
  ]);

export const offloadBinaryOf = (...images: readonly Image[]): Uint8Array =>
  writeOffloadBinaries(images.map(({ target, bytes }) => ({ ...imageNameFor(target), bytes })));

/** A bundle as clang writes it for bitcode: no host entry, nothing aligned, kind `hip`. */
export function packedBundleOf(...images: readonly Image[]): Uint8Array {
  const ids = images.map(({ target }) => Buffer.from(imageNameFor(target).id.replace('hipv4', 'hip')));
  const head = Buffer.alloc(ids.reduce((sum, id) => sum + 24 + id.length, 32));
  head.write('__CLANG_OFFLOAD_BUNDLE__');
  head.writeBigUInt64LE(BigInt(images.length), 24);
  let at = 32;
  let offset = head.length;
  images.forEach(({ bytes }, i) => {
    head.writeBigUInt64LE(BigInt(offset), at);
    head.writeBigUInt64LE(BigInt(bytes.length), at + 8);
    head.writeBigUInt64LE(BigInt(ids[i]!.length), at + 16);
    ids[i]!.copy(head, at + 24);
    at += 24 + ids[i]!.length;
    offset += bytes.length;
  });
  return Buffer.concat([head, ...images.map(({ bytes }) => bytes)]);
}

export const textBundleOf = (entries: Readonly<Record<string, string>>, comment = ';'): Uint8Array =>
  Buffer.from(
    Object.entries(entries)
      .map(
        ([id, text]) =>
          `\n${comment} __CLANG_OFFLOAD_BUNDLE____START__ ${id}\n${text}\n${comment} __CLANG_OFFLOAD_BUNDLE____END__ ${id}\n`,
      )
      .join(''),
  );

/**
 * Several images in one OffloadBinary of version 2, which LLVM 22 does not read. Its strings come after the entries.
 */
export function secondVersionOf(...images: readonly Image[]): Uint8Array {
  const entries = 32;
  const stringTable = entries + images.length * 40;
  const texts = stringTable + images.length * 48;
  const text = Buffer.concat(images.map(({ target }) => Buffer.from(`triple\0amdgcn-amd-amdhsa\0arch\0${target}\0`)));
  const aligned = (value: number): number => Math.ceil(value / 8) * 8;
  let end = aligned(texts + text.length);
  const offsets = images.map(({ bytes }) => {
    const offset = end;
    end = aligned(end + bytes.length);
    return offset;
  });
  const result = Buffer.alloc(end);
  const u64 = (at: number, value: number): unknown => result.writeBigUInt64LE(BigInt(value), at);
  result.set([0x10, 0xff, 0x10, 0xad, 2]);
  u64(8, end);
  u64(16, entries);
  u64(24, images.length);
  text.copy(result, texts);
  let textAt = texts;
  images.forEach(({ target, bytes }, i) => {
    const entry = entries + i * 40;
    const strings = stringTable + i * 48;
    result.writeUInt16LE(bytes[0] === 0x7f ? 1 : 2, entry);
    result.writeUInt16LE(4, entry + 2);
    u64(entry + 8, strings);
    u64(entry + 16, 2);
    u64(entry + 24, offsets[i]!);
    u64(entry + 32, bytes.length);
    [textAt, textAt + 7, 17, textAt + 25, textAt + 30, target.length].forEach((value, k) =>
      u64(strings + k * 8, value),
    );
    result.set(bytes, offsets[i]);
    textAt += 31 + target.length;
  });
  return result;
}

const FIRST = { target: 'gfx906', bytes: fakeElf(5000, 3) };
const SECOND = { target: 'gfx90a:sramecc+:xnack-', bytes: fakeElf(9001, 5) };
const THIRD = { target: 'gfx1100', bytes: fakeElf(4096, 7) };

/** One container of each kind, with three device images and, in bundles, one for the host. */
export async function everyContainer(): Promise<Readonly<Record<string, Uint8Array>>> {
  const bundle = bundleOf(FIRST, SECOND, THIRD);
  return {
    bundle,
    'packed bundle': packedBundleOf(FIRST, SECOND, THIRD),
    'two bundles': Buffer.concat([bundleOf(FIRST), Buffer.alloc(4096 - (5000 % 4096)), bundleOf(SECOND, THIRD)]),
    'zlib, version 1': await writeCompressed(bundle, 'zlib', 1),
    'zlib, version 2': await writeCompressed(bundle, 'zlib', 2),
    'zlib, version 3': await writeCompressed(bundle, 'zlib', 3),
    'zstd, version 1': await writeCompressed(bundle, 'zstd', 1),
    'zstd, version 2': await writeCompressed(bundle, 'zstd', 2),
    'zstd, version 3': await writeCompressed(bundle, 'zstd', 3),
    'two compressed': Buffer.concat([
      await writeCompressed(bundleOf(FIRST), 'zstd', 3),
      await writeCompressed(bundleOf(SECOND, THIRD), 'zlib', 2),
    ]),
    'offload binaries': offloadBinaryOf(FIRST, SECOND, THIRD),
    'offload binary, version 2': secondVersionOf(FIRST, SECOND, THIRD),
  };
}

/** An OffloadBinary of version 2 in which the table of strings of every entry is the whole file. */
export function imagesOverTables(): Uint8Array {
  const count = 20_000;
  const result = Buffer.alloc(32 + count * 40);
  result.set([0x10, 0xff, 0x10, 0xad, 2]);
  result.writeBigUInt64LE(BigInt(result.length), 8);
  result.writeBigUInt64LE(32n, 16);
  result.writeBigUInt64LE(BigInt(count), 24);
  for (let entry = 32; entry < result.length; entry += 40) {
    result.writeBigUInt64LE(32n, entry + 8);
    result.writeBigUInt64LE(BigInt(Math.floor((result.length - 32) / 24)), entry + 16);
  }
  return result;
}

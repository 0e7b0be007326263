/**
 * Clang's compressed offload bundles (clang/docs/ClangOffloadBundler.rst, "Compressed Offload Bundle"). One has `CCOB`,
 * the version (u16), the method (u16: 0 zlib, 1 zstd), sizes and a hash, then a zlib stream or zstd frame.
 *
 *     version   size of the whole   uncompressed size   hash     data
 *     1         not given           u32 at 8            at 12    at 20
 *     2         u32 at 8            u32 at 12           at 16    at 24
 *     3         u64 at 8            u64 at 16           at 24    at 32
 *
 * The hash is the first 8 bytes of the MD5 of the uncompressed data. Version 1 does not say where its data end, so they
 * extend to the end of the file.
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import { DarmError } from '../../errors.js';
import { ByteReader } from '../byte-reader.js';
import { COMPRESSED_MAGIC } from './magic.js';
import { zstdCompress, zstdDecompress } from './zstd.js';

export type Compression = 'zlib' | 'zstd';
export type CompressedVersion = 1 | 2 | 3;

const METHODS: readonly Compression[] = ['zlib', 'zstd'];

interface Header {
  /** Bytes of a size field. */
  readonly word: 4 | 8;
  /** Null: version 1 does not have this field. */
  readonly sizeAt: number | null;
  readonly uncompressedAt: number;
  readonly hashAt: number;
  readonly dataAt: number;
}

const HEADERS: Readonly<Record<CompressedVersion, Header>> = {
  1: { word: 4, sizeAt: null, uncompressedAt: 8, hashAt: 12, dataAt: 20 },
  2: { word: 4, sizeAt: 8, uncompressedAt: 12, hashAt: 16, dataAt: 24 },
  3: { word: 8, sizeAt: 8, uncompressedAt: 16, hashAt: 24, dataAt: 32 },
};

/** The largest possible compression ratios. A header that claims more is rejected before memory is allocated for it. */
const MAX_RATIO: Readonly<Record<Compression, number>> = { zlib: 1032, zstd: 32768 };

export interface CompressedBundle {
  readonly version: CompressedVersion;
  readonly compression: Compression;
  /** Header and data. */
  readonly bytes: Uint8Array;
  readonly uncompressed: Uint8Array;
}

const HASH_BYTES = 8;
const hashOf = (data: Uint8Array): Uint8Array => createHash('md5').update(data).digest().subarray(0, HASH_BYTES);

/**
 * Reads the compressed bundle at the start of `bytes`.
 *
 * @param budget largest uncompressed size in bytes
 */
export async function readCompressed(bytes: Uint8Array, budget: number): Promise<CompressedBundle> {
  const reader = new ByteReader(bytes, 'the compressed offload bundle');
  const version = reader.u16(4, 'the version');
  if (version !== 1 && version !== 2 && version !== 3)
    throw new DarmError('bad-input', `the compressed offload bundle is of version ${version}; 1 to 3 are known`);
  const method = reader.u16(6, 'the method');
  const compression = METHODS[method];
  if (compression === undefined)
    throw new DarmError('bad-input', `the compressed offload bundle uses the unknown method ${method}`);
  const { word, sizeAt, uncompressedAt, hashAt, dataAt } = HEADERS[version];
  const number = (at: number, field: string): number => (word === 4 ? reader.u32(at, field) : reader.u64(at, field));
  const size = sizeAt === null ? bytes.length : number(sizeAt, 'the size');
  const uncompressedSize = number(uncompressedAt, 'the uncompressed size');
  const hash = reader.slice(hashAt, HASH_BYTES, 'the hash');
  const data = reader.slice(dataAt, size - dataAt, 'the data');
  const damaged = (what: string): DarmError =>
    new DarmError('bad-input', `the compressed offload bundle is damaged: ${what}`);
  if (uncompressedSize > data.length * MAX_RATIO[compression])
    throw damaged(`${data.length} bytes cannot hold the ${uncompressedSize} that it claims`);
  if (uncompressedSize > budget)
    throw new DarmError(
      'bad-input',
      `the offload bundle has ${uncompressedSize} bytes uncompressed, which is more than is accepted`,
    );
  const uncompressed =
    compression === 'zstd'
      ? await zstdDecompress(data, uncompressedSize)
      : await zlibDecompress(data, uncompressedSize);
  if (uncompressed.length !== uncompressedSize)
    throw damaged(`it holds ${uncompressed.length} bytes instead of ${uncompressedSize}`);
  if (Buffer.compare(hashOf(uncompressed), hash) !== 0)
    throw damaged('its contents do not have the hash that it names');
  return { version, compression, bytes: bytes.subarray(0, size), uncompressed };
}

async function zlibDecompress(data: Uint8Array, size: number): Promise<Uint8Array> {
  try {
    // One byte more than expected, so that a stream that is too long is noticed.
    return await promisify(inflate)(data, { maxOutputLength: size + 1 });
  } catch {
    throw new DarmError('bad-input', 'the compressed offload bundle is damaged: its zlib stream cannot be unpacked');
  }
}

/** @throws DarmError `usage` when the sizes do not fit into the fields of the version */
export async function writeCompressed(
  data: Uint8Array,
  compression: Compression,
  version: CompressedVersion,
): Promise<Uint8Array> {
  const { word, sizeAt, uncompressedAt, hashAt, dataAt } = HEADERS[version];
  const compressed = compression === 'zstd' ? await zstdCompress(data) : await promisify(deflate)(data);
  const result = new Uint8Array(dataAt + compressed.length);
  if (word === 4 && Math.max(result.length, data.length) >= 2 ** 32)
    throw new DarmError('usage', `version ${version} of compressed bundles holds less than 4 GiB`);
  const view = new DataView(result.buffer);
  const number = (at: number, value: number): void =>
    word === 4 ? view.setUint32(at, value, true) : view.setBigUint64(at, BigInt(value), true);
  result.set(new TextEncoder().encode(COMPRESSED_MAGIC));
  view.setUint16(4, version, true);
  view.setUint16(6, METHODS.indexOf(compression), true);
  if (sizeAt !== null) number(sizeAt, result.length);
  number(uncompressedAt, data.length);
  result.set(hashOf(data), hashAt);
  result.set(compressed, dataAt);
  return result;
}

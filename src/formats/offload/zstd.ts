/**
 * Zstandard, with zstd-wasm: Node itself has it only since 22.15, and the results must be the same bytes under every
 * version. The package is loaded on first use. It trusts the size in a frame's header and does not check whether it got
 * the memory; so the header is read and checked here first (RFC 8878, section 3.1.1.1).
 */
import { DarmError } from '../../errors.js';
import { ByteReader } from '../byte-reader.js';

const MAGIC = 0xfd2fb528;
/** The level that clang uses by default. */
const LEVEL = 3;

type Library = typeof import('@bokuweb/zstd-wasm');
let library: Promise<Library> | undefined;

function load(): Promise<Library> {
  library ??= import('@bokuweb/zstd-wasm').then(async (loaded) => {
    await loaded.init();
    return loaded;
  });
  return library;
}

/** The size of the contents according to a frame's header, or null: the field is optional. */
function contentSize(frame: Uint8Array): number | null {
  const reader = new ByteReader(frame, 'the zstd frame');
  if (reader.u32(0, 'the magic number') !== MAGIC) throw new DarmError('bad-input', 'this is not a zstd frame');
  const descriptor = reader.u8(4, 'the header');
  const singleSegment = (descriptor & 0x20) !== 0;
  const at = 5 + (singleSegment ? 0 : 1) + [0, 1, 2, 4][descriptor & 3]!;
  switch (descriptor >>> 6) {
    case 0:
      return singleSegment ? reader.u8(at, 'the size') : null;
    case 1:
      return reader.u16(at, 'the size') + 256;
    case 2:
      return reader.u32(at, 'the size');
    default:
      return reader.u64(at, 'the size');
  }
}

/** @param size of the contents, which the caller has checked against its limits */
export async function zstdDecompress(frame: Uint8Array, size: number): Promise<Uint8Array> {
  if ((contentSize(frame) ?? size) !== size)
    throw new DarmError('bad-input', 'the size in the zstd frame is not the one in the bundle');
  const { decompress } = await load();
  try {
    return decompress(frame, { defaultHeapSize: size });
  } catch {
    throw new DarmError('bad-input', 'the zstd frame is damaged');
  }
}

export async function zstdCompress(bytes: Uint8Array): Promise<Uint8Array> {
  const { compress } = await load();
  return compress(bytes, LEVEL);
}

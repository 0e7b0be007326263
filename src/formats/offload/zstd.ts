/**
 * Zstandard, by zstd-wasm: Node has it only since 22.15, and hermetic means the same bytes under every Node. Loaded when
 * it is needed. The library believes a frame's header about its size, and does not look whether memory was to be had: so
 * the header is read here first (RFC 8878, 3.1.1.1).
 */
import { DarmError } from '../../errors.js';
import { ByteReader } from '../byte-reader.js';

const MAGIC = 0xfd2fb528;
/** As clang's default. */
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

/** The size that a frame's header gives for its contents, or null: it need not. */
function contentSize(frame: Uint8Array): number | null {
  const reader = new ByteReader(frame, 'the zstd frame');
  if (reader.u32(0, 'the magic number') !== MAGIC) throw new DarmError('bad-input', 'this is no zstd frame');
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

/** @param size that of the contents, which has to be sane already */
export async function zstdDecompress(frame: Uint8Array, size: number): Promise<Uint8Array> {
  if ((contentSize(frame) ?? size) !== size)
    throw new DarmError('bad-input', 'the zstd frame holds another number of bytes than it should');
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

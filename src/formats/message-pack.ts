/**
 * Decodes MessagePack from untrusted bytes with `@msgpack/msgpack`. That decoder allocates arrays of the lengths that
 * the data claims. So one pass over the structure comes first, to make sure that there are enough bytes for those
 * lengths. A value takes one byte in the data and up to a hundred in memory, so their number is limited, too.
 */
import { decode } from '@msgpack/msgpack';
import { DarmError } from '../errors.js';
import { ByteReader } from './byte-reader.js';

/** More than the metadata of ten thousand kernels has. In memory, this many empty maps take 300 MB. */
const MAX_VALUES = 2 ** 22;

/** Bytes after the type byte, for the types from 0xc0 on; -1 for types of variable size, which `measure` handles. */
const FIXED_SIZES = [0, 0, 0, 0, -1, -1, -1, -1, -1, -1, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 2, 3, 5, 9, 17];

/** The size of the value at `at` without its elements, in bytes, and the number of elements that follow. */
function measure(reader: ByteReader, at: number): { bytes: number; elements: number } {
  const what = 'a value';
  const type = reader.u8(at, what);
  if (type <= 0x7f || type >= 0xe0) return { bytes: 1, elements: 0 };
  if (type <= 0x8f) return { bytes: 1, elements: 2 * (type & 0x0f) };
  if (type <= 0x9f) return { bytes: 1, elements: type & 0x0f };
  if (type <= 0xbf) return { bytes: 1 + (type & 0x1f), elements: 0 };
  const fixed = FIXED_SIZES[type - 0xc0] ?? -1;
  if (fixed >= 0) return { bytes: 1 + fixed, elements: 0 };
  switch (type) {
    case 0xc4:
    case 0xd9:
      return { bytes: 2 + reader.u8(at + 1, what), elements: 0 };
    case 0xc5:
    case 0xda:
      return { bytes: 3 + reader.u16be(at + 1, what), elements: 0 };
    case 0xc6:
    case 0xdb:
      return { bytes: 5 + reader.u32be(at + 1, what), elements: 0 };
    case 0xc7:
      return { bytes: 3 + reader.u8(at + 1, what), elements: 0 };
    case 0xc8:
      return { bytes: 4 + reader.u16be(at + 1, what), elements: 0 };
    case 0xc9:
      return { bytes: 6 + reader.u32be(at + 1, what), elements: 0 };
    case 0xdc:
      return { bytes: 3, elements: reader.u16be(at + 1, what) };
    case 0xdd:
      return { bytes: 5, elements: reader.u32be(at + 1, what) };
    case 0xde:
      return { bytes: 3, elements: 2 * reader.u16be(at + 1, what) };
    default:
      return { bytes: 5, elements: 2 * reader.u32be(at + 1, what) };
  }
}

/** @throws DarmError `bad-input` for whatever is wrong with the bytes */
export function decodeMessagePack(bytes: Uint8Array, what: string): unknown {
  const reader = new ByteReader(bytes, what);
  let at = 0;
  let values = 0;
  for (let pending = 1; pending > 0; pending--) {
    if (++values > MAX_VALUES) throw new DarmError('bad-input', `${what} has more than ${MAX_VALUES} values`);
    const { bytes: size, elements } = measure(reader, at);
    reader.check(at, size, 'a value');
    at += size;
    pending += elements;
    // Every element takes at least one byte.
    reader.check(at, pending - 1, 'a list');
  }
  try {
    return decode(bytes.subarray(0, at));
  } catch (error) {
    throw new DarmError('bad-input', `${what} is damaged: ${error instanceof Error ? error.message : String(error)}`);
  }
}

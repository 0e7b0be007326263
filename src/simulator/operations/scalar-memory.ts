/**
 * Scalar loads and stores (ISA documents, "Scalar Memory Operations"). Addresses are made of a base, a signed constant
 * and an unsigned register, of each of which the two lowest bits are ignored.
 */
import { Fault } from '../fault.js';
import type { Site } from '../site.js';
import type { Wave } from '../wave.js';
import { named, type Operation, type OperationTable } from './operation.js';

const TWO_32 = 2 ** 32;
/** Unit of the register offset in s_scratch_*. */
const SCRATCH_UNIT = 64;

/** Where an instruction's address comes from. */
export interface ScalarAddress {
  /** Word index of the base address, or of the buffer descriptor. */
  readonly base: number;
  readonly constant: number;
  /** Word index of the offset register; of a zero when there is none. */
  readonly offset: number;
  readonly unit: number;
}

export function scalarAddress(site: Site, baseWords: number, unit = 1): ScalarAddress {
  return {
    base: site.scalarSource('sbase', baseWords),
    constant: site.instruction.immediate('offset') & ~3,
    offset: site.instruction.has('soffset') ? site.scalarSource('soffset') : site.layout.constant(0),
    unit,
  };
}

/** Without its two lowest bits, which the hardware ignores; unsigned, and possibly of more than 32 bits. */
const aligned = (address: number): number => address - (address & 3);

/** Offset from the base: constant and register. */
export const scalarOffset = (w: Wave, { constant, offset, unit }: ScalarAddress): number =>
  constant + aligned(w.u32[offset]! * unit);

/** Where in memory `bytes` at an offset from a 64-bit base are. */
export function locateScalar(w: Wave, base: number, offset: number, bytes: number, write: boolean): number {
  const sum = aligned(w.u32[base]!) + offset;
  const high = (w.u32[base + 1]! + Math.floor(sum / TWO_32)) >>> 0;
  return w.memory.locate(sum, high, bytes, write, -1);
}

/**
 * Where a load is. The compiler widens a load to the next power of two where the alignment tells it that the rest
 * cannot be on another page: a byte becomes a word, three words become four. So of a load at a multiple of its size
 * only more than half must be inside its buffer, of one word a byte; the rest is never used.
 */
function locateLoad(w: Wave, base: number, offset: number, bytes: number): number {
  if (((w.i32[base]! + offset) & (bytes - 1) & ~3) !== 0) return locateScalar(w, base, offset, bytes, false);
  try {
    return locateScalar(w, base, offset, bytes === 4 ? 1 : bytes / 2 + 1, false);
  } catch {
    // The error message shall name the whole access.
    return locateScalar(w, base, offset, bytes, false);
  }
}

const load =
  (words: number, unit = 1): Operation =>
  (site) => {
    const address = scalarAddress(site, 2, unit);
    const { base } = address;
    const d = site.scalarDestination('sdst', words);
    const bytes = 4 * words;
    return site.step((w) => {
      const offset = scalarOffset(w, address);
      const at = locateLoad(w, base, offset, bytes) >>> 2;
      const { i32 } = w;
      const memory = w.memory.i32;
      for (let k = 0; k < words; k++) i32[d + k] = memory[at + k]!;
    });
  };

const store =
  (words: number, unit = 1): Operation =>
  (site) => {
    const address = scalarAddress(site, 2, unit);
    const a = site.scalarSource('sdata', words);
    return site.step((w) => {
      const at = locateScalar(w, address.base, scalarOffset(w, address), 4 * words, true) >>> 2;
      for (let k = 0; k < words; k++) w.memory.i32[at + k] = w.i32[a + k]!;
    });
  };

// --- buffers: bounds are those of the descriptor, word by word -------------------------------------------------------

/** Offset from a buffer's base. */
export function bufferOffset(w: Wave, address: ScalarAddress): number {
  if (address.constant < 0) throw new Fault('the constant offset of a scalar buffer access is negative');
  return scalarOffset(w, address);
}

/** Bytes in a buffer: `num_records`, which counts structures when there is a stride. */
export function bufferSize(w: Wave, base: number): number {
  const stride = (w.u32[base + 1]! >>> 16) & 0x3fff;
  const records = w.u32[base + 2]!;
  return stride === 0 ? records : stride * records;
}

/** Where in memory a buffer's bytes are; the base has 48 bits. */
export function locateInBuffer(w: Wave, base: number, offset: number, bytes: number, write: boolean): number {
  const sum = aligned(w.u32[base]!) + offset;
  const high = ((w.u32[base + 1]! & 0xffff) + Math.floor(sum / TWO_32)) >>> 0;
  return w.memory.locate(sum, high, bytes, write, -1);
}

const SIXTEEN_WORDS = new Int32Array(16);

const bufferLoad =
  (words: number): Operation =>
  (site) => {
    const address = scalarAddress(site, 4);
    const { base } = address;
    const d = site.scalarDestination('sdst', words);
    return site.step((w) => {
      const offset = bufferOffset(w, address);
      const size = bufferSize(w, base);
      // The destination may overlap the descriptor.
      for (let k = 0; k < words; k++) {
        const at = offset + 4 * k;
        SIXTEEN_WORDS[k] = at + 4 > size ? 0 : w.memory.i32[locateInBuffer(w, base, at, 4, false) >>> 2]!;
      }
      for (let k = 0; k < words; k++) w.i32[d + k] = SIXTEEN_WORDS[k]!;
    });
  };

const bufferStore =
  (words: number): Operation =>
  (site) => {
    const address = scalarAddress(site, 4);
    const { base } = address;
    const a = site.scalarSource('sdata', words);
    return site.step((w) => {
      const offset = bufferOffset(w, address);
      const size = bufferSize(w, base);
      for (let k = 0; k < words && offset + 4 * k + 4 <= size; k++)
        w.memory.i32[locateInBuffer(w, base, offset + 4 * k, 4, true) >>> 2] = w.i32[a + k]!;
    });
  };

/** `dword` and `dwordx4` on GFX9 and GFX10, `b32` and `b128` on GFX11. */
const sized = (stem: string, words: number, operation: Operation): OperationTable =>
  named(operation, `${stem}_dword${words === 1 ? '' : `x${words}`}`, `${stem}_b${32 * words}`);

export const scalarMemory: OperationTable = Object.assign(
  {},
  ...[1, 2, 4, 8, 16].flatMap((words) => [
    sized('s_load', words, load(words)),
    sized('s_buffer_load', words, bufferLoad(words)),
  ]),
  ...[1, 2, 4].flatMap((words) => [
    sized('s_store', words, store(words)),
    sized('s_buffer_store', words, bufferStore(words)),
    sized('s_scratch_load', words, load(words, SCRATCH_UNIT)),
    sized('s_scratch_store', words, store(words, SCRATCH_UNIT)),
  ]),
) as OperationTable;

/**
 * Loads and stores as transfers: what `ds_*`, `global_*`, `flat_*`, `scratch_*` and `buffer_*` of one width have in
 * common. Words that are not aligned, and 16-bit values at odd addresses, go byte by byte.
 */
import { AccessKind, byteAt } from '../access-description.js';
import type { MemoryAccess, Transfer } from '../access.js';
import type { Site } from '../site.js';
import { specialize } from '../specialize.js';
import type { Wave } from '../wave.js';

/** Rows of an instruction's register operands, -1 where it has none, and where their data was located. */
export interface DataRows {
  readonly at: Int32Array;
  readonly result: number;
  readonly data: number;
  /** Second data of an atomic where it is an operand of its own. */
  readonly second: number;
}

/** Binds the data side of one static instruction. */
export type AccessFactory = (site: Site, rows: DataRows) => MemoryAccess;

/** The row of a register operand, -1 where the instruction has none of that name. */
export function rowOf(site: Site, name: string): number {
  return site.instruction.has(name) ? site.place(site.instruction.operand(name)).lo : -1;
}

type ByteAt = typeof byteAt;

const loadWord = specialize((at: Int32Array, d: number, byteAt: ByteAt): Transfer => (w, words, bytes, low, step) => {
  const { i32, lanes, active } = w;
  if ((low & 3) === 0) {
    for (let k = 0; k < active; k++) i32[d + lanes[k]!] = words[at[k]! >>> 2]!;
    return;
  }
  for (let k = 0; k < active; k++) {
    const x = at[k]!;
    i32[d + lanes[k]!] =
      bytes[x]! |
      (bytes[byteAt(x, 1, step)]! << 8) |
      (bytes[byteAt(x, 2, step)]! << 16) |
      (bytes[byteAt(x, 3, step)]! << 24);
  }
});

const storeWord = specialize((at: Int32Array, a: number, byteAt: ByteAt): Transfer => (w, words, bytes, low, step) => {
  const { i32, lanes, active } = w;
  if ((low & 3) === 0) {
    for (let k = 0; k < active; k++) words[at[k]! >>> 2] = i32[a + lanes[k]!]!;
    return;
  }
  for (let k = 0; k < active; k++) {
    const value = i32[a + lanes[k]!]!;
    for (let index = 0; index < 4; index++) bytes[byteAt(at[k]!, index, step)] = value >> (8 * index);
  }
});

const loadWords = specialize(
  (at: Int32Array, d: number, size: number, count: number, byteAt: ByteAt): Transfer =>
    (w, words, bytes, low, step) => {
      const { i32, lanes, active } = w;
      if ((low & 3) === 0) {
        for (let word = 0; word < count; word++) {
          const row = d + word * size;
          const skip = word * step;
          for (let k = 0; k < active; k++) i32[row + lanes[k]!] = words[(at[k]! >>> 2) + skip]!;
        }
        return;
      }
      for (let word = 0; word < count; word++)
        for (let k = 0; k < active; k++) {
          let value = 0;
          for (let index = 0; index < 4; index++)
            value |= bytes[byteAt(at[k]!, 4 * word + index, step)]! << (8 * index);
          i32[d + word * size + lanes[k]!] = value;
        }
    },
);

/** Lane by lane, so that of two lanes that write the same bytes the higher one wins. */
const storeWords = specialize(
  (at: Int32Array, a: number, size: number, count: number, byteAt: ByteAt): Transfer =>
    (w, words, bytes, low, step) => {
      const { i32, lanes, active } = w;
      if ((low & 3) === 0) {
        for (let k = 0; k < active; k++) {
          const to = at[k]! >>> 2;
          const from = a + lanes[k]!;
          for (let word = 0; word < count; word++) words[to + word * step] = i32[from + word * size]!;
        }
        return;
      }
      for (let k = 0; k < active; k++)
        for (let word = 0; word < count; word++) {
          const value = i32[a + word * size + lanes[k]!]!;
          for (let index = 0; index < 4; index++) bytes[byteAt(at[k]!, 4 * word + index, step)] = value >> (8 * index);
        }
    },
);

/** Aligned pairs and quadruples in one go; `otherwise` does what is not aligned. */
const loadTwo = specialize(
  (at: Int32Array, d: number, size: number, otherwise: Transfer): Transfer =>
    (w, words, bytes, low, step) => {
      if ((low & 3) !== 0) return otherwise(w, words, bytes, low, step);
      const { i32, lanes, active } = w;
      const high = d + size;
      for (let k = 0; k < active; k++) {
        const x = at[k]! >>> 2;
        const l = lanes[k]!;
        i32[d + l] = words[x]!;
        i32[high + l] = words[x + step]!;
      }
    },
);

const loadFour = specialize(
  (at: Int32Array, d: number, size: number, otherwise: Transfer): Transfer =>
    (w, words, bytes, low, step) => {
      if ((low & 3) !== 0) return otherwise(w, words, bytes, low, step);
      const { i32, lanes, active } = w;
      const d1 = d + size;
      const d2 = d1 + size;
      const d3 = d2 + size;
      for (let k = 0; k < active; k++) {
        const x = at[k]! >>> 2;
        const l = lanes[k]!;
        i32[d + l] = words[x]!;
        i32[d1 + l] = words[x + step]!;
        i32[d2 + l] = words[x + 2 * step]!;
        i32[d3 + l] = words[x + 3 * step]!;
      }
    },
);

const storeTwo = specialize(
  (at: Int32Array, a: number, size: number, otherwise: Transfer): Transfer =>
    (w, words, bytes, low, step) => {
      if ((low & 3) !== 0) return otherwise(w, words, bytes, low, step);
      const { i32, lanes, active } = w;
      const high = a + size;
      for (let k = 0; k < active; k++) {
        const x = at[k]! >>> 2;
        const l = lanes[k]!;
        words[x] = i32[a + l]!;
        words[x + step] = i32[high + l]!;
      }
    },
);

const storeFour = specialize(
  (at: Int32Array, a: number, size: number, otherwise: Transfer): Transfer =>
    (w, words, bytes, low, step) => {
      if ((low & 3) !== 0) return otherwise(w, words, bytes, low, step);
      const { i32, lanes, active } = w;
      const a1 = a + size;
      const a2 = a1 + size;
      const a3 = a2 + size;
      for (let k = 0; k < active; k++) {
        const x = at[k]! >>> 2;
        const l = lanes[k]!;
        words[x] = i32[a + l]!;
        words[x + step] = i32[a1 + l]!;
        words[x + 2 * step] = i32[a2 + l]!;
        words[x + 3 * step] = i32[a3 + l]!;
      }
    },
);

/** A load of `count` words at the offsets `from`. */
function wordsLoad(from: Int32Array, d: number, size: number, count: number): Transfer {
  if (count === 1) return loadWord(from, d, byteAt);
  const general = loadWords(from, d, size, count, byteAt);
  return count === 3 ? general : (count === 2 ? loadTwo : loadFour)(from, d, size, general);
}

function wordsStore(to: Int32Array, a: number, size: number, count: number): Transfer {
  if (count === 1) return storeWord(to, a, byteAt);
  const general = storeWords(to, a, size, count, byteAt);
  return count === 3 ? general : (count === 2 ? storeTwo : storeFour)(to, a, size, general);
}

export function clearRows(w: Wave, d: number, first: number, count: number): void {
  for (let word = first; word < count; word++)
    for (let k = 0; k < w.active; k++) w.i32[d + word * w.size + w.lanes[k]!] = 0;
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

export const loadOf =
  (count: number): AccessFactory =>
  ({ instruction, size }, { at, result: d }) => {
    const prefixes = upTo(count).map((words) => wordsLoad(at, d, size, words));
    return {
      instruction,
      bytes: 4 * count,
      kind: AccessKind.Read,
      transfer: prefixes[count - 1]!,
      prefixes,
      clear: (w, first) => clearRows(w, d, first, count),
      stored: null,
    };
  };

const nothing = (): void => {};

export const storeOf =
  (count: number): AccessFactory =>
  ({ instruction, size }, { at, data: a }) => {
    const prefixes = upTo(count).map((words) => wordsStore(at, a, size, words));
    return {
      instruction,
      bytes: 4 * count,
      kind: AccessKind.Write,
      transfer: prefixes[count - 1]!,
      prefixes,
      clear: nothing,
      stored: (registers, lane, index) => (registers[a + (index >> 2) * size + lane]! >> (8 * (index & 3))) & 0xff,
    };
  };

// --- 8 and 16 bits ---------------------------------------------------------------------------------------------------

type Get = (bytes: Uint8Array, x: number, step: number) => number;
/** The register's new value from its old one and what was loaded. */
type Put = (old: number, value: number) => number;

const loadPart = (get: Get, put: Put): ((at: Int32Array, d: number) => Transfer) => {
  const loop = specialize(
    (at: Int32Array, d: number, get: Get, put: Put): Transfer =>
      (w, _words, bytes, _low, step) => {
        const { i32, lanes, active } = w;
        for (let k = 0; k < active; k++) {
          const l = d + lanes[k]!;
          i32[l] = put(i32[l]!, get(bytes, at[k]!, step));
        }
      },
  );
  return (from, d) => loop(from, d, get, put);
};

const u8: Get = (bytes, x) => bytes[x]!;
const i8: Get = (bytes, x) => (bytes[x]! << 24) >> 24;
const u16: Get = (bytes, x, step) => bytes[x]! | (bytes[byteAt(x, 1, step)]! << 8);
const i16: Get = (bytes, x, step) => ((bytes[x]! | (bytes[byteAt(x, 1, step)]! << 8)) << 16) >> 16;

const whole: Put = (_, value) => value;
const lower: Put = (old, value) => (old & ~0xffff) | (value & 0xffff);
const upper: Put = (old, value) => (old & 0xffff) | (value << 16);

function partLoad(bytes: number, get: Get, put: Put): AccessFactory {
  const load = loadPart(get, put);
  return ({ instruction }, { at, result: d }) => ({
    instruction,
    bytes,
    kind: AccessKind.Read,
    transfer: load(at, d),
    prefixes: [],
    clear: (w) => {
      for (let k = 0; k < w.active; k++) w.i32[d + w.lanes[k]!] = put(w.i32[d + w.lanes[k]!]!, 0);
    },
    stored: null,
  });
}

const storePart = specialize(
  (at: Int32Array, a: number, size: number, shift: number, byteAt: ByteAt): Transfer =>
    (w, _words, bytes, _low, step) => {
      const { i32, lanes, active } = w;
      for (let k = 0; k < active; k++) {
        const value = i32[a + lanes[k]!]! >> shift;
        bytes[at[k]!] = value;
        if (size === 2) bytes[byteAt(at[k]!, 1, step)] = value >> 8;
      }
    },
);

/** @param shift first bit of the register that is stored */
function partStore(bytes: 1 | 2, shift: 0 | 16): AccessFactory {
  return ({ instruction }, { at, data: a }) => ({
    instruction,
    bytes,
    kind: AccessKind.Write,
    transfer: storePart(at, a, bytes, shift, byteAt),
    prefixes: [],
    clear: nothing,
    stored: (registers, lane, index) => (registers[a + lane]! >> (shift + 8 * index)) & 0xff,
  });
}

/** Loads by the last part of their names: on GFX9 and GFX10, and on GFX11. */
export const LOADS: readonly (readonly [names: readonly [string, string], factory: AccessFactory])[] = [
  [['ubyte', 'u8'], partLoad(1, u8, whole)],
  [['sbyte', 'i8'], partLoad(1, i8, whole)],
  [['ushort', 'u16'], partLoad(2, u16, whole)],
  [['sshort', 'i16'], partLoad(2, i16, whole)],
  [['ubyte_d16', 'd16_u8'], partLoad(1, u8, lower)],
  [['ubyte_d16_hi', 'd16_hi_u8'], partLoad(1, u8, upper)],
  [['sbyte_d16', 'd16_i8'], partLoad(1, i8, lower)],
  [['sbyte_d16_hi', 'd16_hi_i8'], partLoad(1, i8, upper)],
  [['short_d16', 'd16_b16'], partLoad(2, u16, lower)],
  [['short_d16_hi', 'd16_hi_b16'], partLoad(2, u16, upper)],
  [['dword', 'b32'], loadOf(1)],
  [['dwordx2', 'b64'], loadOf(2)],
  [['dwordx3', 'b96'], loadOf(3)],
  [['dwordx4', 'b128'], loadOf(4)],
];

export const STORES: readonly (readonly [names: readonly [string, string], factory: AccessFactory])[] = [
  [['byte', 'b8'], partStore(1, 0)],
  [['short', 'b16'], partStore(2, 0)],
  [['byte_d16_hi', 'd16_hi_b8'], partStore(1, 16)],
  [['short_d16_hi', 'd16_hi_b16'], partStore(2, 16)],
  [['dword', 'b32'], storeOf(1)],
  [['dwordx2', 'b64'], storeOf(2)],
  [['dwordx3', 'b96'], storeOf(3)],
  [['dwordx4', 'b128'], storeOf(4)],
];

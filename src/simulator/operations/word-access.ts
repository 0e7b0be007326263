/**
 * Fast paths for the most frequent accesses: one aligned word per lane in the LDS or in global memory, in one loop that
 * checks, counts and moves. They return false, having done nothing that cannot be done again, when an address is not
 * aligned or (LDS) out of range; the general way then repeats the access and says what is wrong. `at` has the offsets
 * afterwards, for exact counts where banks or cache lines are not in order.
 *
 * Each loop is specialised for loads and for stores. The two loops over global memory resemble each other but compute
 * addresses differently: an address in vector registers may be added up in 32 bits, because its offset is small; a
 * scalar base plus 32 unsigned bits may leave the 4 GiB of the launch's memory, so that sum needs a double.
 */
import { at, countLines, type MemoryAccess } from '../access.js';
import { countPasses } from '../lds-access.js';
import { ADDRESS_HIGH, type GlobalMemory } from '../memory.js';
import { specialize } from '../specialize.js';
import type { Wave } from '../wave.js';

/** Moves a word between register `r` and memory word `x`. */
type Move = (registers: Int32Array, words: Int32Array, r: number, x: number) => void;

/** Performs an access, or returns false if it must go the general way. */
type Fast = (w: Wave) => boolean;

const load: Move = (registers, words, r, x) => {
  registers[r] = words[x]!;
};
const store: Move = (registers, words, r, x) => {
  words[x] = registers[r]!;
};

interface LdsWord {
  /** The register that is loaded or stored. */
  readonly r: number;
  /** The register with the addresses. */
  readonly a: number;
  readonly offset: number;
}

const ldsLoop = (move: Move, at: Int32Array, count: typeof countPasses, word: LdsWord): Fast => {
  return (w) => {
    const { r, a, offset } = word;
    const { i32, lanes, active, lds } = w;
    const words = lds.i32;
    const last = lds.size - 4;
    let lower = 0;
    let upper = 0;
    let clash = 0;
    for (let k = 0; k < active; k++) {
      const l = lanes[k]!;
      const x = (i32[a + l]! + offset) >>> 0;
      if (x > last || (x & 3) !== 0) return false;
      at[k] = x;
      const bank = 1 << (x >>> 2);
      if (l < 32) {
        clash |= lower & bank;
        lower |= bank;
      } else {
        clash |= upper & bank;
        upper |= bank;
      }
      move(i32, words, r + l, x >>> 2);
    }
    if (clash !== 0) count(w, at, null, 4);
    else w.transactions += (lower !== 0 ? 1 : 0) + (upper !== 0 ? 1 : 0);
    return true;
  };
};

const ldsLoad = specialize(ldsLoop);
const ldsStore = specialize(ldsLoop);

/** An LDS word at vector register `a` + offset from or to register `r`. */
export function ldsWord(isStore: boolean, r: number, a: number, offset: number): Fast | null {
  const word: LdsWord = { r, a, offset };
  if (isStore) return ldsStore(store, at, countPasses, word);
  // A load that fails half-way must find its addresses again.
  return r === a ? null : ldsLoad(load, at, countPasses, word);
}

/** The region of an address: its first byte, or throws. */
type RegionAt = (memory: GlobalMemory, low: number, high: number, lane: number, write: boolean) => number;

let regionLast = 0;
const lastWord = (): number => regionLast;
const regionAt: RegionAt = (memory, low, high, lane, write) => {
  const { start, size } = memory.regionAt(low, high, 4, write, lane);
  regionLast = start + size - 4;
  return start;
};

/** What the loops over global memory call and refer to: a specialised loop sees nothing else. */
const globalHelpers = { at, countLines, regionAt, lastWord, addressHigh: ADDRESS_HIGH };

export interface GlobalWord {
  readonly isStore: boolean;
  /** The register that is loaded or stored. */
  readonly r: number;
  readonly offset: number;
  /** Lanes of a wave: words from a register to the next. */
  readonly size: number;
  /** Bytes of a cache line, as a power of two. */
  readonly bits: number;
}

const globalLoop = (move: Move, helpers: typeof globalHelpers, word: GlobalWord, a: number): Fast => {
  return (w) => {
    const { at, countLines, regionAt, lastWord, addressHigh } = helpers;
    const { isStore, r, offset, bits } = word;
    const high = a + word.size;
    const { i32, lanes, active, memory } = w;
    const words = memory.i32;
    let first = 1;
    let last = 0;
    let line = -1;
    let lines = 0;
    let ordered = true;
    for (let k = 0; k < active; k++) {
      const l = lanes[k]!;
      // As in locateGlobal.
      const x = (i32[a + l]! + offset) | 0;
      if ((x & 3) !== 0) return false;
      if (x < first || x > last || i32[high + l] !== addressHigh) {
        const sum = (i32[a + l]! >>> 0) + offset;
        first = regionAt(memory, sum, (i32[high + l]! + Math.floor(sum / 4294967296)) >>> 0, l, isStore);
        last = lastWord();
      }
      at[k] = x;
      const own = x >>> bits;
      if (own > line) {
        line = own;
        lines++;
      } else if (own < line) ordered = false;
      move(i32, words, r + l, x >>> 2);
    }
    if (ordered) w.transactions += lines;
    else countLines(w, 4, 1, bits);
    return true;
  };
};

const globalLoad = specialize(globalLoop);
const globalStore = specialize(globalLoop);

/** A word of global memory at 64-bit vector register `a` + offset from or to register `r`. */
export function globalWord(word: GlobalWord, a: number): Fast | null {
  if (word.isStore) return globalStore(store, globalHelpers, word, a);
  return word.r === a || word.r === a + word.size ? null : globalLoad(load, globalHelpers, word, a);
}

const scalarLoop = (move: Move, helpers: typeof globalHelpers, word: GlobalWord, s: number, v: number): Fast => {
  return (w) => {
    const { at, countLines, regionAt, lastWord, addressHigh } = helpers;
    const { isStore, r, offset, bits } = word;
    const { i32, u32, lanes, active, memory } = w;
    if (u32[s + 1] !== addressHigh) return false;
    const words = memory.i32;
    const base = u32[s]! + offset;
    let first = 1;
    let last = 0;
    let line = -1;
    let lines = 0;
    let ordered = true;
    for (let k = 0; k < active; k++) {
      const l = lanes[k]!;
      const sum = base + u32[v + l]!;
      if (sum < first || sum > last) {
        first = regionAt(memory, sum, (addressHigh + Math.floor(sum / 4294967296)) >>> 0, l, isStore);
        last = lastWord();
      }
      const x = sum | 0;
      if ((x & 3) !== 0) return false;
      at[k] = x;
      const own = x >>> bits;
      if (own > line) {
        line = own;
        lines++;
      } else if (own < line) ordered = false;
      move(i32, words, r + l, x >>> 2);
    }
    if (ordered) w.transactions += lines;
    else countLines(w, 4, 1, bits);
    return true;
  };
};

const scalarLoad = specialize(scalarLoop);
const scalarStore = specialize(scalarLoop);

/** A word of global memory at 64-bit scalar register `s` + vector register `v` + offset from or to register `r`. */
export function globalWordFromScalar(word: GlobalWord, s: number, v: number): Fast | null {
  if (word.isStore) return scalarStore(store, globalHelpers, word, s, v);
  return word.r === v ? null : scalarLoad(load, globalHelpers, word, s, v);
}

/** Whether an instruction's accesses can go this way. */
export const isWord = (access: MemoryAccess): boolean => access.bytes === 4 && access.prefixes.length === 1;

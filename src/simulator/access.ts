/**
 * Vector memory accesses, in two halves: where the lanes' data is, and what is done with it.
 *
 * The first half ("locating": below for global and private memory, lds-access.ts for the LDS, operations/buffer.ts for
 * buffers) checks every active lane's address and puts its byte offset in the arrays of the LDS or of global memory
 * into `at`. The second half, a `Transfer`, moves data between there and the registers and is the same for all address
 * spaces. Everything is located before anything is moved, because a result may overwrite the register that held the
 * address.
 *
 * Consecutive words of one lane are `step` words apart: 1, except in private memory, whose words are interleaved over
 * the lanes. Byte a of lane l is at scratch + ((a >> 2) * waveSize + l) * 4 + (a & 3), whichever way it is reached:
 * `scratch_*`, `flat_*` through the private aperture, or `buffer_*` with the scratch descriptor.
 *
 * Transactions of an access to global or private memory are the distinct cache lines that it touches: 64 bytes on GCN
 * and CDNA 1 and 2, 128 on CDNA 3 and RDNA.
 */
import { AccessKind, byteAt, describe, type AccessDescription } from './access-description.js';
import { Fault } from './fault.js';
import { ADDRESS_HIGH } from './memory.js';
import type { Wave } from './wave.js';

/**
 * Moves the data of the active lanes; `words` and `bytes` are the LDS or global memory, `low` has the bits of all
 * offsets (so its lowest bits tell whether all of them are aligned).
 */
export type Transfer = (w: Wave, words: Int32Array, bytes: Uint8Array, low: number, step: number) => void;

/** What one instruction does with the memory of each lane. */
export interface MemoryAccess extends AccessDescription {
  readonly transfer: Transfer;
  /** Transfers of only the first words: entry n - 1 moves n words. Empty where an access cannot be cut. */
  readonly prefixes: readonly Transfer[];
  /** Sets the words of the result to zero, from word `first` on. */
  readonly clear: (w: Wave, first: number) => void;
}

/** Byte offsets of the active lanes, in their order, of the instruction that is running. */
export const at = new Int32Array(64);

const TWO_32 = 2 ** 32;

/**
 * Locates 64-bit addresses in vector registers from `a` on, plus a signed offset, and counts cache lines of 2^`bits`
 * bytes.
 * @returns the bits of all offsets
 */
export function locateGlobal(w: Wave, a: number, offset: number, access: MemoryAccess, bits: number): number {
  const { i32, lanes, active, memory } = w;
  const { bytes } = access;
  const extent = bytes - 1;
  const high = a + w.size;
  let first = 1;
  let last = 0;
  let low = 0;
  let line = -1;
  let lines = 0;
  let ordered = true;
  for (let k = 0; k < active; k++) {
    const l = lanes[k]!;
    // No mapped address is so near to 0 or 2 GiB that this could wrap around and still be inside.
    const x = (i32[a + l]! + offset) | 0;
    if (x < first || x > last || i32[high + l] !== ADDRESS_HIGH) {
      const sum = (i32[a + l]! >>> 0) + offset;
      const upper = (i32[high + l]! + Math.floor(sum / TWO_32)) >>> 0;
      const region = memory.regionAt(sum, upper, bytes, access.kind !== AccessKind.Read, l);
      first = region.start;
      last = region.start + region.size - bytes;
    }
    at[k] = x;
    low |= x;
    // Counts as countLines does.
    const begin = x >>> bits;
    const end = (x + extent) >>> bits;
    if (begin < line) ordered = false;
    if (begin > line) lines++;
    if (end > begin) lines++;
    line = end;
  }
  if (ordered) w.transactions += lines;
  else countLines(w, bytes, 1, bits);
  return low;
}

/** The parts of an address with a scalar base. */
export interface ScalarBase {
  /** The scalar registers of the 64-bit base. */
  readonly s: number;
  /** 32 unsigned bits to add: a vector register, or a constant (stride 0). */
  readonly v: number;
  readonly vectorStride: 0 | 1;
  /** Signed bytes to add. */
  readonly offset: number;
  /** Bytes to add from lane to lane (the `addtid` forms). */
  readonly perLane: number;
}

/** Locates addresses with a scalar base, and counts cache lines of 2^`bits` bytes. @returns the bits of all offsets */
export function locateFromScalar(w: Wave, address: ScalarBase, access: MemoryAccess, bits: number): number {
  const { u32, lanes, active, memory } = w;
  const { s, v, vectorStride, offset, perLane } = address;
  const { bytes } = access;
  const base = u32[s]! + offset;
  const high = u32[s + 1]!;
  let first = 1;
  let last = 0;
  let low = 0;
  for (let k = 0; k < active; k++) {
    const l = lanes[k]!;
    const sum = base + u32[v + l * vectorStride]! + l * perLane;
    if (sum < first || sum > last) {
      const upper = (high + Math.floor(sum / TWO_32)) >>> 0;
      const region = memory.regionAt(sum, upper, bytes, access.kind !== AccessKind.Read, l);
      // With another upper word each lane must be looked at by itself.
      if (high === ADDRESS_HIGH) {
        first = region.start;
        last = region.start + region.size - bytes;
      }
    }
    const x = sum | 0;
    at[k] = x;
    low |= x;
  }
  countLines(w, bytes, 1, bits);
  return low;
}

/** Locates private memory: byte `base` plus, if `v` is not negative, a vector register. */
export function locatePrivate(w: Wave, v: number, base: number, access: MemoryAccess): number {
  const { i32, lanes, active, size, scratch } = w;
  const last = w.scratchPerLane - access.bytes;
  let low = 0;
  for (let k = 0; k < active; k++) {
    const l = lanes[k]!;
    const x = v < 0 ? base | 0 : (i32[v + l]! + base) | 0;
    if (x < 0 || x > last) throw outsidePrivate(w, x, access, l);
    at[k] = scratch + ((x >> 2) * size + l) * 4 + (x & 3);
    low |= x;
  }
  return low;
}

export function outsidePrivate(w: Wave, x: number, access: MemoryAccess, lane: number): Fault {
  return new Fault(
    `${describe(access)} at ${x} in private memory, of which a lane has ${w.scratchPerLane} bytes`,
    lane,
  );
}

// --- cache lines -----------------------------------------------------------------------------------------------------

/** Adds the distinct cache lines of what was located to the wave's transactions. */
export function countLines(w: Wave, bytes: number, step: number, bits: number): void {
  const { active } = w;
  const extent = bytes - 1;
  let count = 0;
  let max = -1;
  if (step === 1 || bytes <= 4) {
    // Addresses mostly ascend; as long as they do, a line is new when it is behind all others.
    let k = 0;
    for (; k < active; k++) {
      const x = at[k]!;
      const line = x >> bits;
      const end = (x + extent) >> bits;
      if (line < max) break;
      if (line > max) count++;
      if (end > line) count++;
      max = end;
    }
    if (k === active) {
      w.transactions += count;
      return;
    }
  }
  w.transactions += distinctLines(active, bytes, step, bits);
}

const SLOTS = 1024;
const slotLine = new Int32Array(SLOTS);
const slotRound = new Int32Array(SLOTS);
let round = 0;

/** Counts by hashing. There are at most 64 lanes of 5 words, which fill less than a third of the slots. */
function distinctLines(active: number, bytes: number, step: number, bits: number): number {
  round = (round + 1) | 0;
  let count = 0;
  for (let k = 0; k < active; k++) {
    const x = at[k]!;
    let previous = -1;
    for (let index = 0; index < bytes; index += 4 - ((x + index) & 3)) {
      const line = byteAt(x, index, step) >> bits;
      if (line === previous) continue;
      previous = line;
      let slot = Math.imul(line, 0x9e3779b1) >>> 22;
      while (slotRound[slot] === round && slotLine[slot] !== line) slot = (slot + 1) & (SLOTS - 1);
      if (slotRound[slot] === round) continue;
      slotRound[slot] = round;
      slotLine[slot] = line;
      count++;
    }
  }
  return count;
}

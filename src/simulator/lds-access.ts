/**
 * Where an LDS access goes, whether it may, and how many passes over the banks it takes.
 *
 * Addresses must be inside the workgroup's allocation (on hardware reads beyond it give 0 and writes are dropped). They
 * need not be a multiple of the access's size: the ROCm runtime lets the hardware do without that
 * (SH_MEM_CONFIG.alignment_mode = unaligned, LLVM: `unaligned-access-mode`), and LLVM makes one access of neighbouring
 * bytes (`SITargetLowering::allowsMisalignedMemoryAccessesImpl`). Without `Lds.unaligned` they must be a multiple of
 * the access's size, of 16 for 96 and 128 bits, of the element's size where there are two addresses: that finds
 * mistakes in programs which declare a larger alignment. Flat accesses then need a word's alignment only, because LLVM
 * knows no better for them. Atomics and accesses with two addresses must always be aligned.
 *
 * Passes: there are 32 banks, one word wide, bank = address / 4 mod 32. A pass serves as many lanes as can use all
 * banks: 32 with one word each, 16 with two (64 bits, or two addresses of 32), 8 with three or four; lanes are grouped
 * in order of their numbers. A group takes as many passes as the bank with most distinct words needs; lanes that use
 * the same word share it. (AMD, "Vega ISA", chapter 11; "CDNA 3 ISA", 11.3: conflicts are resolved among the 32 lanes
 * of a half wave.)
 */
import { AccessKind, describe } from './access-description.js';
import type { MemoryAccess } from './access.js';
import { Fault } from './fault.js';
import type { Wave } from './wave.js';

/** What an instruction asks of each of its LDS addresses. */
export interface LdsShape {
  readonly bytes: number;
  readonly alignment: number;
  /** A misaligned address faults even where `Lds.unaligned` is set. */
  readonly strict: boolean;
  /** For messages. */
  readonly access: MemoryAccess;
}

/** Locates byte addresses in vector register `a` plus an offset. @returns the bits of all offsets */
export function locateLds(w: Wave, at: Int32Array, a: number, offset: number, shape: LdsShape): number {
  const { i32, lanes, active } = w;
  const last = w.lds.size - shape.bytes;
  let low = 0;
  for (let k = 0; k < active; k++) {
    const l = lanes[k]!;
    const x = (i32[a + l]! + offset) | 0;
    if (x < 0 || x > last) throw outsideLds(w, x, shape.access, l);
    at[k] = x;
    low |= x;
  }
  if ((low & (shape.alignment - 1)) !== 0) checkAlignment(w, at, shape);
  return low;
}

export function outsideLds(w: Wave, x: number, access: MemoryAccess, lane: number): Fault {
  return new Fault(
    `${describe(access)} at LDS address ${x >>> 0}, of which the workgroup has ${w.lds.size} bytes`,
    lane,
  );
}

function checkAlignment(w: Wave, at: Int32Array, { alignment, strict, access }: LdsShape): void {
  if (!strict && w.lds.unaligned) return;
  for (let k = 0; k < w.active; k++)
    if ((at[k]! & (alignment - 1)) !== 0)
      throw new Fault(
        `${describe(access)} at LDS address ${at[k]!}, which is no multiple of ${alignment}`,
        w.lanes[k]!,
      );
}

// --- passes over the banks -------------------------------------------------------------------------------------------

const BANKS = 32;

/**
 * Adds the passes of what was located to the wave's transactions; `second` are the second addresses, if there are any.
 */
export function countPasses(w: Wave, at: Int32Array, second: Int32Array | null, bytes: number): void {
  const words = (second === null ? 1 : 2) * ((bytes + 3) >> 2);
  const groupBits = words === 1 ? 5 : words === 2 ? 4 : 3;
  const groups = groupsWithoutConflict(w, at, second, bytes, groupBits);
  if (groups >= 0) w.transactions += groups;
  else countConflicts(w, at, second, bytes, groupBits);
}

/** The number of groups where no group has a conflict (lanes in a row may use the same address); else -1. */
function groupsWithoutConflict(
  w: Wave,
  at: Int32Array,
  second: Int32Array | null,
  bytes: number,
  groupBits: number,
): number {
  const { lanes, active } = w;
  const run = (1 << ((bytes + 3) >> 2)) - 1;
  let group = -1;
  let groups = 0;
  let banks = 0;
  let previous = -1;
  for (let k = 0; k < active; k++) {
    const x = at[k]!;
    const own = lanes[k]! >> groupBits;
    if (own !== group) {
      group = own;
      groups++;
      banks = 0;
    } else if (x === previous && second === null) continue;
    previous = x;
    if ((x & 3) + bytes > 4 && (x & 3) !== 0) return -1;
    const bank = x >>> 2;
    // A run of banks, around the end; shifts are modulo 32, and the two halves of the second one avoid a shift by 32.
    let mask = (run << bank) | ((run >>> 1) >>> (31 - (bank & 31)));
    if (second !== null) {
      const other = second[k]! >>> 2;
      const otherMask = (run << other) | ((run >>> 1) >>> (31 - (other & 31)));
      if ((mask & otherMask) !== 0) return -1;
      mask |= otherMask;
    }
    if ((banks & mask) !== 0) return -1;
    banks |= mask;
  }
  return groups;
}

function countConflicts(w: Wave, at: Int32Array, second: Int32Array | null, bytes: number, groupBits: number): void {
  const { lanes, active, lds } = w;
  let group = -1;
  let groups = 0;
  let passes = 0;
  let longest = 0;
  for (let k = 0; k < active; k++) {
    const own = lanes[k]! >> groupBits;
    if (own !== group) {
      group = own;
      groups++;
      passes += longest;
      longest = 0;
      used.fill(0);
    }
    longest = use(at[k]!, bytes, longest);
    if (second !== null) longest = use(second[k]!, bytes, longest);
  }
  passes += longest;
  w.transactions += passes;
  lds.bankConflicts += passes - groups;
}

/** Per bank: how many distinct words the group uses, and which. A group has at most 32 words, 64 when unaligned. */
const used = new Uint8Array(BANKS);
const USES = 64;
const usedWords = new Int32Array(BANKS * USES);

function use(x: number, bytes: number, longest: number): number {
  const end = (x + bytes - 1) >> 2;
  for (let word = x >> 2; word <= end; word++) {
    const bank = word & (BANKS - 1);
    const count = used[bank]!;
    const from = bank * USES;
    let k = 0;
    while (k < count && usedWords[from + k] !== word) k++;
    if (k < count) continue;
    usedWords[from + count] = word;
    used[bank] = count + 1;
    if (count + 1 > longest) longest = count + 1;
  }
  return longest;
}

// --- uninitialised reads ---------------------------------------------------------------------------------------------

/** Faults on bytes that are read but were never written, and records those that are written. */
export function checkWritten(w: Wave, at: Int32Array, bytes: number, access: MemoryAccess): void {
  const { written } = w.lds;
  if (written === null) return;
  for (let k = 0; k < w.active; k++) {
    const x = at[k]!;
    if (access.kind === AccessKind.Write) {
      written.fill(1, x, x + bytes);
      continue;
    }
    for (let index = 0; index < bytes; index++)
      if (written[x + index] === 0)
        throw new Fault(`${describe(access)} at LDS address ${x}: byte ${x + index} was never written`, w.lanes[k]!);
  }
}

/**
 * The launch's address space: one shared array of bytes in which buffers, code object, kernel arguments and scratch are
 * regions with unmapped gaps between them. Addresses are 64-bit as on the GPU; all regions lie in the 4 GiB whose upper
 * word is `ADDRESS_HIGH`, so a lookup is one table read, and an access outside of every region a `Fault`.
 */
import { DarmError } from '../errors.js';
import { Fault } from './fault.js';

/** Upper word of every mapped address. */
export const ADDRESS_HIGH = 0x00007f00;
/** Upper words of the flat apertures; their lower words are 0 (LLVM: `src_shared_base` and `src_private_base`). */
export const SHARED_APERTURE = 0x00010000;
export const PRIVATE_APERTURE = 0x00020000;
/** Lower word of the first mapped address: lower addresses are never valid, so that null plus an index faults. */
const FIRST = 0x00100000;
const PAGE_BITS = 12;
const PAGE = 1 << PAGE_BITS;
/** Unmapped bytes between regions, at least. */
const GAP = 16 * PAGE;

/** Addresses below are null pointers, and fields of what they point to. */
const NEAR_NULL = 4096;
const NULL_POINTER = ' (a null pointer, as of what only a runtime provides: printf, malloc, textures)';
const LIMIT = 2 ** 31;

export interface Region {
  readonly name: string;
  /** Lower word of the address. */
  readonly start: number;
  /** Bytes. */
  readonly size: number;
  readonly writable: boolean;
}

/** Gives every region an address before the memory exists. */
export class MemoryPlan {
  readonly regions: Region[] = [];
  #next = FIRST;

  /** @returns the region, 256-byte aligned. Throws `bad-input` when everything together exceeds 2 GiB. */
  add(name: string, size: number, writable: boolean): Region {
    const region: Region = { name, start: this.#next, size, writable };
    this.#next = Math.ceil((this.#next + size + GAP) / PAGE) * PAGE;
    if (this.#next > LIMIT) throw new DarmError('bad-input', 'the launch needs more than 2 GiB of memory');
    this.regions.push(region);
    return region;
  }

  /**
   * Regions at fixed distances from each other, as a code object's segments are. Those that share a page become one
   * region, writable if one of them is.
   * @returns lower word of the address that stands for the segments' address 0
   */
  addImage(
    name: string,
    segments: readonly { readonly address: number; readonly size: number; readonly writable: boolean }[],
  ): number {
    const base = this.#next;
    const parts: { start: number; end: number; writable: boolean }[] = [];
    for (const { address, size, writable } of [...segments].sort((a, b) => a.address - b.address)) {
      const start = base + address;
      const last = parts.at(-1);
      if (last !== undefined && start < Math.ceil(last.end / PAGE) * PAGE) {
        last.end = Math.max(last.end, start + size);
        last.writable ||= writable;
      } else {
        parts.push({ start, end: start + size, writable });
      }
    }
    for (const { start, end, writable } of parts) {
      this.#next = Math.ceil((end + GAP) / PAGE) * PAGE;
      if (this.#next > LIMIT) throw new DarmError('bad-input', 'the launch needs more than 2 GiB of memory');
      this.regions.push({ name: writable ? `${name}'s data` : name, start, size: end - start, writable });
    }
    return base;
  }

  /** Bytes that the memory takes. */
  get end(): number {
    return this.#next;
  }
}

/**
 * Memory that threads share. A page that is not isolated from others has none, but it runs launches on one thread.
 *
 * @param bytes its size
 */
export const sharedMemory = (bytes: number): ArrayBufferLike =>
  typeof SharedArrayBuffer === 'undefined' ? new ArrayBuffer(bytes) : new SharedArrayBuffer(bytes);

export class GlobalMemory {
  readonly u8: Uint8Array;
  readonly u32: Uint32Array;
  readonly i32: Int32Array;
  /** Region number + 1 of every page's region, 0 where there is none (a page never holds two). */
  readonly #pages: Uint16Array;

  /** @param buffer `plan.end` bytes; a SharedArrayBuffer when workgroups run in several threads */
  constructor(
    readonly regions: readonly Region[],
    readonly buffer: ArrayBufferLike,
  ) {
    this.u8 = new Uint8Array(buffer);
    this.u32 = new Uint32Array(buffer);
    this.i32 = new Int32Array(buffer);
    this.#pages = new Uint16Array(buffer.byteLength >>> PAGE_BITS);
    regions.forEach((region, number) => {
      const last = Math.max(region.start, region.start + region.size - 1);
      for (let page = region.start >>> PAGE_BITS; page <= last >>> PAGE_BITS; page++) this.#pages[page] = number + 1;
    });
  }

  /**
   * Offset into the arrays of `size` bytes at an address.
   * @throws Fault when they are not all inside one region, or a write goes to a region that is read-only
   */
  locate(low: number, high: number, size: number, write: boolean, lane: number): number {
    this.regionAt(low, high, size, write, lane);
    return low >>> 0;
  }

  /** The region that `size` bytes at an address are in; throws as `locate` does. */
  regionAt(low: number, high: number, size: number, write: boolean, lane: number): Region {
    const at = low >>> 0;
    const number = high === ADDRESS_HIGH ? (this.#pages[at >>> PAGE_BITS] ?? 0) : 0;
    if (number !== 0) {
      const region = this.regions[number - 1]!;
      if (at >= region.start && at + size <= region.start + region.size && (!write || region.writable)) return region;
    }
    throw this.#fault(at, high, size, write, lane);
  }

  #fault(at: number, high: number, size: number, write: boolean, lane: number): Fault {
    const hex = (value: number): string => (value >>> 0).toString(16).padStart(8, '0');
    const what = `${write ? 'a write' : 'a read'} of ${size} bytes at 0x${hex(high)}${hex(at)}`;
    if (high === ADDRESS_HIGH) {
      const inside = this.regions.find((r) => at >= r.start && at + size <= r.start + r.size);
      if (inside !== undefined) return new Fault(`${what}: ${inside.name} is read-only`, lane);
      const before = this.regions.findLast((r) => at >= r.start);
      if (before !== undefined && at - (before.start + before.size) < GAP)
        return new Fault(`${what}: ${at - before.start} bytes into ${before.name}, which has ${before.size}`, lane);
    }
    const isNull = high === 0 && at >>> 0 < NEAR_NULL;
    return new Fault(`${what}: no memory of this launch${isNull ? NULL_POINTER : ''}`, lane);
  }

  /** The bytes of a region, not a copy. */
  bytesOf(region: Region): Uint8Array {
    return this.u8.subarray(region.start, region.start + region.size);
  }
}

/**
 * `buffer_*` (MUBUF): addresses from a buffer descriptor (V#) in four scalar registers. ISA documents, "Vector memory
 * buffer instructions": Vega 8.1, RDNA 2 8.1, RDNA 3 9.
 *
 *     index  = (idxen: vaddr) + (ADD_TID_ENABLE: lane)
 *     offset = (offen: vaddr) + instruction's offset
 *     linear:   base + soffset + stride * index + offset
 *     swizzled: base + soffset + ((index / n) * stride + (offset / e) * e) * n + (index % n) * e + offset % e
 *
 * with n = INDEX_STRIDE and elements of e bytes (4; on GFX11 as the swizzle field says).
 *
 * Out of range, loads give 0 and stores and atomics do nothing; loads and stores of several words are checked word by
 * word. The range is NUM_RECORDS bytes ("raw": offset + soffset), or structures ("structured": index). On GFX9 it is
 * structured where there is a stride and the instruction has an index (Mesa, `si_descriptors.c`, on NUM_RECORDS). GFX10
 * and GFX11 say it in OOB_SELECT: 0 index and offset within stride, 1 index, 2 not checked (but NUM_RECORDS = 0), 3
 * raw. Memory itself is checked like any other.
 *
 * A swizzled descriptor that adds the lane's number is private memory, as the ROCm runtime sets it up; there, leaving
 * the wavefront's own scratch is a fault. soffset then counts bytes of the whole wavefront. Not simulated: the
 * formatted loads and stores, and TFE.
 */
import { at, countLines, outsidePrivate, type MemoryAccess } from '../access.js';
import { AccessKind, byteAt } from '../access-description.js';
import { Fault } from '../fault.js';
import { ADDRESS_HIGH } from '../memory.js';
import type { Site } from '../site.js';
import type { BufferDescriptorForm } from '../target.js';
import type { Step, Wave } from '../wave.js';
import type { Operation, OperationTable } from './operation.js';
import { rowOf, type AccessFactory } from './transfers.js';
import { atomics, ldsTarget, loadsAndStores, type Role } from './vector-memory.js';

const Range = { OffsetAndIndex: 0, Index: 1, Unchecked: 2, Raw: 3 } as const;

const TWO_32 = 2 ** 32;

/** The parts of an instruction's address; -1 for a part that it does not have. */
interface BufferAddress {
  readonly descriptor: number;
  readonly scalar: number;
  readonly index: number;
  readonly offset: number;
  readonly constant: number;
  readonly form: BufferDescriptorForm;
}

/** A descriptor's fields, of the instruction that is running. */
const view = {
  base: 0,
  high: 0,
  stride: 0,
  /** Bytes of an element; 0 for a linear buffer. */
  element: 0,
  records: 0,
  indexStride: 0,
  addsLane: false,
  range: 0 as number,
  /** The least of `inRange`. */
  least: 0,
};

function readDescriptor({ u32 }: Wave, { descriptor, index, form }: BufferAddress): void {
  const word1 = u32[descriptor + 1]!;
  const word3 = u32[descriptor + 3]!;
  view.base = u32[descriptor]!;
  view.high = word1 & 0xffff;
  view.stride = (word1 >>> 16) & 0x3fff;
  const swizzle = word1 >>> (32 - form.swizzleBits);
  view.element = swizzle === 0 ? 0 : 2 << swizzle;
  view.records = u32[descriptor + 2]!;
  view.indexStride = 8 << ((word3 >>> 21) & 3);
  view.addsLane = ((word3 >>> 23) & 1) !== 0;
  if (form.extendsStride && view.addsLane) view.stride |= ((word3 >>> 15) & 15) << 14;
  if (form.hasRangeSelect) view.range = (word3 >>> 28) & 3;
  else view.range = view.stride !== 0 && index >= 0 ? Range.Index : Range.Raw;
}

/** Of each active lane: bytes from the base, and how many of its words are in range. */
const place = new Float64Array(64);
const inRange = new Uint8Array(64);

/** Fills `place` and `inRange` for linear buffers and for elements of any size. @returns the bits of all offsets */
function computePlaces(w: Wave, address: BufferAddress, access: MemoryAccess): number {
  const { u32, lanes, active } = w;
  const { stride, element, indexStride, addsLane } = view;
  const soffset = u32[address.scalar]!;
  let low = 0;
  view.least = access.prefixes.length === 0 ? 1 : access.prefixes.length;
  for (let k = 0; k < active; k++) {
    const l = lanes[k]!;
    const index = (address.index < 0 ? 0 : u32[address.index + l]!) + (addsLane ? l : 0);
    const offset = address.constant + (address.offset < 0 ? 0 : u32[address.offset + l]!);
    const words = wordsInRange(index, offset, soffset, access);
    if (words < view.least) view.least = words;
    inRange[k] = words;
    let x = stride * index + offset;
    if (element !== 0) {
      const inElement = offset % element;
      if (element > 4 && inElement + access.bytes > element)
        throw new Fault('an access to a swizzled buffer that reaches beyond an element', l);
      x =
        (Math.floor(index / indexStride) * stride + offset - inElement) * indexStride +
        (index % indexStride) * element +
        inElement;
    }
    x += view.base + soffset;
    place[k] = x;
    low |= x;
  }
  return low;
}

function wordsInRange(index: number, offset: number, soffset: number, { bytes, prefixes }: MemoryAccess): number {
  const { range, records, stride } = view;
  const all = prefixes.length === 0 ? 1 : prefixes.length;
  if (range === Range.Unchecked) return records === 0 ? 0 : all;
  if (range !== Range.Raw) {
    const outside = index >= records || (range === Range.OffsetAndIndex && offset + bytes > stride && stride !== 0);
    return outside ? 0 : all;
  }
  const left = records - (offset + soffset + (view.element === 0 ? stride * index : 0));
  return left >= bytes ? all : prefixes.length === 0 || left < 4 ? 0 : Math.floor(left / 4);
}

/** Private memory through the scratch descriptor; every lane must stay in the wave's scratch. */
function locateScratch(w: Wave, address: BufferAddress, access: MemoryAccess): number {
  const { u32, i32, lanes, active, size } = w;
  const { stride, indexStride } = view;
  const indexBits = 31 - Math.clz32(indexStride);
  const start = view.base + u32[address.scalar]!;
  const end = w.scratch + w.scratchPerLane * size;
  const aligned = byteAt(0, access.bytes - 1, indexStride);
  const misplaced = view.high !== ADDRESS_HIGH;
  let low = 0;
  for (let k = 0; k < active; k++) {
    const l = lanes[k]!;
    const index = address.index < 0 ? l : u32[address.index + l]! + l;
    const offset = (address.offset < 0 ? 0 : i32[address.offset + l]!) + address.constant;
    const within = offset & 3;
    const x =
      start +
      ((index >>> indexBits) * stride + offset - within) * indexStride +
      ((index & (indexStride - 1)) << 2) +
      within;
    const extent = within === 0 ? aligned : byteAt(x, access.bytes - 1, indexStride) - x;
    if (misplaced || x < w.scratch || x + extent >= end)
      throw outsidePrivate(w, offset + Math.floor((start - w.scratch) / size), access, l);
    at[k] = x;
    low |= x;
  }
  return low;
}

/** Checks the places of the lanes with `words` words in range, and puts them into `at` and the lanes into `group`. */
function locate(w: Wave, words: number, extent: number, write: boolean, group: Uint8Array): number {
  let count = 0;
  let first = 1;
  let last = 0;
  for (let k = 0; k < w.active; k++) {
    if (inRange[k] !== words) continue;
    const l = w.lanes[k]!;
    const x = place[k]!;
    if (words > 0 && (x < first || x > last || view.high !== ADDRESS_HIGH)) {
      const region = w.memory.regionAt(x, view.high + Math.floor(x / TWO_32), extent, write, l);
      first = region.start;
      last = region.start + region.size - extent;
    }
    at[count] = x;
    group[count++] = l;
  }
  return count;
}

const group = new Uint8Array(64);

function bufferStep(site: Site, address: BufferAddress, access: MemoryAccess): Step {
  const { bytes, prefixes, transfer } = access;
  const bits = site.target.cacheLineBits;
  const write = access.kind !== AccessKind.Read;
  const all = Math.max(prefixes.length, 1);
  const parts = prefixes.map((part, index): MemoryAccess => ({ ...access, transfer: part, bytes: 4 * index + 4 }));

  const move = (w: Wave, part: MemoryAccess, low: number, step: number): void => {
    const { races } = w.lds;
    if (races !== null) races.inMemory(w, at, part, step);
    countLines(w, part.bytes, step, bits);
    part.transfer(w, w.memory.i32, w.memory.u8, low, step);
  };

  return site.step((w) => {
    readDescriptor(w, address);
    const step = view.element === 4 ? view.indexStride : 1;
    if (view.addsLane && view.element === 4) {
      const low = locateScratch(w, address, access);
      countLines(w, bytes, step, bits);
      transfer(w, w.memory.i32, w.memory.u8, low, step);
      return;
    }
    const low = computePlaces(w, address, access);
    const { lanes, active } = w;
    try {
      // Lanes are grouped by how much of their data is in range; nearly always there is one group.
      for (let words = view.least, done = 0; done < active; words++) {
        w.lanes = lanes;
        w.active = active;
        const part = words === all ? access : parts[words - 1];
        const size = part === undefined ? 0 : part.bytes;
        const extent = step === 1 || size <= 4 ? size : byteAt(low & 3, size - 1, step) - (low & 3) + 1;
        const count = locate(w, words, extent, write, group);
        done += count;
        w.lanes = group;
        w.active = count;
        if (words < all) access.clear(w, words);
        if (part !== undefined) move(w, part, low, step);
      }
    } finally {
      w.lanes = lanes;
      w.active = active;
    }
  });
}

const FORM = /_(LDS_)?(OFFSET|OFFEN|IDXEN|BOTHEN)(_|$)/;

const unsupported =
  (what: string): Step =>
  () => {
    throw new Fault(`${what} is not simulated`);
  };

const bind =
  (factory: AccessFactory, role: Role): Operation =>
  (site) => {
    const { instruction, size, target } = site;
    const { name } = instruction.opcode;
    if (name.includes('_TFE_')) return unsupported('a buffer access with TFE');
    const [, lds, form] = FORM.exec(name) ?? [];
    if (form === undefined) throw new Error(`the addressing of ${name} is not known`);
    const v = rowOf(site, 'vaddr');
    const address: BufferAddress = {
      descriptor: site.scalarSource('srsrc', 4),
      scalar: site.scalarSource('soffset'),
      index: form === 'IDXEN' || form === 'BOTHEN' ? v : -1,
      offset: form === 'OFFEN' ? v : form === 'BOTHEN' ? v + size : -1,
      constant: instruction.immediate('offset'),
      form: target.bufferDescriptor,
    };
    const rows = { at, result: -1, data: rowOf(site, 'vdata'), second: -1 };
    if (lds !== undefined) {
      const { row, store } = ldsTarget(site);
      site.after(store);
      return bufferStep(site, address, factory(site, { ...rows, result: row }));
    }
    // An atomic returns the old value in the register that had its data, if it has the bit for it.
    const returns = role === 'load' || (role === 'atomic' && name.includes('_RTN'));
    return bufferStep(site, address, factory(site, { ...rows, result: returns ? rows.data : -1 }));
  };

export const buffer: OperationTable = { ...loadsAndStores('buffer', bind), ...atomics('buffer', bind) };

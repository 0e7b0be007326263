/**
 * Atomics as transfers: the same for LDS, global, flat and buffer instructions, which differ in names and operands
 * only.
 *
 * Lanes go one after the other, in ascending order. Where other threads execute workgroups of the same launch, the
 * exchange with memory is a compare-and-swap of the host; LDS and private memory belong to one thread.
 *
 * Integer updates are the ISA documents'. Floating point: sums are rounded to nearest even. Denormals follow MODE in
 * the LDS. In memory f32 sums flush them except on CDNA 3, and wider and narrower sums keep them (LLVM:
 * `fpModeMatchesGlobalFP AtomicMode`, `FeatureMemoryAtomicFAddF32DenormalSupport`). Minimum and maximum follow IEEE
 * 754-2008 minNum and maxNum, as LLVM assumes by selecting them for `atomicrmw fmin`; -0 is below +0.
 */
import { AccessKind } from '../access-description.js';
import type { Transfer } from '../access.js';
import { bitsOfF32, f32OfBits } from '../arithmetic/bits.js';
import { flushBits32, flushF16, flushF64 } from '../arithmetic/denormals.js';
import { addF16 } from '../arithmetic/f16.js';
import { maxF32, maxF64, minF32, minF64, Selection } from '../arithmetic/minmax.js';
import { isNaN32, pickNaN32, pickNaN64 } from '../arithmetic/nan.js';
import { Round } from '../arithmetic/rounding.js';
import { Fault } from '../fault.js';
import { waitingLanes } from '../meeting-lanes.js';
import type { Site } from '../site.js';
import { specialize } from '../specialize.js';
import type { SimulatedTarget } from '../target.js';
import type { Wave } from '../wave.js';
import { clearRows, type AccessFactory } from './transfers.js';

/** Denormals of a floating-point sum: its operands, its result. */
const FLUSH_OPERANDS = 1;
const FLUSH_RESULT = 2;

/** The new word from the old one, the data and (comparisons and the like) second data. */
type Update = (old: number, data: number, second: number, flush: number) => number;

/** The new double word, in `cell.result`, from the others. */
type WideUpdate = (cell: Cell, flush: number) => void;

/** Operands of one wide update, each as words and as a double. */
class Cell {
  readonly u32 = new Uint32Array(8);
  readonly i32 = new Int32Array(this.u32.buffer);
  readonly f64 = new Float64Array(this.u32.buffer);
}
const OLD = 0;
const DATA = 2;
const SECOND = 4;
const RESULT = 6;
const cell = new Cell();

function requireAlignment(w: Wave, at: Int32Array, low: number, bytes: number): void {
  if ((low & (bytes - 1)) === 0) return;
  const first = at.subarray(0, w.active).findIndex((x) => (x & (bytes - 1)) !== 0);
  const message = `an atomic at an address that is no multiple of its ${bytes} bytes`;
  throw new Fault(message, first < 0 ? -1 : w.lanes[first]!);
}

const isShared = (words: Int32Array): boolean =>
  typeof SharedArrayBuffer !== 'undefined' && words.buffer instanceof SharedArrayBuffer;

/** Which denormals an operation flushes where it is executed. */
type FlushOf = (w: Wave, words: Int32Array) => number;

/** What the loops call: a specialised loop sees nothing else. */
const helpers = { requireAlignment, isShared };

/** Rows of the result (-1: none), of the data and of the second data, and where the lanes' memory was located. */
interface AtomicRows {
  readonly at: Int32Array;
  readonly d: number;
  readonly a: number;
  readonly b: number;
}

const narrowLoop = (
  update: Update,
  flushOf: FlushOf,
  { requireAlignment, isShared }: typeof helpers,
  { at, d, a, b }: AtomicRows,
): Transfer => {
  return (w, words, _bytes, low) => {
    const { i32, lanes, active } = w;
    requireAlignment(w, at, low, 4);
    const flush = flushOf(w, words);
    const shared = isShared(words);
    for (let k = 0; k < active; k++) {
      const l = lanes[k]!;
      const x = at[k]! >>> 2;
      const data = i32[a + l]!;
      const second = i32[b + l]!;
      let old = words[x]!;
      if (shared)
        for (;;) {
          const seen = Atomics.compareExchange(words, x, old, update(old, data, second, flush) | 0);
          if (seen === old) break;
          old = seen;
        }
      else words[x] = update(old, data, second, flush);
      if (d >= 0) i32[d + l] = old;
    }
  };
};

const bits = new BigUint64Array(cell.u32.buffer);
let wideMemory = new BigUint64Array(0) as BigUint64Array<ArrayBufferLike>;

/** A 64-bit exchange with memory that other threads may be changing. */
function exchangeShared(words: Int32Array, x: number, update: WideUpdate, flush: number): void {
  if (wideMemory.buffer !== words.buffer) wideMemory = new BigUint64Array(words.buffer);
  const memory = wideMemory;
  for (;;) {
    bits[OLD >> 1] = Atomics.load(memory, x >> 1);
    update(cell, flush);
    const old = bits[OLD >> 1]!;
    if (Atomics.compareExchange(memory, x >> 1, old, bits[RESULT >> 1]!) === old) return;
  }
}

function wide(update: WideUpdate, flushOf: FlushOf, { at, d, a, b }: AtomicRows, size: number): Transfer {
  return (w, words, _bytes, low, step) => {
    const { i32, lanes, active } = w;
    requireAlignment(w, at, low, 8);
    const flush = flushOf(w, words);
    const shared = isShared(words) && step === 1;
    const values = cell.i32;
    for (let k = 0; k < active; k++) {
      const l = lanes[k]!;
      const x = at[k]! >>> 2;
      values[DATA] = i32[a + l]!;
      values[DATA + 1] = i32[a + size + l]!;
      values[SECOND] = i32[b + l]!;
      values[SECOND + 1] = i32[b + size + l]!;
      if (shared) exchangeShared(words, x, update, flush);
      else {
        values[OLD] = words[x]!;
        values[OLD + 1] = words[x + step]!;
        update(cell, flush);
        words[x] = values[RESULT]!;
        words[x + step] = values[RESULT + 1]!;
      }
      if (d >= 0) {
        i32[d + l] = values[OLD]!;
        i32[d + size + l] = values[OLD + 1]!;
      }
    }
  };
}

/**
 * Whether an update has second data. Where that is not an operand of its own, it follows the first in the same operand.
 */
type SecondData = 'none' | 'second';

const isLds = (w: Wave, words: Int32Array): boolean => words === w.lds.i32;

/** Denormals that the update's kind flushes in memory; MODE decides in the LDS. */
function flushes(kind: FloatKind, target: SimulatedTarget): FlushOf {
  if (kind === 'none') return () => 0;
  const inMemory = kind === 'f32' && target.memoryAtomicsFlushF32 ? FLUSH_OPERANDS | FLUSH_RESULT : 0;
  return (w, words) => {
    if (!isLds(w, words)) return inMemory;
    return ~(kind === 'f32' ? w.mode.denormF32 : w.mode.denormF16F64) & 3;
  };
}

type FloatKind = 'none' | 'f32' | 'f16f64';

const loops = new Map<Update, typeof narrowLoop>();

function loopOf(update: Update): typeof narrowLoop {
  let loop = loops.get(update);
  if (loop === undefined) loops.set(update, (loop = specialize(narrowLoop)));
  return loop;
}

function factory(
  words: 1 | 2,
  second: SecondData,
  transferOf: (site: Site, rows: AtomicRows) => Transfer,
): AccessFactory {
  return (site, rows) => {
    const { instruction, size } = site;
    const { at, result: d, data: a } = rows;
    const b = second === 'none' ? a : rows.second >= 0 ? rows.second : a + words * size;
    const transfer = transferOf(site, { at, d, a, b });
    return {
      instruction,
      bytes: 4 * words,
      kind: AccessKind.Atomic,
      transfer: (w, cells, memory, low, step) => {
        // Two halves of one instruction add up.
        w.waitingLanes += waitingLanes(at, w.active);
        transfer(w, cells, memory, low, step);
      },
      prefixes: [],
      clear: (w, first) => {
        if (d >= 0) clearRows(w, d, first, words);
      },
      stored: null,
    };
  };
}

export function atomic32(update: Update, second: SecondData = 'none', kind: FloatKind = 'none'): AccessFactory {
  return factory(1, second, (site, rows) => loopOf(update)(update, flushes(kind, site.target), helpers, rows));
}

export function atomic64(update: WideUpdate, second: SecondData = 'none', kind: FloatKind = 'none'): AccessFactory {
  return factory(2, second, (site, rows) => wide(update, flushes(kind, site.target), rows, site.size));
}

// --- updates ---------------------------------------------------------------------------------------------------------

const isLess = (high: number, low: number, otherHigh: number, otherLow: number): boolean =>
  high < otherHigh || (high === otherHigh && low < otherLow);

/** cell.result = one of the others. */
function take({ i32 }: Cell, from: number): void {
  i32[RESULT] = i32[from]!;
  i32[RESULT + 1] = i32[from + 1]!;
}

function addWide({ u32 }: Cell, a: number, b: number): void {
  const low = u32[a]! + u32[b]!;
  u32[RESULT] = low;
  u32[RESULT + 1] = u32[a + 1]! + u32[b + 1]! + (low > 0xffffffff ? 1 : 0);
}

function subtractWide({ u32 }: Cell, a: number, b: number): void {
  u32[RESULT] = u32[a]! - u32[b]!;
  u32[RESULT + 1] = u32[a + 1]! - u32[b + 1]! - (u32[a]! < u32[b]! ? 1 : 0);
}

const lessUnsigned = ({ u32 }: Cell, a: number, b: number): boolean =>
  isLess(u32[a + 1]!, u32[a]!, u32[b + 1]!, u32[b]!);
const lessSigned = ({ u32, i32 }: Cell, a: number, b: number): boolean =>
  isLess(i32[a + 1]!, u32[a]!, i32[b + 1]!, u32[b]!);
const equal = ({ i32 }: Cell, a: number, b: number): boolean => i32[a] === i32[b] && i32[a + 1] === i32[b + 1];

const eachWord =
  (f: (old: number, data: number, second: number) => number): WideUpdate =>
  ({ i32 }) => {
    for (let word = 0; word < 2; word++)
      i32[RESULT + word] = f(i32[OLD + word]!, i32[DATA + word]!, i32[SECOND + word]!);
  };

const addF32: Update = (old, data, _, flush) => {
  const operands = (flush & FLUSH_OPERANDS) !== 0;
  const sum = bitsOfF32(f32OfBits(operands ? flushBits32(old) : old) + f32OfBits(operands ? flushBits32(data) : data));
  if (isNaN32(sum)) return pickNaN32(old, data);
  return (flush & FLUSH_RESULT) !== 0 ? flushBits32(sum) : sum;
};

const addHalf = (a: number, b: number, flush: number): number => {
  const operands = (flush & FLUSH_OPERANDS) !== 0;
  const sum = addF16(operands ? flushF16(a) : a, operands ? flushF16(b) : b, Round.NearestEven);
  return (flush & FLUSH_RESULT) !== 0 ? flushF16(sum) : sum;
};

/** Rounding the f32 sum once more is harmless: it has more than twice the bits of a bfloat16, and two to spare. */
const addBrain = (a: number, b: number): number => {
  const sum = bitsOfF32(f32OfBits(a << 16) + f32OfBits(b << 16));
  if ((sum & 0x7fffffff) > 0x7f800000) return 0x7fc0;
  return ((sum + 0x7fff + ((sum >>> 16) & 1)) >>> 16) & 0xffff;
};

const takeSelected = (from: Cell, selection: Selection): void =>
  take(from, selection === Selection.First || selection === Selection.FirstQuieted ? OLD : DATA);

/** Each update by its name on GFX9, for words and for double words. */
export const INTEGER: Readonly<Record<string, readonly [Update, WideUpdate, second: SecondData]>> = {
  swap: [(_, data) => data, (c) => take(c, DATA), 'none'],
  add: [(old, data) => (old + data) | 0, (c) => addWide(c, OLD, DATA), 'none'],
  sub: [(old, data) => (old - data) | 0, (c) => subtractWide(c, OLD, DATA), 'none'],
  rsub: [(old, data) => (data - old) | 0, (c) => subtractWide(c, DATA, OLD), 'none'],
  smin: [(old, data) => (data < old ? data : old), (c) => take(c, lessSigned(c, DATA, OLD) ? DATA : OLD), 'none'],
  smax: [(old, data) => (data > old ? data : old), (c) => take(c, lessSigned(c, OLD, DATA) ? DATA : OLD), 'none'],
  umin: [
    (old, data) => (data >>> 0 < old >>> 0 ? data : old),
    (c) => take(c, lessUnsigned(c, DATA, OLD) ? DATA : OLD),
    'none',
  ],
  umax: [
    (old, data) => (data >>> 0 > old >>> 0 ? data : old),
    (c) => take(c, lessUnsigned(c, OLD, DATA) ? DATA : OLD),
    'none',
  ],
  and: [(old, data) => old & data, eachWord((old, data) => old & data), 'none'],
  or: [(old, data) => old | data, eachWord((old, data) => old | data), 'none'],
  xor: [(old, data) => old ^ data, eachWord((old, data) => old ^ data), 'none'],
  /** Wraps to 0 behind the data. */
  inc: [
    (old, data) => (old >>> 0 >= data >>> 0 ? 0 : (old + 1) | 0),
    (c) => {
      const wraps = !lessUnsigned(c, OLD, DATA);
      c.u32[RESULT] = wraps ? 0 : c.u32[OLD]! + 1;
      c.u32[RESULT + 1] = wraps ? 0 : c.u32[OLD + 1]! + (c.u32[OLD] === 0xffffffff ? 1 : 0);
    },
    'none',
  ],
  /** Wraps to the data below 0, and from above it. */
  dec: [
    (old, data) => (old === 0 || old >>> 0 > data >>> 0 ? data : (old - 1) | 0),
    (c) => {
      if ((c.i32[OLD] === 0 && c.i32[OLD + 1] === 0) || lessUnsigned(c, DATA, OLD)) return take(c, DATA);
      c.u32[RESULT] = c.u32[OLD]! - 1;
      c.u32[RESULT + 1] = c.u32[OLD + 1]! - (c.u32[OLD] === 0 ? 1 : 0);
    },
    'none',
  ],
  /** Subtraction that stays at 0 (RDNA 2 ISA, GLOBAL_ATOMIC_CSUB). */
  csub: [(old, data) => (data >>> 0 > old >>> 0 ? 0 : (old - data) | 0), (c) => take(c, OLD), 'none'],
  /** Stores the data where the second data is found. */
  cmpswap: [
    (old, data, compare) => (old === compare ? data : old),
    (c) => take(c, equal(c, OLD, SECOND) ? DATA : OLD),
    'second',
  ],
  /** Bits of the data are replaced by those of the second data. */
  mskor: [
    (old, data, second) => (old & ~data) | second,
    eachWord((old, data, second) => (old & ~data) | second),
    'second',
  ],
  /** DS_WRAP: subtracts the data if that stays positive, else adds the second data. */
  wrap: [
    (old, data, second) => (old >>> 0 >= data >>> 0 ? (old - data) | 0 : (old + second) | 0),
    (c) => take(c, OLD),
    'second',
  ],
};

export const FLOAT: Readonly<Record<string, readonly [Update, WideUpdate, second: SecondData]>> = {
  /** Compares as numbers: -0 equals 0, and a NaN equals nothing. */
  fcmpswap: [
    (old, data, compare) => (f32OfBits(old) === f32OfBits(compare) ? data : old),
    (c) => take(c, c.f64[OLD >> 1] === c.f64[SECOND >> 1] ? DATA : OLD),
    'second',
  ],
  fmin: [
    (old, data) => minF32(old, data, false),
    (c) => takeSelected(c, minF64(c.i32[OLD + 1]!, c.i32[OLD]!, c.i32[DATA + 1]!, c.i32[DATA]!, false)),
    'none',
  ],
  fmax: [
    (old, data) => maxF32(old, data, false),
    (c) => takeSelected(c, maxF64(c.i32[OLD + 1]!, c.i32[OLD]!, c.i32[DATA + 1]!, c.i32[DATA]!, false)),
    'none',
  ],
  fadd: [
    addF32,
    (c, flush) => {
      const flushed = (value: number): number => ((flush & FLUSH_OPERANDS) !== 0 ? flushF64(value) : value);
      const sum = flushed(c.f64[OLD >> 1]!) + flushed(c.f64[DATA >> 1]!);
      if (sum !== sum) pickNaN64(c.u32, RESULT, c.u32[OLD + 1]!, c.u32[OLD]!, c.u32[DATA + 1]!, c.u32[DATA]!);
      else c.f64[RESULT >> 1] = (flush & FLUSH_RESULT) !== 0 ? flushF64(sum) : sum;
    },
    'none',
  ],
};

export const addPackedF16 = atomic32(
  (old, data, _, flush) =>
    (addHalf(old >>> 16, data >>> 16, flush) << 16) | addHalf(old & 0xffff, data & 0xffff, flush),
  'none',
  'f16f64',
);

export const addPackedBf16 = atomic32(
  (old, data) => (addBrain(old >>> 16, data >>> 16) << 16) | addBrain(old & 0xffff, data & 0xffff),
);

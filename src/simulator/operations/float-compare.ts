/**
 * Comparisons and class tests: lane masks from f16, f32 and f64 operands. Denormals compare as zeros where MODE flushes
 * inputs; class tests take patterns as they are (ISA documents, "V_CMP_CLASS").
 */
import { classTest16, classTest32, classTest64 } from '../arithmetic/class-test.js';
import { flushF32, flushF64 } from '../arithmetic/denormals.js';
import { f16ToNumber } from '../arithmetic/f16.js';
import type { Source, ValueType } from '../operands.js';
import { specialize } from '../specialize.js';
import type { FloatMode, Wave } from '../wave.js';
import { inputF16 } from './float-f16.js';
import { comparison, type Operation, type OperationTable } from './operation.js';

type Predicate = (a: number, b: number) => boolean;

/**
 * By the part of the mnemonic behind `v_cmp_`. JavaScript's comparisons are IEEE 754's: false with a NaN, zeros equal.
 */
const PREDICATES: Readonly<Record<string, Predicate>> = {
  f: () => false,
  lt: (a, b) => a < b,
  eq: (a, b) => a === b,
  le: (a, b) => a <= b,
  gt: (a, b) => a > b,
  lg: (a, b) => a < b || a > b,
  ge: (a, b) => a >= b,
  o: (a, b) => a === a && b === b,
  u: (a, b) => a !== a || b !== b,
  nge: (a, b) => !(a >= b),
  nlg: (a, b) => !(a < b || a > b),
  ngt: (a, b) => !(a > b),
  nle: (a, b) => !(a <= b),
  neq: (a, b) => !(a === b),
  nlt: (a, b) => !(a < b),
  tru: () => true,
  // The name on GFX11.
  t: () => true,
};

/** Whether a comparison holds in lane `l`. */
type Holds = (w: Wave, l: number, a: Source, b: Source) => boolean;

type MaskLoop = (holds: Holds, a: Source, b: Source) => (w: Wave, d: number) => void;
const maskLoop: MaskLoop = (holds, a, b) => (w, d) => {
  const { i32, lanes, active } = w;
  let low = 0;
  let high = 0;
  for (let k = 0; k < active; k++) {
    const l = lanes[k]!;
    if (holds(w, l, a, b))
      if (l < 32) low |= 1 << l;
      else high |= 1 << (l - 32);
  }
  i32[d] = low;
  if (w.size === 64) i32[d + 1] = high;
};

/** @param holds specialised, so that V8 inlines it into its loop */
function compare(holds: Holds, first: ValueType, second: ValueType): Operation {
  const loop = specialize(maskLoop);
  return (site) => {
    const a = site.source('src0', first);
    const b = site.source('src1', second);
    return comparison(site, loop(holds, a, b));
  };
}

type Flush = (x: number) => number;

const holdsF32 =
  (f: Predicate, flush: Flush): Holds =>
  (w, l, a, b) => {
    const x = w.f32[a.lo + l * a.stride]!;
    const y = w.f32[b.lo + l * b.stride]!;
    return (w.mode.denormF32 & 1) === 0 ? f(flush(x), flush(y)) : f(x, y);
  };

const cells = new Float64Array(2);
const words = new Uint32Array(cells.buffer);

const holdsF64 =
  (f: Predicate, flush: Flush, cells: Float64Array, words: Uint32Array): Holds =>
  (w, l, a, b) => {
    words[0] = w.u32[a.lo + l * a.stride]!;
    words[1] = w.u32[a.hi + l * a.stride]!;
    words[2] = w.u32[b.lo + l * b.stride]!;
    words[3] = w.u32[b.hi + l * b.stride]!;
    const x = cells[0]!;
    const y = cells[1]!;
    return (w.mode.denormF16F64 & 1) === 0 ? f(flush(x), flush(y)) : f(x, y);
  };

const compareF32 = (f: Predicate): Operation => compare(specialize(holdsF32)(f, flushF32), 'f32', 'f32');
const compareF64 = (f: Predicate): Operation => compare(specialize(holdsF64)(f, flushF64, cells, words), 'f64', 'f64');

type OfBits = (a: number, b: number, mode: FloatMode) => boolean;

const holdsBits =
  (f: OfBits): Holds =>
  (w, l, a, b) =>
    f(w.u32[a.lo + l * a.stride]!, w.u32[b.lo + l * b.stride]!, w.mode);

/** On unsigned patterns of the given types. */
const compareBits = (f: OfBits, first: ValueType, second: ValueType): Operation =>
  compare(specialize(holdsBits)(f), first, second);

const compareF16 = (f: Predicate): Operation =>
  compareBits((a, b, mode) => f(f16ToNumber(inputF16(a, mode)), f16ToNumber(inputF16(b, mode))), 'f16', 'f16');

const classF64 = compare(
  ({ u32 }, l, a, b) => classTest64(u32[a.hi + l * a.stride]!, u32[a.lo + l * a.stride]!, u32[b.lo + l * b.stride]!),
  'f64',
  'b32',
);

function all(): Record<string, Operation> {
  const table: Record<string, Operation> = {};
  for (const kind of ['v_cmp', 'v_cmpx']) {
    for (const [name, predicate] of Object.entries(PREDICATES)) {
      table[`${kind}_${name}_f16`] = compareF16(predicate);
      table[`${kind}_${name}_f32`] = compareF32(predicate);
      table[`${kind}_${name}_f64`] = compareF64(predicate);
    }
    table[`${kind}_class_f16`] = compareBits(classTest16, 'f16', 'b16');
    table[`${kind}_class_f32`] = compareBits(classTest32, 'f32', 'b32');
    table[`${kind}_class_f64`] = classF64;
  }
  return table;
}

export const floatCompare: OperationTable = all();

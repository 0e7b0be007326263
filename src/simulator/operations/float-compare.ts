/**
 * Comparisons and class tests: lane masks from f16, f32 and f64 operands. Denormals compare as zeros where MODE flushes
 * inputs; class tests take patterns as they are (ISA documents, "V_CMP_CLASS").
 */
import { classTest16, classTest32, classTest64 } from '../arithmetic/class-test.js';
import { flushF32, flushF64 } from '../arithmetic/denormals.js';
import { f16ToNumber } from '../arithmetic/f16.js';
import type { ValueType } from '../operands.js';
import { specialize } from '../specialize.js';
import type { Wave } from '../wave.js';
import { inputF16 } from './float-f16.js';
import { comparison, type Operation, type OperationTable } from './operation.js';

type Predicate = (a: number, b: number) => boolean;

/** By the part of the mnemonic behind `v_cmp_`. JavaScript's comparisons are IEEE 754's: false with a NaN, zeros equal. */
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
  // Generation 11's name.
  t: () => true,
};

type Flush = (x: number) => number;

function compareF32(f: Predicate): Operation {
  const loop = specialize(
    (f: Predicate, flush: Flush, a: number, as: number, b: number, bs: number) => (w: Wave, d: number) => {
      const { f32, i32, lanes, active } = w;
      const flushes = (w.mode.denormF32 & 1) === 0;
      let low = 0;
      let high = 0;
      for (let k = 0; k < active; k++) {
        const l = lanes[k]!;
        let x = f32[a + l * as]!;
        let y = f32[b + l * bs]!;
        if (flushes) {
          x = flush(x);
          y = flush(y);
        }
        if (f(x, y))
          if (l < 32) low |= 1 << l;
          else high |= 1 << (l - 32);
      }
      i32[d] = low;
      if (w.size === 64) i32[d + 1] = high;
    },
  );
  return (site) => {
    const a = site.source('src0', 'f32');
    const b = site.source('src1', 'f32');
    return comparison(site, loop(f, flushF32, a.lo, a.stride, b.lo, b.stride));
  };
}

const cells = new Float64Array(2);
const words = new Uint32Array(cells.buffer);

function compareF64(f: Predicate): Operation {
  const loop = specialize(
    (
      f: Predicate,
      flush: Flush,
      cells: Float64Array,
      words: Uint32Array,
      a: number,
      ah: number,
      as: number,
      b: number,
      bh: number,
      bs: number,
    ) =>
      (w: Wave, d: number) => {
        const { i32, u32, lanes, active } = w;
        const flushes = (w.mode.denormF16F64 & 1) === 0;
        let low = 0;
        let high = 0;
        for (let k = 0; k < active; k++) {
          const l = lanes[k]!;
          words[0] = u32[a + l * as]!;
          words[1] = u32[ah + l * as]!;
          words[2] = u32[b + l * bs]!;
          words[3] = u32[bh + l * bs]!;
          let x = cells[0]!;
          let y = cells[1]!;
          if (flushes) {
            x = flush(x);
            y = flush(y);
          }
          if (f(x, y))
            if (l < 32) low |= 1 << l;
            else high |= 1 << (l - 32);
        }
        i32[d] = low;
        if (w.size === 64) i32[d + 1] = high;
      },
  );
  return (site) => {
    const a = site.source('src0', 'f64');
    const b = site.source('src1', 'f64');
    return comparison(site, loop(f, flushF64, cells, words, a.lo, a.hi, a.stride, b.lo, b.hi, b.stride));
  };
}

type OfBits = (a: number, b: number, wave: Wave) => boolean;

/** On unsigned patterns of the given types. */
function compareBits(f: OfBits, first: ValueType, second: ValueType): Operation {
  const loop = specialize((f: OfBits, a: number, as: number, b: number, bs: number) => (w: Wave, d: number) => {
    const { i32, u32, lanes, active } = w;
    let low = 0;
    let high = 0;
    for (let k = 0; k < active; k++) {
      const l = lanes[k]!;
      if (f(u32[a + l * as]!, u32[b + l * bs]!, w))
        if (l < 32) low |= 1 << l;
        else high |= 1 << (l - 32);
    }
    i32[d] = low;
    if (w.size === 64) i32[d + 1] = high;
  });
  return (site) => {
    const a = site.source('src0', first);
    const b = site.source('src1', second);
    return comparison(site, loop(f, a.lo, a.stride, b.lo, b.stride));
  };
}

const compareF16 = (f: Predicate): Operation =>
  compareBits((a, b, { mode }) => f(f16ToNumber(inputF16(a, mode)), f16ToNumber(inputF16(b, mode))), 'f16', 'f16');

const classF64: Operation = (site) => {
  const a = site.source('src0', 'f64');
  const b = site.source('src1', 'b32');
  return comparison(site, (w, d) => {
    const { i32, u32, lanes, active } = w;
    let low = 0;
    let high = 0;
    for (let k = 0; k < active; k++) {
      const l = lanes[k]!;
      if (classTest64(u32[a.hi + l * a.stride]!, u32[a.lo + l * a.stride]!, u32[b.lo + l * b.stride]!))
        if (l < 32) low |= 1 << l;
        else high |= 1 << (l - 32);
    }
    i32[d] = low;
    if (w.size === 64) i32[d + 1] = high;
  });
};

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

/** Comparisons of integers: a lane mask with a bit for every active lane for which they hold. */
import type { ValueType } from '../operands.js';
import { specialize } from '../specialize.js';
import type { Wave } from '../wave.js';
import { comparison, type Operation, type OperationTable } from './operation.js';

type Predicate = (a: number, b: number) => boolean;
/** On words; the upper ones signed or not, as the operation says, the lower ones unsigned. */
type Predicate64 = (aHigh: number, aLow: number, bHigh: number, bLow: number) => boolean;
type Compare = (w: Wave, d: number) => void;

type Loop = (f: Predicate, words: 'i32' | 'u32', a: number, as: number, b: number, bs: number) => Compare;
const loop: Loop = (f, words, a, as, b, bs) => (w: Wave, d: number) => {
  const { lanes, active } = w;
  const file = w[words];
  let low = 0;
  let high = 0;
  for (let k = 0; k < active; k++) {
    const l = lanes[k]!;
    if (f(file[a + l * as]!, file[b + l * bs]!))
      if (l < 32) low |= 1 << l;
      else high |= 1 << l;
  }
  w.i32[d] = low;
  if (w.size === 64) w.i32[d + 1] = high;
};

type Loop64 = (
  f: Predicate64,
  words: 'i32' | 'u32',
  a: number,
  ah: number,
  as: number,
  b: number,
  bh: number,
  bs: number,
) => Compare;
const loop64: Loop64 = (f, words, a, ah, as, b, bh, bs) => (w: Wave, d: number) => {
  const { u32, lanes, active } = w;
  const file = w[words];
  let low = 0;
  let high = 0;
  for (let k = 0; k < active; k++) {
    const l = lanes[k]!;
    const at = l * as;
    const bt = l * bs;
    if (f(file[ah + at]!, u32[a + at]!, file[bh + bt]!, u32[b + bt]!))
      if (l < 32) low |= 1 << l;
      else high |= 1 << l;
  }
  w.i32[d] = low;
  if (w.size === 64) w.i32[d + 1] = high;
};

function compare(f: Predicate, type: ValueType, words: 'i32' | 'u32'): Operation {
  const own = specialize(loop);
  return (site) => {
    const a = site.source('src0', type);
    const b = site.source('src1', type);
    return comparison(site, own(f, words, a.lo, a.stride, b.lo, b.stride));
  };
}

function compare64(f: Predicate64, words: 'i32' | 'u32'): Operation {
  const own = specialize(loop64);
  return (site) => {
    const a = site.source('src0', 'b64');
    const b = site.source('src1', 'b64');
    return comparison(site, own(f, words, a.lo, a.hi, a.stride, b.lo, b.hi, b.stride));
  };
}

/** `f` and `t` are always false and always true. */
const PREDICATES: Readonly<Record<string, Predicate>> = {
  f: () => false,
  lt: (a, b) => a < b,
  eq: (a, b) => a === b,
  le: (a, b) => a <= b,
  gt: (a, b) => a > b,
  ne: (a, b) => a !== b,
  ge: (a, b) => a >= b,
  t: () => true,
};

const PREDICATES_64: Readonly<Record<string, Predicate64>> = {
  f: () => false,
  lt: (ah, al, bh, bl) => ah < bh || (ah === bh && al < bl),
  eq: (ah, al, bh, bl) => ah === bh && al === bl,
  le: (ah, al, bh, bl) => ah < bh || (ah === bh && al <= bl),
  gt: (ah, al, bh, bl) => ah > bh || (ah === bh && al > bl),
  ne: (ah, al, bh, bl) => ah !== bh || al !== bl,
  ge: (ah, al, bh, bl) => ah > bh || (ah === bh && al >= bl),
  t: () => true,
};

function table(): OperationTable {
  const operations: Record<string, Operation> = {};
  const add = (name: string, operation: Operation): void => {
    operations[`v_cmp_${name}`] = operation;
    operations[`v_cmpx_${name}`] = operation;
  };
  for (const [name, predicate] of Object.entries(PREDICATES)) {
    add(`${name}_u32`, compare(predicate, 'b32', 'u32'));
    add(`${name}_i32`, compare(predicate, 'b32', 'i32'));
    add(`${name}_u16`, compare(predicate, 'b16', 'i32'));
    add(`${name}_i16`, compare(predicate, 'i16', 'i32'));
    add(`${name}_u64`, compare64(PREDICATES_64[name]!, 'u32'));
    add(`${name}_i64`, compare64(PREDICATES_64[name]!, 'i32'));
  }
  return operations;
}

export const vectorCompare: OperationTable = table();

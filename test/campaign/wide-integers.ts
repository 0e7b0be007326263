/** Integer operations of the wide family of random kernels (wide-operations.ts), of all widths, uniform or not. */
import { P, at } from './random-emitter.js';
import type { Leaf } from './random-kernel.js';
import type { WideEmitter, WideOperation } from './wide-emitter.js';

const INTEGERS = ['v', 'u', 'w', 'z', 'h', 'v', 'w', 'b', 's'] as const;
type Integer = (typeof INTEGERS)[number];
export const INTEGER_TYPES = { v: 'i32', u: 'i32', w: 'i64', z: 'i64', h: 'i16', b: 'i8', s: '<2 x i16>' } as const;
export const WIDTHS = { v: 32, u: 32, w: 64, z: 64, h: 16, b: 8, s: 16 } as const;
const suffix = (of: Integer): string => (of === 's' ? 'v2i16' : INTEGER_TYPES[of]);
const constant = (of: Integer, k: number): string => (of === 's' ? `splat (i16 ${k})` : String(k));

interface Picked {
  readonly of: Integer;
  readonly type: string;
  readonly a: string;
  readonly b: string;
}
/** A width and two operands, of which the second is sometimes a constant. */
function integers(e: WideEmitter, s: Leaf, among: readonly Integer[] = INTEGERS): Picked {
  const of = at(among, s.k >> 4);
  const b = (s.k >> 10) % 4 === 0 ? constant(of, (s.k >> 12) & 127) : e.get(of, s.b);
  return { of, type: INTEGER_TYPES[of], a: e.get(of, s.a), b };
}
const SCALARS = INTEGERS.filter((of) => of !== 's');

const arithmetic: WideOperation = (e, s) => {
  const { of, type, a, b } = integers(e, s);
  e.put(of, s.d, e.value(`${at(P.plain, s.c)} ${type} ${a}, ${b}`));
};
const shift: WideOperation = (e, s) => {
  const { of, type, a, b } = integers(e, s);
  const by = e.value(`and ${type} ${b}, ${constant(of, WIDTHS[of] - 1)}`);
  e.put(of, s.d, e.value(`${at(['shl', 'lshr', 'ashr'], s.c)} ${type} ${a}, ${by}`));
};
const divide: WideOperation = (e, s) => {
  const { of, type, a, b } = integers(e, s, SCALARS);
  const positive = e.value(`and ${type} ${a}, ${(1n << BigInt(WIDTHS[of] - 1)) - 1n}`);
  const signed = s.c & 1;
  const operation = signed ? at(['sdiv', 'srem'], s.c >> 1) : at(['udiv', 'urem'], s.c >> 1);
  const divisor = e.value(`or ${type} ${b}, 1`);
  // The smallest number divided by -1 is not defined.
  e.put(
    of,
    s.d,
    e.value(`${operation} ${type} ${signed ? e.value(`sub ${type} ${positive}, ${s.k & 1 ? 7 : 0}`) : a}, ${divisor}`),
  );
};
const minmax: WideOperation = (e, s) => {
  const { of, type, a, b } = integers(e, s);
  const name = at(['smin', 'smax', 'umin', 'umax', 'sadd.sat', 'uadd.sat', 'ssub.sat', 'usub.sat'], s.c);
  e.put(of, s.d, e.call(type, `${name}.${suffix(of)}`, ...[a, b].map((each) => `${type} ${each}`)));
};
const bits: WideOperation = (e, s) => {
  const { of, type, a } = integers(e, s);
  const operand = `${type} ${a}`;
  const name = at(['ctpop', 'bitreverse', 'ctlz', 'cttz', 'abs', 'bswap'] as const, s.c);
  // For 64 bits, LLVM 22 at -O0 for gfx11 copies only half of each word into the permutation.
  if (name === 'bswap' && (of === 'b' || WIDTHS[of] === 64)) return;
  const flag = ['ctlz', 'cttz', 'abs'].includes(name) ? ['i1 false'] : [];
  e.put(of, s.d, e.call(type, `${name}.${suffix(of)}`, operand, ...flag));
};
const funnel: WideOperation = (e, s) => {
  const { of, type, a, b } = integers(e, s);
  const by = s.k & 1 ? constant(of, (s.k >> 20) % WIDTHS[of]) : e.get(of, s.c);
  e.put(
    of,
    s.d,
    e.call(type, `fsh${s.c & 1 ? 'l' : 'r'}.${suffix(of)}`, ...[a, b, by].map((each) => `${type} ${each}`)),
  );
};
const shiftSaturated: WideOperation = (e, s) => {
  const { of, type, a, b } = integers(e, s, SCALARS);
  const by = e.value(`and ${type} ${b}, ${WIDTHS[of] - 1}`);
  e.put(of, s.d, e.call(type, `${at(['sshl', 'ushl'], s.c)}.sat.${suffix(of)}`, a, by));
};
const overflow: WideOperation = (e, s) => {
  const { of, type, a, b } = integers(e, s, SCALARS);
  const name = at(['umul', 'smul', 'uadd', 'sadd', 'usub', 'ssub'], s.c);
  const pair = e.value(`call { ${type}, i1 } @llvm.${name}.with.overflow.${type}(${type} ${a}, ${type} ${b})`);
  e.put(of, s.d, e.value(`extractvalue { ${type}, i1 } ${pair}, 0`));
  e.put('c', s.c, e.value(`extractvalue { ${type}, i1 } ${pair}, 1`));
};
const compare: WideOperation = (e, s) => {
  const { type, a, b } = integers(e, s, SCALARS);
  e.put('c', s.d, e.value(`icmp ${at(P.icmp, s.c)} ${type} ${a}, ${b}`));
};
const select: WideOperation = (e, s) => {
  const { of, type, a } = integers(e, s);
  const c = s.k & 1 ? e.get('c', s.c) : e.value(`icmp ${at(P.icmp, s.c)} i32 ${e.get('u', s.b)}, ${s.k & 7}`);
  e.put(of, s.d, e.value(`select i1 ${c}, ${type} ${a}, ${type} ${e.get(of, s.b)}`));
};
const highProduct: WideOperation = (e, s) => {
  const how = at(['zext', 'sext'], s.c);
  if (s.k & 1) {
    const [a, b] = [s.a, s.b].map((index) => e.value(`${how} i32 ${e.get(s.k & 2 ? 'v' : 'u', index)} to i64`));
    const product = e.value(`mul i64 ${a}, ${b}`);
    if (s.k & 4) return e.put('w', s.d, e.value(`add i64 ${product}, ${e.get('w', s.c)}`));
    return e.put('v', s.d, e.value(`trunc i64 ${e.value(`lshr i64 ${product}, 32`)} to i32`));
  }
  const [a, b] = [s.a, s.b].map((index) => e.value(`${how} i64 ${e.get('w', index)} to i128`));
  const high = e.value(`lshr i128 ${e.value(`mul i128 ${a}, ${b}`)}, 64`);
  e.put('w', s.d, e.value(`trunc i128 ${high} to i64`));
};
/** 24-bit products, with a sum. */
const product24: WideOperation = (e, s) => {
  const short = (index: number): string => {
    const value = e.get('v', index);
    return s.c & 1 ? e.value(`and i32 ${value}, 16777215`) : e.value(`ashr i32 ${e.value(`shl i32 ${value}, 8`)}, 8`);
  };
  const [a, b] = [short(s.a), short(s.b)];
  if (s.k & 1) {
    const [x, y] = [a, b].map((each) => e.value(`${s.c & 1 ? 'zext' : 'sext'} i32 ${each} to i64`));
    return e.put('v', s.d, e.value(`trunc i64 ${e.value(`lshr i64 ${e.value(`mul i64 ${x}, ${y}`)}, 32`)} to i32`));
  }
  const product = e.value(`mul i32 ${a}, ${b}`);
  e.put('v', s.d, s.k & 2 ? e.value(`add i32 ${product}, ${e.get('v', s.c)}`) : product);
};
/** Sums of products of bytes or of halves of words. */
const dot: WideOperation = (e, s) => {
  const signed = s.c & 1 ? 'sext' : 'zext';
  const width = s.k & 1 ? 8 : 16;
  const parts = (index: number): string[] =>
    Array.from({ length: 32 / width }, (_, part) => {
      const low = part === 0 ? e.get('v', index) : e.value(`lshr i32 ${e.get('v', index)}, ${part * width}`);
      return e.value(`${signed} i${width} ${e.value(`trunc i32 ${low} to i${width}`)} to i32`);
    });
  const [a, b] = [parts(s.a), parts(s.b)];
  let sum = e.get('v', s.c);
  for (const [index, x] of a.entries()) sum = e.value(`add i32 ${sum}, ${e.value(`mul i32 ${x}, ${b[index]!}`)}`);
  e.put('v', s.d, sum);
};
/** Expressions that become one instruction for two or three operations. */
const combined: WideOperation = (e, s) => {
  const of = at(['v', 'u', 'w', 'z'] as const, s.k >> 4);
  const type = INTEGER_TYPES[of];
  const [a, b, c] = [e.get(of, s.a), e.get(of, s.b), e.get(of, s.c)];
  const op = (name: string, x: string, y: string): string => e.value(`${name} ${type} ${x}, ${y}`);
  const not = (x: string): string => op('xor', x, '-1');
  const small = String((s.k >> 8) & 15);
  const half = WIDTHS[of] / 2;
  const intrinsic = (name: string, x: string, y: string): string => e.call(type, `${name}.${type}`, x, y);
  const shapes: readonly (() => string)[] = [
    () => op('and', a, not(b)),
    () => op('or', a, not(b)),
    () => not(op('xor', a, b)),
    () => not(op('and', a, b)),
    () => not(op('or', a, b)),
    () => op('or', op('and', a, b), op('and', not(a), c)),
    () => op('xor', c, op('and', a, op('xor', b, c))),
    () => op('or', op('and', a, b), op('or', op('and', a, c), op('and', b, c))),
    () => op('add', op('add', a, b), c),
    () => op('add', op('shl', a, small), b),
    () => op('shl', op('add', a, b), small),
    () => op('or', op('shl', a, small), b),
    () => op('or', op('and', a, b), c),
    () => op('or', op('or', a, b), c),
    () => op('add', op('xor', a, b), c),
    () => op('and', op('lshr', a, small), '255'),
    () => op('ashr', op('shl', a, String(half)), String(half)),
    () => op('ashr', op('shl', a, small), String(WIDTHS[of] - 7)),
    () => intrinsic('smax', intrinsic('smin', a, '100'), '-100'),
    () => intrinsic('umin', intrinsic('umax', a, '5'), '1000'),
    () => intrinsic('smax', intrinsic('smax', a, b), c),
    () => intrinsic('umin', intrinsic('umin', a, b), c),
    () => op('sub', '0', a),
    () => op('sub', intrinsic('umax', a, b), intrinsic('umin', a, b)),
    () => op('or', op('shl', op('and', a, '255'), '8'), op('and', op('lshr', b, '16'), '255')),
    () => op('shl', '1', op('and', a, String(WIDTHS[of] - 1))),
    () => op('sub', op('shl', '1', op('and', a, '15')), '1'),
    () => op('and', a, op('sub', a, '1')),
  ];
  e.put(of, s.d, at(shapes, s.k >> 16)());
};
const resize: WideOperation = (e, s) => {
  const [from, to] = at(
    [['v', 'w'], ['h', 'w'], ['b', 'h'], ['u', 'z'], ['w', 'v'], ['z', 'u'], ['w', 'h'], ['h', 'b'], ['z', 'v']] as const,
    s.k >> 4,
  ); // prettier-ignore
  const how = WIDTHS[from] < WIDTHS[to] ? at(['zext', 'sext'], s.c) : 'trunc';
  e.put(to, s.d, e.value(`${how} ${INTEGER_TYPES[from]} ${e.get(from, s.a)} to ${INTEGER_TYPES[to]}`));
};

export const INTEGER_OPS: readonly WideOperation[] = [
  arithmetic, arithmetic, shift, divide, minmax, bits, funnel, shiftSaturated, overflow, compare, select, highProduct,
  product24, dot, combined, combined, combined, resize, resize,
]; // prettier-ignore

/**
 * Operations of the wide family of random kernels: floating point, and whatever else makes code generation choose instructions that
 * the plain family (random-operations.ts) never meets. All are defined for any values of the variables, and exactly: no
 * contraction, no operation whose result LLVM leaves open (the sign of a zero of `minnum`, `fma` of half on the host, …).
 */
import { P, at, type Operation } from './random-emitter.js';
import type { Leaf } from './random-kernel.js';
import { FLOATS, FLOAT_TYPES, type Float, type WideEmitter } from './wide-emitter.js';

type WideOperation = (e: WideEmitter, s: Leaf) => void;

/** Slots of shared sums. */
export const ATOMICS = 24;

// --- Integers of every width, uniform or not ------------------------------------------------------------------------------

const INTEGERS = ['v', 'u', 'w', 'z', 'h', 'v', 'w', 'b', 's'] as const;
type Integer = (typeof INTEGERS)[number];
const INTEGER_TYPES = { v: 'i32', u: 'i32', w: 'i64', z: 'i64', h: 'i16', b: 'i8', s: '<2 x i16>' } as const;
const WIDTHS = { v: 32, u: 32, w: 64, z: 64, h: 16, b: 8, s: 16 } as const;
const suffix = (of: Integer): string => (of === 's' ? 'v2i16' : INTEGER_TYPES[of]);
const constant = (of: Integer, k: number): string => (of === 's' ? `splat (i16 ${k})` : String(k));

interface Picked {
  readonly of: Integer;
  readonly type: string;
  readonly a: string;
  readonly b: string;
}
/** A width and two operands; the second is a constant now and then. */
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
  // The least number divided by -1 has no result.
  e.put(of, s.d, e.value(`${operation} ${type} ${signed ? e.value(`sub ${type} ${positive}, ${s.k & 1 ? 7 : 0}`) : a}, ${divisor}`));
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
  if (name === 'bswap' && of === 'b') return;
  const flag = ['ctlz', 'cttz', 'abs'].includes(name) ? ['i1 false'] : [];
  e.put(of, s.d, e.call(type, `${name}.${suffix(of)}`, operand, ...flag));
};
const funnel: WideOperation = (e, s) => {
  const { of, type, a, b } = integers(e, s);
  const by = s.k & 1 ? constant(of, (s.k >> 20) % WIDTHS[of]) : e.get(of, s.c);
  e.put(of, s.d, e.call(type, `fsh${s.c & 1 ? 'l' : 'r'}.${suffix(of)}`, ...[a, b, by].map((each) => `${type} ${each}`)));
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
/** Products of 24 bits, with a sum. */
const product24: WideOperation = (e, s) => {
  const short = (index: number): string => {
    const value = e.get('v', index);
    return s.c & 1
      ? e.value(`and i32 ${value}, 16777215`)
      : e.value(`ashr i32 ${e.value(`shl i32 ${value}, 8`)}, 8`);
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
/** Shapes that become one instruction of two or three operations. */
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

// --- Floating point -------------------------------------------------------------------------------------------------------

const float = (s: Leaf): Float => at(FLOATS, s.k >> 4);
/** A number, of moderate size two times out of three. */
const number = (e: WideEmitter, of: Float, index: number, s: Leaf): string => {
  const value = e.get(of, index);
  return (s.k >> 8) % 3 === 0 ? value : e.moderate(of, value, 7);
};

const floatArithmetic: WideOperation = (e, s) => {
  const of = float(s);
  const { type } = FLOAT_TYPES[of];
  const b = s.k & 1 ? number(e, of, s.b, s) : at(['2.0', '0.5', '-1.0', '3.0', '0.0', '4.0'], s.k >> 12);
  const name = at(['fadd', 'fsub', 'fmul', 'fdiv'], s.c);
  e.put(of, s.d, e.value(`${name} ${type} ${number(e, of, s.a, s)}, ${b}`));
};
const renew: WideOperation = (e, s) => {
  const of = float(s);
  if (s.k & 1) return e.put(of, s.d, e.moderate(of, e.get(of, s.a), 7));
  const source = { g: 'v', d: 'w', x: 'h' } as const;
  e.put(of, s.d, e.fromBits(of, e.get(source[of], s.a)));
};
const toBits: WideOperation = (e, s) => {
  const of = float(s);
  e.put(({ g: 'v', d: 'w', x: 'h' } as const)[of], s.d, e.bitsOf(of, e.get(of, s.a)));
};
const unary: WideOperation = (e, s) => {
  const of = float(s);
  const { type, name } = FLOAT_TYPES[of];
  const a = number(e, of, s.a, s);
  const how = at(['fneg', 'fabs', 'floor', 'ceil', 'trunc', 'rint', 'roundeven', 'round', 'sqrt', 'canonicalize', 'nearbyint'], s.c); // prettier-ignore
  e.put(of, s.d, how === 'fneg' ? e.value(`fneg ${type} ${a}`) : e.call(type, `${how}.${name}`, a));
};
const fused: WideOperation = (e, s) => {
  if ((s.k >> 4) % 3 === 2) {
    const [a, b, c] = [s.a, s.b, s.c].map((index) => e.value(`fpext half ${e.get('x', index)} to float`));
    const sum = e.call('float', 'fma.f32', a!, s.k & 1 ? b! : e.value(`fneg float ${b}`), s.k & 2 ? c! : e.get('g', s.c));
    if (s.k & 4) return e.put('x', s.d, e.value(`fptrunc float ${sum} to half`));
    return e.put('g', s.d, sum);
  }
  const of = at(['g', 'd'] as const, s.k >> 4);
  const { type, name } = FLOAT_TYPES[of];
  const b = number(e, of, s.b, s);
  const negated = s.k & 1 ? e.value(`fneg ${type} ${b}`) : b;
  e.put(of, s.d, e.call(type, `fma.${name}`, number(e, of, s.a, s), negated, e.get(of, s.c)));
};
/** With operand modifiers around. */
const modified: WideOperation = (e, s) => {
  const of = float(s);
  const { type, name } = FLOAT_TYPES[of];
  const absolute = e.call(type, `fabs.${name}`, number(e, of, s.a, s));
  const a = s.k & 1 ? e.value(`fneg ${type} ${absolute}`) : absolute;
  const b = s.k & 2 ? e.value(`fneg ${type} ${e.get(of, s.b)}`) : e.get(of, s.b);
  const result = e.value(`${at(['fadd', 'fmul', 'fsub'], s.c)} ${type} ${a}, ${b}`);
  if (s.k & 4) {
    // Between zero and one, a NaN to zero: what the clamp modifier computes.
    const positive = e.call(type, `maxnum.${name}`, result, '0.0');
    return e.put(of, s.d, e.value(`fadd ${type} ${e.call(type, `minnum.${name}`, positive, '1.0')}, 0.0`));
  }
  e.put(of, s.d, s.k & 8 ? e.value(`fmul ${type} ${result}, ${at(['2.0', '4.0', '0.5'], s.k >> 12)}`) : result);
};
const floatMinmax: WideOperation = (e, s) => {
  const of = float(s);
  const { type, name } = FLOAT_TYPES[of];
  const how = at(['minimum', 'maximum', 'minimumnum', 'maximumnum', 'minnum', 'maxnum'], s.c);
  const [a, b] = [e.get(of, s.a), e.get(of, s.b)];
  const both = e.call(type, `${how}.${name}`, a, b);
  const three = s.k & 1 ? e.call(type, `${how}.${name}`, both, number(e, of, s.c, s)) : both;
  // Either zero may be the result of the last two; only minus zero changes here.
  e.put(of, s.d, how.endsWith('mnum') || !how.endsWith('num') ? three : e.value(`fadd ${type} ${three}, 0.0`));
};
const sign: WideOperation = (e, s) => {
  const of = float(s);
  const { type, name } = FLOAT_TYPES[of];
  e.put(of, s.d, e.call(type, `copysign.${name}`, e.get(of, s.a), e.quiet(of, e.get(of, s.b))));
};
const floatCompare: WideOperation = (e, s) => {
  const of = float(s);
  const predicate = at([...P.fcmp, 'ord', 'uno'], s.c);
  e.put('c', s.d, e.value(`fcmp ${predicate} ${FLOAT_TYPES[of].type} ${number(e, of, s.a, s)}, ${e.get(of, s.b)}`));
};
const floatSelect: WideOperation = (e, s) => {
  const of = float(s);
  const { type } = FLOAT_TYPES[of];
  e.put(of, s.d, e.value(`select i1 ${e.get('c', s.c)}, ${type} ${e.get(of, s.a)}, ${type} ${e.get(of, s.b)}`));
};
const classify: WideOperation = (e, s) => {
  const of = float(s);
  const { type, name } = FLOAT_TYPES[of];
  const mask = ((s.k >> 12) & 0x3fc) | (s.c & 1 ? 3 : 0);
  e.put('c', s.d, e.value(`call i1 @llvm.is.fpclass.${name}(${type} ${e.get(of, s.a)}, i32 ${mask})`));
};
const scale: WideOperation = (e, s) => {
  const of = float(s);
  const { type, name } = FLOAT_TYPES[of];
  const a = number(e, of, s.a, s);
  if (s.k & 1) {
    const by = e.value(`sub i32 ${e.masked(s.b, s.k & 2 ? 15 : 127)}, ${s.k & 2 ? 7 : 64}`);
    return e.put(of, s.d, e.call(type, `ldexp.${name}.i32`, a, `i32 ${by}`));
  }
  const finite = e.value(`call i1 @llvm.is.fpclass.${name}(${type} ${a}, i32 504)`);
  const given = e.value(`select i1 ${finite}, ${type} ${a}, ${type} 1.0`);
  const pair = e.value(`call { ${type}, i32 } @llvm.frexp.${name}.i32(${type} ${given})`);
  e.put(of, s.d, e.value(`extractvalue { ${type}, i32 } ${pair}, 0`));
  e.put('v', s.c, e.value(`extractvalue { ${type}, i32 } ${pair}, 1`));
};
const remainder: WideOperation = (e, s) => {
  const of = float(s);
  const [a, b] = [s.a, s.b].map((index) => e.moderate(of, e.get(of, index), 7));
  e.put(of, s.d, e.value(`frem ${FLOAT_TYPES[of].type} ${a}, ${b}`));
};
const fromInteger: WideOperation = (e, s) => {
  const of = float(s);
  const from = at(['v', 'w', 'h', 'b', 'u', 'z'] as const, s.k >> 8);
  const type = INTEGER_TYPES[from];
  const value = e.get(from, s.a);
  // Larger ones have two roundings on the way to half.
  const given = of === 'x' && WIDTHS[from] > 16 ? e.value(`and ${type} ${value}, 16777215`) : value;
  e.put(of, s.d, e.value(`${at(['sitofp', 'uitofp'], s.c)} ${type} ${given} to ${FLOAT_TYPES[of].type}`));
};
const toInteger: WideOperation = (e, s) => {
  const of = float(s);
  const { type, name } = FLOAT_TYPES[of];
  const to = at(['v', 'w', 'h', 'b', 'v', 'w'] as const, s.k >> 8);
  const result = INTEGER_TYPES[to];
  const how = at(['fptosi', 'fptoui'], s.c);
  if (s.k & 1) {
    // In range without saturation.
    const value = e.call(type, `fabs.${name}`, e.moderate(of, e.get(of, s.a), 7));
    return e.put(to, s.d, e.value(`${how} ${type} ${value} to ${result}`));
  }
  const scaled = s.k & 2 ? e.value(`fmul ${type} ${e.get(of, s.a)}, 1000.0`) : e.get(of, s.a);
  e.put(to, s.d, e.value(`call ${result} @llvm.${how}.sat.${result}.${name}(${type} ${scaled})`));
};
const convert: WideOperation = (e, s) => {
  const [from, to] = at([['g', 'd'], ['d', 'g'], ['g', 'x'], ['x', 'g'], ['x', 'd'], ['d', 'x']] as const, s.k >> 4);
  const wider = FLOAT_TYPES[from].bits < FLOAT_TYPES[to].bits;
  const value = number(e, from, s.a, s);
  e.put(to, s.d, e.value(`${wider ? 'fpext' : 'fptrunc'} ${FLOAT_TYPES[from].type} ${value} to ${FLOAT_TYPES[to].type}`));
}; // prettier-ignore

// --- Packed ---------------------------------------------------------------------------------------------------------------

const packedHalves: WideOperation = (e, s) => {
  const type = '<2 x half>';
  const [a, b] = [e.get('y', s.a), e.get('y', s.b)];
  const how = at(['fadd', 'fmul', 'fsub', 'minimumnum', 'maximumnum', 'fneg', 'fabs', 'maximum', 'fdiv'], s.c);
  const swapped = s.k & 1 ? e.value(`shufflevector ${type} ${b}, ${type} ${a}, <2 x i32> <i32 ${(s.k >> 1) & 3}, i32 ${(s.k >> 3) & 3}>`) : b; // prettier-ignore
  const negated = s.k & 32 ? e.value(`fneg ${type} ${swapped}`) : swapped;
  if (how === 'fneg') return e.put('y', s.d, e.value(`fneg ${type} ${negated}`));
  if (how === 'fabs') return e.put('y', s.d, e.call(type, 'fabs.v2f16', `${type} ${negated}`));
  const result = how.startsWith('m')
    ? e.call(type, `${how}.v2f16`, `${type} ${a}`, `${type} ${negated}`)
    : e.value(`${how} ${type} ${a}, ${negated}`);
  e.put('y', s.d, result);
};
const packedFloats: WideOperation = (e, s) => {
  const pair = (a: string, b: string): string =>
    e.value(`insertelement <2 x float> ${e.value(`insertelement <2 x float> zeroinitializer, float ${a}, i32 0`)}, float ${b}, i32 1`); // prettier-ignore
  const g = [s.a, s.b, s.c].map((index) => e.moderate('g', e.get('g', index), 7));
  const [x, y] = [pair(g[0]!, g[1]!), pair(g[2]!, g[s.k & 1]!)];
  const result =
    s.c % 4 === 3
      ? e.call('<2 x float>', 'fma.v2f32', ...[x, y, x].map((each) => `<2 x float> ${each}`))
      : e.value(`${at(['fadd', 'fmul', 'fsub'], s.c)} <2 x float> ${x}, ${y}`);
  e.put('g', s.d, e.value(`extractelement <2 x float> ${result}, i32 0`));
  e.put('g', s.d + 1, e.value(`extractelement <2 x float> ${result}, i32 1`));
};
const pairParts: WideOperation = (e, s) => {
  const [pair, part] = at([['s', 'h'], ['y', 'x']] as const, s.k >> 1); // prettier-ignore
  const type = pair === 's' ? '<2 x i16>' : '<2 x half>';
  const element = pair === 's' ? 'i16' : 'half';
  const where = s.c & 1;
  if (s.k & 1) return e.put(part, s.d, e.value(`extractelement ${type} ${e.get(pair, s.a)}, i32 ${where}`));
  e.put(pair, s.d, e.value(`insertelement ${type} ${e.get(pair, s.a)}, ${element} ${e.get(part, s.b)}, i32 ${where}`));
};
const shuffle: WideOperation = (e, s) => {
  const order = `<2 x i32> <i32 ${s.k & 3}, i32 ${(s.k >> 2) & 3}>`;
  e.put('s', s.d, e.value(`shufflevector <2 x i16> ${e.get('s', s.a)}, <2 x i16> ${e.get('s', s.b)}, ${order}`));
};
const reinterpret: WideOperation = (e, s) => {
  const of = at(['s', 'y', 'g'] as const, s.k >> 1);
  if (s.k & 1) e.put('v', s.d, e.integerOf(of, s.a));
  else e.putInteger(of, s.d, e.get('v', s.a));
};

// --- Memory ---------------------------------------------------------------------------------------------------------------

const MEMORY = ['i8', 'i16', 'i32', 'i64', '<2 x i32>', '<3 x i32>', '<4 x i32>', '<2 x i16>', 'half', '<4 x i8>'] as const;
const SIZES = { i8: 1, i16: 2, i32: 4, i64: 8, '<2 x i32>': 8, '<3 x i32>': 16, '<4 x i32>': 16, '<2 x i16>': 4, half: 2, '<4 x i8>': 4 } as const; // prettier-ignore

/** Loads or stores `type` at a pointer, from or to the variable that suits it. */
function access(e: WideEmitter, s: Leaf, type: (typeof MEMORY)[number], pointer: string, align: number): void {
  const load = (): string => e.value(`load ${type}, ${pointer}, align ${align}`);
  const store = (value: string): void => e.emit(`store ${type} ${value}, ${pointer}, align ${align}`);
  const isLoad = (s.k & 1) === 0;
  switch (type) {
    case 'i8':
    case 'i16': {
      const wider = at(['v', 'w', 'h'] as const, s.k >> 20);
      if (isLoad && (wider !== 'h' || type === 'i8')) return e.put(wider, s.d, e.value(`${at(['zext', 'sext'], s.c)} ${type} ${load()} to ${INTEGER_TYPES[wider]}`)); // prettier-ignore
      if (isLoad) return e.put('s', s.d, e.value(`insertelement <2 x i16> ${e.get('s', s.c)}, i16 ${load()}, i32 ${s.c & 1}`)); // prettier-ignore
      if (type === 'i16' && s.k & 1024) return store(e.value(`extractelement <2 x i16> ${e.get('s', s.b)}, i32 1`));
      return store(e.value(`trunc i32 ${s.k & 512 ? e.value(`lshr i32 ${e.get('v', s.b)}, 16`) : e.get('v', s.b)} to ${type}`)); // prettier-ignore
    }
    case 'half':
      if (isLoad) return e.put('x', s.d, e.quiet('x', load()));
      return store(e.quiet('x', e.get('x', s.b)));
    case 'i32':
      return isLoad ? e.put('v', s.d, load()) : store(e.get('v', s.b));
    case 'i64':
      return isLoad ? e.put('w', s.d, load()) : store(e.get('w', s.b));
    case '<2 x i16>':
      return isLoad ? e.put('s', s.d, load()) : store(e.get('s', s.b));
    case '<4 x i8>':
      return isLoad
        ? e.put('v', s.d, e.value(`bitcast <4 x i8> ${load()} to i32`))
        : store(e.value(`bitcast i32 ${e.get('v', s.b)} to <4 x i8>`));
    case '<2 x i32>':
      return isLoad
        ? e.put('w', s.d, e.value(`bitcast <2 x i32> ${load()} to i64`))
        : store(e.value(`bitcast i64 ${e.get('w', s.b)} to <2 x i32>`));
    case '<3 x i32>': {
      if (!isLoad) return store(e.value(`shufflevector <4 x i32> ${e.get('q', s.b)}, <4 x i32> poison, <3 x i32> <i32 2, i32 0, i32 1>`)); // prettier-ignore
      const three = load();
      e.put('v', s.d, e.value(`extractelement <3 x i32> ${three}, i32 2`));
      return e.put('v', s.d + 1, e.value(`extractelement <3 x i32> ${three}, i32 0`));
    }
    case '<4 x i32>':
      return isLoad ? e.put('q', s.d, load()) : store(e.get('q', s.b));
  }
}

/** The thread's own bytes of global, flat, LDS or private memory. */
const memory: WideOperation = (e, s) => {
  const type = at(MEMORY, s.c);
  const bytes = SIZES[type];
  const align = s.k & 4096 ? Math.max(1, (type === '<3 x i32>' ? 4 : bytes) >> 1) : type === '<3 x i32>' ? 4 : bytes;
  const offset = (size: number): string => e.value(`mul i32 ${e.masked(s.a, size / bytes - 1)}, ${bytes}`);
  switch ((s.k >> 5) % 5) {
    case 0: {
      const place = e.value(`zext i32 ${offset(128)} to i64`);
      const pointer = e.value(`getelementptr inbounds i8, ptr addrspace(1) %own, i64 ${place}`);
      return access(e, s, type, `ptr addrspace(1) ${pointer}`, align);
    }
    case 1: {
      const fixed = e.value(`getelementptr inbounds i8, ptr addrspace(1) %own, i64 ${((s.k >> 13) % (128 / bytes)) * bytes}`);
      return access(e, s, type, `ptr addrspace(1) ${fixed}`, align);
    } // prettier-ignore
    case 2: {
      const row = e.value(`getelementptr inbounds [32 x i8], ptr addrspace(3) @own, i32 %tid, i32 ${offset(32)}`);
      if ((s.k & 2) === 0) return access(e, s, type, `ptr addrspace(3) ${row}`, Math.min(align, 16));
      return access(e, s, type, `ptr ${e.value(`addrspacecast ptr addrspace(3) ${row} to ptr`)}`, align);
    }
    case 3: {
      const fixed = ((s.k >> 13) % (32 / bytes)) * bytes;
      const row = e.value(`getelementptr inbounds [32 x i8], ptr addrspace(3) @own, i32 %tid, i32 ${fixed}`);
      return access(e, s, type, `ptr addrspace(3) ${row}`, align);
    }
    default: {
      const place = e.value(`getelementptr inbounds i8, ptr addrspace(5) %array${s.k & 2 ? 1 : 0}, i32 ${offset(32)}`);
      if ((s.k & 8) === 0) return access(e, s, type, `ptr addrspace(5) ${place}`, Math.min(align, 4));
      return access(e, s, type, `ptr ${e.value(`addrspacecast ptr addrspace(5) ${place} to ptr`)}`, Math.min(align, 4));
    }
  }
};
/** Two neighbours of LDS at once. */
const neighbours: WideOperation = (e, s) => {
  const place = (index: number): string =>
    e.value(`getelementptr inbounds [32 x i8], ptr addrspace(3) @own, i32 %tid, i32 ${index}`);
  const [first, second] = [(s.k & 3) * 8, ((s.k >> 2) & 3) * 8];
  for (const [index, offset] of [first, second].entries())
    if (s.k & 64) e.emit(`store i64 ${e.get('w', s.a + index)}, ptr addrspace(3) ${place(offset)}, align 8`);
    else e.put('w', s.d + index, e.value(`load i64, ptr addrspace(3) ${place(offset)}, align 8`));
};
/** Read-only memory, at the same place for all threads or not. */
const lookUp: WideOperation = (e, s) => {
  const index = s.k & 1 ? e.value('and i32 %uniform, 7') : e.masked(s.a, 15);
  if (s.k & 2) {
    const place = e.value(`getelementptr inbounds [16 x i32], ptr addrspace(4) @table, i32 0, i32 ${index}`);
    return e.put('v', s.d, e.value(`load i32, ptr addrspace(4) ${place}, align 4`));
  }
  const place = e.value(`getelementptr inbounds <4 x i32>, ptr addrspace(1) %in, i32 ${index}`);
  if (s.k & 4) return e.put('q', s.d, e.value(`load <4 x i32>, ptr addrspace(1) ${place}, align 16`));
  const narrow = at(['i8', 'i16'], s.c);
  const value = e.value(`load ${narrow}, ptr addrspace(1) ${place}, align 2`);
  e.put(at(['v', 'u'] as const, s.k >> 3), s.d, e.value(`${at(['sext', 'zext'], s.k >> 4)} ${narrow} ${value} to i32`));
};

// --- Atomics whose final result has no order ------------------------------------------------------------------------------

const SHARED = ['add', 'sub', 'and', 'or', 'xor', 'umin', 'umax', 'smin', 'smax', 'uinc_wrap', 'usub_sat'] as const;
const atomic: WideOperation = (e, s) => {
  const slot = s.c % SHARED.length;
  const name = SHARED[slot]!;
  const scope = s.k & 16 ? ' syncscope("agent")' : ' syncscope("workgroup")';
  const facts = ', !amdgpu.no.fine.grained.memory !0, !amdgpu.no.remote.memory !0, !amdgpu.ignore.denormal.mode !0';
  const [of, type, bytes, base] = s.k & 1 ? (['w', 'i64', 8, ATOMICS * 4] as const) : (['v', 'i32', 4, 0] as const);
  const value = name === 'uinc_wrap' ? '1000' : (s.k >> 5) % 3 === 0 ? '3' : e.get(of, s.a);
  const order = s.k & 128 ? 'seq_cst' : 'monotonic';
  if (s.k & 2) {
    // Sums and extremes of small integers as floats; even slots are for sums.
    const place = e.value(`getelementptr inbounds i8, ptr addrspace(1) %shared, i64 ${ATOMICS * 12 + s.c % ATOMICS * 4}`);
    const small = e.value(`uitofp i32 ${e.masked(s.a, 255)} to float`);
    const how = s.c % 2 === 0 ? 'fadd' : 'fmax';
    return void e.value(`atomicrmw ${how} ptr addrspace(1) ${place}, float ${small} syncscope("agent") monotonic, align 4${facts}`);
  } // prettier-ignore
  if (s.k & 4) {
    const array = s.k & 1 ? 'longs' : 'sums';
    const place = e.value(`getelementptr inbounds ${type}, ptr addrspace(3) @${array}, i32 ${slot}`);
    return void e.value(`atomicrmw ${name} ptr addrspace(3) ${place}, ${type} ${value}${scope} ${order}, align ${bytes}`);
  }
  const place = e.value(`getelementptr inbounds i8, ptr addrspace(1) %shared, i64 ${base + slot * bytes}`);
  e.value(`atomicrmw ${name} ptr addrspace(1) ${place}, ${type} ${value}${scope.replace('workgroup', 'agent')} ${order}, align ${bytes}${facts}`);
}; // prettier-ignore

// --- Calls ----------------------------------------------------------------------------------------------------------------

const callFunction: WideOperation = (e, s) => {
  switch (s.k % 3) {
    case 0:
      return e.put('w', s.d, e.value(`call i64 @long(i64 ${e.get('w', s.a)}, i32 ${e.get('v', s.b)}, i64 ${e.get('z', s.c)})`)); // prettier-ignore
    case 1:
      return e.put('d', s.d, e.value(`call double @curve(double ${e.get('d', s.a)}, float ${e.get('g', s.b)}, half ${e.get('x', s.c)})`)); // prettier-ignore
    default: {
      const list = `i32 ${e.get('v', s.a)}, <2 x i16> ${e.get('s', s.b)}, i64 ${e.get('w', s.c)}, <4 x i32> ${e.get('q', 0)}`;
      return e.put('v', s.d, e.value(`call i32 @many(${list}, i32 ${e.get('u', s.b)}, ptr addrspace(5) %array1)`));
    }
  }
};

const LIST: readonly WideOperation[] = [
  arithmetic, arithmetic, shift, divide, minmax, bits, funnel, shiftSaturated, overflow, compare, select, highProduct,
  product24, dot, combined, combined, combined, resize, resize, floatArithmetic, floatArithmetic, floatArithmetic, renew,
  renew, toBits, unary, unary, fused, modified, floatMinmax, sign, floatCompare, floatSelect, classify, scale, remainder,
  fromInteger, fromInteger, toInteger, toInteger, convert, convert, packedHalves, packedHalves, packedFloats, pairParts,
  shuffle, reinterpret, memory, memory, memory, memory, neighbours, lookUp, lookUp, atomic, atomic, callFunction,
]; // prettier-ignore

/** For WideEmitters only. */
export const WIDE_OPS: readonly Operation[] = LIST.map(
  (operation): Operation =>
    (e, s) =>
      operation(e as WideEmitter, s),
);

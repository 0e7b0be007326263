/** Floating-point operations of the wide family of random kernels (wide-operations.ts), alone and in pairs. */
import { P, at } from './random-emitter.js';
import type { Leaf } from './random-kernel.js';
import { FLOATS, FLOAT_TYPES, type Float, type WideEmitter, type WideOperation } from './wide-emitter.js';
import { INTEGER_TYPES, WIDTHS } from './wide-integers.js';

const float = (s: Leaf): Float => at(FLOATS, s.k >> 4);
/** A number, in two of three cases of moderate size. */
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
  const how = at(['fneg', 'fabs', 'floor', 'ceil', 'trunc', 'rint', 'roundeven', 'round', 'sqrt', 'canonicalize', 'nearbyint'], s.c); // prettier-ignore
  // LLVM does not say which NaN a square root gives.
  const any = number(e, of, s.a, s);
  const a = how === 'sqrt' ? e.call(type, `fabs.${name}`, any) : any;
  e.put(of, s.d, how === 'fneg' ? e.value(`fneg ${type} ${a}`) : e.call(type, `${how}.${name}`, a));
};
const fused: WideOperation = (e, s) => {
  if ((s.k >> 4) % 3 === 2) {
    const [a, b, c] = [s.a, s.b, s.c].map((index) => e.value(`fpext half ${e.get('x', index)} to float`));
    const sum = e.call(
      'float',
      'fma.f32',
      a!,
      s.k & 1 ? b! : e.value(`fneg float ${b}`),
      s.k & 2 ? c! : e.get('g', s.c),
    );
    if (s.k & 4) return e.put('x', s.d, e.value(`fptrunc float ${sum} to half`));
    return e.put('g', s.d, sum);
  }
  const of = at(['g', 'd'] as const, s.k >> 4);
  const { type, name } = FLOAT_TYPES[of];
  const b = number(e, of, s.b, s);
  const negated = s.k & 1 ? e.value(`fneg ${type} ${b}`) : b;
  e.put(of, s.d, e.call(type, `fma.${name}`, number(e, of, s.a, s), negated, e.get(of, s.c)));
};
/** With operand modifiers. */
const modified: WideOperation = (e, s) => {
  const of = float(s);
  const { type, name } = FLOAT_TYPES[of];
  const absolute = e.call(type, `fabs.${name}`, number(e, of, s.a, s));
  const a = s.k & 1 ? e.value(`fneg ${type} ${absolute}`) : absolute;
  const b = s.k & 2 ? e.value(`fneg ${type} ${e.get(of, s.b)}`) : e.get(of, s.b);
  const result = e.value(`${at(['fadd', 'fmul', 'fsub'], s.c)} ${type} ${a}, ${b}`);
  if (s.k & 4) {
    // Between 0 and 1, and 0 for a NaN: the clamp modifier.
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
  // The last two may give either zero, so minus zero is replaced by zero for them.
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
  // Larger numbers would be rounded twice on the way to half.
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
    // Within the range, so that the conversion does not saturate.
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

// --- Packed
// -----------------------------------------------------------------------------------------------------------------

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

export const FLOAT_OPS: readonly WideOperation[] = [
  floatArithmetic, floatArithmetic, floatArithmetic, renew, renew, toBits, unary, unary, fused, modified, floatMinmax, sign,
  floatCompare, floatSelect, classify, scale, remainder, fromInteger, fromInteger, toInteger, toInteger, convert, convert,
  packedHalves, packedHalves, packedFloats, pairParts, shuffle, reinterpret,
]; // prettier-ignore

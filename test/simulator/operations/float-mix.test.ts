import { suite } from '../../support/suite.js';
import { add, BF16, F16, F32, fma, type Format, mul, round, valueOf, type Value } from '../arithmetic/exact.js';
import { hardPatterns, Source } from '../arithmetic/patterns.js';
import { Bench, flushed, isNaNBits, nanOf, withModes, word, type Rounded } from './float-bench.js';

const test = suite('simulator/operations/float-mix', { tests: 4, timeoutMs: 10_000 });

const [v0, v1, v2, v3] = [word(0), word(1), word(2), word(3)];
const all = [v1, v2, v3];
const BEFORE = 0xabcd1234n;
const half = (bits: bigint, isHigh: boolean): bigint => (isHigh ? bits >> 16n : bits) & 0xffffn;

/** Words that are two halves, or an f32. */
function words(count: number, kinds: readonly ('halves' | 'f32' | 'bf16')[], seed: number): bigint[][] {
  const source = new Source(seed);
  const one = (f: Format): bigint => {
    const hard = hardPatterns(f);
    return source.below(3) === 0 ? hard[source.below(hard.length)]! : source.pattern(f);
  };
  const pairOf = (f: Format): bigint => one(f) | (one(f) << 16n);
  return Array.from({ length: count }, () =>
    kinds.map((kind) => (kind === 'f32' ? one(F32) : pairOf(kind === 'bf16' ? BF16 : F16))),
  );
}

/** An f16 or bf16 as f32, exactly; a NaN keeps its payload, quieted. */
function widen(bits: bigint, f: Format): bigint {
  const sign = (bits & 0x8000n) << 16n;
  const fraction = (bits & ((1n << BigInt(f.fraction)) - 1n)) << BigInt(23 - f.fraction);
  if (isNaNBits(bits, f)) return sign | 0x7fc00000n | fraction;
  return round(valueOf(bits, f), F32, 0);
}

/** An f32 as f16; a NaN keeps the top of its payload. */
function narrow(bits: bigint, mode: 0 | 1 | 2 | 3): bigint {
  if (isNaNBits(bits, F32)) return ((bits >> 16n) & 0x8000n) | 0x7e00n | ((bits >> 13n) & 0x3ffn);
  return round(valueOf(bits, F32), F16, mode);
}

const value = (bits: bigint): Value => valueOf(bits, F32);
const fused: Rounded = (mode, a, b, c) => round(fma(value(a), value(b), value(c), mode), F32, mode);
const neg = (bits: bigint): bigint => bits ^ 0x80000000n;
const abs = (bits: bigint): bigint => bits & 0x7fffffffn;

test('v_fma_mix', async () => {
  const lines = [
    'v_fma_mix_f32 v0, v1, v2, v3',
    'v_fma_mix_f32 v0, v1, v2, v3 op_sel:[1,0,0] op_sel_hi:[1,1,0]',
    'v_fma_mix_f32 v0, -v1, |v2|, -|v3| op_sel:[0,1,1] op_sel_hi:[1,1,1]',
    'v_fma_mixlo_f16 v0, v1, v2, v3 op_sel_hi:[1,0,1]',
    'v_fma_mixhi_f16 v0, v1, -v2, v3 op_sel:[1,1,0] op_sel_hi:[1,1,0]',
    'v_fma_mix_f32 v0, v1, 0.5, v3 op_sel_hi:[1,1,0]',
    'v_fma_mix_f32 v0, v1, 0.5, v3 op_sel_hi:[1,0,0]',
    'v_fma_mix_f32 v0, v1, s4, v3 op_sel:[0,1,0] op_sel_hi:[1,1,0]',
    'v_fma_mixhi_f16 v0, v1, v2, v3 op_sel_hi:[1,1,0] clamp',
  ];
  for (const cpu of ['gfx906', 'gfx1100']) {
    const bench = await Bench.of(cpu, lines);
    const plain = words(700, ['f32', 'f32', 'f32'], 51);
    const twoHalves = words(700, ['halves', 'halves', 'f32'], 52);
    const threeHalves = words(700, ['halves', 'halves', 'halves'], 53);
    const mixed = words(700, ['halves', 'f32', 'halves'], 54);
    const h = (bits: bigint, isHigh: boolean): bigint => widen(half(bits, isHigh), F16);
    for (const [mode, denormals, rounding16] of [[0, 3, 0], [1, 0, 3], [3, 3, 0]] as const) {
      const f = withModes(F32, mode, denormals, fused);
      const options = {
        mode: { roundF32: mode, denormF32: denormals, roundF16F64: rounding16 },
        before: BEFORE,
        scalars: new Map([[4, 0x40003c00]]),
      };
      bench.check(lines[0]!, all, v0, plain, f, options);
      bench.check(lines[1]!, all, v0, twoHalves, (a, b, c) => f(h(a!, true), h(b!, false), c!), options);
      const signs = (a: bigint, b: bigint, c: bigint) => f(neg(h(a, false)), abs(h(b, true)), neg(abs(h(c, true))));
      bench.check(lines[2]!, all, v0, threeHalves, signs, options);
      const lower = (bits: bigint): bigint => (BEFORE & 0xffff0000n) | narrow(bits, rounding16);
      const upper = (bits: bigint): bigint => (BEFORE & 0xffffn) | (narrow(bits, rounding16) << 16n);
      bench.check(lines[3]!, all, v0, mixed, (a, b, c) => lower(f(h(a!, false), b!, h(c!, false))), options);
      bench.check(lines[4]!, all, v0, twoHalves, (a, b, c) => upper(f(h(a!, true), neg(h(b!, true)), c!)), options);
      // An inline constant is of the format that op_sel_hi says: one half in both.
      for (const at of [5, 6])
        bench.check(lines[at]!, all, v0, twoHalves, (a, _b, c) => f(h(a!, false), 0x3f000000n, c!), options);
      bench.check(lines[7]!, all, v0, twoHalves, (a, _b, c) => f(h(a!, false), 0x40000000n, c!), options);
      const clamped = (bits: bigint): bigint => {
        const rounded = narrow(bits, rounding16);
        const to1 = isNaNBits(rounded, F16) || rounded >= 0x8000n ? 0n : rounded > 0x3c00n ? 0x3c00n : rounded;
        return (BEFORE & 0xffffn) | (to1 << 16n);
      };
      bench.check(lines[8]!, all, v0, twoHalves, (a, b, c) => clamped(f(h(a!, false), h(b!, false), c!)), options);
    } // prettier-ignore
  }
});

test('v_mad_mix is unfused and flushes', async () => {
  const lines = ['v_mad_mix_f32 v0, v1, v2, v3 op_sel_hi:[1,0,0]', 'v_mad_mixlo_f16 v0, v1, v2, v3 op_sel_hi:[1,0,0]'];
  const bench = await Bench.of('gfx900', lines);
  const operands = words(1500, ['halves', 'f32', 'f32'], 55);
  const mad = (a: bigint, b: bigint, c: bigint): bigint => {
    const x = widen(half(a, false), F16);
    const [y, z] = [flushed(b, F32), flushed(c, F32)];
    const p = round(mul(value(x), value(y)), F32, 0);
    const result = p === -1n ? -1n : round(add(value(flushed(p, F32)), value(z), 0), F32, 0);
    return result === -1n ? nanOf(F32, x, b, c) : flushed(result, F32);
  };
  bench.check(lines[0]!, all, v0, operands, mad);
  const low = (a: bigint, b: bigint, c: bigint): bigint => (BEFORE & 0xffff0000n) | narrow(mad(a, b, c), 0);
  bench.check(lines[1]!, all, v0, operands, low, { before: BEFORE });
});

/** Each step is rounded to f32, f32 denormals are flushed. */
function dot(f: Format, a: bigint, b: bigint, c: bigint): bigint {
  const zero = (bits: bigint): bigint => (f === BF16 ? flushed(bits, f) : bits);
  const wide = (bits: bigint, isHigh: boolean): bigint => widen(zero(half(bits, isHigh)), f);
  let sum = flushed(c, F32);
  const seen = [wide(a, false), wide(b, false), wide(a, true), wide(b, true), c];
  for (const isHigh of [false, true]) {
    const result = fused(0, wide(a, isHigh), wide(b, isHigh), sum);
    if (result === -1n) {
      const upTo = isHigh || isNaNBits(c, F32) ? seen : seen.slice(0, 2);
      if (upTo.slice(0, 2).some((each) => isNaNBits(each, F32)) || isHigh) return nanOf(F32, ...upTo);
      return nanOf(F32, ...seen);
    }
    sum = flushed(result, F32);
  }
  return sum;
}

test('dot products in f32', async () => {
  const half2 = [
    'v_dot2_f32_f16 v0, v1, v2, v3',
    'v_dot2_f32_f16 v0, v1, v2, v3 op_sel:[1,0,0] op_sel_hi:[1,0,1] neg_lo:[1,0,0]',
  ];
  const bench = await Bench.of('gfx906', half2);
  const operands = words(3000, ['halves', 'halves', 'f32'], 56);
  bench.check(half2[0]!, all, v0, operands, (a, b, c) => dot(F16, a!, b!, c!));
  bench.check(half2[1]!, all, v0, operands, (a, b, c) => {
    const x = half(a!, true) ^ 0x8000n;
    return dot(F16, x | (half(a!, true) << 16n), half(b!, false) | (half(b!, false) << 16n), c!);
  });
  const lines = ['v_dot2_f32_bf16 v0, v1, v2, v3', 'v_dot2acc_f32_f16 v3, v1, v2'];
  const newer = await Bench.of('gfx1100', lines);
  const brain = words(3000, ['bf16', 'bf16', 'f32'], 57);
  newer.check(lines[0]!, all, v0, brain, (a, b, c) => dot(BF16, a!, b!, c!));
  newer.check(lines[1]!, all, v3, operands, (a, b, c) => dot(F16, a!, b!, c!));
});

test('dot products in 16 bits', async () => {
  const lines = ['v_dot2_f16_f16 v0.h, v1, -v2, v3.h', 'v_dot2_bf16_bf16 v0.l, v1, v2, v3.l'];
  const bench = await Bench.of('gfx1100', lines);
  const noNaN = (f: Format) => (each: readonly bigint[]) =>
    each.every((bits) => !isNaNBits(half(bits, false), f) && !isNaNBits(half(bits, true), f)); // prettier-ignore
  const operands = words(3000, ['halves', 'halves', 'halves'], 58).filter(noNaN(F16));
  bench.check(
    lines[0]!,
    all,
    v0,
    operands,
    (a, b, c) => (BEFORE & 0xffffn) | (narrow(dot(F16, a!, b! ^ 0x80008000n, widen(half(c!, true), F16)), 0) << 16n),
    { before: BEFORE },
  );
  const brain = words(3000, ['bf16', 'bf16', 'bf16'], 59).filter(noNaN(BF16));
  bench.check(
    lines[1]!,
    all,
    v0,
    brain,
    (a, b, c) => {
      const sum = dot(BF16, a!, b!, widen(half(c!, false), BF16));
      if (isNaNBits(sum, F32)) return (BEFORE & 0xffff0000n) | (sum >> 16n);
      return (BEFORE & 0xffff0000n) | flushed(round(value(sum), BF16, 0), BF16);
    },
    { before: BEFORE },
  );
});

test.run();

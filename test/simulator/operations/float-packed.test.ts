import { suite } from '../../support/suite.js';
import { add, F16, F32, fma, type Format, mul, round, valueOf } from '../arithmetic/exact.js';
import { hardPatterns, Source } from '../arithmetic/patterns.js';
import { Bench, isNaNBits, pair, withModes, word, type Rounded } from './float-bench.js';

const test = suite('simulator/operations/float-packed', { tests: 5, timeoutMs: 10_000 });

const [v0, v1, v2, v3] = [word(0), word(1), word(2), word(3)];
const sumOf =
  (f: Format): Rounded =>
  (mode, a, b) =>
    round(add(valueOf(a, f), valueOf(b, f), mode), f, mode);
const productOf =
  (f: Format): Rounded =>
  (mode, a, b) =>
    round(mul(valueOf(a, f), valueOf(b, f)), f, mode);
const fusedOf = (f: Format): Rounded => (mode, a, b, c) =>
  round(fma(valueOf(a, f), valueOf(b, f), valueOf(c, f), mode), f, mode); // prettier-ignore

/** Random pairs of hard and random patterns, low under high. */
function packs(f: Format, count: number, operands: number, seed: number): bigint[][] {
  const source = new Source(seed);
  const hard = hardPatterns(f);
  const one = (): bigint => (source.below(2) === 0 ? hard[source.below(hard.length)]! : source.pattern(f));
  const each = (): bigint => one() | (one() << BigInt(f.width));
  return Array.from({ length: count }, () => Array.from({ length: operands }, each));
}

const half = (bits: bigint, isHigh: boolean): bigint => (isHigh ? bits >> 16n : bits) & 0xffffn;
const both = (low: bigint, high: bigint): bigint => low | (high << 16n);
const neg = (bits: bigint): bigint => bits ^ 0x8000n;

test('packed halves in all modes', async () => {
  const lines = ['v_pk_add_f16 v0, v1, v2', 'v_pk_mul_f16 v0, v1, v2', 'v_pk_fma_f16 v0, v1, v2, v3'];
  const bench = await Bench.of('gfx906', lines);
  const operands = packs(F16, 2000, 3, 41);
  for (const mode of [0, 1, 2, 3] as const)
    for (const denormals of [0, 3]) {
      const options = { mode: { roundF16F64: mode, denormF16F64: denormals } };
      [sumOf(F16), productOf(F16), fusedOf(F16)].forEach((rounded, at) => {
        const truth = withModes(F16, mode, denormals, rounded);
        const halves = (...all: bigint[]): bigint =>
          both(truth(...all.map((bits) => half(bits, false))), truth(...all.map((bits) => half(bits, true))));
        bench.check(lines[at]!, [v1, v2, v3], v0, operands, halves, options);
      });
    }
});

test('op_sel, op_sel_hi, neg_lo, neg_hi, constants and clamp', async () => {
  const lines = [
    'v_pk_add_f16 v0, v1, v2 op_sel:[1,0] op_sel_hi:[0,1] neg_lo:[1,0] neg_hi:[0,1]',
    'v_pk_mul_f16 v0, v1, 2.0 op_sel_hi:[1,0]',
    'v_pk_mul_f16 v0, v1, 2.0',
    'v_pk_add_f16 v0, v1, -1',
    'v_pk_fma_f16 v0, v1, s4, v3 op_sel:[0,1,1] op_sel_hi:[1,0,0] neg_lo:[0,1,0] neg_hi:[0,0,1]',
    'v_pk_add_f16 v0, v1, v2 clamp',
  ];
  const bench = await Bench.of('gfx906', lines);
  const operands = packs(F16, 1500, 3, 42);
  const [plus, times, fused] = [sumOf(F16), productOf(F16), fusedOf(F16)].map((each) => withModes(F16, 0, 3, each)) as [
    (a: bigint, b: bigint) => bigint,
    (a: bigint, b: bigint) => bigint,
    (a: bigint, b: bigint, c: bigint) => bigint,
  ];
  const all = [v1, v2, v3];
  bench.check(lines[0]!, all, v0, operands, (a, b) =>
    both(plus(neg(half(a!, true)), half(b!, false)), plus(half(a!, false), neg(half(b!, true)))),
  );
  const two = 0x4000n;
  bench.check(lines[1]!, all, v0, operands, (a) => both(times(half(a!, false), two), times(half(a!, true), two)));
  // A float constant is in the low half only, an integer is sign-extended.
  bench.check(lines[2]!, all, v0, operands, (a) => both(times(half(a!, false), two), times(half(a!, true), 0n)));
  bench.check(lines[3]!, all, v0, operands, (a) => both(plus(half(a!, false), 0xffffn), plus(half(a!, true), 0xffffn)));
  const scalars = new Map([[4, 0xc1234567]]);
  bench.check(
    lines[4]!,
    all,
    v0,
    operands,
    (a, _b, c) =>
      both(fused(half(a!, false), 0x4123n, half(c!, true)), fused(half(a!, true), 0x4567n, neg(half(c!, false)))),
    { scalars },
  );
  const clamped = (bits: bigint): bigint =>
    isNaNBits(bits, F16) || bits >= 0x8000n ? 0n : bits > 0x3c00n ? 0x3c00n : bits;
  bench.check(lines[5]!, all, v0, operands, (a, b) =>
    both(clamped(plus(half(a!, false), half(b!, false))), clamped(plus(half(a!, true), half(b!, true)))),
  );
});

test('minimum, maximum, accumulation, packing', async () => {
  const lines = [
    'v_pk_min_f16 v0, v1, v2',
    'v_pk_max_f16 v0, v1, v2',
    'v_pk_fmac_f16 v3, v1, v2',
    'v_pack_b32_f16 v0, v1, v2 op_sel:[1,0,0]',
    'v_pack_b32_f16 v0, -v1, |v2|',
  ];
  const bench = await Bench.of('gfx1030', lines);
  const operands = packs(F16, 1500, 3, 43).filter((each) =>
    each.every((bits) => !isNaNBits(half(bits, false), F16) && !isNaNBits(half(bits, true), F16)),
  );
  const order = (bits: bigint): bigint => (bits >= 0x8000n ? -(bits - 0x8000n) - 1n : bits);
  const least = (a: bigint, b: bigint): bigint => (order(a) < order(b) ? a : b);
  const most = (a: bigint, b: bigint): bigint => (order(a) > order(b) ? a : b);
  const all = [v1, v2, v3];
  const halves = (f: (a: bigint, b: bigint) => bigint) => (a: bigint, b: bigint) =>
    both(f(half(a, false), half(b, false)), f(half(a, true), half(b, true))); // prettier-ignore
  bench.check(lines[0]!, all, v0, operands, halves(least));
  bench.check(lines[1]!, all, v0, operands, halves(most));
  const fused = withModes(F16, 0, 3, fusedOf(F16));
  bench.check(lines[2]!, all, v3, operands, (a, b, c) =>
    both(
      fused(half(a!, false), half(b!, false), half(c!, false)),
      fused(half(a!, true), half(b!, true), half(c!, true)),
    ),
  );
  bench.check(lines[3]!, all, v0, operands, (a, b) => both(half(a!, true), half(b!, false)));
  bench.check(lines[4]!, all, v0, operands, (a, b) => both(neg(half(a!, false)), half(b!, false) & 0x7fffn));
});

const low = (bits: bigint): bigint => bits & 0xffffffffn;
const high = (bits: bigint): bigint => bits >> 32n;
const join = (l: bigint, h: bigint): bigint => l | (h << 32n);
const negF32 = (bits: bigint): bigint => bits ^ 0x80000000n;

test('pairs of f32', async () => {
  const lines = [
    'v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7]',
    'v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7] op_sel:[1,0,0] op_sel_hi:[0,1,1] neg_lo:[1,0,0] neg_hi:[0,1,0]',
    'v_pk_mul_f32 v[2:3], v[2:3], v[4:5] op_sel:[1,0] op_sel_hi:[0,0]',
    'v_pk_add_f32 v[0:1], v[2:3], s[4:5]',
    'v_pk_add_f32 v[0:1], v[2:3], v[4:5] clamp',
  ];
  const bench = await Bench.of('gfx90a', lines);
  const [d, a1, b1, c1] = [pair(0), pair(2), pair(4), pair(6)];
  const all = [a1, b1, c1];
  const operands = packs(F32, 1000, 3, 44);
  for (const mode of [0, 2] as const)
    for (const denormals of [0, 3]) {
      const options = {
        mode: { roundF32: mode, denormF32: denormals },
        scalars: new Map([
          [4, 0x3f812345],
          [5, 0xbf876543],
        ]),
      };
      const fused = withModes(F32, mode, denormals, fusedOf(F32));
      const times = withModes(F32, mode, denormals, productOf(F32));
      const plus = withModes(F32, mode, denormals, sumOf(F32));
      const each = (a: bigint, b: bigint, c: bigint) =>
        join(fused(low(a), low(b), low(c)), fused(high(a), high(b), high(c)));
      bench.check(lines[0]!, all, d, operands, each, options);
      const swapped = (a: bigint, b: bigint, c: bigint) =>
        join(fused(negF32(high(a)), low(b), low(c)), fused(low(a), negF32(high(b)), high(c)));
      bench.check(lines[1]!, all, d, operands, swapped, options);
      const inPlace = (a: bigint, b: bigint) => join(times(high(a), low(b)), times(low(a), low(b)));
      bench.check(lines[2]!, all, a1, operands, inPlace, options);
      const withScalar = (a: bigint) => join(plus(low(a), 0x3f812345n), plus(high(a), 0xbf876543n));
      bench.check(lines[3]!, all, d, operands, withScalar, options);
      const clamped = (bits: bigint): bigint =>
        isNaNBits(bits, F32) || bits >= 0x80000000n ? 0n : bits > 0x3f800000n ? 0x3f800000n : bits;
      const clampedSum = (a: bigint, b: bigint) => join(clamped(plus(low(a), low(b))), clamped(plus(high(a), high(b))));
      bench.check(lines[4]!, all, d, operands, clampedSum, options);
    }
});

test('moves of words from two pairs', async () => {
  const lines = [
    'v_pk_mov_b32 v[2:3], v[2:3], v[4:5]',
    'v_pk_mov_b32 v[0:1], v[2:3], v[4:5] op_sel:[1,0]',
    'v_pk_mov_b32 v[0:1], v[2:3], v[4:5] op_sel:[0,1]',
  ];
  const bench = await Bench.of('gfx90a', lines);
  const sources = [pair(2), pair(4)];
  const operands = packs(F32, 64, 2, 45);
  bench.check(lines[0]!, sources, pair(2), operands, (a, b) => join(low(a!), low(b!)));
  bench.check(lines[1]!, sources, pair(0), operands, (a, b) => join(high(a!), low(b!)));
  bench.check(lines[2]!, sources, pair(0), operands, (a, b) => join(low(a!), high(b!)));
});

test.run();

import { suite } from '../../support/suite.js';
import {
  div, F16, F32, F64, type Format, infinityBits, type Rational, round, roundRoot, scale, valueOf,
} from '../arithmetic/exact.js'; // prettier-ignore
import { hardPatterns, Source } from '../arithmetic/patterns.js';
import { Bench, flushed, isNaNBits, nanOf, pair, signOf, withModes, word, type Rounded } from './float-bench.js';

const test = suite('simulator/operations/float-special', { tests: 7, timeoutMs: 10_000 });

const [v0, v1, v2, v3] = [word(0), word(1), word(2), word(3)];
const patterns = (f: Format, count: number, seed: number): bigint[] => {
  const source = new Source(seed);
  return [...hardPatterns(f), infinityBits(f) + 9n, ...Array.from({ length: count }, () => source.pattern(f))];
};
const one = (f: Format) => valueOf(BigInt(f.bias) << BigInt(f.fraction), f);
/** An invalid operation: the negative default NaN. */
const invalid = (f: Format, a: bigint): bigint => (isNaNBits(a, f) ? nanOf(f, a) : nanOf(f) | signOf(f));

const reciprocal = (f: Format) => (a: bigint): bigint => round(div(one(f), valueOf(a, f)), f, 0); // prettier-ignore
const root = (f: Format) => (a: bigint): bigint => roundRoot(valueOf(a, f), f, 0, false); // prettier-ignore
const reciprocalRoot = (f: Format) => (a: bigint): bigint => roundRoot(valueOf(a, f), f, 0, true); // prettier-ignore

test('reciprocals and roots', async () => {
  const lines32 = ['v_rcp_f32 v0, v1', 'v_sqrt_f32 v0, v1', 'v_rsq_f32 v0, v1', 'v_rcp_iflag_f32 v0, v1'];
  const lines16 = ['v_rcp_f16 v0, v1', 'v_sqrt_f16 v0, v1', 'v_rsq_f16 v0, v1'];
  const lines64 = ['v_rcp_f64 v[0:1], v[2:3]', 'v_sqrt_f64 v[0:1], v[2:3]', 'v_rsq_f64 v[0:1], v[2:3]'];
  const bench = await Bench.of('gfx906', [...lines32, ...lines16, ...lines64]);
  const truths = (f: Format) => [reciprocal(f), root(f), reciprocalRoot(f)];
  const of = (f: Format, count: number, seed: number) => patterns(f, count, seed).map((bits) => [bits]);
  [...truths(F32), reciprocal(F32)].forEach((truth, at) => {
    // Denormals are flushed, whatever the mode.
    bench.check(lines32[at]!, [v1], v0, of(F32, 1500, 91), (a) => {
      const result = truth(flushed(a!, F32));
      return result === -1n ? invalid(F32, a!) : flushed(result, F32);
    });
  });
  const keeping = (f: Format, truth: (a: bigint) => bigint) => (a: bigint) => {
    const result = truth(a);
    return result === -1n ? invalid(f, a) : result;
  }; // prettier-ignore
  truths(F16).forEach((truth, at) => bench.check(lines16[at]!, [v1], v0, of(F16, 1500, 92), keeping(F16, truth)));
  truths(F64).forEach((truth, at) =>
    bench.check(lines64[at]!, [pair(2)], pair(0), of(F64, 300, 93), keeping(F64, truth)),
  );
});

const f32 = (x: number): bigint => BigInt(new Uint32Array(new Float32Array([x]).buffer)[0]!);
const table = (rows: readonly (readonly [number | bigint, number | bigint])[]): [bigint, bigint][] =>
  rows.map(([a, r]) => [typeof a === 'bigint' ? a : f32(a), typeof r === 'bigint' ? r : f32(r)]);

test('exponentials, logarithms and sines of known values', async () => {
  const names = [
    'v_exp_f32',
    'v_log_f32',
    'v_sin_f32',
    'v_cos_f32',
    'v_exp_f16',
    'v_log_f16',
    'v_sin_f16',
    'v_cos_f16',
  ];
  const NEGATIVE_NAN = 0xffc00000n;
  for (const cpu of ['gfx906', 'gfx1100']) {
    const isOld = cpu === 'gfx906';
    const half = (name: string): string => (name.endsWith('16') && !isOld ? '.l' : '');
    const line = (name: string): string => `${name} v0${half(name)}, v1${half(name)}`;
    const bench = await Bench.of(cpu, names.map(line));
    const check = (name: string, rows: [bigint, bigint][]): void => {
      const results = new Map(rows);
      bench.check(line(name), [v1], v0, rows.map(([a]) => [a]), (a) => results.get(a!)!, { before: 0n }); // prettier-ignore
    };
    check('v_exp_f32', table([
      [0, 1], [-0, 1], [1, 2], [-126, 2 ** -126], [-127, 0], [127, 2 ** 127], [128, Infinity], [0.5, Math.SQRT2],
      [Infinity, Infinity], [-Infinity, 0], [0x7f800001n, 0x7fc00001n], [2 ** -140, 1],
    ])); // prettier-ignore
    check('v_log_f32', table([
      [1, 0], [2, 1], [2 ** -126, -126], [0, -Infinity], [-0, -Infinity], [2 ** -127, -Infinity], [10, Math.log2(10)],
      [Infinity, Infinity], [-1, NEGATIVE_NAN], [-Infinity, NEGATIVE_NAN], [0xffa00001n, 0xffe00001n],
    ])); // prettier-ignore
    check('v_sin_f32', table([
      [0, 0], [-0, -0], [0.25, 1], [0.5, 0], [-0.25, -1], [1 / 12, Math.sin(2 * Math.PI * Math.fround(1 / 12))],
      [256.25, isOld ? 0 : 1], [Infinity, NEGATIVE_NAN], [-Infinity, NEGATIVE_NAN],
    ])); // prettier-ignore
    check('v_cos_f32', table([[0, 1], [0.5, -1], [0.25, 0], [1, 1], [1000.5, isOld ? 1 : -1], [Infinity, NEGATIVE_NAN]])); // prettier-ignore
    check('v_exp_f16', [[0n, 0x3c00n], [0x3c00n, 0x4000n], [0xcf80n, 0n], [0xce00n, 1n], [0x7c00n, 0x7c00n], [0xfc00n, 0n]]); // prettier-ignore
    check('v_log_f16', [[0x3c00n, 0n], [0x4000n, 0x3c00n], [1n, 0xce00n], [0n, 0xfc00n], [0xbc00n, 0xfe00n], [0x7d01n, 0x7f01n]]); // prettier-ignore
    check('v_sin_f16', [[0x3400n, 0x3c00n], [0x3800n, 0n], [0x8000n, 0x8000n], [0x7c00n, 0xfe00n]]); // prettier-ignore
    check('v_cos_f16', [
      [0x3800n, 0xbc00n],
      [0n, 0x3c00n],
      [0xfc00n, 0xfe00n],
    ]);
  }
});

test('fractional parts', async () => {
  const lines = ['v_fract_f32 v0, v1', 'v_fract_f16 v0, v1', 'v_fract_f64 v[0:1], v[2:3]'];
  const bench = await Bench.of('gfx906', lines);
  const fraction = (f: Format) => (a: bigint): bigint => {
    if (isNaNBits(a, f)) return nanOf(f, a);
    const v = valueOf(a, f);
    if (typeof v === 'string') return nanOf(f);
    const floor = v.n >= 0n ? v.n / v.d : -((-v.n + v.d - 1n) / v.d);
    const rounded = round({ n: v.n - floor * v.d, d: v.d, negativeZero: false }, f, 0);
    // The greatest value below 1.
    const limit = (BigInt(f.bias) << BigInt(f.fraction)) - 1n;
    return rounded > limit ? limit : rounded;
  }; // prettier-ignore
  const of = (f: Format, seed: number) => patterns(f, 1500, seed).map((bits) => [bits]);
  bench.check(lines[0]!, [v1], v0, of(F32, 94), (a) => fraction(F32)(a!));
  bench.check(lines[1]!, [v1], v0, of(F16, 95), (a) => fraction(F16)(a!));
  bench.check(lines[2]!, [pair(2)], pair(0), of(F64, 96), (a) => fraction(F64)(a!));
});

/** e of v = m · 2^e with 1/2 <= |m| < 1. */
function exponentOf({ n, d }: Rational): number {
  const magnitude = n < 0n ? -n : n;
  let e = magnitude.toString(2).length - d.toString(2).length;
  const atLeast = (k: number): boolean => (k >= 0 ? magnitude >= d << BigInt(k) : magnitude << BigInt(-k) >= d);
  while (atLeast(e)) e++;
  while (!atLeast(e - 1)) e--;
  return e;
}

test('exponent and significand', async () => {
  const bench = await Bench.of('gfx906', [
    'v_frexp_exp_i32_f32 v0, v1',
    'v_frexp_mant_f32 v0, v1',
    'v_frexp_exp_i16_f16 v0, v1',
    'v_frexp_mant_f16 v0, v1',
    'v_frexp_exp_i32_f64 v0, v[2:3]',
    'v_frexp_mant_f64 v[0:1], v[2:3]',
  ]);
  const exponent = (f: Format, bits: number) => (a: bigint): bigint => {
    const v = valueOf(a, f);
    return typeof v === 'string' || v.n === 0n ? 0n : BigInt.asUintN(bits, BigInt(exponentOf(v)));
  }; // prettier-ignore
  const significand = (f: Format) => (a: bigint): bigint => {
    const v = valueOf(a, f);
    if (v === 'nan') return nanOf(f, a);
    return typeof v === 'string' || v.n === 0n ? a : round(scale(v, -exponentOf(v)), f, 0);
  }; // prettier-ignore
  const of = (f: Format, seed: number) => patterns(f, 1000, seed).map((bits) => [bits]);
  bench.check('v_frexp_exp_i32_f32 v0, v1', [v1], v0, of(F32, 97), (a) => exponent(F32, 32)(a!));
  bench.check('v_frexp_mant_f32 v0, v1', [v1], v0, of(F32, 97), (a) => significand(F32)(a!));
  bench.check('v_frexp_exp_i16_f16 v0, v1', [v1], v0, of(F16, 98), (a) => exponent(F16, 16)(a!));
  bench.check('v_frexp_mant_f16 v0, v1', [v1], v0, of(F16, 98), (a) => significand(F16)(a!));
  bench.check('v_frexp_exp_i32_f64 v0, v[2:3]', [pair(2)], v0, of(F64, 99), (a) => exponent(F64, 32)(a!));
  bench.check('v_frexp_mant_f64 v[0:1], v[2:3]', [pair(2)], pair(0), of(F64, 99), (a) => significand(F64)(a!));
});

test('scaling by powers of two, in all modes', async () => {
  const lines = ['v_ldexp_f32 v0, v1, v2', 'v_ldexp_f16 v0, v1, v2', 'v_ldexp_f64 v[0:1], v[2:3], v4'];
  const bench = await Bench.of('gfx906', lines);
  const source = new Source(100);
  const shifts = (range: number): bigint => {
    const n =
      source.below(8) === 0 ? (source.below(2) === 0 ? 0x7fffffff : -0x80000000) : source.below(2 * range) - range;
    return BigInt.asUintN(32, BigInt(n));
  };
  const scaled = (f: Format): Rounded => (mode, a, n) => {
    const k = BigInt.asIntN(32, n!);
    return round(scale(valueOf(a!, f), Number(k > 4400n ? 4400n : k < -4400n ? -4400n : k)), f, mode);
  }; // prettier-ignore
  for (const mode of [0, 1, 2, 3] as const)
    for (const denormals of [0, 3]) {
      const options = { mode: { roundF32: mode, roundF16F64: mode, denormF32: denormals, denormF16F64: denormals } };
      // The shift is not a float, so it must not be flushed.
      const truth = (f: Format) => (a: bigint, n: bigint) =>
        withModes(f, mode, denormals, (m, x) => scaled(f)(m, x!, n))(a); // prettier-ignore
      const of = (f: Format, range: number, seed: number) =>
        patterns(f, 800, seed).map((bits) => [bits, shifts(range)]);
      bench.check(lines[0]!, [v1, v2], v0, of(F32, 300, 101), truth(F32), options);
      bench.check(lines[2]!, [pair(2), word(4)], pair(0), of(F64, 2300, 102), truth(F64), options);
      const halves = of(F16, 45, 103).map(([a, n]) => [a!, BigInt.asUintN(32, n === 0x7fffffffn ? 0x7fffn : n!)]);
      const half = (a: bigint, n: bigint): bigint => truth(F16)(a, BigInt.asUintN(32, BigInt.asIntN(16, n)));
      bench.check(lines[1]!, [v1, v2], v0, halves, half, options);
    }
});

test('the digits of 2/π', async () => {
  const line = 'v_trig_preop_f64 v[0:1], v[2:3], v4';
  const bench = await Bench.of('gfx906', [line]);
  // 2/π to 80 digits.
  const digits = 63661977236758134307553505349005744813783858296182579499066937623558719053690614n;
  const segment = (from: number): Rational => {
    const bits = ((digits << BigInt(from + 53)) / 10n ** 80n) & ((1n << 53n) - 1n);
    return { n: bits, d: 1n << BigInt(from + 53), negativeZero: false };
  };
  for (const [x, shift] of [
    [1, 0],
    [2 ** 60, 6],
    [2 ** 80, 26],
  ] as const)
    // prettier-ignore
    for (const at of [0, 1, 2]) {
      const operand = BigInt(Math.log2(x) + 1023) << 52n;
      const expected = round(segment(53 * at + shift), F64, 3);
      bench.check(line, [pair(2), word(4)], pair(0), [[operand, BigInt(at)]], () => expected);
    }
});

test('cube map coordinates', async () => {
  const names = ['v_cubeid_f32', 'v_cubesc_f32', 'v_cubetc_f32', 'v_cubema_f32'];
  const bench = await Bench.of('gfx906', names.map((name) => `${name} v0, v1, v2, v3`)); // prettier-ignore
  // x, y, z; face, s, t, twice the major axis.
  const rows = [
    [3, 1, 2, 0, -2, -1, 6], [-3, 1, 2, 1, 2, -1, -6], [1, 3, 2, 2, 1, 2, 6], [1, -3, 2, 3, 1, -2, -6],
    [1, 2, 3, 4, 1, -2, 6], [1, 2, -3, 5, -1, -2, -6], [2, 2, 2, 4, 2, -2, 4], [2, -2, 1, 3, 2, -1, -4],
  ]; // prettier-ignore
  for (const [x, y, z, ...results] of rows)
    names.forEach((name, at) => {
      const operands = [[x!, y!, z!].map(f32)];
      bench.check(`${name} v0, v1, v2, v3`, [v1, v2, v3], v0, operands, () => f32(results[at]!));
    });
});

test.run();

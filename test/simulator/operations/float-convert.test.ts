import { suite } from '../../support/suite.js';
import {
  F16,
  F32,
  F64,
  type Format,
  type Mode,
  MODES,
  mul,
  type Rational,
  round,
  roundToInteger,
  valueOf,
} from '../arithmetic/exact.js';
import { hardPatterns, Source } from '../arithmetic/patterns.js';
import { Bench, flushed, isNaNBits, pair, signOf, word } from './float-bench.js';

const test = suite('simulator/operations/float-convert', { tests: 6, timeoutMs: 10_000 });

const [v0, v1, v2, v3] = [word(0), word(1), word(2), word(3)];

function patterns(f: Format, count: number, seed: number): bigint[] {
  const source = new Source(seed);
  const random = Array.from({ length: count }, () => source.pattern(f));
  // Around the limits of integers: exponents of 2^7 … 2^33.
  const limits = Array.from({ length: 1000 }, () => {
    const exponent = BigInt(f.bias + 7 + source.below(27)) << BigInt(f.fraction);
    const bits = (source.uniform(f) & ((1n << BigInt(f.fraction)) - 1n)) | exponent;
    return f === F16 ? source.uniform(F16) : bits | (source.below(2) === 0 ? signOf(f) : 0n);
  });
  return [...hardPatterns(f), ...random, ...limits, signOf(f) - 3n];
}

const INTEGERS = [
  0, 1, 2, 0x7f, 0x80, 0xff, 0x100, 0x7fe, 0x7ff, 0x800, 0x801, 0x1001, 0x1003, 0x7fff, 0x8000, 0xfff0, 0xffff, 0x10000,
  0xffffff, 0x1000001, 0x1000003, 0x1ffffff, 0x2000006, 0x7fffff80, 0x7fffffbf, 0x7fffffc0, 0x7fffffff, 0x80000000,
  0x80000001, 0x8000007f, 0xdeadbeef, 0xffffff7f, 0xffffff80, 0xfffffffe, 0xffffffff,
].map(BigInt); // prettier-ignore

/** Towards zero unless `mode` says otherwise, saturated; NaN gives 0. */
function toInteger(bits: bigint, f: Format, low: bigint, high: bigint, mode: Mode = 3): bigint {
  const v = valueOf(bits, f);
  if (v === 'nan') return 0n;
  if (v === 'inf') return high;
  if (v === '-inf') return low;
  const n = roundToInteger(v, mode);
  return n < low ? low : n > high ? high : n;
}
const I16 = [-0x8000n, 0x7fffn] as const;
const U16 = [0n, 0xffffn] as const;
const I32 = [-0x80000000n, 0x7fffffffn] as const;
const U32 = [0n, 0xffffffffn] as const;
const wrap = (x: bigint, bits: number): bigint => BigInt.asUintN(bits, x);

test('to integers', async () => {
  const single = ['v_cvt_i32_f32', 'v_cvt_u32_f32', 'v_cvt_rpi_i32_f32', 'v_cvt_flr_i32_f32'];
  const half = ['v_cvt_i16_f16', 'v_cvt_u16_f16'];
  const double = ['v_cvt_i32_f64', 'v_cvt_u32_f64'];
  const bench = await Bench.of('gfx906', [
    ...[...single, ...half].map((name) => `${name} v0, v1`),
    ...double.map((name) => `${name} v0, v[2:3]`),
  ]);
  const fromF32 = patterns(F32, 3000, 61).map((bits) => [bits]);
  const line = (name: string): string => `${name} v0, v1`;
  bench.check(line('v_cvt_i32_f32'), [v1], v0, fromF32, (a) => wrap(toInteger(a!, F32, ...I32), 32));
  bench.check(line('v_cvt_u32_f32'), [v1], v0, fromF32, (a) => toInteger(a!, F32, ...U32));
  bench.check(line('v_cvt_flr_i32_f32'), [v1], v0, fromF32, (a) => wrap(toInteger(a!, F32, ...I32, 2), 32));
  bench.check(line('v_cvt_rpi_i32_f32'), [v1], v0, fromF32, (a) => {
    const v = valueOf(a!, F32);
    if (typeof v === 'string') return wrap(toInteger(a!, F32, ...I32), 32);
    const n = roundToInteger({ n: 2n * v.n + v.d, d: 2n * v.d, negativeZero: false }, 2);
    return wrap(n > I32[1] ? I32[1] : n < I32[0] ? I32[0] : n, 32);
  });
  const fromF16 = patterns(F16, 3000, 62).map((bits) => [bits | 0x50000n]);
  bench.check(line('v_cvt_i16_f16'), [v1], v0, fromF16, (a) => wrap(toInteger(a! & 0xffffn, F16, ...I16), 16));
  bench.check(line('v_cvt_u16_f16'), [v1], v0, fromF16, (a) => toInteger(a! & 0xffffn, F16, ...U16));
  const fromF64 = patterns(F64, 3000, 63).map((bits) => [bits]);
  bench.check('v_cvt_i32_f64 v0, v[2:3]', [pair(2)], v0, fromF64, (a) => wrap(toInteger(a!, F64, ...I32), 32));
  bench.check('v_cvt_u32_f64 v0, v[2:3]', [pair(2)], v0, fromF64, (a) => toInteger(a!, F64, ...U32));
});

const integer = (n: bigint): Rational => ({ n, d: 1n, negativeZero: false });

test('from integers, in all modes', async () => {
  const names = ['v_cvt_f32_i32', 'v_cvt_f32_u32', 'v_cvt_f16_i16', 'v_cvt_f16_u16', 'v_cvt_off_f32_i4'];
  const bytes = [0, 1, 2, 3].map((index) => `v_cvt_f32_ubyte${index}`);
  const sext = 'v_cvt_f32_i32_sdwa v0, sext(v1) dst_sel:DWORD src0_sel:BYTE_1';
  const bench = await Bench.of('gfx906', [
    ...[...names, ...bytes].map((name) => `${name} v0, v1`),
    'v_cvt_f64_i32 v[0:1], v2',
    'v_cvt_f64_u32 v[0:1], v2',
    sext,
  ]);
  const source = new Source(64);
  const operands = [...INTEGERS, ...Array.from({ length: 2000 }, () => BigInt(source.word()))].map((bits) => [bits]);
  for (const mode of MODES) {
    const options = { mode: { roundF32: mode, roundF16F64: (3 - mode) as Mode } };
    const f32 = (n: bigint): bigint => round(integer(n), F32, mode);
    const f16 = (n: bigint): bigint => round(integer(n), F16, (3 - mode) as Mode);
    const check = (name: string, truth: (a: bigint) => bigint): void => {
      bench.check(`${name} v0, v1`, [v1], v0, operands, (a) => truth(a!), options);
    };
    check('v_cvt_f32_i32', (a) => f32(BigInt.asIntN(32, a)));
    check('v_cvt_f32_u32', f32);
    check('v_cvt_f16_i16', (a) => f16(BigInt.asIntN(16, a)));
    check('v_cvt_f16_u16', (a) => f16(a & 0xffffn));
    check('v_cvt_off_f32_i4', (a) => round({ n: BigInt.asIntN(4, a), d: 16n, negativeZero: false }, F32, 0));
    bytes.forEach((name, index) => check(name, (a) => f32((a >> BigInt(8 * index)) & 0xffn)));
    const exact = (n: bigint): bigint => round(integer(n), F64, 0);
    bench.check('v_cvt_f64_i32 v[0:1], v2', [v2], pair(0), operands, (a) => exact(BigInt.asIntN(32, a!)), options);
    bench.check('v_cvt_f64_u32 v[0:1], v2', [v2], pair(0), operands, (a) => exact(a!), options);
    bench.check(sext, [v1], v0, operands, (a) => f32(BigInt.asIntN(8, a! >> 8n)), options);
  }
});

/** A NaN in another format: sign and leading payload kept, quieted. */
function convertNaN(bits: bigint, from: Format, to: Format): bigint {
  const payload = bits & ((1n << BigInt(from.fraction)) - 1n);
  const shift = to.fraction - from.fraction;
  const moved = shift >= 0 ? payload << BigInt(shift) : payload >> BigInt(-shift);
  const sign = bits >= signOf(from) ? signOf(to) : 0n;
  return sign | (((1n << BigInt(to.width - to.fraction)) - 1n) << BigInt(to.fraction - 1) & (signOf(to) - 1n)) | moved;
} // prettier-ignore

const convert = (bits: bigint, from: Format, to: Format, mode: Mode): bigint =>
  isNaNBits(bits, from) ? convertNaN(bits, from, to) : round(valueOf(bits, from), to, mode);

test('between float formats, in all modes', async () => {
  const lines = [
    'v_cvt_f16_f32 v0, v1',
    'v_cvt_f32_f16 v0, v1',
    'v_cvt_f64_f32 v[0:1], v2',
    'v_cvt_f32_f64 v0, v[2:3]',
    'v_cvt_f32_f16_sdwa v0, -v1 dst_sel:DWORD src0_sel:WORD_1',
    'v_cvt_f16_f32_e64 v0, -|v1|',
  ];
  const bench = await Bench.of('gfx906', lines);
  const [f16, f32, f64] = [patterns(F16, 2000, 65), patterns(F32, 20000, 66), patterns(F64, 8000, 67)].map((list) =>
    list.map((bits) => [bits]),
  ) as [bigint[][], bigint[][], bigint[][]];
  for (const mode of MODES)
    for (const denormals of [0, 3]) {
      const other = ((mode + 1) & 3) as Mode;
      const options = { mode: { roundF16F64: mode, roundF32: other, denormF32: denormals, denormF16F64: denormals } };
      const [in_, out] = [
        (bits: bigint, f: Format) => (denormals === 0 ? flushed(bits, f) : bits),
        (bits: bigint, f: Format) => (denormals === 0 ? flushed(bits, f) : bits),
      ];
      const some = mode === 0 && denormals === 3 ? f32 : f32.slice(0, 2000);
      // Halves keep their denormals whatever the mode.
      bench.check(lines[0]!, [v1], v0, some, (a) => convert(in_(a!, F32), F32, F16, mode), options);
      bench.check(lines[1]!, [v1], v0, f16, (a) => convert(a!, F16, F32, 0), options);
      bench.check(lines[2]!, [v2], pair(0), some, (a) => convert(in_(a!, F32), F32, F64, 0), options);
      bench.check(lines[3]!, [pair(2)], v0, f64.slice(0, 3000), (a) => out(convert(in_(a!, F64), F64, F32, other), F32), options);
      bench.check(lines[4]!, [v1], v0, f16.map(([a]) => [(a! << 16n) | 0x7777n]), (a) => convert((a! >> 16n) ^ 0x8000n, F16, F32, 0), options);
      bench.check(lines[5]!, [v1], v0, some, (a) => convert(in_(a! | signOf(F32), F32), F32, F16, mode), options);
    } // prettier-ignore
});

test('two results in a register', async () => {
  const names = [
    'v_cvt_pkrtz_f16_f32',
    'v_cvt_pknorm_i16_f32',
    'v_cvt_pknorm_u16_f32',
    'v_cvt_pk_i16_i32',
    'v_cvt_pk_u16_u32',
  ];
  const halves = ['v_cvt_pknorm_i16_f16', 'v_cvt_pknorm_u16_f16'];
  const bench = await Bench.of('gfx906', [...names, ...halves].map((name) => `${name} v0, v1, v2`)); // prettier-ignore
  const twos = (list: readonly bigint[]): bigint[][] => list.map((a, at) => [a, list[(7 * at + 3) % list.length]!]);
  const singles = twos(patterns(F32, 2000, 68));
  const both = (f: (bits: bigint) => bigint) => (a: bigint, b: bigint) => wrap(f(a), 16) | (wrap(f(b), 16) << 16n);
  const check = (name: string, operands: bigint[][], f: (bits: bigint) => bigint): void => {
    bench.check(`${name} v0, v1, v2`, [v1, v2], v0, operands, both(f), { mode: { roundF16F64: 1, roundF32: 1 } });
  };
  check('v_cvt_pkrtz_f16_f32', singles, (bits) => convert(bits, F32, F16, 3));
  /** x · factor, to nearest even, saturated. */
  const normalized = (f: Format, low: bigint, factor: bigint) => (bits: bigint): bigint => {
    const v = valueOf(bits, f);
    const scaled = typeof v === 'string' ? v : mul(v, integer(factor));
    if (scaled === 'nan') return 0n;
    if (typeof scaled === 'string') return scaled === 'inf' ? factor : low;
    const n = roundToInteger(scaled, 0);
    return n > factor ? factor : n < low ? low : n;
  }; // prettier-ignore
  check('v_cvt_pknorm_i16_f32', singles, normalized(F32, -32767n, 32767n));
  check('v_cvt_pknorm_u16_f32', singles, normalized(F32, 0n, 65535n));
  const pairsF16 = twos(patterns(F16, 2000, 69));
  check('v_cvt_pknorm_i16_f16', pairsF16, normalized(F16, -32767n, 32767n));
  check('v_cvt_pknorm_u16_f16', pairsF16, normalized(F16, 0n, 65535n));
  const clampTo = (low: bigint, high: bigint, x: bigint): bigint => (x < low ? low : x > high ? high : x);
  check('v_cvt_pk_i16_i32', twos(INTEGERS), (a) => clampTo(...I16, BigInt.asIntN(32, a)));
  check('v_cvt_pk_u16_u32', twos(INTEGERS), (a) => clampTo(...U16, a));

  const newer = await Bench.of('gfx1100', ['v_cvt_pk_i16_f32 v0, v1, v2', 'v_cvt_pk_u16_f32 v0, v1, v2']);
  newer.check(
    'v_cvt_pk_i16_f32 v0, v1, v2',
    [v1, v2],
    v0,
    singles,
    both((a) => toInteger(a, F32, ...I16)),
  );
  newer.check(
    'v_cvt_pk_u16_f32 v0, v1, v2',
    [v1, v2],
    v0,
    singles,
    both((a) => toInteger(a, F32, ...U16)),
  );
});

test('a byte of a register', async () => {
  const bench = await Bench.of('gfx906', ['v_cvt_pk_u8_f32 v0, v1, v2, v3', 'v_cvt_pkaccum_u8_f32 v3, v1, v2']);
  const source = new Source(70);
  const operands = patterns(F32, 2000, 71).map((bits) => [bits, BigInt(source.word()), BigInt(source.word())]);
  for (const mode of MODES) {
    const truth = (a: bigint, index: bigint, into: bigint): bigint => {
      const shift = 8n * (index & 3n);
      return (into & ~(0xffn << shift)) | (toInteger(a, F32, 0n, 255n, mode) << shift);
    };
    bench.check('v_cvt_pk_u8_f32 v0, v1, v2, v3', [v1, v2, v3], v0, operands, truth, { mode: { roundF32: mode } });
    bench.check('v_cvt_pkaccum_u8_f32 v3, v1, v2', [v1, v2, v3], v3, operands, truth, { mode: { roundF32: mode } });
  }
});

test('halves of registers (true16)', async () => {
  const lines = [
    'v_cvt_f16_f32 v0.h, v1',
    'v_cvt_f32_f16 v0, v1.h',
    'v_cvt_i32_i16 v0, v1.h',
    'v_cvt_u32_u16 v0, v1.l',
    'v_cvt_pk_norm_i16_f16 v0, v1.l, v2.h',
    'v_cvt_i16_f16 v0.h, v1.h',
  ];
  const bench = await Bench.of('gfx1100', lines);
  const source = new Source(72);
  const f32 = patterns(F32, 500, 73).map((bits) => [bits]);
  const halves = patterns(F16, 500, 74).map((bits) => [
    bits | (source.pattern(F16) << 16n),
    source.pattern(F16) << 16n,
  ]);
  const before = 0xabcd1234n;
  bench.check(lines[0]!, [v1], v0, f32, (a) => 0x1234n | (convert(a!, F32, F16, 0) << 16n), { before });
  bench.check(lines[1]!, [v1], v0, halves, (a) => convert(a! >> 16n, F16, F32, 0));
  bench.check(lines[2]!, [v1], v0, halves, (a) => wrap(BigInt.asIntN(16, a! >> 16n), 32));
  bench.check(lines[3]!, [v1], v0, halves, (a) => a! & 0xffffn);
  bench.check(lines[5]!, [v1], v0, halves, (a) => 0x1234n | (wrap(toInteger(a! >> 16n, F16, ...I16), 16) << 16n), { before }); // prettier-ignore
});

test.run();

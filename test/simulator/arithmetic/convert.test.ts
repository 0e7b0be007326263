import * as convert from '../../../src/simulator/arithmetic/convert.js';
import { f16ToNumber } from '../../../src/simulator/arithmetic/f16.js';
import { assert, suite } from '../../support/suite.js';
import { expectBits } from './check.js';
import type { Mode, Value } from './exact.js';
import {
  BF16,
  bits16,
  bits32,
  bits64,
  F16,
  F32,
  F64,
  MODES,
  number32,
  number64,
  round,
  roundToInteger,
  valueOf,
} from './exact.js';
import { hardPatterns, Source } from './patterns.js';

const test = suite('simulator/arithmetic/convert', { tests: 9, timeoutMs: 8000 });
const COUNT = 100_000;

/** Rounded in the mode, saturated to [least, greatest]; NaN gives 0. */
function saturated(v: Value, mode: Mode, least: bigint, greatest: bigint): bigint {
  if (v === 'nan') return 0n;
  if (typeof v === 'string') return v === 'inf' ? greatest : least;
  const integer = roundToInteger(v, mode);
  return integer < least ? least : integer > greatest ? greatest : integer;
}

const I32 = [-(1n << 31n), (1n << 31n) - 1n] as const;
const U32 = [0n, (1n << 32n) - 1n] as const;
const I16 = [-(1n << 15n), (1n << 15n) - 1n] as const;
const U16 = [0n, (1n << 16n) - 1n] as const;

/** Doubles next to the integers at which saturation begins, and to halves. */
const boundaries = [0.5, 1, 1.5, 2.5, 127, 255, 255.5, 256, 32767, 32768, 65535, 65536, 2147483647, 2147483648, 4294967295, 4294967296]
  .flatMap((x) => [x, -x])
  .flatMap((x) => [x, number64(bits64(x) + 1n), number64(bits64(x) - 1n)]); // prettier-ignore

function checkToIntegers(x: number, v: Value): void {
  expectBits(BigInt(convert.cvtI32(x)), saturated(v, 3, ...I32), 'cvtI32', x);
  expectBits(BigInt(convert.cvtU32(x)), saturated(v, 3, ...U32), 'cvtU32', x);
  expectBits(BigInt(convert.cvtI16(x)), BigInt.asUintN(16, saturated(v, 3, ...I16)), 'cvtI16', x);
  expectBits(BigInt(convert.cvtU16(x)), saturated(v, 3, ...U16), 'cvtU16', x);
  expectBits(BigInt(convert.cvtFlrI32(x)), saturated(v, 2, ...I32), 'cvtFlrI32', x);
  for (const mode of MODES) {
    const expected = (0x11223344n & ~0xff00n) | (saturated(v, mode, 0n, 255n) << 8n);
    expectBits(BigInt(convert.cvtPkU8F32(x, 5, 0x11223344, mode)), expected, 'cvtPkU8F32', x, mode);
  }
}

test('floating point to integers: all of f16', () => {
  for (let bits = 0; bits < 0x10000; bits++) checkToIntegers(f16ToNumber(bits), valueOf(BigInt(bits), F16));
});

test('floating point to integers: hard and random f32 and f64', () => {
  for (const bits of hardPatterns(F32)) checkToIntegers(number32(bits), valueOf(bits, F32));
  for (const bits of hardPatterns(F64)) checkToIntegers(number64(bits), valueOf(bits, F64));
  for (const x of boundaries) checkToIntegers(x, valueOf(bits64(x), F64));
  const source = new Source(31);
  for (let i = 0; i < COUNT; i++) {
    // Exponents up to 2^40, where integers and saturation are.
    const bits = (source.uniform(F64) & ~(0x7ffn << 52n)) | (BigInt(1019 + source.below(44)) << 52n);
    const single = round(valueOf(bits, F64), F32, 0);
    if (i % 2 === 0) checkToIntegers(number64(bits), valueOf(bits, F64));
    else checkToIntegers(number32(single), valueOf(single, F32));
  }
});

test('round half up: floor(x + 1/2), exactly', () => {
  const source = new Source(32);
  const check = (bits: bigint): void => {
    const v = valueOf(bits, F32);
    const moved = typeof v === 'string' ? v : { ...v, n: 2n * v.n + v.d, d: 2n * v.d };
    expectBits(BigInt(convert.cvtRpiI32(number32(bits))), saturated(moved, 2, ...I32), 'cvtRpiI32', bits);
  };
  for (const bits of hardPatterns(F32)) check(bits);
  for (let i = 0; i < COUNT; i++) check(source.pattern(F32));
});

test('integers to f32 and f16 in every mode', () => {
  const source = new Source(33);
  const check = (x: number, mode: Mode): void => {
    const v = valueOf(bits64(x), F64);
    expectBits(bits32(convert.cvtF32Integer(x, mode)), round(v, F32, mode), 'cvtF32Integer', x, mode);
  };
  for (const x of [0, 1, -1, 0x7fffffff, -0x80000000, 0xffffffff, 0xffffff7f, 0xffffff80, 0x1000001, 0x1000003]) {
    for (const mode of MODES) check(x, mode);
  }
  for (let i = 0; i < COUNT; i++) {
    const word = source.word() >>> source.below(20);
    check(i % 2 === 0 ? word : word | 0, (i & 3) as Mode);
  }
  for (let x = -0x8000; x < 0x10000; x++) {
    const mode = (x & 3) as Mode;
    const expected = round(valueOf(bits64(x), F64), F16, mode);
    expectBits(bits16(convert.cvtF16Integer(x, mode)), expected, 'cvtF16Integer', x, mode);
  }
});

test.long('f64 to f32, f32 to f16 and bf16 in every mode', () => {
  const source = new Source(34);
  const narrow64 = (bits: bigint, mode: Mode): void => {
    const expected = round(valueOf(bits, F64), F32, mode);
    expectBits(bits32(convert.cvtF32F64(number64(bits), mode)), expected, 'cvtF32F64', bits, mode);
  };
  const narrow32 = (bits: bigint, mode: Mode): void => {
    const x = number32(bits);
    const v = valueOf(bits, F32);
    expectBits(bits16(convert.cvtF16F32(x, mode)), round(v, F16, mode), 'cvtF16F32', bits, mode);
    const brain = convert.roundBf16(x, mode);
    expectBits((brain & 0x7fff) > 0x7f80 ? -1n : BigInt(brain), round(v, BF16, mode), 'roundBf16', bits, mode);
  };
  for (const mode of MODES) {
    for (const bits of hardPatterns(F64)) narrow64(bits, mode);
    for (const bits of hardPatterns(F32)) narrow32(bits, mode);
  }
  for (let i = 0; i < COUNT; i++) {
    const mode = (i & 3) as Mode;
    // Doubles in and around f32's range, a third of them f32 values or midpoints moved by at most one unit.
    const single = valueOf(source.pattern(F32), F32);
    const near = round(single, F64, 0);
    if (i % 3 === 0 && near > 0n)
      narrow64(near + (source.below(2) === 0 ? 0n : 1n << 28n) + BigInt(source.below(3)) - 1n, mode);
    else narrow64((source.uniform(F64) & ~(0x7ffn << 52n)) | (BigInt(870 + source.below(290)) << 52n), mode);
    // Exponents of f16's range, half of them with the low bits of ties.
    const word = source.uniform(F32);
    const field = BigInt(127 - 28 + source.below(48)) << 23n;
    narrow32((word & 0x807fffffn & (i % 2 === 0 ? ~0xfffn : ~0n)) | field, mode);
    narrow32(source.pattern(F32), mode);
  }
});

test('bf16 patterns have their values', () => {
  for (let bits = 0; bits < 0x10000; bits++) {
    expectBits(bits32(convert.bf16ToNumber(bits)), round(valueOf(BigInt(bits), BF16), F32, 0), 'bf16ToNumber', bits);
  }
});

test('v_cvt_pkrtz_f16_f32 truncates, and keeps infinities and NaN payloads', () => {
  const source = new Source(35);
  for (let i = 0; i < COUNT; i++) {
    const [a, b] = [source.pattern(F32), source.pattern(F32)];
    const packed = convert.cvtPkrtzF16Bits(Number(a), Number(b));
    expectBits(bits16(packed & 0xffff), round(valueOf(a, F32), F16, 3), 'cvtPkrtzF16Bits low', a, b);
    expectBits(bits16(packed >>> 16), round(valueOf(b, F32), F16, 3), 'cvtPkrtzF16Bits high', a, b);
  }
  assert.is(convert.cvtPkrtzF16Bits(0x4e6e6b28, 0xff800000), 0xfc007bff);
  assert.is(convert.cvtPkrtzF16Bits(0xff802000, 0x3f800000), 0x3c00fe01);
});

test('normalized conversions round once to nearest even', () => {
  const source = new Source(36);
  const check = (bits: bigint): void => {
    const x = number32(bits);
    const v = valueOf(bits, F32);
    const times = (k: bigint): Value => (typeof v === 'string' ? v : { ...v, n: v.n * k });
    const signed = BigInt.asUintN(16, saturated(times(32767n), 0, -32767n, 32767n));
    const unsigned = saturated(times(65535n), 0, 0n, 65535n);
    expectBits(BigInt(convert.cvtNormI16(x)), signed, 'cvtNormI16', bits);
    expectBits(BigInt(convert.cvtNormU16(x)), unsigned, 'cvtNormU16', bits);
    expectBits(BigInt(convert.cvtPknormI16(x, -1)), signed | 0x80010000n, 'cvtPknormI16', bits);
    expectBits(BigInt(convert.cvtPknormU16(1, x)), (unsigned << 16n) | 0xffffn, 'cvtPknormU16', bits);
  };
  for (const bits of hardPatterns(F32)) check(bits);
  for (let bits = 0; bits < 0x10000; bits++) check(round(valueOf(BigInt(bits), F16), F32, 0) & 0xffffffffn);
  for (let i = 0; i < COUNT / 2; i++) check(source.pattern(F32));
});

test('small tables and saturating packs', () => {
  assert.equal(
    Array.from({ length: 16 }, (_, i) => convert.cvtOffF32I4(0xab0 | i)),
    [0, 0.0625, 0.125, 0.1875, 0.25, 0.3125, 0.375, 0.4375, -0.5, -0.4375, -0.375, -0.3125, -0.25, -0.1875, -0.125, -0.0625], // prettier-ignore
  );
  assert.equal([0, 1, 2, 3].map((i) => convert.cvtF32Ubyte(0xf0c08001, i)), [0x01, 0x80, 0xc0, 0xf0]); // prettier-ignore
  assert.is(convert.cvtPkU16U32(0xffffffff, 0x1234), 0x1234ffff);
  assert.is(convert.cvtPkU16U32(0x10000, 0xffff), 0xffffffff);
  assert.is(convert.cvtPkI16I32(-0x80000000, 0x7fffffff), 0x7fff8000);
  assert.is(convert.cvtPkI16I32(-1, -32769), 0x8000ffff);
});

test.run();

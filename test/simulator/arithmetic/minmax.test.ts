/** Expected results: the pseudo-code of the CDNA3 ISA document, on rationals. */
import { classTest16, classTest32, classTest64 } from '../../../src/simulator/arithmetic/class-test.js';
import * as minmax from '../../../src/simulator/arithmetic/minmax.js';
import { assert, suite } from '../../support/suite.js';
import { expectBits } from './check.js';
import type { Format, Rational } from './exact.js';
import { F16, F32, F64, infinityBits, valueOf } from './exact.js';
import { hardPatterns, Source } from './patterns.js';

const test = suite('simulator/arithmetic/minmax', { tests: 5, timeoutMs: 8000 });

const isNaNBits = (bits: bigint, f: Format): boolean => valueOf(bits, f) === 'nan';
const quietBit = (f: Format): bigint => 1n << BigInt(f.fraction - 1);
const isSignalling = (bits: bigint, f: Format): boolean => isNaNBits(bits, f) && (bits & quietBit(f)) === 0n;
const isNegative = (bits: bigint, f: Format): boolean => bits >> BigInt(f.width - 1) === 1n;

/** Whether a < b as real numbers (no NaNs); with `zeros`, -0 is below +0. */
function less(a: bigint, b: bigint, f: Format, zeros: boolean): boolean {
  const [u, v] = [valueOf(a, f), valueOf(b, f)];
  if (u === v) return false;
  if (u === '-inf' || v === 'inf') return true;
  if (u === 'inf' || v === '-inf') return false;
  const [x, y] = [u as Rational, v as Rational];
  if (x.n === 0n && y.n === 0n) return zeros && x.negativeZero && !y.negativeZero;
  return x.n * y.d < y.n * x.d;
}

function expectedMinMax(a: bigint, b: bigint, f: Format, max: boolean, ieee: boolean): bigint {
  if (ieee && isSignalling(a, f)) return a | quietBit(f);
  if (ieee && isSignalling(b, f)) return b | quietBit(f);
  if (isNaNBits(a, f)) return b;
  if (isNaNBits(b, f)) return a;
  return less(a, b, f, true) !== max ? a : b;
}

function expectedMed3(a: bigint, b: bigint, c: bigint, f: Format, ieee: boolean): bigint {
  const either = (x: bigint, y: bigint, max: boolean): bigint => expectedMinMax(x, y, f, max, ieee);
  if ([a, b, c].some((x) => isNaNBits(x, f))) return either(either(a, b, false), c, false);
  const most = either(either(a, b, true), c, true);
  const equals = (x: bigint): boolean => !less(x, most, f, false) && !less(most, x, f, false);
  if (equals(a)) return either(b, c, true);
  return equals(b) ? either(a, c, true) : either(a, b, true);
}

/** The hard patterns and NaNs of both kinds and signs, with payloads. */
function operands(f: Format): bigint[] {
  const infinity = infinityBits(f);
  const sign = 1n << BigInt(f.width - 1);
  const nans = [infinity | 1n, infinity | 5n | sign, infinity | quietBit(f) | 3n, infinity | quietBit(f) | 9n | sign];
  return [...hardPatterns(f), ...nans];
}

test('v_min and v_max of f32 and f16', () => {
  for (const ieee of [true, false]) {
    for (const a of operands(F32)) {
      for (const b of operands(F32)) {
        const [x, y] = [Number(a), Number(b)];
        expectBits(BigInt(minmax.minF32(x, y, ieee)), expectedMinMax(a, b, F32, false, ieee), 'minF32', a, b);
        expectBits(BigInt(minmax.maxF32(x, y, ieee)), expectedMinMax(a, b, F32, true, ieee), 'maxF32', a, b);
      }
    }
    for (const a of operands(F16)) {
      for (const b of operands(F16)) {
        const [x, y] = [Number(a), Number(b)];
        expectBits(BigInt(minmax.minF16(x, y, ieee)), expectedMinMax(a, b, F16, false, ieee), 'minF16', a, b);
        expectBits(BigInt(minmax.maxF16(x, y, ieee)), expectedMinMax(a, b, F16, true, ieee), 'maxF16', a, b);
      }
    }
  }
});

test('v_min_f64 and v_max_f64', () => {
  const source = new Source(41);
  const low = (bits: bigint): number => Number(bits & 0xffffffffn);
  const high = (bits: bigint): number => Number(bits >> 32n);
  const check = (a: bigint, b: bigint, ieee: boolean): void => {
    const selected = (s: minmax.Selection): bigint => ((s & 1) === 0 ? a : b) | (s >= 2 ? quietBit(F64) : 0n);
    const least = selected(minmax.minF64(high(a), low(a), high(b), low(b), ieee));
    const most = selected(minmax.maxF64(high(a), low(a), high(b), low(b), ieee));
    expectBits(least, expectedMinMax(a, b, F64, false, ieee), 'minF64', a, b);
    expectBits(most, expectedMinMax(a, b, F64, true, ieee), 'maxF64', a, b);
  };
  for (const a of operands(F64)) for (const b of operands(F64)) for (const ieee of [true, false]) check(a, b, ieee);
  for (let i = 0; i < 20_000; i++) {
    const a = source.pattern(F64);
    // Neighbours within the low word are where the words' order matters.
    check(a, i % 2 === 0 ? source.pattern(F64) : a ^ BigInt(source.word()), i % 4 < 2);
  }
});

test.long('three operands: min3, max3, med3', () => {
  for (const f of [F32, F16]) {
    const [min3, max3, med3] =
      f === F32 ? [minmax.min3F32, minmax.max3F32, minmax.med3F32] : [minmax.min3F16, minmax.max3F16, minmax.med3F16];
    // A third of the table: signs, zeros, NaNs, infinities and some of each class stay.
    const some = operands(f).filter((bits, i) => i % 4 < 2 || isNaNBits(bits, f));
    for (const a of some) {
      for (const b of some) {
        for (const c of some) {
          const ieee = (a ^ b) % 2n === 0n;
          const [x, y, z] = [Number(a), Number(b), Number(c)];
          const either = (u: bigint, v: bigint, max: boolean): bigint => expectedMinMax(u, v, f, max, ieee);
          expectBits(BigInt(min3(x, y, z, ieee)), either(either(a, b, false), c, false), 'min3', a, b, c);
          expectBits(BigInt(max3(x, y, z, ieee)), either(either(a, b, true), c, true), 'max3', a, b, c);
          expectBits(BigInt(med3(x, y, z, ieee)), expectedMed3(a, b, c, f, ieee), 'med3', a, b, c);
        }
      }
    }
  }
});

test('the examples of the ISA documents', () => {
  assert.is(minmax.minF32(0x80000000, 0, true), 0x80000000);
  assert.is(minmax.maxF32(0x80000000, 0, true), 0);
  assert.is(minmax.minF32(0x7f800001, 0x3f800000, true), 0x7fc00001);
  assert.is(minmax.minF32(0x7f800001, 0x3f800000, false), 0x3f800000);
  assert.is(minmax.med3F32(0x40400000, 0x3f800000, 0x40000000, true), 0x40000000);
});

test('v_cmp_class: each pattern is of one class', () => {
  for (const f of [F16, F32, F64]) {
    for (const bits of operands(f)) {
      const inClass = (mask: number): boolean =>
        f === F64
          ? classTest64(Number(bits >> 32n), Number(bits & 0xffffffffn), mask)
          : (f === F32 ? classTest32 : classTest16)(Number(bits), mask);
      const v = valueOf(bits, f);
      const negative = isNegative(bits, f);
      let expected: number;
      if (v === 'nan') expected = isSignalling(bits, f) ? 0 : 1;
      else if (typeof v === 'string') expected = negative ? 2 : 9;
      else if (v.n === 0n) expected = negative ? 5 : 6;
      else if ((bits & infinityBits(f)) === 0n) expected = negative ? 4 : 7;
      else expected = negative ? 3 : 8;
      for (let bit = 0; bit < 10; bit++) assert.is(inClass(1 << bit), bit === expected);
      assert.ok(inClass(0x3ff) && !inClass(0xfc00) && !inClass(0x3ff & ~(1 << expected)));
    }
  }
});

test.run();

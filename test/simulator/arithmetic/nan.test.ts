import * as denormals from '../../../src/simulator/arithmetic/denormals.js';
import * as legacy from '../../../src/simulator/arithmetic/legacy.js';
import * as nan from '../../../src/simulator/arithmetic/nan.js';
import { assert, suite } from '../../support/suite.js';
import { expectBits } from './check.js';
import type { Format } from './exact.js';
import {
  bits32,
  bits64,
  F16,
  F32,
  F64,
  infinityBits,
  MODES,
  mul,
  number32,
  number64,
  round,
  valueOf,
} from './exact.js';
import { hardPatterns } from './patterns.js';

const test = suite('simulator/arithmetic/nan', { tests: 5 });

const high = (bits: bigint): number => Number(bits >> 32n);
const low = (bits: bigint): number => Number(bits & 0xffffffffn);

function operands(f: Format): bigint[] {
  const infinity = infinityBits(f);
  const quiet = 1n << BigInt(f.fraction - 1);
  const positive = [infinity | 1n, infinity | (quiet - 1n), infinity | quiet, infinity | quiet | 1n];
  return [...hardPatterns(f), ...positive.flatMap((bits) => [bits, bits | (1n << BigInt(f.width - 1))])];
}

test('NaNs are told from numbers and signalling from quiet', () => {
  for (const f of [F16, F32, F64]) {
    const quiet = 1n << BigInt(f.fraction - 1);
    for (const bits of operands(f)) {
      const isNaN = valueOf(bits, f) === 'nan';
      const signalling = isNaN && (bits & quiet) === 0n;
      const n = Number(bits);
      const actual =
        f === F64
          ? [nan.isNaN64(high(bits), low(bits)), nan.isSignalling64(high(bits), low(bits))]
          : f === F32
            ? [nan.isNaN32(n), nan.isSignalling32(n)]
            : [nan.isNaN16(n), nan.isSignalling16(n)];
      assert.equal(actual, [isNaN, signalling]);
    }
  }
});

test('an operation returns its first NaN, quieted, or the default NaN', () => {
  assert.is(nan.pickNaN32(0xff800001, 0x7fc00002, 0x7fc00003), 0xffc00001);
  assert.is(nan.pickNaN32(0x7f800000, 0xff800002, 0x7fc00003), 0xffc00002);
  assert.is(nan.pickNaN32(0, 0, 0x7f800003), 0x7fc00003);
  assert.is(nan.pickNaN32(0x7f800000, 0), nan.DEFAULT_NAN32);
  assert.is(nan.pickNaN16(0xfc01, 0x7e00), 0xfe01);
  assert.is(nan.pickNaN16(0x7c00, 0xfc02), 0xfe02);
  assert.is(nan.pickNaN16(0, 0, 0x7c03), 0x7e03);
  assert.is(nan.pickNaN16(0, 0), nan.DEFAULT_NAN16);
  const words = new Uint32Array(3);
  nan.pickNaN64(words, 1, 0xfff00000, 1, 0x7ff80000, 2, 0x7ff80000, 3);
  assert.equal([...words], [0, 1, 0xfff80000]);
  nan.pickNaN64(words, 1, 0x7ff00000, 0, 0x7ff00001, 2);
  assert.equal([...words], [0, 2, 0x7ff80001]);
  nan.pickNaN64(words, 1, 0, 0, 0, 0, 0x7ff00000, 9);
  assert.equal([...words], [0, 9, 0x7ff80000]);
  nan.pickNaN64(words, 1, 0, 0, 0, 0);
  assert.equal([...words], [0, 0, nan.DEFAULT_NAN64_HIGH]);
});

test('conversions keep the sign and what fits of the payload', () => {
  assert.is(nan.widenNaN16(0xfd03), 0xffe06000);
  assert.is(nan.narrowNaN32(0xffa06000), 0xff03);
  assert.is(nan.widenNaN32High(0xff812345), 0xfff82468);
  assert.is(nan.widenNaN32Low(0xff812345), 0xa0000000);
  assert.is(nan.narrowNaN64(0xfff02468, 0xa0000001), 0xffc12345);
  for (let bits = 0x7c01; bits < 0x8000; bits++) {
    assert.is(nan.narrowNaN32(nan.widenNaN16(bits)), nan.quiet16(bits));
    const wide = (0x7f800000 | (bits << 7)) >>> 0;
    if (!nan.isNaN32(wide)) continue;
    assert.is(nan.narrowNaN64(nan.widenNaN32High(wide), nan.widenNaN32Low(wide)), nan.quiet32(wide));
  }
});

test('denormals become zeros of their sign', () => {
  for (const f of [F16, F32, F64]) {
    const sign = 1n << BigInt(f.width - 1);
    for (const bits of operands(f)) {
      const expected = (bits & infinityBits(f)) === 0n ? bits & sign : bits;
      if (f === F16) expectBits(BigInt(denormals.flushF16(Number(bits))), expected, 'flushF16', bits);
      if (f === F32) expectBits(BigInt(denormals.flushBits32(Number(bits))), expected, 'flushBits32', bits);
      if (valueOf(bits, f) === 'nan') continue;
      if (f === F32) expectBits(bits32(denormals.flushF32(number32(bits))), expected, 'flushF32', bits);
      if (f === F64) expectBits(bits64(denormals.flushF64(number64(bits))), expected, 'flushF64', bits);
    }
  }
  assert.ok(Number.isNaN(denormals.flushF32(NaN)) && Number.isNaN(denormals.flushF64(NaN)));
});

test('legacy products', () => {
  const hard = operands(F32);
  for (const mode of MODES) {
    for (const a of hard) {
      for (const b of hard) {
        const [u, v] = [valueOf(a, F32), valueOf(b, F32)];
        const [x, y] = [number32(a), number32(b)];
        const zero = x === 0 || y === 0;
        const positiveZero = { n: 0n, d: 1n, negativeZero: false };
        const product = zero ? positiveZero : mul(u, v);
        expectBits(bits32(legacy.mulLegacy(x, y, mode)), round(product, F32, mode), 'mulLegacy', a, b, mode);
      }
    }
  }
});

test.run();

import { f16ToNumber } from '../../../src/simulator/arithmetic/f16.js';
import * as shape from '../../../src/simulator/arithmetic/shape.js';
import { assert, suite } from '../../support/suite.js';
import { expectBits } from './check.js';
import type { Format, Mode, Rational, Value } from './exact.js';
import {
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
  scale,
  valueOf,
} from './exact.js';
import { hardPatterns, Source } from './patterns.js';

const test = suite('simulator/arithmetic/shape', { tests: 6, timeoutMs: 8000 });
const COUNT = 30_000;

function patterns(f: Format, seed: number): bigint[] {
  const source = new Source(seed);
  return [...hardPatterns(f), ...Array.from({ length: COUNT }, () => source.pattern(f))];
}

const all16 = Array.from({ length: 0x10000 }, (_, i) => BigInt(i));

/** The value rounded to an integer: zeros keep the sign of what they came from. */
function integral(v: Value, mode: Mode): Value {
  if (typeof v === 'string') return v;
  return { n: roundToInteger(v, mode), d: 1n, negativeZero: v.n < 0n || (v.n === 0n && v.negativeZero) };
}

test.long('trunc, ceil, floor and rndne', () => {
  const check = (x: number, v: Value): void => {
    expectBits(bits64(shape.rndne(x)), round(integral(v, 0), F64, 0), 'rndne', x);
    expectBits(bits64(shape.ceil(x)), round(integral(v, 1), F64, 0), 'ceil', x);
    expectBits(bits64(shape.floor(x)), round(integral(v, 2), F64, 0), 'floor', x);
    expectBits(bits64(shape.trunc(x)), round(integral(v, 3), F64, 0), 'trunc', x);
  };
  for (const bits of all16) check(f16ToNumber(Number(bits)), valueOf(bits, F16));
  for (const bits of patterns(F32, 61)) check(number32(bits), valueOf(bits, F32));
  for (const bits of patterns(F64, 62)) check(number64(bits), valueOf(bits, F64));
  for (const x of [2 ** 51 + 0.5, 2 ** 52 - 0.5, 2 ** 52 + 1, 2 ** 53, 0.49999999999999994]) {
    check(x, valueOf(bits64(x), F64));
    check(-x, valueOf(bits64(-x), F64));
  }
  assert.is(shape.integralF16(0xb800, shape.rndne), 0x8000);
  assert.is(shape.integralF16(0x3e00, shape.rndne), 0x4000);
});

test.long('fract: rounded once, below one', () => {
  /** x - floor(x) and the clamp. */
  const expected = (v: Value, f: Format, mode: Mode): bigint => {
    if (typeof v === 'string') return -1n;
    const fraction: Rational = { n: v.n - roundToInteger(v, 2) * v.d, d: v.d, negativeZero: false };
    const one = BigInt(f.bias) << BigInt(f.fraction);
    const pattern = round(fraction, f, mode);
    return pattern === one ? one - 1n : pattern;
  };
  for (const mode of MODES) {
    for (const bits of all16) {
      if (mode !== 0 && bits % 3n !== 0n) continue;
      const v = valueOf(bits, F16);
      if (v !== 'nan') expectBits(bits16(shape.fractF16(Number(bits), mode)), expected(v, F16, mode), 'fractF16', bits);
    }
    for (const bits of patterns(F32, 63)) {
      expectBits(
        bits32(shape.fractF32(number32(bits), mode)),
        expected(valueOf(bits, F32), F32, mode),
        'fractF32',
        bits,
      );
    }
    for (const bits of patterns(F64, 64).slice(0, COUNT / 3)) {
      expectBits(
        bits64(shape.fractF64(number64(bits), mode)),
        expected(valueOf(bits, F64), F64, mode),
        'fractF64',
        bits,
      );
    }
  }
});

test('ldexp: rounded once in every mode', () => {
  const source = new Source(65);
  const exponents = [0, 1, -1, 10, -10, 149, -149, -126, 127, 1074, -1074, 2200, -2200, 0x7fffffff, -0x80000000];
  const check = (bits: bigint, f: Format, n: number, mode: Mode): void => {
    const v = valueOf(bits, f);
    // Exponents beyond the format's are as good as infinite: the truth need not shift by 2^31.
    const expected = round(scale(v, Math.max(Math.min(n, 5000), -5000)), f, mode);
    const actual =
      f === F64
        ? bits64(shape.ldexpF64(number64(bits), n, mode))
        : f === F32
          ? bits32(shape.ldexpF32(number32(bits), n, mode))
          : bits16(shape.ldexpF16(Number(bits), n, mode));
    expectBits(actual, expected, 'ldexp', bits, n, mode);
  };
  for (const f of [F16, F32, F64]) {
    for (const bits of hardPatterns(f)) for (const n of exponents) for (const mode of MODES) check(bits, f, n, mode);
    for (let i = 0; i < COUNT; i++) {
      // Half of the scalings move the value into the denormals.
      const bits = source.pattern(f);
      const field = Number((bits >> BigInt(f.fraction)) & ((1n << BigInt(f.width - 1 - f.fraction)) - 1n));
      check(
        bits,
        f,
        i % 2 === 0 ? source.below(4 * f.bias) - 2 * f.bias : -field - source.below(f.fraction + 2),
        (i & 3) as Mode,
      );
    }
  }
});

test('frexp: significand in [1/2, 1) and exponent, denormals too', () => {
  for (const [f, number] of [
    [F16, (bits: bigint): number => f16ToNumber(Number(bits))],
    [F32, number32],
    [F64, number64],
  ] as const) {
    for (const bits of patterns(f, 66)) {
      const v = valueOf(bits, f);
      const x = number(bits);
      const m = shape.frexpMant(x);
      const e = shape.frexpExp(x);
      if (typeof v === 'string' || v.n === 0n) {
        expectBits(bits64(m), round(v, F64, 0), 'frexpMant', bits);
        assert.is(e, 0);
        continue;
      }
      if (!(Math.abs(m) >= 0.5 && Math.abs(m) < 1)) assert.unreachable(`frexpMant of ${x} is ${m}`);
      expectBits(round(scale(valueOf(bits64(m), F64), e), f, 0), bits, 'm · 2^e', bits);
    }
  }
});

test('output modifiers', () => {
  for (const bits of patterns(F32, 67).slice(0, 2000)) {
    const v = valueOf(bits, F32);
    const wide = round(v, F64, 0);
    [0, 1, 2, -1].forEach((power, omod) => {
      expectBits(bits32(shape.omodF32(number32(bits), omod)), round(scale(v, power), F32, 0), 'omodF32', bits, omod);
      if (wide >= 0n)
        expectBits(bits64(shape.omodF64(number64(wide), omod)), round(scale(v, power), F64, 0), 'omodF64', bits);
    });
  }
  for (const bits of all16) {
    [0, 1, 2, -1].forEach((power, omod) => {
      const expected = round(scale(valueOf(bits, F16), power), F16, 0);
      expectBits(bits16(shape.omodF16(Number(bits), omod)), expected, 'omodF16', bits, omod);
    });
  }
});

test('clamp', () => {
  for (const dx10 of [true, false]) {
    for (const [x, expected] of [
      [-1, 0],
      [-0, 0],
      [0, 0],
      [0.25, 0.25],
      [1, 1],
      [1.5, 1],
      [Infinity, 1],
      [-Infinity, 0],
    ] as const) {
      assert.ok(Object.is(shape.clamp(x, dx10), expected));
    }
    assert.is(Number.isNaN(shape.clamp(NaN, dx10)), !dx10);
    assert.is(shape.clampF16(0x7e01, dx10), dx10 ? 0 : 0x7e01);
    assert.equal([0x8000, 0xbc00, 0x0001, 0x3bff, 0x3c00, 0x3c01, 0x7c00, 0xfc00].map((bits) => shape.clampF16(bits, dx10)), [0, 0, 1, 0x3bff, 0x3c00, 0x3c00, 0x3c00, 0]); // prettier-ignore
  }
});

test.run();

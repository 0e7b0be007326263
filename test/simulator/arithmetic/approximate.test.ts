import * as approximate from '../../../src/simulator/arithmetic/approximate.js';
import { f16ToNumber } from '../../../src/simulator/arithmetic/f16.js';
import { cosTurnsOdd, exp2Odd, fixedPi, log2Odd, sinTurnsOdd } from '../../../src/simulator/arithmetic/fixed-point.js';
import { trigPreopF64 } from '../../../src/simulator/arithmetic/trig-preop.js';
import { assert, suite } from '../../support/suite.js';
import { expectBits } from './check.js';
import type { Value } from './exact.js';
import {
  bits16,
  bits32,
  bits64,
  div,
  F16,
  F32,
  F64,
  number32,
  number64,
  round,
  roundRoot,
  scale,
  valueOf,
} from './exact.js';
import { hardPatterns, Source } from './patterns.js';
import { cosTurns, exp2, log2, sinTurns, twoOverPi } from './series.js';

const test = suite('simulator/arithmetic/approximate', { tests: 11, timeoutMs: 8000 });
const one: Value = { n: 1n, d: 1n, negativeZero: false };

/** A denormal pattern becomes a zero, as inputs and outputs of the flushing operations do. */
const flushed = (bits: bigint): bigint => (bits >= 0n && (bits & 0x7f800000n) === 0n ? bits & 0x80000000n : bits);

test.long('f32 reciprocal and roots are correctly rounded; denormals are flushed or kept', () => {
  const source = new Source(71);
  const check = (bits: bigint): void => {
    const x = number32(bits);
    for (const keep of [true, false]) {
      const input = valueOf(keep ? bits : flushed(bits), F32);
      const output = (pattern: bigint): bigint => (keep ? pattern : flushed(pattern));
      expectBits(bits32(approximate.rcpF32(x, keep)), output(round(div(one, input), F32, 0)), 'rcpF32', bits);
      expectBits(bits32(approximate.rsqF32(x, keep)), output(roundRoot(input, F32, 0, true)), 'rsqF32', bits);
      expectBits(bits32(approximate.sqrtApproxF32(x, keep)), output(roundRoot(input, F32, 0, false)), 'sqrtF32', bits);
    }
  };
  for (const bits of hardPatterns(F32)) check(bits);
  for (let i = 0; i < 8000; i++) check(source.pattern(F32));
});

test('the flushes', () => {
  assert.is(approximate.rcpF32(2 ** -130), Infinity);
  assert.is(approximate.rcpF32(2 ** 127), 0);
  assert.is(approximate.rcpF32(2 ** 127, true), 2 ** -127);
  assert.is(approximate.exp2F32(-127), 0);
  assert.is(approximate.exp2F32(-127, true), 2 ** -127);
  assert.is(approximate.log2F32(2 ** -140), -Infinity);
  assert.is(approximate.log2F32(2 ** -140, true), -140);
});

test.long('f64 reciprocal and roots are correctly rounded', () => {
  const source = new Source(72);
  const check = (bits: bigint): void => {
    const x = number64(bits);
    const v = valueOf(bits, F64);
    expectBits(bits64(approximate.rcpF64(x)), round(div(one, v), F64, 0), 'rcpF64', bits);
    expectBits(bits64(approximate.rsqF64(x)), roundRoot(v, F64, 0, true), 'rsqF64', bits);
    expectBits(bits64(approximate.sqrtApproxF64(x)), roundRoot(v, F64, 0, false), 'sqrtF64', bits);
  };
  for (const bits of hardPatterns(F64)) check(bits);
  for (let i = 0; i < 6000; i++) check(source.pattern(F64) & ~(1n << 63n));
});

test.long('all of f16: reciprocal and roots', () => {
  for (let bits = 0; bits < 0x10000; bits++) {
    const v = valueOf(BigInt(bits), F16);
    expectBits(bits16(approximate.rcpF16(bits)), round(div(one, v), F16, 0), 'rcpF16', bits);
    if (bits > 0x8000 && bits % 64 !== 0) continue;
    expectBits(bits16(approximate.rsqF16(bits)), roundRoot(v, F16, 0, true), 'rsqF16', bits);
    expectBits(bits16(approximate.sqrtApproxF16(bits)), roundRoot(v, F16, 0, false), 'sqrtF16', bits);
  }
});

test('f32 exponential and logarithm are correctly rounded', () => {
  const source = new Source(73);
  const check = (bits: bigint): void => {
    const x = number32(bits);
    if (Math.abs(x) < 200) expectBits(bits32(approximate.exp2F32(x, true)), round(exp2(x), F32, 0), 'exp2F32', bits);
    if (x > 0 && x < Infinity) {
      expectBits(bits32(approximate.log2F32(x, true)), round(log2(x), F32, 0), 'log2F32', bits);
    }
  };
  for (const bits of hardPatterns(F32)) check(bits);
  for (let i = 0; i < 6000; i++)
    check(i % 2 === 0 ? source.pattern(F32) : (source.uniform(F32) & 0x83ffffffn) | 0x3c000000n);
  for (let x = -150; x <= 128; x++) {
    expectBits(bits32(approximate.exp2F32(x, true)), bits32(2 ** x), 'exp2F32', x);
    if (x > -150 && x < 128) expectBits(bits32(approximate.log2F32(2 ** x, true)), bits32(x), 'log2F32', x);
  }
});

test('f32 sine and cosine of turns are correctly rounded over the whole range', () => {
  const source = new Source(74);
  const check = (bits: bigint): void => {
    const x = number32(bits);
    if (!(Math.abs(x) < Infinity) || x === 0) return;
    expectBits(bits32(approximate.sinF32(x)), round(sinTurns(x), F32, 0), 'sinF32', bits);
    expectBits(bits32(approximate.cosF32(x)), round(cosTurns(x), F32, 0), 'cosF32', bits);
  };
  for (const bits of hardPatterns(F32)) check(bits);
  for (let i = 0; i < 5000; i++) check(source.pattern(F32));
  for (let x = -40; x <= 40; x++) check(bits32(x / 16));
});

test.long('all of f16: exponential, logarithm, sine, cosine', () => {
  for (let bits = 0; bits < 0x10000; bits++) {
    const x = f16ToNumber(bits);
    // Every pattern where the functions vary, a sample where they saturate or the truth is slow.
    if (!(Math.abs(x) < Infinity) || x === 0 || (bits % 5 !== 0 && (Math.abs(x) < 2 ** -12 || Math.abs(x) > 64)))
      continue;
    expectBits(bits16(approximate.exp2F16(bits)), round(exp2(x), F16, 0), 'exp2F16', bits);
    if (x > 0) expectBits(bits16(approximate.log2F16(bits)), round(log2(x), F16, 0), 'log2F16', bits);
    if (bits % 3 !== 0) continue;
    expectBits(bits16(approximate.sinF16(bits)), round(sinTurns(x), F16, 0), 'sinF16', bits);
    expectBits(bits16(approximate.cosF16(bits)), round(cosTurns(x), F16, 0), 'cosF16', bits);
  }
});

test('the examples of the CDNA3 ISA document', () => {
  const of32 = (operation: (x: number) => number, bits: number): bigint => bits32(operation(number32(BigInt(bits))));
  const { exp2F32, log2F32, rcpF32, rsqF32, sqrtApproxF32, sinF32, cosF32 } = approximate;
  const examples: [(x: number) => number, number, number][] = [
    [exp2F32, 0xff800000, 0], [exp2F32, 0x80000000, 0x3f800000], [exp2F32, 0x7f800000, 0x7f800000],
    [log2F32, 0xff800000, -1], [log2F32, 0xbf800000, -1], [log2F32, 0x80000000, 0xff800000], [log2F32, 0, 0xff800000],
    [log2F32, 0x3f800000, 0], [log2F32, 0x7f800000, 0x7f800000],
    [rcpF32, 0xff800000, 0x80000000], [rcpF32, 0xc0000000, 0xbf000000], [rcpF32, 0x80000000, 0xff800000],
    [rcpF32, 0, 0x7f800000], [rcpF32, 0x7f800000, 0],
    [rsqF32, 0xff800000, -1], [rsqF32, 0x80000000, 0xff800000], [rsqF32, 0, 0x7f800000], [rsqF32, 0x40800000, 0x3f000000],
    [rsqF32, 0x7f800000, 0],
    [sqrtApproxF32, 0xff800000, -1], [sqrtApproxF32, 0x80000000, 0x80000000], [sqrtApproxF32, 0x40800000, 0x40000000],
    [sinF32, 0xff800000, -1], [sinF32, 0xff7fffff, 0], [sinF32, 0x80000000, 0x80000000], [sinF32, 0x3e800000, 0x3f800000],
    [cosF32, 0xff800000, -1], [cosF32, 0xff7fffff, 0x3f800000], [cosF32, 0x80000000, 0x3f800000], [cosF32, 0x3e800000, 0],
  ]; // prettier-ignore
  for (const [operation, input, output] of examples)
    expectBits(of32(operation, input), BigInt(output), operation.name, input);
  assert.equal(
    [0xfc00, 0xfbff, 0x8000, 0x3400, 0x7bff].map((x) => approximate.sinF16(x)),
    [0x7e00, 0, 0x8000, 0x3c00, 0],
  );
  assert.equal([0xfc00, 0xfbff, 0x8000, 0x3400, 0x7bff].map((x) => approximate.cosF16(x)), [0x7e00, 0x3c00, 0x3c00, 0, 0x3c00]); // prettier-ignore
  assert.equal(
    [0xfc00, 0x8000, 0x7c00].map((x) => approximate.exp2F16(x)),
    [0, 0x3c00, 0x7c00],
  );
  assert.equal(
    [0xfc00, 0xbc00, 0x8000, 0, 0x3c00].map((x) => approximate.log2F16(x)),
    [0x7e00, 0x7e00, 0xfc00, 0xfc00, 0],
  );
  assert.equal([sinF32(256.25), approximate.sinF32(256.25, true), approximate.cosF32(-300.5, true)], [1, 0, 1]);
  assert.equal([approximate.sinF32(-255.25, true), approximate.cosF16(0x5c01, true)], [-1, 0x3c00]);
});

test('arguments whose result is within 2^-49 of a midpoint', () => {
  const { sinF32, cosF32, log2F32, rsqF32 } = approximate;
  const at = (bits: number): number => number32(BigInt(bits));
  for (const bits of [0x3c6eb990, 0x3d00c8a4, 0x3d7d7f58]) {
    expectBits(bits32(sinF32(at(bits))), round(sinTurns(at(bits)), F32, 0), 'sinF32', bits);
  }
  expectBits(bits32(cosF32(at(0x3d33021a))), round(cosTurns(at(0x3d33021a)), F32, 0), 'cosF32');
  expectBits(bits32(log2F32(at(0x40207ab9))), round(log2(at(0x40207ab9)), F32, 0), 'log2F32');
  for (const bits of [0x4009f038n, 0x403a18e3n]) {
    expectBits(bits32(rsqF32(number32(bits))), roundRoot(valueOf(bits, F32), F32, 0, true), 'rsqF32', bits);
  }
});

test('the slow path agrees with the truth by itself', () => {
  const source = new Source(75);
  const narrow = (odd: number): bigint => bits32(Math.fround(odd));
  for (let i = 0; i < 800; i++) {
    const u = number32((source.uniform(F32) & 0x807fffffn) | (BigInt(100 + source.below(23)) << 23n));
    expectBits(narrow(sinTurnsOdd(u)), round(sinTurns(u), F32, 0), 'sinTurnsOdd', i);
    expectBits(narrow(cosTurnsOdd(u)), round(cosTurns(u), F32, 0), 'cosTurnsOdd', i);
    const x = u * 512 + Math.sign(u);
    if (!Number.isInteger(x)) expectBits(narrow(exp2Odd(x)), round(exp2(x), F32, 0), 'exp2Odd', i);
    const m = 1 + Math.abs(u);
    if (m > 1) expectBits(narrow(log2Odd(m, 3)), round(log2(8 * m), F32, 0), 'log2Odd', i);
  }
});

test('v_trig_preop_f64: the digits of 2/π', () => {
  // The leading 24-bit groups of 2/π as any libm's large-argument reduction lists them.
  const digits = twoOverPi();
  assert.is((digits >> (1201n - 96n)).toString(16), 'a2f9836e4e441529fc2757d1');
  assert.is((fixedPi(64n) >> 4n).toString(16), '3243f6a8885a308d'); // π · 2^60
  const mask = (1n << 53n) - 1n;
  for (const exponent of [0, 1000, 1077, 1078, 1100, 1500, 1967, 1968, 2000, 2046, 2047]) {
    for (let segment = 0; segment < 34; segment++) {
      const shift = 53 * (segment & 31) + Math.max(exponent - 1077, 0);
      const bits = ((digits << 53n) >> BigInt(Math.max(1201 - shift, 0))) & (shift < 1201 ? mask : 0n);
      const exact = scale({ n: bits, d: 1n, negativeZero: false }, -53 - shift + (exponent >= 1968 ? 128 : 0));
      const x = number64(BigInt(exponent) << 52n);
      expectBits(bits64(trigPreopF64(x, segment)), round(exact, F64, 3), 'trigPreopF64', exponent, segment);
    }
  }
  // Three segments, as the reduction uses them, add up to 2/π to within 2^-159.
  assert.is(trigPreopF64(1, 0) + trigPreopF64(1, 1), 2 / Math.PI);
});

test.run();

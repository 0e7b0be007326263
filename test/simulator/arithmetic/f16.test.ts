import { addF16, f16ToNumber, fmaF16, mulF16, roundF16 } from '../../../src/simulator/arithmetic/f16.js';
import { suite, assert } from '../../support/suite.js';
import { expectBits } from './check.js';
import type { Mode } from './exact.js';
import { add, bits16, bits64, F16, F64, fma, MODES, mul, number64, round, valueOf } from './exact.js';
import { hardPatterns, Source } from './patterns.js';

const test = suite('simulator/arithmetic/f16', { tests: 6, timeoutMs: 8000 });
const hard = hardPatterns(F16);

function checkFma(a: bigint, b: bigint, c: bigint, mode: Mode): void {
  const actual = bits16(fmaF16(Number(a), Number(b), Number(c), mode));
  const expected = round(fma(valueOf(a, F16), valueOf(b, F16), valueOf(c, F16), mode), F16, mode);
  expectBits(actual, expected, 'fma', a, b, c, mode);
}

function checkPair(a: bigint, b: bigint, mode: Mode): void {
  const [x, y] = [Number(a), Number(b)];
  const [u, v] = [valueOf(a, F16), valueOf(b, F16)];
  expectBits(bits16(addF16(x, y, mode)), round(add(u, v, mode), F16, mode), 'add', a, b, mode);
  expectBits(bits16(mulF16(x, y, mode)), round(mul(u, v), F16, mode), 'mul', a, b, mode);
}

test('every pattern has its value, and comes back from it', () => {
  for (let bits = 0; bits < 0x10000; bits++) {
    const x = f16ToNumber(bits);
    expectBits(bits64(x), round(valueOf(BigInt(bits), F16), F64, 0), 'value', bits);
    for (const mode of MODES) expectBits(bits16(roundF16(x, mode)), bits16(bits), 'pattern', bits, mode);
  }
});

test('doubles are rounded in every mode', () => {
  const source = new Source(21);
  for (let i = 0; i < 100_000; i++) {
    // Half of them near an f16 value or the middle between two, the others anywhere.
    let x = number64(source.pattern(F64));
    if (i % 2 === 0) {
      const bits = source.pattern(F16);
      x = f16ToNumber(Number(bits));
      const middle = (x + f16ToNumber(Number(bits) + 1)) / 2;
      if (source.below(2) === 0 && middle === middle) x = middle;
      if (Math.abs(x) < Infinity && x !== 0) x = number64(bits64(x) + BigInt(source.below(3)) - 1n);
    }
    const mode = (i & 3) as Mode;
    const exact = x === x ? valueOf(bits64(x), F64) : 'nan';
    expectBits(bits16(roundF16(x, mode)), round(exact, F16, mode), 'roundF16', bits64(x), mode);
  }
  for (const bits of hardPatterns(F64)) {
    for (const mode of MODES) {
      expectBits(bits16(roundF16(number64(bits), mode)), round(valueOf(bits, F64), F16, mode), 'roundF16', bits, mode);
    }
  }
  // Overflow begins where rounding to eleven bits reaches 2^16.
  for (const x of [65504, 65519.99, 65520, 65535.99, 65536, -65519.99, -65520]) {
    for (const mode of MODES) {
      expectBits(bits16(roundF16(x, mode)), round(valueOf(bits64(x), F64), F16, mode), 'roundF16', bits64(x), mode);
    }
  }
});

test('sums and products of hard values in every mode', () => {
  for (const mode of MODES) for (const a of hard) for (const b of hard) checkPair(a, b, mode);
});

test('fused multiply-add of hard values in every mode', () => {
  for (const a of hard) {
    for (const b of hard) {
      for (const c of hard)
        for (const mode of MODES) if (mode === 0 || (a ^ b ^ c) % 2n === 0n) checkFma(a, b, c, mode);
    }
  }
});

test.long('100,000 random fused multiply-adds', () => {
  const source = new Source(22);
  for (let i = 0; i < 100_000; i++) {
    checkFma(source.pattern(F16), source.pattern(F16), source.pattern(F16), (i & 3) as Mode);
  }
});

test('NaN results: the first NaN operand quieted, else the default NaN', () => {
  assert.is(addF16(0x7c01, 0x7e55, 0), 0x7e01);
  assert.is(fmaF16(0x3c00, 0xfd03, 0x7c01, 0), 0xff03);
  assert.is(mulF16(0x7c00, 0x0000, 0), 0x7e00);
});

test.run();

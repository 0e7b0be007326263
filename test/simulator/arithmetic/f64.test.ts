import { addF64, fmaF64, fmaF64Mode, mulF64 } from '../../../src/simulator/arithmetic/f64.js';
import { suite } from '../../support/suite.js';
import { expectBits } from './check.js';
import type { Mode } from './exact.js';
import { add, bits64, F64, fma, MODES, mul, number64, round, valueOf } from './exact.js';
import { hardPatterns, Source } from './patterns.js';

const test = suite('simulator/arithmetic/f64', { tests: 4, timeoutMs: 8000 });
const hard = hardPatterns(F64);

function checkPair(a: bigint, b: bigint, mode: Mode): void {
  const [x, y] = [number64(a), number64(b)];
  const [u, v] = [valueOf(a, F64), valueOf(b, F64)];
  expectBits(bits64(addF64(x, y, mode)), round(add(u, v, mode), F64, mode), 'add', a, b, mode);
  expectBits(bits64(mulF64(x, y, mode)), round(mul(u, v), F64, mode), 'mul', a, b, mode);
}

function checkFma(a: bigint, b: bigint, c: bigint, mode: Mode): void {
  const [x, y, z] = [number64(a), number64(b), number64(c)];
  const expected = round(fma(valueOf(a, F64), valueOf(b, F64), valueOf(c, F64), mode), F64, mode);
  expectBits(bits64(fmaF64Mode(x, y, z, mode)), expected, 'fma', a, b, c, mode);
  if (mode === 0) expectBits(bits64(fmaF64(x, y, z)), expected, 'fmaF64', a, b, c);
}

test('sums and products of hard values in every mode', () => {
  for (const mode of MODES) for (const a of hard) for (const b of hard) checkPair(a, b, mode);
});

test('fused multiply-add of hard values', () => {
  // All modes take part; the table crossed with itself is large enough to spread them over it.
  let turn = 0;
  for (const a of hard) {
    for (const b of hard) {
      for (const c of hard) checkFma(a, b, c, (turn++ % 7 < 4 ? 0 : turn & 3) as Mode);
    }
  }
});

test.long('fused multiply-add of 110,000 random values', () => {
  const source = new Source(11);
  for (let i = 0; i < 110_000; i++) {
    let a = source.pattern(F64);
    let b = source.pattern(F64);
    if (i % 4 === 3) [a, b] = [wide(source), wide(source)];
    let c = source.pattern(F64);
    if (i % 3 !== 0) {
      // Near minus the product, or near half an ulp of it.
      const near = bits64(-number64(a) * number64(b) * (i % 3 === 1 ? 1 : 2 ** -53));
      if (near !== -1n) c = near ^ BigInt(source.below(4));
    }
    checkFma(a, b, c, 0);
    if (i % 8 === 0) checkFma(a, b, c, (1 + ((i >> 3) % 3)) as Mode);
  }
});

/** A finite pattern with any exponent, but not too near to the ends: products are often at the edges of range. */
function wide(source: Source): bigint {
  return (source.uniform(F64) & ~(0x7ffn << 52n)) | (BigInt(source.below(1200) + 400) << 52n);
}

test('random sums and products in every mode', () => {
  const source = new Source(12);
  for (let i = 0; i < 20_000; i++) {
    checkPair(source.pattern(F64), source.pattern(F64), (i & 3) as Mode);
  }
});

test.run();

/** The helpers in the sequences that LLVM makes of fdiv (SIISelLowering's LowerFDIV32 and LowerFDIV64). */
import { rcpF32, rcpF64 } from '../../../src/simulator/arithmetic/approximate.js';
import * as division from '../../../src/simulator/arithmetic/division.js';
import { fmaF64 } from '../../../src/simulator/arithmetic/f64.js';
import { fmaF32 } from '../../../src/simulator/arithmetic/rounding.js';
import { assert, suite } from '../../support/suite.js';
import { expectBits } from './check.js';
import type { Mode } from './exact.js';
import { bits32, bits64, div, F16, F32, F64, fma, number32, number64, round, scale, valueOf } from './exact.js';
import { hardPatterns, Source } from './patterns.js';

const test = suite('simulator/arithmetic/division', { tests: 8, timeoutMs: 8000 });

/** n / d as compiled for binary32 with denormals; `reciprocal` stands for v_rcp_f32. */
function dividedF32(n: number, d: number, reciprocal: (x: number) => number = rcpF32): number {
  const scaledD = division.divScaleF32(d, d, n);
  const scaledN = division.divScaleF32(n, d, n);
  const vcc = division.divScaleVccF32(d, n);
  let r = reciprocal(scaledD);
  r = fmaF32(fmaF32(-scaledD, r, 1), r, r);
  let q = Math.fround(scaledN * r);
  q = fmaF32(fmaF32(-scaledD, q, scaledN), r, q);
  const rest = fmaF32(-scaledD, q, scaledN);
  return division.divFixupF32(division.divFmasF32(rest, r, q, vcc, 0), d, n);
}

/** n / d as compiled for binary64. */
function dividedF64(n: number, d: number, reciprocal: (x: number) => number = rcpF64): number {
  const scaledD = division.divScaleF64(d, d, n);
  let r = reciprocal(scaledD);
  r = fmaF64(r, fmaF64(-scaledD, r, 1), r);
  r = fmaF64(r, fmaF64(-scaledD, r, 1), r);
  const scaledN = division.divScaleF64(n, d, n);
  const q = scaledN * r;
  const rest = fmaF64(-scaledD, q, scaledN);
  return division.divFixupF64(division.divFmasF64(rest, r, q, division.divScaleVccF64(d, n), 0), d, n);
}

function checkF32(n: bigint, d: bigint, reciprocal?: (x: number) => number): void {
  const expected = round(div(valueOf(n, F32), valueOf(d, F32)), F32, 0);
  expectBits(bits32(dividedF32(number32(n), number32(d), reciprocal)), expected, 'n/d', n, d);
}

function checkF64(n: bigint, d: bigint, reciprocal?: (x: number) => number): void {
  const expected = round(div(valueOf(n, F64), valueOf(d, F64)), F64, 0);
  expectBits(bits64(dividedF64(number64(n), number64(d), reciprocal)), expected, 'n/d', n, d);
}

/** Exponents over the whole range, so that every scaling is met. */
function anywhere(source: Source, f: typeof F32): bigint {
  const bits = source.uniform(f);
  return (source.below(8) === 0 ? source.pattern(f) : bits) & ((1n << BigInt(f.width)) - 1n);
}

test.long('the compiled f32 division is correctly rounded: hard and 200,000 random cases', () => {
  for (const n of hardPatterns(F32)) for (const d of hardPatterns(F32)) checkF32(n, d);
  const source = new Source(51);
  for (let i = 0; i < 100_000; i++) {
    checkF32(anywhere(source, F32), anywhere(source, F32));
    checkF32(source.pattern(F32), source.pattern(F32));
  }
});

test('and with a reciprocal that is an ulp off, as the hardware’s may be', () => {
  const source = new Source(52);
  let offset = 1;
  const approximate = (x: number): number => {
    const r = rcpF32(x);
    return Math.abs(r) < Infinity && r !== 0 ? number32(bits32(r) + BigInt(offset)) : r;
  };
  for (let i = 0; i < 60_000; i++) {
    offset = (i % 3) - 1;
    checkF32(anywhere(source, F32), anywhere(source, F32), approximate);
  }
});

test('the compiled f64 division is correctly rounded: hard and 100,000 random cases', () => {
  for (const n of hardPatterns(F64)) for (const d of hardPatterns(F64)) checkF64(n, d);
  const source = new Source(53);
  for (let i = 0; i < 50_000; i++) {
    checkF64(anywhere(source, F64), anywhere(source, F64));
    checkF64(source.pattern(F64), source.pattern(F64));
  }
});

test('and with a reciprocal of 2^29 ulp, as the hardware’s is', () => {
  const source = new Source(54);
  let offset = 0n;
  const approximate = (x: number): number => {
    const r = rcpF64(x);
    return Math.abs(r) < Infinity && r !== 0 ? number64(bits64(r) + offset) : r;
  };
  for (let i = 0; i < 40_000; i++) {
    offset = BigInt(source.below(2 ** 29)) - 2n ** 28n;
    checkF64(anywhere(source, F64), anywhere(source, F64), approximate);
  }
});

test.long('quotients in the denormals, at both ends of range, exact and halfway', () => {
  const source = new Source(55);
  const compose = (field: number, fraction: bigint, f: typeof F32): bigint =>
    (BigInt(field) << BigInt(f.fraction)) | (fraction & ((1n << BigInt(f.fraction)) - 1n));
  for (let i = 0; i < 50_000; i++) {
    // The quotient's exponent is near the least; in half the cases the quotient has few bits, so that it can be a tie.
    const d32 = compose(120 + source.below(134), source.uniform(F32) << BigInt(12 * (i & 1)), F32);
    const q32 = compose(source.below(26) + 1, source.uniform(F32) << BigInt(10 + source.below(14)), F32);
    const n32 = round(scale(valueOf(d32, F32), Math.round(Math.log2(number32(q32)))), F32, 0);
    if (n32 >= 0n && n32 < 0x7f800000n) checkF32(n32, d32);
    checkF32(round(valueOf(bits64(number32(q32) * number32(d32)), F64), F32, 0) & 0x7fffffffn, d32);
    const d64 = compose(900 + source.below(1146), source.uniform(F64) << BigInt(26 * (i & 1)), F64);
    const q64 = compose(source.below(60) + 1, source.uniform(F64) << BigInt(26 + source.below(27)), F64);
    checkF64(bits64(number64(q64) * number64(d64)) & ~(1n << 63n), d64);
  }
});

test('v_div_fmas scales with one rounding, in every mode', () => {
  const source = new Source(56);
  for (let i = 0; i < 30_000; i++) {
    const mode = (i & 3) as Mode;
    const [a, b, c] = [anywhere(source, F32), anywhere(source, F32), anywhere(source, F32)];
    const sum = fma(valueOf(a, F32), valueOf(b, F32), valueOf(c, F32), mode);
    const actual = division.divFmasF32(number32(a), number32(b), number32(c), true, mode);
    const up = ((c >> 23n) & 0xffn) > 127n;
    const expected = round(scale(sum, up ? 64 : -64), F32, mode);
    // The sign of a zero sum is not modelled here: the sequence never needs it.
    if (typeof sum === 'string' || sum.n !== 0n) expectBits(bits32(actual), expected, 'divFmasF32', a, b, c, mode);
    if (i % 3 !== 0) continue;
    const [x, y, z] = [
      source.pattern(F64),
      anywhere(source, F64),
      i % 2 === 0 ? anywhere(source, F64) : source.pattern(F64),
    ];
    const wideSum = fma(valueOf(x, F64), valueOf(y, F64), valueOf(z, F64), mode);
    const wide = division.divFmasF64(number64(x), number64(y), number64(z), true, mode);
    const wideUp = ((z >> 52n) & 0x7ffn) > 1023n;
    expectBits(bits64(wide), round(scale(wideSum, wideUp ? 128 : -128), F64, mode), 'divFmasF64', x, y, z, mode);
  }
});

test('v_div_scale: what is scaled, and when', () => {
  const P = (e: number): number => 2 ** e;
  // [denominator, numerator, scaled denominator, scaled numerator, vcc]
  const cases32: [number, number, number, number, boolean][] = [
    [3, 5, 3, 5, false],
    [P(-20), P(76), P(44), P(76), true],
    [P(-20), P(75), P(-20), P(75), false],
    [P(-130), P(-40), P(-66), P(24), false],
    [P(126), 1, P(62), 1, true],
    [P(126), P(31), P(62), P(-33), false],
    [P(126), P(30), P(62), P(30), true],
    [P(127), P(-10), P(63), P(-10), true],
    [P(20), P(-76), P(20), P(-12), true],
    [P(-60), P(-110), P(4), P(-46), false],
  ];
  for (const [d, n, scaledD, scaledN, vcc] of cases32) {
    assert.equal(
      [division.divScaleF32(d, d, n), division.divScaleF32(n, d, n), division.divScaleVccF32(d, n)],
      [scaledD, scaledN, vcc],
    );
  }
  const cases64: [number, number, number, number, boolean][] = [
    [3, 5, 3, 5, false],
    [P(-100), P(668), P(28), P(668), true],
    [P(-1030), P(-400), P(-902), P(-272), false],
    [P(1022), P(255), P(894), P(127), false],
    [P(1023), P(100), P(895), P(100), true],
    [P(20), P(-748), P(20), P(-620), true],
    [P(-300), P(-980), P(-172), P(-852), false],
  ];
  for (const [d, n, scaledD, scaledN, vcc] of cases64) {
    assert.equal(
      [division.divScaleF64(d, d, n), division.divScaleF64(n, d, n), division.divScaleVccF64(d, n)],
      [scaledD, scaledN, vcc],
    );
  }
  assert.ok(Number.isNaN(division.divScaleF32(0, 0, 1)) && !division.divScaleVccF32(0, 1));
  assert.ok(Number.isNaN(division.divScaleF64(1, 1, -0)));
});

test('v_div_fixup: special cases and their NaNs', () => {
  for (const f of [F16, F32, F64]) {
    const fixup = f === F16 ? division.divFixupF16 : f === F32 ? division.divFixupF32 : division.divFixupF64;
    const number = (bits: bigint): number => number64(round(valueOf(bits, f), F64, 0));
    for (const n of hardPatterns(f)) {
      for (const d of hardPatterns(f)) {
        const quotient = div(valueOf(n, f), valueOf(d, f));
        // Where the quotient is zero or not finite, the provisional one does not count.
        if (typeof quotient !== 'string' && quotient.n !== 0n) continue;
        const expected = quotient === 'nan' ? -1n : round(quotient, F64, 0);
        expectBits(bits64(fixup(3, number(d), number(n))), expected, 'fixup', n, d);
      }
    }
    assert.is(fixup(-2, 3, -6), -2);
    assert.is(fixup(-2, 3, 6), 2);
  }
  assert.is(division.divFixupF32(NaN, 2 ** -149, -(2 ** 127)), -Infinity);
  assert.is(division.fixupNaN32(0, 0), 0xffc00000);
  assert.is(division.fixupNaN32(0x7f800001, 0xff800002), 0xffc00002);
  assert.is(division.fixupNaN32(0x7f800001, 0x3f800000), 0x7fc00001);
  assert.is(division.fixupNaN16(0x7c01, 0), 0x7e01);
  assert.is(division.fixupNaN16(0x7c00, 0xfc00), 0xfe00);
  const words = new Uint32Array(2);
  division.fixupNaN64(words, 0, 0x7ff00000, 7, 0x3ff00000, 0);
  assert.equal([...words], [7, 0x7ff80000]);
  division.fixupNaN64(words, 0, 0, 0, 0, 0);
  assert.equal([...words], [0, 0xfff80000]);
});

test.run();

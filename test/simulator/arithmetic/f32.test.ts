import { addF32, fmaF32Mode, mulF32 } from '../../../src/simulator/arithmetic/f32.js';
import type { Rounding } from '../../../src/simulator/arithmetic/rounding.js';
import { addOdd, divOdd, fmaF32, fmaOdd, roundF32, sqrtOdd } from '../../../src/simulator/arithmetic/rounding.js';
import { suite } from '../../support/suite.js';
import { expectBits } from './check.js';
import type { Mode, Value } from './exact.js';
import {
  add,
  bits32,
  bits64,
  div,
  F16,
  F32,
  F64,
  fma,
  MODES,
  mul,
  number32,
  round,
  roundRoot,
  valueOf,
} from './exact.js';
import { hardPatterns, Source } from './patterns.js';

const test = suite('simulator/arithmetic/f32', { tests: 6, timeoutMs: 8000 });
const hard = hardPatterns(F32);

function checkPair(a: bigint, b: bigint, mode: Mode): void {
  const rounding: Rounding = mode;
  const x = number32(a);
  const y = number32(b);
  const u = valueOf(a, F32);
  const v = valueOf(b, F32);
  expectBits(bits32(addF32(x, y, rounding)), round(add(u, v, mode), F32, mode), 'add', a, b, mode);
  expectBits(bits32(mulF32(x, y, rounding)), round(mul(u, v), F32, mode), 'mul', a, b, mode);
}

function checkFma(a: bigint, b: bigint, c: bigint, modes: readonly Mode[]): void {
  const [x, y, z] = [number32(a), number32(b), number32(c)];
  const [u, v, w] = [valueOf(a, F32), valueOf(b, F32), valueOf(c, F32)];
  for (const mode of modes) {
    const expected = round(fma(u, v, w, mode), F32, mode);
    expectBits(bits32(fmaF32Mode(x, y, z, mode)), expected, 'fma', a, b, c, mode);
    if (mode === 0) expectBits(bits32(fmaF32(x, y, z)), expected, 'fmaF32', a, b, c);
  }
}

test('sums and products of hard values in every mode', () => {
  for (const mode of MODES) for (const a of hard) for (const b of hard) checkPair(a, b, mode);
});

test('fused multiply-add of hard values in every mode', () => {
  // Every fourth factor pair in the other modes than the usual one.
  let turn = 0;
  for (const a of hard) {
    for (const b of hard) {
      for (const c of hard) checkFma(a, b, c, turn % 4 === 0 ? MODES : [0]);
      turn++;
    }
  }
});

test.long('fused multiply-add of random values: 120,000 to nearest, 40,000 in the other modes', () => {
  const source = new Source(1);
  for (let i = 0; i < 120_000; i++) {
    const a = source.pattern(F32);
    const b = source.pattern(F32);
    // A third of the addends is near minus the product, so that high bits cancel, a third is near half an ulp of it.
    let c = source.pattern(F32);
    if (i % 3 !== 0) {
      const product = -number32(a) * number32(b) * (i % 3 === 1 ? 1 : 2 ** -24);
      c = bits32(Math.fround(product));
      if (c === -1n) c = 0n;
      else if (source.below(2) === 0) c ^= BigInt(source.below(4));
    }
    checkFma(a, b, c, i % 3 === 2 ? [0, (1 + (((i - 2) / 3) % 3)) as Mode] : [0]);
  }
});

test('random sums and products in every mode', () => {
  const source = new Source(2);
  for (let i = 0; i < 40_000; i++) {
    checkPair(source.pattern(F32), source.pattern(F32), (i & 3) as Mode);
  }
});

test.long('round to odd: exact, or of the two doubles around it the one with an odd significand', () => {
  const source = new Source(3);
  const expectOdd = (actual: number, exact: Value, what: string, ...inputs: bigint[]): void => {
    const truncated = round(exact, F64, 3);
    const inexact = truncated !== round(exact, F64, 1) || truncated !== round(exact, F64, 2);
    expectBits(bits64(actual), inexact ? truncated | 1n : truncated, what, ...inputs);
  };
  for (let i = 0; i < 30_000; i++) {
    const [a, b, c] = [source.pattern(F32), source.pattern(F32), source.pattern(F32)];
    const [x, y, z] = [number32(a), number32(b), number32(c)];
    const [u, v, w] = [valueOf(a, F32), valueOf(b, F32), valueOf(c, F32)];
    expectOdd(addOdd(x, y), add(u, v, 0), 'addOdd', a, b);
    expectOdd(fmaOdd(x, y, z), fma(u, v, w, 0), 'fmaOdd', a, b, c);
    expectOdd(divOdd(x, y), div(u, v), 'divOdd', a, b);
    if (i % 16 !== 0) continue;
    const [truncated, above] = [roundRoot(u, F64, 3, false), roundRoot(u, F64, 1, false)];
    expectBits(bits64(sqrtOdd(x)), truncated === above ? truncated : truncated | 1n, 'sqrtOdd', a);
  }
});

test('sums and products of f16 values are f16 values after rounding to odd', () => {
  const source = new Source(4);
  for (let i = 0; i < 10_000; i++) {
    const [u, v, w] = [source.pattern(F16), source.pattern(F16), source.pattern(F16)].map((bits) => valueOf(bits, F16));
    const [x, y, z] = [u!, v!, w!].map((value) =>
      number32(round(value, F32, 0) === -1n ? 0x7fc00000n : round(value, F32, 0)),
    );
    const mode = (i & 3) as Mode;
    if (fmaOdd(x!, y!, z!) === 0) continue;
    expectBits(bits32(roundF32(fmaOdd(x!, y!, z!), mode)), round(fma(u!, v!, w!, mode), F32, mode), 'fmaOdd', i);
  }
});

test.run();

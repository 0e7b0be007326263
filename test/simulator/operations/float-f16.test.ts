import { suite } from '../../support/suite.js';
import { add, F16, fma, type Mode, MODES, mul, negate, round, roundToInteger, valueOf } from '../arithmetic/exact.js';
import { hardPatterns, Source } from '../arithmetic/patterns.js';
import {
  Bench, cross, flushed, isNaNBits, isSignalling, nanOf, quietBit, signOf, withModes, word, type Rounded,
} from './float-bench.js'; // prettier-ignore

const test = suite('simulator/operations/float-f16', { tests: 6, timeoutMs: 10_000 });

const hard = [...hardPatterns(F16), 0x7d23n, 0xfd23n, 0xfe77n];
const [v0, v1, v2, v3] = [word(0), word(1), word(2), word(3)];
const modeOf = (mode: Mode, denormF16F64: number) => ({ roundF16F64: mode, denormF16F64 });
const value = (bits: bigint) => valueOf(bits, F16);
const BEFORE = 0xabcd1234n;
const low = (bits: bigint): bigint => bits & 0xffffn;
const high = (bits: bigint): bigint => bits >> 16n;

const sum: Rounded = (mode, a, b) => round(add(value(a), value(b), mode), F16, mode);
const difference: Rounded = (mode, a, b) => round(add(value(a), negate(value(b)), mode), F16, mode);
const product: Rounded = (mode, a, b) => round(mul(value(a), value(b)), F16, mode);
const fused: Rounded = (mode, a, b, c) => round(fma(value(a), value(b), value(c), mode), F16, mode);

function triples(count: number, seed: number): bigint[][] {
  const source = new Source(seed);
  const some = hard.filter((_, at) => at % 5 === 0);
  const random = Array.from({ length: count }, () => [source.pattern(F16), source.pattern(F16), source.pattern(F16)]);
  return [...random, ...cross(some).flatMap((each) => some.map((last) => [...each, last]))];
}

test('sums, differences and products in all modes; generation 9 clears the upper half', async () => {
  const names = ['v_add_f16', 'v_sub_f16', 'v_subrev_f16', 'v_mul_f16'];
  const truths: Rounded[] = [sum, difference, (mode, a, b) => difference(mode, b!, a!), product];
  const bench = await Bench.of('gfx906', names.map((name) => `${name} v0, v1, v2`)); // prettier-ignore
  // What is above a source does not matter.
  const pairs = cross(hard).map(([a, b]) => [a! | 0x55550000n, b! | 0xaaaa0000n]);
  for (const mode of MODES)
    for (const denormals of [0, 1, 2, 3])
      names.forEach((name, at) => {
        const truth = withModes(F16, mode, denormals, truths[at]!);
        const options = { mode: modeOf(mode, denormals), before: BEFORE };
        bench.check(`${name} v0, v1, v2`, [v1, v2], v0, pairs, (a, b) => truth(low(a!), low(b!)), options);
      });
});

test('multiply-adds', async () => {
  const lines = [
    'v_fma_f16 v0, v1, v2, v3',
    'v_fma_f16 v0, v1, v2, v3 op_sel:[1,0,1,1]',
    'v_mad_f16 v0, v1, v2, v3',
    'v_mac_f16 v3, v1, v2',
    'v_madak_f16 v0, v1, v2, 0x3c01',
    'v_madmk_f16 v0, v1, 0x3c01, v2',
    'v_fma_legacy_f16 v0, v1, v2, v3',
  ];
  const bench = await Bench.of('gfx906', lines);
  const operands = triples(1500, 31);
  const wide = operands.map(([a, b, c]) => [a! << 16n, b! | 0x70000n, c! << 16n]);
  const upper = BEFORE & 0xffff0000n;
  for (const mode of MODES)
    for (const denormals of [0, 3]) {
      const options = { mode: modeOf(mode, denormals), before: BEFORE };
      const fmaOf = withModes(F16, mode, denormals, fused);
      bench.check(lines[0]!, [v1, v2, v3], v0, operands, (a, b, c) => upper | fmaOf(a!, b!, c!), options);
      const shifted = (a: bigint, b: bigint, c: bigint): bigint =>
        low(BEFORE) | (fmaOf(high(a), low(b), high(c)) << 16n);
      bench.check(lines[1]!, [v1, v2, v3], v0, wide, shifted, options);
      bench.check(lines[6]!, [v1, v2, v3], v0, operands, fmaOf, options);
      const mad = (a: bigint, b: bigint, c: bigint): bigint => {
        const [x, y, z] = [a, b, c].map((each) => flushed(each, F16)) as [bigint, bigint, bigint];
        const p = product(mode, x, y);
        const result = p === -1n ? -1n : sum(mode, flushed(p, F16), z);
        return result === -1n ? nanOf(F16, a, b, c) : flushed(result, F16);
      };
      bench.check(lines[2]!, [v1, v2, v3], v0, operands, (a, b, c) => upper | mad(a!, b!, c!), options);
      bench.check(lines[3]!, [v1, v2, v3], v3, operands, mad, { mode: options.mode });
      const k = 0x3c01n;
      bench.check(lines[4]!, [v1, v2], v0, operands, (a, b) => upper | mad(a!, b!, k), options);
      bench.check(lines[5]!, [v1, v2], v0, operands, (a, b) => upper | mad(a!, k, b!), options);
    }
});

test('registers in halves (true16), and the upper half that stays', async () => {
  const lines = [
    'v_add_f16 v0.h, v1.l, v2.h',
    'v_add_f16 v0.l, v1.h, s4',
    'v_fma_f16 v0.h, v1.h, -v2.h, |v3.l|',
    'v_fmac_f16 v3.h, v1.l, v2.h',
    'v_fmac_f16_e64 v3.h, v1.l, -v2.h',
    'v_fmaak_f16 v0.l, v1.h, v2.l, 0x3c01',
    'v_fmamk_f16 v0.h, v1.h, 0x3c01, v2.l',
    'v_min3_f16 v0.h, v1.l, v2.h, v3.l',
    'v_mul_f16_e64 v0.l, v1.l, -0.5 clamp',
  ];
  const bench = await Bench.of('gfx1100', lines);
  const source = new Source(32);
  const twoHalves = (bits: bigint): bigint => bits | (source.pattern(F16) << 16n);
  const operands = triples(1500, 33).map((each) => each.map(twoHalves));
  const [plus, fmaOf] = [withModes(F16, 0, 3, sum), withModes(F16, 0, 3, fused)];
  const [upper, lower] = [BEFORE & 0xffff0000n, BEFORE & 0xffffn];
  const neg = (bits: bigint): bigint => bits ^ 0x8000n;
  const options = { before: BEFORE, scalars: new Map([[4, 0x7777c123]]) };
  const all = [v1, v2, v3];
  bench.check(lines[0]!, all, v0, operands, (a, b) => lower | (plus(low(a!), high(b!)) << 16n), options);
  bench.check(lines[1]!, all, v0, operands, (a) => upper | plus(high(a!), 0xc123n), options);
  const signs = (a: bigint, b: bigint, c: bigint) => lower | (fmaOf(high(a), neg(high(b)), low(c) & 0x7fffn) << 16n);
  bench.check(lines[2]!, all, v0, operands, signs, options);
  bench.check(lines[3]!, all, v3, operands, (a, b, c) => low(c!) | (fmaOf(low(a!), high(b!), high(c!)) << 16n));
  bench.check(lines[4]!, all, v3, operands, (a, b, c) => low(c!) | (fmaOf(low(a!), neg(high(b!)), high(c!)) << 16n));
  bench.check(lines[5]!, all, v0, operands, (a, b) => upper | fmaOf(high(a!), low(b!), 0x3c01n), options);
  bench.check(lines[6]!, all, v0, operands, (a, b) => lower | (fmaOf(high(a!), 0x3c01n, low(b!)) << 16n), options);
  const least = extremum(true, true, 9);
  const three = (a: bigint, b: bigint, c: bigint) => lower | (least(least(low(a), high(b)), low(c)) << 16n);
  bench.check(lines[7]!, all, v0, operands, three, options);
  const half = (a: bigint): bigint => {
    const result = withModes(F16, 0, 3, product)(low(a), 0xb800n);
    return upper | (isNaNBits(result, F16) || result >= 0x8000n ? 0n : result > 0x3c00n ? 0x3c00n : result);
  };
  bench.check(lines[8]!, all, v0, operands, half, options);

  const older = await Bench.of('gfx1030', ['v_add_f16 v0, v1, v2']);
  const inPlace = (a: bigint, b: bigint): bigint => upper | plus(low(a), low(b));
  older.check('v_add_f16 v0, v1, v2', all, v0, operands, inPlace, options);
});

/** The ISA documents' pseudo-code; patterns of one sign are in the order of their values. */
function extremum(isMin: boolean, ieee: boolean, generation: number) {
  const order = (bits: bigint): bigint => (bits >= 0x8000n ? -(bits - 0x8000n) - 1n : bits);
  return (a: bigint, b: bigint): bigint => {
    if (ieee && isSignalling(a, F16)) return a | quietBit(F16);
    if (ieee && isSignalling(b, F16)) return b | quietBit(F16);
    if (isNaNBits(a, F16) && isNaNBits(b, F16)) return generation >= 11 ? a : b;
    if (isNaNBits(a, F16)) return b;
    if (isNaNBits(b, F16)) return a;
    return order(a) < order(b) === isMin ? a : b;
  };
}

test('minimum, maximum and median', async () => {
  const lines = ['v_min_f16 v0, v1, v2', 'v_max_f16 v0, v1, v2', 'v_med3_f16 v0, v1, v2, v3'];
  const bench = await Bench.of('gfx906', lines);
  for (const ieee of [false, true])
    for (const denormals of [0, 3]) {
      const options = { mode: { ieee, denormF16F64: denormals } };
      const input = (bits: bigint): bigint => (denormals === 0 ? flushed(bits, F16) : bits);
      for (const isMin of [true, false]) {
        const choose = extremum(isMin, ieee, 9);
        const line = lines[isMin ? 0 : 1]!;
        bench.check(line, [v1, v2], v0, cross(hard), (a, b) => choose(input(a!), input(b!)), options);
      }
      const [least, most] = [extremum(true, ieee, 9), extremum(false, ieee, 9)];
      const equal = (a: bigint, b: bigint): boolean => a === b || ((a | b) & 0x7fffn) === 0n;
      const median = (...operands: bigint[]): bigint => {
        const [a, b, c] = operands.map(input) as [bigint, bigint, bigint];
        if ([a, b, c].some((each) => isNaNBits(each, F16))) return least(least(a, b), c);
        const greatest = most(most(a, b), c);
        return equal(greatest, a) ? most(b, c) : equal(greatest, b) ? most(a, c) : most(a, b);
      };
      bench.check(lines[2]!, [v1, v2, v3], v0, triples(500, 34), median, { ...options, before: 0n });
    }
});

test('all values through the integral parts', async () => {
  const names = { v_rndne_f16: 0, v_ceil_f16: 1, v_floor_f16: 2, v_trunc_f16: 3 } as const;
  const bench = await Bench.of('gfx906', Object.keys(names).map((name) => `${name} v0, v1`)); // prettier-ignore
  const operands = Array.from({ length: 0x10000 / 4 }, (_, at) => [BigInt(4 * at + (at % 4))]);
  for (const [name, mode] of Object.entries(names) as [string, Mode][]) {
    const truth = withModes(F16, 0, 3, (_, a) => {
      const v = value(a!);
      if (typeof v === 'string') return round(v, F16, 0);
      return round({ n: roundToInteger(v, mode), d: 1n, negativeZero: a! >= signOf(F16) }, F16, 0);
    });
    bench.check(`${name} v0, v1`, [v1], v0, operands, truth);
  }
});

test('SDWA, constants, clamp and omod', async () => {
  const lines = [
    'v_add_f16_sdwa v0, v1, -v2 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 src1_sel:WORD_0',
    'v_add_f16_sdwa v0, v1, v2 dst_sel:DWORD src0_sel:DWORD src1_sel:WORD_1',
    'v_add_f16 v0, -1, v2',
    'v_add_f16_e64 v0, v1, v2 clamp',
    'v_add_f16_e64 v0, v1, v2 mul:2',
    'v_mul_f16_e64 v0, v1, |v2| div:2',
  ];
  const bench = await Bench.of('gfx906', lines);
  const source = new Source(35);
  const pairs = cross(hard).map((each) => each.map((bits) => bits | (source.pattern(F16) << 16n)));
  const plus = withModes(F16, 0, 3, sum);
  const both = [v1, v2];
  const sdwa = (a: bigint, b: bigint): bigint => (BEFORE & 0xffffn) | (plus(high(a), low(b) ^ 0x8000n) << 16n);
  bench.check(lines[0]!, both, v0, pairs, sdwa, { before: BEFORE });
  bench.check(lines[1]!, both, v0, pairs, (a, b) => plus(low(a!), high(b!)), { before: BEFORE });
  bench.check(lines[2]!, both, v0, pairs, (_a, b) => plus(0xffffn, low(b!)));
  const clamped = (bits: bigint): bigint =>
    isNaNBits(bits, F16) || bits >= 0x8000n ? 0n : bits > 0x3c00n ? 0x3c00n : bits;
  bench.check(lines[3]!, both, v0, pairs, (a, b) => clamped(plus(low(a!), low(b!))));
  const omod = (bits: bigint, factor: bigint): bigint => {
    if (isNaNBits(bits, F16)) return bits;
    const scaled = flushed(round(mul(value(bits), value(factor)), F16, 0), F16);
    return scaled === 0x8000n ? 0n : scaled;
  };
  const mode = { ieee: false, denormF16F64: 0 };
  const [flushingSum, flushingProduct] = [withModes(F16, 0, 0, sum), withModes(F16, 0, 0, product)];
  bench.check(lines[4]!, both, v0, pairs, (a, b) => omod(flushingSum(low(a!), low(b!)), 0x4000n), { mode });
  const halved = (a: bigint, b: bigint): bigint => omod(flushingProduct(low(a), low(b) & 0x7fffn), 0x3800n);
  bench.check(lines[5]!, both, v0, pairs, halved, { mode });
});

test.run();

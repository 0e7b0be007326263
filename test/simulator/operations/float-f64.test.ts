import { suite } from '../../support/suite.js';
import { add, F64, fma, type Mode, MODES, mul, round, roundToInteger, valueOf } from '../arithmetic/exact.js';
import { hardPatterns, Source } from '../arithmetic/patterns.js';
import {
  Bench, cross, flushed, isNaNBits, isSignalling, pair, quietBit, signOf, withModes, type Rounded,
} from './float-bench.js'; // prettier-ignore

const test = suite('simulator/operations/float-f64', { tests: 5, timeoutMs: 10_000 });

const SIGNALLING = 0x7ff4000000000123n;
const hard = [...hardPatterns(F64), SIGNALLING, SIGNALLING | signOf(F64), 0xfff8000000000077n, 0x7ff0000000000001n];
const [d, a1, b1, c1] = [pair(0), pair(2), pair(4), pair(6)];
const modeOf = (mode: Mode, denormF16F64: number) => ({ roundF16F64: mode, denormF16F64 });
const value = (bits: bigint) => valueOf(bits, F64);

const sum: Rounded = (mode, a, b) => round(add(value(a), value(b), mode), F64, mode);
const product: Rounded = (mode, a, b) => round(mul(value(a), value(b)), F64, mode);
const fused: Rounded = (mode, a, b, c) => round(fma(value(a), value(b), value(c), mode), F64, mode);

test('sums and products of hard values in all modes', async () => {
  const lines = ['v_add_f64 v[0:1], v[2:3], v[4:5]', 'v_mul_f64 v[0:1], v[2:3], v[4:5]'];
  const bench = await Bench.of('gfx906', lines);
  const pairs = cross(hard);
  for (const mode of MODES)
    for (const denormals of [0, 1, 2, 3]) {
      const some = mode === 0 ? pairs : pairs.filter((_, at) => (at + denormals) % 7 === 0);
      const options = { mode: modeOf(mode, denormals) };
      bench.check(lines[0]!, [a1, b1], d, some, withModes(F64, mode, denormals, sum), options);
      bench.check(lines[1]!, [a1, b1], d, some, withModes(F64, mode, denormals, product), options);
    }
});

test('fused multiply-adds', async () => {
  const line = 'v_fma_f64 v[0:1], v[2:3], v[4:5], v[6:7]';
  const accumulate = 'v_fmac_f64 v[6:7], v[2:3], v[4:5]';
  const bench = await Bench.of('gfx90a', [line, accumulate]);
  const source = new Source(21);
  const some = hard.filter((_, at) => at % 6 === 0);
  const operands = [
    ...cross(some).flatMap((each) => some.map((last) => [...each, last])),
    ...Array.from({ length: 4000 }, () => [source.pattern(F64), source.pattern(F64), source.pattern(F64)]),
  ];
  for (const mode of MODES)
    for (const denormals of [0, 3]) {
      const options = { mode: modeOf(mode, denormals) };
      const truth = withModes(F64, mode, denormals, fused);
      bench.check(line, [a1, b1, c1], d, mode === 0 ? operands : operands.slice(0, 1500), truth, options);
      bench.check(accumulate, [a1, b1, c1], c1, operands.slice(0, 800), truth, options);
    }
});

test('minimum and maximum', async () => {
  const lines = ['v_min_f64 v[0:1], v[2:3], v[4:5]', 'v_max_f64 v[0:1], v[2:3], v[4:5]'];
  for (const [cpu, generation] of [
    ['gfx906', 9],
    ['gfx1100', 11],
  ] as const) {
    const bench = await Bench.of(cpu, lines);
    for (const ieee of [false, true])
      for (const denormals of [0, 3]) {
        const input = (bits: bigint): bigint => (denormals === 0 ? flushed(bits, F64) : bits);
        const order = (bits: bigint): bigint => (bits >= signOf(F64) ? -(bits - signOf(F64)) - 1n : bits);
        const choose = (isMin: boolean) => (x: bigint, y: bigint): bigint => {
          const [a, b] = [input(x), input(y)];
          if (ieee && isSignalling(a, F64)) return a | quietBit(F64);
          if (ieee && isSignalling(b, F64)) return b | quietBit(F64);
          if (isNaNBits(a, F64) && isNaNBits(b, F64)) return generation === 11 ? a : b;
          if (isNaNBits(a, F64)) return b;
          if (isNaNBits(b, F64)) return a;
          return (order(a) < order(b)) === isMin ? a : b;
        }; // prettier-ignore
        const options = { mode: { ieee, denormF16F64: denormals } };
        bench.check(lines[0]!, [a1, b1], d, cross(hard), choose(true), options);
        bench.check(lines[1]!, [a1, b1], d, cross(hard), choose(false), options);
      }
  }
});

test('integral parts', async () => {
  const names = { v_rndne_f64: 0, v_ceil_f64: 1, v_floor_f64: 2, v_trunc_f64: 3 } as const;
  const bench = await Bench.of('gfx906', Object.keys(names).map((name) => `${name} v[0:1], v[2:3]`)); // prettier-ignore
  const source = new Source(22);
  const operands = [...hard, ...Array.from({ length: 1000 }, () => source.pattern(F64))].map((bits) => [bits]);
  for (const [name, mode] of Object.entries(names) as [string, Mode][]) {
    const truth = withModes(F64, 0, 3, (_, a) => {
      const v = value(a!);
      if (typeof v === 'string') return round(v, F64, 0);
      return round({ n: roundToInteger(v, mode), d: 1n, negativeZero: a! >= signOf(F64) }, F64, 0);
    });
    bench.check(`${name} v[0:1], v[2:3]`, [a1], d, operands, truth, { mode: { roundF16F64: 2 } });
  }
});

test('source modifiers, constants, scalars, clamp and omod', async () => {
  const lines = [
    'v_add_f64 v[0:1], -v[2:3], |v[4:5]|',
    'v_add_f64 v[0:1], v[2:3], 1.0',
    'v_add_f64 v[0:1], v[2:3], -|s[4:5]|',
    'v_mul_f64 v[0:1], v[2:3], 7',
    'v_add_f64 v[0:1], v[2:3], v[4:5] clamp',
    'v_mul_f64 v[0:1], v[2:3], v[4:5] mul:2',
    'v_add_f64 v[0:1], v[2:3], -4',
  ];
  const bench = await Bench.of('gfx906', lines);
  const literal = 'v_add_f64 v[0:1], v[2:3], 0x40080000';
  const newer = await Bench.of('gfx1030', [literal]);
  const [plus, times] = [withModes(F64, 0, 3, sum), withModes(F64, 0, 3, product)];
  const sign = signOf(F64);
  const pairs = cross(hard);
  bench.check(lines[0]!, [a1, b1], d, pairs, (a, b) => plus(a! ^ sign, b! & ~sign));
  const one = 0x3ff0000000000000n;
  const singles = hard.map((bits) => [bits]);
  bench.check(lines[1]!, [a1], d, singles, (a) => plus(a!, one));
  const scalars = new Map([
    [4, 0x89abcdef],
    [5, 0x40012345],
  ]);
  bench.check(lines[2]!, [a1], d, singles, (a) => plus(a!, 0xc001234589abcdefn), { scalars });
  bench.check(lines[3]!, [a1], d, singles, (a) => times(a!, 7n));
  bench.check(lines[6]!, [a1], d, singles, (a) => plus(a!, 0xfffffffffffffffcn));
  newer.check(literal, [a1], d, singles, (a) => plus(a!, 0x4008000000000000n));
  const clamped = (bits: bigint): bigint => (isNaNBits(bits, F64) || bits >= sign ? 0n : bits > one ? one : bits);
  bench.check(lines[4]!, [a1, b1], d, pairs, (a, b) => clamped(plus(a!, b!)));
  const doubled = (bits: bigint): bigint => {
    if (isNaNBits(bits, F64)) return bits;
    const twice = flushed(round(mul(value(bits), value(2n ** 62n)), F64, 0), F64);
    return twice === sign ? 0n : twice;
  };
  const flushing = withModes(F64, 0, 0, product);
  const mode = { ieee: false, denormF16F64: 0 };
  bench.check(lines[5]!, [a1, b1], d, pairs, (a, b) => doubled(flushing(a!, b!)), { mode });
});

test.run();

import { suite, assert } from '../../support/suite.js';
import {
  add, F32, fma, infinityBits, type Mode, MODES, mul, negate, round, roundToInteger, valueOf, type Rational,
} from '../arithmetic/exact.js'; // prettier-ignore
import { hardPatterns, Source } from '../arithmetic/patterns.js';
import {
  Bench, cross, flushed, isNaNBits, isSignalling, nanOf, quietBit, signOf, withModes, word, type Rounded,
} from './float-bench.js'; // prettier-ignore

const test = suite('simulator/operations/float-f32', { tests: 8, timeoutMs: 10_000 });

const SIGNALLING = 0x7fa12345n;
const hard = [...hardPatterns(F32), SIGNALLING, SIGNALLING | 0x80000000n, 0xffc00077n];
const [v1, v2, v3] = [word(1), word(2), word(3)];
const v0 = word(0);
const modeOf = (mode: Mode, denormF32: number) => ({ roundF32: mode, denormF32 });
const value = (bits: bigint) => valueOf(bits, F32);

const sum: Rounded = (mode, a, b) => round(add(value(a), value(b), mode), F32, mode);
const difference: Rounded = (mode, a, b) => round(add(value(a), negate(value(b)), mode), F32, mode);
const product: Rounded = (mode, a, b) => round(mul(value(a), value(b)), F32, mode);
const fused: Rounded = (mode, a, b, c) => round(fma(value(a), value(b), value(c), mode), F32, mode);

function triples(count: number, seed: number): bigint[][] {
  const source = new Source(seed);
  const some = hard.filter((_, at) => at % 4 === 0);
  const random = Array.from({ length: count }, () => [source.pattern(F32), source.pattern(F32), source.pattern(F32)]);
  return [...random, ...cross(some).flatMap((each) => some.map((last) => [...each, last]))];
}

test.long('sums, differences and products of hard values in all modes', async () => {
  const bench = await Bench.of('gfx906', [
    'v_add_f32 v0, v1, v2',
    'v_sub_f32 v0, v1, v2',
    'v_subrev_f32 v0, v1, v2',
    'v_mul_f32 v0, v1, v2',
  ]);
  for (const mode of MODES)
    for (const denormals of [0, 1, 2, 3]) {
      const check = (line: string, rounded: Rounded): void => {
        const options = { mode: modeOf(mode, denormals) };
        bench.check(line, [v1, v2], v0, cross(hard), withModes(F32, mode, denormals, rounded), options);
      };
      check('v_add_f32 v0, v1, v2', sum);
      check('v_sub_f32 v0, v1, v2', difference);
      check('v_subrev_f32 v0, v1, v2', (m, a, b) => difference(m, b!, a!));
      check('v_mul_f32 v0, v1, v2', product);
    }
});

test('fused multiply-adds', async () => {
  const bench = await Bench.of('gfx906', ['v_fma_f32 v0, v1, v2, v3', 'v_fmac_f32 v3, v1, v2']);
  const newer = await Bench.of('gfx1030', ['v_fmaak_f32 v0, v1, v2, 0x3f800001', 'v_fmamk_f32 v0, v1, 0x3f800001, v2']);
  const operands = triples(6000, 11);
  for (const mode of MODES)
    for (const denormals of [0, 3]) {
      const options = { mode: modeOf(mode, denormals) };
      const truth = withModes(F32, mode, denormals, fused);
      const some = mode === 0 && denormals === 3 ? operands : operands.slice(4500, 8500);
      bench.check('v_fma_f32 v0, v1, v2, v3', [v1, v2, v3], v0, some, truth, options);
      bench.check('v_fmac_f32 v3, v1, v2', [v1, v2, v3], v3, some.slice(0, 2500), truth, options);
      const k = 0x3f800001n;
      const pairs = some.slice(0, 1000).map((each) => each.slice(0, 2));
      const addConstant = (a: bigint, b: bigint): bigint => truth(a, b, k);
      newer.check('v_fmaak_f32 v0, v1, v2, 0x3f800001', [v1, v2], v0, pairs, addConstant, options);
      const scale = (a: bigint, b: bigint): bigint => truth(a, k, b);
      newer.check('v_fmamk_f32 v0, v1, 0x3f800001, v2', [v1, v2], v0, pairs, scale, options);
    }
});

test.long('unfused multiply-adds flush and round twice', async () => {
  const bench = await Bench.of('gfx906', [
    'v_mad_f32 v0, v1, v2, v3',
    'v_mac_f32 v3, v1, v2',
    'v_madak_f32 v0, v1, v2, 0x3f800001',
    'v_madmk_f32 v0, v1, 0x3f800001, v2',
    'v_mad_legacy_f32 v0, v1, v2, v3',
  ]);
  const operands = triples(2000, 12);
  for (const mode of MODES) {
    const mad = (a: bigint, b: bigint, c: bigint): bigint => {
      const [x, y, z] = [a, b, c].map((each) => flushed(each, F32)) as [bigint, bigint, bigint];
      const p = product(mode, x, y);
      const result = p === -1n ? -1n : sum(mode, flushed(p, F32), z);
      return result === -1n ? nanOf(F32, a, b, c) : flushed(result, F32);
    };
    const isZero = (bits: bigint): boolean => (flushed(bits, F32) & ~signOf(F32)) === 0n;
    const legacy = (a: bigint, b: bigint, c: bigint): bigint =>
      isZero(a) || isZero(b) ? mad(0n, 0n, c) : mad(a, b, c);
    // MODE's denormal field does not matter.
    for (const denormals of [0, 3]) {
      const options = { mode: modeOf(mode, denormals) };
      bench.check('v_mad_f32 v0, v1, v2, v3', [v1, v2, v3], v0, operands, mad, options);
      bench.check('v_mac_f32 v3, v1, v2', [v1, v2, v3], v3, operands, mad, options);
      bench.check('v_mad_legacy_f32 v0, v1, v2, v3', [v1, v2, v3], v0, operands, legacy, options);
      const pairs = operands.slice(0, 500).map((each) => each.slice(0, 2));
      const k = 0x3f800001n;
      const [add_, scale] = ['v_madak_f32 v0, v1, v2, 0x3f800001', 'v_madmk_f32 v0, v1, 0x3f800001, v2'];
      bench.check(add_!, [v1, v2], v0, pairs, (a, b) => mad(a!, b!, k), options);
      bench.check(scale!, [v1, v2], v0, pairs, (a, b) => mad(a!, k, b!), options);
    }
  }
});

test('legacy products', async () => {
  const lines = [
    'v_mul_dx9_zero_f32 v0, v1, v2',
    'v_fma_dx9_zero_f32 v0, v1, v2, v3',
    'v_fmac_dx9_zero_f32 v3, v1, v2',
  ];
  const bench = await Bench.of('gfx1100', lines);
  const isZero = (bits: bigint): boolean => (bits & ~signOf(F32)) === 0n;
  const plain = withModes(F32, 0, 3, product);
  bench.check(lines[0]!, [v1, v2], v0, cross(hard), (a, b) => (isZero(a!) || isZero(b!) ? 0n : plain(a!, b!)));
  const full = withModes(F32, 0, 3, fused);
  const truth = (a: bigint, b: bigint, c: bigint): bigint => {
    if (!isZero(a) && !isZero(b)) return full(a, b, c);
    return isNaNBits(c, F32) ? c | quietBit(F32) : c;
  };
  bench.check(lines[1]!, [v1, v2, v3], v0, triples(1000, 13), truth);
  bench.check(lines[2]!, [v1, v2, v3], v3, triples(1000, 13), truth);
});

/** The ISA documents' pseudo-code of v_min_f32 and v_max_f32. */
function extremum(isMin: boolean, ieee: boolean, generation: number) {
  const less = (a: bigint, b: bigint): boolean => {
    const [x, y] = [a, b].map((bits) => {
      const infinite = (bits & ~signOf(F32)) === infinityBits(F32);
      const magnitude = infinite ? 1n << 400n : ((value(bits & ~signOf(F32)) as Rational).n << 200n) / (value(bits & ~signOf(F32)) as Rational).d;
      return bits >= signOf(F32) ? -magnitude : magnitude;
    }) as [bigint, bigint]; // prettier-ignore
    return x < y || (x === 0n && y === 0n && a !== 0n && b === 0n);
  };
  return (a: bigint, b: bigint): bigint => {
    if (ieee && isSignalling(a, F32)) return a | quietBit(F32);
    if (ieee && isSignalling(b, F32)) return b | quietBit(F32);
    if (isNaNBits(a, F32) && isNaNBits(b, F32)) return generation >= 11 ? a : b;
    if (isNaNBits(a, F32)) return b;
    if (isNaNBits(b, F32)) return a;
    return (isMin ? less(a, b) : less(b, a)) ? a : b;
  };
}

test.long('minimum, maximum and median', async () => {
  for (const [cpu, generation] of [
    ['gfx906', 9],
    ['gfx1100', 11],
  ] as const) {
    const min = 'v_min_f32 v0, v1, v2';
    const max = 'v_max_f32 v0, v1, v2';
    const three = [
      'v_min3_f32',
      'v_max3_f32',
      'v_med3_f32',
      ...(generation === 11 ? ['v_minmax_f32', 'v_maxmin_f32'] : []),
    ];
    const lines = [min, max, ...three.map((name) => `${name} v0, v1, v2, v3`)];
    const bench = await Bench.of(cpu, lines);
    for (const ieee of [false, true]) {
      for (const denormals of [0, 2, 3]) {
        const mode = { ieee, denormF32: denormals };
        const input = (bits: bigint): bigint => ((denormals & 1) === 0 ? flushed(bits, F32) : bits);
        for (const [line, isMin] of [
          [min, true],
          [max, false],
        ] as const) {
          const choose = extremum(isMin, ieee, generation);
          bench.check(line, [v1, v2], v0, cross(hard), (a, b) => choose(input(a!), input(b!)), { mode });
        }
      }
      const [least, most] = [extremum(true, ieee, 9), extremum(false, ieee, 9)];
      const equal = (a: bigint, b: bigint): boolean => a === b || ((a | b) & ~signOf(F32)) === 0n;
      const truths: Record<string, (a: bigint, b: bigint, c: bigint) => bigint> = {
        v_min3_f32: (a, b, c) => least(least(a, b), c),
        v_max3_f32: (a, b, c) => most(most(a, b), c),
        v_minmax_f32: (a, b, c) => most(least(a, b), c),
        v_maxmin_f32: (a, b, c) => least(most(a, b), c),
        v_med3_f32: (a, b, c) => {
          if ([a, b, c].some((each) => isNaNBits(each, F32))) return least(least(a, b), c);
          const greatest = most(most(a, b), c);
          return equal(greatest, a) ? most(b, c) : equal(greatest, b) ? most(a, c) : most(a, b);
        },
      };
      for (const name of three)
        bench.check(`${name} v0, v1, v2, v3`, [v1, v2, v3], v0, triples(500, 14), truths[name]!, { mode: { ieee } });
    }
  }
});

test('integral parts', async () => {
  const names = { v_rndne_f32: 0, v_ceil_f32: 1, v_floor_f32: 2, v_trunc_f32: 3 } as const;
  const bench = await Bench.of(
    'gfx906',
    Object.keys(names).map((name) => `${name} v0, v1`),
  );
  const source = new Source(15);
  const operands = [...hard, ...Array.from({ length: 3000 }, () => source.pattern(F32))].map((bits) => [bits]);
  for (const [name, mode] of Object.entries(names) as [string, Mode][])
    for (const denormF32 of [0, 3])
      bench.check(`${name} v0, v1`, [v1], v0, operands, withModes(F32, 0, denormF32, (_, a) => {
        const v = value(a!);
        if (typeof v === 'string') return round(v, F32, 0);
        return round({ n: roundToInteger(v, mode), d: 1n, negativeZero: a! >= signOf(F32) }, F32, 0);
      }), { mode: { denormF32, roundF32: 1 } }); // prettier-ignore
});

test('source modifiers, clamp, omod, SDWA, DPP and EXEC', async () => {
  const lines = [
    'v_add_f32_e64 v0, -v1, |v2|',
    'v_add_f32_e64 v0, -|v1|, -s4',
    'v_add_f32_e64 v0, v1, v2 clamp',
    'v_add_f32_e64 v0, v1, v2 mul:4',
    'v_add_f32_e64 v0, v1, v2 clamp div:2',
    'v_add_f32_sdwa v0, -v1, v2 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:DWORD',
    'v_max_f32_dpp v0, v1, v2 row_shr:1 row_mask:0xf bank_mask:0xf',
    'v_mul_f32_e64 v0, 0.15915494, v2',
    'v_add_f32 v0, 7, v2',
  ];
  const bench = await Bench.of('gfx906', lines);
  const plus = withModes(F32, 0, 3, sum);
  const neg = (bits: bigint): bigint => bits ^ 0x80000000n;
  const abs = (bits: bigint): bigint => bits & 0x7fffffffn;
  const pairs = cross(hard);
  bench.check(lines[0]!, [v1, v2], v0, pairs, (a, b) => plus(neg(a!), abs(b!)));
  const scalars = new Map([[4, 0xffc12345]]);
  bench.check(lines[1]!, [v1], v0, hard.map((a) => [a]), (a) => plus(neg(abs(a!)), 0x7fc12345n), { scalars }); // prettier-ignore
  const clamped = (bits: bigint): bigint => {
    if (isNaNBits(bits, F32) || bits >= signOf(F32)) return 0n;
    return bits > 0x3f800000n ? 0x3f800000n : bits;
  };
  bench.check(lines[2]!, [v1, v2], v0, pairs, (a, b) => clamped(plus(a!, b!)));
  const keepsNaN = (bits: bigint): bigint => (isNaNBits(bits, F32) ? bits : clamped(bits));
  bench.check(lines[2]!, [v1, v2], v0, pairs, (a, b) => keepsNaN(plus(a!, b!)), { mode: { dx10Clamp: false } });
  // The output modifier works outside IEEE mode and where denormal results are flushed only.
  for (const ieee of [false, true])
    for (const denormF32 of [0, 3]) {
      const base = withModes(F32, 0, denormF32, sum);
      const omod = (bits: bigint, factor: bigint): bigint => {
        if (ieee || denormF32 === 3 || isNaNBits(bits, F32)) return bits;
        const scaled = flushed(round(mul(value(bits), value(factor)), F32, 0), F32);
        return scaled === signOf(F32) ? 0n : scaled;
      };
      const mode = { ieee, denormF32 };
      bench.check(lines[3]!, [v1, v2], v0, pairs, (a, b) => omod(base(a!, b!), 0x40800000n), { mode });
      bench.check(lines[4]!, [v1, v2], v0, pairs, (a, b) => clamped(omod(base(a!, b!), 0x3f000000n)), { mode });
    }
  bench.check(lines[5]!, [v1, v2], v0, pairs, (a, b) => (0x1234n | (plus(neg(a!), b!) << 16n)) & 0xffffffffn, { before: 0xabcd1234n }); // prettier-ignore
  bench.check(lines[7]!, [v2], v0, hard.map((b) => [b]), (b) => withModes(F32, 0, 3, product)(0x3e22f983n, b!)); // prettier-ignore
  bench.check(lines[8]!, [v2], v0, hard.map((b) => [b]), (b) => plus(7n, b!)); // prettier-ignore

  const source = new Source(16);
  const operands = Array.from({ length: 64 }, () => [source.pattern(F32), source.pattern(F32)]);
  const results = bench.run(lines[6]!, [v1, v2], v0, operands, { before: 0x5555n });
  const max = extremum(false, true, 9);
  results.forEach((result, lane) => {
    const expected = lane % 16 === 0 ? 0x5555n : max(operands[lane - 1]![0]!, operands[lane]![1]!);
    assert.is(result, expected, `lane ${lane}`);
  });
});

test('pairs of operations (VOPD)', async () => {
  const lines = [
    'v_dual_fmac_f32 v0, v1, v2 :: v_dual_fmamk_f32 v3, v0, 0x40000000, v1',
    'v_dual_mul_dx9_zero_f32 v0, v1, v2 :: v_dual_max_f32 v3, v0, v1',
    'v_dual_sub_f32 v0, 1.0, v2 :: v_dual_fmaak_f32 v3, v2, v1, 0x40000000',
  ];
  const bench = await Bench.of('gfx1100', lines);
  const fmaOf = withModes(F32, 0, 3, fused);
  const operands = triples(2000, 17);
  const TWO = 0x40000000n;
  bench.check(lines[0]!, [v1, v2, v0], v0, operands, fmaOf);
  // The second half reads v0 as it was.
  bench.check(lines[0]!, [v1, v2, v0], v3, operands, (a, _b, c) => fmaOf(c!, TWO, a!));
  const multiplied = withModes(F32, 0, 3, product);
  const isZero = (bits: bigint): boolean => (bits & ~signOf(F32)) === 0n;
  bench.check(lines[1]!, [v1, v2, v0], v0, operands, (a, b) => (isZero(a!) || isZero(b!) ? 0n : multiplied(a!, b!)));
  bench.check(lines[1]!, [v1, v2, v0], v3, operands, (a, _b, c) => extremum(false, true, 11)(c!, a!));
  bench.check(lines[2]!, [v1, v2], v0, operands, (_a, b) => withModes(F32, 0, 3, difference)(0x3f800000n, b!));
  bench.check(lines[2]!, [v1, v2], v3, operands, (a, b) => fmaOf(b!, a!, TWO));
});

test.run();

import { assert, suite } from '../../support/suite.js';
import { div, F16, F32, F64, type Format, infinityBits, round, valueOf } from '../arithmetic/exact.js';
import { hardPatterns, Source } from '../arithmetic/patterns.js';
import { Bench, cross, isNaNBits, pair, quietBit, signOf, word } from './float-bench.js';

const test = suite('simulator/operations/float-division', { tests: 4, timeoutMs: 10_000 });

/** The correctly rounded quotient; NaNs as v_div_fixup has them. */
function quotient(a: bigint, b: bigint, f: Format): bigint {
  if (isNaNBits(a, f)) return a | quietBit(f);
  if (isNaNBits(b, f)) return b | quietBit(f);
  const result = round(div(valueOf(a, f), valueOf(b, f)), f, 0);
  return result === -1n ? signOf(f) | infinityBits(f) | quietBit(f) : result;
}

function operands(f: Format, count: number, seed: number): bigint[][] {
  const source = new Source(seed);
  const random = Array.from({ length: count }, () => [source.pattern(f), source.pattern(f)]);
  return [...cross([...hardPatterns(f), infinityBits(f) + 77n]), ...random];
}

/** As LLVM expands a division of v1 by v2 (numerator, denominator), the quotient to v0. */
const SEQUENCE_F32 = [
  'v_div_scale_f32 v3, s[4:5], v2, v2, v1',
  'v_rcp_f32 v4, v3',
  'v_div_scale_f32 v5, vcc, v1, v2, v1',
  'v_fma_f32 v6, -v3, v4, 1.0',
  'v_fma_f32 v4, v6, v4, v4',
  'v_mul_f32 v6, v5, v4',
  'v_fma_f32 v7, -v3, v6, v5',
  'v_fma_f32 v6, v7, v4, v6',
  'v_fma_f32 v3, -v3, v6, v5',
  'v_div_fmas_f32 v3, v3, v4, v6',
  'v_div_fixup_f32 v0, v3, v2, v1',
];

test('the division sequence of f32 rounds correctly', async () => {
  for (const [cpu, mask] of [['gfx906', 's[4:5]'], ['gfx1100', 's4']] as const) {
    const lines = SEQUENCE_F32.map((line) =>
      cpu === 'gfx906' ? line : line.replace('s[4:5]', mask).replace('vcc', 'vcc_lo'),
    );
    const bench = await Bench.of(cpu, lines);
    const whole = [lines[0]!, lines.at(-1)!] as const;
    bench.check(whole, [word(1), word(2)], word(0), operands(F32, 6000, 81), (a, b) => quotient(a!, b!, F32));
  } // prettier-ignore
});

test('the division sequence of f64 rounds correctly', async () => {
  const lines = [
    'v_div_scale_f64 v[8:9], s[4:5], v[4:5], v[4:5], v[2:3]',
    'v_rcp_f64 v[10:11], v[8:9]',
    'v_fma_f64 v[12:13], -v[8:9], v[10:11], 1.0',
    'v_fma_f64 v[10:11], v[10:11], v[12:13], v[10:11]',
    'v_fma_f64 v[16:17], -v[8:9], v[10:11], 1.0',
    'v_fma_f64 v[10:11], v[10:11], v[16:17], v[10:11]',
    'v_div_scale_f64 v[12:13], vcc, v[2:3], v[4:5], v[2:3]',
    'v_mul_f64 v[14:15], v[12:13], v[10:11]',
    'v_fma_f64 v[8:9], -v[8:9], v[14:15], v[12:13]',
    'v_div_fmas_f64 v[8:9], v[8:9], v[10:11], v[14:15]',
    'v_div_fixup_f64 v[0:1], v[8:9], v[4:5], v[2:3]',
  ];
  const bench = await Bench.of('gfx906', lines);
  const whole = [lines[0]!, lines.at(-1)!] as const;
  bench.check(whole, [pair(2), pair(4)], pair(0), operands(F64, 4000, 82), (a, b) => quotient(a!, b!, F64));
});

test('v_div_fixup_f16', async () => {
  const line = 'v_div_fixup_f16 v0, v1, v2, v3';
  const bench = await Bench.of('gfx906', [line]);
  const tuples = operands(F16, 3000, 83).map(([a, b]) => {
    const rounded = round(div(valueOf(a!, F16), valueOf(b!, F16)), F16, 0);
    return [rounded === -1n ? 0x7e00n : rounded & 0x7fffn, b!, a!];
  });
  const truth = (_q: bigint, b: bigint, a: bigint): bigint => quotient(a, b, F16);
  bench.check(line, [word(1), word(2), word(3)], word(0), tuples, truth, { before: 0n });
});

test('v_div_scale: what is scaled', async () => {
  const numerator = 'v_div_scale_f32 v0, vcc, v1, v2, v1';
  const denominator = 'v_div_scale_f32 v0, vcc, v2, v2, v1';
  const bench = await Bench.of('gfx906', [numerator, denominator]);
  const f32 = (x: number): bigint => BigInt(new Uint32Array(new Float32Array([x]).buffer)[0]!);
  const run = (a: number, b: number): bigint[] =>
    [numerator, denominator].map((line) => bench.run(line, [word(1), word(2)], word(0), [[f32(a), f32(b)]])[0]!);
  assert.equal(run(3, 7), [f32(3), f32(7)]);
  assert.equal(run(2 ** 100, 2 ** -20), [f32(2 ** 100), f32(2 ** 44)]);
  assert.equal(run(2 ** -120, 1), [f32(2 ** -56), f32(1)]);
  assert.equal(run(2 ** -110, 2 ** -100), [f32(2 ** -46), f32(2 ** -36)]);
  assert.equal(run(2 ** -20, 2 ** 90), [f32(2 ** 44), f32(2 ** 90)]);
  assert.equal(run(2 ** 126, 2 ** 127), [f32(2 ** 62), f32(2 ** 63)]);
  assert.equal(run(1, 0), [0x7fc00000n, 0x7fc00000n]);
});

test.run();

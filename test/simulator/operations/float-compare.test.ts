import { suite, assert } from '../../support/suite.js';
import { assemble, machine } from '../../support/simulator.js';
import { EXEC, VCC } from '../../../src/simulator/wave.js';
import { F16, F32, F64, type Format, type Rational, valueOf, infinityBits } from '../arithmetic/exact.js';
import { hardPatterns } from '../arithmetic/patterns.js';
import { cross, flushed, isNaNBits, isSignalling, signOf } from './float-bench.js';

const test = suite('simulator/operations/float-compare', { tests: 4, timeoutMs: 10_000 });

/** -1, 0, 1, or null where one is NaN. */
function order(a: bigint, b: bigint, f: Format): number | null {
  const [x, y] = [valueOf(a, f), valueOf(b, f)];
  if (x === 'nan' || y === 'nan') return null;
  if (typeof x === 'string' || typeof y === 'string') {
    const rank = (v: typeof x): number => (v === 'inf' ? 1 : v === '-inf' ? -1 : 0);
    return Math.sign(rank(x) - rank(y));
  }
  const difference = (x as Rational).n * (y as Rational).d - (y as Rational).n * (x as Rational).d;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** ISA documents, "Compare Operations": which of less, equal, greater, unordered are true. */
const TRUE_FOR: Readonly<Record<string, string>> = {
  f: '', lt: 'l', eq: 'e', le: 'le', gt: 'g', lg: 'lg', ge: 'eg', o: 'leg',
  u: 'u', nge: 'lu', nlg: 'eu', ngt: 'leu', nle: 'gu', neq: 'lgu', nlt: 'egu', tru: 'legu',
}; // prettier-ignore

const outcome = (a: bigint, b: bigint, f: Format): string => {
  const sign = order(a, b, f);
  return sign === null ? 'u' : sign < 0 ? 'l' : sign > 0 ? 'g' : 'e';
};

const FORMATS = [['f16', F16], ['f32', F32], ['f64', F64]] as const; // prettier-ignore
const register = (f: Format, at: number): string => (f === F64 ? `v[${2 * at}:${2 * at + 1}]` : `v${2 * at}`);

for (const [cpu, name] of [['gfx906', 'generation 9'], ['gfx1100', 'generation 11, halves in registers of their own']] as const)
  test(`all predicates of all formats: ${name}`, async () => {
    const predicates = Object.keys(TRUE_FOR);
    const suffix = (f: Format): string => (f === F16 && cpu === 'gfx1100' ? '.l' : '');
    const spelled = (predicate: string): string => (predicate === 'tru' && cpu === 'gfx1100' ? 't' : predicate);
    const lines = FORMATS.flatMap(([type, f]) =>
      predicates.map((each) => `v_cmp_${spelled(each)}_${type} vcc${cpu === 'gfx1100' ? '_lo' : ''}, ${register(f, 0)}${suffix(f)}, ${register(f, 1)}${suffix(f)}`),
    );
    const code = await assemble(cpu, lines);
    const { wave, vgpr } = machine(code);
    FORMATS.forEach(([, f], format) => {
      const hard = [...hardPatterns(f), infinityBits(f) + 5n].filter((_, at) => f === F32 || at % 2 === 0);
      const pairs = cross(hard);
      for (let start = 0; start < pairs.length; start += wave.size) {
        const batch = pairs.slice(start, start + wave.size);
        batch.forEach(([a, b], lane) => {
          for (const [at, bits] of [a!, b!].entries()) {
            wave.u32[vgpr(2 * at) + lane] = Number(bits & 0xffffffffn);
            wave.u32[vgpr(2 * at + 1) + lane] = Number(bits >> 32n);
          }
        });
        for (const denormals of [0, 3]) {
          wave.mode.denormF32 = denormals;
          wave.mode.denormF16F64 = denormals;
          wave.modeChanged();
          const input = (bits: bigint): bigint => (denormals === 0 ? flushed(bits, f) : bits);
          const outcomes = batch.map(([a, b]) => outcome(input(a!), input(b!), f));
          predicates.forEach((predicate, at) => {
            wave.u32[VCC] = 0xffffffff;
            code.steps[format * predicates.length + at]!(wave);
            outcomes.forEach((which, lane) => {
              const bit = (wave.u32[VCC + (lane >> 5)]! >>> (lane & 31)) & 1;
              const expected = TRUE_FOR[predicate]!.includes(which) ? 1 : 0;
              if (bit !== expected)
                assert.unreachable(`${lines[format * predicates.length + at]} of ${batch[lane]!.map((x) => x.toString(16)).join(', ')}`);
            });
          });
        }
      }
    });
  }); // prettier-ignore

/** Bit of the class in a v_cmp_class mask. */
function classOf(bits: bigint, f: Format): number {
  if (isSignalling(bits, f)) return 0;
  if (isNaNBits(bits, f)) return 1;
  const negative = bits >= signOf(f);
  const magnitude = bits & (signOf(f) - 1n);
  const kind = magnitude === infinityBits(f) ? 0 : magnitude >= 1n << BigInt(f.fraction) ? 1 : magnitude > 0n ? 2 : 3;
  return negative ? 2 + kind : 9 - kind;
}

test('class tests', async () => {
  const lines = FORMATS.map(
    ([type, f]) => `v_cmp_class_${type}_e64 s[2:3], ${f === F32 ? '-|v0|' : register(f, 0)}, v2`,
  );
  const code = await assemble('gfx906', lines);
  const { wave, vgpr } = machine(code);
  FORMATS.forEach(([, f], format) => {
    const hard = [...hardPatterns(f), infinityBits(f) + 5n, signOf(f) | (infinityBits(f) + 5n)];
    for (let bit = 0; bit < 10; bit++) {
      hard.slice(0, 64).forEach((bits, lane) => {
        wave.u32[vgpr(0) + lane] = Number(bits & 0xffffffffn);
        wave.u32[vgpr(1) + lane] = Number(bits >> 32n);
        wave.u32[vgpr(2) + lane] = lane % 3 === 0 ? ~(1 << bit) : 1 << bit;
      });
      code.steps[format]!(wave);
      hard.slice(0, 64).forEach((bits, lane) => {
        const seen = f === F32 ? bits | signOf(f) : bits;
        const expected = (classOf(seen, f) === bit) !== (lane % 3 === 0);
        const got = ((wave.u32[2 + (lane >> 5)]! >>> (lane & 31)) & 1) === 1;
        if (got !== expected) assert.unreachable(`${lines[format]} of ${bits.toString(16)}, bit ${bit}`);
      });
    }
  });
});

test('destinations, EXEC and v_cmpx', async () => {
  const older = ['v_cmp_lt_f32_e64 s[4:5], -v0, 1.0', 'v_cmpx_lt_f32 vcc, v0, v1', 'v_cmpx_gt_f32_e64 s[6:7], v0, v1'];
  const code = await assemble('gfx906', older);
  const { wave, vgpr } = machine(code, { exec: [0xffff00ff, 0xf0f0f0f0] });
  for (let lane = 0; lane < 64; lane++) {
    wave.f32[vgpr(0) + lane] = lane - 20;
    wave.f32[vgpr(1) + lane] = 10;
  }
  const words = (predicate: (lane: number) => boolean): [number, number] => {
    const result: [number, number] = [0, 0];
    for (let lane = 0; lane < 64; lane++) if (predicate(lane)) result[lane >> 5]! |= 1 << (lane & 31);
    return [result[0] >>> 0, result[1] >>> 0];
  };
  const active = (lane: number): boolean => (([0xffff00ff, 0xf0f0f0f0][lane >> 5]! >>> (lane & 31)) & 1) === 1;
  code.steps[0]!(wave);
  assert.equal(
    [wave.u32[4], wave.u32[5]],
    words((lane) => active(lane) && 20 - lane < 1),
  );
  code.steps[1]!(wave);
  const less = words((lane) => active(lane) && lane - 20 < 10);
  assert.equal([wave.u32[VCC], wave.u32[VCC + 1]], less);
  assert.equal([wave.u32[EXEC], wave.u32[EXEC + 1]], less);
  code.steps[2]!(wave);
  assert.equal([wave.u32[6], wave.u32[7], wave.u32[EXEC], wave.u32[EXEC + 1], wave.active], [0, 0, 0, 0, 0]);

  const newer = await assemble('gfx1100', ['v_cmpx_lt_f16 v0.h, v1.l', 'v_cmpx_class_f32_e64 v0, v1']);
  const m = machine(newer);
  m.wave.u32[VCC] = 0x12345678;
  for (let lane = 0; lane < 32; lane++) {
    m.wave.u32[m.vgpr(0) + lane] = lane % 2 === 0 ? 0x3c004000 : 0x40003c00;
    m.wave.u32[m.vgpr(1) + lane] = 0x3e00;
  }
  newer.steps[0]!(m.wave);
  assert.equal([m.wave.u32[EXEC], m.wave.u32[VCC], m.wave.active], [0x55555555, 0x12345678, 16]);
});

test.run();

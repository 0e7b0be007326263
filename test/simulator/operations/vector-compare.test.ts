/** Integer comparisons: lane masks in VCC and SGPRs, and the forms that write EXEC. */
import { assemble, execute, machine } from '../../support/simulator.js';
import { assert, suite } from '../../support/suite.js';
import { checkVector, low, pairs32, pairs64, randomInputs, signed, type VectorCase } from './vector-cases.js';

const test = suite('simulator/operations/vector-compare', { tests: 7 });

const CONDITIONS: Record<string, (a: bigint, b: bigint) => boolean> = {
  lt: (a, b) => a < b,
  eq: (a, b) => a === b,
  le: (a, b) => !(b < a),
  gt: (a, b) => b < a,
  ne: (a, b) => a !== b,
  ge: (a, b) => !(a < b),
};
const CONSTANT: typeof CONDITIONS = { f: () => false, t: () => true };

const table = (types: readonly string[], conditions: typeof CONDITIONS): VectorCase[] =>
  types.flatMap((type) => {
    const bits = Number(type.slice(1));
    const as = (value: bigint): bigint => (type.startsWith('i') ? signed(low(value, bits), bits) : low(value, bits));
    const operands = bits === 64 ? '$A, $B' : '$a, $b';
    return Object.entries(conditions).map(([name, holds]) => ({
      text: `v_cmp_${name}_${type}_e64 $m, ${operands}`,
      mask: ({ a, b }) => holds(as(a), as(b)),
    }));
  });

const TYPES = ['u32', 'i32', 'u16', 'i16'];

test('words and halves', async () => {
  const inputs = [...pairs32(), ...pairs32().map(([a]) => [a, a, 0n] as const), ...randomInputs(128)];
  await checkVector({ cpu: 'gfx906', cases: table(TYPES, CONDITIONS), inputs });
  await checkVector({ cpu: 'gfx906', cases: table(TYPES, CONSTANT), inputs: inputs.slice(0, 64) });
  await checkVector({ cpu: 'gfx1100', cases: table(TYPES, CONDITIONS), inputs });
}); // prettier-ignore

test('64 bits', async () => {
  const inputs = [...pairs64(), ...randomInputs(128)];
  for (const cpu of ['gfx906', 'gfx1030', 'gfx1100'])
    await checkVector({ cpu, cases: table(['u64', 'i64'], { ...CONDITIONS, ...CONSTANT }), inputs });
});

test('bits of inactive lanes are 0', async () => {
  const inputs = randomInputs(128);
  const all = table(['u32', 'i64'], { ...CONDITIONS, ...CONSTANT });
  await checkVector({ cpu: 'gfx906', cases: all, inputs, exec: [0x8421_8421, 0x1248_1248] });
  await checkVector({ cpu: 'gfx906', cases: all, inputs, exec: [0, 0] });
  await checkVector({ cpu: 'gfx1030', waveSize: 64, cases: all, inputs, exec: [0, 0x1248_1248] });
});

test('halves of gfx1100 and constants', async () => {
  const holds = (a: bigint, b: bigint): boolean => signed(a >> 16n, 16) < signed(low(b, 16), 16);
  const cases: VectorCase[] = [
    { text: 'v_cmp_lt_i16_e64 $m, $a.h, $b.l', mask: ({ a, b }) => holds(a, b) },
    { text: 'v_cmp_gt_i16_e64 $m, -3, $b.h', mask: ({ b }) => -3n > signed(b >> 16n, 16) },
    { text: 'v_cmp_gt_u32_e64 $m, $a, 64', mask: ({ a }) => a > 64n },
    { text: 'v_cmp_gt_u64_e64 $m, $A, -1', mask: () => false },
    { text: 'v_cmp_lt_i64_e64 $m, $A, 0', mask: ({ a }) => a >= 2n ** 63n },
  ];
  await checkVector({ cpu: 'gfx1100', cases, inputs: [...pairs32(), ...pairs64(), ...randomInputs(64)] });
});

/** v0 holds the lane's number. */
async function run(cpu: string, lines: readonly string[], exec: readonly [number, number], waveSize?: 32 | 64) {
  const m = machine(await assemble(cpu, lines, waveSize), { exec });
  for (let lane = 0; lane < m.wave.size; lane++) m.wave.u32[m.vgpr(0) + lane] = lane;
  m.wave.u32.fill(0xffffffff, 4, 8);
  m.wave.u32.fill(0xffffffff, 106, 108);
  execute(m);
  return m;
}

test('v_cmpx of generation 9 writes its mask and EXEC', async () => {
  const m = await run(
    'gfx906',
    [
      'v_cmpx_gt_u32_e64 s[4:5], 40, v0',
      'v_mov_b32 v1, 1',
      'v_cmpx_lt_u32_e32 vcc, 7, v0',
      'v_mov_b32 v2, 1',
      'v_cmpx_eq_u32_sdwa s[6:7], v0, v0 src0_sel:BYTE_0 src1_sel:BYTE_1',
      'v_mov_b32 v3, 1',
    ],
    [0x7fff_ffff, -1],
  );
  const { u32 } = m.wave;
  assert.equal([u32[4], u32[5]], [0x7fff_ffff, 0xff]);
  assert.equal([u32[106], u32[107]], [0x7fff_ff00, 0xff]);
  assert.equal([u32[6], u32[7], u32[126], u32[127]], [0, 0, 0, 0]);
  const written = (register: number): number[] =>
    Array.from({ length: 64 }, (_, lane) => lane).filter((lane) => u32[m.vgpr(register) + lane] === 1);
  const upTo = (from: number, end: number): number[] =>
    Array.from({ length: end - from }, (_, at) => from + at).filter((lane) => lane !== 31);
  assert.equal(written(1), upTo(0, 40));
  assert.equal(written(2), upTo(8, 40));
  assert.equal(written(3), []);
});

test('v_cmpx of later generations writes EXEC alone', async () => {
  for (const [cpu, size] of [['gfx1030', 32], ['gfx1030', 64], ['gfx1100', 32]] as const) {
    const lines = ['v_cmpx_gt_u32_e32 20, v0', 'v_mov_b32 v1, 1', 'v_cmpx_lt_u32_e64 v0, 5', 'v_mov_b32 v2, 1'];
    const { wave, vgpr } = await run(cpu, lines, [-1, -1], size);
    assert.equal([wave.u32[126], wave.u32[106], wave.u32[107]], [0x1f, 0xffffffff, 0xffffffff]);
    assert.is(wave.u32.subarray(vgpr(1), vgpr(2)).reduce((sum, word) => sum + word, 0), 20);
    assert.is(wave.u32.subarray(vgpr(2), vgpr(3)).reduce((sum, word) => sum + word, 0), 5);
    assert.is(wave.active, 5);
  }
}); // prettier-ignore

test('EXEC as the destination of v_cmp; VCC of 32 lanes is one word', async () => {
  const lines = ['v_cmp_gt_u32_e32 vcc_lo, 3, v0', 'v_cmp_lt_u32_e64 exec_lo, 3, v0', 'v_mov_b32 v1, 1'];
  const { wave, vgpr } = await run('gfx1100', lines, [0xffff, 0]);
  assert.equal([wave.u32[106], wave.u32[107], wave.u32[126]], [7, 0xffffffff, 0xfff0]);
  assert.is(
    wave.u32.subarray(vgpr(1), vgpr(2)).reduce((sum, word) => sum + word, 0),
    12,
  );
});

test.run();

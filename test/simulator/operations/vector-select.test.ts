/** Selections and moves: lane masks, signs of floats, exchanges, registers that M0 selects. */
import { assemble, execute, machine, type Machine } from '../../support/simulator.js';
import { assert, suite } from '../../support/suite.js';
import { cases, checkVector, low, OLD, pairs32, randomInputs } from './vector-cases.js';

const test = suite('simulator/operations/vector-select', { tests: 6 });

const SIGN = 0x8000_0000n;
const INPUTS = [...pairs32().slice(0, 256), ...randomInputs(128)];

test('v_cndmask_b32 by VCC and by SGPRs, with signs', async () => {
  const table = cases({
    'v_cndmask_b32_e32 $d, $a, $b, vcc': ({ a, b, carry }) => (carry === 1n ? b : a),
    'v_cndmask_b32_e64 $d, $a, $b, $i': ({ a, b, carry }) => (carry === 1n ? b : a),
    'v_cndmask_b32_e64 $d, 0, 1, $i': ({ carry }) => carry,
    'v_cndmask_b32_e64 $d, 0, -1.0, $i': ({ carry }) => (carry === 1n ? 0xbf80_0000n : 0n),
    'v_cndmask_b32_e64 $d, -$a, |$b|, $i': ({ a, b, carry }) => (carry === 1n ? b & ~SIGN : a ^ SIGN),
    'v_cndmask_b32_e64 $d, -|$a|, $b, $i': ({ a, b, carry }) => (carry === 1n ? b : a | SIGN),
  });
  await checkVector({ cpu: 'gfx906', cases: table, inputs: INPUTS });
  await checkVector({ cpu: 'gfx906', cases: table, inputs: INPUTS, exec: [0x00ff_ff01, 0xf000_000f] });
  const short = table.map((each) => ({ ...each, text: each.text.replace('vcc', 'vcc_lo') }));
  await checkVector({ cpu: 'gfx1100', cases: short, inputs: INPUTS });
  await checkVector({ cpu: 'gfx1100', waveSize: 64, cases: table, inputs: INPUTS });
});

test('v_cndmask_b16', async () => {
  const into = (half: bigint): bigint => (OLD & 0xffff_0000n) | low(half, 16);
  const table = cases({
    'v_cndmask_b16 $d.l, $a.h, $b.l, $i': ({ a, b, carry }) => into(carry === 1n ? b : a >> 16n),
    'v_cndmask_b16 $d.l, -$a.l, |$b.h|, $i': ({ a, b, carry }) =>
      into(carry === 1n ? (b >> 16n) & 0x7fffn : a ^ 0x8000n),
    'v_cndmask_b16 $d.h, $a.l, $b.l, $i': ({ a, b, carry }) => (low(carry === 1n ? b : a, 16) << 16n) | low(OLD, 16),
  });
  await checkVector({ cpu: 'gfx1100', cases: table, inputs: INPUTS });
});

test('moves', async () => {
  const table = cases({
    'v_mov_b32 $d, $a': ({ a }) => a,
    'v_mov_b32 $d, 0x12345678': () => 0x1234_5678n,
    'v_mov_b32 $d, -16': () => -16n,
    'v_mov_b32 $d, 0.5': () => 0x3f00_0000n,
    'v_mov_b32 $d, s2': () => 0x9669_c33cn,
  });
  for (const cpu of ['gfx906', 'gfx1100'])
    await checkVector({ cpu, cases: table, inputs: INPUTS, exec: [0x7fff_fff1, -8] });
});

/** Register r of lane l holds 256 r + l. */
async function numbered(cpu: string, lines: readonly string[], m0 = 0, exec?: readonly [number, number]) {
  const m = machine(await assemble(cpu, lines), exec === undefined ? {} : { exec });
  for (let register = 0; register < 64; register++)
    for (let lane = 0; lane < m.wave.size; lane++) m.wave.u32[m.vgpr(register) + lane] = 256 * register + lane;
  m.wave.u32[124] = m0;
  execute(m);
  return m;
}
const at = ({ wave, vgpr }: Machine, register: number, lane: number): number => wave.u32[vgpr(register) + lane]!;

test('exchanges', async () => {
  const words = await numbered('gfx906', ['v_swap_b32 v0, v1'], 0, [0xffff_fff0, -1]);
  assert.equal([at(words, 0, 5), at(words, 1, 5)], [256 + 5, 5]);
  assert.equal([at(words, 0, 3), at(words, 1, 3)], [3, 256 + 3]);
  const halves = await numbered('gfx1100', ['v_swap_b16 v0.h, v1.l', 'v_swap_b16 v2.l, v2.h'], 0, [-2, 0]);
  assert.equal([at(halves, 0, 7), at(halves, 1, 7), at(halves, 2, 7)], [(263 << 16) | 7, 0, 519 << 16]);
  assert.equal([at(halves, 0, 0), at(halves, 1, 0)], [0, 256]);
});

test('registers relative to M0', async () => {
  const lines = ['v_movrels_b32 v40, v2', 'v_movreld_b32 v41, v3', 'v_movreld_b32 v46, 7', 'v_movrelsd_b32 v50, v4'];
  const one = await numbered('gfx1030', lines, 3);
  assert.equal([at(one, 40, 9), at(one, 44, 9), at(one, 49, 9)], [5 * 256 + 9, 3 * 256 + 9, 7]);
  assert.is(at(one, 53, 9), 7 * 256 + 9);
  const two = await numbered('gfx1030', ['v_movrelsd_2_b32 v40, v2', 'v_swaprel_b32 v50, v10'], (5 << 16) | 3);
  assert.equal([at(two, 45, 1), at(two, 55, 1), at(two, 13, 1)], [5 * 256 + 1, 13 * 256 + 1, 55 * 256 + 1]);
});

test('a register number beyond the file is an error', async () => {
  await numbered('gfx1030', ['v_movrels_b32 v40, v2'], 300).then(
    () => assert.unreachable(),
    (error: unknown) => assert.match(String(error), /M0 leads to vector register 302/),
  );
});

test.run();

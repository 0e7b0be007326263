/** Additions and subtractions with carries: results, carries out, and where inactive lanes are in them. */
import { assemble, execute, machine } from '../../support/simulator.js';
import { assert, suite } from '../../support/suite.js';
import { checkVector, clamp, pairs32, randomInputs, type Lane, type VectorCase } from './vector-cases.js';

const test = suite('simulator/operations/vector-carry', { tests: 4 });

const MODULUS = 2n ** 32n;
const isOutside = (value: bigint): boolean => value < 0n || value >= MODULUS;

const OPERATIONS: readonly [gfx9: string, later: string, takesCarry: boolean, exact: (lane: Lane) => bigint][] = [
  ['v_add_co_u32', 'v_add_co_u32', false, ({ a, b }) => a + b],
  ['v_sub_co_u32', 'v_sub_co_u32', false, ({ a, b }) => a - b],
  ['v_subrev_co_u32', 'v_subrev_co_u32', false, ({ a, b }) => b - a],
  ['v_addc_co_u32', 'v_add_co_ci_u32', true, ({ a, b, carry }) => a + b + carry],
  ['v_subb_co_u32', 'v_sub_co_ci_u32', true, ({ a, b, carry }) => a - b - carry],
  ['v_subbrev_co_u32', 'v_subrev_co_ci_u32', true, ({ a, b, carry }) => b - a - carry],
];

function table(generation: 'gfx9' | 'later'): VectorCase[] {
  return OPERATIONS.flatMap(([gfx9, later, takesCarry, exact]) => {
    const text = `${generation === 'gfx9' ? gfx9 : later}_e64 $d, $m, $a, $b${takesCarry ? ', $i' : ''}`;
    const mask = (lane: Lane): boolean => isOutside(exact(lane));
    return [
      { text, result: exact, mask },
      { text: `${text} clamp`, result: (lane: Lane): bigint => clamp(exact(lane), 0n, MODULUS - 1n), mask },
    ];
  });
}

const INPUTS = [...pairs32(), ...randomInputs(256)];

test('gfx906, all lanes and some', async () => {
  await checkVector({ cpu: 'gfx906', cases: table('gfx9'), inputs: INPUTS });
  for (const exec of [[0x0ff0_1234, 0x8000_0001], [0, 0]] as const)
    await checkVector({ cpu: 'gfx906', cases: table('gfx9'), inputs: INPUTS.slice(0, 128), exec });
}); // prettier-ignore

test('gfx1100 with 32 lanes, gfx1030 with 64', async () => {
  await checkVector({ cpu: 'gfx1100', cases: table('later'), inputs: INPUTS, exec: [0xffff_0ff1, 0] });
  await checkVector({ cpu: 'gfx1030', waveSize: 64, cases: table('later'), inputs: INPUTS, exec: [-1, 0x0fff_ff01] });
});

test('a 64-bit sum through VCC, with results over the operands', async () => {
  const code = await assemble('gfx906', ['v_add_co_u32_e32 v0, vcc, v0, v2', 'v_addc_co_u32_e32 v1, vcc, v1, v3, vcc']);
  const m = machine(code, { exec: [-1, 0x7fff_ffff] });
  const { u32 } = m.wave;
  for (let lane = 0; lane < 64; lane++)
    [0xffff_fff0, 0xffff_fffe, lane, lane >> 5].forEach((value, register) => {
      u32[m.vgpr(register) + lane] = value;
    });
  execute(m);
  for (let lane = 0; lane < 63; lane++) {
    const sum = 0xffff_fffe_ffff_fff0n + ((BigInt(lane >> 5) << 32n) | BigInt(lane));
    const got = (BigInt(u32[m.vgpr(1) + lane]!) << 32n) | BigInt(u32[m.vgpr(0) + lane]!);
    assert.is(got, BigInt.asUintN(64, sum));
  }
  // The upper sums carry from lane 32 on: 0xfffffffe + 1 + 1. Lane 63 is not active.
  assert.is(u32[106], 0);
  assert.is(u32[107], 0x7fff_ffff);
  assert.is(u32[m.vgpr(0) + 63], 0xffff_fff0);
});

test('the carry goes where it came from, into EXEC, or nowhere', async () => {
  const code = await assemble('gfx1100', [
    'v_add_co_ci_u32_e64 v1, s4, v0, v0, s4',
    'v_add_co_u32 v2, null, v0, v0',
    'v_sub_co_u32 v3, exec_lo, v0, v4',
    'v_mov_b32 v5, 1',
  ]);
  const m = machine(code, { exec: [0x0000_ffff, 0] });
  const { u32 } = m.wave;
  u32[4] = 0xaaaa_aaaa;
  u32.fill(0x8000_0000, m.vgpr(0), m.vgpr(0) + 8);
  u32.fill(1, m.vgpr(4), m.vgpr(4) + 32);
  execute(m);
  assert.is(u32[4], 0xff, 'v0 + v0 carries in lanes 0 to 7');
  assert.is(u32[m.vgpr(1) + 1], 1);
  assert.is(u32[m.vgpr(1) + 2], 0);
  // 0 - 1 borrows in the lanes where v0 is 0.
  assert.is(u32[126], 0xff00);
  assert.is(u32[m.vgpr(5) + 7], 0);
  assert.is(u32[m.vgpr(5) + 8], 1);
  assert.is(u32[m.vgpr(5) + 16], 0);
});

test.run();

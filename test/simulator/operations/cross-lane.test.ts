/** Values that move between lanes by register. */
import { assemble, execute, machine, type Machine, type MachineOptions } from '../../support/simulator.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('simulator/operations/cross-lane', { tests: 7 });

/** v0 of lane l holds 1000 + l, v1 2000 + l. */
async function prepared(cpu: string, lines: readonly string[], options: MachineOptions, size?: 32 | 64) {
  const m = machine(await assemble(cpu, lines, size), options);
  for (let lane = 0; lane < m.wave.size; lane++) {
    m.wave.u32[m.vgpr(0) + lane] = 1000 + lane;
    m.wave.u32[m.vgpr(1) + lane] = 2000 + lane;
  }
  return m;
}
const lanes = ({ wave, vgpr }: Machine, register: number): number[] =>
  Array.from(wave.u32.subarray(vgpr(register), vgpr(register) + wave.size));
const numbers = (count: number): number[] => Array.from({ length: count }, (_, lane) => lane);
const isActive = ([low, high]: readonly [number, number], lane: number): boolean =>
  (((lane < 32 ? low : high) >>> (lane & 31)) & 1) !== 0;

test('v_readfirstlane: the first active lane, lane 0 when there is none', async () => {
  for (const [exec, lane] of [[[-1, -1], 0], [[0, 0x30], 36], [[0x8000_0000, -1], 31], [[0, 0], 0]] as const) {
    const m = await prepared('gfx906', ['v_readfirstlane_b32 s4, v0'], { exec });
    execute(m);
    assert.is(m.wave.u32[4], 1000 + lane);
  }
}); // prettier-ignore

test('v_readlane and v_writelane do not look at EXEC', async () => {
  const lines = [
    'v_readlane_b32 s4, v0, 37',
    'v_readlane_b32 s5, v0, s8',
    'v_writelane_b32 v1, s4, 61',
    'v_writelane_b32 v1, 7, s8',
    'v_readlane_b32 vcc_hi, v1, m0',
  ];
  const m = await prepared('gfx906', lines, { exec: [0, 0] });
  m.wave.u32[8] = 64 + 5;
  m.wave.u32[124] = 61;
  execute(m);
  assert.equal([m.wave.u32[4], m.wave.u32[5], m.wave.u32[107]], [1037, 1005, 1037]);
  assert.equal(
    lanes(m, 1),
    numbers(64).map((lane) => (lane === 61 ? 1037 : lane === 5 ? 7 : 2000 + lane)),
  );
});

test('lane numbers count modulo the wave; EXEC as a destination', async () => {
  const lines = ['v_readlane_b32 s4, v0, 37', 'v_writelane_b32 v1, 9, s8', 'v_readlane_b32 exec_lo, v0, 0', 'v_mov_b32 v1, 3'];
  const m = await prepared('gfx1100', lines, {});
  m.wave.u32[8] = 33;
  execute(m);
  assert.equal([m.wave.u32[4], m.wave.u32[126]], [1005, 1000]);
  const expected = (lane: number): number => (isActive([1000, 0], lane) ? 3 : lane === 1 ? 9 : 2000 + lane);
  assert.equal(lanes(m, 1), numbers(32).map(expected));
}); // prettier-ignore

/** The permutation that the tests use: lane i of a row reads lane (7 i + 3) mod 16. */
const within = (lane: number): number => (7 * (lane % 16) + 3) % 16;
const SELECTS = [0, 8].map((first) => numbers(8).reduce((word, at) => word + within(first + at) * 16 ** at, 0));

test('v_permlane16 and v_permlanex16', async () => {
  for (const [cpu, size] of [['gfx1030', 32], ['gfx1030', 64], ['gfx1100', 32]] as const) {
    const lines = ['v_permlane16_b32 v2, v0, s4, s5', 'v_permlanex16_b32 v3, v0, s4, s5', 'v_permlane16_b32 v0, v0, s4, s5'];
    const m = await prepared(cpu, lines, {}, size);
    m.wave.u32.set(SELECTS, 4);
    execute(m);
    const row = (lane: number): number => Math.floor(lane / 16) * 16;
    assert.equal(lanes(m, 2), numbers(size).map((lane) => 1000 + row(lane) + within(lane)));
    assert.equal(lanes(m, 3), numbers(size).map((lane) => 1000 + (row(lane) ^ 16) + within(lane)));
    assert.equal(lanes(m, 0), lanes(m, 2));
  }
}); // prettier-ignore

test('inactive lanes of v_permlane16', async () => {
  const exec = [0x5a3c_f00f, 0] as const;
  const lines = [
    'v_mov_b32 v2, v1', 'v_mov_b32 v3, v1', 'v_mov_b32 v4, v1',
    'v_permlane16_b32 v2, v0, s4, s5',
    'v_permlane16_b32 v3, v0, s4, s5 op_sel:[0,1]',
    'v_permlanex16_b32 v4, v0, s4, s5 op_sel:[1,0]',
  ]; // prettier-ignore
  const m = await prepared('gfx1100', lines, { exec });
  m.wave.u32.set(SELECTS, 4);
  execute(m);
  const from = (lane: number): number => (lane & 16) + within(lane);
  const result = (absent: (lane: number) => number) => (lane: number) =>
    !isActive(exec, lane) ? 0 : isActive(exec, from(lane)) ? 1000 + from(lane) : absent(lane);
  assert.equal(lanes(m, 2), numbers(32).map(result((lane) => 2000 + lane)), 'kept');
  assert.equal(lanes(m, 3), numbers(32).map(result(() => 0)), 'bound control');
  const fetched = (lane: number): number => (isActive(exec, lane) ? 1000 + (from(lane) ^ 16) : 0);
  assert.equal(lanes(m, 4), numbers(32).map(fetched), 'fetch inactive');
}); // prettier-ignore

test('v_permlane64 exchanges halves, also with inactive lanes', async () => {
  const m = await prepared('gfx1100', ['v_permlane64_b32 v1, v0'], { exec: [0x0000_ffff, 0x0001_0000] }, 64);
  execute(m);
  const active = (lane: number): boolean => lane < 16 || lane === 48;
  assert.equal(lanes(m, 1), numbers(64).map((lane) => (active(lane) ? 1000 + ((lane + 32) % 64) : 2000 + lane)));
}); // prettier-ignore

test('v_permlane64 does nothing in a wave of 32', async () => {
  const m = await prepared('gfx1100', ['v_permlane64_b32 v1, v0'], {});
  execute(m);
  assert.equal(lanes(m, 1), numbers(32).map((lane) => 2000 + lane)); // prettier-ignore
});

test.run();

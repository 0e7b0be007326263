/** Dual-issue instructions of RDNA 3: both halves read before either writes. */
import { assemble, execute, machine, type Machine } from '../support/simulator.js';
import { assert, suite } from '../support/suite.js';

const test = suite('simulator/vopd', { tests: 5 });

/** Register r of lane l holds 256 r + l. */
async function run(
  lines: readonly string[],
  exec: readonly [number, number] = [-1, 0],
  prepare?: (m: Machine) => void,
) {
  const m = machine(await assemble('gfx1100', lines), { exec });
  for (let register = 0; register < 16; register++)
    for (let lane = 0; lane < 32; lane++) m.wave.u32[m.vgpr(register) + lane] = 256 * register + lane;
  prepare?.(m);
  execute(m);
  return (register: number, lane: number): number => m.wave.u32[m.vgpr(register) + lane]!;
}

test('the second half reads what the first overwrites', async () => {
  const at = await run(['v_dual_mov_b32 v0, v1 :: v_dual_add_nc_u32 v1, v0, v0']);
  for (let lane = 0; lane < 32; lane++) assert.equal([at(0, lane), at(1, lane)], [256 + lane, 2 * lane]);
});

test('the first half reads what the second overwrites', async () => {
  const at = await run(['v_dual_mov_b32 v2, v1 :: v_dual_lshlrev_b32 v1, v0, v2']);
  for (let lane = 0; lane < 32; lane++)
    assert.equal([at(2, lane), at(1, lane)], [256 + lane, ((512 + lane) << lane) >>> 0]);
});

test('literals, scalars, inactive lanes', async () => {
  const lines = [
    'v_dual_mov_b32 v0, 0x1234567 :: v_dual_and_b32 v3, 0x1234567, v1',
    'v_dual_mov_b32 v4, s2 :: v_dual_mov_b32 v5, -7',
  ];
  const at = await run(lines, [0xf0, 0], (m) => {
    m.wave.u32[2] = 77;
  });
  assert.equal([at(0, 4), at(3, 4), at(4, 4), at(5, 4)], [0x1234567, 0x1234567 & 260, 77, 0xffff_fff9]);
  assert.equal([at(0, 3), at(3, 3), at(4, 3), at(5, 3)], [3, 771, 1027, 1283]);
});

test('v_dual_cndmask_b32 takes VCC in both halves', async () => {
  const lines = ['v_dual_cndmask_b32 v0, v1, v2 :: v_dual_cndmask_b32 v3, v4, v5'];
  const at = await run(lines, [-1, 0], (m) => {
    m.wave.u32[106] = 0xaaaa_aaaa;
  });
  assert.equal([at(0, 8), at(3, 8), at(0, 9), at(3, 9)], [256 + 8, 1024 + 8, 512 + 9, 1280 + 9]);
});

test('accumulators are the destinations', async () => {
  const lines = ['v_dual_fmac_f32 v0, v1, v2 :: v_dual_fmac_f32 v3, v4, v5'];
  const m = machine(await assemble('gfx1100', lines));
  [1, 2, 3, 4, 5, 6].forEach((value, register) => m.wave.f32.fill(value, m.vgpr(register), m.vgpr(register) + 32));
  execute(m);
  assert.equal([m.wave.f32[m.vgpr(0) + 7], m.wave.f32[m.vgpr(3) + 7]], [1 + 2 * 3, 4 + 5 * 6]);
});

test.run();

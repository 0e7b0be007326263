/** Which counter an instruction belongs to, and what is computed from counts. */
import { classOf, countersOf, sumCounters, type Counters } from '../../src/simulator/counters.js';
import { assemble } from '../support/simulator.js';
import { assert, suite } from '../support/suite.js';

const test = suite('simulator/counters', { tests: 4 });

async function classes(cpu: string, lines: readonly string[]): Promise<string[]> {
  const { program } = await assemble(cpu, lines);
  return program.instructions.slice(0, lines.length).map((instruction) => classOf(instruction!));
}

test('classes on gfx906', async () => {
  const expected: readonly (readonly [string, string])[] = [
    ['v_add_u32 v0, v1, v2', 'valu'],
    ['v_mov_b32_sdwa v0, v1 dst_sel:BYTE_0', 'valu'],
    ['v_cmp_eq_u32 vcc, v0, v1', 'valu'],
    ['v_readfirstlane_b32 s0, v0', 'valu'],
    ['s_add_u32 s0, s1, s2', 'salu'],
    ['s_movk_i32 s0, 5', 'salu'],
    ['s_cmp_eq_u32 s0, s1', 'salu'],
    ['s_and_saveexec_b64 s[0:1], vcc', 'salu'],
    ['s_load_dword s0, s[2:3], 0x0', 'smem'],
    ['ds_read_b32 v0, v1', 'lds'],
    ['ds_bpermute_b32 v0, v1, v2', 'lds'],
    ['global_load_dword v0, v[2:3], off', 'vmemRead'],
    ['flat_load_dword v0, v[2:3]', 'vmemRead'],
    ['buffer_load_dword v0, off, s[0:3], 0', 'vmemRead'],
    ['scratch_store_dword off, v0, s0', 'vmemWrite'],
    ['buffer_store_dword v0, off, s[0:3], 0', 'vmemWrite'],
    ['global_atomic_add v[2:3], v0, off', 'vmemWrite'],
    ['global_atomic_add v1, v[2:3], v0, off glc', 'vmemRead'],
    ['buffer_atomic_add v0, off, s[0:3], 0', 'vmemWrite'],
    ['buffer_atomic_add v0, off, s[0:3], 0 glc', 'vmemRead'],
    ['buffer_wbinvl1_vol', 'vmemOther'],
    ['s_cbranch_scc1 0', 'branch'],
    ['s_setpc_b64 s[0:1]', 'branch'],
    ['s_barrier', 'barrier'],
    ['s_waitcnt vmcnt(0)', 'other'],
    ['s_nop 0', 'other'],
    ['s_endpgm', 'other'],
  ];
  const found = await classes(
    'gfx906',
    expected.map(([line]) => line),
  );
  assert.equal(
    expected.map(([line], index) => [line, found[index]]),
    expected,
  );
});

test('classes on gfx1100', async () => {
  const lines = ['v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v3, v2', 'global_load_b32 v0, v[2:3], off', 'buffer_gl0_inv'];
  assert.equal(await classes('gfx1100', lines), ['valu', 'vmemRead', 'vmemOther']);
  assert.equal(await classes('gfx1100', ['s_delay_alu instid0(VALU_DEP_1)', 's_waitcnt_vscnt null, 0x0']), [
    'other',
    'other',
  ]);
});

test('sums over instructions; FLAT counts in two places', async () => {
  const code = await assemble('gfx906', [
    'v_mov_b32 v0, v1',
    'global_load_dword v0, v[2:3], off',
    'ds_read_b32 v0, v1',
  ]);
  const counters = countersOf(
    code.program,
    {
      executed: Float64Array.of(10, 4, 2, 1),
      lanes: Float64Array.of(320, 256, 128, 64),
      transactions: Float64Array.of(0, 40, 7, 0),
    },
    { waves: 1, waveSize: 64, ldsBankConflicts: 3 },
  );
  assert.equal(
    [counters.valu, counters.vmemRead, counters.flat, counters.lds, counters.cacheLines, counters.instructions],
    [10, 4, 4, 2, 40, 17],
  );
  assert.is(counters.activeLanes, 320);
  assert.is(counters.valuUtilization, 50);
  assert.is(counters.ldsBankConflicts, 3);
});

test('counters of several launches', () => {
  const one = { waves: 1, valu: 10, activeLanes: 320, valuUtilization: 50 } as Counters;
  const two = { waves: 2, valu: 30, activeLanes: 1920, valuUtilization: 100 } as Counters;
  const sum = sumCounters([one, two]);
  assert.equal([sum.waves, sum.valu, sum.activeLanes, sum.valuUtilization], [3, 40, 2240, 87.5]);
});

test.run();

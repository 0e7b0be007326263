import { assemble, execute, machine } from '../support/simulator.js';
import { suite } from '../support/suite.js';
import * as assert from 'uvu/assert';

const test = suite('simulator/smoke', { tests: 1 });

test('an addition with DPP and SDWA', async () => {
  const code = await assemble('gfx906', [
    'v_lshlrev_b32_e32 v1, 2, v0',
    'v_add_u32_sdwa v2, v0, v1 dst_sel:DWORD src0_sel:BYTE_0 src1_sel:DWORD',
    'v_mov_b32_dpp v3, v2 row_shr:1 row_mask:0xf bank_mask:0xf',
  ]);
  const m = machine(code);
  for (let lane = 0; lane < 64; lane++) m.wave.i32[m.vgpr(0) + lane] = lane + 0x100;
  execute(m);
  assert.is(m.wave.i32[m.vgpr(2) + 5], 4 * 0x105 + 5);
  assert.is(m.wave.i32[m.vgpr(3) + 6], 4 * 0x105 + 5);
  assert.is(m.wave.i32[m.vgpr(3) + 16], 0);
});

test.run();

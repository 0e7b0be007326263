/** Traces of a few instructions whose cycles are counted by hand, from the model of docs/cycle-model.md. */
import * as assert from 'uvu/assert';
import { GlobalMemory } from '../../../src/simulator/memory.js';
import { Lds } from '../../../src/simulator/lds.js';
import { simulatedTarget } from '../../../src/simulator/target.js';
import { makeTimingModel } from '../../../src/simulator/timing/model.js';
import { RegisterFile, Wave } from '../../../src/simulator/wave.js';
import { ExecutionCounts, runWorkgroup, WaveTrace } from '../../../src/simulator/workgroup.js';
import { assemble } from '../../support/simulator.js';
import { suite } from '../../support/suite.js';
import { cycles, resources, run } from './traces.js';

const test = suite('simulator/timing/replay', { tests: 16 });

const ADD = 'v_add_f32 v0, v1, v2';

test('GCN: a wave issues every fourth cycle, whatever depends on what', async () => {
  assert.is(await cycles('gfx906', [ADD, 'v_add_f32 v0, v0, v0', 'v_add_f32 v0, v0, v0']), 4 * 4);
});

test('GCN: slow operations keep the unit', async () => {
  // At 0 and 16; the end at 20.
  assert.is(await cycles('gfx906', ['v_exp_f32 v0, v1', ADD]), 24);
  assert.is(await cycles('gfx906', ['v_mul_lo_u32 v0, v1, v2', ADD]), 24);
  const f64 = ['v_fma_f64 v[0:1], v[2:3], v[4:5], v[6:7]', ADD];
  assert.is(await cycles('gfx906', f64), 16);
  assert.is(await cycles('gfx90a', f64), 12);
  assert.is(await cycles('gfx942', f64), 12);
  // Another unit may take an instruction meanwhile.
  assert.is(await cycles('gfx906', ['v_exp_f32 v0, v1', 's_mov_b32 s0, 1']), 12);
});

test('RDNA: a dependent instruction waits five cycles, another one does not', async () => {
  // 0, 5, 10, the end at 11.
  assert.is(await cycles('gfx1100', [ADD, 'v_add_f32 v0, v0, v0', 'v_add_f32 v0, v0, v0']), 12);
  assert.is(await cycles('gfx1100', [ADD, 'v_add_f32 v3, v1, v2', 'v_add_f32 v4, v1, v2']), 4);
  assert.is(await cycles('gfx1100', [ADD, 's_delay_alu instid0(VALU_DEP_1)', 'v_add_f32 v0, v0, v0']), 7);
  assert.is(await cycles('gfx1100', ['s_mov_b32 s0, 1', 's_add_u32 s0, s0, s0']), 4);
});

test('RDNA: slow operations', async () => {
  // The transcendental unit leaves the other one free; its own result takes ten cycles.
  assert.is(await cycles('gfx1100', ['v_exp_f32 v0, v1', 'v_add_f32 v3, v1, v2']), 3);
  assert.is(await cycles('gfx1100', ['v_exp_f32 v0, v1', 'v_exp_f32 v3, v1']), 6);
  assert.is(await cycles('gfx1100', ['v_exp_f32 v0, v1', 'v_add_f32 v3, v0, v2']), 12);
  const f64 = ['v_fma_f64 v[0:1], v[2:3], v[4:5], v[6:7]', 'v_fma_f64 v[0:1], v[0:1], v[4:5], v[6:7]'];
  assert.is(await cycles('gfx1030', f64), 24);
  assert.is(await cycles('gfx1100', f64), 40);
  // A VOPD pair is one instruction.
  assert.is(await cycles('gfx1100', ['v_dual_add_f32 v0, v1, v2 :: v_dual_mul_f32 v3, v6, v7', ADD]), 3);
});

test('two waves of one SIMD take turns at one unit, the older first', async () => {
  const lines = [ADD, ADD];
  const waves = Array.from({ length: 5 }, () => [0, 1, 2]);
  // Waves 0 and 4 are on SIMD 0: 0, 4 and 8, 12; the end of wave 4 at 16.
  assert.is(await cycles('gfx906', lines, waves), 20);
  // Waves 0 and 2 on gfx1100: 0, 1 and 2, 3; the end at 4.
  const three = Array.from({ length: 3 }, () => [0, 1, 2]);
  assert.is(await cycles('gfx1100', [ADD, 'v_add_f32 v3, v1, v2'], three), 5);
});

test('two waves of one SIMD issue together to different units', async () => {
  const lines = [ADD, ADD, 's_add_u32 s0, s1, s2', 's_add_u32 s0, s1, s2'];
  assert.is(await cycles('gfx906', lines, [[0, 1, 4], [4], [4], [4], [2, 3, 4]]), 12);
});

test('s_waitcnt waits until no more loads are outstanding than it says', async () => {
  const lines = [
    'global_load_dword v0, v[2:3], off',
    'global_load_dword v1, v[2:3], off',
    's_waitcnt vmcnt(1)',
    ADD,
    's_waitcnt vmcnt(0)',
  ];
  // Loads at 0 and 4, back at 344 and 348; the addition at 344, the end at 352.
  assert.is(await cycles('gfx906', lines, [[[0, 1], [1, 1], 2, 3, 4, 5]]), 356);
  // 64 cache lines keep the second load back until 64: 404 and 408; the addition at 404, the end at 412.
  assert.is(await cycles('gfx906', lines, [[[0, 64], [1, 1], 2, 3, 4, 5]]), 416);
});

test('stores count in vmcnt on generation 9 and in vscnt afterwards', async () => {
  assert.is(await cycles('gfx906', ['global_store_dword v[2:3], v0, off', 's_waitcnt vmcnt(0)']), 348);
  assert.is(await cycles('gfx1100', ['global_store_b32 v[2:3], v0, off', 's_waitcnt vmcnt(0)']), 3);
  assert.is(await cycles('gfx1100', ['global_store_b32 v[2:3], v0, off', 's_waitcnt_vscnt null, 0x0']), 321);
});

test('LDS accesses come back before an earlier scalar load', async () => {
  const lines = [
    's_load_dword s0, s[2:3], 0x0',
    'ds_read_b32 v0, v1',
    's_waitcnt lgkmcnt(1)',
    ADD,
    's_waitcnt lgkmcnt(0)',
  ];
  // The load at 0, back at 205; the LDS at 4, 2 passes, back at 55, and the addition at 56; the end at 208.
  assert.is(await cycles('gfx906', lines, [[0, [1, 2], 2, 3, 4, 5]]), 212);
});

test('passes over the banks serialise the waves of all SIMDs', async () => {
  const lines = ['ds_read_b32 v0, v1', 's_waitcnt lgkmcnt(0)'];
  const wave = (passes: number): [[number, number], number, number] => [[0, passes], 1, 2];
  // SIMD 1 has its turns at 1, 5, …: at 5 the unit is free again; back at 5 + 2 + 49, the end at 57.
  assert.is(await cycles('gfx906', lines, [wave(2), wave(2)]), 61);
  // At 33; back at 33 + 32 + 49 = 114, the end at 117.
  assert.is(await cycles('gfx906', lines, [wave(32), wave(32)]), 121);
});

test('a barrier lets everybody go after the slowest wave has come', async () => {
  const lines = [...Array.from({ length: 10 }, () => ADD), 's_barrier'];
  // Wave 1 adds at 1, 5, … 37 and is there at 41; from 45 on, wave 0 (even turns) at 48.
  assert.is(
    await cycles('gfx906', lines, [
      [10, 11],
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
    ]),
    52,
  );
});

test('a barrier does not wait for waves that have ended', async () => {
  const waves = [
    [1, 2],
    [0, 2],
  ];
  // Wave 0 ends at 8; from 12 on, wave 1 at 13.
  assert.is(await cycles('gfx906', ['s_barrier', ADD], waves), 17);
});

test('a taken branch costs more', async () => {
  const lines = ['s_cbranch_scc1 1', 's_nop 0'];
  assert.is(await cycles('gfx906', lines, [[0, 1, 2]]), 12);
  assert.is(await cycles('gfx906', lines, [[0, 2]]), 24);
});

test('GCN: from the vector to the scalar side, and on to a branch', async () => {
  // 0, 20, 28, and the end at 32.
  const masked = ['v_cmp_lt_u32 vcc, v0, v1', 's_and_saveexec_b64 s[0:1], vcc', 's_cbranch_execz 0'];
  assert.is(await cycles('gfx906', masked), 36);
  assert.is(await cycles('gfx906', ['v_cmp_lt_u32 vcc, v0, v1', 's_and_saveexec_b64 s[0:1], s[2:3]']), 16);
  // 0 and 8, and the end at 12.
  assert.is(await cycles('gfx906', ['s_cmp_lt_u32 s0, s1', 's_cbranch_scc1 0']), 16);
});

test('s_nop and s_sleep', async () => {
  assert.is(await cycles('gfx906', ['s_nop 3']), 20);
  assert.is(await cycles('gfx1100', ['s_nop 3']), 5);
  assert.is(await cycles('gfx906', ['s_sleep 2']), 136);
});

test('the trace of a loop that was executed', async () => {
  const code = await assemble('gfx906', [
    's_mov_b32 s0, 3',
    's_sub_u32 s0, s0, 1',
    's_cmp_lg_u32 s0, 0',
    's_cbranch_scc1 -3',
  ]);
  const memory = new GlobalMemory([], new ArrayBuffer(4096));
  const wave = new Wave(new RegisterFile(code.registers), {
    id: 0,
    memory,
    lds: new Lds(0, false),
    scratch: 0,
    scratchPerLane: 0,
  });
  const traces = [new WaveTrace()];
  const counts = new ExecutionCounts(code.steps.length);
  runWorkgroup({ kernel: 'loop', code, id: [0, 0, 0], waves: [wave], counts, traces, budget: { left: 100 } });
  const model = makeTimingModel(code.program, simulatedTarget('gfx906'), resources());
  // 0; 4, 8, 16 (taken: 20); 36, 40, 48 (20); 68, 72, 80; the end at 84.
  assert.is(run(model, [traces]), 88);
});

test.run();

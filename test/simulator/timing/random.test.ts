/** Random traces against a simulator that looks at every cycle, and what must hold for any trace. */
import * as assert from 'uvu/assert';
import { simulatedTarget } from '../../../src/simulator/target.js';
import { classifyProgram } from '../../../src/simulator/timing/classify.js';
import { timingConstants } from '../../../src/simulator/timing/constants.js';
import { makeTimingModel, type TimingModel } from '../../../src/simulator/timing/model.js';
import { Replay } from '../../../src/simulator/timing/replay.js';
import { suite } from '../../support/suite.js';
import { stepCycles } from './stepper.js';
import { program, resources, run, trace, type Step } from './traces.js';

const test = suite('simulator/timing/random', { tests: 8 });

/** Lines by what they are to the model; the barrier is number 0. */
const GENERATION_9 = [
  's_barrier',
  'v_add_u32 v0, v1, v2',
  'v_exp_f32 v1, v0',
  'v_fma_f64 v[2:3], v[0:1], v[2:3], v[4:5]',
  'v_cmp_lt_u32 vcc, v0, v1',
  'v_cndmask_b32 v0, v1, v2, vcc',
  'v_readfirstlane_b32 s4, v1',
  's_and_saveexec_b64 s[0:1], vcc',
  's_add_u32 s4, s4, s5',
  's_cmp_lt_u32 s4, s5',
  's_cbranch_scc1 0',
  's_cbranch_execz 0',
  'ds_read_b32 v0, v1',
  'ds_write_b64 v0, v[2:3]',
  'global_load_dwordx4 v[0:3], v[4:5], off',
  'global_store_dword v[4:5], v0, off',
  'flat_load_dword v0, v[4:5]',
  's_load_dwordx4 s[8:11], s[2:3], 0x0',
  's_waitcnt vmcnt(0) lgkmcnt(0)',
  's_waitcnt vmcnt(2)',
  's_waitcnt lgkmcnt(1)',
  's_nop 2',
  's_sendmsg sendmsg(MSG_INTERRUPT)',
];

const GENERATION_11 = [
  's_barrier',
  'v_add_nc_u32 v0, v1, v2',
  'v_exp_f32 v1, v0',
  'v_log_f32 v3, v0',
  'v_fma_f64 v[2:3], v[0:1], v[2:3], v[4:5]',
  'v_mul_lo_u32 v5, v0, v1',
  'v_dual_add_f32 v0, v1, v2 :: v_dual_mul_f32 v3, v6, v7',
  'v_cmp_lt_u32 vcc_lo, v0, v1',
  'v_cndmask_b32 v0, v1, v2, vcc_lo',
  'v_readfirstlane_b32 s4, v1',
  's_and_saveexec_b32 s0, vcc_lo',
  's_add_u32 s4, s4, s5',
  's_cmp_lt_u32 s4, s5',
  's_cbranch_scc1 0',
  'ds_load_b32 v0, v1',
  'global_load_b128 v[0:3], v[4:5], off',
  'global_store_b32 v[4:5], v0, off',
  's_load_b128 s[8:11], s[2:3], 0x0',
  's_waitcnt vmcnt(1) lgkmcnt(0)',
  's_waitcnt_vscnt null, 0x1',
  's_waitcnt lgkmcnt(1)',
  's_delay_alu instid0(VALU_DEP_1)',
  's_sleep 1',
];

/** Numerical Recipes' linear congruential generator. */
function generator(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Waves that meet equally often at barriers and end after that, each at its own time. */
function randomWorkgroup(random: (below: number) => number, waves: number, lines: number): Step[][] {
  const barriers = random(3);
  return Array.from({ length: waves }, () => {
    const steps: Step[] = [];
    for (let part = 0; part <= barriers; part++) {
      if (part > 0) steps.push(0);
      for (let count = random(25); count > 0; count--)
        steps.push([1 + random(lines - 1), random(3) === 0 ? random(40) : 2]);
    }
    return [...steps, lines];
  });
}

const GFX906 = simulatedTarget('gfx906');

for (const [cpu, lines, waveSize] of [
  ['gfx906', GENERATION_9, 64],
  ['gfx90a', GENERATION_9, 64],
  ['gfx1100', GENERATION_11, 32],
] as const)
  test(`${cpu}: as counted cycle by cycle`, async () => {
    const target = simulatedTarget(cpu);
    const constants = timingConstants(target);
    const code = classifyProgram(await program(cpu, lines), target, waveSize);
    for (let seed = 0; seed < 60; seed++) {
      const random = generator(seed);
      const waves = 1 + random(6);
      const places = 1 + random(3);
      const workgroups = Array.from({ length: 1 + random(5) }, () => randomWorkgroup(random, waves, lines.length));
      const replay = new Replay(code, constants, places, waves);
      for (const workgroup of workgroups) replay.add(workgroup.map(trace));
      assert.is(replay.finish(), stepCycles(code, constants, places, workgroups), `seed ${seed}`);
    }
  });

test('a replay starts afresh after it has finished', async () => {
  const code = classifyProgram(await program('gfx906', GENERATION_9), GFX906, 64);
  const replay = new Replay(code, timingConstants(GFX906), 2, 3);
  const run = (): number => {
    const random = generator(7);
    for (let n = 0; n < 5; n++) replay.add(randomWorkgroup(random, 3, GENERATION_9.length).map(trace));
    return replay.finish();
  };
  assert.is(run(), run());
});

test('batches can be estimated apart', async () => {
  const lines = GENERATION_11;
  const kernel = resources({ waveSize: 32, wavesPerWorkgroup: 2, ldsBytes: 32768 });
  const target = simulatedTarget('gfx1100');
  const code = await program('gfx1100', lines);
  const model = makeTimingModel(code, target, kernel);
  assert.is(model.resident, 2);
  const random = generator(1);
  const workgroups = Array.from({ length: 2 * model.batch + 3 }, () =>
    randomWorkgroup(random, 2, lines.length).map(trace),
  );
  const estimate = (from: number, to: number): number => {
    const part = model.estimate();
    for (const workgroup of workgroups.slice(from, to)) part.add(workgroup);
    return part.cycles();
  };
  const whole = estimate(0, workgroups.length);
  assert.is(estimate(0, model.batch) + estimate(model.batch, workgroups.length), whole);
  assert.is(estimate(0, 2 * model.batch) + estimate(2 * model.batch, workgroups.length), whole);
  // A batch is one replay from beginning to end.
  const replay = new Replay(classifyProgram(code, target, 32), timingConstants(target), 2, 2);
  for (const workgroup of workgroups.slice(0, model.batch)) replay.add(workgroup);
  assert.is(replay.finish(), estimate(0, model.batch));
});

test('a full unit: a batch that has too few workgroups is repeated, and counts once', async () => {
  const lines = GENERATION_9;
  const kernel = resources({ wavesPerWorkgroup: 3, ldsBytes: 16384 });
  const code = await program('gfx906', lines);
  const [model, full] = [false, true].map((isFull) => makeTimingModel(code, GFX906, kernel, isFull)) as [
    TimingModel,
    TimingModel,
  ];
  assert.equal([full.resident, full.batch, full.kept, model.kept], [4, 16, 16, 4]);
  const random = generator(3);
  const workgroups = Array.from({ length: 16 + 3 }, () => randomWorkgroup(random, 3, lines.length).map(trace));
  const few = workgroups.slice(0, 3);
  const six = Array.from({ length: 6 }, () => few).flat();
  // The model's own batches would divide these 18.
  const replay = new Replay(classifyProgram(code, GFX906, 64), timingConstants(GFX906), 4, 3);
  for (const workgroup of six) replay.add(workgroup);
  const share = Math.round(replay.finish() / 6);
  assert.is(run(full, few), share);
  assert.ok(share < run(model, few));
  const whole = workgroups.slice(3);
  assert.is(run(full, whole), run(model, whole));
  assert.is(run(full, [...whole, ...few]), run(model, whole) + share);
  assert.is(run(full, []), 0);
});

test('a place is taken as soon as a workgroup ends', async () => {
  const lines = ['v_add_f32 v0, v1, v2', 'v_add_f32 v0, v1, v2', 'v_add_f32 v0, v1, v2'];
  const model = makeTimingModel(await program('gfx906', lines), GFX906, resources({ ldsBytes: 65536 }));
  const workgroup = [trace([0, 1, 2, 3])];
  assert.is(model.resident, 1);
  assert.is(run(model, [workgroup]), 16);
  assert.is(run(model, [workgroup, workgroup, workgroup]), 48);
  assert.is(run(model, []), 0);
});

test('traces that are none are refused', async () => {
  const model = makeTimingModel(await program('gfx906', ['s_barrier']), GFX906, resources({ wavesPerWorkgroup: 2 }));
  assert.throws(() => run(model, [[trace([0])]]), /does not end/);
  assert.throws(() => run(model, [[trace([1]), trace([1]), trace([1])]]), /3 waves instead of 2/);
  // Both wait, but one for a second time.
  assert.is(run(model, [[trace([0, 1]), trace([0, 1])]]) > 0, true);
});

test.run();

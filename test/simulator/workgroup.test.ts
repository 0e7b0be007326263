/** Barriers and the order of waves in a workgroup, the budget, and what errors say. */
import { DarmError } from '../../src/errors.js';
import type { KernelCode } from '../../src/simulator/code.js';
import { Lds } from '../../src/simulator/lds.js';
import { GlobalMemory } from '../../src/simulator/memory.js';
import { RegisterFile, Wave } from '../../src/simulator/wave.js';
import { ExecutionCounts, runWorkgroup, TRACE_INDEX_BITS, WaveTrace } from '../../src/simulator/workgroup.js';
import { assemble } from '../support/simulator.js';
import { assert, suite } from '../support/suite.js';

const test = suite('simulator/workgroup', { tests: 8, timeoutMs: 30_000 });

interface Group {
  readonly waves: readonly Wave[];
  readonly counts: ExecutionCounts;
  readonly traces: readonly WaveTrace[];
  readonly budget: { left: number };
  readonly onBarrier?: () => void;
  readonly allReachBarriers?: boolean;
}

/** Waves of one workgroup; s0 is the number of the wave. */
function group(code: KernelCode, count: number, left = 1000): Group {
  const memory = new GlobalMemory([], new ArrayBuffer(4096));
  const lds = new Lds(64, false);
  const waves = Array.from({ length: count }, (_, id) => {
    const wave = new Wave(new RegisterFile(code.registers), { id, memory, lds, scratch: 0, scratchPerLane: 0 });
    wave.u32[0] = id;
    return wave;
  });
  const traces = waves.map(() => new WaveTrace());
  return { waves, counts: new ExecutionCounts(code.steps.length), traces, budget: { left } };
}

const run = (code: KernelCode, members: Group): void => runWorkgroup({ kernel: 'k', code, id: [1, 2, 3], ...members });

function failure(code: KernelCode, members: Group): string {
  try {
    run(code, members);
  } catch (error) {
    assert.instance(error, DarmError);
    assert.is((error as DarmError).code, 'simulation-failed');
    return (error as Error).message;
  }
  return 'no error';
}

/** Each step notes the wave that ran it. */
function noting(code: KernelCode, log: string[]): KernelCode {
  return { ...code, steps: code.steps.map((step, at) => (wave) => {
    log.push(`${wave.id}:${at}`);
    step(wave);
  }) }; // prettier-ignore
}

test('waves run one after the other, from barrier to barrier', async () => {
  const code = await assemble('gfx906', ['s_nop 0', 's_barrier', 's_nop 0', 's_barrier']);
  const log: string[] = [];
  const members = { ...group(code, 2), onBarrier: () => log.push('all') };
  run(noting(code, log), members);
  assert.is(log.join(' '), '0:0 0:1 1:0 1:1 all 0:2 0:3 1:2 1:3 all 0:4 1:4');
  assert.equal([...members.counts.executed.subarray(0, 5)], [2, 2, 2, 2, 2]);
  assert.is(members.counts.lanes[0], 128);
  assert.is(members.budget.left, 990);
});

test('different barriers of the same number meet', async () => {
  const code = await assemble('gfx906', [
    's_cmp_eq_u32 s0, 0',
    's_cbranch_scc1 first',
    's_barrier',
    's_endpgm',
    'first:',
    's_movk_i32 s1, 5',
    's_barrier',
  ]);
  const members = group(code, 2);
  run(code, members);
  assert.equal(
    members.waves.map((wave) => wave.u32[1]),
    [5, 0],
  );
});

test('a barrier does not wait for waves that have ended', async () => {
  const code = await assemble('gfx906', [
    's_cmp_eq_u32 s0, 1',
    's_cbranch_scc1 out',
    's_barrier',
    's_movk_i32 s1, 5',
    'out:',
    's_nop 0',
  ]);
  let barriers = 0;
  const members = { ...group(code, 3), onBarrier: () => barriers++ };
  run(code, members);
  assert.equal(
    members.waves.map((wave) => wave.u32[1]),
    [5, 0, 5],
  );
  assert.is(barriers, 1);
});

test('where it has to, a wave that ends while another waits is an error', async () => {
  const code = await assemble('gfx906', ['s_cmp_eq_u32 s0, 1', 's_cbranch_scc1 out', 's_barrier', 'out:', 's_nop 0']);
  const message = failure(code, { ...group(code, 2), allReachBarriers: true });
  assert.is(
    message,
    "wave 1 ended without reaching this barrier [kernel k, pc 0x8 's_barrier', workgroup (1, 2, 3), wave 0]",
  );
  // The other way round, the wave that waits is not the first.
  const other = await assemble('gfx906', ['s_cmp_eq_u32 s0, 0', 's_cbranch_scc1 out', 's_barrier', 'out:', 's_nop 0']);
  assert.match(failure(other, { ...group(other, 3), allReachBarriers: true }), /^wave 0 ended .*, wave 1\]$/);
});

test('an endless loop stops at the budget, which waves share', async () => {
  const code = await assemble('gfx906', ['s_nop 0', 'again:', 's_cmp_eq_u32 s0, 1', 's_cbranch_scc1 again']);
  const members = group(code, 2, 100);
  assert.match(failure(code, members), /more instructions than allowed .*pc 0x[48] .*wave 1\]$/);
  assert.is(
    members.counts.executed.reduce((sum, n) => sum + n),
    100,
  );
  // A barrier in the loop does not make it end.
  const waiting = await assemble('gfx906', ['again:', 's_barrier', 's_branch again']);
  assert.match(failure(waiting, group(waiting, 2, 100)), /more instructions than allowed/);
});

test('a wave that waits for what another one writes is not endless', async () => {
  const code = await assemble('gfx906', [
    ...['s_cmp_eq_u32 s0, 1', 's_cbranch_scc1 write'],
    ...['again:', 'ds_read_b32 v1, v0', 's_waitcnt lgkmcnt(0)', 'v_readfirstlane_b32 s1, v1'],
    ...['s_cmp_eq_u32 s1, 0', 's_cbranch_scc1 again', 's_branch out'],
    ...['write:', 'v_mov_b32 v1, 1', 'ds_write_b32 v0, v1', 'out:'],
  ]);
  const members = group(code, 16, 2e6);
  run(code, members);
  const executed = 2e6 - members.budget.left;
  assert.is(
    executed,
    members.counts.executed.reduce((sum, n) => sum + n),
  );
  assert.ok(executed > 6e4 && executed < 2e6, String(executed));
});

test('exactly the budget is enough', async () => {
  const code = await assemble('gfx906', ['s_nop 0']);
  run(code, group(code, 2, 4));
  assert.match(failure(code, group(code, 2, 3)), /more instructions than allowed/);
});

test('traces have what each wave executed', async () => {
  const code = await assemble('gfx906', ['s_cmp_eq_u32 s0, 1', 's_cbranch_scc1 out', 's_nop 0', 'out:']);
  const members = group(code, 2);
  run(code, members);
  const executed = ({ words, length }: WaveTrace): number[] =>
    [...words.subarray(0, length)].map((word) => word & (2 ** TRACE_INDEX_BITS - 1));
  assert.equal(members.traces.map(executed), [[0, 1, 2, 3], [0, 1, 3]]); // prettier-ignore
});

test.run();

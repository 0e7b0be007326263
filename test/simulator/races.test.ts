import { DarmError } from '../../src/errors.js';
import { RaceDetector } from '../../src/simulator/races.js';
import { suite, assert } from '../support/suite.js';
import { MemoryBench } from './operations/memory-bench.js';

const test = suite('simulator/races', { tests: 8 });

interface Options {
  readonly cpu?: string;
  readonly detector?: RaceDetector;
  readonly workgroup?: number;
}

/**
 * Two waves of one workgroup, with race detection. `v0` is 4 * lane, `v1` 256 * wave + 4 * lane, `v2` the lane, `v3`
 * the wave.
 */
async function bench(
  lines: readonly string[],
  { cpu = 'gfx906', detector, workgroup = 0 }: Options = {},
): Promise<MemoryBench> {
  const onBarrier = (): void => made.lds.races!.barrier();
  const made = await MemoryBench.of(cpu, lines, { waves: 2, scratchPerLane: 64, onBarrier });
  made.lds.races = (detector ?? new RaceDetector()).workgroup(workgroup);
  for (const wave of made.waves) {
    made.set(0, (lane) => 4 * lane, wave).set(1, (lane) => 256 * wave.id + 4 * lane, wave);
    made.set(2, (lane) => lane, wave).set(3, () => wave.id, wave);
    made.set(4, (lane) => made.buffer + 4 * lane, wave).set(5, () => 0x7f00, wave);
    made.set(6, (lane) => made.buffer + 256 * wave.id + 4 * lane, wave).set(7, () => 0x7f00, wave);
    made.set(8, () => made.buffer, wave).set(9, () => 0x7f00, wave);
  }
  return made;
}

const races = (made: MemoryBench, message: RegExp): void => {
  assert.throws(
    () => made.run(),
    (error: unknown) => error instanceof DarmError && message.test(error.message),
    message.source,
  );
};

test('the LDS between barriers', async () => {
  // Each wave its own half; a barrier; then the other's.
  const shared = ['ds_write_b32 v1, v2', 's_barrier', 'ds_read_b32 v10, v0', 'ds_read_b32 v11, v0 offset:256'];
  (await bench(shared)).run();
  races(
    await bench(shared.filter((line) => line !== 's_barrier')),
    /a race: a write of 4 bytes at LDS byte 256 and a read of 4 bytes \[pc 0x10 'ds_read_b32 v11, v0 offset:256', wave 0, lane 0\].*wave 1, lane 0/,
  );
  // A read, then a write by another wave without a barrier between them.
  races(
    await bench(['ds_read_b32 v10, v0', 'ds_write_b32 v0, v3']),
    /a race: a read of 4 bytes at LDS byte 0 and a write of 4 bytes/,
  );
  // The second barrier is the one that is missing in many a reduction.
  const reduction = ['ds_write_b32 v1, v2', 's_barrier', 'ds_read_b32 v10, v0 offset:256', 'ds_write_b32 v1, v2'];
  races(await bench(reduction), /a race: a write of 4 bytes at LDS byte 256 and a read/);
});

test('bytes, not words', async () => {
  // Wave 0 writes byte 0 of each word, wave 1 byte 1.
  const lines = (offset: string): string[] => ['v_add_u32 v0, v0, v3', `ds_write_b8 v0, v2${offset}`];
  const made = async (list: string[]): Promise<MemoryBench> => bench(list);
  (await made(lines(''))).run();
  const words = await bench(['ds_write_b8 v0, v3', 'ds_write_b16 v0, v3 offset:2']);
  races(words, /a race: a write of 1 byte at LDS byte 0 and a write of 1 byte/);
});

test('the same value, and lanes of one instruction', async () => {
  (await bench(['v_mov_b32 v2, 7', 'ds_write_b32 v0, v2'])).run();
  races(await bench(['ds_write_b32 v0, v3']), /a race: a write of 4 bytes at LDS byte 0 and a write/);
  const lanes = ['v_mov_b32 v0, 0', 'ds_write_b32 v0, v2'];
  races(await bench(lanes), /at LDS byte 0 and a write of 4 bytes \[.*wave 0, lane 0\].*wave 0, lane 1/);
  // One after the other they are ordered.
  const made = await bench(['ds_write_b32 v1, v2', 'ds_write_b32 v1, v0', 'ds_read_b32 v10, v1']);
  made.run();
});

test('atomics', async () => {
  (await bench(['ds_add_u32 v0, v2', 'ds_add_rtn_u32 v10, v0, v2', 'global_atomic_add v[8:9], v2, off'])).run();
  races(await bench(['ds_add_u32 v0, v2', 'ds_read_b32 v10, v0']), /an atomic of 4 bytes at LDS byte 0 and a read/);
  races(
    await bench(['ds_write_b32 v1, v2', 'ds_add_u32 v0, v2']),
    /a race: an atomic of 4 bytes at LDS byte 0 and a write/,
  );
  (await bench(['ds_add_u32 v0, v2', 's_barrier', 'ds_read_b32 v10, v0'])).run();
  // Coherent loads and stores are how atomic ones are compiled.
  (await bench(['global_atomic_add v[8:9], v2, off', 'global_load_dword v10, v[8:9], off glc'])).run();
  races(await bench(['global_atomic_add v[8:9], v2, off', 'global_load_dword v10, v[8:9], off']), /an atomic of 4 bytes at byte 0 of out and a read/); // prettier-ignore
});

test('global memory within a workgroup', async () => {
  (await bench(['global_store_dword v[6:7], v2, off', 's_barrier', 'global_load_dword v10, v[4:5], off'])).run();
  const missing = ['global_store_dword v[6:7], v2, off', 'global_load_dword v10, v[4:5], off offset:256'];
  races(await bench(missing), /a race: a write of 4 bytes at byte 256 of out and a read of 4 bytes \[pc 0x8 'global_load_dword v10, v\[4:5\], off offset:256', wave 0, lane 0\]/); // prettier-ignore
  races(await bench(['flat_store_dword v[4:5], v3']), /a race: a write of 4 bytes at byte 0 of out and a write/);
});

test('global memory of several workgroups', async () => {
  const detector = new RaceDetector();
  const first = await bench(['global_store_dword v[6:7], v2, off', 'global_load_dword v10, v[6:7], off offset:1024'], { detector }); // prettier-ignore
  first.run();
  // Barriers do not order workgroups; reading what both only read is fine.
  const second = ['s_barrier', 'global_load_dword v10, v[6:7], off offset:1024'];
  (await bench(second, { detector, workgroup: 1 })).run();
  const third = ['s_barrier', 'global_load_dword v10, v[4:5], off'];
  races(await bench(third, { detector, workgroup: 2 }), /a race: a read of 4 bytes at byte 0 of out and a write of 4 bytes \[.*workgroup 0, wave 0, lane 0\]/); // prettier-ignore
  // The reads of workgroups 0 and 1 are remembered behind those of workgroup 1's waves.
  const fourth = ['global_store_dword v[4:5], v2, off offset:1024'];
  races(await bench(fourth, { detector, workgroup: 3 }), /a write .*at byte 1024 of out and a read .*workgroup 1/);
});

test('private memory is nobody else’s', async () => {
  const made = await bench(['scratch_store_dword off, v3, s2', 'scratch_load_dword v10, off, s2']);
  made.run();
});

test('a stored value that reads back changes nothing', async () => {
  // With and without detection the same memory.
  const lines = ['ds_write_b32 v1, v2', 's_barrier', 'ds_add_u32 v0, v2', 's_barrier', 'ds_read_b32 v10, v0'];
  const watched = await bench(lines);
  const plain = await bench(lines);
  plain.lds.races = null;
  const quiet = new MemoryBench(plain.code, { waves: 2, scratchPerLane: 64 });
  for (const wave of quiet.waves)
    quiet
      .set(0, (lane) => 4 * lane, wave)
      .set(1, (lane) => 256 * wave.id + 4 * lane, wave)
      .set(2, (lane) => lane, wave);
  watched.run();
  quiet.run();
  assert.equal(watched.lds.u8.subarray(0, 512), quiet.lds.u8.subarray(0, 512));
});

test.run();

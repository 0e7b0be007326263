import { DarmError } from '../../../src/errors.js';
import { PRIVATE_APERTURE, SHARED_APERTURE } from '../../../src/simulator/memory.js';
import { suite, assert } from '../../support/suite.js';
import { ADDRESS_HIGH, MemoryBench, patternValue } from './memory-bench.js';

const test = suite('simulator/operations/flat', { tests: 5 });

/** Byte a of lane l of private memory, from the start of the wave's. */
const interleaved = (a: number, lane: number, size: number): number =>
  Math.floor(a / 4) * 4 * size + 4 * lane + (a % 4);

for (const [cpu, load, store, size] of [
  ['gfx906', 'flat_load_dwordx2', 'flat_store_dwordx2', 64],
  ['gfx1100', 'flat_load_b64', 'flat_store_b64', 32],
] as const)
  test(`each lane goes where its address says, ${cpu}`, async () => {
    const lines = [`${load} v[0:1], v[0:1] offset:16`, `${store} v[2:3], v[4:5]`];
    const bench = await MemoryBench.of(cpu, lines, { scratchPerLane: 64, exec: [0xfffffffe, 0xffffffff] });
    const kind = (lane: number): number => lane % 3;
    const high = (lane: number): number => [ADDRESS_HIGH, SHARED_APERTURE, PRIVATE_APERTURE][kind(lane)]!;
    bench.set(0, (lane) => [bench.constant + 8 * lane, 64 + 8 * lane, 8][kind(lane)]!).set(1, high);
    bench.set(2, (lane) => [bench.buffer + 8 * lane, 4096 + 8 * lane, 40][kind(lane)]!).set(3, high);
    bench.set(4, (lane) => 0x1000 + lane).set(5, (lane) => 0x2000 + lane);
    const counts = bench.run();
    for (let lane = 1; lane < size; lane++) {
      const loaded = [
        (): bigint => patternValue(16 + 8 * lane, 8),
        (): bigint => patternValue(80 + 8 * lane, 8),
        (): bigint =>
          patternValue(interleaved(24, lane, size), 4) | (patternValue(interleaved(28, lane, size), 4) << 32n),
      ][kind(lane)]!();
      assert.is(bench.value(0, lane, 2), loaded, `lane ${lane}`);
      const memory = bench.memory.u32;
      const scratch = (a: number): number => memory[(bench.scratch + interleaved(a, lane, size)) / 4]!;
      const words = [
        (): number[] => [memory[(bench.buffer + 8 * lane) / 4]!, memory[(bench.buffer + 8 * lane) / 4 + 1]!],
        (): number[] => [bench.lds.u32[(4096 + 8 * lane) / 4]!, bench.lds.u32[(4096 + 8 * lane) / 4 + 1]!],
        (): number[] => [scratch(40), scratch(44)],
      ][kind(lane)]!();
      assert.equal(words, [0x1000 + lane, 0x2000 + lane], `lane ${lane}`);
    }
    // Lane 0 is not active, so its address 0 is not a fault.
    assert.is(bench.get(0, 0), bench.constant);
    assert.ok(counts.transactions[0]! > 0);
    assert.is(bench.wave.active, bench.wave.size - 1);
  });

test('private bytes and words that are not aligned', async () => {
  const lines = [
    'flat_store_dword v[0:1], v2',
    'flat_load_dwordx2 v[4:5], v[6:7]',
    'flat_load_ushort v8, v[0:1] offset:3',
  ];
  const bench = await MemoryBench.of('gfx906', lines, { scratchPerLane: 32 });
  bench
    .set(0, () => 6)
    .set(1, () => PRIVATE_APERTURE)
    .set(6, () => 5)
    .set(7, () => PRIVATE_APERTURE);
  bench.set(2, (lane) => 0x04030201 + lane).run();
  for (const lane of [0, 33]) {
    const at = (a: number): number => bench.memory.u8[bench.scratch + interleaved(a, lane, 64)]!;
    assert.equal([6, 7, 8, 9].map(at), [1 + lane, 2, 3, 4]);
    const expected = [5, 6, 7, 8, 9, 10, 11, 12].reduceRight((value, a) => (value << 8n) | BigInt(at(a)), 0n);
    assert.is(bench.value(4, lane, 2), expected);
    assert.is(bench.get(8, lane), at(9) + 256 * at(10));
  }
});

test('atomics in every address space', async () => {
  const bench = await MemoryBench.of('gfx906', ['flat_atomic_add v4, v[0:1], v2 glc'], { scratchPerLane: 16 });
  const high = (lane: number): number => [ADDRESS_HIGH, SHARED_APERTURE, PRIVATE_APERTURE][lane % 3]!;
  bench
    .set(0, (lane) => [bench.buffer, 128, 4][lane % 3]!)
    .set(1, high)
    .set(2, () => 1);
  bench.run();
  const first = [patternValue(0, 4), patternValue(128, 4)].map(Number);
  assert.is(bench.memory.u32[bench.buffer / 4], (first[0]! + 22) >>> 0);
  assert.is(bench.lds.u32[32], (first[1]! + 21) >>> 0);
  assert.is(bench.get(4, 63), (first[0]! + 21) >>> 0);
  const own = Number(patternValue(interleaved(4, 62, 64), 4));
  assert.is(bench.get(4, 62), own);
  assert.is(bench.memory.u32[(bench.scratch + interleaved(4, 62, 64)) / 4], own + 1);
});

test('faults', async () => {
  const cases: readonly (readonly [line: string, low: number, high: number, message: RegExp])[] = [
    ['flat_load_dword v2, v[0:1]', 65536, SHARED_APERTURE, /LDS address 65536.*lane 0/],
    ['flat_load_dword v2, v[0:1]', 2, SHARED_APERTURE, /no multiple of 4/],
    ['flat_load_dword v2, v[0:1] offset:4', 13, PRIVATE_APERTURE, /at 17 in private memory, of which a lane has 16/],
    ['flat_store_dword v[0:1], v2', 0, 0, /no memory of this launch/],
  ];
  for (const [line, low, high, message] of cases) {
    const bench = await MemoryBench.of('gfx906', [line], { scratchPerLane: 16 });
    bench.set(0, () => low).set(1, () => high);
    assert.throws(() => bench.run(), (error: unknown) => error instanceof DarmError && message.test(error.message), line); // prettier-ignore
  }
  // A word's alignment is enough for 64 bits.
  const bench = await MemoryBench.of('gfx906', ['flat_load_dwordx2 v[2:3], v[0:1]']);
  bench
    .set(0, () => 4)
    .set(1, () => SHARED_APERTURE)
    .run();
  assert.is(bench.value(2, 0, 2), patternValue(4, 8));
});

test.run();

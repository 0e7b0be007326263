import { DarmError } from '../../../src/errors.js';
import { PRIVATE_APERTURE } from '../../../src/simulator/memory.js';
import { suite, assert } from '../../support/suite.js';
import { ADDRESS_HIGH, MemoryBench, pattern } from './memory-bench.js';

const test = suite('simulator/operations/scratch', { tests: 6 });

/** Byte a of lane l of private memory, from the start of the wave's. */
const interleaved = (a: number, lane: number, size: number): number =>
  Math.floor(a / 4) * 4 * size + 4 * lane + (a % 4);
const PER_LANE = 128;

/**
 * The scratch descriptor: swizzled, the lane's number added, index stride 64 or 32 (Vega and RDNA 2, "Buffer
 * resource").
 */
const descriptor = (base: number, size: number): number[] => [
  base,
  (ADDRESS_HIGH | 0x80000000) >>> 0,
  0xffffffff,
  (1 << 23) | ((size === 64 ? 3 : 2) << 21),
];

const faults = (bench: MemoryBench, message: RegExp): void => {
  assert.throws(
    () => bench.run(),
    (error: unknown) => error instanceof DarmError && message.test(error.message),
    message.source,
  );
};

test('all forms of the address', async () => {
  const cases: readonly (readonly [cpu: string, lines: readonly string[], loaded: readonly number[]])[] = [
    [
      'gfx1100',
      [
        'scratch_load_b32 v4, off, off offset:12',
        'scratch_load_b32 v5, off, s2 offset:-4',
        'scratch_load_b32 v6, v0, off offset:4',
        'scratch_load_b32 v7, v0, s2 offset:8',
      ],
      [12, 36, 20, 64],
    ],
    [
      'gfx942',
      [
        'scratch_load_dword v4, off, off offset:12',
        'scratch_load_dword v5, off, s2 offset:-4',
        'scratch_load_dword v6, v0, off offset:4',
        'scratch_load_dword v7, v0, s2 offset:8',
      ],
      [12, 36, 20, 64],
    ],
    ['gfx906', ['scratch_load_dword v4, off, s2 offset:-4', 'scratch_load_dword v5, v0, off offset:4'], [36, 20]],
    ['gfx1030', ['scratch_load_dword v4, off, off offset:12', 'scratch_load_dword v5, off, s2 offset:-4'], [12, 36]],
  ];
  for (const [cpu, lines, addresses] of cases) {
    const bench = await MemoryBench.of(cpu, lines, { scratchPerLane: PER_LANE });
    bench
      .set(0, () => 16)
      .scalars(2, 40)
      .run();
    const { size } = bench.wave;
    addresses.forEach((a, index) => {
      for (const lane of [0, 7, size - 1]) {
        const at = interleaved(a, lane, size);
        const expected = [3, 2, 1, 0].reduce((value, byte) => value * 256 + pattern(at + byte), 0);
        assert.is(bench.get(4 + index, lane), expected, `${lines[index]!} lane ${lane}`);
      }
    });
  }
});

for (const [cpu, size, lines] of [
  [
    'gfx906',
    64,
    [
      'buffer_store_dword v4, off, s[0:3], s33 offset:8', // byte 40 + 8
      'flat_load_dword v8, v[0:1]',
      'flat_store_short v[2:3], v5', // byte 54
      'buffer_load_dword v9, v6, s[0:3], 0 offen', // byte 52
      'buffer_store_byte v4, v10, s[0:3], s33 offen', // byte 40 + 66
      'scratch_load_dwordx4 v[12:15], v7, off',
    ],
  ],
  [
    'gfx1030',
    32,
    [
      'buffer_store_dword v4, off, s[0:3], s33 offset:8',
      'flat_load_dword v8, v[0:1]',
      'flat_store_short v[2:3], v5',
      'buffer_load_dword v9, v6, s[0:3], 0 offen',
      'buffer_store_byte v4, v10, s[0:3], s33 offen', // byte 40 + 66
      'scratch_load_dwordx4 v[12:15], v7, off',
    ],
  ],
] as const)
  test(`buffers, flat and scratch reach the same bytes, ${cpu}`, async () => {
    const bench = await MemoryBench.of(cpu, lines, { scratchPerLane: PER_LANE });
    bench.scalars(0, ...descriptor(bench.scratch, size)).scalars(33, 40 * size);
    bench
      .set(0, () => 48)
      .set(1, () => PRIVATE_APERTURE)
      .set(2, () => 54)
      .set(3, () => PRIVATE_APERTURE);
    bench
      .set(4, (lane) => 0x11223300 + lane)
      .set(5, (lane) => 0xcc00 + lane)
      .set(6, () => 52)
      .set(7, () => 48);
    bench.set(10, () => 66);
    bench.run();
    for (const lane of [0, 1, 31, size - 1]) {
      assert.is(bench.get(8, lane), 0x11223300 + lane);
      const upper = 0xcc00 + lane;
      const at = interleaved(52, lane, size);
      const lower = pattern(at) + 256 * pattern(at + 1);
      assert.is(bench.get(9, lane), (upper * 65536 + lower) >>> 0);
      assert.is(bench.memory.u8[bench.scratch + interleaved(106, lane, size)], lane);
      assert.equal([bench.get(12, lane), bench.get(13, lane)], [0x11223300 + lane, (upper * 65536 + lower) >>> 0]);
    }
  });

test('each wave has its own', async () => {
  const bench = await MemoryBench.of('gfx1100', ['scratch_store_b64 off, v[2:3], off offset:4'], {
    scratchPerLane: 16,
    waves: 2,
  });
  for (const wave of bench.waves)
    bench.set(2, (lane) => 1000 * wave.id + lane, wave).set(3, (lane) => 2000 * wave.id + lane, wave);
  bench.run();
  for (const wave of [0, 1])
    for (const lane of [0, 31]) {
      const word = (a: number): number =>
        bench.memory.u32[(bench.scratch + 512 * wave + interleaved(a, lane, 32)) / 4]!;
      assert.equal([word(4), word(8)], [1000 * wave + lane, 2000 * wave + lane]);
    }
});

test('faults', async () => {
  const bench = async (line: string): Promise<MemoryBench> => {
    const made = await MemoryBench.of('gfx906', [line], { scratchPerLane: 64 });
    return made.scalars(0, ...descriptor(made.scratch, 64)).scalars(4, 64 * 64);
  };
  faults((await bench('scratch_load_dword v1, v0, off')).set(0, (lane) => (lane === 5 ? 61 : 60)), /a read of 4 bytes at 61 in private memory, of which a lane has 64 bytes.*lane 5/); // prettier-ignore
  faults(
    (await bench('scratch_store_dwordx2 v0, v[2:3], off offset:-4')).set(0, () => 0),
    /a write of 8 bytes at -4/,
  );
  faults(
    (await bench('buffer_store_dword v1, v0, s[0:3], 0 offen')).set(0, () => 64),
    /at 64 in private memory/,
  );
  faults(await bench('buffer_load_dword v1, off, s[0:3], s4'), /at 64 in private memory/);
  faults(
    (await bench('buffer_load_dwordx2 v[2:3], v0, s[0:3], 0 offen')).set(0, () => 60),
    /at 60 in private memory/,
  );
  faults(
    (await bench('buffer_load_dword v1, v0, s[0:3], 0 offen')).set(0, () => -4),
    /at -4 in private memory/,
  );
});

test('cache lines of private memory', async () => {
  // A row of words is 256 bytes: 4 lines of 64 on gfx906. The scratch begins with a line.
  const lines = [
    'scratch_load_dword v4, v0, off',
    'scratch_load_dwordx4 v[4:7], v0, off',
    'scratch_load_dword v4, v1, off',
  ];
  const bench = await MemoryBench.of('gfx906', lines, { scratchPerLane: PER_LANE });
  const counts = bench
    .set(0, () => 8)
    .set(1, (lane) => 4 * (lane & 1))
    .run();
  assert.equal([...counts.transactions.subarray(0, 3)], [4, 16, 8]);
});

test.run();

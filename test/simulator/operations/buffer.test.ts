import { DarmError } from '../../../src/errors.js';
import { suite, assert } from '../../support/suite.js';
import { ADDRESS_HIGH, BUFFER_BYTES, MemoryBench, pattern, patternValue } from './memory-bench.js';

const test = suite('simulator/operations/buffer', { tests: 8 });

interface Descriptor {
  readonly stride?: number;
  readonly swizzle?: number;
  readonly records?: number;
  /** 0 to 3: 8, 16, 32, 64. */
  readonly indexStride?: number;
  readonly addsLane?: boolean;
  /** OOB_SELECT of GFX10 and GFX11. */
  readonly range?: number;
}

/** V#: base, upper base | stride << 16 | swizzle << 30, records, word 3. */
function descriptor(base: number, fields: Descriptor = {}): number[] {
  const { stride = 0, swizzle = 0, records = BUFFER_BYTES, indexStride = 0, addsLane = false, range = 0 } = fields;
  const word1 = ADDRESS_HIGH + stride * 65536 + swizzle * 2 ** 30;
  return [base, word1, records, indexStride * 2 ** 21 + (addsLane ? 2 ** 23 : 0) + range * 2 ** 28];
}

const word = (at: number): number => Number(patternValue(at, 4));

test('linear addresses: constant, scalar, vector offset and index', async () => {
  for (const [cpu, load, loadX2, range] of [
    ['gfx906', 'buffer_load_dword', 'buffer_load_dwordx2', 0],
    ['gfx1100', 'buffer_load_b32', 'buffer_load_b64', 3],
  ] as const) {
    const bench = await MemoryBench.of(cpu, [
      `${load} v10, off, s[0:3], s8 offset:20`,
      `${load} v11, v0, s[0:3], s8 offen offset:4`,
      `${load} v12, v1, s[4:7], 0 idxen offset:8`,
      `${loadX2} v[14:15], v[1:2], s[4:7], s8 idxen offen`,
    ]);
    bench.scalars(0, ...descriptor(bench.constant, { range })).scalars(4, ...descriptor(bench.constant, { stride: 24, records: cpu === 'gfx906' ? 64 : BUFFER_BYTES, range })); // prettier-ignore
    bench.scalars(8, 100);
    bench
      .set(0, (lane) => 12 * lane)
      .set(1, (lane) => (lane * 5) & 63)
      .set(2, (lane) => lane + 1)
      .run();
    for (const lane of [0, 3, 31]) {
      const index = (lane * 5) & 63;
      assert.is(bench.get(10, lane), word(120));
      assert.is(bench.get(11, lane), word(104 + 12 * lane));
      assert.is(bench.get(12, lane), word(24 * index + 8));
      assert.is(bench.value(14, lane, 2), patternValue(100 + 24 * index + lane + 1, 8));
    }
  }
});

test('raw buffers: words out of range', async () => {
  const bench = await MemoryBench.of('gfx906', [
    'buffer_load_dwordx4 v[4:7], v0, s[0:3], s8 offen',
    'buffer_load_ubyte v8, v1, s[0:3], 0 offen',
    'buffer_load_short_d16_hi v9, v1, s[0:3], 0 offen',
    'buffer_store_dwordx2 v[10:11], v2, s[4:7], s8 offen offset:4',
  ]);
  // 256 bytes; lane l reads from 4 l + 96 on, so lanes 37 to 39 have 3 to 1 words.
  bench
    .scalars(0, ...descriptor(bench.constant, { records: 256 }))
    .scalars(4, ...descriptor(bench.buffer, { records: 256 }));
  bench
    .scalars(8, 96)
    .set(0, (lane) => 4 * lane)
    .set(1, (lane) => 4 * lane + 3)
    .set(2, (lane) => 8 * lane);
  for (const register of [4, 5, 6, 7, 8, 9]) bench.set(register, () => 0xaabbccdd);
  bench
    .set(10, (lane) => lane)
    .set(11, (lane) => lane + 100)
    .run();
  for (let lane = 0; lane < 64; lane++) {
    for (let k = 0; k < 4; k++) {
      const at = 96 + 4 * lane + 4 * k;
      assert.is(bench.get(4 + k, lane), at + 4 <= 256 ? word(at) : 0, `lane ${lane} word ${k}`);
    }
    assert.is(bench.get(8, lane), 4 * lane + 3 < 256 ? pattern(4 * lane + 3) : 0);
    const half = 4 * lane + 5 <= 256 ? Number(patternValue(4 * lane + 3, 2)) : 0;
    assert.is(bench.get(9, lane), half * 65536 + 0xccdd);
  }
  // Lane l stores to 8 l + 100; of lane 19 only the first word is in range.
  const stored = (at: number): number => bench.memory.u32[(bench.buffer + at) / 4]!;
  assert.equal([stored(96), stored(100), stored(104), stored(252), stored(256)], [word(96), 0, 100, 19, word(256)]);
});

test('structured buffers: index out of range', async () => {
  const bench = await MemoryBench.of('gfx906', [
    'buffer_load_dword v4, v0, s[0:3], 0 idxen offset:4',
    'buffer_load_dword v5, v0, s[0:3], 0 offen',
  ]);
  // 10 structures of 16 bytes; without an index NUM_RECORDS counts bytes.
  bench.scalars(0, ...descriptor(bench.constant, { stride: 16, records: 10 })).set(0, (lane) => lane);
  for (const register of [4, 5]) bench.set(register, () => 7);
  bench.run();
  for (const lane of [0, 9, 10, 63]) assert.is(bench.get(4, lane), lane < 10 ? word(16 * lane + 4) : 0);
  for (const lane of [0, 6, 7]) assert.is(bench.get(5, lane), lane <= 6 ? word(lane) : 0);
});

test('OOB_SELECT', async () => {
  // Lane l: index l, offset 12, 4 bytes; 8 records, stride 16 or 12.
  const cases: readonly (readonly [range: number, stride: number, records: number, lanes: number])[] = [
    [0, 16, 8, 8],
    [0, 12, 8, 0], // offset 12 is outside a structure of 12
    [1, 12, 8, 8],
    [2, 16, 8, 32],
    [2, 16, 0, 0],
    [3, 16, 8, 0], // bytes
    [3, 16, 80, 5],
  ];
  for (const [range, stride, records, lanes] of cases) {
    const bench = await MemoryBench.of('gfx1100', ['buffer_load_b32 v4, v0, s[0:3], 0 idxen offset:12']);
    bench
      .scalars(0, ...descriptor(bench.constant, { stride, records, range }))
      .set(0, (lane) => lane)
      .set(4, () => 1);
    bench.run();
    const expected = Array.from({ length: 32 }, (_, lane) => (lane < lanes ? word(stride * lane + 12) : 0));
    assert.equal(bench.row(4), expected, `${range} ${stride} ${records}`);
  }
});

test('swizzled buffers', async () => {
  // Groups of 8 structures of 16 bytes: word j of structure i at (i / 8 * 16 + 4 j) * 8 + (i % 8) * 4.
  const at = (index: number, offset: number): number =>
    (Math.floor(index / 8) * 16 + Math.floor(offset / 4) * 4) * 8 + (index % 8) * 4 + (offset % 4);
  for (const [cpu, swizzle] of [
    ['gfx906', 2],
    ['gfx1100', 1],
  ] as const) {
    const names = cpu === 'gfx906' ? ['dword', 'dwordx2', 'ubyte'] : ['b32', 'b64', 'u8'];
    const bench = await MemoryBench.of(cpu, [
      `buffer_load_${names[0]!} v4, v0, s[0:3], s8 idxen offset:8`,
      `buffer_load_${names[1]!} v[6:7], v0, s[0:3], s8 idxen offset:4`,
      `buffer_load_${names[2]!} v8, v[0:1], s[0:3], s8 idxen offen`,
    ]);
    bench.scalars(0, ...descriptor(bench.constant, { stride: 16, swizzle, records: 64, range: 1 })).scalars(8, 32);
    bench
      .set(0, (lane) => lane)
      .set(1, (lane) => lane & 15)
      .run();
    for (const lane of [0, 7, 8, 21, 31]) {
      assert.is(bench.get(4, lane), word(32 + at(lane, 8)), `${cpu} lane ${lane}`);
      assert.equal([bench.get(6, lane), bench.get(7, lane)], [word(32 + at(lane, 4)), word(32 + at(lane, 8))]);
      assert.is(bench.get(8, lane), pattern(32 + at(lane, lane & 15)));
    }
  }
  // On GFX11, elements of 16 bytes stay together.
  const wide = await MemoryBench.of('gfx1100', ['buffer_load_b128 v[4:7], v0, s[0:3], 0 idxen offset:16']);
  wide
    .scalars(0, ...descriptor(wide.constant, { stride: 32, swizzle: 3, records: 64, range: 1 }))
    .set(0, (lane) => lane);
  wide.run();
  for (const lane of [0, 9])
    assert.is(wide.value(4, lane, 4), patternValue((Math.floor(lane / 8) * 32 + 16) * 8 + (lane % 8) * 16, 16));
});

test('the number of the lane as index', async () => {
  const bench = await MemoryBench.of('gfx906', ['buffer_load_dword v4, off, s[0:3], 0 offset:4']);
  bench.scalars(0, ...descriptor(bench.constant, { stride: 8, records: BUFFER_BYTES, addsLane: true })).run();
  for (const lane of [0, 63]) assert.is(bench.get(4, lane), word(8 * lane + 4));
});

test('atomics, stores, and loads into the LDS', async () => {
  const bench = await MemoryBench.of('gfx906', [
    'buffer_atomic_add v4, v0, s[0:3], 0 offen glc',
    'buffer_atomic_smax v5, v0, s[0:3], 0 offen offset:256',
    'buffer_atomic_cmpswap v[6:7], v0, s[0:3], 0 offen offset:512 glc',
    'buffer_store_dwordx3 v[10:12], v1, s[0:3], 0 offen offset:1024',
    's_mov_b32 m0, 512',
    'buffer_load_dword off, s[0:3], s8 lds',
  ]);
  bench.scalars(0, ...descriptor(bench.buffer)).scalars(8, 4096);
  bench.set(0, (lane) => 4 * lane).set(1, (lane) => 12 * lane);
  bench.set(4, (lane) => lane).set(5, () => 0x70000000);
  // Lane 3 expects what is there.
  bench.set(6, (lane) => lane + 1000).set(7, (lane) => (lane === 3 ? word(512 + 12) : 0));
  for (const register of [10, 11, 12]) bench.set(register, (lane) => register * 100 + lane);
  bench.run();
  const at = (offset: number): number => bench.memory.u32[(bench.buffer + offset) / 4]!;
  for (const lane of [0, 3, 63]) {
    assert.is(bench.get(4, lane), word(4 * lane));
    assert.is(at(4 * lane), (word(4 * lane) + lane) >>> 0);
    assert.is(bench.get(5, lane), 0x70000000);
    assert.is(at(256 + 4 * lane), Math.max(word(256 + 4 * lane) | 0, 0x70000000));
    assert.is(bench.get(6, lane), word(512 + 4 * lane));
    assert.is(at(512 + 4 * lane), lane === 3 ? 1003 : word(512 + 4 * lane));
    assert.equal([at(1024 + 12 * lane), at(1028 + 12 * lane), at(1032 + 12 * lane)], [1000 + lane, 1100 + lane, 1200 + lane]); // prettier-ignore
    assert.is(bench.lds.u32[(512 + 4 * lane) / 4], word(4096));
  }
});

test('faults and cache lines', async () => {
  const faulty = await MemoryBench.of('gfx906', ['buffer_load_dword v4, v0, s[0:3], 0 offen']);
  faulty.scalars(0, ...descriptor(faulty.buffer, { records: 2 ** 31 })).set(0, (lane) => (lane === 4 ? 20000 : 0));
  assert.throws(
    () => faulty.run(),
    (error: unknown) => error instanceof DarmError && /20000 bytes into out.*lane 4/.test(error.message),
  );
  const bench = await MemoryBench.of('gfx906', ['buffer_load_dword v4, v0, s[0:3], 0 offen']);
  const counts = bench
    .scalars(0, ...descriptor(bench.buffer, { records: 128 }))
    .set(0, (lane) => 4 * lane)
    .run();
  assert.is(counts.transactions[0], 2, 'what is out of range touches nothing');
});

test.run();

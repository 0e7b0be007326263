import { DarmError } from '../../../src/errors.js';
import { suite, assert } from '../../support/suite.js';
import { bytesOf, MemoryBench, pattern, patternValue } from './memory-bench.js';

const test = suite('simulator/operations/ds', { tests: 12 });

/** LDS address of a lane in most tests: scattered, a multiple of 16. */
const address = (lane: number): number => ((lane * 13 + 5) & 63) * 64;

const faults = (bench: MemoryBench, message: RegExp): void => {
  assert.throws(
    () => bench.run(),
    (error: unknown) => error instanceof DarmError && message.test(error.message),
    `${message.source}`,
  );
};

interface Load {
  readonly names: readonly [gfx9: string, gfx11: string];
  readonly bytes: number;
  readonly offset: number;
  /** What a register that was 0xaabbccdd holds afterwards; null if it holds the words of memory. */
  readonly result: ((value: number) => number) | null;
}

const KEPT = 0xaabbccdd;
const LOADS: readonly Load[] = [
  { names: ['ds_read_u8', 'ds_load_u8'], bytes: 1, offset: 3, result: (v) => v },
  { names: ['ds_read_i8', 'ds_load_i8'], bytes: 1, offset: 2, result: (v) => (v > 127 ? v - 256 : v) >>> 0 },
  { names: ['ds_read_u16', 'ds_load_u16'], bytes: 2, offset: 6, result: (v) => v },
  { names: ['ds_read_i16', 'ds_load_i16'], bytes: 2, offset: 10, result: (v) => (v > 32767 ? v - 65536 : v) >>> 0 },
  { names: ['ds_read_u8_d16', 'ds_load_u8_d16'], bytes: 1, offset: 5, result: (v) => 0xaabb0000 + v },
  { names: ['ds_read_u8_d16_hi', 'ds_load_u8_d16_hi'], bytes: 1, offset: 5, result: (v) => v * 65536 + 0xccdd },
  {
    names: ['ds_read_i8_d16', 'ds_load_i8_d16'],
    bytes: 1,
    offset: 7,
    result: (v) => 0xaabb0000 + (v > 127 ? v + 0xff00 : v),
  },
  {
    names: ['ds_read_i8_d16_hi', 'ds_load_i8_d16_hi'],
    bytes: 1,
    offset: 7,
    result: (v) => (v > 127 ? v + 0xff00 : v) * 65536 + 0xccdd,
  },
  { names: ['ds_read_u16_d16', 'ds_load_u16_d16'], bytes: 2, offset: 2, result: (v) => 0xaabb0000 + v },
  { names: ['ds_read_u16_d16_hi', 'ds_load_u16_d16_hi'], bytes: 2, offset: 2, result: (v) => v * 65536 + 0xccdd },
  { names: ['ds_read_b32', 'ds_load_b32'], bytes: 4, offset: 60000, result: null },
  { names: ['ds_read_b64', 'ds_load_b64'], bytes: 8, offset: 8, result: null },
  { names: ['ds_read_b96', 'ds_load_b96'], bytes: 12, offset: 16, result: null },
  { names: ['ds_read_b128', 'ds_load_b128'], bytes: 16, offset: 32, result: null },
];

const range = (first: number, words: number): string =>
  words === 1 ? `v${first}` : `v[${first}:${first + words - 1}]`;
const CPUS = [
  ['gfx906', 0],
  ['gfx1100', 1],
] as const;

for (const [cpu, name] of CPUS)
  test(`loads of all widths, ${cpu}`, async () => {
    const lines = LOADS.map(({ names, bytes, offset }, index) => {
      const register = range(4 + 4 * index, Math.ceil(bytes / 4));
      return `${names[name]} ${register}, v0 offset:${offset}`;
    });
    const bench = await MemoryBench.of(cpu, lines, { exec: [0x7fffffff, 0xffffffff] });
    bench.set(0, address);
    LOADS.forEach((_, index) => bench.set(4 + 4 * index, () => KEPT));
    bench.run();
    LOADS.forEach(({ names, bytes, offset, result }, index) => {
      for (const lane of [0, 1, 17, 30]) {
        const expected = patternValue(address(lane) + offset, bytes);
        const words = Math.ceil(bytes / 4);
        const got = bench.value(4 + 4 * index, lane, words);
        assert.is(got, result === null ? expected : BigInt(result(Number(expected))), `${names[name]} lane ${lane}`);
      }
      assert.is(bench.get(4 + 4 * index, 31), KEPT, `${names[name]}: an inactive lane`);
    });
  });

const STORES: readonly { names: readonly [string, string]; bytes: number; shift: number; offset: number }[] = [
  { names: ['ds_write_b8', 'ds_store_b8'], bytes: 1, shift: 0, offset: 1 },
  { names: ['ds_write_b8_d16_hi', 'ds_store_b8_d16_hi'], bytes: 1, shift: 16, offset: 3 },
  { names: ['ds_write_b16', 'ds_store_b16'], bytes: 2, shift: 0, offset: 4 },
  { names: ['ds_write_b16_d16_hi', 'ds_store_b16_d16_hi'], bytes: 2, shift: 16, offset: 6 },
  { names: ['ds_write_b32', 'ds_store_b32'], bytes: 4, shift: 0, offset: 8 },
  { names: ['ds_write_b64', 'ds_store_b64'], bytes: 8, shift: 0, offset: 16 },
  { names: ['ds_write_b96', 'ds_store_b96'], bytes: 12, shift: 0, offset: 32 },
  { names: ['ds_write_b128', 'ds_store_b128'], bytes: 16, shift: 0, offset: 48 },
];
/** Word `word` of what a lane stores. */
const stored = (lane: number, word: number): number => (lane * 0x01010101 + 0x10203040 * (word + 1)) >>> 0;
const storedValue = (lane: number): bigint =>
  [3, 2, 1, 0].reduce((value, word) => (value << 32n) | BigInt(stored(lane, word)), 0n);

for (const [cpu, name] of CPUS)
  test(`stores of all widths, ${cpu}`, async () => {
    const lines = STORES.map(
      ({ names, bytes, offset }) => `${names[name]} v0, ${range(4, Math.ceil(bytes / 4))} offset:${offset}`,
    );
    const bench = await MemoryBench.of(cpu, lines, { exec: [0xfffffffe, 0xffffffff] });
    bench.set(0, address);
    for (let word = 0; word < 4; word++) bench.set(4 + word, (lane) => stored(lane, word));
    bench.run();
    const expected = Uint8Array.from({ length: 65536 }, (_, index) => pattern(index));
    for (let lane = 1; lane < bench.wave.size; lane++)
      for (const { bytes, shift, offset } of STORES)
        expected.set(bytesOf(storedValue(lane) >> BigInt(shift), bytes), address(lane) + offset);
    assert.equal(Buffer.compare(expected, bench.lds.u8), 0);
  });

for (const [cpu, read, write, swap] of [
  ['gfx906', 'ds_read2', 'ds_write2', 'ds_wrxchg2'],
  ['gfx1100', 'ds_load_2addr', 'ds_store_2addr', 'ds_storexchg_2addr'],
] as const)
  test(`two addresses, ${cpu}`, async () => {
    const far = cpu === 'gfx906' ? 'st64' : '_stride64';
    const bench = await MemoryBench.of(cpu, [
      `${read}_b32 v[0:1], v0 offset0:1 offset1:255`,
      `${read}${far}_b64 v[4:7], v2 offset0:3 offset1:1`,
      `${write}${far}_b32 v3, v8, v9 offset0:2 offset1:5`,
      `${write}_b64 v3, v[8:9], v[10:11] offset0:0 offset1:2`,
      // The result overwrites the second data.
      `${swap}_rtn_b32 v[12:13], v14, v9, v12 offset0:1 offset1:0`,
    ]);
    bench.set(0, address).set(2, address);
    bench.set(3, (lane) => 16384 + lane * 32).set(14, (lane) => 32768 + lane * 8);
    for (const register of [8, 9, 10, 11, 12]) bench.set(register, (lane) => register * 1000 + lane);
    bench.run();
    const word = (at: number): number => bench.lds.u32[at / 4]!;
    for (const lane of [0, 9, 31]) {
      assert.is(bench.get(0, lane), Number(patternValue(address(lane) + 4, 4)));
      assert.is(bench.get(1, lane), Number(patternValue(address(lane) + 1020, 4)));
      assert.is(bench.value(4, lane, 2), patternValue(address(lane) + 3 * 512, 8));
      assert.is(bench.value(6, lane, 2), patternValue(address(lane) + 512, 8));
      const at = 16384 + lane * 32;
      assert.equal([word(at), word(at + 4)], [8000 + lane, 9000 + lane]);
      assert.equal([word(at + 16), word(at + 20)], [10000 + lane, 11000 + lane]);
      assert.is(bench.get(12, lane), Number(patternValue(32768 + lane * 8 + 4, 4)));
      assert.is(bench.get(13, lane), Number(patternValue(32768 + lane * 8, 4)));
      assert.equal([word(32768 + lane * 8), word(32768 + lane * 8 + 4)], [12000 + lane, 9000 + lane]);
    }
    // 16384 + 64 * 4 * 2, over lane 16's words; lane 8's second word of the b64 stores came later.
    assert.is(word(16384 + 5 * 256 + 31 * 32), 9031);
  });

test('ds_swizzle_b32: all modes', async () => {
  const modes: readonly (readonly [offset: number, lanes: readonly number[]])[] = [
    // Quads: 3, 2, 1, 0.
    [0x8000 | 0b00_01_10_11, [3, 2, 1, 0, 7, 6, 5, 4]],
    // Bit masks: and 0x1f, xor 1; and 0x1c, or 2; and 0 or 5 (broadcast of lane 5).
    [(1 << 10) | 0x1f, [1, 0, 3, 2, 5, 4, 7, 6]],
    [(2 << 5) | 0x1c, [2, 2, 2, 2, 6, 6, 6, 6]],
    [5 << 5, [5, 5, 5, 5, 5, 5, 5, 5]],
    // Rotation by 3 over all; by -1 within groups of 4 (the mask keeps the upper bits).
    [0xc000 | (3 << 5), [3, 4, 5, 6, 7, 8, 9, 10]],
    [0xc000 | 0x400 | (1 << 5) | 0x1c, [3, 0, 1, 2, 7, 4, 5, 6]],
    // FFT: bits reversed; with mask 0x10 reversed within halves of 16.
    [0xe000, [0, 16, 8, 24, 4, 20, 12, 28]],
    [0xe010, [0, 8, 4, 12, 2, 10, 6, 14]],
  ];
  const lines = modes.map(([offset], index) => `ds_swizzle_b32 v${index + 1}, v0 offset:${offset}`);
  const bench = await MemoryBench.of('gfx906', [...lines, 'ds_swizzle_b32 v0, v0 offset:0x041f']);
  bench.set(0, (lane) => lane + 100);
  const counts = bench.run();
  modes.forEach(([offset, lanes], index) => {
    assert.equal(
      bench.row(index + 1, 8),
      lanes.map((lane) => lane + 100),
      offset.toString(16),
    );
    // The upper half by itself.
    assert.equal(
      bench.row(index + 1).slice(32, 40),
      lanes.map((lane) => lane + 132),
      offset.toString(16),
    );
  });
  assert.equal(bench.row(0, 4), [101, 100, 103, 102]);
  assert.is(counts.transactions[0], 0);
  const half = await MemoryBench.of('gfx906', ['ds_swizzle_b32 v1, v0 offset:0x041f'], { exec: [0x55555557, 0] });
  half.set(0, (lane) => lane + 100).run();
  assert.equal(half.row(1, 5), [101, 100, 0, 0, 0], 'lane 2 reads lane 3, which is inactive');
});

test('ds_permute_b32 and ds_bpermute_b32', async () => {
  const lines = ['ds_permute_b32 v2, v0, v1', 'ds_bpermute_b32 v3, v0, v1 offset:8'];
  const bench = await MemoryBench.of('gfx906', lines, { exec: [0xffffffff, 0x7fffffff] });
  bench.set(0, (lane) => 4 * ((lane * 5 + 1) % 64)).set(1, (lane) => lane + 1000);
  bench.run();
  const pushed = new Map<number, number>();
  for (let lane = 0; lane < 63; lane++) pushed.set((lane * 5 + 1) % 64, lane + 1000);
  for (let lane = 0; lane < 63; lane++) {
    assert.is(bench.get(2, lane), pushed.get(lane) ?? 0);
    const source = (lane * 5 + 3) % 64;
    assert.is(bench.get(3, lane), source === 63 ? 0 : source + 1000);
  }
  assert.is(bench.get(2, 63), 0);

  // All push to lane 7: the highest wins. Bits above the lane number do not count.
  const many = await MemoryBench.of('gfx1100', ['ds_permute_b32 v1, v0, v1', 'ds_bpermute_b32 v3, v2, v2']);
  many
    .set(0, () => 28)
    .set(1, (lane) => lane + 5)
    .set(2, (lane) => 4 * lane + 4 + 128);
  many.run();
  assert.equal(many.row(1, 9), [0, 0, 0, 0, 0, 0, 0, 36, 0]);
  assert.equal(many.row(3, 3), [136, 140, 144]);
  assert.is(many.get(3, 31), 132);

  // Only within halves in the 64-lane waves of RDNA.
  const wide = await MemoryBench.of('gfx1100', ['ds_bpermute_b32 v3, v0, v1'], { waveSize: 64 });
  wide.set(0, (lane) => 4 * (lane ^ 32)).set(1, (lane) => lane);
  wide.run();
  assert.equal([wide.get(3, 3), wide.get(3, 35)], [3, 35]);
});

test('counters, addresses by lane, nothing, and what is not there', async () => {
  const lines = [
    's_mov_b32 m0, 0x100',
    'ds_append v0 offset:8',
    'ds_consume v1 offset:8',
    'ds_append v2 offset:12',
    'ds_read_addtid_b32 v3 offset:16',
    'ds_write_addtid_b32 v4 offset:1024',
    'ds_nop',
  ];
  const bench = await MemoryBench.of('gfx906', lines, { exec: [0xf0, 1] });
  bench.set(4, (lane) => lane * 3).run();
  const first = Number(patternValue(0x108, 4));
  assert.equal([bench.get(0, 4), bench.get(0, 32), bench.get(0, 0)], [first, first, 0]);
  assert.is(bench.get(1, 7), first + 5);
  assert.is(bench.lds.u32[0x108 / 4], first);
  assert.is(bench.lds.u32[0x10c / 4], Number(patternValue(0x10c, 4)) + 5);
  assert.is(bench.get(3, 6), Number(patternValue(0x110 + 24, 4)));
  assert.is(bench.lds.u32[(0x500 + 20) / 4], 15);
  assert.is(bench.lds.u32[0x500 / 4], Number(patternValue(0x500, 4)));
  faults(await MemoryBench.of('gfx906', ['ds_gws_barrier v0 gds']), /no global data share/);
  faults(await MemoryBench.of('gfx906', ['ds_read_b32 v1, v0 gds']), /global data share/);
});

test('faults: range, alignment, never written', async () => {
  const at = async (line: string, value: number, lds = 4096): Promise<MemoryBench> => {
    const bench = await MemoryBench.of('gfx906', [line], { lds });
    return bench.set(0, (lane) => (lane === 3 ? value : 64));
  };
  (await at('ds_read_b32 v1, v0', 4092)).run();
  faults(await at('ds_read_b32 v1, v0', 4096), /a read of 4 bytes at LDS address 4096, of which .* 4096 bytes.*lane 3/);
  faults(await at('ds_read_b32 v1, v0 offset:4', 4092), /LDS address 4096/);
  faults(await at('ds_write_b64 v0, v[2:3]', 4092), /a write of 8 bytes at LDS address 4092/);
  faults(await at('ds_read_u8 v1, v0', -1), /LDS address 4294967295/);
  faults(await at('ds_read2_b32 v[2:3], v0 offset1:1', 4092), /LDS address 4096/);
  // A sum below 2^32 may wrap around.
  (await at('ds_read_b32 v1, v0 offset:16', -16)).run();
  faults(await at('ds_read_b32 v1, v0', 66), /at LDS address 66, which is no multiple of 4.*lane 3/);
  faults(await at('ds_read_b64 v[2:3], v0', 68), /no multiple of 8/);
  faults(await at('ds_read_b128 v[4:7], v0', 72), /no multiple of 16/);
  faults(await at('ds_read_u16 v1, v0', 65), /no multiple of 2/);
  faults(await at('ds_write2_b64 v0, v[2:3], v[4:5] offset1:1', 68), /no multiple of 8/);
  faults(await at('ds_add_u32 v0, v1', 66), /an atomic of 4 bytes at LDS address 66, which is no multiple of 4/);

  const relaxed = await at('ds_read_b64 v[2:3], v0', 67);
  relaxed.lds.unaligned = true;
  relaxed.run();
  assert.is(relaxed.value(2, 3, 2), patternValue(67, 8));
  const store = await at('ds_write_b32 v0, v1', 67);
  store.lds.unaligned = true;
  store.set(1, () => 0x04030201).run();
  // Byte 67 is overwritten by the lanes behind lane 3.
  assert.equal([...store.lds.u8.subarray(66, 72)], [3, 4, 2, 3, 4, pattern(71)]);
  const atomic = await at('ds_add_u32 v0, v1', 66);
  atomic.lds.unaligned = true;
  faults(atomic, /no multiple of 4/);

  const lines = ['ds_write_b16 v0, v1', 'ds_read_u16 v2, v0', 'ds_read_b32 v2, v0'];
  const tracked = await MemoryBench.of('gfx906', lines, { tracked: true });
  tracked.set(0, (lane) => 8 * lane);
  faults(tracked, /a read of 4 bytes at LDS address 0: byte 2 was never written \[.*ds_read_b32.*lane 0\]/);
});

test('passes over the banks', async () => {
  // 64 lanes. Words are numbered by address / 4.
  const cases: readonly (readonly [line: string, address: (lane: number) => number, passes: number])[] = [
    ['ds_read_b32 v1, v0', (lane) => 4 * lane, 2],
    ['ds_read_b32 v1, v0', () => 64, 2], // one word for all
    ['ds_read_b32 v1, v0', (lane) => 8 * lane, 4], // 2 words in each of 16 banks
    ['ds_read_b32 v1, v0', (lane) => 128 * lane, 64], // all in bank 0
    ['ds_read_b32 v1, v0', (lane) => 132 * lane, 2], // the usual padding
    ['ds_read_b32 v1, v0', (lane) => 128 * (lane & 3), 8], // 4 words of one bank, 8 lanes each
    ['ds_read_b32 v1, v0', (lane) => (lane === 40 ? 128 : 0), 3],
    ['ds_read_u8 v1, v0', (lane) => lane, 2], // 8 words in each half
    ['ds_read_b64 v[2:3], v0', (lane) => 8 * lane, 4], // 16 lanes a pass
    ['ds_read_b64 v[2:3], v0', (lane) => 16 * lane, 8],
    ['ds_read_b128 v[4:7], v0', (lane) => 16 * lane, 8], // 8 lanes a pass
    ['ds_read_b128 v[4:7], v0', () => 0, 8],
    ['ds_read2_b32 v[2:3], v0 offset1:1', (lane) => 8 * lane, 4],
    ['ds_read2_b32 v[2:3], v0 offset1:32', (lane) => 4 * lane, 8], // both in the same bank
    ['ds_write_b32 v0, v1', (lane) => 4 * (lane ^ 1), 2],
    ['ds_add_u32 v0, v1', (lane) => 4 * lane, 2],
    ['ds_add_u32 v0, v1', () => 0, 2], // lanes that wait are no passes
  ];
  for (const [line, where, passes] of cases) {
    const bench = await MemoryBench.of('gfx906', [line]);
    const counts = bench.set(0, where).run();
    assert.is(counts.transactions[0], passes, `${line} ${where.toString()}`);
  }
  const some = await MemoryBench.of('gfx906', ['ds_read_b32 v1, v0'], { exec: [0, 0xff] });
  assert.is(some.set(0, (lane) => 256 * lane).run().transactions[0], 8);
  assert.is(some.lds.bankConflicts, 7);
  const small = await MemoryBench.of('gfx1100', ['ds_load_b32 v1, v0']);
  assert.is(small.set(0, (lane) => 4 * lane).run().transactions[0], 1);
  assert.is(small.lds.bankConflicts, 0);
});

test('accumulation registers take part', async () => {
  const bench = await MemoryBench.of('gfx90a', ['ds_read_b64 a[0:1], v0', 'ds_write_b64 v0, a[0:1] offset:4096']);
  bench.set(0, (lane) => 8 * lane).run();
  for (const lane of [0, 63])
    for (let index = 0; index < 8; index++) assert.is(bench.lds.u8[4096 + 8 * lane + index], pattern(8 * lane + index));
});

test.run();

import { DarmError } from '../../../src/errors.js';
import { suite, assert } from '../../support/suite.js';
import { ADDRESS_HIGH, BUFFER_BYTES, bytesOf, MemoryBench, pattern, patternValue } from './memory-bench.js';

const test = suite('simulator/operations/global', { tests: 9 });

const faults = (bench: MemoryBench, message: RegExp): void => {
  assert.throws(
    () => bench.run(),
    (error: unknown) => error instanceof DarmError && message.test(error.message),
    message.source,
  );
};

/** Offset of a lane into the buffers: scattered and not aligned. */
const place = (lane: number): number => ((lane * 29 + 3) & 63) * 64 + (lane & 3);
const KEPT = 0xaabbccdd;
const range = (first: number, words: number): string =>
  words === 1 ? `v${first}` : `v[${first}:${first + words - 1}]`;

/** What a load leaves in a register that held KEPT; null if it holds the words of memory. */
type Result = ((value: number) => number) | null;
const signed = (bits: number) => (v: number) => (v >= 2 ** (bits - 1) ? v - 2 ** bits : v) >>> 0;
const extended = (v: number): number => (v > 127 ? v + 0xff00 : v);

const LOADS: readonly (readonly [gfx9: string, gfx11: string, bytes: number, result: Result])[] = [
  ['ubyte', 'u8', 1, (v) => v],
  ['sbyte', 'i8', 1, signed(8)],
  ['ushort', 'u16', 2, (v) => v],
  ['sshort', 'i16', 2, signed(16)],
  ['ubyte_d16', 'd16_u8', 1, (v) => 0xaabb0000 + v],
  ['ubyte_d16_hi', 'd16_hi_u8', 1, (v) => v * 65536 + 0xccdd],
  ['sbyte_d16', 'd16_i8', 1, (v) => 0xaabb0000 + extended(v)],
  ['sbyte_d16_hi', 'd16_hi_i8', 1, (v) => extended(v) * 65536 + 0xccdd],
  ['short_d16', 'd16_b16', 2, (v) => 0xaabb0000 + v],
  ['short_d16_hi', 'd16_hi_b16', 2, (v) => v * 65536 + 0xccdd],
  ['dword', 'b32', 4, null],
  ['dwordx2', 'b64', 8, null],
  ['dwordx3', 'b96', 12, null],
  ['dwordx4', 'b128', 16, null],
];

for (const cpu of ['gfx906', 'gfx1100', 'gfx1030'])
  test(`loads of all widths, ${cpu}`, async () => {
    const lines = LOADS.flatMap(([gfx9, gfx11, bytes], index) => {
      const name = cpu === 'gfx1100' ? gfx11 : gfx9;
      const words = Math.ceil(bytes / 4);
      return [
        `global_load_${name} ${range(20 + 4 * index, words)}, v[0:1], off offset:${index - 8}`,
        `global_load_${name} ${range(84 + 4 * index, words)}, v2, s[2:3] offset:-1024`,
      ];
    });
    const bench = await MemoryBench.of(cpu, lines, { exec: [0xfffeffff, 0xffffffff] });
    bench.setAddress(0, (lane) => bench.constant + 8 + place(lane)).set(2, place);
    bench.scalars(2, bench.constant + 1024, ADDRESS_HIGH);
    for (let register = 20; register < 148; register++) bench.set(register, () => KEPT);
    bench.run();
    LOADS.forEach(([name, , bytes, result], index) => {
      const words = Math.ceil(bytes / 4);
      for (const lane of [0, 1, 2, 15, 31])
        for (const [register, at] of [
          [20 + 4 * index, place(lane) + index],
          [84 + 4 * index, place(lane)],
        ] as const) {
          const value = patternValue(at, bytes);
          const expected = result === null ? value : BigInt(result(Number(value)));
          assert.is(bench.value(register, lane, words), expected, `${name} lane ${lane}`);
        }
      assert.is(bench.get(20 + 4 * index, 16), KEPT);
    });
  });

const STORES: readonly (readonly [gfx9: string, gfx11: string, bytes: number, shift: number, offset: number])[] = [
  ['byte', 'b8', 1, 0, 0],
  ['byte_d16_hi', 'd16_hi_b8', 1, 16, 1],
  ['short', 'b16', 2, 0, 2],
  ['short_d16_hi', 'd16_hi_b16', 2, 16, 4],
  ['dword', 'b32', 4, 0, 6],
  ['dwordx2', 'b64', 8, 0, 10],
  ['dwordx3', 'b96', 12, 0, 18],
  ['dwordx4', 'b128', 16, 0, 30],
];
const stored = (lane: number, word: number): number => (lane * 0x01010101 + 0x10203040 * (word + 1)) >>> 0;

for (const cpu of ['gfx906', 'gfx1100'])
  test(`stores of all widths, ${cpu}`, async () => {
    const lines = STORES.map(([gfx9, gfx11, bytes, , offset], index) => {
      const name = `global_store_${cpu === 'gfx906' ? gfx9 : gfx11}`;
      const data = range(4, Math.ceil(bytes / 4));
      return index % 2 === 0
        ? `${name} v[0:1], ${data}, off offset:${offset}`
        : `${name} v2, ${data}, s[2:3] offset:${offset}`;
    });
    const bench = await MemoryBench.of(cpu, lines, { exec: [0xfffffffe, 0xffffffff] });
    bench
      .setAddress(0, (lane) => bench.buffer + place(lane))
      .set(2, place)
      .scalars(2, bench.buffer, ADDRESS_HIGH);
    for (let word = 0; word < 4; word++) bench.set(4 + word, (lane) => stored(lane, word));
    bench.run();
    const expected = Uint8Array.from({ length: BUFFER_BYTES }, (_, index) => pattern(index));
    for (let lane = 1; lane < bench.wave.size; lane++)
      for (const [, , bytes, shift, offset] of STORES) {
        const value = [3, 2, 1, 0].reduce((sum, word) => (sum << 32n) | BigInt(stored(lane, word)), 0n);
        expected.set(bytesOf(value >> BigInt(shift), bytes), place(lane) + offset);
      }
    assert.equal(Buffer.compare(expected, bench.memory.u8.subarray(bench.buffer, bench.buffer + BUFFER_BYTES)), 0);
  });

test('addresses: carries, a result over its own address, words by lane', async () => {
  const bench = await MemoryBench.of('gfx906', [
    'global_load_dword v4, v[0:1], off offset:-16', // borrows from the upper word
    'global_load_dword v5, v2, s[2:3]', // carries into it
    'global_load_dwordx2 v[6:7], v[6:7], off',
  ]);
  // Nothing is mapped at either end of the 4 GiB, so both cases go through the end by the register offset.
  bench.setAddress(0, (lane) => bench.buffer + 16 + 4 * lane);
  bench.set(2, (lane) => bench.buffer + 0x1000 + 4 * lane).scalars(2, 0xfffff000, ADDRESS_HIGH - 1);
  bench.setAddress(6, (lane) => bench.constant + 8 * lane);
  bench.run();
  for (const lane of [0, 63]) {
    assert.is(bench.get(4, lane), Number(patternValue(4 * lane, 4)));
    assert.is(bench.get(5, lane), Number(patternValue(4 * lane, 4)));
    assert.is(bench.value(6, lane, 2), patternValue(8 * lane, 8));
  }
  const rdna = await MemoryBench.of('gfx1100', [
    'global_load_addtid_b32 v1, s[2:3] offset:8',
    'global_store_addtid_b32 v2, s[4:5]',
  ]);
  rdna.scalars(2, rdna.constant, ADDRESS_HIGH, rdna.buffer + 512, ADDRESS_HIGH).set(2, (lane) => lane + 7);
  rdna.run();
  assert.is(rdna.get(1, 31), Number(patternValue(8 + 124, 4)));
  assert.is(rdna.memory.u32[(rdna.buffer + 512 + 40) / 4], 17);
});

test('loads into the LDS', async () => {
  const bench = await MemoryBench.of('gfx942', [
    's_mov_b32 m0, 256',
    'global_load_lds_dword v[0:1], off offset:4',
    's_mov_b32 m0, 1024',
    'global_load_lds_sbyte v2, s[2:3]',
  ], { exec: [0xffffffff, 0x7fffffff] }); // prettier-ignore
  bench.setAddress(0, (lane) => bench.constant + 8 * lane).set(2, (lane) => 3 * lane);
  bench.scalars(2, bench.constant, ADDRESS_HIGH).run();
  for (const lane of [0, 5, 62]) {
    assert.is(bench.lds.u32[(260 + 4 * lane) / 4], Number(patternValue(8 * lane + 4, 4)));
    assert.is(bench.lds.u32[(1024 + 4 * lane) / 4], signed(8)(pattern(3 * lane)));
  }
  assert.is(bench.lds.u32[(260 + 252) / 4], Number(patternValue(512, 4)), 'lane 63 is not active');
});

test('faults', async () => {
  const at = async (line: string, offset: number, high = ADDRESS_HIGH): Promise<MemoryBench> => {
    const bench = await MemoryBench.of('gfx906', [line]);
    return bench.setAddress(0, (lane) => bench.buffer + (lane === 9 ? offset : 0)).set(1, (lane) => (lane === 9 ? high : ADDRESS_HIGH)); // prettier-ignore
  };
  (await at('global_load_dword v2, v[0:1], off', BUFFER_BYTES - 4)).run();
  faults(await at('global_load_dword v2, v[0:1], off', BUFFER_BYTES - 3), /a read of 4 bytes .* 16381 bytes into out, which has 16384.*lane 9/); // prettier-ignore
  faults(
    await at('global_store_dwordx4 v[0:1], v[4:7], off offset:4', BUFFER_BYTES - 16),
    /a write of 16 bytes .*lane 9/,
  );
  faults(await at('global_load_ubyte v2, v[0:1], off offset:-1', 0), /no memory of this launch.*lane 0/);
  faults(await at('global_load_ubyte v2, v[0:1], off', 0, 0), /no memory of this launch.*lane 9/);
  faults(await at('global_load_ubyte v2, v[0:1], off', 0, 0xffff7f00), /no memory of this launch.*lane 9/);
  const constant = await MemoryBench.of('gfx906', ['global_store_byte v[0:1], v2, off']);
  faults(
    constant.setAddress(0, () => constant.constant),
    /in is read-only.*lane 0/,
  );
  // Inactive lanes may hold anything.
  const some = await MemoryBench.of('gfx906', ['global_load_dword v2, v[0:1], off'], { exec: [1, 0] });
  some.setAddress(0, (lane) => (lane === 0 ? some.buffer : 0)).run();
});

test('cache lines', async () => {
  // Lines of 64 bytes on gfx906, of 128 on gfx1100 (32 lanes) and gfx942; the buffer begins with a line.
  type Where = (lane: number) => number;
  const cases: readonly (readonly [width: number, where: Where, gfx906: number, gfx1100: number, gfx942: number])[] = [
    [1, (lane) => 4 * lane, 4, 1, 2],
    [1, () => 100, 1, 1, 1],
    [1, (lane) => 4 * lane + 32, 5, 2, 3],
    [1, (lane) => 64 * lane, 64, 16, 32],
    [1, (lane) => 128 * (lane & 1), 2, 2, 2],
    [1, (lane) => 4 * (63 - lane), 4, 1, 2],
    [1, (lane) => 256 * lane + 126, 128, 32 + 32, 128], // each across a line
    [2, (lane) => 8 * lane, 8, 2, 4],
    [4, (lane) => 16 * lane, 16, 4, 8],
    [4, (lane) => 16 * lane + 8, 17, 5, 9],
    [4, (lane) => 64 * (lane & 7), 8, 4, 4],
  ];
  const names = ['dword', 'dwordx2', '', 'dwordx4'];
  for (const [index, cpu] of ['gfx906', 'gfx1100', 'gfx942'].entries()) {
    const lines = cases.map(([width], k) => {
      const name = cpu === 'gfx1100' ? `b${32 * width}` : names[width - 1]!;
      return `global_load_${name} ${range(100, width)}, v[${2 * k}:${2 * k + 1}], off`;
    });
    const bench = await MemoryBench.of(cpu, lines);
    cases.forEach(([, where], k) => bench.setAddress(2 * k, (lane) => bench.buffer + where(lane)));
    const counts = bench.run();
    cases.forEach(([width, where, ...expected], k) =>
      assert.is(counts.transactions[k], expected[index], `${cpu} ${width} ${where.toString()}`),
    );
  }
});

test.run();

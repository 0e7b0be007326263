import { DarmError } from '../../../src/errors.js';
import { suite, assert } from '../../support/suite.js';
import { MemoryBench } from './memory-bench.js';

const test = suite('simulator/operations/atomics', { tests: 12 });

/** The new value; all unsigned, `signed` makes it signed. The result is cut to the width. */
type Truth = (old: bigint, data: bigint, second: bigint, signed: (value: bigint) => bigint) => bigint;

const INTEGER: Readonly<Record<string, Truth>> = {
  add: (old, data) => old + data,
  sub: (old, data) => old - data,
  rsub: (old, data) => data - old,
  smin: (old, data, _, signed) => (signed(old) < signed(data) ? old : data),
  smax: (old, data, _, signed) => (signed(old) > signed(data) ? old : data),
  umin: (old, data) => (old < data ? old : data),
  umax: (old, data) => (old > data ? old : data),
  and: (old, data) => old & data,
  or: (old, data) => old | data,
  xor: (old, data) => old ^ data,
  inc: (old, data) => (old >= data ? 0n : old + 1n),
  dec: (old, data) => (old === 0n || old > data ? data : old - 1n),
  swap: (_, data) => data,
  cmpswap: (old, data, second) => (old === second ? data : old),
  mskor: (old, data, second) => (old & ~data) | second,
  wrap: (old, data, second) => (old >= data ? old - data : old + second),
  csub: (old, data) => (data > old ? 0n : old - data),
};

interface Case {
  readonly line: (result: string, address: string, data: string, second: string) => string;
  readonly truth: string;
  readonly words: 1 | 2;
}

const HARD = [0n, 1n, 2n, 0x7fffffffn, 0x80000000n, 0xffffffffn, 0x100000000n, 0x7fffffffffffffffn,
  0x8000000000000000n, 0xffffffffffffffffn, 0xfffffffffffffffen, 0x12345678_9abcdef0n]; // prettier-ignore
const old = (lane: number): bigint => HARD[lane % 12]!;
const data = (lane: number): bigint => HARD[Math.floor(lane / 5) % 12]!;
const second = (lane: number): bigint => HARD[(lane * 7) % 12]!;

/** Checks every case on one machine: the LDS's or the buffer's double word number 64 c + lane is case c's. */
async function check(cpu: string, cases: readonly Case[], inLds: boolean, shared = false): Promise<void> {
  const lines = cases.map(({ line, words }, index) => {
    const many = (first: number, count: number): string =>
      count === 1 ? `v${first}` : `v[${first}:${first + count - 1}]`;
    const address = 32 + 2 * index;
    return line(
      many(100 + 2 * index, words),
      inLds ? `v${address}` : `v[${address}:${address + 1}]`,
      many(4, words),
      many(6, words),
    );
  });
  const bench = await MemoryBench.of(cpu, lines, { shared });
  const { size } = bench.wave;
  const start = inLds ? 0 : bench.buffer;
  const view = new DataView(inLds ? bench.lds.u8.buffer : bench.memory.buffer);
  const place = (index: number, lane: number): number => start + 8 * (size * index + lane);
  cases.forEach((_, index) => {
    for (let lane = 0; lane < size; lane++) view.setBigUint64(place(index, lane), old(lane), true);
    if (inLds) bench.set(32 + 2 * index, (lane) => place(index, lane));
    else bench.setAddress(32 + 2 * index, (lane) => place(index, lane));
    bench.set(100 + 2 * index, () => 0xdeadbeef);
  });
  const part = (value: bigint, shift: bigint): number => Number((value >> shift) & 0xffffffffn);
  const fill = (words: 1 | 2): void => {
    // Pairs for the comparing global atomics: data, then second data.
    bench.set(4, (lane) => part(data(lane), 0n));
    bench.set(5, (lane) => part(words === 1 ? second(lane) : data(lane), words === 1 ? 0n : 32n));
    bench.set(6, (lane) => part(second(lane), 0n)).set(7, (lane) => part(second(lane), 32n));
  };
  fill(cases[0]!.words);
  bench.run();
  cases.forEach(({ line, truth, words }, index) => {
    const bits = 32 * words;
    const cut = (value: bigint): bigint => BigInt.asUintN(bits, value);
    const signed = (value: bigint): bigint => BigInt.asIntN(bits, value);
    for (let lane = 0; lane < size; lane++) {
      const name = `${cpu} ${line('d', 'a', 'b', 'c')} lane ${lane}`;
      const expected = cut(INTEGER[truth]!(cut(old(lane)), cut(data(lane)), cut(second(lane)), signed));
      assert.is(cut(view.getBigUint64(place(index, lane), true)), expected, name);
      if (words === 1) assert.is(view.getUint32(place(index, lane) + 4, true), part(old(lane), 32n), name);
      const returns = line('d', 'a', 'b', 'c').includes('d, a');
      assert.is(cut(bench.value(100 + 2 * index, lane, words)), returns ? cut(old(lane)) : cut(0xdeadbeefdeadbeefn & (words === 1 ? 0xffffffffn : 0xffffffffn)), name); // prettier-ignore
    }
  });
}

/** `ds_add_rtn_u32 d, a, b`, and without `_rtn`. */
function dsCases(type: readonly [string, string, string], words: 1 | 2, generation: 9 | 11): Case[] {
  const [u, i, b] = type;
  const names: readonly (readonly [string, string, string])[] = [
    ['add', 'add', u], ['sub', 'sub', u], ['rsub', 'rsub', u], ['smin', 'min', i], ['smax', 'max', i],
    ['umin', 'min', u], ['umax', 'max', u], ['and', 'and', b], ['or', 'or', b], ['xor', 'xor', b],
    ['inc', 'inc', u], ['dec', 'dec', u],
  ]; // prettier-ignore
  const cases = names.flatMap(([truth, name, suffix]): Case[] => [
    { truth, words, line: (d, a, x) => `ds_${name}_rtn_${suffix} ${d}, ${a}, ${x}` },
    { truth, words, line: (_, a, x) => `ds_${name}_${suffix} ${a}, ${x}` },
  ]);
  cases.push({ truth: 'mskor', words, line: (d, a, x, y) => `ds_mskor_rtn_${b} ${d}, ${a}, ${x}, ${y}` });
  if (words === 1)
    cases.push({ truth: 'wrap', words, line: (d, a, x, y) => `ds_wrap_rtn_${b} ${d}, ${a}, ${x}, ${y}` });
  // GFX11 exchanged the operands of the comparison.
  cases.push(
    generation === 9
      ? { truth: 'cmpswap', words, line: (d, a, x, y) => `ds_cmpst_rtn_${b} ${d}, ${a}, ${y}, ${x}` }
      : { truth: 'cmpswap', words, line: (d, a, x, y) => `ds_cmpstore_rtn_${b} ${d}, ${a}, ${x}, ${y}` },
  );
  const swap = generation === 9 ? 'wrxchg' : 'storexchg';
  cases.push({ truth: 'swap', words, line: (d, a, x) => `ds_${swap}_rtn_${b} ${d}, ${a}, ${x}` });
  return cases;
}

test('LDS, 32 bits', async () => {
  await check('gfx906', dsCases(['u32', 'i32', 'b32'], 1, 9), true);
  await check('gfx1100', dsCases(['u32', 'i32', 'b32'], 1, 11), true);
});

test('LDS, 64 bits', async () => {
  await check('gfx906', dsCases(['u64', 'i64', 'b64'], 2, 9), true);
  await check('gfx1100', dsCases(['u64', 'i64', 'b64'], 2, 11), true);
});

function globalCases(prefix: string, words: 1 | 2, generation: 9 | 11, off: string): Case[] {
  const names: readonly (readonly [string, string, string])[] = [
    ['swap', 'swap', 'b'], ['add', 'add', 'u'], ['sub', 'sub', 'u'], ['smin', 'min', 'i'], ['umin', 'min', 'u'],
    ['smax', 'max', 'i'], ['umax', 'max', 'u'], ['and', 'and', 'b'], ['or', 'or', 'b'], ['xor', 'xor', 'b'],
    ['inc', 'inc', 'u'], ['dec', 'dec', 'u'], ['cmpswap', 'cmpswap', 'b'],
  ]; // prettier-ignore
  return names.flatMap(([truth, name, letter]): Case[] => {
    const mnemonic = generation === 9 ? `${truth}${words === 2 ? '_x2' : ''}` : `${name}_${letter}${32 * words}`;
    const operand = truth !== 'cmpswap' ? (x: string) => x : () => `v[4:${words === 1 ? 5 : 7}]`;
    return [
      { truth, words, line: (d, a, x) => `${prefix}_atomic_${mnemonic} ${d}, ${a}, ${operand(x)}${off} glc` },
      { truth, words, line: (_, a, x) => `${prefix}_atomic_${mnemonic} ${a}, ${operand(x)}${off}` },
    ];
  });
}

test('global and flat, 32 bits', async () => {
  await check('gfx906', globalCases('global', 1, 9, ', off'), false);
  await check('gfx906', globalCases('flat', 1, 9, ''), false);
  await check('gfx1100', globalCases('global', 1, 11, ', off'), false);
});

test('global and flat, 64 bits', async () => {
  await check('gfx906', globalCases('global', 2, 9, ', off'), false);
  await check('gfx1100', globalCases('flat', 2, 11, ''), false);
});

test('memory that threads share', async () => {
  await check('gfx906', globalCases('global', 1, 9, ', off'), false, true);
  await check('gfx906', globalCases('global', 2, 9, ', off'), false, true);
});

test('subtraction that stays at 0', async () => {
  const line = (d: string, a: string, x: string): string => `global_atomic_csub ${d}, ${a}, ${x}, off glc`;
  await check('gfx1030', [{ truth: 'csub', words: 1, line }], false);
});

test('lanes go in ascending order', async () => {
  const lines = [
    'ds_add_rtn_u32 v2, v0, v1',
    'ds_inc_rtn_u32 v3, v0, v5 offset:4',
    'global_atomic_add_x2 v[6:7], v[8:9], v[10:11], off glc',
  ];
  const bench = await MemoryBench.of('gfx906', lines, { exec: [0xfffffff0, 0xffffffff] });
  bench.lds.u32[0] = 100;
  bench.lds.u32[1] = 0;
  bench.memory.u32.fill(0xffffffff, bench.buffer / 4, bench.buffer / 4 + 2);
  bench
    .set(1, (lane) => lane)
    .set(5, () => 9)
    .setAddress(8, () => bench.buffer)
    .set(10, () => 1)
    .set(11, () => 0);
  bench.run();
  let sum = 100;
  for (let lane = 4; lane < 64; lane++) {
    assert.is(bench.get(2, lane), sum);
    sum += lane;
    assert.is(bench.get(3, lane), (lane - 4) % 10);
    assert.is(bench.value(6, lane, 2), lane === 4 ? 0xffffffffffffffffn : BigInt(lane - 5));
  }
  assert.is(bench.lds.u32[0], sum);
});

const f32 = new DataView(new ArrayBuffer(8));
const bitsOf32 = (value: number): number => (f32.setFloat32(0, value), f32.getUint32(0));
const bitsOf64 = (value: number): bigint => (f32.setFloat64(0, value), f32.getBigUint64(0));
const NAN = 0x7fc00000;
const DENORMAL = 0x00000001;

/**
 * old, data, expected sum with denormals kept, minimum, maximum, and compare-and-swap with data for what equals second.
 */
const FLOATS: readonly (readonly [old: number, data: number, sum: number, min: number, max: number])[] = [
  [bitsOf32(1.5), bitsOf32(2.25), bitsOf32(3.75), bitsOf32(1.5), bitsOf32(2.25)],
  [bitsOf32(16777216), bitsOf32(1), bitsOf32(16777216), bitsOf32(1), bitsOf32(16777216)], // halfway, to even
  [bitsOf32(16777218), bitsOf32(1), bitsOf32(16777220), bitsOf32(1), bitsOf32(16777218)],
  [0x80000000, 0, 0, 0x80000000, 0],
  [0, 0x80000000, 0, 0x80000000, 0],
  [NAN, bitsOf32(1), NAN, bitsOf32(1), bitsOf32(1)],
  [bitsOf32(-2), NAN, NAN, bitsOf32(-2), bitsOf32(-2)],
  [0x7f7fffff, 0x7f7fffff, 0x7f800000, 0x7f7fffff, 0x7f7fffff],
  [0x7f800000, 0xff800000, NAN, 0xff800000, 0x7f800000],
  [DENORMAL, DENORMAL, 2, DENORMAL, DENORMAL],
  [0x00800000, 0x80000001, 0x007fffff, 0x80000001, 0x00800000],
];

test('f32 in the LDS and in memory', async () => {
  const lines = [
    'ds_add_rtn_f32 v2, v0, v1',
    'ds_min_rtn_f32 v3, v0, v1 offset:1024',
    'ds_max_f32 v0, v1 offset:2048',
    'ds_cmpst_rtn_f32 v5, v0, v4, v1 offset:3072',
  ];
  const bench = await MemoryBench.of('gfx906', lines);
  const flushing = await MemoryBench.of('gfx906', ['ds_add_f32 v0, v1']);
  flushing.wave.mode.denormF32 = 0;
  flushing.wave.modeChanged();
  const atomicAdd = async (cpu: string): Promise<MemoryBench> =>
    MemoryBench.of(cpu, ['global_atomic_add_f32 v[6:7], v1, off']);
  const memory = [await atomicAdd('gfx90a'), await atomicAdd('gfx942'), await atomicAdd('gfx1100')];
  const minmax = await MemoryBench.of('gfx1100', [
    'global_atomic_min_f32 v[6:7], v1, off',
    'global_atomic_max_f32 v[6:7], v1, off offset:1024',
    'global_atomic_cmpswap_f32 v2, v[6:7], v[4:5], off offset:2048 glc',
  ]);
  const row = (lane: number): (typeof FLOATS)[0] => FLOATS[lane % FLOATS.length]!;
  for (const each of [bench, flushing, ...memory, minmax]) {
    each.set(0, (lane) => 4 * lane).set(1, (lane) => row(lane)[1]);
    each.setAddress(6, (lane) => each.buffer + 4 * lane).set(4, (lane) => row(lane)[0]);
    for (let k = 0; k < 4; k++)
      for (let lane = 0; lane < each.wave.size; lane++) {
        each.lds.u32[256 * k + lane] = row(lane)[0];
        each.memory.u32[each.buffer / 4 + 256 * k + lane] = row(lane)[0];
      }
  }
  minmax.set(4, (lane) => row(lane)[1]).set(5, (lane) => (row(lane)[0] === 0 ? 0x80000000 : row(lane)[0]));
  for (const each of [bench, flushing, ...memory, minmax]) each.run();
  const isDenormal = (bits: number): boolean => (bits & 0x7f800000) === 0;
  const flushed = (bits: number): number => (isDenormal(bits) ? (bits & 0x80000000) >>> 0 : bits);
  FLOATS.forEach(([old, data, sum, min, max], lane) => {
    const name = `${old.toString(16)}, ${data.toString(16)}`;
    const where = (k: number): number => 256 * k + lane;
    assert.is(bench.get(2, lane), old, name);
    assert.is(bench.lds.u32[where(0)], sum, name);
    assert.is(bench.lds.u32[where(1)], min, name);
    assert.is(bench.lds.u32[where(2)], max, name);
    assert.is(bench.lds.u32[where(3)], old === NAN ? old : data, name);
    assert.is(bench.get(5, lane), old, name);
    // With denormals flushed: of the table only the last two rows change.
    const small = lane === 9 ? 0 : lane === 10 ? 0x00800000 : flushed(sum);
    assert.is(flushing.lds.u32[lane], small, name);
    const inMemory = (each: MemoryBench, k = 0): number => each.memory.u32[each.buffer / 4 + where(k)]!;
    assert.is(inMemory(memory[0]!), small, name);
    assert.is(inMemory(memory[1]!), sum, name);
    assert.is(inMemory(memory[2]!), small, name);
    assert.is(inMemory(minmax), min, name);
    assert.is(inMemory(minmax, 1), max, name);
    assert.is(inMemory(minmax, 2), old === NAN ? old : data, name);
  });
});

test('f64', async () => {
  const table: readonly (readonly [number, number])[] = [
    [1.5, 2.25], [2 ** 53, 1], [2 ** 53 + 2, 1], [-0, 0], [5e-324, 5e-324], [Infinity, 1], [1e308, 1e308], [-3, -3.5],
  ]; // prettier-ignore
  const lines = [
    'ds_add_rtn_f64 v[2:3], v0, v[4:5]',
    'ds_min_f64 v0, v[4:5] offset:1024',
    'global_atomic_add_f64 v[6:7], v[4:5], off',
    'global_atomic_max_f64 v[10:11], v[6:7], v[4:5], off offset:1024 glc',
    'flat_atomic_min_f64 v[6:7], v[4:5] offset:2048',
  ];
  const bench = await MemoryBench.of('gfx90a', lines);
  const words = (value: number): [number, number] => [
    Number(bitsOf64(value) & 0xffffffffn),
    Number(bitsOf64(value) >> 32n),
  ];
  const row = (lane: number): readonly [number, number] => table[lane % table.length]!;
  bench.set(0, (lane) => 8 * lane).setAddress(6, (lane) => bench.buffer + 8 * lane);
  bench.set(4, (lane) => words(row(lane)[1])[0]).set(5, (lane) => words(row(lane)[1])[1]);
  const lds = new DataView(bench.lds.u8.buffer);
  const memory = new DataView(bench.memory.buffer, bench.buffer);
  for (let k = 0; k < 3; k++)
    for (let lane = 0; lane < 64; lane++) {
      lds.setFloat64(1024 * k + 8 * lane, row(lane)[0], true);
      memory.setFloat64(1024 * k + 8 * lane, row(lane)[0], true);
    }
  bench.run();
  table.forEach(([old, data], lane) => {
    const at = (view: DataView, k: number): bigint => view.getBigUint64(1024 * k + 8 * lane, true);
    const min = Object.is(old, -0) ? old : Math.min(old, data);
    const max = Object.is(old, -0) ? data : Math.max(old, data);
    assert.is(bench.value(2, lane, 2), bitsOf64(old));
    assert.is(at(lds, 0), bitsOf64(old + data));
    assert.is(at(lds, 1), bitsOf64(min));
    assert.is(at(memory, 0), bitsOf64(old + data));
    assert.is(at(memory, 1), bitsOf64(max));
    assert.is(bench.value(10, lane, 2), bitsOf64(old));
    assert.is(at(memory, 2), bitsOf64(min));
  });
});

test('packed 16-bit sums', async () => {
  const lines = [
    'ds_pk_add_rtn_f16 v2, v0, v1',
    'ds_pk_add_bf16 v0, v3 offset:256',
    'global_atomic_pk_add_f16 v[6:7], v1, off',
    'flat_atomic_pk_add_bf16 v[6:7], v3 offset:256',
  ];
  const bench = await MemoryBench.of('gfx942', lines);
  // f16: 1 + 0.5 = 1.5, 2048 + 1 = 2048 (halfway, to even); 65504 + 65504 = inf, the smallest denormal twice.
  // bf16: 1 + 0.5 = 1.5, 256 + 1 = 256; 3 + 2^-8 = 3 (below half), -1 + 1 = 0.
  const f16 = { old: [0x6800_3c00, 0x0001_7bff], data: [0x3c00_3800, 0x0001_7bff], sum: [0x6800_3e00, 0x0002_7c00] };
  const bf16 = { old: [0x4380_3f80, 0xbf80_4040], data: [0x3f80_3f00, 0x3f80_3b80], sum: [0x4380_3fc0, 0x0000_4040] };
  bench.set(0, (lane) => 4 * lane).setAddress(6, (lane) => bench.buffer + 4 * lane);
  bench.set(1, (lane) => f16.data[lane & 1]!).set(3, (lane) => bf16.data[lane & 1]!);
  for (let lane = 0; lane < 64; lane++)
    for (const [words, start] of [
      [bench.lds.u32, 0],
      [bench.memory.u32, bench.buffer / 4],
    ] as const) {
      words[start + lane] = f16.old[lane & 1]!;
      words[start + 64 + lane] = bf16.old[lane & 1]!;
    }
  bench.run();
  for (const lane of [0, 1, 62, 63])
    for (const [words, start] of [
      [bench.lds.u32, 0],
      [bench.memory.u32, bench.buffer / 4],
    ] as const) {
      assert.is(words[start + lane], f16.sum[lane & 1]);
      assert.is(words[start + 64 + lane], bf16.sum[lane & 1]);
      assert.is(bench.get(2, lane), f16.old[lane & 1]);
    }
});

test('faults', async () => {
  for (const [line, low, message] of [
    ['global_atomic_add v[0:1], v2, off', 2, /no multiple of its 4 bytes .*lane 1/],
    ['global_atomic_add_x2 v[0:1], v[2:3], off', 4, /no multiple of its 8 bytes/],
    ['flat_atomic_cmpswap v[0:1], v[2:3]', 16384, /an? .*4 bytes at .*out/],
  ] as const) {
    const bench = await MemoryBench.of('gfx906', [line]);
    bench.setAddress(0, (lane) => bench.buffer + (lane === 1 ? low : 0));
    assert.throws(() => bench.run(), (error: unknown) => error instanceof DarmError && message.test(error.message), line); // prettier-ignore
  }
  const constant = await MemoryBench.of('gfx906', ['global_atomic_or v[0:1], v2, off']);
  constant.setAddress(0, () => constant.constant);
  assert.throws(() => constant.run(), /in is read-only/);
});

/** Transactions and waiting lanes of the first instruction. */
function doneBy({ code, wave }: MemoryBench): number[] {
  code.steps[0]!(wave);
  return [wave.transactions, wave.waitingLanes];
}

test('lanes that meet at one address wait for each other', async () => {
  const places: readonly (readonly [place: (lane: number) => number, lines: number, waiting: number])[] = [
    [(lane) => 8 * lane, 8, 0],
    [() => 8, 1, 63],
    [(lane) => 8 * (lane & 3), 1, 15],
    [(lane) => (lane < 40 ? 0 : 64 * lane), 25, 39],
  ];
  const inMemory = ['global_atomic_add v[0:1], v2, off', 'global_atomic_add v4, v[0:1], v2, off glc', 'flat_atomic_smax v[0:1], v2', 'global_atomic_add_x2 v[0:1], v[2:3], off', 'global_store_dword v[0:1], v2, off']; // prettier-ignore
  for (const line of inMemory)
    for (const [place, lines, waiting] of places) {
      const bench = await MemoryBench.of('gfx906', [line]);
      bench.setAddress(0, (lane) => bench.buffer + place(lane));
      const expected = [lines, line.includes('atomic') ? waiting : 0];
      assert.equal(doneBy(bench), expected, `${line} ${place.toString()}`);
    }
  for (const [line, waiting] of [
    ['ds_add_u32 v0, v1', 63],
    ['ds_write_b32 v0, v1', 0],
    ['ds_wrxchg2_rtn_b32 v[4:5], v0, v1, v2 offset1:1', 126],
  ] as const) {
    const bench = await MemoryBench.of('gfx906', [line]);
    assert.is(doneBy(bench.set(0, () => 64))[1], waiting, line);
  }
});

test.run();

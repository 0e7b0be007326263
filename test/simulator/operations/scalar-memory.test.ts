/** Scalar loads, stores, buffers and atomics: addresses, alignment, bounds. */
import { ADDRESS_HIGH, MemoryPlan, type Region } from '../../../src/simulator/memory.js';
import { assemble, execute, machine, type Machine } from '../../support/simulator.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('simulator/operations/scalar-memory', { tests: 7, timeoutMs: 30_000 });

interface Setup {
  readonly m: Machine;
  readonly buffer: Region;
}

/** A wave with a buffer whose words count 100, 101 …; s[0:1] is its address. */
async function prepare(cpu: string, lines: readonly string[], bytes = 256, writable = true): Promise<Setup> {
  const code = await assemble(cpu, lines);
  const plan = new MemoryPlan();
  plan.add('other', 16, true);
  const buffer = plan.add('buffer', bytes, writable);
  const m = machine(code, { plan });
  for (let k = 0; 4 * k < bytes; k++) m.wave.memory.u32[(buffer.start >>> 2) + k] = 100 + k;
  m.wave.u32.set([buffer.start, ADDRESS_HIGH]);
  return { m, buffer };
}

const words = (m: Machine, first: number, count: number): number[] => [...m.wave.u32.subarray(first, first + count)];
const counting = (first: number, count: number): number[] => Array.from({ length: count }, (_, k) => first + k);

function failure(m: Machine): string {
  try {
    execute(m);
  } catch (error) {
    return (error as Error).message;
  }
  return 'no error';
}

test('loads of every width', async () => {
  for (const [cpu, names] of [
    ['gfx906', ['dword', 'dwordx2', 'dwordx4', 'dwordx8', 'dwordx16']],
    ['gfx1100', ['b32', 'b64', 'b128', 'b256', 'b512']],
    ['gfx1030', ['dword', 'dwordx2', 'dwordx4', 'dwordx8', 'dwordx16']],
  ] as const) {
    const lines = names.map((name, at) => {
      const count = 1 << at;
      const last = 8 + 2 * count - 1;
      return `s_load_${name} ${count === 1 ? 's8' : `s[${8 + count}:${last}]`}, s[0:1], 0x${(4 * count).toString(16)}`;
    });
    const { m } = await prepare(cpu, lines);
    m.wave.u32[8] = 7;
    execute(m);
    assert.is(m.wave.u32[8], 101, cpu);
    for (const count of [2, 4, 8]) assert.equal(words(m, 8 + count, count), counting(100 + count, count), cpu);
    assert.equal(words(m, 24, 16), counting(116, 16), cpu);
    assert.is(m.wave.u32[40], 0, cpu);
  }
});

test('constant and register offsets; the two lowest bits of each part are ignored', async () => {
  const vega = await prepare('gfx906', [
    's_load_dword s8, s[0:1], s2',
    's_load_dword s9, s[0:1], s2 offset:0x8',
    's_load_dword s10, s[4:5], -4',
    's_load_dword s11, s[0:1], 0x7',
    's_load_dwordx2 s[0:1], s[0:1], 0x10',
  ]);
  const { start } = vega.buffer;
  vega.m.wave.u32[2] = 0x13;
  vega.m.wave.u32.set([start + 32, ADDRESS_HIGH], 4);
  execute(vega.m);
  assert.equal(words(vega.m, 8, 4), [104, 106, 107, 101]);
  assert.equal(words(vega.m, 0, 2), [104, 105]);

  const rdna = await prepare('gfx1100', [
    's_load_b32 s8, s[0:1], s2 offset:0x8',
    's_load_b64 s[10:11], s[0:1], null',
    's_load_b32 vcc_lo, s[0:1], m0',
  ]);
  rdna.m.wave.u32[2] = 0x10;
  rdna.m.wave.u32[124] = 12;
  execute(rdna.m);
  assert.is(rdna.m.wave.u32[8], 106);
  assert.equal(words(rdna.m, 10, 2), [100, 101]);
  assert.is(rdna.m.wave.u32[106], 103);
});

test('the base carries into its upper word', async () => {
  const { m, buffer } = await prepare('gfx906', ['s_load_dword s8, s[4:5], s2', 's_load_dword s9, s[6:7], -8']);
  m.wave.u32[2] = 0xfffffff0;
  m.wave.u32.set([buffer.start + 20, ADDRESS_HIGH - 1, buffer.start + 12, ADDRESS_HIGH], 4);
  execute(m);
  assert.equal(words(m, 8, 2), [101, 101]);
});

test('what is not in the launch is an error, what the compiler may widen is not', async () => {
  const outside = await prepare('gfx906', ['s_load_dword s8, s[0:1], 0x100']);
  assert.match(failure(outside.m), /a read of 4 bytes at 0x00007f00[0-9a-f]{8}: 256 bytes into buffer, which has 256/);
  assert.match(failure(outside.m), /pc 0x0 's_load_dword s8, s\[0:1\], 0x100'/);
  const null_ = await prepare('gfx906', ['s_load_dwordx2 s[8:9], s[2:3], 0x10']);
  assert.match(failure(null_.m), /no memory of this launch/);

  // Three words at a multiple of 16 become four. Two do not become four, and unaligned ones stay.
  const three = await prepare('gfx906', ['s_load_dwordx4 s[8:11], s[0:1], 0x0'], 12);
  execute(three.m);
  assert.equal(words(three.m, 8, 3), [100, 101, 102]);
  const two = await prepare('gfx906', ['s_load_dwordx4 s[8:11], s[0:1], 0x0'], 8);
  assert.match(failure(two.m), /a read of 16 bytes/);
  const unaligned = await prepare('gfx906', ['s_load_dwordx4 s[8:11], s[0:1], 0x4'], 16);
  assert.match(failure(unaligned.m), /a read of 16 bytes/);
});

test('stores and scratch of generation 9', async () => {
  const { m, buffer } = await prepare('gfx906', [
    's_store_dword s8, s[0:1], 0x8',
    's_store_dwordx4 s[8:11], s[0:1], s2 offset:0x10',
    's_scratch_store_dwordx2 s[8:9], s[0:1], s3',
    's_scratch_load_dword s12, s[0:1], s3',
    's_dcache_wb',
  ]);
  m.wave.u32.set([16, 2], 2);
  m.wave.u32.set([1, 2, 3, 4], 8);
  execute(m);
  const at = (byte: number): number => m.wave.memory.u32[(buffer.start + byte) >>> 2]!;
  assert.equal([0, 4, 8, 12].map(at), [100, 101, 1, 103]);
  assert.equal([28, 32, 36, 40, 44, 48].map(at), [107, 1, 2, 3, 4, 112]);
  assert.equal([124, 128, 132, 136].map(at), [131, 1, 2, 134]);
  assert.is(m.wave.u32[12], 1);

  const constant = await prepare('gfx906', ['s_store_dword s8, s[0:1], 0x8'], 64, false);
  assert.match(failure(constant.m), /buffer is read-only/);
});

test('buffers are bounded by their descriptor', async () => {
  for (const [cpu, x1, x4] of [
    ['gfx906', 'dword', 'dwordx4'],
    ['gfx1100', 'b32', 'b128'],
  ] as const) {
    const { m, buffer } = await prepare(cpu, [
      `s_buffer_load_${x4} s[8:11], s[4:7], 0x8`,
      `s_buffer_load_${x4} s[12:15], s[4:7], s2 offset:0x8`,
      `s_buffer_load_${x1} s16, s[4:7], s3`,
      `s_buffer_load_${x1} s17, s[20:23], 0x1c`,
      `s_buffer_load_${x4} s[4:7], s[4:7], 0x0`,
    ]);
    m.wave.u32.set([8, 0x7fffffff], 2);
    m.wave.u32.set([buffer.start, ADDRESS_HIGH, 24, 0], 4);
    // Stride 16, two records: 32 bytes.
    m.wave.u32.set([buffer.start, ADDRESS_HIGH | (16 << 16), 2, 0], 20);
    execute(m);
    assert.equal(words(m, 8, 4), [102, 103, 104, 105], cpu);
    assert.equal(words(m, 12, 4), [104, 105, 0, 0], cpu);
    assert.equal(words(m, 16, 2), [0, 107], cpu);
    assert.equal(words(m, 4, 4), [100, 101, 102, 103], cpu);
  }
});

test('atomics of generation 9', async () => {
  // [operation, old, data, compare] → new, computed by hand
  const cases: readonly (readonly [string, bigint, bigint, bigint, bigint])[] = [
    ['swap', 5n, 9n, 0n, 9n],
    ['cmpswap', 5n, 9n, 5n, 9n],
    ['cmpswap', 5n, 9n, 6n, 5n],
    ['add', 0xffffffffffffffffn, 2n, 0n, 1n],
    ['sub', 1n, 2n, 0n, 0xffffffffffffffffn],
    ['smin', 1n, 0xffffffffffffffffn, 0n, 0xffffffffffffffffn],
    ['umin', 1n, 0xffffffffffffffffn, 0n, 1n],
    ['smax', 1n, 0xffffffffffffffffn, 0n, 1n],
    ['umax', 1n, 0xffffffffffffffffn, 0n, 0xffffffffffffffffn],
    ['and', 12n, 10n, 0n, 8n],
    ['or', 12n, 10n, 0n, 14n],
    ['xor', 12n, 10n, 0n, 6n],
    ['inc', 4n, 5n, 0n, 5n],
    ['inc', 5n, 5n, 0n, 0n],
    ['dec', 0n, 5n, 0n, 5n],
    ['dec', 6n, 5n, 0n, 5n],
    ['dec', 5n, 5n, 0n, 4n],
  ];
  const lines = cases.flatMap(([name]) => [
    `s_atomic_${name} ${name === 'cmpswap' ? 's[8:9]' : 's8'}, s[0:1], 0x20 glc`,
    `s_atomic_${name}_x2 ${name === 'cmpswap' ? 's[8:11]' : 's[8:9]'}, s[0:1], 0x20`,
  ]);
  const { m, buffer } = await prepare('gfx906', lines);
  const { wave, code } = m;
  const at = (buffer.start + 32) >>> 2;
  const low = (x: bigint): number => Number(x & 0xffffffffn);
  cases.forEach(([name, old, data, compare, expected], index) => {
    wave.memory.u32.set([low(old), 0xaaaa], at);
    wave.u32.set(name === 'cmpswap' ? [low(data), low(compare)] : [low(data)], 8);
    code.steps[2 * index]!(wave);
    assert.is(wave.memory.u32[at], low(expected), name);
    assert.is(wave.u32[8], low(old), name);
    assert.is(wave.memory.u32[at + 1], 0xaaaa, name);

    const high = (x: bigint): number => Number(x >> 32n);
    wave.memory.u32.set([low(old), high(old)], at);
    wave.u32.set([low(data), high(data), low(compare), high(compare)], 8);
    code.steps[2 * index + 1]!(wave);
    assert.equal([...wave.memory.u32.subarray(at, at + 2)], [low(expected), high(expected)], `${name}_x2`);
    assert.is(wave.u32[8], low(data), `${name}_x2`);
  });
});

test.run();

/** Scalar arithmetic, bits, comparisons and moves against BigInt, with SCC, on GFX9 and GFX11. */
import { assemble, execute, machine } from '../../support/simulator.js';
import { assert, suite } from '../../support/suite.js';
import { checkScalars, mask, signed, test as nonZero, type Result, type ScalarCase } from './scalar-cases.js';

const test = suite('simulator/operations/scalar-integer', { tests: 7, timeoutMs: 60_000 });

type Truth = ScalarCase['truth'];
const binary32 = (name: string, truth: Truth): ScalarCase => ({ name, bits: [32, 32, 32], truth });
const binary64 = (name: string, truth: Truth): ScalarCase => ({ name, bits: [64, 64, 64], truth });
const value = (d: bigint): Result => ({ d });

const isOverflow = (x: bigint): boolean => x !== signed(x, 32);
const abs = (x: bigint): bigint => (x < 0n ? -x : x);

const ARITHMETIC: readonly ScalarCase[] = [
  binary32('s_add_u32', (a, b) => ({ d: a + b, scc: a + b > mask(32) })),
  binary32('s_sub_u32', (a, b) => ({ d: a - b, scc: b > a })),
  binary32('s_addc_u32', (a, b, scc) => ({ d: a + b + scc, scc: a + b + scc > mask(32) })),
  binary32('s_subb_u32', (a, b, scc) => ({ d: a - b - scc, scc: b + scc > a })),
  binary32('s_add_i32', (a, b) => ({ d: a + b, scc: isOverflow(signed(a, 32) + signed(b, 32)) })),
  binary32('s_sub_i32', (a, b) => ({ d: a - b, scc: isOverflow(signed(a, 32) - signed(b, 32)) })),
  binary32('s_mul_i32', (a, b) => value(a * b)),
  binary32('s_mul_hi_u32', (a, b) => value((a * b) >> 32n)),
  binary32('s_mul_hi_i32', (a, b) => value((signed(a, 32) * signed(b, 32)) >> 32n)),
  binary32('s_absdiff_i32', (a, b) => nonZero(abs(signed(a - b, 32)))),
  ...[1n, 2n, 3n, 4n].map((n) =>
    binary32(`s_lshl${n}_add_u32`, (a, b) => ({ d: (a << n) + b, scc: (a << n) + b > mask(32) })),
  ),
  binary32('s_min_u32', (a, b) => ({ d: a < b ? a : b, scc: a < b })),
  binary32('s_max_u32', (a, b) => ({ d: a > b ? a : b, scc: a > b })),
  binary32('s_min_i32', (a, b) => ({ d: signed(a, 32) < signed(b, 32) ? a : b, scc: signed(a, 32) < signed(b, 32) })),
  binary32('s_max_i32', (a, b) => ({ d: signed(a, 32) > signed(b, 32) ? a : b, scc: signed(a, 32) > signed(b, 32) })),
  { name: 's_abs_i32', bits: [32, 32], truth: (a) => nonZero(abs(signed(a, 32))) },
  { name: 's_sext_i32_i8', bits: [32, 32], truth: (a) => value(signed(a, 8)) },
  { name: 's_sext_i32_i16', bits: [32, 32], truth: (a) => value(signed(a, 16)) },
];

const logic = (stem: string, f: (a: bigint, b: bigint) => bigint): ScalarCase[] => [
  binary32(`${stem}_b32`, (a, b) => nonZero(f(a, b) & mask(32))),
  binary64(`${stem}_b64`, (a, b) => nonZero(f(a, b) & mask(64))),
];

/** The field of `x` that src1 names, cut off bit by bit. */
function extract(x: bigint, field: bigint, bits: number, isSigned: boolean): Result {
  const first = field & BigInt(bits - 1);
  const width = Number((field >> 16n) & 127n);
  const shifted = (isSigned ? signed(x, bits) : x) >> first;
  return nonZero((isSigned ? BigInt.asIntN(width, shifted) : BigInt.asUintN(width, shifted)) & mask(bits));
}

const bitsOf = (x: bigint, bits: number): string => x.toString(2).padStart(bits, '0');
const fromBits = (text: string): bigint => BigInt(`0b${text}`);
const reversed = (text: string): string => [...text].reverse().join('');
const found = (at: number): Result => value(BigInt(at));
const groups = (x: bigint, bits: number): string[] => bitsOf(x, bits).match(/.{4}/g)!;

const unary = (name: string, d: number, a: number, truth: (a: bigint, d: bigint) => Result): ScalarCase => ({
  name,
  bits: [d, a],
  truth: (x, _b, _scc, before) => truth(x, before),
});

const shift = (name: string, bits: 32 | 64, f: (a: bigint, n: bigint) => bigint): ScalarCase => ({
  name,
  bits: [bits, bits, 32],
  truth: (a, b) => nonZero(f(a, b & BigInt(bits - 1)) & mask(bits)),
});

const counting = (n: 32 | 64): ScalarCase[] => [
  unary(`s_bcnt0_i32_b${n}`, 32, n, (a) => nonZero(BigInt(bitsOf(a, n).split('0').length - 1))),
  unary(`s_bcnt1_i32_b${n}`, 32, n, (a) => nonZero(BigInt(bitsOf(a, n).split('1').length - 1))),
  unary(`s_brev_b${n}`, n, n, (a) => value(fromBits(reversed(bitsOf(a, n))))),
  unary(`s_wqm_b${n}`, n, n, (a) =>
    nonZero(
      BigInt(
        `0x${groups(a, n)
          .map((g) => (g === '0000' ? '0' : 'f'))
          .join('')}`,
      ),
    ),
  ),
  unary(`s_quadmask_b${n}`, n, n, (a) =>
    nonZero(
      fromBits(
        groups(a, n)
          .map((g) => (g === '0000' ? '0' : '1'))
          .join(''),
      ),
    ),
  ),
  unary(`s_not_b${n}`, n, n, (a) => nonZero(~a & mask(n))),
  unary(`s_bitset0_b${n}`, n, 32, (a, d) => value(d & ~(1n << (a & BigInt(n - 1))))),
  unary(`s_bitset1_b${n}`, n, 32, (a, d) => value(d | (1n << (a & BigInt(n - 1))))),
  unary(`s_mov_b${n}`, n, n, value),
  { name: `s_cmov_b${n}`, bits: [n, n], truth: (a, _, scc) => (scc ? value(a) : {}) },
  { name: `s_cselect_b${n}`, bits: [n, n, n], truth: (a, b, scc) => value(scc ? a : b) },
  {
    name: `s_bfm_b${n}`,
    bits: [n, 32, 32],
    truth: (a, b) => value(mask(Number(a) & (n - 1)) << (b & BigInt(n - 1))),
  },
  { name: `s_bitcmp0_b${n}`, bits: [0, n, 32], truth: (a, b) => ({ scc: ((a >> (b & BigInt(n - 1))) & 1n) === 0n }) },
  { name: `s_bitcmp1_b${n}`, bits: [0, n, 32], truth: (a, b) => ({ scc: ((a >> (b & BigInt(n - 1))) & 1n) === 1n }) },
];

/** Searches, by the names of both instruction sets. */
const searching = (n: 32 | 64, ctz: string, clz: string, cls: string): ScalarCase[] => [
  unary(ctz, 32, n, (a) => found(reversed(bitsOf(a, n)).indexOf('1'))),
  unary(clz, 32, n, (a) => found(bitsOf(a, n).indexOf('1'))),
  unary(cls, 32, n, (a) => found(bitsOf(a, n).indexOf(bitsOf(a, n)[0] === '0' ? '1' : '0'))),
];

const BITS: readonly ScalarCase[] = [
  ...logic('s_and', (a, b) => a & b),
  ...logic('s_or', (a, b) => a | b),
  ...logic('s_xor', (a, b) => a ^ b),
  ...logic('s_nand', (a, b) => ~(a & b)),
  ...logic('s_nor', (a, b) => ~(a | b)),
  ...logic('s_xnor', (a, b) => ~(a ^ b)),
  shift('s_lshl_b32', 32, (a, n) => a << n),
  shift('s_lshr_b32', 32, (a, n) => a >> n),
  shift('s_ashr_i32', 32, (a, n) => signed(a, 32) >> n),
  shift('s_lshl_b64', 64, (a, n) => a << n),
  shift('s_lshr_b64', 64, (a, n) => a >> n),
  shift('s_ashr_i64', 64, (a, n) => signed(a, 64) >> n),
  { name: 's_bfe_u32', bits: [32, 32, 32], truth: (a, b) => extract(a, b, 32, false) },
  { name: 's_bfe_i32', bits: [32, 32, 32], truth: (a, b) => extract(a, b, 32, true) },
  { name: 's_bfe_u64', bits: [64, 64, 32], truth: (a, b) => extract(a, b, 64, false) },
  { name: 's_bfe_i64', bits: [64, 64, 32], truth: (a, b) => extract(a, b, 64, true) },
  ...counting(32),
  ...counting(64),
  unary('s_bitreplicate_b64_b32', 64, 32, (a) => value(fromBits([...bitsOf(a, 32)].map((bit) => bit + bit).join('')))),
  binary32('s_pack_ll_b32_b16', (a, b) => value((a & 0xffffn) | (b << 16n))),
  binary32('s_pack_lh_b32_b16', (a, b) => value((a & 0xffffn) | ((b >> 16n) << 16n))),
  binary32('s_pack_hh_b32_b16', (a, b) => value((a >> 16n) | ((b >> 16n) << 16n))),
];

const BITS_9: readonly ScalarCase[] = [
  ...logic('s_andn2', (a, b) => a & ~b),
  ...logic('s_orn2', (a, b) => a | ~b),
  ...searching(32, 's_ff1_i32_b32', 's_flbit_i32_b32', 's_flbit_i32'),
  ...searching(64, 's_ff1_i32_b64', 's_flbit_i32_b64', 's_flbit_i32_i64'),
  unary('s_ff0_i32_b32', 32, 32, (a) => found(reversed(bitsOf(a, 32)).indexOf('0'))),
  unary('s_ff0_i32_b64', 32, 64, (a) => found(reversed(bitsOf(a, 64)).indexOf('0'))),
];

const BITS_11: readonly ScalarCase[] = [
  ...logic('s_and_not1', (a, b) => a & ~b),
  ...logic('s_or_not1', (a, b) => a | ~b),
  ...searching(32, 's_ctz_i32_b32', 's_clz_i32_u32', 's_cls_i32'),
  ...searching(64, 's_ctz_i32_b64', 's_clz_i32_u64', 's_cls_i32_i64'),
  binary32('s_pack_hl_b32_b16', (a, b) => value((a >> 16n) | (b << 16n))),
];

const RELATIONS: readonly (readonly [string, (a: bigint, b: bigint) => boolean])[] = [
  ['eq', (a, b) => a === b],
  ['lg', (a, b) => a !== b],
  ['gt', (a, b) => a > b],
  ['ge', (a, b) => a >= b],
  ['lt', (a, b) => a < b],
  ['le', (a, b) => a <= b],
];

const COMPARES: readonly ScalarCase[] = [
  ...RELATIONS.flatMap(([name, holds]): ScalarCase[] => [
    { name: `s_cmp_${name}_u32`, bits: [0, 32, 32], truth: (a, b) => ({ scc: holds(a, b) }) },
    { name: `s_cmp_${name}_i32`, bits: [0, 32, 32], truth: (a, b) => ({ scc: holds(signed(a, 32), signed(b, 32)) }) },
  ]),
  { name: 's_cmp_eq_u64', bits: [0, 64, 64], truth: (a, b) => ({ scc: a === b }) },
  { name: 's_cmp_lg_u64', bits: [0, 64, 64], truth: (a, b) => ({ scc: a !== b }) },
];

for (const [cpu, own] of [
  ['gfx906', BITS_9],
  ['gfx1100', BITS_11],
] as const) {
  test(`arithmetic and comparisons on ${cpu}`, async () => {
    assert.ok((await checkScalars(cpu, [...ARITHMETIC, ...COMPARES])) > 100_000);
  });
  test(`bits and moves on ${cpu}`, async () => {
    assert.ok((await checkScalars(cpu, [...BITS, ...own])) > 100_000);
  });
}

test('examples of the ISA documents', async () => {
  const code = await assemble('gfx906', ['s_absdiff_i32 s2, s0, s1', 's_flbit_i32 s2, s0', 's_bcnt1_i32_b32 s2, s0']);
  const { wave } = machine(code);
  const run = (at: number, a: number, b = 0): number => {
    wave.u32.set([a, b]);
    code.steps[at]!(wave);
    return wave.u32[2]!;
  };
  assert.is(run(0, 0xffffffff, 0), 1);
  assert.is(run(0, 0x80000000, 0), 0x80000000);
  assert.is(run(0, 0x80000000, 1), 0x7fffffff);
  assert.is(run(0, 0x80000000, 0xffffffff), 0x7fffffff);
  assert.is(run(0, 0x80000000, 0xfffffffe), 0x7ffffffe);
  assert.is(run(1, 0xcccccccc), 2);
  assert.is(run(1, 0xffff3333), 16);
  assert.is(run(1, 0x7fffffff), 1);
  assert.is(run(1, 0xffffffff), 0xffffffff);
  assert.is(run(2, 0xcccccccc), 16);
});

test('16-bit constants', async () => {
  // [line, value before, SCC before] → [value after, SCC after]
  const table: readonly (readonly [string, number, number, number, number])[] = [
    ['s_movk_i32 s0, 0x8000', 7, 1, 0xffff8000, 1],
    ['s_cmovk_i32 s0, 0xffff', 7, 0, 7, 0],
    ['s_cmovk_i32 s0, 0xffff', 7, 1, 0xffffffff, 1],
    ['s_addk_i32 s0, 0xffff', 0, 0, 0xffffffff, 0],
    ['s_addk_i32 s0, 0xffff', 0x80000000, 0, 0x7fffffff, 1],
    ['s_addk_i32 s0, 1', 0x7fffffff, 0, 0x80000000, 1],
    ['s_addk_i32 s0, 1', 0xffffffff, 1, 0, 0],
    ['s_mulk_i32 s0, 0xfffd', 0x40000001, 1, 0x3ffffffd, 1],
    ['s_cmpk_eq_i32 s0, 0xfffb', 0xfffffffb, 0, 0xfffffffb, 1],
    ['s_cmpk_eq_u32 s0, 0xfffb', 0xfffffffb, 1, 0xfffffffb, 0],
    ['s_cmpk_eq_u32 s0, 0xfffb', 0xfffb, 0, 0xfffb, 1],
    ['s_cmpk_lg_i32 s0, 0xfffb', 0xfffb, 0, 0xfffb, 1],
    ['s_cmpk_lt_i32 s0, 0', 0x80000000, 0, 0x80000000, 1],
    ['s_cmpk_lt_u32 s0, 0xffff', 0x80000000, 1, 0x80000000, 0],
    ['s_cmpk_gt_i32 s0, 0xffff', 0, 0, 0, 1],
    ['s_cmpk_ge_i32 s0, 0xffff', 0xffffffff, 0, 0xffffffff, 1],
    ['s_cmpk_le_u32 s0, 0xffff', 0x10000, 1, 0x10000, 0],
    ['s_cmpk_gt_u32 s0, 0x8000', 0x8001, 0, 0x8001, 1],
  ];
  for (const cpu of ['gfx906', 'gfx1100']) {
    const code = await assemble(
      cpu,
      table.map(([line]) => line),
    );
    const { wave } = machine(code);
    table.forEach(([line, before, scc, after, sccAfter], at) => {
      wave.u32[0] = before;
      wave.scc = scc;
      code.steps[at]!(wave);
      assert.equal([wave.u32[0], wave.scc], [after, sccAfter], `${cpu} ${line} on ${before}`);
    });
  }
});

test('constants of 64-bit operands, special registers, NULL, displaced registers', async () => {
  const pair = (u32: Uint32Array, at: number): bigint => BigInt(u32[at]!) | (BigInt(u32[at + 1]!) << 32n);
  const code = await assemble('gfx906', [
    's_mov_b64 s[0:1], -5',
    's_mov_b64 s[2:3], 0xfffffff0',
    's_ashr_i64 s[4:5], 0xfffffff0, 1',
    's_lshr_b64 s[6:7], 0xfffffff0, 1',
    's_bfe_i64 s[8:9], 0x80000000, s40',
    's_mov_b64 s[10:11], 1.0',
    's_flbit_i32_i64 s12, 0xffff0000',
    's_flbit_i32_b64 s13, 0xffff0000',
    's_mov_b64 s[14:15], src_shared_base',
    's_cmp_eq_u32 s0, s0',
    's_mov_b32 s16, src_scc',
    's_mov_b64 s[18:19], vcc',
    's_mov_b32 m0, 3',
    's_movrels_b32 s20, s0',
    's_movreld_b64 s[24:25], s[10:11]',
  ]);
  const m = machine(code);
  m.wave.u32.set([1, 2], 106);
  m.wave.u32[40] = 64 << 16;
  execute(m);
  const { u32 } = m.wave;
  assert.is(pair(u32, 0), 0xfffffffffffffffbn);
  assert.is(pair(u32, 2), 0xfffffff0n);
  assert.is(pair(u32, 4), 0xfffffffffffffff8n);
  assert.is(pair(u32, 6), 0x7ffffff8n);
  assert.is(pair(u32, 8), 0xffffffff80000000n);
  assert.is(pair(u32, 10), 0x3ff0000000000000n);
  assert.is(u32[12], 48);
  assert.is(u32[13], 32);
  assert.is(u32[14], 0);
  assert.is(u32[16], 1);
  assert.is(pair(u32, 18), 0x200000001n);
  assert.is(u32[20], 0);
  assert.is(pair(u32, 27), 0x3ff0000000000000n);

  const rdna = machine(
    await assemble('gfx1100', [
      's_mov_b64 null, -1',
      's_add_u32 s0, null, 5',
      's_mov_b32 m0, 0x140003',
      's_movrelsd_2_b32 s5, s2',
    ]),
  );
  rdna.wave.u32.set([0, 0, 0, 0, 0, 77]);
  execute(rdna);
  assert.is(rdna.wave.u32[0], 5);
  assert.is(rdna.wave.u32[25], 77);
});

test.run();

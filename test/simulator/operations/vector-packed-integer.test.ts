/** Packed 16-bit integers: every operation with every selection of halves, saturation and constants. */
import { suite } from '../../support/suite.js';
import {
  cases,
  checkVector,
  clamp,
  low,
  pairs32,
  randomInputs,
  signed,
  triples32,
  type Lane,
  type VectorCase,
} from './vector-cases.js';

const test = suite('simulator/operations/vector-packed-integer', { tests: 4 });

type Half = (a: bigint, b: bigint, c: bigint) => bigint;

const s16 = (half: bigint): bigint => signed(half, 16);
const toU16 = (value: bigint): bigint => clamp(value, 0n, 0xffffn);
const toI16 = (value: bigint): bigint => clamp(value, -0x8000n, 0x7fffn);
const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const larger = (a: bigint, b: bigint): bigint => (a < b ? b : a);

const BINARY: Record<string, Half> = {
  v_pk_add_u16: (a, b) => a + b,
  v_pk_add_i16: (a, b) => s16(a) + s16(b),
  v_pk_sub_u16: (a, b) => a - b,
  v_pk_sub_i16: (a, b) => s16(a) - s16(b),
  v_pk_mul_lo_u16: (a, b) => a * b,
  v_pk_min_u16: smaller,
  v_pk_max_u16: larger,
  v_pk_min_i16: (a, b) => smaller(s16(a), s16(b)),
  v_pk_max_i16: (a, b) => larger(s16(a), s16(b)),
  v_pk_lshlrev_b16: (a, b) => low(b << (a % 16n), 16),
  v_pk_lshrrev_b16: (a, b) => b >> (a % 16n),
  v_pk_ashrrev_i16: (a, b) => s16(b) >> (a % 16n),
};
const TERNARY: Record<string, Half> = {
  v_pk_mad_u16: (a, b, c) => a * b + c,
  v_pk_mad_i16: (a, b, c) => s16(a) * s16(b) + s16(c),
};

const half = (word: bigint, select: number): bigint => low(word >> BigInt(16 * select), 16);

/** @param op_sel, op_sel_hi which half of each operand the low and the high result read */
const packed =
  (f: Half, op_sel: readonly number[] = [0, 0, 0], op_sel_hi: readonly number[] = [1, 1, 1]) =>
  ({ a, b, c }: Lane): bigint => {
    const part = (selects: readonly number[]): bigint =>
      low(f(half(a, selects[0]!), half(b, selects[1]!), half(c, selects[2] ?? 0)), 16);
    return part(op_sel) | (part(op_sel_hi) << 16n);
  };

const INPUTS = [...pairs32(), ...randomInputs(256)];

test('two operands, all selections', async () => {
  for (const cpu of ['gfx906', 'gfx1100'])
    for (const selects of [0, 5, 10, 15, 6, 9]) {
      const op_sel = [selects & 1, (selects >> 1) & 1];
      const op_sel_hi = [(selects >> 2) & 1, (selects >> 3) & 1];
      const more = ` op_sel:[${op_sel.join()}] op_sel_hi:[${op_sel_hi.join()}]`;
      const table = Object.entries(BINARY).map(([name, f]): VectorCase => ({
        text: `${name} $d, $a, $b${more}`,
        result: packed(f, op_sel, op_sel_hi),
      }));
      await checkVector({ cpu, cases: table, inputs: INPUTS });
    }
});

test('three operands', async () => {
  const table = Object.entries(TERNARY).flatMap(([name, f]): VectorCase[] => [
    { text: `${name} $d, $a, $b, $c`, result: packed(f) },
    {
      text: `${name} $d, $a, $b, $c op_sel:[1,0,1] op_sel_hi:[0,1,0]`,
      result: packed(f, [1, 0, 1], [0, 1, 0]),
    },
    {
      text: `${name} $d, $a, $b, $c clamp`,
      result: packed((a, b, c) => (name.endsWith('i16') ? toI16 : toU16)(f(a, b, c))),
    },
  ]);
  const inputs = [...triples32(), ...randomInputs(256)];
  for (const cpu of ['gfx906', 'gfx1030']) await checkVector({ cpu, cases: table, inputs });
});

test('saturation', async () => {
  const table = Object.entries(BINARY).flatMap(([name, f]): VectorCase[] =>
    /add|sub/.test(name)
      ? [
          {
            text: `${name} $d, $a, $b clamp`,
            result: packed((a, b, c) => (name.endsWith('i16') ? toI16 : toU16)(f(a, b, c))),
          },
        ]
      : [],
  );
  await checkVector({ cpu: 'gfx906', cases: table, inputs: INPUTS });
});

test('constants, scalars and inactive lanes', async () => {
  const by = (b: bigint) => (lane: Lane) => packed((x, y) => x + y)({ ...lane, b });
  // An integer constant is sign-extended to 32 bits; op_sel_hi 0 uses its low half twice.
  const table = cases({
    'v_pk_add_u16 $d, $a, 5': by(5n),
    'v_pk_add_u16 $d, $a, -2': by(0xffff_fffen),
    'v_pk_add_u16 $d, $a, 5 op_sel_hi:[1,0]': by(0x0005_0005n),
    'v_pk_add_u16 $d, $a, s2': by(0x9669_c33cn),
    'v_pk_add_u16 $d, $a, s2 op_sel:[0,1] op_sel_hi:[1,0]': by(0xc33c_9669n),
  });
  await checkVector({ cpu: 'gfx906', cases: table, inputs: INPUTS, exec: [0x7fff_fff1, -2] });
  const literal = cases({ 'v_pk_add_u16 $d, $a, 0x12345678': by(0x1234_5678n) });
  await checkVector({ cpu: 'gfx1100', cases: literal, inputs: INPUTS });
});

test.run();

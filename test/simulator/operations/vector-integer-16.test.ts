/** 16-bit integers: results, which halves are read, and what happens to the other half of the destination. */
import { suite } from '../../support/suite.js';
import {
  cases,
  checkVector,
  clamp,
  low,
  OLD,
  pairs32,
  randomInputs,
  signed,
  triples32,
  type Lane,
  type VectorCase,
} from './vector-cases.js';

const test = suite('simulator/operations/vector-integer-16', { tests: 6 });

/** On halves as unsigned numbers; wraps to 16 bits. */
type Half = (a: bigint, b: bigint, c: bigint) => bigint;
type Place = (word: bigint) => bigint;

const lo: Place = (word) => low(word, 16);
const hi: Place = (word) => word >> 16n;
const s16 = (half: bigint): bigint => signed(half, 16);
const toU16 = (value: bigint): bigint => clamp(value, 0n, 0xffffn);
const toI16 = (value: bigint): bigint => clamp(value, -0x8000n, 0x7fffn);

/** What becomes of the destination. */
type Into = (half: bigint) => bigint;
const zeroed: Into = (half) => lo(half);
const lowKept: Into = (half) => (hi(OLD) << 16n) | lo(half);
const highKept: Into = (half) => (lo(half) << 16n) | lo(OLD);

const on =
  (f: Half, into: Into, [a, b, c]: readonly [Place, Place, Place] = [lo, lo, lo]) =>
  (lane: Lane): bigint =>
    into(f(a(lane.a), b(lane.b), c(lane.c)));

const sorted = (values: bigint[]): bigint[] => values.sort((x, y) => (x < y ? -1 : x > y ? 1 : 0));

/** Name on GFX9, name later (null where it no longer exists). */
const BINARY: readonly [string | null, string | null, Half][] = [
  ['v_add_u16', 'v_add_nc_u16', (a, b) => a + b],
  ['v_sub_u16', 'v_sub_nc_u16', (a, b) => a - b],
  ['v_subrev_u16', null, (a, b) => b - a],
  ['v_mul_lo_u16', 'v_mul_lo_u16', (a, b) => a * b],
  ['v_min_u16', 'v_min_u16', (a, b) => sorted([a, b])[0]!],
  ['v_max_u16', 'v_max_u16', (a, b) => sorted([a, b])[1]!],
  ['v_min_i16', 'v_min_i16', (a, b) => sorted([s16(a), s16(b)])[0]!],
  ['v_max_i16', 'v_max_i16', (a, b) => sorted([s16(a), s16(b)])[1]!],
  ['v_lshlrev_b16', 'v_lshlrev_b16', (a, b) => b << (a % 16n)],
  ['v_lshrrev_b16', 'v_lshrrev_b16', (a, b) => b >> (a % 16n)],
  ['v_ashrrev_i16', 'v_ashrrev_i16', (a, b) => s16(b) >> (a % 16n)],
];
const TERNARY: Record<string, Half> = {
  v_mad_u16: (a, b, c) => a * b + c,
  v_mad_i16: (a, b, c) => s16(a) * s16(b) + s16(c),
  v_min3_u16: (...halves) => sorted(halves)[0]!,
  v_med3_u16: (...halves) => sorted(halves)[1]!,
  v_max3_u16: (...halves) => sorted(halves)[2]!,
  v_min3_i16: (...halves) => sorted(halves.map(s16))[0]!,
  v_med3_i16: (...halves) => sorted(halves.map(s16))[1]!,
  v_max3_i16: (...halves) => sorted(halves.map(s16))[2]!,
};
const MAD_32 = cases({
  'v_mad_u32_u16 $d, $a, $b, $c': ({ a, b, c }) => lo(a) * lo(b) + c,
  'v_mad_i32_i16 $d, $a, $b, $c': ({ a, b, c }) => s16(a) * s16(b) + signed(c),
  'v_mad_u32_u16 $d, $a, $b, $c clamp': ({ a, b, c }) => clamp(lo(a) * lo(b) + c, 0n, 0xffff_ffffn),
  'v_mad_i32_i16 $d, $a, $b, $c clamp': ({ a, b, c }) =>
    clamp(s16(a) * s16(b) + signed(c), -0x8000_0000n, 0x7fff_ffffn),
});

const of2 = (name: string, result: (lane: Lane) => bigint, more = ''): VectorCase => ({
  text: `${name} $d, $a, $b${more}`,
  result,
});
const of3 = (name: string, result: (lane: Lane) => bigint, more = ''): VectorCase => ({
  text: `${name} $d, $a, $b, $c${more}`,
  result,
});

const INPUTS = [...pairs32(), ...triples32().slice(0, 1024), ...randomInputs(512)];

test('generation 9 clears the upper half, but for the operations that came with it', async () => {
  const binary = BINARY.flatMap(([name, , f]) => (name === null ? [] : [of2(name, on(f, zeroed))]));
  const ternary = Object.entries(TERNARY).map(([name, f]) => of3(name, on(f, lowKept)));
  const legacy = [
    of3('v_mad_legacy_u16', on(TERNARY['v_mad_u16']!, zeroed)),
    of3('v_mad_legacy_i16', on(TERNARY['v_mad_i16']!, zeroed)),
    of2(
      'v_add_i16',
      on((a, b) => a + b, lowKept),
    ),
    of2(
      'v_sub_i16',
      on((a, b) => a - b, lowKept),
    ),
  ];
  const constants = cases({
    'v_add_u16 $d, -1, $a': ({ a }) => lo(a + 0xffffn),
    'v_ashrrev_i16 $d, 3, $a': ({ a }) => lo(s16(a) >> 3n),
    'v_max_i16 $d, -16, $a': ({ a }) => lo(sorted([-16n, s16(a)])[1]!),
    'v_min_u16 $d, 0xfedc, $a': ({ a }) => sorted([0xfedcn, lo(a)])[0]!,
  });
  const all = [...binary, ...ternary, ...legacy, ...constants, ...MAD_32];
  await checkVector({ cpu: 'gfx906', cases: all, inputs: INPUTS });
});

test('saturation', async () => {
  const add: Half = (a, b) => s16(a) + s16(b);
  const sub: Half = (a, b) => s16(a) - s16(b);
  const to = (f: Half, limit: (value: bigint) => bigint): Half => (a, b, c) => limit(f(a, b, c));
  const [madU, madI] = [TERNARY['v_mad_u16']!, TERNARY['v_mad_i16']!];
  const table = [
    of2('v_add_u16_e64', on(to((a, b) => a + b, toU16), zeroed), ' clamp'),
    of2('v_sub_u16_e64', on(to((a, b) => a - b, toU16), zeroed), ' clamp'),
    of2('v_subrev_u16_e64', on(to((a, b) => b - a, toU16), zeroed), ' clamp'),
    of2('v_add_i16', on(to(add, toI16), lowKept), ' clamp'),
    of2('v_sub_i16', on(to(sub, toI16), lowKept), ' clamp'),
    of3('v_mad_u16', on(to(madU, toU16), lowKept), ' clamp'),
    of3('v_mad_i16', on(to(madI, toI16), lowKept), ' clamp'),
  ];
  await checkVector({ cpu: 'gfx906', cases: table, inputs: INPUTS });
  const later = [
    of2('v_add_nc_i16', on(to(add, toI16), lowKept), ' clamp'),
    of2('v_sub_nc_i16', on(to(sub, toI16), lowKept), ' clamp'),
    of2('v_sub_nc_u16', on(to((a, b) => a - b, toU16), lowKept), ' clamp'),
  ];
  await checkVector({ cpu: 'gfx1030', cases: later, inputs: INPUTS });
}); // prettier-ignore

test('gfx1030 keeps the half that op_sel does not select', async () => {
  const table = BINARY.flatMap(([, name, f]) =>
    name === null
      ? []
      : [
          of2(name, on(f, lowKept)),
          of2(name, on(f, lowKept, [hi, lo, lo]), ' op_sel:[1,0,0]'),
          of2(name, on(f, highKept, [lo, hi, lo]), ' op_sel:[0,1,1]'),
        ],
  );
  await checkVector({ cpu: 'gfx1030', cases: [...table, ...MAD_32], inputs: INPUTS });
});

test('op_sel of three operands on gfx906', async () => {
  const table = Object.entries(TERNARY).flatMap(([name, f]) => [
    of3(name, on(f, highKept, [hi, lo, hi]), ' op_sel:[1,0,1,1]'),
    of3(name, on(f, lowKept, [lo, hi, lo]), ' op_sel:[0,1,0,0]'),
  ]);
  const mads = [
    of3('v_mad_u32_u16', ({ a, b, c }) => hi(a) * lo(b) + c, ' op_sel:[1,0,0,0]'),
    of3('v_mad_i32_i16', ({ a, b, c }) => s16(lo(a)) * s16(hi(b)) + signed(c), ' op_sel:[0,1,0,0]'),
  ];
  await checkVector({ cpu: 'gfx906', cases: [...table, ...mads], inputs: INPUTS });
});

test('gfx1100 names the halves', async () => {
  const binary = BINARY.flatMap(([, name, f]) =>
    name === null
      ? []
      : [
          { text: `${name} $d.l, $a.h, $b.l`, result: on(f, lowKept, [hi, lo, lo]) },
          { text: `${name} $d.h, $a.l, $b.h`, result: on(f, highKept, [lo, hi, lo]) },
        ],
  );
  const ternary = Object.entries(TERNARY).map(([name, f]): VectorCase => ({
    text: `${name} $d.h, $a.h, $b.l, $c.h`,
    result: on(f, highKept, [hi, lo, hi]),
  }));
  const logic = cases({
    'v_and_b16 $d.h, $a.l, $b.h': on((a, b) => a & b, highKept, [lo, hi, lo]),
    'v_or_b16 $d.l, $a.l, $b.h': on((a, b) => a | b, lowKept, [lo, hi, lo]),
    'v_xor_b16 $d.l, $a.h, $b.h': on((a, b) => a ^ b, lowKept, [hi, hi, lo]),
    'v_not_b16 $d.h, $a.l': on((a) => ~a, highKept),
    'v_mov_b16 $d.h, $a.h': on((a) => a, highKept, [hi, lo, lo]),
    'v_mov_b16 $d.l, 0x1234': () => lowKept(0x1234n),
    'v_mad_u32_u16 $d, $a.h, $b.l, $c': ({ a, b, c }) => hi(a) * lo(b) + c,
  });
  await checkVector({ cpu: 'gfx1100', cases: [...binary, ...ternary, ...logic], inputs: INPUTS });
});

test('saturated bytes; inactive lanes', async () => {
  const byte = (half: bigint): bigint => clamp(s16(half), 0n, 255n);
  const result = ({ a }: Lane): bigint => byte(lo(a)) | (byte(hi(a)) << 8n);
  const exec = [0x1357_9bdf, 0x0246_8ace] as const;
  const text = 'v_sat_pk_u8_i16 $d, $a';
  await checkVector({ cpu: 'gfx906', cases: [{ text, result }], inputs: INPUTS, exec });
  const high = { text: 'v_sat_pk_u8_i16 $d.h, $a', result: (lane: Lane) => highKept(result(lane)) };
  await checkVector({ cpu: 'gfx1100', cases: [high], inputs: INPUTS, exec });
}); // prettier-ignore

test.run();

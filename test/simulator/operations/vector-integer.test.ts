/** 32-bit integer arithmetic, with and without saturation, against BigInt. */
import { suite } from '../../support/suite.js';
import { cases, checkVector, clamp, low, pairs32, randomInputs, signed, triples32, type Lane } from './vector-cases.js';

const test = suite('simulator/operations/vector-integer', { tests: 5 });

const U32 = 0xffffffffn;
const I32_MIN = -0x80000000n;
const I32_MAX = 0x7fffffffn;
const u24 = (value: bigint): bigint => low(value, 24);
const i24 = (value: bigint): bigint => signed(value, 24);
const toU32 = (value: bigint): bigint => clamp(value, 0n, U32);
const toI32 = (value: bigint): bigint => clamp(value, I32_MIN, I32_MAX);

type Result = (lane: Lane) => bigint;
const add: Result = ({ a, b }) => a + b;
const sub: Result = ({ a, b }) => a - b;
const subrev: Result = ({ a, b }) => b - a;
const addI: Result = ({ a, b }) => signed(a) + signed(b);
const subI: Result = ({ a, b }) => signed(a) - signed(b);

const saturated = (name: string, result: Result, to: (value: bigint) => bigint): Record<string, Result> => ({
  [`${name} $d, $a, $b`]: result,
  [`${name} $d, $a, $b clamp`]: (lane) => to(result(lane)),
});

/** From lists of operands, sorted. */
const sorted = (values: bigint[]): bigint[] => values.sort((x, y) => (x < y ? -1 : x > y ? 1 : 0));
const operandsU = ({ a, b, c }: Lane): bigint[] => [a, b, c];
const operandsI = ({ a, b, c }: Lane): bigint[] => [signed(a), signed(b), signed(c)];

const BINARY: Record<string, Result> = {
  'v_mul_lo_u32 $d, $a, $b': ({ a, b }) => a * b,
  'v_mul_hi_u32 $d, $a, $b': ({ a, b }) => (a * b) >> 32n,
  'v_mul_hi_i32 $d, $a, $b': ({ a, b }) => (signed(a) * signed(b)) >> 32n,
  'v_mul_u32_u24 $d, $a, $b': ({ a, b }) => u24(a) * u24(b),
  'v_mul_i32_i24 $d, $a, $b': ({ a, b }) => i24(a) * i24(b),
  'v_mul_hi_u32_u24 $d, $a, $b': ({ a, b }) => (u24(a) * u24(b)) >> 32n,
  'v_mul_hi_i32_i24 $d, $a, $b': ({ a, b }) => (i24(a) * i24(b)) >> 32n,
  'v_mul_u32_u24_e64 $d, $a, $b clamp': ({ a, b }) => toU32(u24(a) * u24(b)),
  'v_mul_i32_i24_e64 $d, $a, $b clamp': ({ a, b }) => toI32(i24(a) * i24(b)),
  'v_min_i32 $d, $a, $b': ({ a, b }) => (signed(a) < signed(b) ? a : b),
  'v_max_i32 $d, $a, $b': ({ a, b }) => (signed(a) < signed(b) ? b : a),
  'v_min_u32 $d, $a, $b': ({ a, b }) => (a < b ? a : b),
  'v_max_u32 $d, $a, $b': ({ a, b }) => (a < b ? b : a),
};

const TERNARY: Record<string, Result> = {
  'v_add3_u32 $d, $a, $b, $c': ({ a, b, c }) => a + b + c,
  'v_lshl_add_u32 $d, $a, $b, $c': ({ a, b, c }) => (a << (b % 32n)) + c,
  'v_add_lshl_u32 $d, $a, $b, $c': ({ a, b, c }) => (a + b) << (c % 32n),
  'v_xad_u32 $d, $a, $b, $c': ({ a, b, c }) => (a ^ b) + c,
  'v_mad_u32_u24 $d, $a, $b, $c': ({ a, b, c }) => u24(a) * u24(b) + c,
  'v_mad_u32_u24 $d, $a, $b, $c clamp': ({ a, b, c }) => toU32(u24(a) * u24(b) + c),
  'v_mad_i32_i24 $d, $a, $b, $c': ({ a, b, c }) => i24(a) * i24(b) + signed(c),
  'v_mad_i32_i24 $d, $a, $b, $c clamp': ({ a, b, c }) => toI32(i24(a) * i24(b) + signed(c)),
  'v_min3_u32 $d, $a, $b, $c': (lane) => sorted(operandsU(lane))[0]!,
  'v_med3_u32 $d, $a, $b, $c': (lane) => sorted(operandsU(lane))[1]!,
  'v_max3_u32 $d, $a, $b, $c': (lane) => sorted(operandsU(lane))[2]!,
  'v_min3_i32 $d, $a, $b, $c': (lane) => sorted(operandsI(lane))[0]!,
  'v_med3_i32 $d, $a, $b, $c': (lane) => sorted(operandsI(lane))[1]!,
  'v_max3_i32 $d, $a, $b, $c': (lane) => sorted(operandsI(lane))[2]!,
};

const FOLLOWED: Record<string, Result> = {
  'v_minmax_i32 $d, $a, $b, $c': (lane) => {
    const [a, b, c] = operandsI(lane) as [bigint, bigint, bigint];
    return sorted([sorted([a, b])[0]!, c])[1]!;
  },
  'v_maxmin_i32 $d, $a, $b, $c': (lane) => {
    const [a, b, c] = operandsI(lane) as [bigint, bigint, bigint];
    return sorted([sorted([a, b])[1]!, c])[0]!;
  },
  'v_minmax_u32 $d, $a, $b, $c': ({ a, b, c }) => sorted([sorted([a, b])[0]!, c])[1]!,
  'v_maxmin_u32 $d, $a, $b, $c': ({ a, b, c }) => sorted([sorted([a, b])[1]!, c])[0]!,
};

test('sums, products and extrema of two on gfx906', async () => {
  await checkVector({
    cpu: 'gfx906',
    cases: cases({
      ...saturated('v_add_u32_e64', add, toU32),
      ...saturated('v_sub_u32_e64', sub, toU32),
      ...saturated('v_subrev_u32_e64', subrev, toU32),
      ...saturated('v_add_i32', addI, toI32),
      ...saturated('v_sub_i32', subI, toI32),
      ...BINARY,
    }),
    inputs: [...pairs32(), ...randomInputs(512)],
  });
});

test('the names of gfx1030 and gfx1100', async () => {
  for (const cpu of ['gfx1030', 'gfx1100'])
    await checkVector({
      cpu,
      cases: cases({
        ...saturated('v_add_nc_u32_e64', add, toU32),
        ...saturated('v_sub_nc_u32_e64', sub, toU32),
        ...saturated('v_subrev_nc_u32_e64', subrev, toU32),
        ...saturated('v_add_nc_i32', addI, toI32),
        ...saturated('v_sub_nc_i32', subI, toI32),
        ...BINARY,
      }),
      inputs: [...pairs32(), ...randomInputs(256, 7n)],
    });
});

test('operations of three', async () => {
  await checkVector({ cpu: 'gfx906', cases: cases(TERNARY), inputs: [...triples32(), ...randomInputs(256, 3n)] });
});

test('operations of three on gfx1100', async () => {
  const inputs = [...triples32(), ...randomInputs(256, 3n)];
  await checkVector({ cpu: 'gfx1100', cases: cases({ ...TERNARY, ...FOLLOWED }), inputs });
});

test('inactive lanes keep their value', async () => {
  const table = cases({ ...BINARY, 'v_add_u32 $d, $a, $b': add });
  const inputs = randomInputs(64, 11n);
  for (const exec of [[0, 0], [0x8000_0001, 0x7000_0001], [0, -1], [0x5555_5555, 0xaaaa_aaaa]] as const)
    await checkVector({ cpu: 'gfx906', cases: table, inputs, exec });
}); // prettier-ignore

test.run();

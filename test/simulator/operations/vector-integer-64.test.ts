/** 64-bit shifts, moves, and products with 64-bit addends. */
import { suite } from '../../support/suite.js';
import {
  cases,
  checkVector,
  clamp,
  pairs64,
  productsAndAddends,
  randomInputs,
  signed,
  type Input,
  type Lane,
  type VectorCase,
} from './vector-cases.js';

const test = suite('simulator/operations/vector-integer-64', { tests: 4 });

const SHIFTS = cases({
  'v_lshlrev_b64 $D, $a, $B': ({ a, b }) => b << (a % 64n),
  'v_lshrrev_b64 $D, $a, $B': ({ a, b }) => b >> (a % 64n),
  'v_ashrrev_i64 $D, $a, $B': ({ a, b }) => signed(b, 64) >> (a % 64n),
  'v_lshlrev_b64 $D, 33, $B': ({ b }) => b << 33n,
  'v_ashrrev_i64 $D, $a, -2': ({ a }) => -2n >> (a % 64n),
});

/** Every shift with every hard value. */
const shiftInputs = (): Input[] =>
  Array.from({ length: 66 }, (_, shift) => BigInt(shift)).flatMap((shift) =>
    pairs64()
      .slice(0, 15 * 15)
      .filter((_, at) => at % 15 === 0)
      .map(([b]): Input => [shift, b, 0n]),
  );

const unsigned = ({ a, b, c }: Lane): bigint => a * b + c;
const exact = ({ a, b, c }: Lane): bigint => signed(a) * signed(b) + signed(c, 64);

const PRODUCTS: readonly VectorCase[] = [
  { text: 'v_mad_u64_u32 $D, $m, $a, $b, $C', result: unsigned, mask: (lane) => unsigned(lane) >= 2n ** 64n },
  {
    text: 'v_mad_u64_u32 $D, $m, $a, $b, $C clamp',
    result: (lane) => clamp(unsigned(lane), 0n, 2n ** 64n - 1n),
    mask: (lane) => unsigned(lane) >= 2n ** 64n,
  },
  { text: 'v_mad_i64_i32 $D, $m, $a, $b, $C', result: exact, mask: (lane) => exact(lane) < 0n },
  {
    text: 'v_mad_i64_i32 $D, $m, $a, $b, $C clamp',
    result: (lane) => clamp(exact(lane), -(2n ** 63n), 2n ** 63n - 1n),
    mask: (lane) => exact(lane) < 0n,
  },
  { text: 'v_mad_u64_u32 $D, $m, $a, $b, 7', result: ({ a, b }) => a * b + 7n },
];

test('shifts', async () => {
  for (const cpu of ['gfx906', 'gfx1100'])
    await checkVector({ cpu, cases: SHIFTS, inputs: [...shiftInputs(), ...randomInputs(128)] });
});

test('products with addends', async () => {
  for (const cpu of ['gfx906', 'gfx1030', 'gfx1100'])
    await checkVector({ cpu, cases: PRODUCTS, inputs: [...productsAndAddends(), ...randomInputs(256)] });
});

test('what gfx942 adds', async () => {
  const table = cases({
    'v_lshl_add_u64 $D, $A, 0, $C': ({ a, c }) => a + c,
    'v_lshl_add_u64 $D, $A, 3, $C': ({ a, c }) => (a << 3n) + c,
    'v_lshl_add_u64 $D, $A, 4, $C': ({ a, c }) => (a << 4n) + c,
    'v_mov_b64 $D, $A': ({ a }) => a,
    'v_mov_b64 $D, -3': () => -3n,
  });
  await checkVector({ cpu: 'gfx942', cases: table, inputs: [...pairs64(), ...randomInputs(256)] });
});

test('inactive lanes', async () => {
  const table = [...SHIFTS, ...PRODUCTS];
  await checkVector({ cpu: 'gfx906', cases: table, inputs: randomInputs(64), exec: [0x8001_8001, 0x1] });
});

test.run();

/** Integer dot products and sums of absolute differences. */
import { assemble, execute, machine } from '../../support/simulator.js';
import { assert, suite } from '../../support/suite.js';
import {
  abs,
  cases,
  checkVector,
  clamp,
  low,
  OLD,
  randomInputs,
  signed,
  triples32,
  type Lane,
} from './vector-cases.js';

const test = suite('simulator/operations/vector-dot-sad', { tests: 6 });

type Result = (lane: Lane) => bigint;

const parts = (word: bigint, bits: number, count = 32 / bits): bigint[] =>
  Array.from({ length: count }, (_, at) => low(word >> BigInt(at * bits), bits));
const sum = (values: readonly bigint[]): bigint => values.reduce((total, value) => total + value, 0n);

const dot =
  (bits: number, signedA: boolean, signedB: boolean, signedC: boolean): Result =>
  ({ a, b, c }) => {
    const of = (word: bigint, isSigned: boolean): bigint[] =>
      parts(word, bits).map((part) => (isSigned ? signed(part, bits) : part));
    const [x, y] = [of(a, signedA), of(b, signedB)];
    return sum(x.map((part, at) => part * y[at]!)) + (signedC ? signed(c) : c);
  };
const toI32 =
  (result: Result): Result =>
  (lane) =>
    clamp(result(lane), -(2n ** 31n), 2n ** 31n - 1n);
const toU32 =
  (result: Result): Result =>
  (lane) =>
    clamp(result(lane), 0n, 2n ** 32n - 1n);

const swapped = (word: bigint): bigint => (low(word, 16) << 16n) | (word >> 16n);

const INPUTS = [...triples32(), ...randomInputs(512)];

test('dot products of gfx906', async () => {
  const [i2, u2, i4, u4, i8, u8] = [
    dot(16, true, true, true),
    dot(16, false, false, false),
    dot(8, true, true, true),
    dot(8, false, false, false),
    dot(4, true, true, true),
    dot(4, false, false, false),
  ];
  const table = cases({
    'v_dot2_i32_i16 $d, $a, $b, $c': i2,
    'v_dot2_u32_u16 $d, $a, $b, $c': u2,
    'v_dot4_i32_i8 $d, $a, $b, $c': i4,
    'v_dot4_u32_u8 $d, $a, $b, $c': u4,
    'v_dot8_i32_i4 $d, $a, $b, $c': i8,
    'v_dot8_u32_u4 $d, $a, $b, $c': u8,
    'v_dot2_i32_i16 $d, $a, $b, $c clamp': toI32(i2),
    'v_dot2_u32_u16 $d, $a, $b, $c clamp': toU32(u2),
    'v_dot4_i32_i8 $d, $a, $b, $c clamp': toI32(i4),
    'v_dot4_u32_u8 $d, $a, $b, $c clamp': toU32(u4),
    'v_dot8_i32_i4 $d, $a, $b, $c clamp': toI32(i8),
    'v_dot8_u32_u4 $d, $a, $b, $c clamp': toU32(u8),
    'v_dot2_i32_i16 $d, $a, $b, $c op_sel:[1,0,0] op_sel_hi:[0,1,1]': ({ a, b, c }) =>
      i2({ a: swapped(a), b, c, carry: 0n, lane: 0 }),
    'v_dot4_i32_i8 $d, $a, $b, 3': ({ a, b }) => i4({ a, b, c: 3n, carry: 0n, lane: 0 }),
  });
  await checkVector({ cpu: 'gfx906', cases: table, inputs: INPUTS });
});

test('dot products of gfx1100 say per source whether it is signed', async () => {
  const table = [false, true].flatMap((signA) =>
    [false, true].flatMap((signB) => {
      const more = ` neg_lo:[${Number(signA)},${Number(signB)},0]`;
      return cases({
        [`v_dot4_i32_iu8 $d, $a, $b, $c${more}`]: dot(8, signA, signB, true),
        [`v_dot8_i32_iu4 $d, $a, $b, $c${more}`]: dot(4, signA, signB, true),
        [`v_dot4_i32_iu8 $d, $a, $b, $c${more} clamp`]: toI32(dot(8, signA, signB, true)),
      });
    }),
  );
  await checkVector({ cpu: 'gfx1100', cases: table, inputs: INPUTS });
});

test('dot products that accumulate', async () => {
  const old = { c: OLD, carry: 0n, lane: 0 };
  const table = cases({
    'v_dot4c_i32_i8 $d, $a, $b': ({ a, b }) => dot(8, true, true, true)({ a, b, ...old }),
    'v_dot2c_i32_i16 $d, $a, $b': ({ a, b }) => dot(16, true, true, true)({ a, b, ...old }),
    'v_dot8c_i32_i4 $d, $a, $b': ({ a, b }) => dot(4, true, true, true)({ a, b, ...old }),
  });
  await checkVector({ cpu: 'gfx90a', cases: table, inputs: INPUTS, exec: [-4, 0x7fff_ffff] });
  await checkVector({ cpu: 'gfx1030', cases: table.slice(0, 1), inputs: INPUTS });
});

const difference = (a: bigint, b: bigint, bits: number, count?: number): bigint => {
  const y = parts(b, bits, count);
  return sum(parts(a, bits, count).map((part, at) => abs(part - y[at]!)));
};
const masked = (a: bigint, reference: bigint): bigint => {
  const y = parts(reference, 8);
  return sum(parts(a, 8).map((part, at) => (y[at] === 0n ? 0n : abs(part - y[at]!))));
};

test('sums of differences', async () => {
  const results: Record<string, Result> = {
    v_sad_u8: ({ a, b, c }) => difference(a, b, 8) + c,
    v_sad_hi_u8: ({ a, b, c }) => (difference(a, b, 8) << 16n) + c,
    v_sad_u16: ({ a, b, c }) => difference(a, b, 16) + c,
    v_sad_u32: ({ a, b, c }) => difference(a, b, 32) + c,
    v_msad_u8: ({ a, b, c }) => masked(a, b) + c,
  };
  const table = Object.entries(results).flatMap(([name, result]) =>
    cases({ [`${name} $d, $a, $b, $c`]: result, [`${name} $d, $a, $b, $c clamp`]: toU32(result) }),
  );
  for (const cpu of ['gfx906', 'gfx1100']) await checkVector({ cpu, cases: table, inputs: INPUTS });
});

test('four sums in halves', async () => {
  const quad =
    (differences: (a: bigint, b: bigint) => bigint, limit: (value: bigint) => bigint): Result =>
    ({ a, b, c }) =>
      parts(c, 16, 4).reduce(
        (result, addend, at) =>
          result | (limit(differences(low(a >> BigInt(8 * at), 32), b) + addend) << BigInt(16 * at)),
        0n,
      );
  const wrap = (value: bigint): bigint => low(value, 16);
  const saturate = (value: bigint): bigint => clamp(value, 0n, 0xffffn);
  const sad = (a: bigint, b: bigint): bigint => difference(a, b, 8);
  const table = cases({
    'v_qsad_pk_u16_u8 $D, $A, $b, $C': quad(sad, wrap),
    'v_mqsad_pk_u16_u8 $D, $A, $b, $C': quad(masked, wrap),
    'v_qsad_pk_u16_u8 $D, $A, $b, $C clamp': quad(sad, saturate),
    'v_mqsad_pk_u16_u8 $D, $A, $b, $C clamp': quad(masked, saturate),
  });
  const inputs = [...randomInputs(512), [0n, 0xff_00ff_00ffn, 0xffff_fffe_fc01_ff00n] as const];
  await checkVector({ cpu: 'gfx906', cases: table, inputs });
});

test('four sums in words', async () => {
  const m = machine(await assemble('gfx906', ['v_mqsad_u32_u8 v[8:11], v[0:1], v2, v[4:7]']), { exec: [-1, 7] });
  const { u32 } = m.wave;
  const inputs = randomInputs(64, 9n);
  const addends = randomInputs(128, 10n);
  const set = (register: number, lane: number, value: bigint): void => {
    u32[m.vgpr(register) + lane] = Number(low(value, 32));
    u32[m.vgpr(register + 1) + lane] = Number(value >> 32n);
  };
  for (let lane = 0; lane < 64; lane++) {
    const [a, b] = inputs[lane]!;
    set(0, lane, a);
    set(2, lane, low(b, 32));
    set(4, lane, addends[lane]![0]);
    set(6, lane, addends[lane + 64]![0]);
  }
  execute(m);
  for (let lane = 0; lane < 64; lane++)
    for (let at = 0; at < 4; at++) {
      const [a, b] = inputs[lane]!;
      const addend = parts(addends[at < 2 ? lane : lane + 64]![0], 32, 2)[at % 2]!;
      const expected = low(masked(low(a >> BigInt(8 * at), 32), low(b, 32)) + addend, 32);
      assert.is(BigInt(u32[m.vgpr(8 + at) + lane]!), lane < 35 ? expected : 0n, `lane ${lane}, sum ${at}`);
    }
});

test.run();

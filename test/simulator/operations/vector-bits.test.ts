/** Logic, shifts, bit fields and counts against strings of binary digits and BigInt. */
import { suite } from '../../support/suite.js';
import { cases, checkVector, low, pairs32, randomInputs, signed, triples32, type Lane } from './vector-cases.js';

const test = suite('simulator/operations/vector-bits', { tests: 6 });

type Result = (lane: Lane) => bigint;

const MASK = 0xffff_ffffn;
/** Bit 31 comes first. */
const digits = (value: bigint): string => value.toString(2).padStart(32, '0');
const ofDigits = (text: string): bigint => (text === '' ? 0n : BigInt(`0b${text}`));
const ones = (value: bigint): bigint => BigInt(digits(value).replaceAll('0', '').length);
const reversed = (value: bigint): string => [...digits(value)].reverse().join('');
/** Digits of the field of `width` bits from bit `offset` on; bits beyond the word are copies of `fill`. */
const field = (value: bigint, offset: bigint, width: bigint, fill: string): string => {
  const text = fill.repeat(64) + digits(value);
  const end = text.length - Number(offset % 32n);
  return text.slice(end - Number(width % 32n), end);
};
const bytes = (value: bigint, count: number): bigint[] =>
  Array.from({ length: count }, (_, at) => (value >> BigInt(8 * at)) & 0xffn);
const ofBytes = (list: readonly bigint[]): bigint => list.reduceRight((sum, byte) => (sum << 8n) | byte, 0n);

const leading = (value: bigint, digit: string): bigint => BigInt(digits(value).indexOf(digit));
const trailing: Result = ({ a }) => BigInt(reversed(a).indexOf('1'));
const signBits: Result = ({ a }) => leading(a, digits(a)[0] === '0' ? '1' : '0');

const permuted: Result = ({ a, b, c }) => {
  const sources = bytes((a << 32n) | b, 8);
  const sign = (byte: number): bigint => (sources[byte]! >= 0x80n ? 0xffn : 0n);
  const select = (index: bigint): bigint => {
    if (index < 8n) return sources[Number(index)]!;
    const signs = [sign(1), sign(3), sign(5), sign(7)];
    if (index < 12n) return signs[Number(index) - 8]!;
    return index === 12n ? 0n : 0xffn;
  };
  return ofBytes(bytes(c, 4).map(select));
};

const averaged: Result = ({ a, b, c }) => {
  const [x, y, z] = [bytes(a, 4), bytes(b, 4), bytes(c, 4)];
  return ofBytes(x.map((byte, at) => (byte + y[at]! + (z[at]! % 2n)) / 2n));
};

/** The mask's bits for the lanes below, as text with bit 0 first. */
const below = (mask: bigint, lanes: number): bigint =>
  BigInt(reversed(mask).slice(0, Math.max(0, Math.min(32, lanes))).replaceAll('0', '').length); // prettier-ignore

const ONE_AND_TWO: Record<string, Result> = {
  'v_not_b32 $d, $a': ({ a }) => MASK - a,
  'v_and_b32 $d, $a, $b': ({ a, b }) => a & b,
  'v_or_b32 $d, $a, $b': ({ a, b }) => a | b,
  'v_xor_b32 $d, $a, $b': ({ a, b }) => a ^ b,
  'v_xnor_b32 $d, $a, $b': ({ a, b }) => MASK - (a ^ b),
  'v_lshlrev_b32 $d, $a, $b': ({ a, b }) => b << (a % 32n),
  'v_lshrrev_b32 $d, $a, $b': ({ a, b }) => b >> (a % 32n),
  'v_ashrrev_i32 $d, $a, $b': ({ a, b }) => signed(b) >> (a % 32n),
  'v_bfm_b32 $d, $a, $b': ({ a, b }) => ofDigits('1'.repeat(Number(a % 32n))) << (b % 32n),
  'v_bfrev_b32 $d, $a': ({ a }) => ofDigits(reversed(a)),
  'v_bcnt_u32_b32 $d, $a, $b': ({ a, b }) => ones(a) + b,
};

const THREE: Record<string, Result> = {
  'v_and_or_b32 $d, $a, $b, $c': ({ a, b, c }) => (a & b) | c,
  'v_or3_b32 $d, $a, $b, $c': ({ a, b, c }) => a | b | c,
  'v_lshl_or_b32 $d, $a, $b, $c': ({ a, b, c }) => (a << (b % 32n)) | c,
  'v_alignbit_b32 $d, $a, $b, $c': ({ a, b, c }) => ((a << 32n) | b) >> (c % 32n),
  'v_alignbyte_b32 $d, $a, $b, $c': ({ a, b, c }) => ((a << 32n) | b) >> (8n * (c % 4n)),
  'v_bfe_u32 $d, $a, $b, $c': ({ a, b, c }) => ofDigits(field(a, b, c, '0')),
  'v_bfe_i32 $d, $a, $b, $c': ({ a, b, c }) => {
    const text = field(a, b, c, digits(a)[0]!);
    return signed(ofDigits(text), text.length);
  },
  'v_bfi_b32 $d, $a, $b, $c': ({ a, b, c }) =>
    ofDigits([...digits(a)].map((digit, at) => digits(digit === '1' ? b : c)[at]!).join('')),
  'v_perm_b32 $d, $a, $b, $c': permuted,
  'v_lerp_u8 $d, $a, $b, $c': averaged,
};

const INPUTS_2 = [...pairs32(), ...randomInputs(256)];
const INPUTS_3 = [...triples32(), ...randomInputs(256, 5n)];

test('one and two operands', async () => {
  const counts = {
    'v_ffbh_u32 $d, $a': ({ a }: Lane) => leading(a, '1'),
    'v_ffbl_b32 $d, $a': trailing,
    'v_ffbh_i32 $d, $a': signBits,
  };
  await checkVector({ cpu: 'gfx906', cases: cases({ ...ONE_AND_TWO, ...counts }), inputs: INPUTS_2 });
});

test('one and two operands on gfx1100', async () => {
  const counts = {
    'v_clz_i32_u32 $d, $a': ({ a }: Lane) => leading(a, '1'),
    'v_ctz_i32_b32 $d, $a': trailing,
    'v_cls_i32 $d, $a': signBits,
  };
  await checkVector({ cpu: 'gfx1100', cases: cases({ ...ONE_AND_TWO, ...counts }), inputs: INPUTS_2 });
});

test('three operands', async () => {
  await checkVector({ cpu: 'gfx906', cases: cases(THREE), inputs: INPUTS_3 });
  const xor3 = { 'v_xor3_b32 $d, $a, $b, $c': ({ a, b, c }: Lane) => a ^ b ^ c };
  await checkVector({ cpu: 'gfx1100', cases: cases({ ...THREE, ...xor3 }), inputs: INPUTS_3 });
});

test('every select of v_perm_b32', async () => {
  const selects = Array.from({ length: 64 }, (_, at) => ofBytes([0, 1, 2, 3].map((byte) => BigInt((at + 5 * byte) % 16))));
  const inputs = [0x80_7f_80_7fn, 0x7f_80_7f_80n, 0x0123_4567n].flatMap((a) =>
    selects.map((c) => [a, 0x89ab_cdefn ^ a, c] as const),
  );
  await checkVector({ cpu: 'gfx906', cases: cases({ 'v_perm_b32 $d, $a, $b, $c': permuted }), inputs });
}); // prettier-ignore

test('shifts by the upper half of a register', async () => {
  const shift = (c: bigint): bigint => (c >> 16n) % 32n;
  const result: Result = ({ a, b, c }) => ((a << 32n) | b) >> shift(c);
  const inputs = INPUTS_3.slice(0, 512);
  await checkVector({ cpu: 'gfx1100', cases: cases({ 'v_alignbit_b32 $d, $a, $b, $c.h': result }), inputs });
  const op_sel = { 'v_alignbit_b32 $d, $a, $b, $c op_sel:[0,0,1,0]': result };
  await checkVector({ cpu: 'gfx1030', cases: cases(op_sel), inputs });
});

test('ones of a lane mask below a lane', async () => {
  const table = cases({
    'v_mbcnt_lo_u32_b32 $d, $a, $b': ({ a, b, lane }) => below(a, lane) + b,
    'v_mbcnt_hi_u32_b32 $d, $a, $b': ({ a, b, lane }) => below(a, lane - 32) + b,
    'v_mbcnt_lo_u32_b32 $d, -1, 0': ({ lane }) => BigInt(Math.min(lane, 32)),
  });
  const inputs = [...Array.from({ length: 64 }, () => [MASK, 5n, 0n] as const), ...randomInputs(256)];
  await checkVector({ cpu: 'gfx906', cases: table, inputs });
  await checkVector({ cpu: 'gfx906', cases: table, inputs, exec: [0x1234_5678, 0xc000_0003] });
  await checkVector({ cpu: 'gfx1100', cases: table, inputs });
  await checkVector({ cpu: 'gfx1100', waveSize: 64, cases: table, inputs: inputs.map(([a, b]) => [low(a, 32), b, 0n]) });
}); // prettier-ignore

test.run();

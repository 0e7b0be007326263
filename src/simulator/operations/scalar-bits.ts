/** Scalar logic, shifts, bit fields, and counting and permuting of bits (ISA documents, SOP1 and SOP2). */
import {
  leadingSigns,
  leadingZeros,
  popCount,
  reverseBits,
  trailingZeros,
  shiftLeftHigh,
  shiftLeftLow,
  shiftRightHigh,
  shiftRightLow,
} from '../arithmetic/integer.js';
import type { Wave } from '../wave.js';
import { named, type Operation, type OperationTable } from './operation.js';
import {
  halves1,
  halves2,
  scalarBinary,
  scalarUnary,
  test1,
  test2,
  value1,
  value2,
  write64,
  writeTested64,
} from './scalar-operation.js';

type Binary = (a: number, b: number) => number;

/** One logical operation on 32 and on 64 bits, under all its names. */
const logic = (f: Binary, ...stems: readonly string[]): OperationTable => ({
  ...named(test2(f), ...stems.map((stem) => `${stem}_b32`)),
  ...named(halves2(f), ...stems.map((stem) => `${stem}_b64`)),
});

const shiftRight64 = (signed: boolean): Operation =>
  scalarBinary(
    (w, d, a, b) => {
      const low = w.i32[a]!;
      const high = w.i32[a + 1]!;
      const n = w.i32[b]! & 63;
      writeTested64(w, d, shiftRightLow(low, high, n, signed), shiftRightHigh(high, n, signed));
    },
    { d: 2, a: 2, signed },
  );

// --- bit fields: src1 holds the first bit (5 or 6 bits) and, from bit 16 on, the number of bits (7 bits) -------------

const fieldWidth = (field: number): number => (field >>> 16) & 0x7f;

function extract32(value: number, field: number, signed: boolean): number {
  const width = fieldWidth(field);
  if (width === 0) return 0;
  const first = field & 31;
  const shifted = signed ? value >> first : value >>> first;
  const unused = Math.max(32 - width, 0);
  return signed ? (shifted << unused) >> unused : (shifted << unused) >>> unused;
}

function extract64(w: Wave, d: number, a: number, b: number, signed: boolean): void {
  const field = w.i32[b]!;
  const width = fieldWidth(field);
  if (width === 0) return writeTested64(w, d, 0, 0);
  const first = field & 63;
  const low = shiftRightLow(w.i32[a]!, w.i32[a + 1]!, first, signed);
  const high = shiftRightHigh(w.i32[a + 1]!, first, signed);
  const unused = Math.max(64 - width, 0);
  const top = shiftLeftHigh(low, high, unused);
  const bottom = shiftLeftLow(low, unused);
  writeTested64(w, d, shiftRightLow(bottom, top, unused, signed), shiftRightHigh(top, unused, signed));
}

// --- searching: the position or number of bits, -1 when the search finds nothing; SCC stays --------------------------

const search64 = (f: (low: number, high: number) => number, signed = false): Operation =>
  scalarUnary(
    (w, d, a) => {
      w.i32[d] = f(w.i32[a]!, w.i32[a + 1]!);
    },
    { a: 2, signed },
  );

const lowestBit64 = (low: number, high: number): number =>
  low !== 0 ? trailingZeros(low) : high !== 0 ? 32 + trailingZeros(high) : -1;

const leadingZeros64 = (low: number, high: number): number =>
  high !== 0 ? Math.clz32(high) : low !== 0 ? 32 + Math.clz32(low) : -1;

/** Number of bits from the top on that equal the sign: the leading zeros once the sign bits are made zeros. */
const signBits64 = (low: number, high: number): number => leadingZeros64(low ^ (high >> 31), high ^ (high >> 31));

// --- permuting -------------------------------------------------------------------------------------------------------

/** The lowest bit of each group of four that is not zero. */
const quads = (x: number): number => (x | (x >>> 1) | (x >>> 2) | (x >>> 3)) & 0x11111111;

/** Whole quad mode: all four bits of each group that is not zero. */
const wholeQuads = (x: number): number => Math.imul(quads(x), 15);

/** One bit for each group of four. */
function quadMask(x: number): number {
  let bits = quads(x);
  bits = (bits | (bits >>> 3)) & 0x03030303;
  bits = (bits | (bits >>> 6)) & 0x000f000f;
  return (bits | (bits >>> 12)) & 0xff;
}

/** Each of the 16 low bits twice. */
function twice(x: number): number {
  let bits = x & 0xffff;
  bits = (bits | (bits << 8)) & 0x00ff00ff;
  bits = (bits | (bits << 4)) & 0x0f0f0f0f;
  bits = (bits | (bits << 2)) & 0x33333333;
  bits = (bits | (bits << 1)) & 0x55555555;
  return bits | (bits << 1);
}

const setBit32 = (value: 0 | 1): Operation =>
  scalarUnary((w, d, a) => {
    const bit = 1 << w.i32[a]!;
    w.i32[d] = value === 1 ? w.i32[d]! | bit : w.i32[d]! & ~bit;
  });

const setBit64 = (value: 0 | 1): Operation =>
  scalarUnary(
    (w, d, a) => {
      const at = d + ((w.i32[a]! >>> 5) & 1);
      const bit = 1 << w.i32[a]!;
      w.i32[at] = value === 1 ? w.i32[at]! | bit : w.i32[at]! & ~bit;
    },
    { d: 2 },
  );

const countBits64 = (invert: number): Operation =>
  scalarUnary(
    (w, d, a) => {
      const count = popCount(w.i32[a]! ^ invert) + popCount(w.i32[a + 1]! ^ invert);
      w.i32[d] = count;
      w.scc = count !== 0 ? 1 : 0;
    },
    { a: 2 },
  );

export const scalarBits: OperationTable = {
  ...logic((a, b) => a & b, 's_and'),
  ...logic((a, b) => a | b, 's_or'),
  ...logic((a, b) => a ^ b, 's_xor'),
  ...logic((a, b) => ~(a & b), 's_nand'),
  ...logic((a, b) => ~(a | b), 's_nor'),
  ...logic((a, b) => ~(a ^ b), 's_xnor'),
  ...logic((a, b) => a & ~b, 's_andn2', 's_and_not1'),
  ...logic((a, b) => a | ~b, 's_orn2', 's_or_not1'),
  s_not_b32: test1((a) => ~a),
  s_not_b64: halves1((a) => ~a),

  s_lshl_b32: test2((a, b) => a << b),
  s_lshr_b32: test2((a, b) => a >>> b),
  s_ashr_i32: test2((a, b) => a >> b),
  s_lshl_b64: scalarBinary(
    (w, d, a, b) => {
      const low = w.i32[a]!;
      const n = w.i32[b]! & 63;
      writeTested64(w, d, shiftLeftLow(low, n), shiftLeftHigh(low, w.i32[a + 1]!, n));
    },
    { d: 2, a: 2 },
  ),
  s_lshr_b64: shiftRight64(false),
  s_ashr_i64: shiftRight64(true),

  s_bfe_u32: test2((a, b) => extract32(a, b, false)),
  s_bfe_i32: test2((a, b) => extract32(a, b, true)),
  s_bfe_u64: scalarBinary((w, d, a, b) => extract64(w, d, a, b, false), { d: 2, a: 2 }),
  s_bfe_i64: scalarBinary((w, d, a, b) => extract64(w, d, a, b, true), { d: 2, a: 2, signed: true }),
  s_bfm_b32: value2((a, b) => ((1 << a) - 1) << b),
  s_bfm_b64: scalarBinary(
    (w, d, a, b) => {
      const width = w.i32[a]! & 63;
      const first = w.i32[b]! & 63;
      const ones = width >= 32 ? -1 : (1 << width) - 1;
      const top = width > 32 ? (1 << (width - 32)) - 1 : 0;
      write64(w, d, shiftLeftLow(ones, first), shiftLeftHigh(ones, top, first));
    },
    { d: 2 },
  ),

  s_bcnt0_i32_b32: test1((a) => popCount(~a)),
  s_bcnt1_i32_b32: test1(popCount),
  s_bcnt0_i32_b64: countBits64(-1),
  s_bcnt1_i32_b64: countBits64(0),
  s_ff0_i32_b32: value1((a) => trailingZeros(~a)),
  s_ff0_i32_b64: search64((low, high) => lowestBit64(~low, ~high)),
  ...named(value1(trailingZeros), 's_ff1_i32_b32', 's_ctz_i32_b32'),
  ...named(search64(lowestBit64), 's_ff1_i32_b64', 's_ctz_i32_b64'),
  ...named(value1(leadingZeros), 's_flbit_i32_b32', 's_clz_i32_u32'),
  ...named(search64(leadingZeros64), 's_flbit_i32_b64', 's_clz_i32_u64'),
  ...named(value1(leadingSigns), 's_flbit_i32', 's_cls_i32'),
  ...named(search64(signBits64, true), 's_flbit_i32_i64', 's_cls_i32_i64'),

  s_bitset0_b32: setBit32(0),
  s_bitset1_b32: setBit32(1),
  s_bitset0_b64: setBit64(0),
  s_bitset1_b64: setBit64(1),
  s_brev_b32: value1(reverseBits),
  s_brev_b64: scalarUnary((w, d, a) => write64(w, d, reverseBits(w.i32[a + 1]!), reverseBits(w.i32[a]!)), {
    d: 2,
    a: 2,
  }),
  s_bitreplicate_b64_b32: scalarUnary((w, d, a) => write64(w, d, twice(w.i32[a]!), twice(w.i32[a]! >>> 16)), { d: 2 }),
  s_wqm_b32: test1(wholeQuads),
  s_wqm_b64: halves1(wholeQuads),
  s_quadmask_b32: test1(quadMask),
  s_quadmask_b64: scalarUnary(
    (w, d, a) => writeTested64(w, d, quadMask(w.i32[a]!) | (quadMask(w.i32[a + 1]!) << 8), 0),
    { d: 2, a: 2 },
  ),

  s_pack_ll_b32_b16: value2((a, b) => (a & 0xffff) | (b << 16)),
  s_pack_lh_b32_b16: value2((a, b) => (a & 0xffff) | (b & 0xffff0000)),
  s_pack_hh_b32_b16: value2((a, b) => (a >>> 16) | (b & 0xffff0000)),
  s_pack_hl_b32_b16: value2((a, b) => (a >>> 16) | (b << 16)),
};

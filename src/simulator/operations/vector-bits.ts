/** Vector operations on the bits of words: logic, shifts, fields, counting, bytes. */
import { leadingSigns, leadingZeros, popCount, reverseBits, trailingZeros } from '../arithmetic/integer.js';
import { binary32, type Ternary, ternary32, ternaryInteger, unary32 } from './integer-shapes.js';
import { named, type Operation, type OperationTable } from './operation.js';

const OP_SEL = 4;

// --- fields ----------------------------------------------------------------------------------------------------------

/** `width` ones; widths are taken modulo 32. */
const ones = (width: number): number => (1 << width) - 1;

/** The field is sign-extended from its last bit; one of width 0 is 0. */
function signedField(a: number, offset: number, width: number): number {
  const bits = width & 31;
  return bits === 0 ? 0 : ((a >> offset) << (32 - bits)) >> (32 - bits);
}

/** Lower word of {high, low} >> shift, with a shift of 0 to 31. */
const align = (high: number, low: number, shift: number): number =>
  shift === 0 ? low : (high << (32 - shift)) | (low >>> shift);

/** vdst = {src0, src1} >> src2; in some encodings, op_sel can select the upper half of src2. */
function alignment(f: Ternary): Operation {
  const whole = ternaryInteger(f, 'b32', 'b32', 'b32');
  const half = ternaryInteger(f, 'b32', 'b16', 'b32');
  return (site) => ((site.instruction.immediate('src2_modifiers') & OP_SEL) !== 0 ? half : whole)(site);
}

// --- bytes -----------------------------------------------------------------------------------------------------------

/** One byte of v_perm_b32: 0 to 3 select from src1, 4 to 7 from src0; the others are signs and constants. */
function selectedByte(a: number, b: number, select: number): number {
  if (select < 4) return (b >>> (8 * select)) & 0xff;
  if (select < 8) return (a >>> (8 * (select - 4))) & 0xff;
  if (select < 12) return ((select < 10 ? b : a) << ((select & 1) === 0 ? 16 : 0)) >> 31 === 0 ? 0 : 0xff;
  return select === 12 ? 0 : 0xff;
}

function permuteBytes(a: number, b: number, selects: number): number {
  return (
    selectedByte(a, b, selects & 0xff) |
    (selectedByte(a, b, (selects >>> 8) & 0xff) << 8) |
    (selectedByte(a, b, (selects >>> 16) & 0xff) << 16) |
    (selectedByte(a, b, selects >>> 24) << 24)
  );
}

/** Averages of bytes; bit 0 of each byte of `c` rounds up. */
function lerp(a: number, b: number, c: number): number {
  let result = 0;
  for (let shift = 0; shift < 32; shift += 8)
    result |= ((((a >>> shift) & 0xff) + ((b >>> shift) & 0xff) + ((c >>> shift) & 1)) >> 1) << shift;
  return result;
}

// --- lane masks ------------------------------------------------------------------------------------------------------

/**
 * vdst = src1 + the ones of src0 that belong to lanes below this one; src0 is the mask of lanes `first` to `first` +
 * 31.
 */
function countBelow(first: 0 | 32): Operation {
  return (site) => {
    const a = site.source('src0', 'b32');
    const b = site.source('src1', 'b32');
    const d = site.destination('vdst', 'b32');
    return site.step((w) => {
      const { i32, lanes, active } = w;
      for (let k = 0; k < active; k++) {
        const l = lanes[k]!;
        const below = l - first;
        const mask = below <= 0 ? 0 : below > 31 ? -1 : (1 << below) - 1;
        i32[d.lo + l] = i32[b.lo + l * b.stride]! + popCount(i32[a.lo + l * a.stride]! & mask);
      }
    });
  };
}

export const vectorBits: OperationTable = {
  v_not_b32: unary32((a) => ~a),
  v_and_b32: binary32((a, b) => a & b),
  v_or_b32: binary32((a, b) => a | b),
  v_xor_b32: binary32((a, b) => a ^ b),
  v_xnor_b32: binary32((a, b) => ~(a ^ b)),
  v_and_or_b32: ternary32((a, b, c) => (a & b) | c),
  v_or3_b32: ternary32((a, b, c) => a | b | c),
  v_xor3_b32: ternary32((a, b, c) => a ^ b ^ c),

  v_lshlrev_b32: binary32((a, b) => b << a),
  v_lshrrev_b32: binary32((a, b) => b >>> a),
  v_ashrrev_i32: binary32((a, b) => b >> a),
  v_lshl_or_b32: ternary32((a, b, c) => (a << b) | c),
  v_alignbit_b32: alignment((a, b, c) => align(a, b, c & 31)),
  v_alignbyte_b32: alignment((a, b, c) => align(a, b, 8 * (c & 3))),

  v_bfe_u32: ternary32((a, b, c) => (a >>> b) & ones(c)),
  v_bfe_i32: ternary32((a, b, c) => signedField(a, b, c)),
  v_bfi_b32: ternary32((a, b, c) => (a & b) | (~a & c)),
  v_bfm_b32: binary32((a, b) => ones(a) << b),
  v_bfrev_b32: unary32((a) => reverseBits(a)),

  v_bcnt_u32_b32: binary32((a, b) => (popCount(a) + b) | 0),
  ...named(
    unary32((a) => leadingZeros(a)),
    'v_ffbh_u32',
    'v_clz_i32_u32',
  ),
  ...named(
    unary32((a) => trailingZeros(a)),
    'v_ffbl_b32',
    'v_ctz_i32_b32',
  ),
  ...named(
    unary32((a) => leadingSigns(a)),
    'v_ffbh_i32',
    'v_cls_i32',
  ),
  v_mbcnt_lo_u32_b32: countBelow(0),
  v_mbcnt_hi_u32_b32: countBelow(32),

  v_perm_b32: ternary32((a, b, c) => permuteBytes(a, b, c)),
  v_lerp_u8: ternary32((a, b, c) => lerp(a, b, c)),
};

/**
 * The modifiers of vector operands, on the way into an operation and out of it: neg and abs, SDWA and op_sel selects,
 * 16-bit register halves, DPP (the permutation itself is in dpp.ts), and on the way out omod, clamp and partial writes.
 *
 * Each becomes a step over a scratch row before or after the operation. The bits of the modifier operands are LLVM's
 * (SIDefines.h, `SISrcMods`, `SDWA`); what they mean is in the ISA documents' chapters on VOP3, VOP3P, SDWA and DPP.
 */
import { OperandKind } from '../formats/disassembly.js';
import { flushF16, flushF32, flushF64 } from './arithmetic/denormals.js';
import { f64OfWords, highOfF64, lowOfF64 } from './arithmetic/bits.js';
import { clamp as clampNumber, clampF16, omodF16, omodF32, omodF64 } from './arithmetic/shape.js';
import { dppSource, isPermuted } from './dpp.js';
import type { Operand } from './program.js';
import type { Destination, Source, ValueType } from './operands.js';
import type { PlainSite } from './plain-site.js';
import { specialize } from './specialize.js';
import type { Step, Wave } from './wave.js';

const NEG = 1;
const ABS = 2;
/** In SDWA integer operands: sign-extend the selected part. */
const SEXT = 1 << 4;
const OP_SEL = 4;
/** In the modifiers of src0: the result goes to the upper half. */
const DESTINATION_OP_SEL = 8;
const SDWA_DWORD = 6;
const SDWA_UNUSED_SEXT = 1;
const SDWA_UNUSED_PRESERVE = 2;

export interface SourceModifiers {
  readonly name: string;
  readonly type: ValueType;
  readonly operand: Operand;
}

const isFloat = (type: ValueType): boolean => type === 'f32' || type === 'f64' || type === 'f16';
const isHalf = (type: ValueType): boolean => type === 'f16' || type === 'b16' || type === 'i16';

type Row = (
  i32: Int32Array,
  lanes: Uint8Array,
  active: number,
  d: number,
  s: number,
  stride: number,
  and: number,
  xor: number,
) => void;

/** d[l] = (s[l] & and) ^ xor. */
const signRow: Row = (i32, lanes, active, d, s, stride, and, xor) => {
  for (let k = 0; k < active; k++) {
    const l = lanes[k]!;
    i32[d + l] = (i32[s + l * stride]! & and) ^ xor;
  }
};

/** d[l] = `bits` bits of s[l] from bit `shift` on, sign-extended or not, with the sign changed by and/xor. */
type SelectRow = (
  i32: Int32Array,
  lanes: Uint8Array,
  active: number,
  d: number,
  s: number,
  stride: number,
  left: number,
  right: number,
  signed: boolean,
) => void;
const selectRow: SelectRow = (i32, lanes, active, d, s, stride, left, right, signed) => {
  for (let k = 0; k < active; k++) {
    const l = lanes[k]!;
    const shifted = i32[s + l * stride]! << left;
    i32[d + l] = signed ? shifted >> right : shifted >>> right;
  }
};

const signs = specialize(signRow);
const selects = specialize(selectRow);

/** First bit and number of bits of an SDWA select (BYTE_0 … 3, WORD_0, WORD_1, DWORD). */
function sdwaField(select: number): { first: number; bits: number } {
  if (select < 4) return { first: 8 * select, bits: 8 };
  if (select < SDWA_DWORD) return { first: 16 * (select - 4), bits: 16 };
  return { first: 0, bits: 32 };
}

/** A scratch row with (s & and) ^ xor, where s is a row or a single word; registers the step that fills it. */
export function signStep(site: PlainSite, s: number, stride: 0 | 1, and: number, xor: number): number {
  const row = site.row();
  site.before(
    stride === 0
      ? ({ i32 }) => {
          i32[row] = (i32[s]! & and) ^ xor;
        }
      : (w) => signs(w.i32, w.lanes, w.active, row, s, stride, and, xor),
  );
  return row;
}

/** The source as the operation is to see it; registers the steps that prepare it. */
export function sourceStep(site: PlainSite, plain: Source, { name, type, operand }: SourceModifiers): Source {
  const { instruction } = site;
  const modifiers = instruction.immediate(`${name}_modifiers`);
  let current = isPermuted(site, name) ? dppSource(site, plain, type) : plain;

  // Part of a register: SDWA select, op_sel, or a named half.
  let first = 0;
  let bits = 32;
  let signed = type === 'i16';
  if (instruction.is('Sdwa')) {
    ({ first, bits } = sdwaField(instruction.immediate(`${name}_sel`, SDWA_DWORD)));
    if (isHalf(type)) bits = Math.min(bits, 16);
    // A byte is sign-extended where the instruction says so, also for a 16-bit signed operation.
    signed = (signed && bits > 8) || (!isFloat(type) && (modifiers & SEXT) !== 0);
  } else if (operand.kind === OperandKind.Vgpr16High) {
    first = 16;
    bits = 16;
  } else if (isHalf(type)) {
    bits = 16;
    // Constants of 16-bit operands are in the low half already.
    if (operand.kind === OperandKind.Immediate) {
      const constant = site.layout.constant(signed ? (operand.value << 16) >> 16 : operand.value & 0xffff);
      current = { lo: constant, hi: constant, stride: 0 };
      bits = 32;
    } else if ((modifiers & OP_SEL) !== 0) first = 16;
  }
  if (bits < 32 && (signed || first > 0 || isHalf(type) || instruction.is('Sdwa'))) {
    const row = site.row();
    const { lo, stride } = current;
    const left = 32 - first - bits;
    const right = 32 - bits;
    site.before(
      stride === 0
        ? ({ i32 }) => {
            const shifted = i32[lo]! << left;
            i32[row] = signed ? shifted >> right : shifted >>> right;
          }
        : (w) => selects(w.i32, w.lanes, w.active, row, lo, stride, left, right, signed),
    );
    current = { lo: row, hi: row, stride };
    if (signed && type === 'b16') current = { ...current, lo: signStep(site, row, stride, 0xffff, 0) };
  }

  if (isFloat(type) && (modifiers & (NEG | ABS)) !== 0) {
    const sign = type === 'f16' ? 0x8000 : 0x80000000 | 0;
    const and = (modifiers & ABS) !== 0 ? ~sign : -1;
    const xor = (modifiers & NEG) !== 0 ? sign : 0;
    const { lo, hi, stride } = current;
    if (type === 'f64') return { lo, hi: signStep(site, hi, stride, and, xor), stride };
    const row = signStep(site, lo, stride, and, xor);
    return { lo: row, hi: row, stride };
  }
  return current;
}

// --- results ---------------------------------------------------------------------------------------------------------

/** The place the operation writes to; registers the steps that bring the result to its destination. */
export function destinationSteps(site: PlainSite, plain: Destination, type: ValueType, operand: Operand): Destination {
  const { instruction } = site;
  const clamp = isFloat(type) && instruction.immediate('clamp') !== 0;
  const omod = isFloat(type) ? instruction.immediate('omod') : 0;
  const merge = mergeStep(site, type, operand);
  if (!clamp && omod === 0 && merge === null) return plain;

  const lo = site.row();
  const hi = type === 'f64' || type === 'b64' ? site.row() : lo;
  if (omod !== 0) site.after(omodStep(type, lo, hi, omod));
  if (clamp) site.after(clampStep(type, lo, hi));
  site.after(
    merge !== null
      ? (w) => merge(w, plain.lo, lo)
      : (w) => {
          signs(w.i32, w.lanes, w.active, plain.lo, lo, 1, -1, 0);
          if (hi !== lo) signs(w.i32, w.lanes, w.active, plain.hi, hi, 1, -1, 0);
        },
  );
  return { lo, hi };
}

type Merge = (wave: Wave, destination: number, result: number) => void;

/** How a result that is not a whole register gets into its destination; null for whole registers. */
function mergeStep(site: PlainSite, type: ValueType, operand: Operand): Merge | null {
  const { instruction, target } = site;
  if (instruction.is('Sdwa')) {
    const { first, bits } = sdwaField(instruction.immediate('dst_sel', SDWA_DWORD));
    if (bits === 32 && !isHalf(type)) return null;
    if (bits === 32) return (w, d, s) => signs(w.i32, w.lanes, w.active, d, s, 1, 0xffff, 0);
    const unused = instruction.immediate('dst_unused');
    const mask = (((2 ** bits - 1) | 0) << first) | 0;
    const keep = unused === SDWA_UNUSED_PRESERVE ? ~mask : 0;
    const extend = unused === SDWA_UNUSED_SEXT;
    const left = 32 - bits;
    return (w, d, s) => {
      const { i32, lanes, active } = w;
      for (let k = 0; k < active; k++) {
        const l = lanes[k]!;
        const value = extend ? ((i32[s + l]! << left) >> left) << first : (i32[s + l]! << first) & mask;
        i32[d + l] = (i32[d + l]! & keep) | value;
      }
    };
  }
  if (!isHalf(type)) return null;
  const high =
    operand.kind === OperandKind.Vgpr16High ||
    (operand.kind === OperandKind.Vgpr && (instruction.immediate('src0_modifiers') & DESTINATION_OP_SEL) !== 0);
  const keep = high ? 0xffff : 0xffff0000 | 0;
  // GFX9 clears the upper half, except for a few operations; later processors keep it.
  const clears = target.clearsUpperHalf && !high && !PRESERVING_GFX9.has(instruction.mnemonic);
  const shift = high ? 16 : 0;
  return (w, d, s) => {
    const { i32, lanes, active } = w;
    for (let k = 0; k < active; k++) {
      const l = lanes[k]!;
      i32[d + l] = (clears ? 0 : i32[d + l]! & keep) | ((i32[s + l]! & 0xffff) << shift);
    }
  };
}

/**
 * Operations that keep the upper half on GFX9 too: those that are new there, and those that changed there (Vega
 * ISA, V_MAD_U16 as opposed to V_MAD_LEGACY_U16; LLVM, `GCNSubtarget::zeroesHigh16BitsOfDest`).
 */
const PRESERVING_GFX9 = new Set([
  'v_mad_f16', 'v_mad_u16', 'v_mad_i16', 'v_fma_f16', 'v_div_fixup_f16', 'v_interp_p2_f16',
  'v_mac_f16', 'v_madak_f16', 'v_madmk_f16', 'v_min3_f16', 'v_max3_f16', 'v_med3_f16',
  'v_min3_i16', 'v_max3_i16', 'v_med3_i16', 'v_min3_u16', 'v_max3_u16', 'v_med3_u16', 'v_add_i16', 'v_sub_i16',
  'v_fma_mixlo_f16', 'v_fma_mixhi_f16', 'v_mad_mixlo_f16', 'v_mad_mixhi_f16',
]); // prettier-ignore

const readF64 = (w: Wave, lo: number, hi: number): number => f64OfWords(w.u32[hi]!, w.u32[lo]!);

function writeF64(w: Wave, lo: number, hi: number, value: number): void {
  w.i32[lo] = lowOfF64(value);
  w.i32[hi] = highOfF64(value);
}

/**
 * Multiplies the result. The hardware leaves it alone in IEEE mode (LLVM, SIFoldOperands) and where denormal results
 * are kept; it makes +0 of -0.
 */
function omodStep(type: ValueType, lo: number, hi: number, omod: number): Step {
  return (w) => {
    const { lanes, active, i32, f32, mode } = w;
    if (mode.ieee || ((type === 'f32' ? mode.denormF32 : mode.denormF16F64) & 2) !== 0) return;
    for (let k = 0; k < active; k++) {
      const l = lanes[k]!;
      if (type === 'f32') {
        const value = f32[lo + l]!;
        if (value === value) f32[lo + l] = flushF32(omodF32(value, omod)) + 0;
      } else if (type === 'f16') {
        const bits = flushF16(omodF16(i32[lo + l]! & 0xffff, omod));
        i32[lo + l] = bits === 0x8000 ? 0 : bits;
      } else {
        const value = readF64(w, lo + l, hi + l);
        if (value === value) writeF64(w, lo + l, hi + l, flushF64(omodF64(value, omod)) + 0);
      }
    }
  };
}

/** To 0 … 1; NaN becomes 0 where DX10_CLAMP says so. */
export function clampStep(type: ValueType, lo: number, hi: number): Step {
  return (w) => {
    const { lanes, active, i32, f32 } = w;
    const { dx10Clamp } = w.mode;
    for (let k = 0; k < active; k++) {
      const l = lanes[k]!;
      if (type === 'f16') {
        i32[lo + l] = clampF16(i32[lo + l]! & 0xffff, dx10Clamp);
        continue;
      }
      const value = type === 'f32' ? f32[lo + l]! : readF64(w, lo + l, hi + l);
      // Storing a NaN could change its payload.
      if (value !== value && !dx10Clamp) continue;
      const clamped = clampNumber(value, dx10Clamp);
      if (type === 'f32') f32[lo + l] = clamped;
      else writeF64(w, lo + l, hi + l, clamped);
    }
  };
}

/**
 * Multiply-adds of mixed formats (`v_fma_mix*`, `v_mad_mix*`): each source is an f32, or a half of a register as f16,
 * which is widened; the result is an f32, or an f16 in one half of a register whose other half stays.
 *
 * VOP3P's bits have other meanings here: `op_sel_hi` says that a source is f16, `op_sel` which half, and NEG_HI is the
 * absolute value. A 16-bit result is rounded twice, to f32 by the f32 field of MODE and then to f16 by the other
 * ("D0.f16 = f32_to_f16(fma(…))"). `v_mad_mix*` is unfused and flushes denormals, as `v_mad_f32` does.
 */
import { OperandKind } from '../../formats/disassembly.js';
import { addF32, fmaF32Mode, mulF32 } from '../arithmetic/f32.js';
import { bitsOfF32 } from '../arithmetic/bits.js';
import { flushF32 } from '../arithmetic/denormals.js';
import { f16ToNumber, roundF16 } from '../arithmetic/f16.js';
import { narrowNaN32, widenNaN16 } from '../arithmetic/nan.js';
import { fmaF32, type Rounding } from '../arithmetic/rounding.js';
import { clampF16 } from '../arithmetic/shape.js';
import { dppSource } from '../dpp.js';
import { signStep } from '../modifiers.js';
import type { Site } from '../site.js';
import type { Source } from '../operands.js';
import { Denormals, f32Loop3, type BindLoop } from './float-shapes.js';
import type { Operation, OperationTable } from './operation.js';

const NEG = 1;
const ABS = 2;
const HIGH_HALF = 4;
const IS_F16 = 8;
const SIGN = 0x80000000 | 0;

/** VOP3P without a literal. */
const SHORT = 8;
/** The f16 patterns of the inline constants that are floats. */
const INLINE_F16 = [0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118];
const INV_2PI_F16 = 0x3118;
const INV_2PI_F32 = 0x3e22f983;

const widen = (bits: number): number => {
  const value = f16ToNumber(bits);
  return value === value ? bitsOfF32(value) : widenNaN16(bits);
};

/** A constant as f32 pattern. LLVM gives inline floats as f16, whether the source is one or not. */
function constantOf(site: Site, value: number, isF16: boolean): number {
  if (isF16) return widen(value & 0xffff);
  if (site.instruction.size !== SHORT || !INLINE_F16.includes(value)) return value;
  return value === INV_2PI_F16 ? INV_2PI_F32 : widen(value);
}

/** A source as f32 row. */
function mixSource(site: Site, name: string): Source {
  const operand = site.instruction.operand(name);
  const modifiers = site.instruction.immediate(`${name}_modifiers`);
  const isF16 = (modifiers & IS_F16) !== 0;
  let { lo, stride } = site.place(operand);
  if (operand.kind === OperandKind.Immediate) lo = site.layout.constant(constantOf(site, operand.value, isF16));
  else if (name === 'src0') ({ lo, stride } = dppSource(site, { lo, hi: lo, stride }, 'b32'));
  if (isF16 && operand.kind !== OperandKind.Immediate) {
    const shift = (modifiers & HIGH_HALF) !== 0 ? 16 : 0;
    const [from, step] = [lo, stride];
    const row = site.row();
    site.before(({ u32, lanes, active }) => {
      if (step === 0) u32[row] = widen((u32[from]! >>> shift) & 0xffff);
      else
        for (let k = 0; k < active; k++) {
          const l = lanes[k]!;
          u32[row + l] = widen((u32[from + l]! >>> shift) & 0xffff);
        }
    });
    lo = row;
  }
  if ((modifiers & (NEG | ABS)) !== 0)
    lo = signStep(site, lo, stride, (modifiers & ABS) !== 0 ? ~SIGN : -1, (modifiers & NEG) !== 0 ? SIGN : 0);
  return { lo, hi: lo, stride };
}

const bindSources = (site: Site): Source[] => ['src0', 'src1', 'src2'].map((name) => mixSource(site, name));

function toF32(loop: BindLoop): Operation {
  return (site) => {
    const sources = bindSources(site);
    const d = site.destination('vdst', 'f32');
    return site.step(loop(d.lo, sources));
  };
}

/** @param shift 0: the result is the lower half, 16: the upper */
function toHalf(loop: BindLoop, shift: 0 | 16): Operation {
  const keep = shift === 0 ? 0xffff0000 | 0 : 0xffff;
  return (site) => {
    const sources = bindSources(site);
    const row = site.row();
    const d = site.place(site.instruction.operand('vdst')).lo;
    const clamps = site.instruction.immediate('clamp') !== 0;
    site.after(({ i32, u32, f32, lanes, active, mode }) => {
      for (let k = 0; k < active; k++) {
        const l = lanes[k]!;
        const value = f32[row + l]!;
        const rounded = value === value ? roundF16(value, mode.roundF16F64 as Rounding) : narrowNaN32(u32[row + l]!);
        const half = clamps ? clampF16(rounded, mode.dx10Clamp) : rounded;
        i32[d + l] = (i32[d + l]! & keep) | (half << shift);
      }
    });
    return site.step(loop(row, sources));
  };
}

const fma = f32Loop3({ plain: fmaF32, exact: fmaF32Mode });
const mad = f32Loop3({
  plain: null,
  exact: (a, b, c, rounding) => addF32(flushF32(mulF32(a, b, rounding)), c, rounding),
  denormals: Denormals.Flushed,
});

export const floatMix: OperationTable = {
  v_fma_mix_f32: toF32(fma),
  v_fma_mixlo_f16: toHalf(fma, 0),
  v_fma_mixhi_f16: toHalf(fma, 16),
  v_mad_mix_f32: toF32(mad),
  v_mad_mixlo_f16: toHalf(mad, 0),
  v_mad_mixhi_f16: toHalf(mad, 16),
};

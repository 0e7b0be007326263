/**
 * Dot products of two f16 or bf16 pairs. "tmp = S2; tmp += S0[15:0] * S1[15:0]; tmp += S0[31:16] * S1[31:16]" (CDNA 3
 * and RDNA 3 ISA), each step rounded to nearest in f32; f32 denormals are flushed whatever MODE says (LLVM,
 * `performFMACombine`: "fdot2_f32_f16 always flushes fp32 denormal operand and output"). How the hardware orders and
 * rounds its steps is not documented beyond that; a 16-bit result is rounded from the f32 sum.
 */
import { bf16ToNumber, roundBf16 } from '../arithmetic/convert.js';
import { bitsOfF32, f32OfBits } from '../arithmetic/bits.js';
import { flushF32 } from '../arithmetic/denormals.js';
import { f16ToNumber, roundF16 } from '../arithmetic/f16.js';
import { isNaN16, isNaN32, pickNaN32, widenNaN16 } from '../arithmetic/nan.js';
import { fmaF32, Round } from '../arithmetic/rounding.js';
import { dppSource } from '../dpp.js';
import { signStep } from '../modifiers.js';
import type { Site } from '../site.js';
import type { Source } from '../operands.js';
import { packedSource } from '../packed.js';
import { bitsLoop3, type Bits3 } from './float-shapes.js';
import type { Operation, OperationTable } from './operation.js';

/** How the factors are to be read. */
interface Format {
  readonly value: (bits: number) => number;
  readonly nan: (bits: number) => number;
}

const widenBf16 = (bits: number): number => (((bits & 0x7fff) > 0x7f80 ? bits | 0x40 : bits) << 16) >>> 0;
const HALF: Format = { value: f16ToNumber, nan: (bits) => (isNaN16(bits) ? widenNaN16(bits) : 0) };
const BF16: Format = { value: (bits) => flushF32(bf16ToNumber(bits)), nan: widenBf16 };

/** From packed factors and an f32 pattern to an f32 pattern. */
function dot({ value, nan }: Format, a: number, b: number, c: number): number {
  const low = fmaF32(value(a & 0xffff), value(b & 0xffff), flushF32(f32OfBits(c)));
  const sum = flushF32(fmaF32(value(a >>> 16), value(b >>> 16), flushF32(low)));
  if (sum === sum) return bitsOfF32(sum);
  const [x, y] = [nan(a & 0xffff), nan(b & 0xffff)];
  return isNaN32(x) || isNaN32(y) ? pickNaN32(x, y) : pickNaN32(nan(a >>> 16), nan(b >>> 16), c);
}

const dotF16: Bits3 = (a, b, c) => dot(HALF, a, b, c);
const dotBf16: Bits3 = (a, b, c) => dot(BF16, a, b, c);

/** An f32 result from packed factors; the addend is an f32, or the destination. */
function dotToF32(f: Bits3, addend: 'src2' | 'vdst'): Operation {
  const loop = bitsLoop3(f);
  return (site) => {
    const a = packedSource(site, 'src0');
    const b = packedSource(site, 'src1');
    const c = addendOf(site, addend);
    const d = site.destination('vdst', 'f32');
    return site.step(loop(d.lo, [a, b, c]));
  };
}

/** In VOP3P the addend's neg_hi means nothing to an f32, but it has the bit of the absolute value. */
function addendOf(site: Site, name: 'src2' | 'vdst'): Source {
  const operand = site.instruction.operand(name);
  const plain = site.place(operand);
  if (name === 'vdst' || (site.instruction.immediate('src2_modifiers') & 1) === 0) return plain;
  const row = signStep(site, plain.lo, plain.stride, -1, 0x80000000 | 0);
  return { lo: row, hi: row, stride: plain.stride };
}

const toHalf = (f: Bits3, widen: (c: number) => number, narrow: (x: number, bits: number) => number): Bits3 => {
  return (a, b, c, mode) => {
    const bits = f(a, b, widen(c), mode);
    return narrow(f32OfBits(bits), bits);
  };
};

const dotF16ToF16 = toHalf(
  dotF16,
  (c) => {
    const value = f16ToNumber(c);
    return value === value ? bitsOfF32(value) : widenNaN16(c);
  },
  (x, bits) => (x === x ? roundF16(x, Round.NearestEven) : ((bits >>> 16) & 0x8000) | 0x7e00 | ((bits >>> 13) & 0x3ff)),
);

const dotBf16ToBf16 = toHalf(dotBf16, widenBf16, (x, bits) => {
  if (x !== x) return bits >>> 16;
  const rounded = roundBf16(x, Round.NearestEven);
  return (rounded & 0x7f80) === 0 ? rounded & 0x8000 : rounded;
});

/**
 * The VOP3 forms: neg and abs are those of both halves of a factor; the addend and the result are halves of registers.
 */
function dotToHalf(f: Bits3): Operation {
  const loop = bitsLoop3(f);
  return (site) => {
    const a = signedPair(site, 'src0');
    const b = signedPair(site, 'src1');
    const c = site.source('src2', 'f16');
    const d = site.destination('vdst', 'f16');
    return site.step(loop(d.lo, [a, b, c]));
  };
}

function signedPair(site: Site, name: 'src0' | 'src1'): Source {
  const plain = site.place(site.instruction.operand(name));
  const { lo, stride } = name === 'src0' ? dppSource(site, plain, 'b32') : plain;
  const modifiers = site.instruction.immediate(`${name}_modifiers`);
  if ((modifiers & 3) === 0) return { lo, hi: lo, stride };
  const signs = 0x80008000 | 0;
  const row = signStep(site, lo, stride, (modifiers & 2) !== 0 ? ~signs : -1, (modifiers & 1) !== 0 ? signs : 0);
  return { lo: row, hi: row, stride };
}

export const floatDot: OperationTable = {
  v_dot2_f32_f16: dotToF32(dotF16, 'src2'),
  v_dot2c_f32_f16: dotToF32(dotF16, 'vdst'),
  v_dot2acc_f32_f16: dotToF32(dotF16, 'vdst'),
  v_dot2_f32_bf16: dotToF32(dotBf16, 'src2'),
  v_dot2c_f32_bf16: dotToF32(dotBf16, 'vdst'),
  v_dot2_f16_f16: dotToHalf(dotF16ToF16),
  v_dot2_bf16_bf16: dotToHalf(dotBf16ToBf16),
};

/**
 * Sums of absolute differences (Vega and RDNA ISA documents, V_SAD_U8 to V_MQSAD_U32_U8). The masked ones leave out the
 * bytes for which the reference, src1, is 0. With the clamp bit, sums saturate.
 */
import type { Source } from '../operands.js';
import { clampable, ternary32 } from './integer-shapes.js';
import { type Operation, type OperationTable } from './operation.js';

type Differences = (a: number, b: number) => number;

function sadBytes(a: number, b: number): number {
  let sum = 0;
  for (let shift = 0; shift < 32; shift += 8) sum += Math.abs(((a >>> shift) & 0xff) - ((b >>> shift) & 0xff));
  return sum;
}

function maskedSadBytes(a: number, reference: number): number {
  let sum = 0;
  for (let shift = 0; shift < 32; shift += 8) {
    const byte = (reference >>> shift) & 0xff;
    if (byte !== 0) sum += Math.abs(((a >>> shift) & 0xff) - byte);
  }
  return sum;
}

const sadHalves = (a: number, b: number): number =>
  Math.abs((a & 0xffff) - (b & 0xffff)) + Math.abs((a >>> 16) - (b >>> 16));
const sadWords = (a: number, b: number): number => Math.abs((a >>> 0) - (b >>> 0));

/** vdst = src2 + differences << shift. */
function sad(differences: Differences, scale = 1): Operation {
  return clampable(
    ternary32((a, b, c) => (differences(a, b) * scale + c) | 0),
    ternary32((a, b, c) => Math.min(0xffffffff, differences(a, b) * scale + (c >>> 0)) | 0),
  );
}

/** Word `index` of a vector operand that may have more than two. */
const wordOf = ({ lo, stride }: Source, size: number, index: number): number => lo + index * (stride === 0 ? 1 : size);

/** Four sums over the bytes of src0 from byte 0, 1, 2 and 3 on, each added to a 16-bit part of src2. */
function quadPacked(differences: Differences): Operation {
  return (site) => {
    const a = site.source('src0', 'b64');
    const b = site.source('src1', 'b32');
    const c = site.source('src2', 'b64');
    const d = site.destination('vdst', 'b64');
    const clamp = site.instruction.immediate('clamp') !== 0;
    const sum = (window: number, reference: number, addend: number): number => {
      const exact = differences(window, reference) + (addend & 0xffff);
      return clamp ? Math.min(exact, 0xffff) : exact & 0xffff;
    };
    return site.step((w) => {
      const { i32, lanes, active } = w;
      for (let k = 0; k < active; k++) {
        const l = lanes[k]!;
        const low = i32[a.lo + l * a.stride]!;
        const high = i32[a.hi + l * a.stride]!;
        const reference = i32[b.lo + l * b.stride]!;
        const addendLow = i32[c.lo + l * c.stride]!;
        const addendHigh = i32[c.hi + l * c.stride]!;
        i32[d.lo + l] =
          sum(low, reference, addendLow) | (sum((low >>> 8) | (high << 24), reference, addendLow >>> 16) << 16);
        i32[d.hi + l] =
          sum((low >>> 16) | (high << 16), reference, addendHigh) |
          (sum((low >>> 24) | (high << 8), reference, addendHigh >>> 16) << 16);
      }
    });
  };
}

/** The same with 32-bit sums: src2 and vdst are four words. */
const quadWords: Operation = (site) => {
  const { size } = site;
  const a = site.source('src0', 'b64');
  const b = site.source('src1', 'b32');
  const c = site.source('src2', 'b64');
  const d = site.destination('vdst', 'b64');
  const addends = [0, 1, 2, 3].map((index) => wordOf(c, size, index));
  const clamp = site.instruction.immediate('clamp') !== 0;
  const limit = (sum: number): number => (clamp ? Math.min(sum, 0xffffffff) : sum) | 0;
  return site.step((w) => {
    const { i32, u32, lanes, active } = w;
    for (let k = 0; k < active; k++) {
      const l = lanes[k]!;
      const low = i32[a.lo + l * a.stride]!;
      const high = i32[a.hi + l * a.stride]!;
      const reference = i32[b.lo + l * b.stride]!;
      const at = l * c.stride;
      const sum0 = maskedSadBytes(low, reference) + u32[addends[0]! + at]!;
      const sum1 = maskedSadBytes((low >>> 8) | (high << 24), reference) + u32[addends[1]! + at]!;
      const sum2 = maskedSadBytes((low >>> 16) | (high << 16), reference) + u32[addends[2]! + at]!;
      const sum3 = maskedSadBytes((low >>> 24) | (high << 8), reference) + u32[addends[3]! + at]!;
      i32[d.lo + l] = limit(sum0);
      i32[d.lo + size + l] = limit(sum1);
      i32[d.lo + 2 * size + l] = limit(sum2);
      i32[d.lo + 3 * size + l] = limit(sum3);
    }
  });
};

export const vectorSad: OperationTable = {
  v_sad_u8: sad(sadBytes),
  v_sad_hi_u8: sad(sadBytes, 2 ** 16),
  v_sad_u16: sad(sadHalves),
  v_sad_u32: sad(sadWords),
  v_msad_u8: sad(maskedSadBytes),
  v_qsad_pk_u16_u8: quadPacked(sadBytes),
  v_mqsad_pk_u16_u8: quadPacked(maskedSadBytes),
  v_mqsad_u32_u8: quadWords,
};

/** Vector operations on 64-bit integers: shifts, moves, multiplication with a 64-bit addend. */
import {
  mulHighSigned,
  mulHighUnsigned,
  shiftLeftHigh,
  shiftLeftLow,
  shiftRightHigh,
  shiftRightLow,
} from '../arithmetic/integer.js';
import { specialize } from '../specialize.js';
import type { Step, Wave } from '../wave.js';
import type { Operation, OperationTable } from './operation.js';

// --- shifts ----------------------------------------------------------------------------------------------------------

/** One word of a result from both words of the operand and the shift, 0 to 63. */
type Word = (low: number, high: number, shift: number) => number;

/** vdst = src1 shifted by src0. */
function shift64(low: Word, high: Word): Operation {
  type Loop = (low: Word, high: Word, ...places: number[]) => Step;
  const loop: Loop = (low, high, d, dh, a, as, b, bh, bs) => (w: Wave) => {
    const { i32, lanes, active } = w;
    for (let k = 0; k < active; k++) {
      const l = lanes[k]!;
      const shift = i32[a! + l * as!]! & 63;
      const x = i32[b! + l * bs!]!;
      const y = i32[bh! + l * bs!]!;
      i32[d! + l] = low(x, y, shift);
      i32[dh! + l] = high(x, y, shift);
    }
  };
  const own = specialize(loop);
  return (site) => {
    const a = site.source('src0', 'b32');
    const b = site.source('src1', 'b64');
    const d = site.destination('vdst', 'b64');
    return site.step(own(low, high, d.lo, d.hi, a.lo, a.stride, b.lo, b.hi, b.stride));
  };
}

const left = shift64((low, _high, n) => shiftLeftLow(low, n), shiftLeftHigh);
const logicalRight = shift64(
  (low, high, n) => shiftRightLow(low, high, n, false),
  (_low, high, n) => shiftRightHigh(high, n, false),
);
const arithmeticRight = shift64(
  (low, high, n) => shiftRightLow(low, high, n, true),
  (_low, high, n) => shiftRightHigh(high, n, true),
);

/** vdst = (src0 << src1) + src2; shifts are 0 to 7, of which the ISA document allows 0 to 4. */
const shiftAdd: Operation = (site) => {
  const a = site.source('src0', 'b64');
  const b = site.source('src1', 'b32');
  const c = site.source('src2', 'b64');
  const d = site.destination('vdst', 'b64');
  return site.step((w) => {
    const { i32, lanes, active } = w;
    for (let k = 0; k < active; k++) {
      const l = lanes[k]!;
      const low = i32[a.lo + l * a.stride]!;
      const high = i32[a.hi + l * a.stride]!;
      const shift = i32[b.lo + l * b.stride]! & 7;
      const shiftedHigh = shift === 0 ? high : (high << shift) | (low >>> (32 - shift));
      const sum = ((low << shift) >>> 0) + (i32[c.lo + l * c.stride]! >>> 0);
      const addendHigh = i32[c.hi + l * c.stride]!;
      i32[d.lo + l] = sum | 0;
      i32[d.hi + l] = (shiftedHigh + addendHigh + (sum > 0xffffffff ? 1 : 0)) | 0;
    }
  });
};

// --- products --------------------------------------------------------------------------------------------------------

type MultiplyLoop = (
  signed: boolean,
  clamp: boolean,
  mulHigh: (a: number, b: number) => number,
  out: number,
  ...places: number[]
) => Step;

/**
 * {carry, vdst} = src0 * src1 + src2. The sum has 65 bits: its last one is the carry of the unsigned operation, and the
 * sign of the signed one's exact result.
 */
const multiplyLoop: MultiplyLoop = (signed, clamp, mulHigh, out, d, dh, a, as, b, bs, c, ch, cs) => (w: Wave) => {
  const { i32, lanes, active } = w;
  let outLow = 0;
  let outHigh = 0;
  for (let k = 0; k < active; k++) {
    const l = lanes[k]!;
    const x = i32[a! + l * as!]!;
    const y = i32[b! + l * bs!]!;
    const productHigh = mulHigh(x, y);
    const addendHigh = i32[ch! + l * cs!]!;
    const lowSum = (Math.imul(x, y) >>> 0) + (i32[c! + l * cs!]! >>> 0);
    const carry = lowSum > 0xffffffff ? 1 : 0;
    const exactHigh = signed ? productHigh + addendHigh + carry : (productHigh >>> 0) + (addendHigh >>> 0) + carry;
    if (signed ? exactHigh < 0 : exactHigh > 0xffffffff)
      if (l < 32) outLow |= 1 << l;
      else outHigh |= 1 << l;
    let low = lowSum | 0;
    let high = exactHigh | 0;
    if (clamp)
      if (signed) {
        if (exactHigh !== high) {
          low = exactHigh < 0 ? 0 : -1;
          high = exactHigh < 0 ? 0x80000000 : 0x7fffffff;
        }
      } else if (exactHigh > 0xffffffff) {
        low = -1;
        high = -1;
      }
    i32[d! + l] = low;
    i32[dh! + l] = high;
  }
  i32[out] = outLow;
  if (w.size === 64) i32[out + 1] = outHigh;
};

function multiplyAdd(signed: boolean): Operation {
  const own = specialize(multiplyLoop);
  return (site) => {
    const a = site.source('src0', 'b32');
    const b = site.source('src1', 'b32');
    const c = site.source('src2', 'b64');
    const d = site.destination('vdst', 'b64');
    const out = site.maskDestination();
    const clamp = site.instruction.immediate('clamp') !== 0;
    const places = [d.lo, d.hi, a.lo, a.stride, b.lo, b.stride, c.lo, c.hi, c.stride] as const;
    return site.step(own(signed, clamp, signed ? mulHighSigned : mulHighUnsigned, out, ...places));
  };
}

// --- moves -----------------------------------------------------------------------------------------------------------

const move64: Operation = (site) => {
  const a = site.source('src0', 'b64');
  const d = site.destination('vdst', 'b64');
  return site.step((w) => {
    const { i32, lanes, active } = w;
    for (let k = 0; k < active; k++) {
      const l = lanes[k]!;
      const low = i32[a.lo + l * a.stride]!;
      const high = i32[a.hi + l * a.stride]!;
      i32[d.lo + l] = low;
      i32[d.hi + l] = high;
    }
  });
};

export const vectorInteger64: OperationTable = {
  v_lshlrev_b64: left,
  v_lshrrev_b64: logicalRight,
  v_ashrrev_i64: arithmeticRight,
  v_lshl_add_u64: shiftAdd,
  v_mad_u64_u32: multiplyAdd(false),
  v_mad_i64_i32: multiplyAdd(true),
  v_mov_b64: move64,
};

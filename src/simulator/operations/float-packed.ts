/**
 * Packed arithmetic: two f16 in a register (VOP3P), or two f32 in a pair of registers (CDNA).
 *
 * packed.ts prepares 16-bit halves. Halves of 32 bits are registers, so `op_sel` and `op_sel_hi` only choose which
 * register a loop reads.
 */
import { addF32, fmaF32Mode, mulF32 } from '../arithmetic/f32.js';
import { addF16, fmaF16, mulF16 } from '../arithmetic/f16.js';
import { maxF16, minF16 } from '../arithmetic/minmax.js';
import { fmaF32 } from '../arithmetic/rounding.js';
import { clampF16 } from '../arithmetic/shape.js';
import { clampStep, signStep } from '../modifiers.js';
import type { Destination, Source } from '../operands.js';
import type { Site } from '../site.js';
import { packedSource } from '../packed.js';
import { halfChoice, halfOf2, halfOf3, inputF16 } from './float-f16.js';
import {
  binaryBits,
  bitsLoop2,
  bitsLoop3,
  f32Loop2,
  f32Loop3,
  THREE,
  type BindLoop,
  type Bits2,
  type Bits3,
} from './float-shapes.js';
import type { Operation, OperationTable } from './operation.js';

const NEG_LO = 1;
const NEG_HI = 2;
const OP_SEL = 4;
const OP_SEL_HI = 8;

// --- two halves ------------------------------------------------------------------------------------------------------

/** The register that packed f16 results go to; clamp is applied to both halves. */
function packedDestination(site: Site): Destination {
  const d = site.destination('vdst', 'b32');
  if (site.instruction.immediate('clamp') === 0) return d;
  const row = site.row();
  site.after((w) => {
    const { i32, lanes, active, mode } = w;
    for (let k = 0; k < active; k++) {
      const l = lanes[k]!;
      const bits = i32[row + l]!;
      i32[d.lo + l] = clampF16(bits & 0xffff, mode.dx10Clamp) | (clampF16(bits >>> 16, mode.dx10Clamp) << 16);
    }
  });
  return { lo: row, hi: row };
}

const bothOf2 =
  (f: Bits2): Bits2 =>
  (a, b, mode) =>
    f(a & 0xffff, b & 0xffff, mode) | (f(a >>> 16, b >>> 16, mode) << 16);

const bothOf3 =
  (f: Bits3): Bits3 =>
  (a, b, c, mode) =>
    f(a & 0xffff, b & 0xffff, c & 0xffff, mode) | (f(a >>> 16, b >>> 16, c >>> 16, mode) << 16);

function packed2(half: Bits2): Operation {
  const loop = bitsLoop2(bothOf2(half));
  return (site) => {
    const a = packedSource(site, 'src0');
    const b = packedSource(site, 'src1');
    const d = packedDestination(site);
    return site.step(loop(d.lo, [a, b]));
  };
}

function packed3(half: Bits3, addend: string): Operation {
  const loop = bitsLoop3(bothOf3(half));
  return (site) => {
    const a = packedSource(site, 'src0');
    const b = packedSource(site, 'src1');
    const c = packedSource(site, addend);
    const d = packedDestination(site);
    return site.step(loop(d.lo, [a, b, c]));
  };
}

function packedExtremum(f: typeof minF16): Operation {
  const [older, newer] = [packed2(halfChoice(f, false)), packed2(halfChoice(f, true))];
  return (site) => (site.target.minMaxReturnsFirstNan ? newer : older)(site);
}

// --- two words -------------------------------------------------------------------------------------------------------

/** The words that the low or the high result reads. */
function wordOf(site: Site, name: string, plain: Source, isHigh: boolean): Source {
  const modifiers = site.instruction.immediate(`${name}_modifiers`);
  const { stride } = plain;
  const lo = (modifiers & (isHigh ? OP_SEL_HI : OP_SEL)) !== 0 ? plain.hi : plain.lo;
  if ((modifiers & (isHigh ? NEG_HI : NEG_LO)) === 0) return { lo, hi: lo, stride };
  const row = signStep(site, lo, stride, -1, 0x80000000 | 0);
  return { lo: row, hi: row, stride };
}

/** The low result waits in a scratch row until the high one has read its sources. */
function pairOfWords(names: readonly string[], bind: BindLoop): Operation {
  return (site) => {
    const plain = names.map((name) => site.place(site.instruction.operand(name), 2));
    const sources = (isHigh: boolean): Source[] => names.map((name, at) => wordOf(site, name, plain[at]!, isHigh));
    const [low, high] = [sources(false), sources(true)];
    const d = site.destination('vdst', 'b64');
    const row = site.row();
    const first = bind(row, low);
    const second = bind(d.hi, high);
    if (site.instruction.immediate('clamp') !== 0) {
      site.after(clampStep('f32', row, row));
      site.after(clampStep('f32', d.hi, d.hi));
    }
    site.after(({ i32, lanes, active }) => {
      for (let k = 0; k < active; k++) i32[d.lo + lanes[k]!] = i32[row + lanes[k]!]!;
    });
    return site.step((w) => {
      first(w);
      second(w);
    });
  };
}

const TWO = ['src0', 'src1'];

/** The low word of the result is one of src0's words, the high word one of src1's: op_sel says which. */
const moveWords: Operation = (site) => {
  const [a, b] = TWO.map((name) => {
    const { lo, hi, stride } = site.place(site.instruction.operand(name), 2);
    const isHigh = (site.instruction.immediate(`${name}_modifiers`) & OP_SEL) !== 0;
    return { at: isHigh ? hi : lo, stride };
  }) as [{ at: number; stride: number }, { at: number; stride: number }];
  const d = site.destination('vdst', 'b64');
  return site.step(({ i32, lanes, active }) => {
    for (let k = 0; k < active; k++) {
      const l = lanes[k]!;
      const low = i32[a.at + l * a.stride]!;
      i32[d.hi + l] = i32[b.at + l * b.stride]!;
      i32[d.lo + l] = low;
    }
  });
};

export const floatPacked: OperationTable = {
  v_pk_add_f16: packed2(halfOf2(addF16)),
  v_pk_mul_f16: packed2(halfOf2(mulF16)),
  v_pk_fma_f16: packed3(halfOf3(fmaF16), 'src2'),
  v_pk_fmac_f16: packed3(halfOf3(fmaF16), 'vdst'),
  v_pk_min_f16: packedExtremum(minF16),
  v_pk_max_f16: packedExtremum(maxF16),
  v_pack_b32_f16: binaryBits((a, b, mode) => inputF16(a, mode) | (inputF16(b, mode) << 16), ['f16', 'f16'], 'b32'),

  v_pk_add_f32: pairOfWords(TWO, f32Loop2({ plain: (a, b) => a + b, exact: addF32 })),
  v_pk_mul_f32: pairOfWords(TWO, f32Loop2({ plain: (a, b) => a * b, exact: mulF32 })),
  v_pk_fma_f32: pairOfWords(THREE, f32Loop3({ plain: fmaF32, exact: fmaF32Mode })),
  v_pk_mov_b32: moveWords,
};

/**
 * Sources of packed operations (VOP3P): two 16-bit halves in one register. `op_sel` says which half the low result
 * reads, `op_sel_hi` which one the high result reads, `neg_lo` and `neg_hi` change their signs. The bits are LLVM's
 * (SIDefines.h, `SISrcMods`).
 *
 * A constant is the 32-bit value that LLVM gives: the hardware sign-extends integers, and has a 16-bit float in the low
 * half under a high half of zeros (LLVM, `getInlineEncodingV216`).
 */
import { OperandKind } from '../formats/disassembly.js';
import { dppSource } from './dpp.js';
import type { Site } from './site.js';
import type { Source } from './operands.js';
import { specialize } from './specialize.js';

const NEG_LO = 1;
const NEG_HI = 2;
const OP_SEL = 4;
const OP_SEL_HI = 8;

type Swizzle = (
  i32: Int32Array,
  lanes: Uint8Array,
  active: number,
  d: number,
  s: number,
  low: number,
  high: number,
  xor: number,
) => void;

/** d[l] = half `high` of s[l] above half `low` of it (as shifts, 0 or 16), with signs changed by `xor`. */
const swizzle: Swizzle = (i32, lanes, active, d, s, low, high, xor) => {
  for (let k = 0; k < active; k++) {
    const l = lanes[k]!;
    const word = i32[s + l]!;
    i32[d + l] = (((word >>> low) & 0xffff) | ((word >>> high) << 16)) ^ xor;
  }
};
const swizzles = specialize(swizzle);

/**
 * A packed source as words whose low half is what the low result reads, and whose high half is what the high result
 * reads. The register itself where nothing changes it. `hi` is `lo`.
 */
export function packedSource(site: Site, name: string): Source {
  const { instruction } = site;
  const operand = instruction.operand(name);
  // VOP2 has no modifiers: each half reads its own.
  const modifiers = instruction.immediate(`${name}_modifiers`, OP_SEL_HI);
  const selects = instruction.is('Vop3p') ? modifiers : (modifiers & ~OP_SEL) | OP_SEL_HI;
  const low = (selects & OP_SEL) !== 0 ? 16 : 0;
  const high = (selects & OP_SEL_HI) !== 0 ? 16 : 0;
  const xor = ((selects & NEG_LO) !== 0 ? 0x8000 : 0) | ((selects & NEG_HI) !== 0 ? 0x80000000 : 0);
  const arrange = (word: number): number => (((word >>> low) & 0xffff) | ((word >>> high) << 16)) ^ xor;

  if (operand.kind === OperandKind.Immediate) {
    const lo = site.layout.constant(arrange(operand.value));
    return { lo, hi: lo, stride: 0 };
  }
  const plain = site.place(operand);
  const { lo, stride } = name === 'src0' ? dppSource(site, plain, 'b32') : plain;
  if (low === 0 && high === 16 && xor === 0) return { lo, hi: lo, stride };
  const row = site.row();
  site.before(
    stride === 0
      ? ({ i32 }) => {
          i32[row] = arrange(i32[lo]!);
        }
      : (w) => swizzles(w.i32, w.lanes, w.active, row, lo, low, high, xor),
  );
  return { lo: row, hi: row, stride };
}

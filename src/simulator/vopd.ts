/**
 * VOPD: two lane-wise operations in one instruction (RDNA 3). Both read their sources before either writes
 * (RDNA 3 ISA, "Dual Issue VALU"), so the second half works on copies of its sources.
 */
import { findOperation } from './operations/index.js';
import { Site } from './site.js';
import type { KernelLayout } from './kernel-layout.js';
import type { Source } from './operands.js';
import { Instruction, type Operand, type Program } from './program.js';
import type { Step } from './wave.js';

export const isVopd = (instruction: Instruction): boolean => instruction.opcode.name.startsWith('V_DUAL_');

/** The two halves as instructions of their own, with the operand names of VOP2. */
export function halvesOf(instruction: Instruction): [Instruction, Instruction] {
  // V_DUAL_MUL_F32_X_ADD_F32_gfx11, V_DUAL_FMAMK_F32_X_MOV_B32_e96_gfx11
  const names = /^V_DUAL_(\w+?)_X_(\w+?)(?:_e32|_e64|_e96)?_gfx/.exec(instruction.opcode.name);
  if (names === null) throw new Error(`${instruction.opcode.name} is no VOPD instruction`);
  return [half(instruction, names[1]!, 'X'), half(instruction, names[2]!, 'Y')];
}

function half(instruction: Instruction, name: string, part: 'X' | 'Y'): Instruction {
  const operands = new Map<string, Operand>();
  for (const each of instruction.opcode.operands) {
    // The accumulator of FMAC and DOT2ACC is the destination. LLVM decodes that of Y wrongly.
    const source = each === `src2${part}` ? `vdst${part}` : each;
    operands.set(standardName(each, part) ?? `other_${each}`, instruction.operand(source));
  }
  const mnemonic = `v_${name.toLowerCase()}`;
  const { index, offset, size, opcode, text } = instruction;
  return new Instruction({
    index,
    offset,
    size,
    opcode: { ...opcode, mnemonic, operands: [...operands.keys()] },
    operands: [...operands.values()],
    text,
  });
}

/** `vsrc1X` → `src1`; null for an operand of the other half. */
function standardName(name: string, part: 'X' | 'Y'): string | null {
  const [, base, of] = /^(?:v?)(dst|src\d)(X|Y)(?:_modifiers)?$/.exec(name) ?? [];
  if (name === 'imm' || name === `imm${part}`) return 'imm';
  if (base === undefined || of !== part) return null;
  const standard = base === 'dst' ? 'vdst' : base;
  return name.endsWith('_modifiers') ? `${standard}_modifiers` : standard;
}

/** A site whose vector sources are copied before anything is written. */
class CopyingSite extends Site {
  readonly copies: Step[] = [];

  override place(operand: Operand, words = 1): Source {
    const plain = super.place(operand, words);
    if (plain.stride === 0 || operand === this.instruction.operand('vdst')) return plain;
    const row = this.row();
    this.copies.push((wave) => wave.i32.copyWithin(row, plain.lo, plain.lo + this.size));
    return { lo: row, hi: row, stride: 1 };
  }
}

/** Null when the simulator lacks the operation of one half. */
export function bindVopd(instruction: Instruction, layout: KernelLayout, program: Program): Step | null {
  const [x, y] = halvesOf(instruction);
  const [first, second] = [findOperation(x.mnemonic), findOperation(y.mnemonic)];
  if (first === null || second === null) return null;
  const siteX = new Site(x, layout, program);
  const siteY = new CopyingSite(y, layout, program, 6);
  const stepX = first(siteX);
  const stepY = second(siteY);
  return (wave) => {
    for (const copy of siteY.copies) copy(wave);
    stepX(wave);
    stepY(wave);
  };
}

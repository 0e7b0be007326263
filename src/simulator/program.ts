/**
 * Decoded code as the simulator wants it: one object per static instruction, with its operands by name. Made once per
 * kernel; nothing here is looked at while a wavefront runs.
 */
import { OperandKind, type Disassembly, type Opcode } from '../formats/disassembly.js';

export interface Operand {
  readonly kind: OperandKind;
  /** Bits; 0 where LLVM gives none. */
  readonly width: number;
  /** Hardware number of a register (see `Disassembly.operandValue`), or the low word of an immediate. */
  readonly value: number;
  /** High word of an immediate. */
  readonly high: number;
}

/** Encoding bits of `Opcode.flagsLow` that the simulator asks for (LLVM, SIDefines.h, SIInstrFlags). */
export const Encoding = {
  Salu: 1 << 0,
  Valu: 1 << 1,
  Sop1: 1 << 2,
  Sop2: 1 << 3,
  Sopc: 1 << 4,
  Sopk: 1 << 5,
  Sopp: 1 << 6,
  Vop1: 1 << 7,
  Vop2: 1 << 8,
  Vopc: 1 << 9,
  Vop3: 1 << 10,
  Vop3p: 1 << 12,
  Sdwa: 1 << 14,
  Dpp: 1 << 15,
  Trans: 1 << 16,
  Mubuf: 1 << 17,
  Mtbuf: 1 << 18,
  Smrd: 1 << 19,
  Exp: 1 << 23,
  Flat: 1 << 24,
  Ds: 1 << 25,
} as const;

/** An instruction as LLVM decoded it. */
interface DecodedInstruction {
  /** Position in the program. */
  readonly index: number;
  /** Bytes from the start of the text section. */
  readonly offset: number;
  readonly size: number;
  readonly opcode: Opcode;
  /** In LLVM's order; names are in `opcode.operands`, and need not be unique. */
  readonly operands: readonly Operand[];
  readonly text: string;
}

export class Instruction implements DecodedInstruction {
  readonly index: number;
  readonly offset: number;
  readonly size: number;
  readonly opcode: Opcode;
  readonly operands: readonly Operand[];
  readonly text: string;
  /** The assembler's name without any encoding suffix: `v_add_f32`, also for `v_add_f32_sdwa`. */
  readonly mnemonic: string;
  readonly #operands = new Map<string, Operand>();

  constructor({ index, offset, size, opcode, operands, text }: DecodedInstruction) {
    this.index = index;
    this.offset = offset;
    this.size = size;
    this.opcode = opcode;
    this.operands = operands;
    this.text = text;
    // LLVM's mnemonic is all that stands before the first register, `off` too: `scratch_store_dword off, v0, s1`.
    this.mnemonic = opcode.mnemonic.replace(/ .*/, '').replace(/_(e32|e64|sdwa|dpp|dpp8|e64_dpp|e64_dpp8)$/, '');
    operands.forEach((operand, at) => {
      const name = opcode.operands[at]!;
      if (!this.#operands.has(name)) this.#operands.set(name, operand);
    });
  }

  is(encoding: keyof typeof Encoding): boolean {
    return (this.opcode.flagsLow & Encoding[encoding]) !== 0;
  }

  has(name: string): boolean {
    return this.#operands.has(name);
  }

  /** Throws when the instruction has no such operand, because the caller is then wrong about its format. */
  operand(name: string): Operand {
    const found = this.#operands.get(name);
    if (found === undefined) throw new Error(`${this.opcode.name} has no operand ${name}`);
    return found;
  }

  /** The low word of an immediate operand, or `absent` when the encoding has none of that name. */
  immediate(name: string, absent = 0): number {
    const found = this.#operands.get(name);
    return found === undefined || found.kind !== OperandKind.Immediate ? absent : found.value;
  }
}

/** The offset that a direct branch or call names: a signed number of words behind the instruction. */
export function branchTarget(instruction: Instruction): number {
  const distance = (instruction.immediate('simm16') << 16) >> 14;
  return instruction.offset + instruction.size + distance;
}

/** A 64-bit address as two unsigned words. */
export interface Address {
  readonly low: number;
  readonly high: number;
}

export interface Program {
  readonly instructions: readonly (Instruction | null)[];
  /** Where the text section is: program counters that instructions see are addresses. */
  readonly base: Address;
  /** Position of the instruction that starts at a byte offset of the section; -1 where none starts. */
  readonly indexAt: (offset: number) => number;
}

export function makeProgram(code: Disassembly, base: Address = { low: 0x1000, high: 0x7f00 }): Program {
  // Per word of the section, because instructions start at multiples of 4.
  const positions = new Int32Array(((code.offset.at(-1) ?? 0) >>> 2) + 1).fill(-1);
  const instructions = Array.from(code.offset, (offset, index) => {
    positions[offset >>> 2] = index;
    const opcode = code.opcodes[code.opcode[index]!];
    if (opcode === undefined) return null;
    const operands: Operand[] = [];
    for (let at = code.operandStart[index]!; at < code.operandStart[index + 1]!; at++)
      operands.push({
        kind: code.operandKind[at] as OperandKind,
        width: code.operandWidth[at]!,
        value: code.operandValue[at]!,
        high: code.operandHigh[at]!,
      });
    return new Instruction({ index, offset, size: code.size[index]!, opcode, operands, text: code.text[index]! });
  });
  return { instructions, base, indexAt: (offset) => positions[offset / 4] ?? -1 };
}

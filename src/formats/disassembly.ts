/**
 * Disassembled machine code as flat arrays. src/binding makes them with LLVM's disassembler, src/simulator reads them.
 */

/** Where an operand's value comes from. */
export const OperandKind = { Sgpr: 0, Vgpr: 1, Agpr: 2, Vgpr16Low: 3, Vgpr16High: 4, Immediate: 5 } as const;
export type OperandKind = (typeof OperandKind)[keyof typeof OperandKind];

/** What all instructions with the same LLVM opcode have in common. */
export interface Opcode {
  /** LLVM's name, e.g. `V_ADD_F32_e32_vi`. */
  readonly name: string;
  /** The assembler's name without the encoding's suffix: `v_add_f32`. For a VOPD pair, that of the first half. */
  readonly mnemonic: string;
  /** LLVM's name of each operand (`vdst`, `src0`, `src0_modifiers` …), or `?`. */
  readonly operands: readonly string[];
  /** `TSFlags` of LLVM's AMDGPU back end (`SIInstrFlags` in SIDefines.h), low and high word. */
  readonly flagsLow: number;
  readonly flagsHigh: number;
}

export interface Disassembly {
  readonly opcodes: readonly Opcode[];
  /** Per instruction: bytes from the start of the section, ascending. */
  readonly offset: Int32Array;
  /** Per instruction: bytes. */
  readonly size: Int32Array;
  /** Per instruction: index into `opcodes`, -1 where the bytes are not an instruction. */
  readonly opcode: Int32Array;
  /** Per instruction, and one more: index of its first operand. */
  readonly operandStart: Int32Array;
  /** Per operand: kind, and width in bits (0 where LLVM gives none). */
  readonly operandKind: Uint8Array;
  readonly operandWidth: Uint16Array;
  /**
   * Per operand: the low word of an immediate, or the hardware number of a register: SGPR space 0 to 127 (106 VCC,
   * 108 TTMP0, 124 M0 and 125 NULL on every target, 126 EXEC) and 235 to 254 (apertures, VCCZ, EXECZ, SCC).
   */
  readonly operandValue: Int32Array;
  /** Per operand: the high word of an immediate. */
  readonly operandHigh: Int32Array;
  /** Per instruction: its text. */
  readonly text: readonly string[];
}

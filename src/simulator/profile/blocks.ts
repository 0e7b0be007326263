/** The basic blocks of machine code. A call ends its block, because what follows it runs later. */
import { branchTarget, type Instruction, type Program } from '../program.js';

export interface CodeBlocks {
  /** By instruction: its block. */
  readonly blockOf: Int32Array;
  /** By block: its first instruction. */
  readonly first: readonly number[];
}

const JUMP = /^s_(branch|cbranch|setpc|swappc|call|rfe|subvector_loop|endpgm|trap)/;
const DIRECT = /^s_(branch|cbranch|call)/;
const GOES_ON = /^s_(cbranch|swappc|call|subvector_loop|trap)/;

const targetOf = (program: Program, instruction: Instruction): number =>
  DIRECT.test(instruction.mnemonic) ? program.indexAt(branchTarget(instruction)) : -1;

/** @param entries offsets at which functions begin */
export function codeBlocks(program: Program, entries: readonly number[]): CodeBlocks {
  const { instructions } = program;
  const leaders = new Uint8Array(instructions.length + 1);
  leaders[0] = 1;
  for (const entry of entries) {
    const index = program.indexAt(entry);
    if (index >= 0) leaders[index] = 1;
  }
  instructions.forEach((instruction, index) => {
    // Bytes that are no instruction are a block of their own.
    if (instruction !== null && !JUMP.test(instruction.mnemonic)) return;
    leaders[index + 1] = 1;
    if (instruction === null) leaders[index] = 1;
    const target = instruction === null ? -1 : targetOf(program, instruction);
    if (target >= 0) leaders[target] = 1;
  });
  const first: number[] = [];
  const blockOf = new Int32Array(instructions.length);
  for (let index = 0; index < instructions.length; index++) {
    if (leaders[index] === 1) first.push(index);
    blockOf[index] = first.length - 1;
  }
  return { blockOf, first };
}

/** The instructions that may follow the last instruction of a block, as far as the code tells. */
export function followers(program: Program, last: number): number[] {
  const instruction = program.instructions[last];
  if (instruction == null) return [];
  const target = /^s_call/.test(instruction.mnemonic) ? -1 : targetOf(program, instruction);
  const goesOn = !JUMP.test(instruction.mnemonic) || GOES_ON.test(instruction.mnemonic);
  return [...(goesOn && last + 1 < program.instructions.length ? [last + 1] : []), ...(target >= 0 ? [target] : [])];
}

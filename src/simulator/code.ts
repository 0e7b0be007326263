/**
 * A kernel's code bound for execution: one `Step` per static instruction, with operands resolved and the operation
 * chosen, so that running it looks nothing up.
 */
import { Fault } from './fault.js';
import { IndexedSite, indexedInstructions } from './gpr-indexing.js';
import { bindVopd, halvesOf, isVopd } from './vopd.js';
import { KernelLayout } from './kernel-layout.js';
import { Site } from './site.js';
import { findOperation } from './operations/index.js';
import type { Instruction, Program } from './program.js';
import type { SimulatedTarget } from './target.js';
import type { RegisterLayout, Step } from './wave.js';

export interface KernelCode {
  readonly program: Program;
  readonly steps: readonly Step[];
  readonly registers: RegisterLayout;
  readonly layout: KernelLayout;
}

/** @param leastVgprs vector registers that exist even when no instruction names them */
export function bindCode(program: Program, target: SimulatedTarget, waveSize: 32 | 64, leastVgprs: number): KernelCode {
  const layout = new KernelLayout(target, waveSize, leastVgprs, program);
  const indexed = indexedInstructions(program);
  const steps = program.instructions.map((instruction) => {
    if (instruction === null) return invalid;
    return bindInstruction(instruction, layout, program, indexed.has(instruction.index) ? IndexedSite : Site);
  });
  return { program, steps, registers: layout.registers(), layout };
}

const invalid: Step = () => {
  throw new Fault('these bytes are no instruction');
};

function bindInstruction(
  instruction: Instruction,
  layout: KernelLayout,
  program: Program,
  SiteKind: typeof Site,
): Step {
  try {
    if (isVopd(instruction)) return bindVopd(instruction, layout, program) ?? unsupported(instruction);
    const operation = findOperation(instruction.mnemonic);
    return operation === null ? unsupported(instruction) : operation(new SiteKind(instruction, layout, program));
  } catch (error) {
    // LLVM also decodes bytes that are not code. Operands that make no sense are an error when they are executed.
    return () => {
      throw new Fault(`the simulator cannot execute this: ${error instanceof Error ? error.message : String(error)}`);
    };
  }
}

/** An error when it is executed, not before: a file may hold code that a launch never runs. */
function unsupported({ mnemonic }: Instruction): Step {
  return () => {
    throw new Fault(`the simulator has no operation ${mnemonic}`);
  };
}

/** Mnemonics of a program that the simulator lacks, each with one instruction as LLVM prints it. */
export function unsupportedOperations(program: Program): Map<string, string> {
  const missing = new Map<string, string>();
  for (const instruction of program.instructions) {
    if (instruction === null) continue;
    const lacks = isVopd(instruction) ? !vopdIsSupported(instruction) : findOperation(instruction.mnemonic) === null;
    if (lacks) missing.set(instruction.mnemonic, instruction.text);
  }
  return missing;
}

function vopdIsSupported(instruction: Instruction): boolean {
  return halvesOf(instruction).every((half) => findOperation(half.mnemonic) !== null);
}

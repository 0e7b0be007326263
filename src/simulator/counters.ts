/**
 * Makes the counters of a launch from how often each static instruction ran and with how many lanes. All classes are by
 * encoding (LLVM's flags), so they count what the hardware's own counters count; docs/launch-spec.md defines each.
 */
import type { Instruction, Program } from './program.js';

export interface Counters {
  readonly waves: number;
  readonly valu: number;
  readonly salu: number;
  readonly smem: number;
  readonly lds: number;
  /** Passes over the LDS's banks beyond those that the width of an access needs. */
  readonly ldsBankConflicts: number;
  readonly vmemRead: number;
  readonly vmemWrite: number;
  readonly flat: number;
  readonly branch: number;
  readonly barrier: number;
  /** Sum over VALU instructions. */
  readonly activeLanes: number;
  /** Active lanes per VALU instruction, in percent of the wave's lanes. */
  readonly valuUtilization: number;
  /** Cache lines that vector memory instructions touched, summed over instructions. */
  readonly cacheLines: number;
  /** All wavefront instructions. */
  readonly instructions: number;
}

/** What ran, per static instruction (the fields of `ExecutionCounts`). */
export interface InstructionCounts {
  readonly executed: Float64Array;
  readonly lanes: Float64Array;
  readonly transactions: Float64Array;
}

/** One static instruction that ran. */
export interface InstructionRow {
  /** Bytes from the start of the executable segment. */
  readonly pc: number;
  readonly text: string;
  readonly executed: number;
  /** Sum of active lanes. */
  readonly lanes: number;
  /** Cache lines, or passes over the LDS's banks. */
  readonly transactions: number;
}

export type InstructionClass =
  | 'valu'
  | 'salu'
  | 'smem'
  | 'lds'
  | 'vmemRead'
  | 'vmemWrite'
  /** A vector memory instruction that moves no data: cache control. */
  | 'vmemOther'
  | 'branch'
  | 'barrier'
  /** Waits, hints, messages, the end of the program. */
  | 'other';

const BRANCH = /^s_(branch|cbranch|setpc|swappc|call|rfe|subvector_loop)/;
const READ = /_load|_atomic|_sample|_gather/;
const WRITE = /_store/;

export function classOf(instruction: Instruction): InstructionClass {
  const { mnemonic } = instruction;
  if (instruction.is('Flat') || instruction.is('Mubuf') || instruction.is('Mtbuf')) {
    if (WRITE.test(mnemonic)) return 'vmemWrite';
    if (!READ.test(mnemonic)) return 'vmemOther';
    // An atomic is a read when it returns what it found, and else a write.
    return mnemonic.includes('_atomic') && !returns(instruction) ? 'vmemWrite' : 'vmemRead';
  }
  if (instruction.is('Ds')) return 'lds';
  if (instruction.is('Smrd')) return 'smem';
  if (BRANCH.test(mnemonic)) return 'branch';
  if (mnemonic === 's_barrier') return 'barrier';
  if (instruction.is('Valu')) return 'valu';
  // s_waitcnt_vscnt and its like are SOPK.
  if (mnemonic.startsWith('s_waitcnt')) return 'other';
  return instruction.is('Salu') && !instruction.is('Sopp') ? 'salu' : 'other';
}

const returns = (instruction: Instruction): boolean =>
  /_RTN/.test(instruction.opcode.name) || (instruction.is('Flat') && instruction.has('vdst'));

export function countersOf(
  program: Program,
  { executed, lanes, transactions }: InstructionCounts,
  launch: { readonly waves: number; readonly waveSize: number; readonly ldsBankConflicts: number },
): Counters {
  const sums: Record<InstructionClass, number> = {
    valu: 0,
    salu: 0,
    smem: 0,
    lds: 0,
    vmemRead: 0,
    vmemWrite: 0,
    vmemOther: 0,
    branch: 0,
    barrier: 0,
    other: 0,
  };
  let flat = 0;
  let activeLanes = 0;
  let cacheLines = 0;
  let instructions = 0;
  for (const instruction of program.instructions) {
    if (instruction === null) continue;
    const times = executed[instruction.index]!;
    if (times === 0) continue;
    const kind = classOf(instruction);
    sums[kind] += times;
    instructions += times;
    if (instruction.is('Flat')) flat += times;
    if (kind === 'valu') activeLanes += lanes[instruction.index]!;
    if (kind.startsWith('vmem')) cacheLines += transactions[instruction.index]!;
  }
  const { valu, salu, smem, lds, vmemRead, vmemWrite, branch, barrier } = sums;
  return {
    waves: launch.waves,
    valu,
    salu,
    smem,
    lds,
    ldsBankConflicts: launch.ldsBankConflicts,
    vmemRead,
    vmemWrite,
    flat,
    branch,
    barrier,
    activeLanes,
    valuUtilization: valu === 0 ? 0 : (100 * activeLanes) / (valu * launch.waveSize),
    cacheLines,
    instructions,
  };
}

/** Counters of several launches together. */
export function sumCounters(all: readonly Counters[]): Counters {
  const sum = (field: keyof Counters): number => all.reduce((total, each) => total + each[field], 0);
  const valu = sum('valu');
  const weighted = all.reduce((total, each) => total + each.valuUtilization * each.valu, 0);
  const fields = Object.keys(all[0] ?? {}) as (keyof Counters)[];
  const summed = Object.fromEntries(fields.map((field) => [field, sum(field)])) as unknown as Counters;
  return { ...summed, valuUtilization: valu === 0 ? 0 : weighted / valu };
}

/** The instructions that ran, in the order of the code. */
export function instructionRows(
  program: Program,
  { executed, lanes, transactions }: InstructionCounts,
): InstructionRow[] {
  return program.instructions.flatMap((instruction, index) =>
    instruction === null || executed[index] === 0
      ? []
      : [
          {
            pc: instruction.offset,
            text: instruction.text,
            executed: executed[index]!,
            lanes: lanes[index]!,
            transactions: transactions[index]!,
          },
        ],
  );
}

/**
 * Which registers an instruction reads and writes, as the scoreboard of the cycle estimate wants it: one number per
 * 32-bit register, VCC, EXEC and SCC included where an encoding implies them.
 *
 * LLVM's disassembler lists explicit operands only. What an encoding implies is taken from the ISA documents; SCC is
 * treated as written by every scalar instruction that is not known to leave it alone.
 */
import { OperandKind } from '../../formats/disassembly.js';
import type { Instruction, Operand } from '../program.js';

const VCC = 106;
const EXEC = 126;
const SRC_VCCZ = 251;
const SRC_EXECZ = 252;
const SRC_SCC = 253;

/** 0 to 127: scalar registers by hardware number. */
export const SCC = 128;
/** SCC, VCC and EXEC as a conditional branch sees them after a scalar instruction wrote them. */
export const BRANCH_SCC = 129;
export const BRANCH_VCC = 130;
export const BRANCH_EXEC = 131;
const VGPRS = 132;
const AGPRS = VGPRS + 256;

export interface RegisterUse {
  readonly reads: readonly number[];
  readonly writes: readonly number[];
}

export function registerUse(instruction: Instruction, waveSize: 32 | 64): RegisterUse {
  const reads = new Set<number>();
  const writes = new Set<number>();
  const mask = (first: number, to: Set<number>): void => {
    to.add(first);
    if (waveSize === 64) to.add(first + 1);
  };
  for (const name of instruction.opcode.operands) {
    const registers = registersOf(instruction.operand(name));
    for (const register of registers) (isDestination(name) ? writes : reads).add(register);
  }
  const implied = impliedUse(instruction);
  if (implied.readsVcc) mask(VCC, reads);
  if (implied.writesVcc) mask(VCC, writes);
  if (implied.readsExec) mask(EXEC, reads);
  if (implied.writesExec) mask(EXEC, writes);
  if (implied.readsScc) reads.add(SCC);
  if (implied.writesScc) writes.add(SCC);
  return { reads: [...reads], writes: [...writes] };
}

const isDestination = (name: string): boolean => /^(vdst|sdst)1?[XY]?$/.test(name);

function registersOf(operand: Operand): number[] {
  const { kind, value } = operand;
  if (kind === OperandKind.Immediate) return [];
  const count = Math.max(1, Math.ceil(operand.width / 32));
  if (kind !== OperandKind.Sgpr) {
    const first = (kind === OperandKind.Agpr ? AGPRS : VGPRS) + value;
    return Array.from({ length: count }, (_, at) => first + at);
  }
  if (value === SRC_VCCZ) return [VCC, VCC + 1];
  if (value === SRC_EXECZ) return [EXEC, EXEC + 1];
  if (value === SRC_SCC) return [SCC];
  return Array.from({ length: count }, (_, at) => value + at).filter((register) => register < SCC);
}

const CARRY_IN = /^v_(cndmask|addc|subb|subbrev|add_co_ci|sub_co_ci|subrev_co_ci|dual_cndmask)_/;
const CARRY_OUT = /^v_(add_co|sub_co|subrev_co|addc_co|subb_co|subbrev_co)_/;
const LEAVES_SCC = new RegExp(
  '^s_(c?movk?|cselect|mulk?|bfm|pack|brev|ff0|ff1|flbit|cls|clz|ctz|sext|bitset|bitreplicate|movrel|' +
    'getpc|setpc|swappc|call|getreg|setreg|version|waitcnt)',
);

interface ImpliedUse {
  readonly readsVcc: boolean;
  readonly writesVcc: boolean;
  readonly readsExec: boolean;
  readonly writesExec: boolean;
  readonly readsScc: boolean;
  readonly writesScc: boolean;
}

function impliedUse(instruction: Instruction): ImpliedUse {
  const { mnemonic } = instruction;
  const is = (encoding: Parameters<Instruction['is']>[0]): boolean => instruction.is(encoding);
  const scalar = is('Salu') && !is('Sopp');
  const compareToExec = mnemonic.startsWith('v_cmpx_');
  const compare = mnemonic.startsWith('v_cmp_');
  return {
    readsVcc:
      (CARRY_IN.test(mnemonic) && !instruction.has('src2')) ||
      mnemonic.startsWith('v_div_fmas_') ||
      /^s_cbranch_(vcc|cdbgsys_or)/.test(mnemonic) ||
      /CNDMASK/.test(instruction.opcode.name),
    writesVcc: (compare || CARRY_OUT.test(mnemonic)) && !instruction.has('sdst'),
    readsExec: !is('Salu') && !is('Smrd') ? true : /saveexec|wrexec|^s_cbranch_exec/.test(mnemonic),
    writesExec: compareToExec || /saveexec|wrexec/.test(mnemonic),
    readsScc: /^s_(cselect|cmov|cmovk|addc|subb|cbranch_scc)/.test(mnemonic),
    writesScc: scalar && !LEAVES_SCC.test(mnemonic),
  };
}

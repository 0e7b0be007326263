/**
 * Finds instructions that cost nothing because instruction selection fuses them into their only user. AMD's vector
 * unit has 32-bit operations of three operands (gfx9 and later: v_add3, v_lshl_add, v_add_lshl, v_lshl_or, v_and_or,
 * v_or3, v_xad, v_bfe). Melding that puts a select between the two loses what it seemed to save. A user absorbs one
 * instruction, and none if another user absorbs it.
 */
import type { Divergence } from '../../analysis/divergence.js';
import type { Uses } from '../../analysis/uses.js';
import type { InstrId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { Opcode, TypeKind, ValueKind, definingInstr, instrValue, type FunctionSnapshot } from '../../ir/snapshot.js';

/** Per opcode of the user: the opcodes that it absorbs. */
const FUSED: Readonly<Record<number, readonly number[]>> = {
  [Opcode.Add]: [Opcode.Add, Opcode.Shl, Opcode.Xor],
  [Opcode.Shl]: [Opcode.Add],
  [Opcode.Or]: [Opcode.Or, Opcode.And, Opcode.Shl],
};

/** `[instrCount]`: the user that absorbs an instruction, or `NONE`. */
export function fusedInto(fn: FunctionSnapshot, uses: Uses, divergence: Divergence): Int32Array {
  const into = new Int32Array(fn.instrCount).fill(NONE);
  // GCN before gfx9 has none of these operations; NVPTX has others.
  if (!/^gfx(9|1[0-9])/.test(fn.cpu)) return into;
  for (let user = fn.instrCount - 1; user >= 0; user--) {
    if (into[user] !== NONE || !isVectorWord(fn, divergence, user as InstrId)) continue;
    for (let o = fn.operandStart[user + 1]! - 1; o >= fn.operandStart[user]!; o--) {
      const v = fn.operand[o]!;
      const i = definingInstr(fn, v as never);
      if (i === NONE || fn.instrBlock[i] !== fn.instrBlock[user] || uses.start[v + 1]! - uses.start[v]! !== 1) continue;
      if (!isVectorWord(fn, divergence, i) || !absorbs(fn, user, o, i)) continue;
      into[i] = user;
      break;
    }
  }
  return into;
}

function absorbs(fn: FunctionSnapshot, user: number, operand: number, i: InstrId): boolean {
  const opcode = fn.instrOpcode[user]!;
  // A bit field: `(x >> n) & mask`.
  if (opcode === Opcode.And)
    return (
      fn.instrOpcode[i] === Opcode.LShr && fn.valueKind[fn.operand[fn.operandStart[user]! + 1]!] === ValueKind.Constant
    );
  if (opcode === Opcode.Shl && operand !== fn.operandStart[user]) return false;
  return FUSED[opcode]?.includes(fn.instrOpcode[i]!) ?? false;
}

const isVectorWord = (fn: FunctionSnapshot, divergence: Divergence, i: InstrId): boolean =>
  fn.typeKind[fn.instrType[i]!] === TypeKind.Integer &&
  fn.typeBits[fn.instrType[i]!] === 32 &&
  divergence.valueDivergent[instrValue(fn, i)] === 1;

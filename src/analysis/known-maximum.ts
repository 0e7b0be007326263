/**
 * What numbers cannot exceed, by the operation that makes them: masks, remainders, shifts and extensions with zeros.
 */
import { NONE, type InstrId, type ValueId } from '../ir/ids.js';
import { NO_INTEGER, Opcode, definingInstr, type FunctionSnapshot } from '../ir/snapshot.js';

/** Wider numbers are not looked at. */
const WIDEST = 64;

/** The most that a number is which is not negative; null if that is not seen. */
export function knownMaximum(fn: FunctionSnapshot, v: ValueId): bigint | null {
  const bitsOf = (of: ValueId): number => fn.typeBits[fn.valueType[of]!]!;
  let narrowest = NONE;
  let i = definingInstr(fn, v);
  let at = v;
  while (i !== NONE && fn.instrOpcode[i] === Opcode.ZExt) {
    at = fn.operand[fn.operandStart[i]!] as ValueId;
    narrowest = bitsOf(at);
    i = definingInstr(fn, at);
  }
  const masked = i === NONE ? null : mostOfOperation(fn, i, bitsOf(at));
  if (masked !== null) return masked;
  return narrowest === NONE || narrowest > WIDEST ? null : 2n ** BigInt(narrowest) - 1n;
}

function mostOfOperation(fn: FunctionSnapshot, i: InstrId, bits: number): bigint | null {
  const opcode = fn.instrOpcode[i];
  if (opcode !== Opcode.And && opcode !== Opcode.URem && opcode !== Opcode.LShr) return null;
  const constant = fn.valueInteger[fn.operand[fn.operandStart[i]! + 1]!]!;
  if (constant === NO_INTEGER || constant < 0 || bits > WIDEST) return null;
  if (opcode === Opcode.And) return BigInt(constant);
  if (constant === 0) return null;
  return opcode === Opcode.URem ? BigInt(constant) - 1n : (2n ** BigInt(bits) - 1n) >> BigInt(constant);
}

/**
 * What the runtime passes to every kernel of AMD's beside its arguments (LLVM, "User Guide for AMDGPU Backend", hidden
 * kernel arguments of code object version 5): sizes of the work group, and where the launch begins.
 */
import type { ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { InstrFlag, Opcode, TypeKind, definingInstr, hasFlag, type FunctionSnapshot } from '../../ir/snapshot.js';
import { AddressSpace } from './latency.js';
import { pointerOf } from './memory-accesses.js';

export interface HiddenArgument {
  readonly kind: 'groupSize' | 'launchStart';
  readonly dimension: number;
}

/** Three numbers each, at so many bytes from the first hidden argument. */
const ARGUMENTS = [
  { kind: 'groupSize', start: 12, bytes: 2 },
  { kind: 'launchStart', start: 40, bytes: 8 },
] as const;

/** What a load reads there, or null. @param lane of a vector */
export function hiddenArgument(fn: FunctionSnapshot, v: ValueId, lane = 0): HiddenArgument | null {
  const i = definingInstr(fn, v);
  if (i === NONE || fn.instrOpcode[i] !== Opcode.Load || fn.instrAddressSpace[i] !== AddressSpace.Constant) return null;
  const address = definingInstr(fn, pointerOf(fn, i));
  if (address === NONE || fn.instrOpcode[address] !== Opcode.GetElementPtr) return null;
  const first = definingInstr(fn, fn.operand[fn.operandStart[address]!] as ValueId);
  if (first === NONE || fn.instrOpcode[first] !== Opcode.Call || !hasFlag(fn, first, InstrFlag.Intrinsic)) return null;
  const offset = fn.valueOffset[pointerOf(fn, i)]!;
  const isVector = fn.typeKind[fn.instrType[i]!] === TypeKind.Vector;
  for (const { kind, start, bytes } of ARGUMENTS) {
    const dimension = (offset - start) / bytes + lane;
    const isWhole = isVector || fn.typeBits[fn.instrType[i]!] === 8 * bytes;
    if (isWhole && offset >= start && [0, 1, 2].includes(dimension)) return { kind, dimension };
  }
  return null;
}

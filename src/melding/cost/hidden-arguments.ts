/**
 * What the runtime passes to every kernel of AMD's beside its arguments (LLVM, "User Guide for AMDGPU Backend", hidden
 * kernel arguments of code object version 5): sizes of the work group, and where the launch begins.
 */
import { AddressSpace } from '../../ir/address-space.js';
import type { ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import {
  InstrFlag,
  Opcode,
  TypeKind,
  definingInstr,
  hasFlag,
  isAmd,
  type FunctionSnapshot,
} from '../../ir/snapshot.js';
import { pointerOf } from './memory-accesses.js';

export interface HiddenArgument {
  readonly kind: 'groupSize' | 'launchStart';
  readonly dimension: number;
  readonly bits: number;
}

const DIMENSIONS = 3;

/** Three numbers each, at so many bytes from the first hidden argument. */
const ARGUMENTS = [
  { kind: 'groupSize', start: 12, bits: 16 },
  { kind: 'launchStart', start: 40, bits: 64 },
] as const;

/**
 * What a load reads there, or null.
 *
 * @param at which element, where it loads a vector
 */
export function hiddenArgument(fn: FunctionSnapshot, v: ValueId, at = 0): HiddenArgument | null {
  const i = definingInstr(fn, v);
  if (i === NONE || fn.instrOpcode[i] !== Opcode.Load || fn.instrAddressSpace[i] !== AddressSpace.Constant) return null;
  const pointer = pointerOf(fn, i);
  if (!isAmd(fn.cpu) || !isBehindArguments(fn, pointer)) return null;
  const offset = fn.valueOffset[pointer]!;
  const width = fn.typeBits[fn.instrType[i]!]!;
  const isVector = fn.typeKind[fn.instrType[i]!] === TypeKind.Vector;
  for (const { kind, start, bits } of ARGUMENTS) {
    const first = (8 * (offset - start)) / bits;
    const count = width / bits;
    const isWhole = Number.isInteger(first) && (isVector ? Number.isInteger(count) : count === 1);
    if (isWhole && first >= 0 && first + count <= DIMENSIONS && at < count)
      return { kind, dimension: first + at, bits };
  }
  return null;
}

/**
 * Whether an address is at some distance from what an intrinsic without arguments gives. The snapshot does not say
 * which one that is: a kernel that reads its own arguments through `llvm.amdgcn.kernarg.segment.ptr` may be estimated
 * wrongly.
 */
function isBehindArguments(fn: FunctionSnapshot, pointer: ValueId): boolean {
  const address = definingInstr(fn, pointer);
  if (address === NONE || fn.instrOpcode[address] !== Opcode.GetElementPtr) return false;
  const base = definingInstr(fn, fn.operand[fn.operandStart[address]!] as ValueId);
  if (base === NONE || fn.instrOpcode[base] !== Opcode.Call || !hasFlag(fn, base, InstrFlag.Intrinsic)) return false;
  // The callee is an operand.
  return fn.operandStart[base + 1]! - fn.operandStart[base]! === 1;
}

/**
 * Prints the instructions of a snapshot for people. The text looks like LLVM IR but is not: a snapshot holds neither
 * names nor the values of constants. Blocks are `b0`, `b1`, … in layout order; arguments are `%a0`, …; instructions are
 * `%0`, … by `InstrId`; constants are `#N` and globals `@N` by `ValueId`. For example:
 *
 *     %4 = icmp.40 i1 %0, #9
 *
 * `icmp.40` has LLVM's number of the predicate. `^u` marks an operand as MustBeUniform, `^s` as MustStay. `[%3 b1]` is
 * a phi's incoming value from `b1`.
 */
import type { InstrId, TypeId, ValueId } from './ids.js';
import { NONE } from './ids.js';
import type { FunctionSnapshot } from './snapshot.js';
import { InstrFlag, Opcode, OperandFlag, TypeKind, ValueKind } from './snapshot.js';

const opcodeNames = new Map<number, string>([
  ...Object.entries(Opcode).map(([name, n]) => [n, name.toLowerCase()] as const),
  [Opcode.UncondBr, 'br'],
  [Opcode.CondBr, 'br'],
]);

export function printType(fn: FunctionSnapshot, t: TypeId): string {
  const bits = fn.typeBits[t];
  switch (fn.typeKind[t]) {
    case TypeKind.Void:
      return 'void';
    case TypeKind.Integer:
      return `i${bits}`;
    case TypeKind.Float:
      return `f${bits}`;
    case TypeKind.Pointer:
      return fn.typeAddressSpace[t] === 0 ? 'ptr' : `ptr${fn.typeAddressSpace[t]}`;
    case TypeKind.Vector:
      return `vec${bits}`;
    case TypeKind.Aggregate:
      return `agg${bits}`;
    case TypeKind.Token:
      return 'token';
    default:
      return `type${t}`;
  }
}

function printValue(fn: FunctionSnapshot, v: ValueId): string {
  if (v < fn.argCount) return `%a${v}`;
  if (v < fn.argCount + fn.instrCount) return `%${v - fn.argCount}`;
  switch (fn.valueKind[v]) {
    case ValueKind.Undef:
      return 'undef';
    case ValueKind.Poison:
      return 'poison';
    case ValueKind.Global:
      return `@${v}`;
    default:
      return `#${v}`;
  }
}

export function printInstr(fn: FunctionSnapshot, i: InstrId): string {
  const opcode = fn.instrOpcode[i];
  const isVoid = fn.typeKind[fn.instrType[i]] === TypeKind.Void;
  let line = isVoid ? '' : `%${i} = `;
  line += opcodeNames.get(opcode) ?? `opcode${opcode}`;
  if (fn.instrPredicate[i] !== NONE) line += `.${fn.instrPredicate[i]}`;
  if (!isVoid) line += ` ${printType(fn, fn.instrType[i] as TypeId)}`;
  const parts: string[] = [];
  for (let o = fn.operandStart[i]; o < fn.operandStart[i + 1]; o++) {
    const flags = fn.operandFlags[o];
    let part = printValue(fn, fn.operand[o] as ValueId);
    if (flags !== 0)
      part += `^${flags & OperandFlag.MustBeUniform ? 'u' : ''}${flags & OperandFlag.MustStay ? 's' : ''}`;
    parts.push(fn.operandBlock[o] === NONE ? part : `[${part} b${fn.operandBlock[o]}]`);
  }
  if ((fn.instrFlags[i] & InstrFlag.Terminator) !== 0) {
    const b = fn.instrBlock[i];
    for (let e = fn.succStart[b]; e < fn.succStart[b + 1]; e++) parts.push(`b${fn.succ[e]}`);
  }
  return parts.length === 0 ? line : `${line} ${parts.join(', ')}`;
}

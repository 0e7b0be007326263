/**
 * Prints a snapshot for people: debugging and expected outputs of tests. It looks like LLVM IR but is not: the snapshot holds
 * no names and no constants' values. Blocks are `b0`, `b1`, … in layout order, arguments `%a0`, …, instructions `%0`, … by
 * `InstrId`, constants `#N` and globals `@N` by `ValueId`. One line an instruction:
 *
 *     %4 = icmp.40 i1 %0, #9    ; key 3, latency 1, speculatable
 *
 * `icmp.40` is the predicate; operands marked MustBeUniform carry `^u`, MustStay `^s`; `[%3 b1]` is a phi's operand from b1.
 */
import type { BlockId, InstrId, TypeId, ValueId } from './ids.js';
import { NONE } from './ids.js';
import type { FunctionSnapshot } from './snapshot.js';
import { FunctionFlag, InstrFlag, Opcode, OperandFlag, TypeKind, Uniformity, ValueKind } from './snapshot.js';

const opcodeNames = new Map<number, string>(Object.entries(Opcode).map(([name, n]) => [n, name.toLowerCase()]));

const bitNames = (names: Readonly<Record<string, number>>, bits: number): string[] =>
  Object.entries(names)
    .filter(([, bit]) => (bits & bit) !== 0)
    .map(([name]) => name[0].toLowerCase() + name.slice(1));

export function printType(f: FunctionSnapshot, t: TypeId): string {
  const bits = f.typeBits[t];
  switch (f.typeKind[t]) {
    case TypeKind.Void:
      return 'void';
    case TypeKind.Integer:
      return `i${bits}`;
    case TypeKind.Float:
      return `f${bits}`;
    case TypeKind.Pointer:
      return f.typeAddressSpace[t] === 0 ? 'ptr' : `ptr${f.typeAddressSpace[t]}`;
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

export function printValue(f: FunctionSnapshot, v: ValueId): string {
  if (v < f.argCount) return `%a${v}`;
  if (v < f.argCount + f.instrCount) return `%${v - f.argCount}`;
  switch (f.valueKind[v]) {
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

export function printInstr(f: FunctionSnapshot, i: InstrId): string {
  const opcode = f.instrOpcode[i];
  const isVoid = f.typeKind[f.instrType[i]] === TypeKind.Void;
  let line = isVoid ? '' : `%${i} = `;
  line += opcodeNames.get(opcode) ?? `opcode${opcode}`;
  if (f.instrPredicate[i] !== NONE) line += `.${f.instrPredicate[i]}`;
  if (!isVoid) line += ` ${printType(f, f.instrType[i] as TypeId)}`;
  const parts: string[] = [];
  for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) {
    const flags = f.operandFlags[o];
    let part = printValue(f, f.operand[o] as ValueId);
    if (flags !== 0)
      part += `^${flags & OperandFlag.MustBeUniform ? 'u' : ''}${flags & OperandFlag.MustStay ? 's' : ''}`;
    parts.push(f.operandBlock[o] === NONE ? part : `[${part} b${f.operandBlock[o]}]`);
  }
  if ((f.instrFlags[i] & InstrFlag.Terminator) !== 0) {
    const b = f.instrBlock[i];
    for (let e = f.succStart[b]; e < f.succStart[b + 1]; e++) parts.push(`b${f.succ[e]}`);
  }
  return parts.length === 0 ? line : `${line} ${parts.join(', ')}`;
}

function printFacts(f: FunctionSnapshot, i: InstrId): string {
  const facts: string[] = [];
  if (f.instrKey[i] !== NONE) facts.push(`key ${f.instrKey[i]}`);
  facts.push(`latency ${f.instrLatency[i]}`);
  if (f.instrUniformity[i] === Uniformity.AlwaysUniform) facts.push('always uniform');
  if (f.instrUniformity[i] === Uniformity.NeverUniform) facts.push('never uniform');
  if (f.instrAddressSpace[i] !== NONE) facts.push(`addrspace ${f.instrAddressSpace[i]} align ${f.instrAlign[i]}`);
  facts.push(...bitNames(InstrFlag, f.instrFlags[i] & ~(InstrFlag.Terminator | InstrFlag.WillReturn)));
  return facts.join(', ');
}

export interface PrintOptions {
  /** Leave out key, latency, flags, …. */
  readonly plain?: boolean;
  /** What to append to an instruction's comment, e.g. that it is divergent. */
  readonly note?: (i: InstrId) => string;
  /** What to append to a block's comment. */
  readonly noteBlock?: (b: BlockId) => string;
}

export function printSnapshot(f: FunctionSnapshot, options: PrintOptions = {}): string {
  const uniformity = ['', ' always', ' never'];
  const args: string[] = [];
  for (let a = 0; a < f.argCount; a++)
    args.push(`${printType(f, f.valueType[a] as TypeId)} %a${a}${uniformity[f.argUniformity[a]] ?? ''}`);
  const flags = bitNames(FunctionFlag, f.flags)
    .map((name) => ` ${name}`)
    .join('');
  const lines = [`func ${f.name}(${args.join(', ')}) ${f.cpu} wave${f.waveSize}${flags}`];
  const addLine = (text: string, ...comments: string[]): void => {
    const comment = comments.filter((c) => c !== '').join('; ');
    lines.push(comment === '' ? text : `${text.padEnd(39)} ; ${comment}`);
  };
  for (let b = 0; b < f.blockCount; b++) {
    addLine(`b${b}:`, options.noteBlock?.(b as BlockId) ?? '');
    for (let i = f.blockInstrStart[b]; i < f.blockInstrStart[b + 1]; i++) {
      const id = i as InstrId;
      addLine(`  ${printInstr(f, id)}`, options.plain === true ? '' : printFacts(f, id), options.note?.(id) ?? '');
    }
  }
  return `${lines.join('\n')}\n`;
}

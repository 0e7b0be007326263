/**
 * What pointers point to, for rule 3. LLVM answers for single pointers (`valueAlloca` and `valueCastFrom` of the
 * snapshot), and not for pointers inside of vectors and structures. Their facts are those of the pointers that were put
 * in, and what is taken out of them has the facts of the whole.
 */
import type { FunctionSnapshot } from '../../ir/snapshot.js';
import { Opcode, TypeKind, ValueKind } from '../../ir/snapshot.js';
import { NONE, type InstrId } from '../../ir/ids.js';

/** The snapshot's mark for pointers with several or unknown underlying objects. */
export const MIXED = -2;
/** For values that hold no pointer, or not yet. */
const NOTHING = -3;

/** By value: the alloca that its pointers point into, and the address space that they were cast from. */
type Facts = Pick<FunctionSnapshot, 'valueAlloca' | 'valueCastFrom'>;

export function pointerFacts(fn: FunctionSnapshot): Facts {
  if (!putsPointersTogether(fn)) return fn;
  return { valueAlloca: follow(fn, fn.valueAlloca, false), valueCastFrom: follow(fn, fn.valueCastFrom, true) };
}

const kindOf = (fn: FunctionSnapshot, v: number): number => fn.typeKind[fn.valueType[v]];

function putsPointersTogether(fn: FunctionSnapshot): boolean {
  for (let i = 0; i < fn.instrCount; i++) {
    const opcode = fn.instrOpcode[i];
    if (opcode === Opcode.InsertElement || opcode === Opcode.InsertValue) {
      if (kindOf(fn, fn.operand[fn.operandStart[i] + 1]) === TypeKind.Pointer) return true;
    } else if (opcode === Opcode.GetElementPtr || opcode === Opcode.AddrSpaceCast) {
      if (fn.typeKind[fn.instrType[i]] === TypeKind.Vector) return true;
    }
  }
  return false;
}

/** A forward fixpoint: a fact goes from `NOTHING` to one answer, and from there to `MIXED`. */
function follow(fn: FunctionSnapshot, known: Int32Array, stopsAtCasts: boolean): Int32Array {
  const facts = known.slice();
  for (let v = 0; v < fn.valueCount; v++)
    if (fn.valueKind[v] !== ValueKind.Argument && kindOf(fn, v) !== TypeKind.Pointer) facts[v] = NOTHING;
  const passes: [InstrId, readonly number[]][] = [];
  for (let i = 0 as InstrId; i < fn.instrCount; i++) {
    const kind = fn.typeKind[fn.instrType[i]];
    if (kind !== TypeKind.Pointer && kind !== TypeKind.Vector && kind !== TypeKind.Aggregate) continue;
    const sources = sourcesOf(fn, i);
    const isCast = fn.instrOpcode[i] === Opcode.AddrSpaceCast;
    if (stopsAtCasts && isCast && kind === TypeKind.Vector) facts[fn.argCount + i] = MIXED;
    else if (sources.length === 0) facts[fn.argCount + i] = known[fn.argCount + i];
    else if (!stopsAtCasts || !isCast) {
      facts[fn.argCount + i] = NOTHING;
      passes.push([i, sources]);
    }
  }
  for (let changed = true; changed;) {
    changed = false;
    for (const [i, sources] of passes) {
      let fact = NOTHING;
      for (const v of sources)
        if (facts[v] !== NOTHING) fact = fact === NOTHING || fact === facts[v] ? facts[v] : MIXED;
      if (fact === facts[fn.argCount + i]) continue;
      facts[fn.argCount + i] = fact;
      changed = true;
    }
  }
  return facts.map((fact) => (fact === NOTHING ? NONE : fact));
}

/** The operands whose pointers are in the result. */
function sourcesOf(fn: FunctionSnapshot, i: InstrId): readonly number[] {
  const operands = fn.operand.subarray(fn.operandStart[i], fn.operandStart[i + 1]);
  switch (fn.instrOpcode[i]) {
    case Opcode.Phi:
      return [...operands];
    case Opcode.Select:
      return [operands[1], operands[2]];
    case Opcode.InsertElement:
    case Opcode.InsertValue:
    case Opcode.ShuffleVector:
      return [operands[0], operands[1]];
    case Opcode.ExtractElement:
    case Opcode.ExtractValue:
    case Opcode.GetElementPtr:
    case Opcode.AddrSpaceCast:
    case Opcode.BitCast:
    case Opcode.Freeze:
      return [operands[0]];
    default:
      return [];
  }
}

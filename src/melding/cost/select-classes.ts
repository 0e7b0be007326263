/**
 * Sorts values into classes within which a select is allowed (rule 3). Two values of one class have one type, and point
 * to the same as far as the rule asks: into the same alloca or none, cast from the same address space or none.
 */
import { NONE } from '../../ir/ids.js';
import { TypeKind, ValueKind, type FunctionSnapshot } from '../../ir/snapshot.js';
import { MIXED, pointerFacts } from './pointers.js';

/** `[valueCount]`: the class of a value, or `NONE` for values that no select may choose. */
export function selectClasses(fn: FunctionSnapshot): Int32Array {
  const { valueAlloca, valueCastFrom } = pointerFacts(fn);
  const classes = new Int32Array(fn.valueCount);
  /** Values that point to nothing in particular have the number of their type. */
  const others = new Map<number, number>();
  for (let v = 0; v < fn.valueCount; v++) {
    const type = fn.valueType[v];
    const alloca = valueAlloca[v];
    const castFrom = valueCastFrom[v];
    if (!isSelectable(fn, v) || alloca === MIXED || castFrom === MIXED) classes[v] = NONE;
    else if (alloca === NONE && castFrom === NONE) classes[v] = type;
    else {
      // LLVM's address spaces have 24 bits.
      const key = (type * (fn.valueCount + 1) + alloca + 1) * 2 ** 25 + castFrom + 1;
      let found = others.get(key);
      if (found === undefined) others.set(key, (found = fn.typeKind.length + others.size));
      classes[v] = found;
    }
  }
  return classes;
}

/** Whether a register can hold the value. */
function isSelectable(fn: FunctionSnapshot, v: number): boolean {
  const kind = fn.typeKind[fn.valueType[v]];
  const isHeld = kind !== TypeKind.Other && kind !== TypeKind.Void && kind !== TypeKind.Token;
  return isHeld && fn.valueKind[v] !== ValueKind.Other;
}

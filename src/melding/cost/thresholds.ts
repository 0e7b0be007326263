/**
 * Compares that put the same number in order: with several constants (`x < 1`, else `x < 5`), or with the same other
 * number (`a < b`, else `a > b`). Where the number lies in a thread answers all of them. That it is equal to a
 * constant, where it is compared with no other one, counts for nothing, nor does a bound that hardly any number is
 * beyond (magnitudes.ts).
 */
import type { InstrId, ValueId } from '../../ir/ids.js';
import { comparesIntegers, directionOf, isOfNext, isUnsigned } from '../../ir/predicates.js';
import { rareOutcome } from './magnitudes.js';
import { NO_INTEGER, Opcode, ValueKind, instrValue, type FunctionSnapshot } from '../../ir/snapshot.js';

/** What a compare asks of a number. */
export interface Threshold {
  /** The first compare that asks for that number: it stands for the number. */
  readonly number: ValueId;
  /** How many thresholds of the number are asked for. */
  readonly count: number;
  /** Which of them this compare asks for; 0: the lowest. */
  readonly index: number;
  /** The first compare that asks for it. */
  readonly first: ValueId;
  /** Whether it holds for numbers below it. */
  readonly holdsBelow: boolean;
  /** Which operands of the compare the number comes from. All compares that ask for it have them in one order. */
  readonly from: readonly (0 | 1)[];
}

/** With more, each compare is drawn by itself. */
const MOST_THRESHOLDS = 64;

const FROM = { first: [0], both: [0, 1], swapped: [1, 0] } as const;

interface Compare {
  readonly at: InstrId;
  /** What the number is compared with. */
  readonly other: ValueId;
  readonly holdsBelow: boolean;
  readonly from: readonly (0 | 1)[];
}

/** By compare; those that are the only one of a number are left out. */
export function thresholds(fn: FunctionSnapshot): ReadonlyMap<ValueId, Threshold> {
  const found = new Map<ValueId, Threshold>();
  for (const ofNumber of ordersByNumber(fn)) {
    const compares = withBounds(fn, ofNumber);
    if (compares.length < 2) continue;
    const bounds = [...new Set(compares.map(({ bound }) => bound))].sort((x, y) => x - y);
    if (bounds.length > MOST_THRESHOLDS) continue;
    const firsts = bounds.map((each) => instrValue(fn, compares.find(({ bound }) => bound === each)!.at));
    const [number, count] = [instrValue(fn, compares[0]!.at), bounds.length];
    for (const { at, bound, holdsBelow, from } of compares) {
      const index = bounds.indexOf(bound);
      found.set(instrValue(fn, at), { number, count, index, first: firsts[index]!, holdsBelow, from });
    }
  }
  return found;
}

/** The orders that a function asks for, together with the others of the same number. */
function ordersByNumber(fn: FunctionSnapshot): Iterable<readonly Compare[]> {
  const found = new Map<number, Compare[]>();
  for (let i = 0 as InstrId; i < fn.instrCount; i++) {
    if (fn.instrOpcode[i] !== Opcode.ICmp && fn.instrOpcode[i] !== Opcode.FCmp) continue;
    const direction = directionOf(fn.instrPredicate[i]!);
    if (direction === 0 || rareOutcome(fn, i) !== null) continue;
    const first = fn.operandStart[i]!;
    const [a, b] = [fn.operand[first] as ValueId, fn.operand[first + 1] as ValueId];
    // LLVM puts constants second.
    if (fn.valueKind[a] === ValueKind.Constant) continue;
    const isBound = fn.valueKind[b] === ValueKind.Constant;
    // Of two numbers, the difference is put in order.
    const isSwapped = !isBound && b < a;
    const key = isBound ? a : (Math.min(a, b) + 1) * fn.valueCount + Math.max(a, b);
    const compare = {
      at: i,
      other: b,
      holdsBelow: direction < 0 !== isSwapped,
      from: isBound ? FROM.first : isSwapped ? FROM.swapped : FROM.both,
    };
    const known = found.get(key);
    if (known === undefined) found.set(key, [compare]);
    else known.push(compare);
  }
  return found.values();
}

/** Orders of one number, with what they compare it with. Those of which that is not known are left out. */
function withBounds(fn: FunctionSnapshot, compares: readonly Compare[]): (Compare & { readonly bound: number })[] {
  const isOne = compares.every(({ other }) => other === compares[0]!.other);
  const isPair = fn.valueKind[compares[0]!.other] !== ValueKind.Constant;
  if (isOne || isPair) return compares.map((each) => ({ bound: 0, ...each }));
  const all = compares.map((each) => ({ bound: boundOf(fn, fn.instrPredicate[each.at]!, each.other), ...each }));
  return all.filter(({ bound }) => !Number.isNaN(bound));
}

/** Data count as not negative. */
function boundOf(fn: FunctionSnapshot, predicate: number, other: ValueId): number {
  if (!comparesIntegers(predicate)) return fn.floatConstant(other);
  const integer = fn.valueInteger[other]!;
  if (integer === NO_INTEGER) return NaN;
  const bound = integer < 0 && isUnsigned(predicate) ? integer + 2 ** fn.typeBits[fn.valueType[other]!]! : integer;
  return isOfNext(predicate) ? bound + 1 : bound;
}

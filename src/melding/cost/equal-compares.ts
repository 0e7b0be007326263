/**
 * Compares of the same numbers in several places. A function that both sides of a branch call is inlined into both. If
 * both calls pass the same numbers, its compares have the same results on both sides. LLVM makes one compare of two
 * only where one dominates the other.
 */
import type { Analyses } from '../../analysis/analyses.js';
import { reversePostOrder } from '../../analysis/graph.js';
import type { InstrId, ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import {
  InstrFlag,
  LaneSource,
  Opcode,
  definingInstr,
  hasFlag,
  instrValue,
  type FunctionSnapshot,
} from '../../ir/snapshot.js';

/** What is computed in more steps than this is not followed: values count as different then. */
const MOST_STEPS = 16;

/** By compare: the first one that is equal to it. Compares that are equal to no other one in front are left out. */
export function equalCompares(fn: FunctionSnapshot, { graph }: Analyses): ReadonlyMap<ValueId, ValueId> {
  const numbering = new Numbering(fn);
  const found = new Map<ValueId, ValueId>();
  for (const b of reversePostOrder(graph))
    for (let i = fn.blockInstrStart[b]!; i < fn.blockInstrStart[b + 1]!; i++) {
      if (fn.instrOpcode[i] !== Opcode.ICmp && fn.instrOpcode[i] !== Opcode.FCmp) continue;
      const v = instrValue(fn, i as InstrId);
      const first = numbering.of(v, MOST_STEPS);
      if (first !== v) found.set(v, first);
    }
  return found;
}

/** Value numbering (J. Cocke, 1970), for the values that are asked about. */
class Numbering {
  private readonly numbers = new Map<ValueId, ValueId>();
  private readonly first = new Map<string, ValueId>();

  constructor(private readonly fn: FunctionSnapshot) {}

  /** The first value that is computed as this one is. */
  of(v: ValueId, steps: number): ValueId {
    const { fn, first } = this;
    const i = definingInstr(fn, v);
    if (i === NONE || steps === 0 || !isComputed(fn, i)) return v;
    let number = this.numbers.get(v);
    if (number === undefined) {
      const operands = fn.operand.subarray(fn.operandStart[i]!, fn.operandStart[i + 1]!);
      const from = Array.from(operands, (each) => this.of(each as ValueId, steps - 1));
      const key = `${fn.instrKey[i]} ${fn.instrPredicate[i]} ${from.join(' ')}`;
      number = first.get(key) ?? v;
      first.set(key, number);
      this.numbers.set(v, number);
    }
    return number;
  }
}

/** Whether an instruction gives the same for the same operands, for every thread. What memory holds may change. */
const isComputed = (fn: FunctionSnapshot, i: InstrId): boolean =>
  fn.instrKey[i] !== NONE &&
  fn.instrSource[i] === LaneSource.None &&
  !hasFlag(fn, i, InstrFlag.MayReadMemory) &&
  !NEW_VALUES.includes(fn.instrOpcode[i]!) &&
  (fn.instrOpcode[i] !== Opcode.Call || hasFlag(fn, i, InstrFlag.Speculatable));

const NEW_VALUES: readonly number[] = [Opcode.Phi, Opcode.Alloca, Opcode.Freeze];

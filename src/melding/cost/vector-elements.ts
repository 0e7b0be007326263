/** Elements of vectors in the lanes of sampled waves (lane-values.ts). Coordinates are often computed two at a time. */
import type { InstrId, ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { NO_INTEGER, Opcode, TypeKind, definingInstr, type FunctionSnapshot } from '../../ir/snapshot.js';
import { hiddenArgument, type HiddenArgument } from './hidden-arguments.js';
import type { LaneMemory } from './lane-memory.js';
import { computed, isComputed } from './lanes.js';
import { DEEPEST, type Sampled } from './sampled.js';

/** Longer vectors are not followed. */
const MOST_ELEMENTS = 16;

export class VectorElements {
  /** By vector and element; null: not followed. */
  private readonly known = new Map<number, Sampled | null>();

  /**
   * @param sample the numbers of a value that is no vector
   * @param passed those of a hidden argument
   */
  constructor(
    private readonly fn: FunctionSnapshot,
    private readonly memory: LaneMemory,
    private readonly sample: (v: ValueId, depth: number) => Sampled,
    private readonly passed: (hidden: HiddenArgument) => Sampled,
  ) {}

  /** What an instruction takes out of a vector; null where that is not followed. */
  extracted(i: InstrId, depth: number): Sampled | null {
    const { fn } = this;
    const [vector, at] = fn.operand.subarray(fn.operandStart[i]!) as unknown as [ValueId, ValueId];
    const isInteger = fn.typeKind[fn.instrType[i]!] === TypeKind.Integer;
    return isInteger && fn.valueInteger[at] !== NO_INTEGER ? this.element(vector, fn.valueInteger[at]!, depth) : null;
  }

  forget(): void {
    this.known.clear();
  }

  private element(v: ValueId, at: number, depth: number): Sampled | null {
    if (depth > DEEPEST || at < 0 || at >= MOST_ELEMENTS) return null;
    const key = v * MOST_ELEMENTS + at;
    let found = this.known.get(key);
    if (found === undefined) this.known.set(key, (found = this.compute(v, at, depth + 1)));
    return found;
  }

  private compute(v: ValueId, at: number, depth: number): Sampled | null {
    const { fn } = this;
    const i = definingInstr(fn, v);
    if (i === NONE) return null;
    const opcode = fn.instrOpcode[i]!;
    const [first, second, third] = fn.operand.subarray(fn.operandStart[i]!) as unknown as ValueId[];
    switch (opcode) {
      case Opcode.InsertElement:
        if (fn.valueInteger[third!] === NO_INTEGER) return null;
        return fn.valueInteger[third!] === at ? this.sample(second!, depth) : this.element(first!, at, depth);
      case Opcode.ZExt:
      case Opcode.SExt:
      case Opcode.Trunc:
      case Opcode.Freeze:
        return this.element(first!, at, depth);
      case Opcode.Load: {
        const hidden = hiddenArgument(fn, v, at);
        return hidden && this.passed(hidden);
      }
    }
    if (!isComputed(opcode)) return null;
    const a = this.element(first!, at, depth);
    const b = this.element(second!, at, depth);
    return a && b && { ...computed(this.memory, opcode, a, b), scale: Math.max(a.scale, b.scale) };
  }
}

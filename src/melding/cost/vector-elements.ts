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
/** What is truncated to fewer bits is not followed. */
const LEAST_BITS = 32;

interface Element {
  readonly numbers: Sampled;
  readonly bits: number;
}

export class VectorElements {
  /** By vector and element; null: not followed. */
  private readonly known = new Map<number, Element | null>();
  /** How many elements are being computed. */
  open = 0;

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

  get size(): number {
    return this.known.size;
  }

  /** What an instruction takes out of a vector; null where that is not followed. */
  extracted(i: InstrId, depth: number): Sampled | null {
    const { fn } = this;
    const [vector, at] = fn.operand.subarray(fn.operandStart[i]!) as unknown as [ValueId, ValueId];
    const isInteger = fn.typeKind[fn.instrType[i]!] === TypeKind.Integer;
    if (!isInteger || fn.valueInteger[at] === NO_INTEGER) return null;
    return this.element(vector, fn.valueInteger[at]!, depth)?.numbers ?? null;
  }

  forget(): void {
    this.known.clear();
  }

  private element(v: ValueId, at: number, depth: number): Element | null {
    if (depth > DEEPEST || at < 0 || at >= MOST_ELEMENTS) return null;
    const key = v * MOST_ELEMENTS + at;
    let found = this.known.get(key);
    if (found === undefined) {
      this.open++;
      found = this.compute(v, at, depth + 1);
      this.open--;
      this.known.set(key, found);
    }
    return found;
  }

  private compute(v: ValueId, at: number, depth: number): Element | null {
    const { fn } = this;
    const i = definingInstr(fn, v);
    if (i === NONE) return null;
    const opcode = fn.instrOpcode[i]!;
    const [first, second, third] = fn.operand.subarray(fn.operandStart[i]!) as unknown as [ValueId, ValueId, ValueId];
    const bitsOf = (value: ValueId): number => fn.typeBits[fn.valueType[value]!]!;
    switch (opcode) {
      case Opcode.InsertElement:
        if (fn.valueInteger[third] === NO_INTEGER) return null;
        return fn.valueInteger[third] === at
          ? { numbers: this.sample(second, depth), bits: bitsOf(second) }
          : this.element(first, at, depth);
      case Opcode.Freeze:
        return this.element(first, at, depth);
      case Opcode.ZExt:
      case Opcode.SExt:
      case Opcode.Trunc: {
        const element = this.element(first, at, depth);
        if (element === null) return null;
        const bits = (element.bits * bitsOf(v)) / bitsOf(first);
        return opcode === Opcode.Trunc && bits < LEAST_BITS ? null : { numbers: element.numbers, bits };
      }
      case Opcode.Load: {
        const hidden = hiddenArgument(fn, v, at);
        return hidden === null ? null : { numbers: this.passed(hidden), bits: hidden.bits };
      }
    }
    if (!isComputed(opcode)) return null;
    const a = this.element(first, at, depth);
    const b = this.element(second, at, depth);
    if (a === null || b === null) return null;
    const scale = Math.max(a.numbers.scale, b.numbers.scale);
    return { numbers: { scale, ...computed(this.memory, opcode, a.numbers, b.numbers) }, bits: a.bits };
  }
}

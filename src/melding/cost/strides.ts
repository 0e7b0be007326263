/** How far apart neighbouring threads access memory: those that are further apart than a line is long share none. */
import type { Analyses } from '../../analysis/analyses.js';
import type { ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { InstrFlag, Opcode, TypeKind, definingInstr, hasFlag, type FunctionSnapshot } from '../../ir/snapshot.js';
import type { LaneValues } from './lane-values.js';
import { Scale } from './sampled.js';

/** Longer computations of an address are not followed. */
const DEEPEST = 8;

export class Strides {
  readonly #known = new Map<ValueId, number>();

  constructor(
    private readonly fn: FunctionSnapshot,
    private readonly divergence: Analyses['divergence'],
    private readonly values: LaneValues,
  ) {}

  /**
   * In elements of the address computation; infinite where it depends on data without a range. In a loop it is what it is
   * at first.
   */
  of(pointer: ValueId): number {
    return this.#from(pointer, 0);
  }

  #from(v: ValueId, depth: number): number {
    if (this.divergence.valueDivergent[v] === 0) return 0;
    const known = this.#known.get(v);
    if (known !== undefined) return known;
    if (depth > DEEPEST) return Infinity;
    // What comes back to it in a loop adds nothing.
    this.#known.set(v, Infinity);
    const stride = this.#computed(v, depth);
    this.#known.set(v, stride);
    return stride;
  }

  #computed(v: ValueId, depth: number): number {
    const { fn } = this;
    const i = definingInstr(fn, v);
    if (i === NONE) return Infinity;
    const operands = [...fn.operand.subarray(fn.operandStart[i], fn.operandStart[i + 1])] as ValueId[];
    const strides = (of = operands): number[] => of.map((operand) => this.#from(operand, depth + 1));
    const sum = (): number => strides().reduce((all, stride) => all + stride, 0);
    /** Of the operands that may be the result, and that differ between threads. */
    const least = (): number =>
      strides(operands.filter((operand) => fn.valueType[operand] === fn.valueType[v])).reduce(
        (found, stride) => Math.min(found, stride || Infinity),
        Infinity,
      );
    const opcode = fn.instrOpcode[i]!;
    if (opcode === Opcode.GetElementPtr) return sum();
    if (fn.typeKind[fn.instrType[i]!] === TypeKind.Integer) {
      const { numbers, shift, scale } = this.values.numbersOf(v);
      if (scale === Scale.Known) return Math.abs(numbers[1 >> shift]! - numbers[0]!);
      // The threads share out the lines of a table.
      if (scale === Scale.Bounded) return numbers.reduce((most, x) => Math.max(most, x), 0) / fn.waveSize;
    }
    switch (opcode) {
      case Opcode.ZExt:
      case Opcode.SExt:
      case Opcode.Trunc:
      case Opcode.Freeze:
      case Opcode.AddrSpaceCast:
      case Opcode.Add:
      case Opcode.Sub:
      case Opcode.Or:
        return sum();
      case Opcode.Phi:
        return strides().reduce((found, stride) => Math.min(found, stride), Infinity);
      case Opcode.Select:
        return least();
      case Opcode.Call:
        // A number between bounds, for instance.
        return hasFlag(fn, i, InstrFlag.Intrinsic) ? least() : Infinity;
      default:
        return Infinity;
    }
  }
}

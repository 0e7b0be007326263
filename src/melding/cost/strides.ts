/** How far apart neighbouring threads access memory: those that are further apart than a line is long share none. */
import type { Analyses } from '../../analysis/analyses.js';
import { AddressSpace } from '../../ir/address-space.js';
import type { InstrId, ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import {
  InstrFlag,
  NO_INTEGER,
  Opcode,
  TypeKind,
  definingInstr,
  hasFlag,
  type FunctionSnapshot,
} from '../../ir/snapshot.js';
import type { LaneValues } from './lane-values.js';
import { WORDS_OF_LINE, pointerOf, wordsOf } from './memory-accesses.js';
import { Scale } from './sampled.js';

/** Longer computations of an address are not followed. */
const DEEPEST = 16;
/** Nor are longer vectors. */
const MOST_LANES = 16;

export class Strides {
  /** By value and lane. */
  readonly #known = new Map<number, number>();
  /** The same of threads that are above each other, in groups of several rows. */
  #betweenRows: Strides | null = null;

  /** @param other the thread of a wave that is compared with its first one */
  constructor(
    private readonly fn: FunctionSnapshot,
    private readonly divergence: Analyses['divergence'],
    private readonly values: LaneValues,
    private readonly other = 1,
  ) {}

  /**
   * How far apart neighbouring threads are in a load or store, in words. An address computation counts in elements;
   * those of an array of structures are taken for what is accessed of them.
   */
  ofAccess(i: InstrId): number {
    return this.of(pointerOf(this.fn, i)) * wordsOf(this.fn, i);
  }

  /**
   * Which part of what two accesses would spare as one they do not, because their threads share no lines: all of it
   * where each thread has a line of its own. Where threads that are above each other share one, and some of these go
   * each way, one access of all has fewer lines than two of some. Mean of the usual groups.
   */
  scattered(i: InstrId): number {
    if (this.ofAccess(i) < WORDS_OF_LINE) return 0;
    const { groups } = this.values;
    const { waveSize } = this.fn;
    const [width] = groups[0]!;
    if (width! >= waveSize) return 1;
    this.#betweenRows ??= new Strides(this.fn, this.divergence, this.values, width);
    if (this.#betweenRows.ofAccess(i) >= WORDS_OF_LINE) return 1;
    // The access of one side leaves a line out where all of its threads go the other way: in one of 2^threads cases.
    const unspared = ([row, height, depth]: readonly number[]): number =>
      1 / (2 ** Math.max(1, Math.min(waveSize / row!, height! * depth!)) - 1);
    return groups.reduce((sum, group) => sum + unspared(group), 0) / groups.length;
  }

  /**
   * In elements of the address computation; infinite where it depends on data without a range. In a loop it is what it
   * is at first.
   */
  of(pointer: ValueId): number {
    return this.#from(pointer, 0);
  }

  /** @param lane of a vector; 0 for what is none */
  #from(v: ValueId, depth: number, lane = 0): number {
    if (this.divergence.valueDivergent[v] === 0) return 0;
    const key = v * MOST_LANES + lane;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (depth > DEEPEST) return Infinity;
    // What comes back to it in a loop adds nothing.
    this.#known.set(key, Infinity);
    const stride = this.#computed(v, depth, lane);
    this.#known.set(key, stride);
    return stride;
  }

  #computed(v: ValueId, depth: number, lane: number): number {
    const { fn } = this;
    const i = definingInstr(fn, v);
    if (i === NONE) return Infinity;
    if (fn.instrOpcode[i] === Opcode.ExtractElement || fn.instrOpcode[i] === Opcode.InsertElement)
      return this.#ofElement(i, depth, lane);
    if (fn.typeKind[fn.instrType[i]!] !== TypeKind.Integer) return this.#followed(v, i, depth, lane);
    const { numbers, shift, scale } = this.values.numbersOf(v);
    if (scale === Scale.Known) return Math.abs(numbers[this.other >> shift]! - numbers[0]!);
    if (scale !== Scale.Bounded) return this.#followed(v, i, depth, lane);
    // The threads share out the lines of a table, unless their numbers are closer together anyway.
    const shared = numbers.reduce((most, x) => Math.max(most, x), 0) / fn.waveSize;
    return Math.min(shared, this.#followed(v, i, depth, lane));
  }

  /** Coordinates are often computed two at a time. */
  #ofElement(i: InstrId, depth: number, lane: number): number {
    const { fn } = this;
    const isInsertion = fn.instrOpcode[i] === Opcode.InsertElement;
    const [vector, ...others] = fn.operand.subarray(fn.operandStart[i], fn.operandStart[i + 1]) as Iterable<ValueId>;
    const at = fn.valueInteger[others.at(-1)!]!;
    if (!(at >= 0 && at < MOST_LANES)) return Infinity;
    if (!isInsertion) return this.#from(vector!, depth + 1, at);
    return at === lane ? this.#from(others[0]!, depth + 1) : this.#from(vector!, depth + 1, lane);
  }

  /** By what a value is made from. */
  #followed(v: ValueId, i: InstrId, depth: number, lane: number): number {
    const { fn } = this;
    const opcode = fn.instrOpcode[i]!;
    const operands = [...fn.operand.subarray(fn.operandStart[i], fn.operandStart[i + 1])] as ValueId[];
    const strides = (of = operands): number[] => of.map((operand) => this.#from(operand, depth + 1, lane));
    const sum = (): number => strides().reduce((all, stride) => all + stride, 0);
    /** Of the operands that may be the result, and that differ between threads: neighbours may still have the same. */
    const least = (): number =>
      strides(
        operands.filter(
          (operand) => fn.valueType[operand] === fn.valueType[v] && this.divergence.valueDivergent[operand] === 1,
        ),
      ).reduce((found, stride) => Math.min(found, stride), Infinity);
    /** Neighbours that have the same number have the same product, whatever the factor is. */
    const scaled = (): number => {
      const [number, by] = operands as [ValueId, ValueId];
      if (this.divergence.valueDivergent[by] === 1) return Infinity;
      const stride = this.#from(number, depth + 1, lane);
      const factor = factorOf(opcode, fn.valueInteger[by]!);
      return stride === 0 || factor === 0 ? 0 : stride * factor;
    };
    switch (opcode) {
      case Opcode.GetElementPtr:
      case Opcode.ZExt:
      case Opcode.SExt:
      case Opcode.Trunc:
      case Opcode.Freeze:
      case Opcode.AddrSpaceCast:
      case Opcode.Add:
      case Opcode.Sub:
      case Opcode.Or:
        return sum();
      case Opcode.Mul:
      case Opcode.Shl:
      case Opcode.UDiv:
      case Opcode.SDiv:
      case Opcode.LShr:
      case Opcode.AShr:
        return scaled();
      case Opcode.Xor:
        // By one number, mostly all bits: a maximum may be the complement of a minimum.
        return this.divergence.valueDivergent[operands[1]!] === 0 ? sum() : Infinity;
      case Opcode.Phi:
        return strides().reduce((found, stride) => Math.min(found, stride), Infinity);
      case Opcode.Select:
        return least();
      case Opcode.Load:
        // Neighbours that load from one place have the same number: those of a row, or of a block of a compressed
        // array. But one place of private memory is another for each.
        if (fn.instrAddressSpace[i] === AddressSpace.Private) return Infinity;
        return this.#from(pointerOf(fn, i), depth + 1) === 0 ? 0 : Infinity;
      case Opcode.Call:
        // A number between bounds, for instance.
        return hasFlag(fn, i, InstrFlag.Intrinsic) ? least() : Infinity;
      default:
        return Infinity;
    }
  }
}

/** What an operation by a constant makes of a difference; infinite where the other number is not known. */
function factorOf(opcode: number, constant: number): number {
  if (constant === NO_INTEGER || constant < 0) return Infinity;
  switch (opcode) {
    case Opcode.Mul:
      return constant;
    case Opcode.Shl:
      return 2 ** constant;
    case Opcode.UDiv:
    case Opcode.SDiv:
      return 1 / constant;
    default:
      return 2 ** -constant;
  }
}

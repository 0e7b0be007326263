/** In which lanes of sampled waves (wave-samples.ts) a compare holds: what is known decides, or what is drawn. */
import type { Analyses } from '../../analysis/analyses.js';
import type { InstrId, ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { Predicate, comparesIntegers, isFloatEquality, isIntegerEquality, isNumberTest } from '../../ir/predicates.js';
import { Opcode, TypeKind, ValueKind, definingInstr, type FunctionSnapshot } from '../../ir/snapshot.js';
import type { Draws } from './draws.js';
import { earlyExits } from './early-exits.js';
import { BORDER, CHOICE, EQUALITY, EXIT, RARE, type Rates } from './events.js';
import type { LaneMemory } from './lane-memory.js';
import { compared } from './lane-sets.js';
import { rareOutcome } from './magnitudes.js';
import { isOneOfSeveral } from './one-of-several.js';
import { Outcomes, Scale, type Sampled } from './sampled.js';
import { thresholds, type Threshold } from './thresholds.js';

/** A value is of a kind if it is compared with so many numbers. With fewer, equality is as rare as it usually is. */
const LEAST_KINDS = 2;

/** Compares of floats that do not hold where the rare thing happens. */
const NEGATED: readonly number[] = [Predicate.FCmpORD, Predicate.FCmpONE, Predicate.FCmpUNE];

export class Compares {
  /** By value that is compared with constants: what it is, or null if that is not known. */
  private readonly kinds = new Map<ValueId, Sampled | null>();
  private thresholds: ReadonlyMap<ValueId, Threshold> | null = null;
  private exits: ReadonlyMap<ValueId, boolean> | null = null;

  constructor(
    private readonly fn: FunctionSnapshot,
    private readonly analyses: Analyses,
    private readonly draws: Draws,
    private readonly memory: LaneMemory,
  ) {}

  /** To be called before the memory is given back. */
  forget(): void {
    this.kinds.clear();
  }

  /** Whether the compare `i`, whose value is `v`, holds. @param a @param b what it compares */
  outcome(v: ValueId, i: InstrId, a: Sampled, b: Sampled): Outcomes {
    const { fn, draws } = this;
    const predicate = fn.instrPredicate[i]!;
    const rare = rareOutcome(fn, i);
    if (rare !== null) return draws.rarely(v, rare, [a, b]);
    const isOfIntegers = comparesIntegers(predicate);
    const scale = Math.max(a.scale, b.scale);
    if (scale === Scale.Unknown || !isOfIntegers) {
      this.thresholds ??= thresholds(fn);
      const threshold = this.thresholds.get(v);
      if (threshold) return draws.placed(threshold, a, b);
    }
    if (!isOfIntegers) return this.ofFloats(v, i, a, b);
    return scale === Scale.Unknown ? this.ofData(v, i, a, b) : this.ofNumbers(i, a, b, scale);
  }

  private ofFloats(v: ValueId, i: InstrId, a: Sampled, b: Sampled): Outcomes {
    const predicate = this.fn.instrPredicate[i]!;
    const isTest = isNumberTest(predicate);
    if (!isTest && !isFloatEquality(predicate)) return this.ordered(v, this.draws.orderOf(v, a, b), [a, b]);
    const yes = this.draws.event(v, isTest ? RARE : this.equality(i), [a, b]);
    return NEGATED.includes(predicate) ? yes.negated() : yes;
  }

  /** Integers of an unknown range. */
  private ofData(v: ValueId, i: InstrId, a: Sampled, b: Sampled): Outcomes {
    const { fn, draws } = this;
    const predicate = fn.instrPredicate[i]!;
    if (!isIntegerEquality(predicate)) return this.ordered(v, draws.orderOf(v, a, b), [a, b]);
    const [number, other] = this.operands(i);
    const kind = this.kind(number, other, a);
    if (kind !== null) return this.ofNumbers(i, kind, b, Scale.Bounded);
    const isPointer = fn.typeKind[fn.valueType[other]!] === TypeKind.Pointer;
    if (fn.valueInteger[other] === 0 && !isPointer) return this.ordered(v, draws.order(v), [a, b]);
    const yes = draws.event(v, this.equality(i), [a, b]);
    return predicate === Predicate.ICmpEQ ? yes : yes.negated();
  }

  /** Integers that can be compared lane by lane. */
  private ofNumbers(i: InstrId, a: Sampled, b: Sampled, scale: number): Outcomes {
    const { fn } = this;
    const predicate = fn.instrPredicate[i]!;
    const [number, other] = this.operands(i);
    const bits = fn.typeBits[fn.valueType[number]!]!;
    // Who asks for equality asks for a number that may occur.
    const isEquality = isIntegerEquality(predicate) && this.isParameter(other);
    const range = isEquality ? a.numbers.reduce((most, x) => Math.max(most, x), 0) + 1 : Infinity;
    const set = compared(predicate, a, b, bits, range);
    return new Outcomes(set, Math.min(a.shift, b.shift), scale, this.memory);
  }

  /** Whether data are in an order, which is as likely as not, unless threads that are done early leave for it. */
  private ordered(v: ValueId, rates: Rates, sources: readonly Sampled[]): Outcomes {
    this.exits ??= earlyExits(this.fn, this.analyses);
    const leaves = rates === BORDER ? undefined : this.exits.get(v);
    if (leaves === undefined) return this.draws.event(v, rates, sources);
    const left = this.draws.event(v, EXIT, sources);
    return leaves ? left : left.negated();
  }

  private equality(i: InstrId): Rates {
    return isOneOfSeveral(this.fn, i) ? CHOICE : EQUALITY;
  }

  private operands(i: InstrId): readonly [ValueId, ValueId] {
    const { operand, operandStart } = this.fn;
    return [operand[operandStart[i]!] as ValueId, operand[operandStart[i]! + 1] as ValueId];
  }

  /**
   * What a value is, where the function asks for several numbers whether it is equal to them; otherwise null. Negative
   * numbers are left out: they stand for what is missing, or for a border, and are rare.
   */
  private kind(v: ValueId, asked: ValueId, sample: Sampled): Sampled | null {
    const { fn } = this;
    if (!this.isKind(asked) || fn.typeKind[fn.valueType[asked]!] === TypeKind.Pointer) return null;
    let found = this.kinds.get(v);
    if (found === undefined) {
      const constants = this.constantsAsked(v);
      found = constants.size >= LEAST_KINDS ? this.draws.kinds(v, [...constants], sample) : null;
      this.kinds.set(v, found);
    }
    return found;
  }

  private constantsAsked(v: ValueId): ReadonlySet<number> {
    const { fn, analyses } = this;
    const { uses } = analyses;
    const constants = new Set<number>();
    for (let u = uses.start[v]!; u < uses.start[v + 1]!; u++) {
      const user = uses.user[u] as InstrId;
      if (fn.instrOpcode[user] !== Opcode.ICmp || !isIntegerEquality(fn.instrPredicate[user]!)) continue;
      const [, other] = this.operands(user);
      if (this.isKind(other)) constants.add(fn.valueInteger[other]!);
    }
    return constants;
  }

  /** `NO_INTEGER` is negative, too. */
  private isKind(constant: ValueId): boolean {
    return this.fn.valueInteger[constant]! >= 0;
  }

  /** Whether a value is given to the launch: an argument, or loaded for all threads. */
  private isParameter(v: ValueId): boolean {
    const { fn, analyses } = this;
    const i = definingInstr(fn, v);
    const isLoad = i !== NONE && fn.instrOpcode[i] === Opcode.Load && analyses.divergence.valueDivergent[v] === 0;
    return fn.valueKind[v] === ValueKind.Argument || isLoad;
  }
}

/**
 * The numbers of values in every lane of the sampled waves (wave-samples.ts): what is known is computed lane by lane,
 * the rest is drawn.
 */
import type { Analyses } from '../../analysis/analyses.js';
import type { CaseRuns } from '../../analysis/case-runs.js';
import { sideOfFailure } from '../../analysis/dead-ends.js';
import type { BlockId, InstrId, ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import {
  LaneSource,
  NO_INTEGER,
  Opcode,
  TypeKind,
  ValueKind,
  definingInstr,
  isConditionalBranch,
  terminatorOf,
  type FunctionSnapshot,
} from '../../ir/snapshot.js';
import { withinBound } from './bounds.js';
import { Compares } from './compares.js';
import { Draws } from './draws.js';
import { edgeSide } from './edge-sides.js';
import { equalCompares } from './equal-compares.js';
import { COIN, EQUALITY, OTHER, UNPREDICTABLE } from './events.js';
import { hiddenArgument, type HiddenArgument } from './hidden-arguments.js';
import { LaneMemory } from './lane-memory.js';
import { bitCount, chooseLanes, combined, isCombined, lanesWhere } from './lane-sets.js';
import {
  LAUNCHES,
  WAVES,
  WAVES_PER_LAUNCH,
  choose,
  computed,
  drawn,
  isComputed,
  lowBits,
  uniform,
  type LaneSet,
  type Lanes,
} from './lanes.js';
import { sideOfLargeAngles } from './large-angles.js';
import { DEEPEST, Data, Outcomes, Scale, type Sampled } from './sampled.js';
import { areSmooth, keepsSmooth } from './smooth.js';
import { isTag } from './tags.js';
import { VectorElements } from './vector-elements.js';

/** Unknown integers that are the same for all threads: sizes and bounds, counters of loops, numbers of work groups. */
const SIZES = { least: 2 ** 6, most: 2 ** 20 };
const COUNTERS = { least: 1, most: 2 ** 7 };
const GROUPS = { least: 1, most: 2 ** 6 };
/** Operations with more operands, a callee aside, are not followed. */
const MOST_SOURCES = 3;
/**
 * A value may depend on the condition of a branch, whose value depends on the condition of another one. Longer chains
 * of such values are not followed: the stack has an end.
 */
const MOST_OPEN = 512;

/** With more values than this, what they are is forgotten and, where it is asked for again, computed again. */
const MOST_KEPT = 1024;

export class LaneValues {
  private readonly lanes: number;
  /** Log2 of the lanes of a wave, and of those of all waves of a launch. */
  private readonly waveShift: number;
  private readonly launchShift: number;
  private readonly sampled = new Map<ValueId, Sampled>();
  /** What stands for a value that is not followed: beyond the depth, or in a circle. */
  private readonly leaves = new Map<ValueId, Sampled>();
  private readonly conditions = new Map<BlockId, LaneSet>();
  private equals: ReadonlyMap<ValueId, ValueId> | null = null;
  private readonly memory = new LaneMemory();
  private readonly draws: Draws;
  private readonly compares: Compares;
  private readonly elements: VectorElements;
  /** Values that are being computed: in a loop a value may depend on itself. */
  private readonly open = new Set<ValueId>();
  /** How often something unknown has stood for one of those. */
  private circles = 0;

  /**
   * @param groups threads of a work group, in three dimensions: launches take these in turn
   * @param groupLanes lanes of the waves of a group
   * @param comers the lanes whose threads come to a block
   */
  constructor(
    private readonly fn: FunctionSnapshot,
    private readonly analyses: Analyses,
    readonly groups: readonly (readonly number[])[],
    private readonly groupLanes: number,
    private readonly comers: (b: BlockId) => LaneSet,
  ) {
    this.lanes = WAVES * fn.waveSize;
    this.waveShift = Math.log2(fn.waveSize);
    this.launchShift = Math.log2(WAVES_PER_LAUNCH * fn.waveSize);
    this.draws = new Draws(fn, analyses, this.launchShift, this.memory);
    this.compares = new Compares(fn, analyses, this.draws, this.memory);
    this.elements = new VectorElements(
      fn,
      this.memory,
      (v, depth) => this.sample(v, depth),
      (hidden) => this.passed(hidden),
    );
  }

  /** A value's numbers in every lane of every launch. They hold until the next question. */
  numbersOf(v: ValueId): Sampled {
    this.makeRoom();
    return this.sample(v, 0);
  }

  /** Gives the memory back: numbers that were asked for must not be used any more. */
  forget(): void {
    this.sampled.clear();
    this.elements.forget();
    this.leaves.clear();
    this.compares.forget();
    this.draws.forget();
    this.memory.release();
  }

  /** The lanes in which the condition of a branch holds, with what metadata says about it. */
  condition(branch: BlockId): LaneSet {
    const known = this.conditions.get(branch);
    if (known) return known;
    this.makeRoom();
    const { circles } = this;
    const found = lanesWhere(this.asked(branch, conditionOf(this.fn, branch)));
    // In a circle the condition is not known yet. What a long chain of conditions cut off counts as known: else each
    // question would follow it again.
    if (this.open.size === 0 || this.circles === circles) this.conditions.set(branch, found);
    return found;
  }

  /** Whether the condition of a branch depends on data, which are drawn. */
  isDrawn(branch: BlockId): boolean {
    return this.numbersOf(conditionOf(this.fn, branch)).scale !== Scale.Known;
  }

  /** The condition of a branch, or how likely it is by what metadata or its sides say. */
  private asked(branch: BlockId, condition: ValueId): Sampled {
    const { fn } = this;
    const failing = sideOfFailure(fn, this.analyses.liveFlow, branch);
    if (failing !== NONE) return this.constant(failing, condition);
    const sample = this.sample(condition, 0);
    if (sample.scale === Scale.Known) return sample;
    const taken = fn.instrTaken[terminatorOf(fn, branch)]!;
    if (taken !== NONE) return this.draws.event(condition, taken < 0 ? UNPREDICTABLE : () => [taken / 1024, 0]);
    const side = sideOfLargeAngles(fn, branch);
    if (side === NONE) return sample;
    return this.draws.rarely(condition, side === 0, null);
  }

  /** By lane, in which run of cases of a switch a value is; `OTHER` where it is in none. */
  way(v: ValueId, { runs, gaps, isUnsigned }: CaseRuns): Lanes {
    this.makeRoom();
    const sample = this.sample(v, 0);
    const hasRange = sample.scale === Scale.Bounded && !gaps.includes(true);
    if (sample.scale !== Scale.Known && !hasRange) return this.draws.kinds(v, [...runs.keys()], sample);
    const numbers = this.memory.take(sample.numbers.length);
    const lows = Float64Array.from(runs, ({ low }) => Number(low));
    // Runs of narrow numbers have no sign. What is wide is not known so exactly.
    const range = isUnsigned ? 2 ** this.fn.typeBits[this.fn.valueType[v]!]! : 0;
    for (const [k, x] of sample.numbers.entries()) {
      const number = Math.floor(range > 0 ? ((x % range) + range) % range : x);
      const run = lastAtMost(lows, number);
      numbers[k] = run >= 0 && number <= Number(runs[run]!.high) ? run : OTHER;
    }
    return { numbers, shift: sample.shift };
  }

  /** Nothing is forgotten while it is being computed with. */
  private makeRoom(): void {
    if (this.open.size === 0 && this.sampled.size + this.elements.size > MOST_KEPT) this.forget();
  }

  private sample(v: ValueId, depth: number): Sampled {
    const known = this.sampled.get(v);
    if (known) return known;
    if (this.open.has(v)) this.circles++;
    if (depth > DEEPEST || this.open.size + this.elements.open > MOST_OPEN || this.open.has(v)) return this.leaf(v);
    this.open.add(v);
    const found = this.compute(v, depth + 1);
    this.open.delete(v);
    this.sampled.set(v, found);
    return found;
  }

  private compute(v: ValueId, depth: number): Sampled {
    const { fn } = this;
    if (fn.valueInteger[v] !== NO_INTEGER) return this.constant(fn.valueInteger[v]!, v);
    const kind = fn.valueKind[v];
    if (kind === ValueKind.Undef || kind === ValueKind.Poison) return this.constant(0, v);
    const i = definingInstr(fn, v);
    if (i === NONE) return this.leaf(v);
    const operand = (k: number): Sampled => this.sample(fn.operand[fn.operandStart[i]! + k] as ValueId, depth);
    const source = this.source(i, operand);
    if (source) return source;
    switch (fn.instrOpcode[i]) {
      case Opcode.ZExt:
      case Opcode.Freeze:
      case Opcode.SExt:
        return operand(0);
      case Opcode.Trunc:
        return this.truncated(v, operand(0), fn.typeBits[fn.instrType[i]!]!);
      case Opcode.ICmp:
      case Opcode.FCmp: {
        this.equals ??= equalCompares(fn, this.analyses);
        const first = this.equals.get(v);
        return first === undefined ? this.compares.outcome(v, i, operand(0), operand(1)) : this.sample(first, depth);
      }
      case Opcode.Select: {
        const [c, a, b] = [operand(0), operand(1), operand(2)];
        return this.choose(v, lanesWhere(c), a, b, Math.max(c.scale, a.scale, b.scale));
      }
      case Opcode.Phi:
        return this.phi(v, i, depth);
      case Opcode.Load:
      case Opcode.GetElementPtr:
        return this.derived(v, i, operand);
      case Opcode.Call:
        return withinBound(fn, i, operand, this.waveShift) ?? this.derived(v, i, operand);
      case Opcode.ExtractElement:
        return this.elements.extracted(i, depth) ?? this.derived(v, i, operand);
      default:
        return this.arithmetic(v, i, operand);
    }
  }

  /** Thread numbers, lane numbers and ballots. */
  private source(i: InstrId, operand: (k: number) => Sampled): Sampled | null {
    const { fn } = this;
    const source = fn.instrSource[i];
    if (source === LaneSource.None) return null;
    if (source === LaneSource.Ballot) {
      // The number of lanes stands for their set: what it is compared with is nothing, or all lanes.
      const asked = lanesWhere(operand(0));
      const mask = this.comers(fn.instrBlock[i] as BlockId);
      const numbers = this.memory.take(WAVES).fill(0);
      for (let w = 0; w < asked.length; w++) numbers[(w * 32) >> this.waveShift]! += bitCount(mask[w]! & asked[w]!);
      return { numbers, shift: this.waveShift, scale: Scale.Known };
    }
    const first = fn.operand[fn.operandStart[i]!]!;
    if (
      source === LaneSource.Lane &&
      fn.operandStart[i + 1]! - fn.operandStart[i]! > 1 &&
      fn.valueInteger[first] !== -1
    )
      return null;
    const numbers = this.memory.take(this.lanes);
    for (let lane = 0; lane < this.lanes; lane++) {
      const inGroup = lane % this.groupLanes;
      const group = this.groupOf(lane >> this.launchShift);
      numbers[lane] =
        source === LaneSource.ThreadX
          ? inGroup % group[0]!
          : source === LaneSource.ThreadY
            ? Math.floor(inGroup / group[0]!) % group[1]!
            : source === LaneSource.ThreadZ
              ? Math.floor(inGroup / (group[0]! * group[1]!))
              : lane % fn.waveSize;
    }
    return { numbers, shift: 0, scale: Scale.Known };
  }

  /** One launch after the other gets to different waves of a large group, so two in a row have groups of one shape. */
  private groupOf(launch: number): readonly number[] {
    return this.groups[(launch >> 1) % this.groups.length]!;
  }

  private constant(value: number, v: ValueId): Sampled {
    const isBit = this.fn.typeBits[this.fn.valueType[v]!] === 1;
    return { numbers: Float64Array.of(isBit ? value & 1 : value), shift: Math.log2(this.lanes), scale: Scale.Known };
  }

  /** Groups are as large as is supposed, and a launch usually begins at its first thread. */
  private passed({ kind, dimension }: HiddenArgument): Sampled {
    const numbers = this.memory.take(LAUNCHES);
    for (let launch = 0; launch < LAUNCHES; launch++)
      numbers[launch] = kind === 'groupSize' ? this.groupOf(launch)[dimension]! : 0;
    return { numbers, shift: this.launchShift, scale: Scale.Known };
  }

  private truncated(v: ValueId, number: Sampled, bits: number): Sampled {
    if (bits >= 32) return number;
    const short = lowBits(this.memory, number, bits);
    return bits <= 8 && number.scale === Scale.Unknown
      ? this.draws.bounded(v, short)
      : { scale: number.scale, ...short };
  }

  /** Values of which nothing is known. */
  private leaf(v: ValueId): Sampled {
    let found = this.leaves.get(v);
    if (found === undefined) this.leaves.set(v, (found = this.unknown(v)));
    return found;
  }

  private unknown(v: ValueId): Sampled {
    const { fn, analyses } = this;
    const type = fn.valueType[v]!;
    const isDivergent = analyses.divergence.valueDivergent[v] === 1;
    if (fn.typeBits[type] === 1) return this.draws.event(v, isDivergent ? this.draws.order(v) : COIN);
    if (isDivergent) return { scale: Scale.Unknown, ...drawn(this.memory, v, this.lanes, this.rangeOf(v)) };
    const hidden = hiddenArgument(fn, v);
    if (hidden !== null) return this.passed(hidden);
    // Arguments differ by launch, work groups by their number, and what a loop counts by the wave.
    const i = definingInstr(fn, v);
    const opcode = i === NONE ? NONE : fn.instrOpcode[i];
    const perWave = opcode === Opcode.Phi || opcode === Opcode.Call;
    // The size of a work group comes as a short integer, wherever it lies.
    const isGroupSize = opcode === Opcode.Load && fn.typeBits[type] === 16;
    const { least, most } = opcode === Opcode.Phi ? COUNTERS : opcode === Opcode.Call ? GROUPS : SIZES;
    const shift = perWave ? this.waveShift : this.launchShift;
    const numbers = this.memory.take(this.lanes >> shift);
    for (let k = 0; k < numbers.length; k++) {
      const size = Math.floor(least * (most / least) ** uniform(v, k, 2));
      numbers[k] = isGroupSize ? this.groupOf(k)[0]! : opcode === Opcode.Call ? size - 1 : size;
    }
    return { numbers, shift, scale: fn.typeKind[type] === TypeKind.Integer ? Scale.Known : Scale.Unknown };
  }

  private phi(v: ValueId, i: InstrId, depth: number): Sampled {
    const { fn, analyses } = this;
    const [first, end] = [fn.operandStart[i]!, fn.operandStart[i + 1]!];
    const at = fn.instrBlock[i] as BlockId;
    const fork = analyses.dominators.idom[at] as BlockId | -1;
    if (end - first === 1) return this.sample(fn.operand[first] as ValueId, depth);
    // A phi behind two sides is a select.
    if (end - first === 2 && fork !== NONE && isConditionalBranch(fn, fork)) {
      const sides = [0, 1].map((k) => edgeSide(fn, analyses, fork, fn.operandBlock[first + k] as BlockId, at));
      if (sides[0] !== NONE && sides[1] !== NONE && sides[0] !== sides[1]) {
        const condition = this.condition(fork);
        const [a, b] = [0, 1].map((k) => this.sample(fn.operand[first + k] as ValueId, depth)) as [Sampled, Sampled];
        const [t, f] = sides[0] === 0 ? [a, b] : [b, a];
        return this.choose(v, condition, t, f, Math.max(a.scale, b.scale));
      }
    }
    return this.leaf(v);
  }

  /** The number of `a` in the lanes of a set, and that of `b` in all others. */
  private choose(v: ValueId, set: LaneSet, a: Sampled, b: Sampled, scale: number): Sampled {
    return this.isCondition(v)
      ? this.outcomes(chooseLanes(set, lanesWhere(a), lanesWhere(b)), 0, scale)
      : { scale, ...choose(this.memory, set, a, b) };
  }

  private isCondition(v: ValueId): boolean {
    return this.fn.typeBits[this.fn.valueType[v]!] === 1;
  }

  private outcomes(set: LaneSet, shift: number, scale: number): Outcomes {
    return new Outcomes(set, shift, scale, this.memory);
  }

  private arithmetic(v: ValueId, i: InstrId, operand: (k: number) => Sampled): Sampled {
    const { fn } = this;
    const opcode = fn.instrOpcode[i]!;
    if (fn.typeKind[fn.instrType[i]!] !== TypeKind.Integer || !isComputed(opcode)) return this.derived(v, i, operand);
    if (this.hasLargeConstant(i)) {
      // Most such masks take the low half, which is all there is of a thread number.
      const isMask = opcode === Opcode.And && operand(0).scale === Scale.Known;
      return isMask ? operand(0) : this.derived(v, i, operand);
    }
    const [a, b] = [operand(0), operand(1)];
    const scale = Math.max(a.scale, b.scale);
    if (this.isCondition(v) && isCombined(opcode))
      return this.outcomes(combined(opcode, lanesWhere(a), lanesWhere(b)), Math.min(a.shift, b.shift), scale);
    const bits = fn.typeBits[fn.instrType[i]!]!;
    // Nobody shifts by more bits than there are.
    const by = SHIFTS.includes(opcode) && (bits === 32 || bits === 64) ? lowBits(this.memory, b, Math.log2(bits)) : b;
    const found = computed(this.memory, opcode, a, by);
    const isConstant = fn.valueKind[fn.operand[fn.operandStart[i]! + 1]!] === ValueKind.Constant;
    const isBound = scale === Scale.Unknown && isConstant && BOUNDING.includes(opcode);
    if (isBound && isTag(fn, i)) return this.tag(v, found, [a]);
    return isBound ? this.draws.bounded(v, found) : { scale, ...found };
  }

  /** Most numbers have none: the tag is 0. */
  private tag(v: ValueId, bits: Lanes, sources: readonly Lanes[]): Sampled {
    const isThere = lanesWhere(this.draws.event(v, EQUALITY, sources));
    return { scale: Scale.Bounded, ...choose(this.memory, isThere, bits, this.constant(0, v)) };
  }

  /**
   * Constants that 32 bits do not hold are not known. Carries and borrows of words are tested as bit 32 of two words.
   */
  private hasLargeConstant(i: InstrId): boolean {
    const { fn } = this;
    if (fn.typeBits[fn.instrType[i]!]! <= 32) return false;
    const operands = fn.operand.subarray(fn.operandStart[i], fn.operandStart[i + 1]);
    return operands.some((v) => fn.valueKind[v] === ValueKind.Constant && fn.valueInteger[v] === NO_INTEGER);
  }

  /** What is loaded or computed in a way that is not followed. So threads that load from one address get one value. */
  private derived(v: ValueId, i: InstrId, operand: (k: number) => Sampled): Sampled {
    const { fn } = this;
    const count = fn.operandStart[i + 1]! - fn.operandStart[i]!;
    const isFollowed = count > 0 && count <= MOST_SOURCES + Number(fn.instrOpcode[i] === Opcode.Call);
    if (this.analyses.divergence.valueDivergent[v] === 0 || !isFollowed) return this.leaf(v);
    const sources = Array.from({ length: count }, (_, k) => operand(k));
    if (fn.typeBits[fn.valueType[v]!] === 1) return this.draws.event(v, this.draws.order(v), sources);
    const isSmooth = keepsSmooth(fn, i) && areSmooth(sources, fn.waveSize);
    return new Data(v, this.rangeOf(v), this.draws.roots(sources), this.memory, isSmooth);
  }

  /** Data are not negative; those of a short type are as short. */
  private rangeOf(v: ValueId): number {
    return 2 ** Math.min(31, this.fn.typeBits[this.fn.valueType[v]!]!);
  }
}

const conditionOf = (fn: FunctionSnapshot, branch: BlockId): ValueId =>
  fn.operand[fn.operandStart[terminatorOf(fn, branch)]!] as ValueId;

const SHIFTS: readonly number[] = [Opcode.Shl, Opcode.LShr, Opcode.AShr];
/** With a constant, these give data a range. */
const BOUNDING: readonly number[] = [Opcode.And, Opcode.URem, Opcode.SRem, Opcode.LShr];

/** The place of the last of sorted numbers that is at most `x`; -1 if none is. */
function lastAtMost(sorted: Float64Array, x: number): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (sorted[middle]! <= x) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}

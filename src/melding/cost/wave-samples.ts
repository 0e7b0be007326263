/**
 * Tries conditions on sampled waves: how often do the threads of a wave disagree about a condition? (A Monte Carlo
 * estimate. What is known about a value is computed exactly, the rest is drawn from what such values usually are.)
 *
 * - Thread and lane numbers are what they are in each lane, and arithmetic on them is carried out. So the low bit of a
 *   thread number parts every wave, and a border parts the wave that it falls into.
 * - What is the same for all threads is one number per launch, or per work group: integers are log-uniform, since sizes
 *   and bounds have no scale of their own.
 * - Loaded and computed data have an unknown scale. A compare of them is an event: how likely it is differs from launch
 *   to launch, and in some launches the threads of a wave agree because the data are sorted or alike (this makes the
 *   lanes of a wave an exchangeable sequence, as in the beta-binomial model of correlated trials: J. G. Skellam, J. R.
 *   Stat. Soc. B 10, 1948). Equality with a number is rarer than order, and a test for not-a-number rarer still.
 * - What is loaded from one address, or computed from equal numbers, is equal.
 * - A mask or a remainder gives data a scale again: `x & 7` is one of eight numbers.
 * - What a compiler or its user says about a branch (`!prof`, `__builtin_expect`, `!unpredictable`) replaces the
 *   events.
 *
 * Conditions of one function are tried on the same waves. So a nested branch is judged for those lanes that come to it.
 *
 * Every random number is a hash of what it is for, so the estimate is deterministic.
 */
import type { Analyses } from '../../analysis/analyses.js';
import type { BlockId, InstrId, ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import {
  InstrFlag,
  LaneSource,
  NO_INTEGER,
  Opcode,
  TypeKind,
  ValueKind,
  definingInstr,
  hasFlag,
  isConditionalBranch,
  terminatorOf,
  type FunctionSnapshot,
} from '../../ir/snapshot.js';
import {
  FIRST_INTEGER,
  LAUNCHES,
  WAVES,
  WAVES_PER_LAUNCH,
  bitCount,
  choose,
  compared,
  computed,
  isComputed,
  keysOf,
  lanesWhere,
  lowBits,
  negated,
  uniform,
  type LaneSet,
  type Lanes,
} from './lanes.js';
import { workGroupOf } from './work-group.js';

/** Unknown integers that are the same for all threads: sizes and bounds, counters of loops, numbers of work groups. */
const SIZES = { least: 2 ** 6, most: 2 ** 20 };
const COUNTERS = { least: 1, most: 2 ** 7 };
const GROUPS = { least: 1, most: 2 ** 6 };
/** Operations with more operands are not followed. */
const MOST_SOURCES = 3;
/** Longer computations in front of a condition are not followed. */
const DEEPEST = 32;

/** How many choices in a row are followed from the number that was chosen. */
const MOST_CHOICES = 4;

/** With more values than this, what they are is forgotten and, where it is asked for again, computed again. */
const MOST_KEPT = 1024;

/** How far the numbers of a value can be compared. */
export const Scale = {
  /** They are what they would be, for some launch. */
  Known: 0,
  /** Data of a known range. */
  Bounded: 1,
  /** Data of an unknown range: their bits are random, but their order with other numbers means nothing. */
  Unknown: 2,
} as const;

export interface Sampled extends Lanes {
  readonly scale: number;
}

/**
 * Data that are computed or loaded in a way that is not followed. Nothing is known about them but that they are alike
 * in lanes in which all numbers are alike that they come from. They get numbers only if these are asked for.
 */
class Data implements Sampled {
  readonly scale = Scale.Unknown;
  private lanes: Lanes | null = null;

  /** @param roots what the data come from in the end; none of it is `Data` */
  constructor(
    private readonly value: ValueId,
    readonly roots: readonly Lanes[],
    private readonly launchShift: number,
  ) {}

  get numbers(): Float64Array {
    return this.computed().numbers;
  }

  get shift(): number {
    return this.computed().shift;
  }

  private computed(): Lanes {
    if (this.lanes === null) {
      this.lanes = keysOf(this.value, this.roots, this.launchShift);
      const { numbers } = this.lanes;
      for (let k = 0; k < numbers.length; k++) numbers[k] = Math.floor(numbers[k]! * 2 ** 31);
    }
    return this.lanes;
  }
}

/** What values come from in the end, each once. */
const rootsOf = (sources: readonly Lanes[]): Lanes[] => [
  ...new Set(sources.flatMap((source) => (source instanceof Data ? source.roots : [source]))),
];

/** What the sampled waves do at a conditional branch. By launch, a bit for each of its waves that come to the branch. */
export interface SampledWaves {
  /** Some threads take each side. */
  readonly parted: Uint8Array;
  /** All threads take T. */
  readonly all: Uint8Array;
  /** All threads take F. */
  readonly none: Uint8Array;
}

export class WaveSamples {
  private readonly lanes: number;
  /** Log2 of the lanes of a wave, and of those of all waves of a launch. */
  private readonly waveShift: number;
  private readonly launchShift: number;
  private readonly sampled = new Map<ValueId, Sampled>();
  /** What stands for a value that is not followed: beyond the depth, or in a circle. */
  private readonly leaves = new Map<ValueId, Sampled>();
  private readonly conditions = new Map<BlockId, LaneSet>();
  private readonly masks = new Map<BlockId, LaneSet>();
  private readonly waves = new Map<BlockId, SampledWaves>();
  private readonly arrivals = new Map<BlockId, Uint8Array>();
  private readonly group: readonly number[];
  /** Lanes of the waves of a group. Those behind its last thread are never active. */
  private readonly groupLanes: number;
  /** The lanes that have a thread. */
  private readonly threads: LaneSet;
  /** Values that are being computed: in a loop a value may depend on itself. */
  private readonly open = new Set<ValueId>();

  constructor(
    private readonly fn: FunctionSnapshot,
    private readonly analyses: Analyses,
  ) {
    this.lanes = WAVES * fn.waveSize;
    this.waveShift = Math.log2(fn.waveSize);
    this.launchShift = Math.log2(WAVES_PER_LAUNCH * fn.waveSize);
    this.group = workGroupOf(fn);
    const threads = this.group[0]! * this.group[1]! * this.group[2]!;
    this.groupLanes = Math.ceil(threads / fn.waveSize) * fn.waveSize;
    this.threads = new Int32Array(this.lanes / 32);
    if (threads === this.groupLanes) this.threads.fill(-1);
    else
      for (let lane = 0; lane < this.lanes; lane++)
        if (lane % this.groupLanes < threads) this.threads[lane >> 5]! |= 1 << (lane & 31);
  }

  /** What the waves do that come to a conditional branch. */
  wavesAt(branch: BlockId): SampledWaves {
    const known = this.waves.get(branch);
    if (known) return known;
    const condition = this.condition(branch);
    let found = this.partition(condition, this.mask(branch));
    // No sampled wave comes here: then all count.
    if (!this.comesTo(branch).some((waves) => waves !== 0)) found = this.partition(condition, this.threads);
    this.waves.set(branch, found);
    return found;
  }

  /**
   * The same for sides with several entry edges: a thread takes T if it comes to block `t`.
   *
   * @param front the blocks between the branch and both sides, in reverse post-order
   */
  wavesBehind(branch: BlockId, front: readonly BlockId[], t: BlockId): SampledWaves {
    const { succStart, succ } = this.analyses.graph;
    const isSampled = this.comesTo(branch).some((waves) => waves !== 0);
    const mask = isSampled ? this.mask(branch) : this.threads;
    const arriving = new Map<number, LaneSet>([[branch, mask]]);
    for (const b of [branch, ...front]) {
      const here = arriving.get(b);
      if (here === undefined) continue;
      const condition = isConditionalBranch(this.fn, b) ? this.condition(b) : null;
      for (let e = succStart[b]!; e < succStart[b + 1]!; e++) {
        const before = arriving.get(succ[e]!);
        const taken = here.map((lanes, w) => {
          const own = condition === null ? lanes : e === succStart[b] ? lanes & condition[w]! : lanes & ~condition[w]!;
          return own | (before?.[w] ?? 0);
        });
        arriving.set(succ[e]!, taken);
      }
    }
    return this.partition(arriving.get(t) ?? mask.map(() => 0), mask);
  }

  /** By launch, a bit for each wave of which any thread comes to block `b`. */
  comesTo(b: BlockId): Uint8Array {
    let found = this.arrivals.get(b);
    if (found === undefined) {
      const { parted, all, none } = this.partition(this.threads, this.mask(b));
      found = parted.map((waves, launch) => waves | all[launch]! | none[launch]!);
      this.arrivals.set(b, found);
    }
    return found;
  }

  /** A value's numbers in every lane of every launch. */
  numbersOf(v: ValueId): Sampled {
    return this.sample(v, 0);
  }

  private partition(condition: LaneSet, mask: LaneSet): SampledWaves {
    const perWave = this.fn.waveSize / 32;
    const [parted, all, none] = [0, 1, 2].map(() => new Uint8Array(LAUNCHES)) as [Uint8Array, Uint8Array, Uint8Array];
    for (let wave = 0; wave < WAVES; wave++) {
      let [taken, left] = [0, 0];
      for (let w = wave * perWave; w < (wave + 1) * perWave; w++) {
        taken |= mask[w]! & condition[w]!;
        left |= mask[w]! & ~condition[w]!;
      }
      if (taken === 0 && left === 0) continue;
      const does = left === 0 ? all : taken === 0 ? none : parted;
      does[Math.floor(wave / WAVES_PER_LAUNCH)]! |= 1 << (wave % WAVES_PER_LAUNCH);
    }
    return { parted, all, none };
  }

  /** The lanes whose threads come to block `b`. */
  private mask(b: BlockId): LaneSet {
    const known = this.masks.get(b);
    if (known) return known;
    const chain: BlockId[] = [];
    for (let d = b as number; d !== NONE && !this.masks.has(d as BlockId); d = this.analyses.dominators.idom[d]!)
      chain.push(d as BlockId);
    let mask = this.threads;
    for (const block of chain.reverse()) {
      const dominator = this.analyses.dominators.idom[block] as BlockId | -1;
      mask = dominator === NONE ? mask : (this.masks.get(dominator) ?? mask);
      const side = dominator === NONE ? NONE : this.sideOf(dominator, block);
      // Until it is known, a ballot in front of the branch counts for the lanes that come to its dominator.
      this.masks.set(block, mask);
      if (side === NONE) continue;
      const condition = this.condition(dominator as BlockId);
      mask = mask.map((lanes, w) => lanes & (side === 0 ? condition[w]! : ~condition[w]!));
      this.masks.set(block, mask);
    }
    return mask;
  }

  /** The successor of `from` by whose edge alone control comes to `to`, which it dominates; `NONE` if there is none. */
  private sideOf(from: BlockId, to: BlockId): 0 | 1 | -1 {
    const { fn, analyses } = this;
    if (!isConditionalBranch(fn, from)) return NONE;
    const { succ, succStart, pred, predStart } = analyses.graph;
    const [t, f] = [succ[succStart[from]!]!, succ[succStart[from]! + 1]!];
    if (t === f) return NONE;
    // Where a loop ends says nothing about what runs in it.
    if (analyses.cycles.depthOf(t as BlockId) !== analyses.cycles.depthOf(f as BlockId)) return NONE;
    for (const side of [0, 1] as const) {
      const s = (side === 0 ? t : f) as BlockId;
      if (!analyses.dominators.dominates(s, to)) continue;
      const entries = pred.subarray(predStart[s], predStart[s + 1]);
      if (entries.every((p) => p === from || analyses.dominators.dominates(s, p as BlockId))) return side;
    }
    return NONE;
  }

  /** The lanes in which the condition of a branch holds, with what metadata says about it. */
  private condition(branch: BlockId): LaneSet {
    const known = this.conditions.get(branch);
    if (known) return known;
    if (this.open.size === 0 && this.sampled.size > MOST_KEPT) {
      this.sampled.clear();
      this.leaves.clear();
    }
    const terminator = terminatorOf(this.fn, branch);
    const value = this.fn.operand[this.fn.operandStart[terminator]!] as ValueId;
    const sample = this.sample(value, 0);
    const taken = this.fn.instrTaken[terminator]!;
    const isKnown = taken === NONE || sample.scale === Scale.Known;
    const found = lanesWhere(isKnown ? sample : this.event(value, taken < 0 ? UNPREDICTABLE : () => [taken / 1024, 0]));
    // In a circle the condition is not known yet.
    if (this.open.size === 0) this.conditions.set(branch, found);
    return found;
  }

  private sample(v: ValueId, depth: number): Sampled {
    const known = this.sampled.get(v);
    if (known) return known;
    if (depth > DEEPEST || this.open.has(v)) return this.leaf(v);
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
      case Opcode.FCmp:
        return this.compared(v, i, operand(0), operand(1));
      case Opcode.Select: {
        const [c, a, b] = [operand(0), operand(1), operand(2)];
        return { ...choose(lanesWhere(c), a, b), scale: Math.max(c.scale, a.scale, b.scale) };
      }
      case Opcode.Phi:
        return this.phi(v, i, depth);
      case Opcode.Load:
      case Opcode.GetElementPtr:
        return this.derived(v, i, operand);
      default:
        return this.arithmetic(v, i, operand);
    }
  }

  /** Thread numbers, lane numbers and ballots. */
  private source(i: InstrId, operand: (k: number) => Sampled): Sampled | null {
    const { fn, group } = this;
    const source = fn.instrSource[i];
    if (source === LaneSource.None) return null;
    if (source === LaneSource.Ballot) {
      // The number of lanes stands for their set: what it is compared with is nothing, or all lanes.
      const asked = lanesWhere(operand(0));
      const mask = this.masks.get(fn.instrBlock[i] as BlockId) ?? this.mask(fn.instrBlock[i] as BlockId);
      const numbers = new Float64Array(WAVES);
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
    const numbers = new Float64Array(this.lanes);
    for (let lane = 0; lane < this.lanes; lane++) {
      const inGroup = lane % this.groupLanes;
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

  private constant(value: number, v: ValueId): Sampled {
    const isBit = this.fn.typeBits[this.fn.valueType[v]!] === 1;
    return { numbers: Float64Array.of(isBit ? value & 1 : value), shift: Math.log2(this.lanes), scale: Scale.Known };
  }

  private truncated(v: ValueId, number: Sampled, bits: number): Sampled {
    if (bits >= 32) return number;
    const short = lowBits(number, bits);
    return bits <= 8 && number.scale === Scale.Unknown ? this.bounded(v, short) : { ...short, scale: number.scale };
  }

  /** Data that have got a range. Kinds and classes are often the same for all threads of a wave. */
  private bounded(v: ValueId, { numbers, shift }: Lanes): Sampled {
    const perWave = this.fn.waveSize >> shift;
    for (let wave = 0; perWave > 1 && wave < WAVES; wave++) {
      const [, alike] = ORDER(stratum(v, Math.floor(wave / WAVES_PER_LAUNCH), 3), 0);
      if (uniform(v, wave, 5) < alike) numbers.fill(numbers[wave * perWave]!, wave * perWave, (wave + 1) * perWave);
    }
    return { numbers, shift, scale: Scale.Bounded };
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
    if (fn.typeBits[type] === 1) return this.event(v, isDivergent ? ORDER : COIN);
    if (isDivergent) {
      const numbers = new Float64Array(this.lanes);
      for (let lane = 0; lane < this.lanes; lane++) numbers[lane] = Math.floor(uniform(v, lane, 1) * 2 ** 31);
      return { numbers, shift: 0, scale: Scale.Unknown };
    }
    // Arguments differ by launch, work groups by their number, and what a loop counts by the wave.
    const i = definingInstr(fn, v);
    const opcode = i === NONE ? NONE : fn.instrOpcode[i];
    const perWave = opcode === Opcode.Phi || opcode === Opcode.Call;
    // The size of a work group comes as a short integer (the hidden arguments of AMD's kernels).
    const isGroupSize = opcode === Opcode.Load && fn.typeBits[type] === 16;
    const { least, most } = opcode === Opcode.Phi ? COUNTERS : opcode === Opcode.Call ? GROUPS : SIZES;
    const shift = perWave ? this.waveShift : this.launchShift;
    const numbers = new Float64Array(this.lanes >> shift);
    for (let k = 0; k < numbers.length; k++) {
      const size = Math.floor(least * (most / least) ** uniform(v, k, 2));
      numbers[k] = isGroupSize ? this.group[0]! : opcode === Opcode.Call ? size - 1 : size;
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
      const sides = [0, 1].map((k) => this.edgeSide(fork, fn.operandBlock[first + k] as BlockId, at));
      if (sides[0] !== NONE && sides[1] !== NONE && sides[0] !== sides[1]) {
        const condition = this.condition(fork);
        const [a, b] = [0, 1].map((k) => this.sample(fn.operand[first + k] as ValueId, depth)) as [Sampled, Sampled];
        const chosen = sides[0] === 0 ? choose(condition, a, b) : choose(condition, b, a);
        return { ...chosen, scale: Math.max(a.scale, b.scale) };
      }
    }
    return this.leaf(v);
  }

  /** By which successor of `fork` control comes along the edge `from → to`. */
  private edgeSide(fork: BlockId, from: BlockId, to: BlockId): 0 | 1 | -1 {
    if (from !== fork) return this.sideOf(fork, from);
    const { succ, succStart } = this.analyses.graph;
    return succ[succStart[fork]!] === to ? 0 : 1;
  }

  private compared(v: ValueId, i: InstrId, a: Sampled, b: Sampled): Sampled {
    const { fn } = this;
    const predicate = fn.instrPredicate[i]!;
    const scale = Math.max(a.scale, b.scale);
    if (predicate < FIRST_INTEGER) {
      // 7: ordered, 8: unordered; 1, 9: equal, 6, 14: not equal.
      const isTest = predicate === 7 || predicate === 8;
      const isEquality = predicate === 1 || predicate === 9 || predicate === 6 || predicate === 14;
      const rates = isTest ? NOT_A_NUMBER : !isEquality ? ORDER : this.isOneOfSeveral(i) ? CHOICE : EQUALITY;
      const yes = this.event(v, rates, [a, b]);
      return predicate === 7 || predicate === 6 || predicate === 14 ? notSo(yes) : yes;
    }
    const other = fn.operand[fn.operandStart[i]! + 1] as ValueId;
    if (scale === Scale.Unknown) {
      if (predicate > FIRST_INTEGER + 1) return this.event(v, ORDER, [a, b]);
      const isPointer = fn.typeKind[fn.valueType[other]!] === TypeKind.Pointer;
      const rates = fn.valueInteger[other] === 0 && !isPointer ? ORDER : this.isOneOfSeveral(i) ? CHOICE : EQUALITY;
      const yes = this.event(v, rates, [a, b]);
      return predicate === FIRST_INTEGER ? yes : notSo(yes);
    }
    const bits = fn.typeBits[fn.valueType[fn.operand[fn.operandStart[i]!]!]!]!;
    // Who asks for equality asks for a number that may occur.
    const isEquality = predicate <= FIRST_INTEGER + 1 && this.isParameter(other);
    const range = isEquality ? a.numbers.reduce((most, x) => Math.max(most, x), 0) + 1 : Infinity;
    return { ...compared(predicate, a, b, bits, range), scale };
  }

  /**
   * Whether a compare asks which of several numbers was chosen: one operand is a minimum, a maximum, a select or a phi,
   * and the other is among what it is made from. What an intrinsic makes of numbers of its own type may be one of them.
   */
  private isOneOfSeveral(compare: InstrId): boolean {
    const first = this.fn.operandStart[compare]!;
    const [a, b] = [this.fn.operand[first] as ValueId, this.fn.operand[first + 1] as ValueId];
    return this.isChosenFrom(a, b, MOST_CHOICES, new Set()) || this.isChosenFrom(b, a, MOST_CHOICES, new Set());
  }

  /** @param seen what was looked at on the way: choices from a `switch` share theirs */
  private isChosenFrom(v: ValueId, from: ValueId, steps: number, seen: Set<ValueId>): boolean {
    const { fn } = this;
    const i = definingInstr(fn, v);
    if (i === NONE || steps === 0 || seen.has(v) || fn.valueKind[from] === ValueKind.Constant) return false;
    seen.add(v);
    const opcode = fn.instrOpcode[i];
    const isIntrinsic = opcode === Opcode.Call && hasFlag(fn, i, InstrFlag.Intrinsic);
    if (opcode !== Opcode.Select && opcode !== Opcode.Phi && !isIntrinsic) return false;
    for (let o = fn.operandStart[i]!; o < fn.operandStart[i + 1]!; o++) {
      const each = fn.operand[o] as ValueId;
      if (fn.valueType[each] !== fn.valueType[v]) continue;
      if (each === from || this.isChosenFrom(each, from, steps - 1, seen)) return true;
    }
    return false;
  }

  /** Whether a value is given to the launch: an argument, or loaded for all threads. */
  private isParameter(v: ValueId): boolean {
    const { fn, analyses } = this;
    const i = definingInstr(fn, v);
    const isLoad = i !== NONE && fn.instrOpcode[i] === Opcode.Load && analyses.divergence.valueDivergent[v] === 0;
    return fn.valueKind[v] === ValueKind.Argument || isLoad;
  }

  private arithmetic(v: ValueId, i: InstrId, operand: (k: number) => Sampled): Sampled {
    const { fn } = this;
    const opcode = fn.instrOpcode[i]!;
    if (fn.typeKind[fn.instrType[i]!] !== TypeKind.Integer || !isComputed(opcode)) return this.derived(v, i, operand);
    const [a, b] = [operand(0), operand(1)];
    const scale = Math.max(a.scale, b.scale);
    const found = computed(opcode, a, b);
    const isConstant = fn.valueKind[fn.operand[fn.operandStart[i]! + 1]!] === ValueKind.Constant;
    const isBound = scale === Scale.Unknown && isConstant && BOUNDING.includes(opcode);
    return isBound ? this.bounded(v, found) : { ...found, scale };
  }

  /** What is loaded or computed in a way that is not followed. So threads that load from one address get one value. */
  private derived(v: ValueId, i: InstrId, operand: (k: number) => Sampled): Sampled {
    const { fn } = this;
    const count = fn.operandStart[i + 1]! - fn.operandStart[i]!;
    if (this.analyses.divergence.valueDivergent[v] === 0 || count === 0 || count > MOST_SOURCES) return this.leaf(v);
    const sources = Array.from({ length: count }, (_, k) => operand(k));
    if (fn.typeBits[fn.valueType[v]!] === 1) return this.event(v, ORDER, sources);
    return new Data(v, rootsOf(sources), this.launchShift);
  }

  /**
   * An event per lane. `rates` says how likely it is in a launch, and how alike the lanes of a wave are. Lanes with the
   * same numbers in all of `sources` have the same luck.
   */
  private event(v: ValueId, rates: Rates, sources: readonly Lanes[] | null = null): Sampled {
    const keys = sources && keysOf(v, rootsOf(sources), this.launchShift);
    const shift = Math.min(keys?.shift ?? 0, this.waveShift);
    const numbers = new Float64Array(this.lanes >> shift);
    const perWave = this.fn.waveSize >> shift;
    for (let wave = 0; wave < WAVES; wave++) {
      const launch = Math.floor(wave / WAVES_PER_LAUNCH);
      const [rate, alike] = rates(stratum(v, launch, 3), stratum(v, launch, 4));
      const [start, end] = [wave * perWave, (wave + 1) * perWave];
      if (uniform(v, wave, 5) < alike) numbers.fill(uniform(v, wave, 6) < rate ? 1 : 0, start, end);
      else if (keys)
        for (let k = start; k < end; k++) numbers[k] = keys.numbers[k >> (keys.shift - shift)]! < rate ? 1 : 0;
      else for (let k = start; k < end; k++) numbers[k] = uniform(v, k, 7) < rate ? 1 : 0;
    }
    return { numbers, shift, scale: Scale.Bounded };
  }
}

/** From two uniform numbers of a launch: the rate of an event, and the share of waves whose lanes are all alike. */
type Rates = (x: number, y: number) => readonly [rate: number, alike: number];

const COIN: Rates = (x) => [x < 0.5 ? 0 : 1, 1];
/** In a quarter of the launches data are sorted or coherent. */
const ORDER: Rates = (x, y) => [0.1 + 0.8 * y, x < 0.25 ? 0.95 : 0];
/** Neighbours often choose alike: the largest of three colours, the cheapest of three ways. */
const CHOICE: Rates = (x, y) => [0.1 + 0.8 * y, x < 0.5 ? 0.95 : 0];
const EQUALITY: Rates = (x, y) => [x < 0.5 ? 0 : x < 0.75 ? 1 / 64 : 0.05 + 0.3 * y, 0];
const NOT_A_NUMBER: Rates = (x) => [x < 0.9 ? 0 : 1 / 256, 0];
const UNPREDICTABLE: Rates = () => [0.5, 0];

const notSo = (event: Sampled): Sampled => ({ ...negated(event), scale: event.scale });

/** With a constant, these give data a range. */
const BOUNDING: readonly number[] = [Opcode.And, Opcode.URem, Opcode.SRem, Opcode.LShr];

/** A number from 0 up to 1 for each launch. The launches of one value share out the range evenly. */
const stratum = (v: ValueId, launch: number, c: number): number =>
  (((launch * (2 * c - 1) + Math.floor(uniform(v, 0, c) * LAUNCHES)) % LAUNCHES) + 0.5) / LAUNCHES;

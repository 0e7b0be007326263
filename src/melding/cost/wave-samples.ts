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

const LAUNCHES = 16;
const WAVES_PER_LAUNCH = 4;
/** Threads of a work group where the function does not require a size. */
const USUAL_THREADS = 256;
const MOST_THREADS = 1024;
/** Unknown integers that are the same for all threads: sizes and bounds, counters of loops, numbers of work groups. */
const SIZES = { least: 2 ** 6, most: 2 ** 20 };
const COUNTERS = { least: 1, most: 2 ** 7 };
const GROUPS = { least: 1, most: 2 ** 6 };
/** Operations with more operands are not followed. */
const MOST_SOURCES = 3;
/** Longer computations in front of a condition are not followed. */
const DEEPEST = 32;

/** How far the numbers of a value can be compared. */
const Scale = {
  /** They are what they would be, for some launch. */
  Known: 0,
  /** Data of a known range. */
  Bounded: 1,
  /** Data of an unknown range: their bits are random, but their order with other numbers means nothing. */
  Unknown: 2,
} as const;

interface Sampled {
  /** Per lane. */
  readonly numbers: Float64Array;
  readonly scale: number;
}

/** What the waves of one launch do at a branch, as shares of the waves that come to it. */
export interface WaveShares {
  /** Some threads take each side. */
  readonly parted: number;
  /** All threads take T. */
  readonly all: number;
  /** All threads take F. */
  readonly none: number;
}

/** One sampled wave at a branch. */
export interface SampledWave {
  /** Its number among all sampled waves. */
  readonly wave: number;
  /** What its threads do: some take each side, or all T, or all F. */
  readonly takes: keyof WaveShares;
}

export class WaveSamples {
  private readonly lanes: number;
  private readonly sampled = new Map<ValueId, Sampled>();
  /** What stands for a value that is not followed: beyond the depth, or in a circle. */
  private readonly leaves = new Map<ValueId, Sampled>();
  private readonly masks = new Map<BlockId, Uint8Array>();
  private readonly waves = new Map<BlockId, readonly (readonly SampledWave[])[]>();
  private readonly arrivals = new Map<BlockId, Uint8Array>();
  private readonly group: readonly number[];
  /** Lanes of the waves of a group. Those behind its last thread are never active. */
  private readonly groupLanes: number;
  /** Per lane: 1 if it has a thread. */
  private readonly threads: Uint8Array;
  /** Values that are being computed: in a loop a value may depend on itself. */
  private readonly open = new Set<ValueId>();

  constructor(
    private readonly fn: FunctionSnapshot,
    private readonly analyses: Analyses,
  ) {
    this.lanes = LAUNCHES * WAVES_PER_LAUNCH * fn.waveSize;
    this.group = fn.groupSize[0]! > 0 ? fn.groupSize : usualGroup(fn);
    this.groupLanes = Math.ceil((this.group[0]! * this.group[1]! * this.group[2]!) / fn.waveSize) * fn.waveSize;
    const threads = this.group[0]! * this.group[1]! * this.group[2]!;
    this.threads = new Uint8Array(this.lanes);
    for (let lane = 0; lane < this.lanes; lane++) if (lane % this.groupLanes < threads) this.threads[lane] = 1;
  }

  /** What waves do at a conditional branch, per launch. Launches of which no wave comes to the branch are left out. */
  at(branch: BlockId, launches = this.wavesAt(branch)): readonly WaveShares[] {
    return launches.map((launch) => {
      const share = (takes: keyof WaveShares): number =>
        launch.filter((each) => each.takes === takes).length / launch.length;
      return { parted: share('parted'), all: share('all'), none: share('none') };
    });
  }

  /** The waves that come to a conditional branch, per launch. Launches without any are left out. */
  wavesAt(branch: BlockId): readonly (readonly SampledWave[])[] {
    const known = this.waves.get(branch);
    if (known) return known;
    const condition = this.condition(branch);
    let found = this.partition(condition, this.mask(branch));
    // No sampled wave comes here: then all count.
    if (found.length === 0) found = this.partition(condition, this.mask(0 as BlockId));
    this.waves.set(branch, found);
    return found;
  }

  /**
   * The same for sides with several entry edges: a thread takes T if it comes to block `t`.
   *
   * @param front the blocks between the branch and both sides, in reverse post-order
   */
  wavesBehind(branch: BlockId, front: readonly BlockId[], t: BlockId): readonly (readonly SampledWave[])[] {
    const { succStart, succ } = this.analyses.graph;
    const mask = this.mask(branch);
    const arriving = new Map<number, Uint8Array>([[branch, mask]]);
    for (const b of [branch, ...front]) {
      const here = arriving.get(b);
      if (here === undefined) continue;
      const condition = isConditionalBranch(this.fn, b) ? this.condition(b) : null;
      for (let e = succStart[b]!; e < succStart[b + 1]!; e++) {
        const there = arriving.get(succ[e]!) ?? new Uint8Array(this.lanes);
        arriving.set(succ[e]!, there);
        for (let lane = 0; lane < this.lanes; lane++)
          if (here[lane] === 1 && (condition === null || (condition[lane] !== 0) === (e === succStart[b])))
            there[lane] = 1;
      }
    }
    const taken = Float64Array.from(arriving.get(t) ?? []);
    const found = this.partition(taken, mask);
    return found.length > 0 ? found : this.partition(taken, this.mask(0 as BlockId));
  }

  /** Per sampled wave: 1 if any of its threads comes to block `b`. */
  comesTo(b: BlockId): Uint8Array {
    let found = this.arrivals.get(b);
    if (found !== undefined) return found;
    const mask = this.mask(b);
    const { waveSize } = this.fn;
    found = new Uint8Array(LAUNCHES * WAVES_PER_LAUNCH);
    for (let lane = 0; lane < this.lanes; lane++) if (mask[lane] === 1) found[Math.floor(lane / waveSize)] = 1;
    this.arrivals.set(b, found);
    return found;
  }

  /**
   * How far apart neighbouring threads access memory, in elements of the address computation; infinite where that is up
   * to data.
   */
  strideOf(pointer: ValueId): number {
    const { fn } = this;
    for (let v = pointer, steps = 0; steps < DEEPEST; steps++) {
      const i = definingInstr(fn, v);
      if (i === NONE || fn.instrOpcode[i] !== Opcode.GetElementPtr) return 0;
      const index = fn.operand[fn.operandStart[i + 1]! - 1] as ValueId;
      if (this.analyses.divergence.valueDivergent[index] === 1) {
        const { numbers, scale } = this.sample(index, 0);
        return scale === Scale.Known ? Math.abs(numbers[1]! - numbers[0]!) : Infinity;
      }
      v = fn.operand[fn.operandStart[i]!] as ValueId;
    }
    return 0;
  }

  private partition(condition: Float64Array, mask: Uint8Array): readonly (readonly SampledWave[])[] {
    const { waveSize } = this.fn;
    const found: SampledWave[][] = [];
    for (let launch = 0, wave = 0; launch < LAUNCHES; launch++) {
      const waves: SampledWave[] = [];
      for (const end = wave + WAVES_PER_LAUNCH; wave < end; wave++) {
        let [active, taken] = [0, 0];
        for (let lane = wave * waveSize; lane < (wave + 1) * waveSize; lane++) {
          if (mask[lane] === 0) continue;
          active++;
          if (condition[lane] !== 0) taken++;
        }
        if (active > 0) waves.push({ wave, takes: taken === 0 ? 'none' : taken === active ? 'all' : 'parted' });
      }
      if (waves.length > 0) found.push(waves);
    }
    return found;
  }

  /** Per lane: 1 if the thread comes to block `b`. */
  private mask(b: BlockId): Uint8Array {
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
      const inside = new Uint8Array(this.lanes);
      for (let lane = 0; lane < this.lanes; lane++)
        if (mask[lane] === 1 && (condition[lane] !== 0) === (side === 0)) inside[lane] = 1;
      mask = inside;
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

  /** The condition of a branch per lane, with what metadata says about it. */
  private condition(branch: BlockId): Float64Array {
    const terminator = terminatorOf(this.fn, branch);
    const value = this.fn.operand[this.fn.operandStart[terminator]!] as ValueId;
    const sample = this.sample(value, 0);
    const taken = this.fn.instrTaken[terminator]!;
    if (taken === NONE || sample.scale === Scale.Known) return sample.numbers;
    return this.event(value, taken < 0 ? UNPREDICTABLE : () => [taken / 1024, 0]).numbers;
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
        return {
          numbers: a.numbers.map((x, lane) => (c.numbers[lane] !== 0 ? x : b.numbers[lane]!)),
          scale: Math.max(c.scale, a.scale, b.scale),
        };
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
    const numbers = new Float64Array(this.lanes);
    if (source === LaneSource.Ballot) {
      // The number of lanes stands for their set: what it is compared with is nothing, or all lanes.
      const asked = operand(0).numbers;
      const mask = this.masks.get(fn.instrBlock[i] as BlockId) ?? this.mask(fn.instrBlock[i] as BlockId);
      for (let start = 0; start < this.lanes; start += fn.waveSize) {
        let count = 0;
        for (let lane = start; lane < start + fn.waveSize; lane++) if (mask[lane] === 1 && asked[lane] !== 0) count++;
        numbers.fill(count, start, start + fn.waveSize);
      }
      return { numbers, scale: Scale.Known };
    }
    const first = fn.operand[fn.operandStart[i]!]!;
    if (
      source === LaneSource.Lane &&
      fn.operandStart[i + 1]! - fn.operandStart[i]! > 1 &&
      fn.valueInteger[first] !== -1
    )
      return null;
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
    return { numbers, scale: Scale.Known };
  }

  private constant(value: number, v: ValueId): Sampled {
    const isBit = this.fn.typeBits[this.fn.valueType[v]!] === 1;
    return { numbers: new Float64Array(this.lanes).fill(isBit ? value & 1 : value), scale: Scale.Known };
  }

  private truncated(v: ValueId, { numbers, scale }: Sampled, bits: number): Sampled {
    if (bits >= 32) return { numbers, scale };
    const size = 2 ** bits;
    const short = numbers.map((x) => ((x % size) + size) % size);
    return bits <= 8 && scale === Scale.Unknown ? this.bounded(v, short) : { numbers: short, scale };
  }

  /** Data that have got a range. Kinds and classes are often the same for all threads of a wave. */
  private bounded(v: ValueId, numbers: Float64Array): Sampled {
    const { waveSize } = this.fn;
    for (let wave = 0; wave < LAUNCHES * WAVES_PER_LAUNCH; wave++) {
      const [, alike] = ORDER(stratum(v, Math.floor(wave / WAVES_PER_LAUNCH), 3), 0);
      if (uniform(v, wave, 5) < alike) numbers.fill(numbers[wave * waveSize]!, wave * waveSize, (wave + 1) * waveSize);
    }
    return { numbers, scale: Scale.Bounded };
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
    const numbers = new Float64Array(this.lanes);
    if (isDivergent) {
      for (let lane = 0; lane < this.lanes; lane++) numbers[lane] = Math.floor(uniform(v, lane, 1) * 2 ** 31);
      return { numbers, scale: Scale.Unknown };
    }
    // Arguments differ by launch, work groups by their number, and what a loop counts by the wave.
    const i = definingInstr(fn, v);
    const opcode = i === NONE ? NONE : fn.instrOpcode[i];
    const perWave = opcode === Opcode.Phi || opcode === Opcode.Call;
    // The size of a work group comes as a short integer (the hidden arguments of AMD's kernels).
    const isGroupSize = opcode === Opcode.Load && fn.typeBits[type] === 16;
    const { least, most } = opcode === Opcode.Phi ? COUNTERS : opcode === Opcode.Call ? GROUPS : SIZES;
    const alike = perWave ? fn.waveSize : WAVES_PER_LAUNCH * fn.waveSize;
    for (let start = 0; start < this.lanes; start += alike) {
      const size = Math.floor(least * (most / least) ** uniform(v, start / alike, 2));
      numbers.fill(isGroupSize ? this.group[0]! : opcode === Opcode.Call ? size - 1 : size, start, start + alike);
    }
    return { numbers, scale: fn.typeKind[type] === TypeKind.Integer ? Scale.Known : Scale.Unknown };
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
        const numbers = a.numbers.map((x, lane) =>
          (condition[lane] !== 0) === (sides[0] === 0) ? x : b.numbers[lane]!,
        );
        return { numbers, scale: Math.max(a.scale, b.scale) };
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
      const rates = isTest ? NOT_A_NUMBER : isEquality ? EQUALITY : ORDER;
      const yes = this.event(v, rates, [a.numbers, b.numbers]);
      return predicate === 7 || predicate === 6 || predicate === 14 ? negated(yes) : yes;
    }
    const other = fn.operand[fn.operandStart[i]! + 1] as ValueId;
    if (scale === Scale.Unknown) {
      if (predicate > FIRST_INTEGER + 1) return this.event(v, ORDER, [a.numbers, b.numbers]);
      const isPointer = fn.typeKind[fn.valueType[other]!] === TypeKind.Pointer;
      const rates = fn.valueInteger[other] === 0 && !isPointer ? ORDER : EQUALITY;
      const yes = this.event(v, rates, [a.numbers, b.numbers]);
      return predicate === FIRST_INTEGER ? yes : negated(yes);
    }
    const holds = INTEGER_PREDICATES[predicate - FIRST_INTEGER]!;
    const isUnsigned = predicate >= 34 && predicate <= 37;
    const bits = fn.typeBits[fn.valueType[fn.operand[fn.operandStart[i]!]!]!]!;
    const size = 2 ** Math.min(bits, 53);
    const number = (x: number): number => (isUnsigned && x < 0 ? x + size : x);
    // Who asks for equality asks for a number that may occur.
    const isEquality = predicate <= FIRST_INTEGER + 1 && this.isParameter(other);
    const range = isEquality ? a.numbers.reduce((most, x) => Math.max(most, x), 0) + 1 : Infinity;
    const within = (x: number): number => (number(x) >= range ? number(x) % range : number(x));
    return { numbers: a.numbers.map((x, lane) => Number(holds(number(x), within(b.numbers[lane]!)))), scale };
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
    const compute = ARITHMETIC[fn.instrOpcode[i]!];
    if (!compute || fn.typeKind[fn.instrType[i]!] !== TypeKind.Integer) return this.derived(v, i, operand);
    const [a, b] = [operand(0), operand(1)];
    const scale = Math.max(a.scale, b.scale);
    const numbers = a.numbers.map((x, lane) => compute(x, b.numbers[lane]!));
    const isConstant = fn.valueKind[fn.operand[fn.operandStart[i]! + 1]!] === ValueKind.Constant;
    const isBound = scale === Scale.Unknown && isConstant && BOUNDING.includes(fn.instrOpcode[i]!);
    return isBound ? this.bounded(v, numbers) : { numbers, scale };
  }

  /**
   * What is loaded or computed in a way that is not followed: data of which nothing is known, but that are alike where
   * what they come from is. So threads that load from one address get one value.
   */
  private derived(v: ValueId, i: InstrId, operand: (k: number) => Sampled): Sampled {
    const { fn } = this;
    const count = fn.operandStart[i + 1]! - fn.operandStart[i]!;
    if (this.analyses.divergence.valueDivergent[v] === 0 || count === 0 || count > MOST_SOURCES) return this.leaf(v);
    const sources = Array.from({ length: count }, (_, k) => operand(k).numbers);
    if (fn.typeBits[fn.valueType[v]!] === 1) return this.event(v, ORDER, sources);
    const keys = this.keysOf(v, sources);
    return { numbers: keys.map((key) => Math.floor(key * 2 ** 31)), scale: Scale.Unknown };
  }

  /** Per lane, a hash of numbers and of the launch, from 0 up to 1. */
  private keysOf(v: ValueId, sources: readonly Float64Array[]): Float64Array {
    const keys = new Float64Array(this.lanes);
    const perLaunch = WAVES_PER_LAUNCH * this.fn.waveSize;
    for (let lane = 0; lane < this.lanes; lane++) {
      let key = Math.floor(lane / perLaunch);
      for (const numbers of sources) key = uniform(key, numbers[lane]!, 8) * 2 ** 32;
      keys[lane] = uniform(v, key, 7);
    }
    return keys;
  }

  /**
   * An event per lane. `rates` says how likely it is in a launch, and how alike the lanes of a wave are. Lanes with the
   * same numbers in all of `sources` have the same luck.
   */
  private event(v: ValueId, rates: Rates, sources: readonly Float64Array[] | null = null): Sampled {
    const keys = sources && this.keysOf(v, sources);
    const numbers = new Float64Array(this.lanes);
    const { waveSize } = this.fn;
    for (let wave = 0; wave < LAUNCHES * WAVES_PER_LAUNCH; wave++) {
      const launch = Math.floor(wave / WAVES_PER_LAUNCH);
      const [rate, alike] = rates(stratum(v, launch, 3), stratum(v, launch, 4));
      const agrees = uniform(v, wave, 5) < alike;
      const forAll = uniform(v, wave, 6) < rate ? 1 : 0;
      for (let lane = wave * waveSize, end = lane + waveSize; lane < end; lane++)
        numbers[lane] = agrees ? forAll : (keys ? keys[lane]! : uniform(v, lane, 7)) < rate ? 1 : 0;
    }
    return { numbers, scale: Scale.Bounded };
  }
}

/**
 * The work group of a function that requires no size: a square, if the function asks for the second number of its
 * threads. Who compares a thread number with a constant has threads on both sides of it, so the group is at least so
 * large.
 */
function usualGroup(fn: FunctionSnapshot): readonly number[] {
  const threads = fn.mostThreads || USUAL_THREADS;
  const isPlane = fn.instrSource.includes(LaneSource.ThreadY);
  const least = [LaneSource.ThreadX, LaneSource.ThreadY].map((source) => leastThreads(fn, source)) as [number, number];
  const side = isPlane ? 2 ** Math.ceil(Math.log2(threads) / 2) : threads;
  const row = Math.min(MOST_THREADS, Math.max(side, least[0]));
  return [row, Math.min(MOST_THREADS / row, Math.max(Math.ceil(threads / row), least[1])), 1];
}

/** A power of two. */
function leastThreads(fn: FunctionSnapshot, source: number): number {
  let most = 0;
  for (let i = 0; i < fn.instrCount; i++) {
    if (fn.instrOpcode[i] !== Opcode.ICmp) continue;
    const of = definingInstr(fn, fn.operand[fn.operandStart[i]!] as ValueId);
    const constant = fn.valueInteger[fn.operand[fn.operandStart[i]! + 1]!]!;
    if (of !== NONE && fn.instrSource[of] === source && constant !== NO_INTEGER) most = Math.max(most, constant);
  }
  return 2 ** Math.ceil(Math.log2(most + 1));
}

/** From two uniform numbers of a launch: the rate of an event, and the share of waves whose lanes are all alike. */
type Rates = (x: number, y: number) => readonly [rate: number, alike: number];

const COIN: Rates = (x) => [x < 0.5 ? 0 : 1, 1];
/** In a quarter of the launches data are sorted or coherent. */
const ORDER: Rates = (x, y) => [0.1 + 0.8 * y, x < 0.25 ? 0.95 : 0];
const EQUALITY: Rates = (x, y) => [x < 0.5 ? 0 : x < 0.75 ? 1 / 64 : 0.05 + 0.3 * y, 0];
const NOT_A_NUMBER: Rates = (x) => [x < 0.9 ? 0 : 1 / 256, 0];
const UNPREDICTABLE: Rates = () => [0.5, 0];

const negated = ({ numbers, scale }: Sampled): Sampled => ({ numbers: numbers.map((x) => (x === 0 ? 1 : 0)), scale });

/** LLVM's numbers of predicates: 32 `eq`, `ne`, `ugt`, `uge`, `ult`, `ule`, `sgt`, `sge`, `slt`, `sle`. */
const FIRST_INTEGER = 32;
const INTEGER_PREDICATES: readonly ((a: number, b: number) => boolean)[] = [
  (a, b) => a === b,
  (a, b) => a !== b,
  (a, b) => a > b,
  (a, b) => a >= b,
  (a, b) => a < b,
  (a, b) => a <= b,
  (a, b) => a > b,
  (a, b) => a >= b,
  (a, b) => a < b,
  (a, b) => a <= b,
];

/** On doubles: exact up to 53 bits; operations on bits see the low 32. */
const ARITHMETIC: Readonly<Record<number, (a: number, b: number) => number>> = {
  [Opcode.Add]: (a, b) => a + b,
  [Opcode.Sub]: (a, b) => a - b,
  [Opcode.Mul]: (a, b) => a * b,
  [Opcode.Shl]: (a, b) => a * 2 ** (b & 63),
  [Opcode.LShr]: (a, b) => Math.floor((a < 0 ? a + 2 ** 32 : a) / 2 ** (b & 63)),
  [Opcode.AShr]: (a, b) => Math.floor(a / 2 ** (b & 63)),
  [Opcode.And]: (a, b) => a & b,
  [Opcode.Or]: (a, b) => a | b,
  [Opcode.Xor]: (a, b) => a ^ b,
  [Opcode.UDiv]: (a, b) => Math.trunc(a / (b || 1)),
  [Opcode.SDiv]: (a, b) => Math.trunc(a / (b || 1)),
  [Opcode.URem]: (a, b) => a % (b || 1),
  [Opcode.SRem]: (a, b) => a % (b || 1),
};
/** With a constant, these give data a range. */
const BOUNDING: readonly number[] = [Opcode.And, Opcode.URem, Opcode.SRem, Opcode.LShr];

/** A number from 0 up to 1 for each launch. The launches of one value share out the range evenly. */
const stratum = (v: ValueId, launch: number, c: number): number =>
  (((launch * (2 * c - 1) + Math.floor(uniform(v, 0, c) * LAUNCHES)) % LAUNCHES) + 0.5) / LAUNCHES;

/** A hash of three whole numbers, from 0 up to 1 (the finaliser of MurmurHash3). */
function uniform(a: number, b: number, c: number): number {
  let h = Math.imul(a + 1, 0x9e3779b1) ^ Math.imul(b + 1, 0x85ebca77) ^ Math.imul(c, 0xc2b2ae3d);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) / 2 ** 32;
}

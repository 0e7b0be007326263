/**
 * What data come from in the end: lanes in which all these numbers are alike have the same luck. A function asks much
 * about data that come from the same loads, so each list of them exists once, with the sums that its hashes consist of.
 */
import { CostModel } from './cost-model.js';
import type { LaneMemory } from './lane-memory.js';
import { LAUNCHES, MIX, type Lanes } from './lanes.js';

/** Hashes of one list for any seed: that of `k` is `start + sums[k]`, which `uniformOf` makes a number of. */
export interface Keys {
  readonly start: number;
  readonly sums: Int32Array;
  /** As in `Lanes`. */
  readonly shift: number;
}

/**
 * From so many on, a number counts only if it changes within shorter runs of lanes than all before: within a wave,
 * where the others are the same for a wave.
 */
const MOST_ROOTS = 64;

/** What all lists of a function share. */
interface Origin {
  /** Log2 of the lanes of a launch. */
  readonly launchShift: number;
  /** Of the sums. When it is given back, no list may be used any more. */
  readonly memory: LaneMemory;
}

export class Roots {
  private longer: Map<Lanes, Roots> | null = null;
  private unions: Map<Roots, Roots> | null = null;
  private sums: Int32Array | null = null;

  private constructor(
    private readonly origin: Origin,
    private readonly shorter: Roots | null,
    private readonly last: Lanes | null,
    private readonly size: number,
    private readonly shift: number,
    /** Each number goes into a hash by a multiplication with `MIX`: this is their product. */
    private readonly power: number,
  ) {}

  /** The empty list, from which all lists of a function grow. */
  static none(launchShift: number, memory: LaneMemory): Roots {
    return new Roots({ launchShift, memory }, null, null, 0, launchShift, 1);
  }

  /** This list, and behind it what another one holds beside it. */
  and(other: Roots): Roots {
    if (other === this || other.last === null) return this;
    if (this.last === null) return other;
    this.unions ??= new Map();
    let found = this.unions.get(other);
    if (found === undefined) this.unions.set(other, (found = this.and(other.shorter!).with(other.last)));
    return found;
  }

  with(lanes: Lanes): Roots {
    if ((this.size >= MOST_ROOTS && lanes.shift >= this.shift) || this.has(lanes)) return this;
    this.longer ??= new Map();
    let found = this.longer.get(lanes);
    if (found === undefined) {
      const shift = Math.min(this.shift, lanes.shift);
      found = new Roots(this.origin, this, lanes, this.size + 1, shift, Math.imul(this.power, MIX));
      this.longer.set(lanes, found);
    }
    return found;
  }

  /** Per lane, a hash of a seed, of the launch and of the numbers. Fractions of the numbers do not count. */
  keys(seed: number): Keys {
    const first = seed + Math.imul(CostModel.drawing, 0x27d4eb2f);
    return { start: Math.imul(first, this.power), sums: (this.sums ??= this.computed()), shift: this.shift };
  }

  private has(lanes: Lanes): boolean {
    return this.last === lanes || (this.shorter?.has(lanes) ?? false);
  }

  /**
   * From the sums of the longest list in front that has some: a list that nobody asked for needs none. Sums are linear
   * in the numbers. So what is the same for a launch, as most numbers are, is added up launch by launch.
   */
  private computed(): Int32Array {
    const { launchShift, memory } = this.origin;
    const added: Lanes[] = [];
    const { sums, shift: before } = this.withSums(added);
    const ofLaunch = new Int32Array(LAUNCHES);
    const fine: Term[] = [];
    let power = 1;
    for (const { numbers, shift } of added) {
      if (shift >= launchShift) addUp(ofLaunch, numbers, shift - launchShift, power);
      else fine.push({ numbers, down: shift - this.shift, power });
      power = Math.imul(power, MIX);
    }
    const words = memory.takeWords((LAUNCHES << launchShift) >> this.shift);
    start(words, sums ?? OF_NONE, before - this.shift, power, ofLaunch, launchShift - this.shift);
    let k = 0;
    for (; k + 1 < fine.length; k += 2) addTwo(words, fine[k]!, fine[k + 1]!);
    if (k < fine.length) addUp(words, fine[k]!.numbers, fine[k]!.down, fine[k]!.power);
    return words;
  }

  /**
   * The longest list at the front of this one, or all of it, that has sums; if none has any, the empty one.
   *
   * @param added gets what this list holds behind that, the last first
   */
  private withSums(added: Lanes[]): Roots {
    if (this.last === null || this.sums !== null) return this;
    added.push(this.last);
    return this.shorter!.withSums(added);
  }
}

/** Of the empty list: the number of the launch, as a number in front of all others. */
const OF_NONE = Int32Array.from({ length: LAUNCHES }, (_, launch) => Math.imul(launch, MIX));

/** What a number adds to the sums. */
interface Term {
  readonly numbers: Float64Array;
  /** Log2 of the words that share one of them. */
  readonly down: number;
  /** `MIX` to the power of how many numbers stand behind it. */
  readonly power: number;
}

function start(
  words: Int32Array,
  sums: Int32Array,
  down: number,
  power: number,
  ofLaunch: Int32Array,
  toLaunch: number,
): void {
  for (let k = 0; k < words.length; k++) words[k] = Math.imul(sums[k >> down]!, power) + ofLaunch[k >> toLaunch]!;
}

function addUp(words: Int32Array, numbers: Float64Array, down: number, power: number): void {
  for (let k = 0; k < words.length; k++) words[k]! += Math.imul(numbers[k >> down]! | 0, power);
}

function addTwo(words: Int32Array, a: Term, b: Term): void {
  const [x, y, p, q, r, s] = [a.numbers, b.numbers, a.down, b.down, a.power, b.power];
  for (let k = 0; k < words.length; k++) words[k]! += Math.imul(x[k >> p]! | 0, r) + Math.imul(y[k >> q]! | 0, s);
}

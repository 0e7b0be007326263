/**
 * What data come from in the end, as one set: lanes in which all these numbers are alike have the same luck. A function
 * asks much about data that come from the same loads, so each set exists once, with the sums that its hashes consist of.
 */
import { CostModel } from './cost-model.js';
import type { LaneMemory } from './lane-memory.js';
import { LAUNCHES, MIX, type Lanes } from './lanes.js';

/** Hashes of one set for any seed: that of `k` is `start + sums[k]`, which `uniformOf` makes a number of. */
export interface Keys {
  readonly start: number;
  readonly sums: Int32Array;
  readonly shift: number;
}

/** The part of the hashes of a set that is the same for all seeds. */
interface Sums {
  readonly words: Int32Array;
  readonly shift: number;
}

/** With so many, lanes are not alike anyway: more of them do not count. */
const MOST_ROOTS = 64;

export class Roots {
  private readonly longer = new Map<Lanes, Roots>();
  private readonly unions = new Map<Roots, Roots>();
  private sums: Sums | null = null;

  private constructor(
    private readonly shorter: Roots | null,
    private readonly last: Lanes | null,
    private readonly size: number,
    /** Each number goes into a hash by a multiplication with `MIX`: this is their product. */
    private readonly power: number,
  ) {}

  /** The empty set. Sets that are to be the same grow from the same one. */
  static none(): Roots {
    return new Roots(null, null, 0, 1);
  }

  /** This set, and those of another one that it does not hold. */
  and(other: Roots): Roots {
    if (other === this || other.last === null) return this;
    if (this.last === null) return other;
    let found = this.unions.get(other);
    if (found === undefined) this.unions.set(other, (found = this.and(other.shorter!).with(other.last)));
    return found;
  }

  with(lanes: Lanes): Roots {
    if (this.size === MOST_ROOTS || this.has(lanes)) return this;
    let found = this.longer.get(lanes);
    if (found === undefined) {
      found = new Roots(this, lanes, this.size + 1, Math.imul(this.power, MIX));
      this.longer.set(lanes, found);
    }
    return found;
  }

  /**
   * Per lane, a hash of a seed, of the launch and of the numbers. Fractions of the numbers do not count.
   *
   * @param launchShift log2 of the lanes of a launch
   */
  keys(seed: number, launchShift: number, memory: LaneMemory): Keys {
    const { words, shift } = this.sumsOf(launchShift, memory);
    const first = seed + Math.imul(CostModel.drawing, 0x27d4eb2f);
    return { start: Math.imul(first, this.power), sums: words, shift };
  }

  private has(lanes: Lanes): boolean {
    for (let at: Roots = this; at.last !== null; at = at.shorter!) if (at.last === lanes) return true;
    return false;
  }

  private sumsOf(launchShift: number, memory: LaneMemory): Sums {
    if (this.sums !== null) return this.sums;
    const chain: Roots[] = [];
    let at: Roots = this;
    for (; at.last !== null && at.sums === null; at = at.shorter!) chain.push(at);
    let sums = at.sums ?? (at.sums = sumsOfLaunches(launchShift, memory));
    for (const each of chain.reverse()) each.sums = sums = withNumbers(sums, each.last!, memory);
    return sums;
  }
}

function sumsOfLaunches(launchShift: number, memory: LaneMemory): Sums {
  const words = memory.takeWords(LAUNCHES);
  for (let launch = 0; launch < LAUNCHES; launch++) words[launch] = Math.imul(launch, MIX);
  return { words, shift: launchShift };
}

function withNumbers(before: Sums, { numbers, shift: own }: Lanes, memory: LaneMemory): Sums {
  const shift = Math.min(before.shift, own);
  const [down, across] = [before.shift - shift, own - shift];
  const words = memory.takeWords(before.words.length << down);
  for (let k = 0; k < words.length; k++)
    words[k] = Math.imul(before.words[k >> down]!, MIX) + (numbers[k >> across]! | 0);
  return { words, shift };
}

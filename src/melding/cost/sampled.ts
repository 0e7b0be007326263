/** What is known about a value in the lanes of sampled waves (wave-samples.ts). */
import type { ValueId } from '../../ir/ids.js';
import type { LaneMemory } from './lane-memory.js';
import { complement, numbersIn } from './lane-sets.js';
import { mixed, type LaneSet, type Lanes } from './lanes.js';
import type { Roots } from './roots.js';

/** Longer computations in front of a condition are not followed. */
export const DEEPEST = 32;

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

/** What a condition is in each lane: 1 in the lanes of a set, 0 in all others. Few ask for the numbers. */
export class Outcomes implements Sampled {
  private made: Float64Array | null = null;

  /** @param shift the set is the same for so many lanes, as in `Lanes` */
  constructor(
    readonly set: LaneSet,
    readonly shift: number,
    readonly scale: number,
    private readonly memory: LaneMemory,
  ) {}

  get numbers(): Float64Array {
    return (this.made ??= numbersIn(this.memory, this.set, this.shift));
  }

  /** What the opposite condition is. */
  negated(): Outcomes {
    return new Outcomes(complement(this.set), this.shift, this.scale, this.memory);
  }
}

/**
 * Data that are computed or loaded in a way that is not followed. Nothing is known about them but that they are alike
 * in lanes in which all numbers are alike that they come from. They get numbers only if these are asked for.
 */
export class Data implements Sampled {
  readonly scale = Scale.Unknown;
  private lanes: Lanes | null = null;

  /**
   * @param range the numbers are below this
   * @param roots what the data come from in the end; none of it is `Data`
   * @param isSmooth whether neighbouring threads have numbers that are close to each other (smooth.ts)
   */
  constructor(
    private readonly value: ValueId,
    private readonly range: number,
    readonly roots: Roots,
    private readonly memory: LaneMemory,
    readonly isSmooth: boolean,
  ) {}

  get numbers(): Float64Array {
    return this.computed().numbers;
  }

  get shift(): number {
    return this.computed().shift;
  }

  private computed(): Lanes {
    if (this.lanes === null) {
      const { start, sums, shift } = this.roots.keys(this.value);
      const numbers = this.memory.take(sums.length);
      draw(numbers, sums, start, this.range);
      this.lanes = { numbers, shift };
    }
    return this.lanes;
  }
}

function draw(numbers: Float64Array, sums: Int32Array, start: number, range: number): void {
  const scale = range / 2 ** 32;
  for (let k = 0; k < numbers.length; k++) numbers[k] = Math.floor(mixed((start + sums[k]!) | 0) * scale);
}

/** What values come from in the end. @param none the empty list */
export const rootsOf = (sources: readonly Lanes[], none: Roots): Roots =>
  sources.reduce((all, each) => (each instanceof Data ? all.and(each.roots) : all.with(each)), none);

/** What is drawn for the data of a function (events.ts), by what they come from and how they are loaded. */
import type { Analyses } from '../../analysis/analyses.js';
import type { ValueId } from '../../ir/ids.js';
import type { FunctionSnapshot } from '../../ir/snapshot.js';
import { BORDER, GATHERED_ORDER, ORDER, RARE, bounded, event, kinds, placed, type Rates } from './events.js';
import { GATHERED, dependentLoads } from './gathered.js';
import type { LaneMemory } from './lane-memory.js';
import type { Lanes } from './lanes.js';
import { Roots } from './roots.js';
import { rootsOf, type Outcomes, type Sampled } from './sampled.js';
import { areSmooth } from './smooth.js';
import type { Threshold } from './thresholds.js';

export class Draws {
  private loads: Uint8Array | null = null;
  private none: Roots;

  /** @param launchShift log2 of the lanes of a launch */
  constructor(
    private readonly fn: FunctionSnapshot,
    private readonly analyses: Analyses,
    private readonly launchShift: number,
    private readonly memory: LaneMemory,
  ) {
    this.none = Roots.none(launchShift, memory);
  }

  /** To be called before the memory is given back: the sums of all lists of roots lie in it. */
  forget(): void {
    this.none = Roots.none(this.launchShift, this.memory);
  }

  /** What values come from in the end. */
  roots(sources: readonly Lanes[]): Roots {
    return rootsOf(sources, this.none);
  }

  /** @param sources what decides the event; null: each lane has luck of its own */
  event(v: ValueId, rates: Rates, sources: readonly Lanes[] | null = null): Outcomes {
    return event(this.memory, v, rates, this.fn.waveSize, sources && this.roots(sources));
  }

  /** A condition that is rarely as `outcome` says. */
  rarely(v: ValueId, outcome: boolean, sources: readonly Sampled[] | null): Outcomes {
    const found = this.event(v, RARE, sources);
    return outcome ? found : found.negated();
  }

  /** Whether the compare of a number with a threshold holds. @param a @param b what is compared */
  placed(threshold: Threshold, a: Sampled, b: Sampled): Outcomes {
    const sources = threshold.from.map((k) => (k === 0 ? a : b));
    return placed(this.memory, threshold, this.orderOf(threshold.number, a, b), this.fn.waveSize, this.roots(sources));
  }

  /** Which of several constants data are. */
  kinds(v: ValueId, constants: readonly number[], data: Sampled): Sampled {
    return kinds(this.memory, v, constants, this.fn.waveSize, this.roots([data]), this.order(v));
  }

  /** Data that have got a range. */
  bounded(v: ValueId, lanes: Lanes): Sampled {
    return bounded(v, lanes, this.fn.waveSize, this.order(v));
  }

  /** How likely two numbers are in an order, by what they are. */
  orderOf(v: ValueId, a: Sampled, b: Sampled): Rates {
    return areSmooth([a, b], this.fn.waveSize) ? BORDER : this.order(v);
  }

  /** @param v data, or a compare of them */
  order(v: ValueId): Rates {
    this.loads ??= dependentLoads(this.fn, this.analyses);
    return this.loads[v] === GATHERED ? GATHERED_ORDER : ORDER;
  }
}

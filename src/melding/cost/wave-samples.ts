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
 * Conditions of one function are tried on the same waves. So a nested branch is judged for those lanes that come to it,
 * and what lies behind a case of a divergent switch for those that take the case.
 *
 * Every random number is a hash of what it is for, so the estimate is deterministic.
 */
import type { Analyses } from '../../analysis/analyses.js';
import { caseRuns, type CaseRuns } from '../../analysis/case-runs.js';
import type { BlockId, ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { Opcode, isConditionalBranch, terminatorOf, type FunctionSnapshot } from '../../ir/snapshot.js';
import { destinations, isComplete } from '../../ir/switches.js';
import { isCase, sideOf } from './edge-sides.js';
import { LaneValues } from './lane-values.js';
import { bitCount, complement } from './lane-sets.js';
import { LAUNCHES, WAVES, WAVES_PER_LAUNCH, uniform, type LaneSet } from './lanes.js';
import { workGroupsOf } from './work-group.js';

/**
 * What the sampled waves do at a conditional branch. By launch, a bit for each of its waves that come to the branch.
 */
export interface SampledWaves {
  /** Some threads take each side. */
  readonly parted: Uint8Array;
  /** All threads take T. */
  readonly all: Uint8Array;
  /** All threads take F. */
  readonly none: Uint8Array;
}

export class WaveSamples {
  /** The numbers of values in their lanes. */
  readonly values: LaneValues;
  private readonly masks = new Map<BlockId, LaneSet>();
  private readonly waves = new Map<BlockId, SampledWaves>();
  private readonly cases = new Map<BlockId, CaseRuns>();
  private readonly sent = new Map<BlockId, ReadonlyMap<BlockId, LaneSet>>();
  private readonly arrivals = new Map<BlockId, Uint8Array>();
  /** The lanes that have a thread. */
  private readonly threads: LaneSet;

  constructor(
    private readonly fn: FunctionSnapshot,
    private readonly analyses: Analyses,
  ) {
    const groups = workGroupsOf(fn);
    const threads = groups[0]!.reduce((all, each) => all * each, 1);
    // Lanes behind the last thread of a group are never active.
    const groupLanes = Math.ceil(threads / fn.waveSize) * fn.waveSize;
    const lanes = WAVES * fn.waveSize;
    this.threads = new Int32Array(lanes / 32);
    if (threads === groupLanes) this.threads.fill(-1);
    else
      for (let lane = 0; lane < lanes; lane++)
        if (lane % groupLanes < threads) this.threads[lane >> 5]! |= 1 << (lane & 31);
    this.values = new LaneValues(fn, analyses, groups, groupLanes, (b) => this.mask(b));
  }

  /** What the waves do that come to a conditional branch. */
  wavesAt(branch: BlockId): SampledWaves {
    const known = this.waves.get(branch);
    if (known) return known;
    const condition = this.values.condition(branch);
    const found = this.partition(condition, this.threadsAt(branch));
    this.waves.set(branch, found);
    return found;
  }

  /** The share of the threads that come to a conditional branch which take T, 0 to 1. */
  shareTaking(branch: BlockId): number {
    const condition = this.values.condition(branch);
    const mask = this.threadsAt(branch);
    let [all, taken] = [0, 0];
    for (const [w, lanes] of mask.entries()) {
      all += bitCount(lanes);
      taken += bitCount(lanes & condition[w]!);
    }
    return taken / all;
  }

  /**
   * The same for sides with several entry edges: a thread takes T if it comes to block `t`.
   *
   * @param front the blocks between the branch and both sides, in reverse post-order
   */
  wavesBehind(branch: BlockId, front: readonly BlockId[], t: BlockId): SampledWaves {
    const { succStart, succ } = this.analyses.graph;
    const mask = this.threadsAt(branch);
    const arriving = new Map<number, LaneSet>([[branch, mask]]);
    for (const b of [branch, ...front]) {
      const here = arriving.get(b);
      if (here === undefined) continue;
      const condition = isConditionalBranch(this.fn, b) ? this.values.condition(b) : null;
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
      found = new Uint8Array(LAUNCHES);
      const mask = this.mask(b);
      const perWave = this.fn.waveSize / 32;
      for (let w = 0; w < mask.length; w++) {
        if (mask[w] === 0) continue;
        const wave = Math.floor(w / perWave);
        found[Math.floor(wave / WAVES_PER_LAUNCH)]! |= 1 << (wave % WAVES_PER_LAUNCH);
      }
      this.arrivals.set(b, found);
    }
    return found;
  }

  /**
   * By sampled wave, which runs of cases its threads take at a switch; the last one is the default. All zero: the wave
   * does not come to the switch.
   */
  waysAt(b: BlockId): Uint8Array[] {
    const { waveSize } = this.fn;
    const mask = this.threadsAt(b);
    const ways = this.ways(b);
    return Array.from({ length: WAVES }, (_, wave) => {
      const taken = new Uint8Array(this.casesOf(b).runs.length + 1);
      for (let lane = wave * waveSize; lane < (wave + 1) * waveSize; lane++)
        if ((mask[lane >> 5]! & (1 << (lane & 31))) !== 0) taken[ways[lane]!] = 1;
      return taken;
    });
  }

  casesOf(b: BlockId): CaseRuns {
    let found = this.cases.get(b);
    if (found === undefined) this.cases.set(b, (found = caseRuns(this.fn, b)));
    return found;
  }

  /** By lane, the run of cases that its thread is in at a switch; as many as there are stand for the default. */
  private ways(b: BlockId): Int32Array {
    const { fn } = this;
    const cases = this.casesOf(b);
    const count = cases.runs.length;
    const complete = isComplete(fn, b);
    const value = fn.operand[fn.operandStart[terminatorOf(fn, b)]!] as ValueId;
    if (count === 0) return new Int32Array(WAVES * fn.waveSize);
    const { numbers, shift } = this.values.way(value, cases);
    const ways = new Int32Array(WAVES * fn.waveSize);
    const perLaunch = ways.length / LAUNCHES;
    for (let launch = 0; launch < LAUNCHES; launch++) {
      // Where nothing gets to the default, what is not drawn is one of the cases.
      const others = complete ? Math.floor(placeOfOthers(b, launch) * count) : count;
      const end = (launch + 1) * perLaunch;
      for (let lane = launch * perLaunch; lane < end; lane++) {
        const way = numbers[lane >> shift]!;
        ways[lane] = way >= 0 ? way : others;
      }
    }
    return ways;
  }

  /** By destination of a switch, the lanes that it sends there. Those to which it sends none are left out. */
  private lanesSent(b: BlockId): ReadonlyMap<BlockId, LaneSet> {
    const known = this.sent.get(b);
    if (known) return known;
    const found = new Map<BlockId, LaneSet>();
    const { runs } = this.casesOf(b);
    const [otherwise] = destinations(this.fn, b);
    const ways = this.ways(b);
    const taken = new Uint8Array(runs.length + 1);
    for (let lane = 0; lane < ways.length; lane++) taken[ways[lane]!] = 1;
    const setsOf = Array.from(taken, (isTaken, way) => {
      if (isTaken === 0) return null;
      const to = runs[way]?.to ?? otherwise!;
      const lanes = found.get(to) ?? new Int32Array(this.threads.length);
      found.set(to, lanes);
      return lanes;
    });
    for (let lane = 0; lane < ways.length; lane++) setsOf[ways[lane]!]![lane >> 5]! |= 1 << (lane & 31);
    this.sent.set(b, found);
    return found;
  }

  /** The share of the sampled waves that come to block `b`, 0 to 1. */
  shareComing(b: BlockId): number {
    return this.comesTo(b).reduce((count, launch) => count + bitCount(launch), 0) / WAVES;
  }

  private partition(condition: LaneSet, mask: LaneSet): SampledWaves {
    const perWave = this.fn.waveSize / 32;
    const parted = new Uint8Array(LAUNCHES);
    const all = new Uint8Array(LAUNCHES);
    const none = new Uint8Array(LAUNCHES);
    for (let wave = 0; wave < WAVES; wave++) {
      let taken = 0;
      let left = 0;
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

  /** The lanes whose threads come to block `b`. If no sampled wave does, all count. */
  private threadsAt(b: BlockId): LaneSet {
    return this.comesTo(b).some((waves) => waves !== 0) ? this.mask(b) : this.threads;
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
      // No thread fails, whichever of several checks leads there.
      const isFailure = this.analyses.liveFlow?.fails[block] === 1;
      mask = isFailure ? new Int32Array(mask.length) : dominator === NONE ? mask : (this.masks.get(dominator) ?? mask);
      // Until it is known, a ballot in front of the branch counts for the lanes that come to its dominator.
      this.masks.set(block, mask);
      const taking = dominator === NONE ? null : this.lanesTaking(dominator, block);
      if (taking === null) continue;
      mask = mask.map((lanes, w) => lanes & taking[w]!);
      this.masks.set(block, mask);
    }
    return mask;
  }

  /** The lanes that come to `block` wherever they come to its immediate dominator; null: there is no telling. */
  private lanesTaking(dominator: BlockId, block: BlockId): LaneSet | null {
    const { fn, analyses } = this;
    if (fn.instrOpcode[terminatorOf(fn, dominator)] === Opcode.Switch) {
      if (analyses.divergence.terminatorDivergent[dominator] !== 1 || !isCase(analyses, dominator, block)) return null;
      return this.lanesSent(dominator).get(block) ?? new Int32Array(this.threads.length);
    }
    const side = sideOf(fn, analyses, dominator, block);
    if (side === NONE) return null;
    const condition = this.values.condition(dominator);
    return side === 0 ? condition : complement(condition);
  }
}

/** Where, from 0 up to 1, the numbers lie in a launch that a switch does not ask for. */
export const placeOfOthers = (b: BlockId, launch: number): number => uniform(b, launch, 9);

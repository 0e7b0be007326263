/**
 * Divergent switches (rule 1.1). Compilers turn a chain of `else if` over one value into a switch, and code
 * generation lowers the switch to a balanced tree of compares. As a chain of two-way branches, its cases can be melded.
 * Either all divergent switches of a function are lowered or none. Where nothing melds in a chain, it stays a chain at
 * a late meld point; after an early one, LLVM's pipeline makes it a switch again. A chain may also be cheaper than the
 * tree, although nothing melds.
 */
import type { BlockId, InstrId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { InstrFlag, Opcode, hasFlag, isAmd, terminatorOf, type FunctionSnapshot } from '../../ir/snapshot.js';
import { destinations, firstBehindPhis, isComplete, linksOf } from '../../ir/switches.js';
import type { Analyses } from '../../analysis/analyses.js';
import { reversePostOrder } from '../../analysis/graph.js';
import { blockWeight } from '../cost/block-weight.js';
import { sizesOf } from '../cost/code-size.js';
import { CostModel, averse } from '../cost/cost-model.js';
import { expectedOver } from '../cost/expected-cycles.js';
import { LAUNCHES, WAVES_PER_LAUNCH } from '../cost/lanes.js';
import type { WorkCosts } from '../cost/gains.js';
import { cyclesSpent } from '../cost/memory-time.js';
import { Strides } from '../cost/strides.js';
import { chainCycles, treeCycles } from '../cost/switch-cycles.js';
import { ALONE, branchCycles, doesNothing, switchCosts, switchShape, type SwitchCosts } from '../cost/switch-shape.js';
import { costsOf } from '../cost/target-costs.js';
import { WaveSamples, placeOfOthers } from '../cost/wave-samples.js';
import type { NetUnit } from '../plan.js';

/** A chain over more destinations would be long for every thread. Such switches are left to jump tables. */
const MOST_DESTINATIONS = 16;
/** Every thread makes the compares of a chain one after the other; code generation's tree takes a few of them. */
const MOST_COMPARES = 64;

export interface DivergentSwitch {
  /** The block that ends in it. */
  readonly branch: BlockId;
  readonly destinations: number;
  /** Why it may not become a chain of branches; null if it may. */
  readonly refusal: string | null;
}

export function divergentSwitches(fn: FunctionSnapshot, analyses: Analyses): DivergentSwitch[] {
  const found: DivergentSwitch[] = [];
  for (let b = 0 as BlockId; b < fn.blockCount; b++) {
    if (fn.instrOpcode[terminatorOf(fn, b)] !== Opcode.Switch) continue;
    if (analyses.divergence.terminatorDivergent[b] === 0 || analyses.order[b] === NONE) continue;
    const { size } = destinations(fn, b);
    const refusal =
      size > MOST_DESTINATIONS
        ? `it has ${size} destinations, and only ${MOST_DESTINATIONS} may become a chain of branches`
        : comparesOf(fn, b) > MOST_COMPARES
          ? `as a chain of branches it would need ${comparesOf(fn, b)} compares, and ${MOST_COMPARES} are allowed`
          : null;
    if (size >= 2) found.push({ branch: b, destinations: size, refusal });
  }
  return found;
}

/** The blocks that end in a divergent switch that may be lowered. */
export const loweredSwitches = (fn: FunctionSnapshot, analyses: Analyses): BlockId[] =>
  divergentSwitches(fn, analyses).flatMap(({ branch, refusal }) => (refusal === null ? branch : []));

/** Whether metadata say how likely any case is, or nobody knows: the chain does not keep that. */
export const areWeighed = (fn: FunctionSnapshot, switches: readonly BlockId[]): boolean =>
  switches.some((b) => fn.switchValues(b)?.isWeighed ?? true);

/**
 * Whether a case does what every thread may do: then selects may take the place of its branch (flattened-branches.ts).
 */
export const mayBecomeSelects = (fn: FunctionSnapshot, switches: readonly BlockId[]): boolean =>
  switches.some((b) => [...destinations(fn, b)].some((to) => isHarmless(fn, to)));

function isHarmless(fn: FunctionSnapshot, b: BlockId): boolean {
  for (let i = firstBehindPhis(fn, b); i < terminatorOf(fn, b); i++)
    if (!hasFlag(fn, i as InstrId, InstrFlag.Speculatable)) return false;
  return true;
}

/** In cycles, or bytes. */
export interface LoweringWorth {
  /** What lowering gains by itself. Losses count as they do in wave-choice.ts. */
  readonly gain: number;
  /** What that must be where nothing melds: what chance does, and no less than a branch. */
  readonly least: number;
  /** What melds of the chain must gain if lowering does not pay by itself. */
  readonly needed: number;
  /** A bound for what they can gain there; infinite where none is known. */
  readonly most: number;
}

/**
 * Compared with the tree of branches that LLVM's LowerSwitch makes (switch-cycles.ts). A wave whose threads take many
 * ways runs all of that, where the chain has one branch per destination, or none where the destination only gives a phi
 * its value. A wave whose threads take one way goes down the tree, and passes the chain up to there. Which ways are
 * taken is tried on sampled waves. Where bytes count, all of the code does.
 *
 * @param waves those of the function, if others ask about them, too; their numbers are forgotten
 */
export function worthOfLowering(
  fn: FunctionSnapshot,
  analyses: Analyses,
  blocks: readonly BlockId[],
  unit: NetUnit,
  waves = new WaveSamples(fn, analyses),
): LoweringWorth {
  if (unit === 'bytes') return bytesWorth(isAmd(fn.cpu) ? blocks.reduce((sum, b) => sum + bytesGained(fn, b), 0) : 0);
  const { diamond } = costsOf(fn.cpu);
  const { divergence } = analyses;
  const work = switchCosts(fn, analyses);
  const gain = cyclesGained(work, analyses, blocks, waves);
  const runs = (b: BlockId): number => blockWeight(analyses, b) * waves.shareComing(b);
  // Nobody asks what one of many waves spends.
  const { alone } = expectedOver(fn, analyses, runs, { diamond, alone: work.cost, busy: work.cost });
  const { memory, costs } = work;
  const accesses = {
    fn,
    divergence,
    memory,
    latency: costs.latency,
    strides: new Strides(fn, divergence, waves.values),
  };
  const spent = cyclesSpent(accesses, alone, runs);
  const least = Math.max(diamond, CostModel.leastOfFunction * spent);
  waves.values.forget();
  // Other targets have jump tables, or nothing is known about what they make.
  const known = isAmd(fn.cpu) ? gain : Math.min(0, gain);
  return { gain: known, least, needed: least - known / ALONE, most: mostGained(work, analyses, blocks) };
}

const bytesWorth = (gain: number): LoweringWorth => ({
  gain,
  least: CostModel.leastNet,
  needed: CostModel.leastNet - gain,
  most: Infinity,
});

/** How much larger the bound is than all work there: what a meld gains beside that is not counted one by one. */
const ALLOWANCE = 2;

/**
 * A bound for what melds gain in the largest divergent regions that hold these switches, in cycles per run of the
 * function: all work there, and a branch for each way on. (What else of the function would gain enough only together
 * with them is not in it.)
 */
function mostGained({ fn, costs, cost }: WorkCosts, analyses: Analyses, switches: readonly BlockId[]): number {
  const { diamond } = costs.target;
  const { succStart } = analyses.graph;
  const forks = outermostForks(analyses);
  const isCounted = new Uint8Array(fn.blockCount);
  for (const b of switches) isCounted[forks[b] === NONE ? b : forks[b]!] = 1;
  let sum = 0;
  for (let b = 0 as BlockId; b < fn.blockCount; b++) {
    const isInside = forks[b] !== NONE && isCounted[forks[b]!] === 1;
    if (!isInside && isCounted[b] === 0) continue;
    let here = (succStart[b + 1]! - succStart[b]!) * diamond;
    for (let i = fn.blockInstrStart[b]!; isInside && i < fn.blockInstrStart[b + 1]!; i++)
      here += Math.max(cost[i]!, costs.vector[i]!, costs.latency[i]!);
    sum += here * blockWeight(analyses, b);
  }
  return ALLOWANCE * sum;
}

/**
 * By block, the first divergent branch or switch on which it depends whether a thread comes there, or `NONE`. What is
 * dominated by a fork depends on it up to where its ways meet; in a loop that may be in front of the fork, and then
 * nothing ends it.
 */
function outermostForks({ graph, dominators, postDominators, divergence }: Analyses): Int32Array {
  const forks = new Int32Array(dominators.idom.length).fill(NONE);
  for (const b of reversePostOrder(graph)) {
    const d = dominators.idom[b]!;
    if (d === NONE) continue;
    const outer = forks[d]!;
    if (outer !== NONE && b !== postDominators.idom[outer]) forks[b] = outer;
    else if (divergence.terminatorDivergent[d] === 1 && b !== postDominators.idom[d]) forks[b] = d;
  }
  return forks;
}

function cyclesGained(work: SwitchCosts, analyses: Analyses, blocks: readonly BlockId[], waves: WaveSamples): number {
  const { fn } = work;
  const byLaunch = new Float64Array(LAUNCHES);
  for (const b of blocks) {
    const shape = switchShape(work, analyses, b, waves.casesOf(b));
    const { inTree, inChain } = branchCycles(fn, analyses, b, work.costs.target);
    const runs = shape.links.length;
    const gaps = [...shape.gaps.keys()].filter((k) => shape.gaps[k]);
    const weight = blockWeight(analyses, b) / WAVES_PER_LAUNCH;
    // Many waves take the same ways.
    const known = new Map<string, number>();
    for (const [wave, taken] of waves.waysAt(b).entries()) {
      if (!taken.includes(1)) continue;
      const launch = Math.floor(wave / WAVES_PER_LAUNCH);
      const gap = gaps[Math.floor(placeOfOthers(b, launch) * gaps.length)] ?? runs;
      const key = `${gap} ${taken.join('')}`;
      let spared = known.get(key);
      if (spared === undefined) {
        spared = treeCycles(shape, taken, gap, inTree) - chainCycles(shape, taken, inChain);
        known.set(key, spared);
      }
      byLaunch[launch]! += weight * spared;
    }
  }
  return byLaunch.reduce((sum, gain) => sum + averse(gain), 0) / LAUNCHES;
}

/** Without regard to which ways are taken: all of the code counts. */
function bytesGained(fn: FunctionSnapshot, b: BlockId): number {
  const { valu, salu, diamond } = sizesOf(fn.cpu);
  const [, ...cases] = destinations(fn, b);
  const leaves = isComplete(fn, b) ? 0 : 1;
  const compares = Math.max(1, comparesOf(fn, b) - (1 - leaves));
  const links = linksOf(fn, b);
  const working = Math.min(links, cases.filter((to) => !doesNothing(fn, to)).length);
  const chain = compares * (valu + salu) + (links - working) * valu + working * diamond;
  return (compares + leaves * (compares - 1)) * (valu + diamond) - chain;
}

/** The compares of the chain. A snapshot that does not say has one per destination but the default. */
const comparesOf = (fn: FunctionSnapshot, b: BlockId): number =>
  Math.max(fn.instrTaken[terminatorOf(fn, b)]!, destinations(fn, b).size - 1);

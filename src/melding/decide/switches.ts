/**
 * Divergent switches (rule 1.1). Compilers turn a chain of `else if` over one value into a switch, and code
 * generation lowers the switch to a balanced tree of compares. As a chain of two-way branches, its cases can be melded.
 * Either all divergent switches of a function are lowered or none. Where nothing melds in a chain, it stays a chain at
 * a late meld point; after an early one, LLVM's pipeline makes it a switch again. A chain may also be cheaper than the
 * tree, although nothing melds.
 */
import { reachableUntil } from '../../analysis/regions.js';
import type { BlockId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { Opcode, isAmd, terminatorOf, type FunctionSnapshot } from '../../ir/snapshot.js';
import { destinations, firstBehindPhis, isComplete, linksOf } from '../../ir/switches.js';
import type { Analyses } from '../../analysis/analyses.js';
import { blockWeight } from '../cost/block-weight.js';
import { sizesOf } from '../cost/code-size.js';
import { CostModel } from '../cost/cost-model.js';
import { expectedCycles } from '../cost/expected-cycles.js';
import { costsOf, instrCosts } from '../cost/latency.js';
import { memoryAccesses } from '../cost/memory-accesses.js';
import type { NetUnit } from '../plan.js';

/** A chain over more destinations would be long for every thread. Such switches are left to jump tables. */
const MOST_DESTINATIONS = 16;
/** Every thread makes the compares of a chain one after the other; code generation's tree takes a few of them. */
const MOST_COMPARES = 64;

/**
 * What melds spare of the work of all cases, as a share, where it is needed to know before they are planned. If every
 * case had an equal partner it would be a half.
 */
const SHARE_SPARED = 0.25;

/** The blocks that end in a divergent switch that may be lowered. */
export function loweredSwitches(fn: FunctionSnapshot, analyses: Analyses): BlockId[] {
  const found: BlockId[] = [];
  for (let b = 0 as BlockId; b < fn.blockCount; b++) {
    if (fn.instrOpcode[terminatorOf(fn, b)] !== Opcode.Switch) continue;
    if (analyses.divergence.terminatorDivergent[b] === 0 || analyses.order[b] === NONE) continue;
    const count = destinations(fn, b).size;
    if (count >= 2 && count <= MOST_DESTINATIONS && comparesOf(fn, b) <= MOST_COMPARES) found.push(b);
  }
  return found;
}

/**
 * What melding must gain so that lowering these switches pays. A chain takes more compares than the tree that code
 * generation would make. And the more destinations there are, the less likely it is that a wave takes any two of them.
 */
export function loweringCost(
  fn: FunctionSnapshot,
  analyses: Analyses,
  blocks: readonly BlockId[],
  unit: NetUnit,
): number {
  if (unit === 'bytes') return Math.max(0, -loweringGain(fn, analyses, blocks, unit));
  const { vector, target } = instrCosts(fn, memoryAccesses(fn, analyses.divergence), analyses.divergence);
  let cost = 0;
  for (const b of blocks) {
    const compares = comparesOf(fn, b);
    const count = destinations(fn, b).size;
    const chain = compares * (target.valu + target.salu) + (count - 1) * target.guard;
    const tree = Math.ceil(Math.log2(compares + 1)) * (target.valu + target.guard);
    cost += Math.max(0, chain - tree) * blockWeight(analyses, b);
    const unlikely = CostModel.divergence - CostModel.divergence ** Math.max(1, count - 2);
    let arms = 0;
    for (const inside of reachableUntil(analyses.graph, b, analyses.postDominators.idom[b] as BlockId))
      for (let i = fn.blockInstrStart[inside]!; inside !== b && i < fn.blockInstrStart[inside + 1]!; i++)
        arms += vector[i]! * blockWeight(analyses, inside);
    cost += unlikely * SHARE_SPARED * arms;
  }
  return cost * CostModel.loweringMargin;
}

/**
 * What lowering these switches gains by itself: cycles, with losses counted as they are in wave-choice.ts, or bytes. All
 * of the code counts there, and a wave that parts runs all of it.
 *
 * For every run of values, LLVM's LowerSwitch makes a leaf that compares and, above the leaves, a tree of branches. A
 * wave whose threads take many ways runs all of that, where the chain has one branch per destination, or none where
 * the destination does nothing. A wave whose threads agree goes down the tree, and passes the whole chain. What other
 * waves hide of the handling of masks is nothing that the chain spares.
 */
export function loweringGain(
  fn: FunctionSnapshot,
  analyses: Analyses,
  blocks: readonly BlockId[],
  unit: NetUnit,
): number {
  const isSize = unit === 'bytes';
  const { valu, salu, hiddenMasks, ...masks } = isSize ? sizesOf(fn.cpu) : costsOf(fn.cpu);
  const [guard, diamond] = [masks.guard * (1 - hiddenMasks), masks.diamond * (1 - hiddenMasks)];
  // Other targets have jump tables, or nothing is known about what they make.
  if (!isAmd(fn.cpu)) return 0;
  let gain = 0;
  for (const b of blocks) {
    const [, ...cases] = destinations(fn, b);
    const leaves = isComplete(fn, b) ? 0 : 1;
    const compares = Math.max(1, comparesOf(fn, b) - (1 - leaves));
    const links = linksOf(fn, b);
    const working = Math.min(links, cases.filter((to) => !isEmpty(fn, to)).length);
    const tests = compares * (valu + salu) + (links - working) * valu;
    const parted = (compares + leaves * (compares - 1)) * (valu + diamond) - (tests + working * diamond);
    const agreed = (Math.ceil(Math.log2(compares + 1)) + leaves) * (valu + guard) - (tests + working * guard);
    const expected = (1 - AGREEING) * parted + AGREEING * (agreed < 0 ? agreed * CostModel.lossAversion : agreed);
    gain += isSize ? parted : expected * blockWeight(analyses, b);
  }
  return gain;
}

/** What lowering must gain where nothing melds. A chain of two links is hardly better than its tree. */
export const leastGainOfLowering = (fn: FunctionSnapshot, analyses: Analyses, unit: NetUnit): number =>
  unit === 'bytes'
    ? CostModel.leastNet
    : Math.max(costsOf(fn.cpu).diamond, CostModel.leastOfFunction * expectedCycles(fn, analyses).alone);

/** In this share of the launches, the threads of a wave mostly take the same way (as in cost/events.ts). */
const AGREEING = 0.25;

/** Whether a block goes on to the next one without doing anything. */
const isEmpty = (fn: FunctionSnapshot, b: BlockId): boolean =>
  firstBehindPhis(fn, b) === terminatorOf(fn, b) && fn.succStart[b + 1]! - fn.succStart[b]! === 1;

/** The compares of the chain. A snapshot that does not say has one per destination but the default. */
const comparesOf = (fn: FunctionSnapshot, b: BlockId): number =>
  Math.max(fn.instrTaken[terminatorOf(fn, b)]!, destinations(fn, b).size - 1);

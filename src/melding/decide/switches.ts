/**
 * Divergent switches (rule 1.1). Compilers turn a chain of `else if` over one value into a switch, and code
 * generation lowers the switch to a balanced tree of compares. As a chain of two-way branches, its cases can be melded.
 * Either all divergent switches of a function are lowered or none. Where nothing melds in a chain, it stays a chain at
 * a late meld point; after an early one, LLVM's pipeline makes it a switch again.
 */
import { reachableUntil } from '../../analysis/regions.js';
import type { BlockId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { Opcode, terminatorOf, type FunctionSnapshot } from '../../ir/snapshot.js';
import type { Analyses } from '../../analysis/analyses.js';
import { blockWeight } from '../cost/context.js';
import { CostModel } from '../cost/cost-model.js';
import { instrCosts } from '../cost/latency.js';
import { memoryAccesses } from '../cost/memory-accesses.js';

/** A chain over more destinations would be long for every thread. Such switches are left to jump tables. */
const MOST_DESTINATIONS = 16;
/** Every thread makes the compares of a chain one after the other; code generation's tree takes a few of them. */
const MOST_COMPARES = 64;

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
 * What melding must gain, in cycles, so that lowering these switches pays. A chain takes more compares than the tree
 * that code generation would make. And the more destinations there are, the less likely it is that a wave takes any two
 * of them.
 */
export function loweringCost(fn: FunctionSnapshot, analyses: Analyses, blocks: readonly BlockId[]): number {
  const { vector, target } = instrCosts(fn, memoryAccesses(fn));
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
    cost += (unlikely / 2) * arms;
  }
  return cost * CostModel.loweringMargin;
}

/** The compares of the chain. A snapshot that does not say has one per destination but the default. */
const comparesOf = (fn: FunctionSnapshot, b: BlockId): number =>
  Math.max(fn.instrTaken[terminatorOf(fn, b)]!, destinations(fn, b).size - 1);

const destinations = (fn: FunctionSnapshot, b: BlockId): Set<number> =>
  new Set(fn.succ.subarray(fn.succStart[b]!, fn.succStart[b + 1]!));

/**
 * Keeps the time of planning in proportion to the function. To look at a branch takes as long as its region is large,
 * and regions lie in each other: `else if` a thousand times is a thousand regions, each of which holds all that follow.
 * So what is looked at has a bound, and inner branches have the first claim to it: together they take least.
 */
import type { BlockId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { Opcode } from '../../ir/snapshot.js';
import type { PlanningContext } from '../cost/context.js';

/** Instructions in all regions together: planning takes about half a second for so many. */
const MOST_VISITED = 1 << 22;

type Inputs = Pick<PlanningContext, 'fn' | 'graph' | 'postDominators' | 'liveFlow' | 'order'>;

/** The branches that are not looked at. */
export function branchesOutOfReach(ctx: Inputs, branches: readonly BlockId[]): ReadonlySet<BlockId> {
  const { fn, order } = ctx;
  const found = new Set<BlockId>();
  if (branches.length * (fn.instrCount + fn.operand.length) <= MOST_VISITED) return found;
  let left = MOST_VISITED;
  // In reverse post-order, a branch comes in front of those in its region.
  for (const branch of branches.toSorted((a, b) => order[b] - order[a])) {
    const size = sizeOfRegion(ctx, branch, left);
    if (size > left) found.add(branch);
    else left -= size;
  }
  return found;
}

/**
 * The instructions of a region, and what the phis of its join choose from; a branch without a join has no region.
 *
 * @param limit beyond it, anything larger
 */
function sizeOfRegion(ctx: Inputs, branch: BlockId, limit: number): number {
  const { fn } = ctx;
  const { graph, postDominators } = (ctx.postDominators.idom[branch] === NONE ? ctx.liveFlow : null) ?? ctx;
  const join = postDominators.idom[branch];
  let size = 0;
  if (join === NONE) return size;
  for (let i = fn.blockInstrStart[join]; fn.instrOpcode[i] === Opcode.Phi; i++)
    size += fn.operandStart[i + 1] - fn.operandStart[i];
  const seen = graph.tables.lend();
  const list = [branch];
  seen[branch] = 1;
  for (let k = 0; k < list.length && size <= limit; k++) {
    const b = list[k];
    size += fn.blockInstrStart[b + 1] - fn.blockInstrStart[b];
    for (let e = graph.succStart[b]; e < graph.succStart[b + 1]; e++) {
      const to = graph.succ[e] as BlockId;
      if (to === join || seen[to] === 1) continue;
      seen[to] = 1;
      list.push(to);
    }
  }
  graph.tables.takeBack(seen, list);
  return size;
}

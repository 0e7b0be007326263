/**
 * Finds sides of a few harmless instructions that may run in front of their branch, for every thread. Such a side is
 * empty afterwards. The threads that take it wait at the join, and the wave spares the second half of the handling of
 * its execution mask (and where code generation puts one there, a branch around the side). The other side may be
 * anything. (Where both sides are so, see flattened-branches.ts.)
 *
 * It copies no instruction and empties a block, so it ends. It comes when nothing melds any more, because a side that
 * has gone cannot meld.
 */
import type { BlockId, InstrId, ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { Opcode, definingInstr, terminatorOf, type FunctionSnapshot } from '../../ir/snapshot.js';
import type { PlanningContext } from '../cost/context.js';
import { CostModel } from '../cost/cost-model.js';
import { incomingFrom } from '../draft/frame.js';
import type { ChosenInput, HoistedSide } from '../plan.js';
import { harmlessWork, mayEmptySides } from './harmless-work.js';
import { copiesBehind, vectorCopies } from './register-copies.js';
import { inLoopsWithEnough } from './whole-function.js';

/**
 * The sides to hoist, in the order of the branches. Those of one loop go together, where they gain enough of what a
 * wave spends in it; the same holds for those outside of all loops, and the function. Where code size is the profit,
 * any that are smaller do.
 *
 * @param branches divergent conditional branches
 */
export function hoistedSides(ctx: PlanningContext, branches: readonly BlockId[]): HoistedSide[] {
  if (!mayEmptySides(ctx)) return [];
  const enough = inLoopsWithEnough(
    ctx,
    branches.flatMap((branch) => oneSideOf(ctx, branch) ?? []),
    ({ net }) => net,
  );
  const gone = new Set(enough.map(({ side }) => side));
  // Branches may share a join. What it takes from a side that goes, too, is not there any more.
  return enough.filter(({ chosen }) => !chosen.some(({ blocks }) => blocks.some((b) => gone.has(b))));
}

/** The first side of a branch that may be hoisted and gains something; null: there is none. */
function oneSideOf(ctx: PlanningContext, branch: BlockId): HoistedSide | null {
  const { fn, graph, dominators, postDominators, weight } = ctx;
  const { target } = ctx.costs;
  const first = graph.succStart[branch]!;
  const [t, f] = [graph.succ[first] as BlockId, graph.succ[first + 1] as BlockId];
  const join = postDominators.idom[branch] as BlockId | -1;
  // A side that is empty leaves nothing of the branch to spare.
  if (join === NONE || t === f || join === t || join === f || dominators.dominates(join, branch)) return null;
  for (const [side, other] of [
    [t, f],
    [f, t],
  ] as const) {
    const instrs = harmlessWork(ctx, branch, side, join);
    const chosen = instrs && choices(ctx, branch, side, join);
    if (chosen === null || (chosen.length > 0 && !target.countsByCarry)) continue;
    const moved = { branch, join, side, other, instrs: instrs! };
    const net = (target.diamond - target.guard) * weight[branch]! - vectorCopies(ctx, moved) - copiesBehind(ctx, moved);
    if (net > CostModel.leastNet)
      return { branch, terminator: terminatorOf(fn, branch), side, instrs: moved.instrs, chosen, net };
  }
  return null;
}

/**
 * The values that the join takes from the other side as they were in front of the branch, where it takes something else
 * from this side. The side may compute its value in that register; in front of the branch it needs another one. So a
 * select chooses there; otherwise the other side would have to copy. Null where a select would cost something.
 */
function choices(ctx: PlanningContext, branch: BlockId, side: BlockId, join: BlockId): ChosenInput[] | null {
  const { fn, dominators, divergence } = ctx;
  const chosen: ChosenInput[] = [];
  for (let phi = fn.blockInstrStart[join] as InstrId; fn.instrOpcode[phi] === Opcode.Phi; phi++) {
    const own = incomingFrom(ctx, phi, side);
    const passed = new Set<ValueId>();
    const blocks: BlockId[] = [];
    for (let o = fn.operandStart[phi]!; o < fn.operandStart[phi + 1]!; o++) {
      const v = fn.operand[o] as ValueId;
      const from = fn.operandBlock[o] as BlockId;
      // What all threads share is copied from a scalar register in any case.
      if (v === own || !isBehind(ctx, branch, from) || divergence.valueDivergent[v] !== 1) continue;
      const i = definingInstr(fn, v);
      if (i !== NONE && !dominators.dominates(fn.instrBlock[i] as BlockId, branch)) continue;
      passed.add(v);
      blocks.push(from);
    }
    if (passed.size === 0) continue;
    if (passed.size > 1 || own === null || !counts(fn, own, [...passed][0]!)) return null;
    chosen.push({ phi, blocks });
  }
  return chosen;
}

/** Whether `v` is `before` plus or minus one: a select of both is an addition that takes the condition as its carry. */
function counts(fn: FunctionSnapshot, v: ValueId, before: ValueId): boolean {
  const i = definingInstr(fn, v);
  if (i === NONE || fn.instrOpcode[i] !== Opcode.Add || fn.typeBits[fn.valueType[v]!]! > 32) return false;
  const operands = fn.operand.subarray(fn.operandStart[i]!, fn.operandStart[i + 1]!);
  return operands.includes(before) && operands.some((each) => Math.abs(fn.valueInteger[each]!) === 1);
}

const isBehind = ({ dominators }: PlanningContext, branch: BlockId, b: BlockId): boolean =>
  b !== branch && dominators.dominates(branch, b);

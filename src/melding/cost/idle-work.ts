/**
 * Work that waves run although they have no thread for it. Code generation does not branch around a side that is short
 * (skipping.ts), so a wave of which no thread takes the side runs it all the same, under an empty execution mask.
 */
import type { BlockId, InstrId, ValueId } from '../../ir/ids.js';
import { InstrFlag, Opcode, hasFlag, isAmd, terminatorOf } from '../../ir/snapshot.js';
import { isAwaited, type AwaitedResults, type Waiting } from './awaited-results.js';
import type { PlanningContext } from './context.js';
import type { WorkCosts } from './gains.js';
import { isUnskipped } from './skipping.js';

/** What code generation branches around, however short it is. */
const SKIPPED = InstrFlag.Convergent | InstrFlag.HasSideEffects | InstrFlag.Call | InstrFlag.WritesWaveState;

/**
 * The instructions of a side that every wave runs; none if code generation branches around them. A side of several
 * blocks is taken for one that is skipped, and so is every side in front of LLVM's pipeline, which moves work about.
 *
 * @param branch a divergent one
 * @param side a block of one of its sides: nothing is idle unless it is the whole side
 */
export function idleInstrs(ctx: PlanningContext, branch: BlockId, side: BlockId): readonly InstrId[] {
  const { fn, graph, postDominators, sinking, options } = ctx;
  const [pred, succ] = [graph.predStart[side]!, fn.succStart[side]!];
  const isWholeSide =
    graph.predStart[side + 1]! - pred === 1 &&
    graph.pred[pred] === branch &&
    fn.succStart[side + 1]! - succ === 1 &&
    fn.succ[succ] === postDominators.idom[branch];
  if (!isWholeSide || options.optimizesLater || !isAmd(fn.cpu)) return [];
  const instrs = [...sinking.into(side)];
  for (let i = fn.blockInstrStart[side] as InstrId; i < terminatorOf(fn, side); i++)
    if (fn.instrOpcode[i] !== Opcode.Phi && sinking.stays(i)) instrs.push(i);
  return isIdle(ctx, branch, instrs) ? instrs : [];
}

/** Whether waves run a side that is these instructions although they have no thread for it. */
export function isIdle(ctx: WorkCosts & Waiting, branch: BlockId, instrs: readonly InstrId[]): boolean {
  const { fn } = ctx;
  const awaited: AwaitedResults = new Map();
  const isSkipped = (i: InstrId): boolean => {
    if (hasFlag(fn, i, SKIPPED)) return true;
    // A wait for something is branched around, too.
    for (let o = fn.operandStart[i]!; o < fn.operandStart[i + 1]!; o++)
      if (isAwaited(ctx, branch, fn.operand[o] as ValueId, awaited)) return true;
    return false;
  };
  return isUnskipped(ctx, instrs, 1) && !instrs.some(isSkipped);
}

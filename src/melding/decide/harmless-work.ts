/** Which work of a side may run in front of its branch, for every thread (hoisted-sides.ts, flattened-branches.ts). */
import type { BlockId, InstrId, ValueId } from '../../ir/ids.js';
import { InstrFlag, Opcode, hasFlag, isAmd, isBranch, terminatorOf } from '../../ir/snapshot.js';
import type { PlanningContext } from '../cost/context.js';
import { isAwaited, type AwaitedResults } from '../cost/awaited-results.js';
import { isUnskipped } from '../cost/skipping.js';

/**
 * Whether sides run in front of their branch where that pays. Only on AMD's targets does the program handle the mask.
 * In front of LLVM's pipeline it is too early: that moves work about.
 */
export const mayEmptySides = ({ fn, options }: PlanningContext): boolean =>
  isAmd(fn.cpu) && !options.optimizesLater && options.mode === 'darm' && options.profit !== 'paper';

/**
 * The instructions of a side that is one block, in order; null if they may not run in front of the branch, or are so
 * many that code generation branches around them.
 */
export function harmlessWork(
  ctx: PlanningContext,
  branch: BlockId,
  side: BlockId,
  join: BlockId,
): readonly InstrId[] | null {
  const { fn, graph, cycles } = ctx;
  // What lies behind a loop does not go into it.
  if (cycles.cycleOf(side) !== cycles.cycleOf(branch)) return null;
  if (!isBranch(fn, side) || graph.predStart[side + 1]! - graph.predStart[side]! !== 1) return null;
  if (graph.succStart[side + 1]! - graph.succStart[side]! !== 1 || graph.succ[graph.succStart[side]!] !== join)
    return null;
  const instrs = harmlessInstrs(ctx, branch, side);
  return instrs !== null && instrs.length > 0 && isUnskipped(ctx, instrs, 1) ? instrs : null;
}

/** The instructions of a block, if every thread may execute them and nothing is waited for earlier than now. */
export function harmlessInstrs(
  ctx: PlanningContext,
  branch: BlockId,
  side: BlockId,
  awaited: AwaitedResults = new Map(),
): InstrId[] | null {
  const { fn } = ctx;
  const stays = InstrFlag.Convergent | InstrFlag.Marker | InstrFlag.WritesWaveState;
  const list: InstrId[] = [];
  for (let i = fn.blockInstrStart[side] as InstrId; i < terminatorOf(fn, side); i++) {
    if (fn.instrOpcode[i] === Opcode.Phi || !hasFlag(fn, i, InstrFlag.Speculatable) || hasFlag(fn, i, stays))
      return null;
    for (let o = fn.operandStart[i]!; o < fn.operandStart[i + 1]!; o++)
      if (isAwaited(ctx, branch, fn.operand[o] as ValueId, awaited)) return null;
    list.push(i);
  }
  return list;
}

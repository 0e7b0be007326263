/** Which work of a side may run in front of its branch, for every thread (hoisted-sides.ts, flattened-branches.ts). */
import type { BlockId, InstrId, ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import {
  InstrFlag,
  Opcode,
  definingInstr,
  hasFlag,
  isAmd,
  isBranch,
  terminatorOf,
  type FunctionSnapshot,
} from '../../ir/snapshot.js';
import type { PlanningContext } from '../cost/context.js';
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

/** By what code generation waits for, whether it may still be on its way in front of one branch. */
export type AwaitedResults = Map<InstrId, boolean>;

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

/**
 * Whether a value comes from memory or from other threads in front of the branch, and may still be on its way there:
 * neither an earlier block nor the condition needs it.
 *
 * @param known of this branch: a result may have thousands of uses
 */
function isAwaited(ctx: PlanningContext, branch: BlockId, v: ValueId, known: AwaitedResults): boolean {
  const { fn, uses, dominators } = ctx;
  const from = definingInstr(fn, v);
  if (from === NONE || !isWaitedFor(fn, from)) return false;
  const isNeededEarlier = (user: InstrId): boolean => {
    const b = fn.instrBlock[user] as BlockId;
    return b !== branch && fn.instrOpcode[user] !== Opcode.Phi && dominators.dominates(b, branch);
  };
  let found = known.get(from);
  if (found === undefined) {
    const users = uses.user.subarray(uses.start[v]!, uses.start[v + 1]!) as unknown as readonly InstrId[];
    found = !users.some(isNeededEarlier) && !isNeededBy(fn, terminatorOf(fn, branch), from);
    known.set(from, found);
  }
  return found;
}

/** Whether code generation waits for a result. Threads exchange some numbers through LDS, and which is not known. */
function isWaitedFor(fn: FunctionSnapshot, i: InstrId): boolean {
  const opcode = fn.instrOpcode[i];
  return (
    opcode === Opcode.Load ||
    opcode === Opcode.AtomicRMW ||
    opcode === Opcode.AtomicCmpXchg ||
    (opcode === Opcode.Call && hasFlag(fn, i, InstrFlag.Convergent | InstrFlag.MayReadMemory))
  );
}

/** Whether `instr` needs the result of `from`, directly or through others of its block. */
function isNeededBy(fn: FunctionSnapshot, instr: InstrId, from: InstrId): boolean {
  const block = fn.instrBlock[instr];
  const seen = new Set([instr]);
  for (const i of seen)
    for (let o = fn.operandStart[i]!; o < fn.operandStart[i + 1]!; o++) {
      const operand = definingInstr(fn, fn.operand[o] as ValueId);
      if (operand === from) return true;
      if (operand !== NONE && fn.instrBlock[operand] === block && fn.instrOpcode[operand] !== Opcode.Phi)
        seen.add(operand);
    }
  return false;
}

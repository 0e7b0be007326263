/** What code generation waits for in front of its use: what comes from memory or from other threads. */
import type { BlockId, InstrId, ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { InstrFlag, Opcode, definingInstr, hasFlag, terminatorOf, type FunctionSnapshot } from '../../ir/snapshot.js';
import type { PlanningContext } from './context.js';

/** What there must be known of a function. */
export type Waiting = Pick<PlanningContext, 'fn' | 'uses' | 'dominators' | 'cost' | 'fusedInto' | 'sinking'>;

/** By what code generation waits for, whether it may still be on its way in front of one branch. */
export type AwaitedResults = Map<InstrId, boolean>;

/**
 * Whether a value comes from memory or from other threads in front of the branch, and may still be on its way there:
 * neither an earlier block nor the condition needs it.
 *
 * @param known of this branch: a result may have thousands of uses
 */
export function isAwaited(ctx: Waiting, branch: BlockId, v: ValueId, known: AwaitedResults): boolean {
  const { fn, uses, dominators } = ctx;
  const from = definingInstr(fn, v);
  if (from === NONE || !isWaitedFor(fn, from)) return false;
  const isNeededEarlier = (user: InstrId): boolean => {
    const b = fn.instrBlock[user] as BlockId;
    if (fn.instrOpcode[user] === Opcode.Phi || !dominators.dominates(b, branch)) return false;
    return b !== branch || isWorkInFront(ctx, user);
  };
  let found = known.get(from);
  if (found === undefined) {
    const users = uses.user.subarray(uses.start[v]!, uses.start[v + 1]!) as unknown as readonly InstrId[];
    found = !users.some(isNeededEarlier) && !isNeededBy(fn, terminatorOf(fn, branch), from);
    known.set(from, found);
  }
  return found;
}

/**
 * Whether code generation certainly has an instruction in front of the branch of its block. What costs nothing may be
 * folded into its users, and a compare may be there for an assumption.
 */
function isWorkInFront({ fn, cost, fusedInto, sinking }: Waiting, i: InstrId): boolean {
  const opcode = fn.instrOpcode[i];
  if (opcode === Opcode.ICmp || opcode === Opcode.FCmp) return false;
  return cost[i]! > 0 && fusedInto[i] === NONE && sinking.stays(i);
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

/**
 * Versions per wave (plan.ts, `WaveVersion`): where they are allowed, and what they cost. They copy the whole region of
 * a branch, so they have a limit of size. They are not made twice for one branch: behind the question, a wave that
 * comes to the branch is known to part.
 */
import type { DivergentRegion } from '../../analysis/regions.js';
import type { BlockId, InstrId, ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { FunctionFlag, InstrFlag, LaneSource, Opcode, TypeKind, terminatorOf } from '../../ir/snapshot.js';
import type { PlanningContext } from '../cost/context.js';
import type { WaveVersion } from '../plan.js';

/** The largest region that is copied, in instructions: two copies should fit into the instruction cache. */
const MOST_COPIED = 512;

/** The version of a branch, or null where there may not be one. */
export function versionOf(ctx: PlanningContext, { branch, join, blocks }: DivergentRegion): WaveVersion | null {
  const { fn, options } = ctx;
  if (options.versions === 'never' || (fn.flags & FunctionFlag.AsksWaves) === 0) return null;
  const region = blocks.filter((b) => b !== branch);
  let size = 0;
  for (const b of region) {
    // A loop around the branch that does not pass the join.
    for (let e = fn.succStart[b]; e < fn.succStart[b + 1]; e++) if (fn.succ[e] === branch) return null;
    for (let i = fn.blockInstrStart[b] as InstrId; i < fn.blockInstrStart[b + 1]; i++) {
      if (!mayCopy(ctx, i)) return null;
      size++;
    }
  }
  return size <= MOST_COPIED && !isAsked(ctx, branch) ? { branch, join, sides: ['f', 't'] } : null;
}

function mayCopy({ fn }: PlanningContext, i: InstrId): boolean {
  const never = InstrFlag.Convergent | InstrFlag.WritesWaveState | InstrFlag.NoDuplicate;
  return (
    (fn.instrFlags[i] & never) === 0 &&
    fn.instrOpcode[i] !== Opcode.Alloca &&
    fn.typeKind[fn.instrType[i]] !== TypeKind.Token
  );
}

/** Whether the wave has been asked about the branch's condition already. */
function isAsked({ fn, uses, dominators }: PlanningContext, branch: BlockId): boolean {
  const condition = fn.operand[fn.operandStart[terminatorOf(fn, branch)]] as ValueId;
  for (let u = uses.start[condition]; u < uses.start[condition + 1]; u++) {
    const user = uses.user[u] as InstrId;
    if (fn.instrSource[user] !== LaneSource.Ballot) continue;
    const at = fn.instrBlock[user] as BlockId;
    if (at !== NONE && dominators.dominates(at, branch)) return true;
  }
  return false;
}

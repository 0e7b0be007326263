/**
 * Stand-ins let every thread execute a load without a partner (rule 4). A load may fault at an address that only its
 * own threads know to be good. So the threads of the other side load from an address from which they load anyway, that
 * of the stand-in, and nobody uses what they get. That takes a select of the addresses instead of a guard, and the load
 * is on its way together with others.
 *
 * A stand-in is a load of the other side that matches. It is in a block of the subgraph that dominates the other side's
 * block, or in the block of the branch: so these threads came by. Or it is in the other side's block itself, and
 * nothing there keeps threads from coming to it. Loads of scratch memory have none, because an alloca need not be alive
 * everywhere; nor have loads of the scalar unit, which selected addresses would move to the vector unit, and those that
 * take a line of memory per thread.
 */
import { AddressSpace } from '../../ir/address-space.js';
import type { BlockId, InstrId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { InstrFlag, Opcode, definingInstr, hasFlag, instrValue } from '../../ir/snapshot.js';
import type { PlanningContext } from '../cost/context.js';
import { OperandOrder } from '../cost/matching.js';
import { WORDS_OF_LINE, pointerOf } from '../cost/memory-accesses.js';
import { canSelect, meetsDemand } from '../cost/operands.js';

/** How many blocks are searched, up to the branch, and how many stand-ins of one load are kept. */
const MOST_BLOCKS = 16;
const MOST_LOADS = 16;

/** What is asked of a frame. */
interface Blocks {
  readonly ctx: PlanningContext;
  readonly branch: BlockId;
  readonly blockPartner: Int32Array;
  indexOf(b: BlockId): number;
}

/** The loads that may stand in for `i`, wherever their addresses are known. Those nearest to it come first. */
export function findStandIns(frame: Blocks, i: InstrId): readonly InstrId[] {
  const { ctx, branch, blockPartner } = frame;
  const { fn, dominators, options } = ctx;
  const other = blockPartner[fn.instrBlock[i]] as BlockId | -1;
  const isOff = options.mode !== 'darm' || options.profit === 'paper' || options.unpredicate === 'always';
  if (isOff || other === NONE || !isPlainLoad(ctx, i)) return [];
  const found: InstrId[] = [];
  for (let b: BlockId | -1 = other, steps = 0; b !== NONE && steps < MOST_BLOCKS; steps++) {
    // Blocks between the branch and the subgraph may be gone when the meld is carried out.
    const end = frame.indexOf(b) === NONE && b !== branch ? fn.blockInstrStart[b] : fn.blockInstrStart[b + 1];
    for (let k = fn.blockInstrStart[b] as InstrId; k < end && found.length < MOST_LOADS; k++) {
      // A thread of this block may stay there.
      if (b === other && !hasFlag(fn, k, InstrFlag.WillReturn)) break;
      if (isPlainLoad(ctx, k) && fits(ctx, i, k)) found.push(k);
    }
    if (b === branch) break;
    b = dominators.idom[b] as BlockId | -1;
  }
  return found;
}

/** A load that may run at other times and for other threads, as far as memory and its units go. */
export function isPlainLoad({ fn, divergence, strides }: PlanningContext, i: InstrId): boolean {
  const space = fn.instrAddressSpace[i];
  if (fn.instrOpcode[i] !== Opcode.Load || hasFlag(fn, i, InstrFlag.Atomic | InstrFlag.Volatile)) return false;
  if (divergence.valueDivergent[instrValue(fn, i)] === 0) return false;
  return space === AddressSpace.Local || (space === AddressSpace.Global && strides.ofAccess(i) < WORDS_OF_LINE);
}

function fits(ctx: PlanningContext, i: InstrId, other: InstrId): boolean {
  if ((ctx.matcher.orders(i, other) & OperandOrder.Straight) === 0 || !meetsDemand(ctx, i, other, 0, 0)) return false;
  const [a, b] = [pointerOf(ctx.fn, i), pointerOf(ctx.fn, other)];
  return a === b || canSelect(ctx, a, b);
}

/** Whether the address of a stand-in is known where the first `count` instructions of its side's block are done. */
export function isAddressKnown(
  { fn }: PlanningContext,
  standIn: InstrId,
  work: readonly InstrId[],
  count: number,
): boolean {
  const i = definingInstr(fn, pointerOf(fn, standIn));
  const at = i === NONE ? NONE : work.indexOf(i);
  return at < count;
}

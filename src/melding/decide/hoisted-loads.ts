/**
 * Finds loads that pair when they are hoisted. Where a side loads a value again behind a branch of its own, LLVM's
 * partial redundancy elimination moves that load in front of the branch, and the other side's load, which nothing
 * repeats, stays behind its branch. Both stay alone then. Hoisted, the two become one.
 * (Code generation moves a load down to the only block that uses it. So only loads that stay in front have partners.)
 *
 * A load is hoisted from a block into the only block that leads there. It must be safe for threads that go elsewhere:
 * what they load from lies between addresses that they access anyway, a constant distance apart and so in one object,
 * and one of these says as much about the alignment.
 */
import type { BlockId, InstrId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { InstrFlag, Opcode, definingInstr, hasFlag } from '../../ir/snapshot.js';
import type { PlanningContext } from '../cost/context.js';
import { OperandOrder } from '../cost/matching.js';
import { pointerOf, wordsOf } from '../cost/memory-accesses.js';
import { canSelect } from '../cost/operands.js';
import type { BlockWork } from '../draft/block-matches.js';
import type { Draft } from '../draft/draft.js';
import { isPlainLoad } from '../draft/stand-ins.js';

/** How many blocks are searched for accesses of one object. */
const MOST_BLOCKS = 16;

/** The work of the draft's frame with such loads in front. Null when there are none. */
export function hoisted(draft: Draft): { readonly work: readonly BlockWork[]; readonly loads: Set<InstrId> } | null {
  const { frame } = draft;
  const work = frame.work.map(({ t, f }) => ({ t: [...t], f: [...f] }));
  const loads = new Set<InstrId>();
  const move = (i: InstrId, side: 't' | 'f', to: number): void => {
    const from = work[frame.indexOf(draft.ctx.fn.instrBlock[i] as BlockId)][side];
    from.splice(from.indexOf(i), 1);
    work[to][side].push(i);
    loads.add(i);
  };
  for (const { t, f } of frame.blocks) {
    for (const [side, other, b] of [
      ['t', 'f', t],
      ['f', 't', f],
    ] as const) {
      const to = destination(draft, b);
      if (to === NONE) continue;
      const alone = frame.work[to][other].filter(
        (i) => isAlone(draft, i) && !loads.has(i) && draft.ctx.sinking.stays(i),
      );
      for (const i of movable(draft, b as BlockId)) {
        const k = alone.findIndex((each) => mayPair(draft.ctx, i, each));
        if (k === NONE) continue;
        alone.splice(k, 1);
        move(i, side, to);
      }
    }
  }
  return loads.size === 0 ? null : { work, loads };
}

/** The melded block to which loads of `b` may move. `NONE` without one that both sides come to. */
function destination({ ctx, frame }: Draft, b: BlockId | -1): number {
  const above = b === NONE ? NONE : onlyPredecessor(ctx, b);
  const isSameLoop = above !== NONE && ctx.cycles.cycleOf(above) === ctx.cycles.cycleOf(b as BlockId);
  const to = !isSameLoop || above === b ? NONE : frame.indexOf(above);
  return to === NONE || frame.blocks[to].t === NONE || frame.blocks[to].f === NONE ? NONE : to;
}

const isAlone = ({ ctx, partner }: Draft, i: InstrId): boolean => partner[i] === NONE && isPlainLoad(ctx, i);

/** The loads of `b` that may move to the end of the block in front of it. */
function movable(draft: Draft, b: BlockId): readonly InstrId[] {
  const { ctx } = draft;
  const { fn } = ctx;
  const above = onlyPredecessor(ctx, b) as BlockId;
  const found: InstrId[] = [];
  for (let i = fn.blockInstrStart[b] as InstrId; i < fn.blockInstrStart[b + 1] - 1; i++) {
    if (hasFlag(fn, i, STAYS_BEHIND)) break;
    if (isAlone(draft, i) && isSafe(ctx, i, above)) found.push(i);
  }
  return found;
}

/** No load moves up past such an instruction. */
const STAYS_BEHIND = InstrFlag.MayWriteMemory | InstrFlag.MaySync | InstrFlag.Convergent;

function onlyPredecessor({ graph }: PlanningContext, b: BlockId): BlockId | -1 {
  const first = graph.predStart[b];
  return graph.predStart[b + 1] - first === 1 ? (graph.pred[first] as BlockId) : NONE;
}

function mayPair(ctx: PlanningContext, i: InstrId, other: InstrId): boolean {
  if (ctx.matcher.orders(i, other) === OperandOrder.None) return false;
  return canSelect(ctx, pointerOf(ctx.fn, i), pointerOf(ctx.fn, other));
}

/** Whether threads that come to the end of `above` may load what `i` loads, and know the address. */
function isSafe({ fn, dominators }: PlanningContext, i: InstrId, above: BlockId): boolean {
  const pointer = pointerOf(fn, i);
  const base = fn.valueBase[pointer];
  const defined = definingInstr(fn, pointer);
  if (base === NONE || (defined !== NONE && fn.instrBlock[defined] === fn.instrBlock[i])) return false;
  const offset = fn.valueOffset[pointer];
  const align = Math.max(1, fn.instrAlign[i]);
  let [isBelow, isAbove, isAligned] = [false, false, false];
  let b: BlockId | -1 = above;
  for (let steps = 0; b !== NONE && steps < MOST_BLOCKS && !(isBelow && isAbove && isAligned); steps++) {
    for (let k = fn.blockInstrStart[b] as InstrId; k < fn.blockInstrStart[b + 1]; k++) {
      const opcode = fn.instrOpcode[k];
      if ((opcode !== Opcode.Load && opcode !== Opcode.Store) || fn.valueBase[pointerOf(fn, k)] !== base) continue;
      const at = fn.valueOffset[pointerOf(fn, k)];
      isBelow ||= at <= offset;
      isAbove ||= at + bytesOf(k) >= offset + bytesOf(i);
      // The code in between may ask for the alignment.
      isAligned ||= fn.instrAlign[k] >= align && (offset - at) % align === 0;
    }
    b = dominators.idom[b] as BlockId | -1;
  }
  return isBelow && isAbove && isAligned;

  function bytesOf(each: InstrId): number {
    return wordsOf(fn, each) * 4;
  }
}

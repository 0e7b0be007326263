/**
 * Loads in front of a branch that both sides use, in blocks that become one. Code generation (analysis/sinking.ts)
 * leaves them in front of both blocks, but moves them down into the one.
 */
import type { BlockId, InstrId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { InstrFlag, Opcode, hasFlag, instrValue } from '../../ir/snapshot.js';
import type { PlanningContext } from '../cost/context.js';
import type { MeldedBlock } from '../plan.js';

/** What is asked of a frame. */
interface Blocks {
  readonly ctx: PlanningContext;
  readonly branch: BlockId;
  readonly front: boolean;
  readonly blocks: readonly MeldedBlock[];
  indexOf(b: BlockId): number;
}

/** Per block pair: the loads that move down into the melded block. */
export function findLoadsMovedDown(frame: Blocks): readonly (readonly InstrId[])[] {
  const { fn, uses } = frame.ctx;
  const moved = frame.blocks.map((): InstrId[] => []);
  // A load only goes down to a block behind its own, which the melded entry becomes a part of.
  if (frame.front || frame.blocks.length === 1) return moved;
  const isBehindEntry = frame.blocks.map((_, k) => followsEntry(frame, k));
  const [start, end] = [fn.blockInstrStart[frame.branch], fn.blockInstrStart[frame.branch + 1] - 1];
  /** By instruction of the branch's block, the melded block that alone uses it. */
  const home = new Int32Array(end - start).fill(NONE);
  for (let i = (end - 1) as InstrId; i >= start; i--) {
    if (hasFlag(fn, i, InstrFlag.MayWriteMemory)) break;
    const v = instrValue(fn, i);
    let only = NONE as number;
    for (let u = uses.start[v]; u < uses.start[v + 1]; u++) {
      const user = uses.user[u];
      const isPhi = fn.instrOpcode[user] === Opcode.Phi;
      const at = (isPhi ? fn.operandBlock[uses.operand[u]] : fn.instrBlock[user]) as BlockId;
      const k = at === frame.branch && !isPhi ? (home[user - start] ?? NONE) : frame.indexOf(at);
      if (k === NONE || !isBehindEntry[k] || (only !== NONE && only !== k)) {
        only = NONE;
        break;
      }
      only = k;
    }
    home[i - start] = only;
    if (only !== NONE && fn.instrOpcode[i] === Opcode.Load) moved[only].push(i);
  }
  return moved;
}

/** Whether both blocks of a pair come behind the entries of their sides, and behind nothing else. */
function followsEntry({ ctx, blocks }: Blocks, k: number): boolean {
  const { predStart, pred } = ctx.graph;
  const follows = (b: BlockId | -1, entry: BlockId | -1): boolean =>
    b !== NONE && predStart[b + 1] - predStart[b] === 1 && pred[predStart[b]] === entry;
  return follows(blocks[k].t, blocks[0].t) && follows(blocks[k].f, blocks[0].f);
}

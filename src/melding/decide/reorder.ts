/**
 * Finds another order of the instructions of two corresponding blocks, in which more of them can be aligned. An
 * alignment keeps the order of both blocks, and compilers put independent instructions in any order.
 *
 * Both blocks are scheduled together, as in list scheduling: of the instructions that wait for nothing any more, the
 * two that gain most as one come next. If no two gain anything, the next one of each block comes alone.
 */
import { AddressSpace } from '../../ir/address-space.js';
import type { InstrId, ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { InstrFlag, Opcode, definingInstr, hasFlag, instrValue } from '../../ir/snapshot.js';
import type { PlanningContext } from '../cost/context.js';
import { OperandOrder } from '../cost/matching.js';
import { selectCycles } from '../cost/operands.js';
import type { Draft } from '../draft/draft.js';
import type { BlockWork } from '../draft/block-matches.js';
import { Scorer, usersMayPair } from './scorer.js';

/** @param draft one without pairs; it gets some */
export function reordered(draft: Draft): readonly BlockWork[] {
  const { ctx, frame } = draft;
  const nothing = frame.borrowTable();
  const scorer = new Scorer(draft, 'net', nothing);
  return frame.work.map((work, k) => {
    if (work.t.length === 0 || work.f.length === 0) return work;
    scorer.enter(k);
    const [t, f] = [new Schedule(ctx, work.t), new Schedule(ctx, work.f)];
    while (!t.isDone || !f.isDone) {
      const best = bestPair(draft, scorer, t.ready, f.ready);
      if (best === null) {
        t.takeFirst();
        f.takeFirst();
        continue;
      }
      draft.pair(best.t, best.f, best.swapped);
      t.take(best.t);
      f.take(best.f);
    }
    return { t: t.order, f: f.order };
  });
}

interface Pair {
  readonly t: InstrId;
  readonly f: InstrId;
  readonly swapped: boolean;
}

function bestPair(draft: Draft, scorer: Scorer, ready: Iterable<InstrId>, others: Iterable<InstrId>): Pair | null {
  const { ctx } = draft;
  let best: Pair | null = null;
  let most = 0;
  for (const t of ready)
    for (const f of others) {
      const orders = ctx.matcher.orders(t, f);
      if (orders === OperandOrder.None) continue;
      // Their users come later. If they may pair, they need no select.
      const spared = usersMayPair(draft, t, f, null) ? selectCycles(ctx, instrValue(ctx.fn, t)) : 0;
      const score = scorer.best(t, f, orders) + spared;
      if (score <= most) continue;
      most = score;
      const swapped = orders === OperandOrder.Either ? scorer.prefersCrossed(t, f) : orders === OperandOrder.Swapped;
      best = { t, f, swapped };
    }
  return best;
}

/** The instructions of one block, in an order that keeps what depends on each other in its order. */
class Schedule {
  readonly order: InstrId[] = [];
  /** Those that wait for nothing, in the order of the block. */
  readonly ready: InstrId[] = [];
  private readonly waiting = new Map<InstrId, number>();
  private readonly users = new Map<InstrId, InstrId[]>();

  constructor(
    ctx: PlanningContext,
    private readonly all: readonly InstrId[],
  ) {
    const users = all.map((): InstrId[] => []);
    for (let n = 0; n < all.length; n++) {
      const i = all[n];
      let count = 0;
      for (let m = 0; m < n; m++) {
        if (!mustFollow(ctx, i, all[m])) continue;
        users[m].push(i);
        count++;
      }
      this.waiting.set(i, count);
      if (count === 0) this.ready.push(i);
      this.users.set(i, users[n]);
    }
  }

  get isDone(): boolean {
    return this.order.length === this.all.length;
  }

  take(i: InstrId): void {
    this.ready.splice(this.ready.indexOf(i), 1);
    this.order.push(i);
    for (const user of this.users.get(i)!) {
      const left = this.waiting.get(user)! - 1;
      this.waiting.set(user, left);
      if (left > 0) continue;
      const place = this.ready.findIndex((each) => each > user);
      this.ready.splice(place < 0 ? this.ready.length : place, 0, user);
    }
  }

  takeFirst(): void {
    const [first] = this.ready;
    if (first !== undefined) this.take(first);
  }
}

/** Whether `i` must stay behind `earlier`, an instruction of the same block. */
function mustFollow(ctx: PlanningContext, i: InstrId, earlier: InstrId): boolean {
  const { fn } = ctx;
  for (let o = fn.operandStart[i]; o < fn.operandStart[i + 1]; o++)
    if (definingInstr(fn, fn.operand[o] as ValueId) === earlier) return true;
  if (hasFlag(fn, i, InstrFlag.Speculatable) || hasFlag(fn, earlier, InstrFlag.Speculatable)) return false;
  // Calls, atomics, fences and volatile accesses keep their place among all that has effects or may fault.
  if (!isPlain(ctx, i) || !isPlain(ctx, earlier)) return true;
  if (!isStore(ctx, i) && !isStore(ctx, earlier)) return false;
  return isAccess(ctx, i) && isAccess(ctx, earlier) && mayOverlap(ctx, i, earlier);
}

const isStore = ({ fn }: PlanningContext, i: InstrId): boolean => fn.instrOpcode[i] === Opcode.Store;
const isAccess = (ctx: PlanningContext, i: InstrId): boolean =>
  isStore(ctx, i) || ctx.fn.instrOpcode[i] === Opcode.Load;

const EFFECTS =
  InstrFlag.HasSideEffects |
  InstrFlag.MayReadMemory |
  InstrFlag.MayWriteMemory |
  InstrFlag.Convergent |
  InstrFlag.WritesWaveState;

/** A load or store like any other, or an operation that has no effects but may fault. */
function isPlain(ctx: PlanningContext, i: InstrId): boolean {
  const { fn } = ctx;
  if ((fn.instrFlags[i] & (InstrFlag.Atomic | InstrFlag.Volatile | InstrFlag.MaySync)) !== 0) return false;
  return isAccess(ctx, i) || (fn.instrFlags[i] & EFFECTS) === 0;
}

/**
 * Whether two accesses may touch the same memory: unless they are of LDS and of global memory, or of different parts.
 */
function mayOverlap(ctx: PlanningContext, i: InstrId, other: InstrId): boolean {
  const { fn } = ctx;
  const [a, b] = [fn.instrAddressSpace[i], fn.instrAddressSpace[other]];
  if (a !== b && isApart(a) && isApart(b)) return false;
  const pointer = (each: InstrId): number => fn.operand[fn.operandStart[each] + (isStore(ctx, each) ? 1 : 0)];
  const [p, q] = [pointer(i), pointer(other)];
  if (fn.valueBase[p] === NONE || fn.valueBase[p] !== fn.valueBase[q]) return true;
  const bytes = (each: InstrId): number => {
    const value = isStore(ctx, each) ? fn.operand[fn.operandStart[each]] : instrValue(fn, each);
    return Math.ceil(fn.typeBits[fn.valueType[value]] / 8);
  };
  // Addresses of 32 bits wrap around.
  const distance = (fn.valueOffset[q] - fn.valueOffset[p]) | 0;
  // The size of some types is not known here.
  if (bytes(i) === 0 || bytes(other) === 0) return true;
  return distance < bytes(i) && -distance < bytes(other);
}

/** Whether an address space shares no memory with the others of which this is said. */
const isApart = (space: number): boolean =>
  space === AddressSpace.Local || space === AddressSpace.Global || space === AddressSpace.Private;

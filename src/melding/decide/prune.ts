/**
 * Takes back pairs that are illegal with the operands that they really get (rules 2 and 3), and pairs that cost more
 * in selects than they save. Sweeps from users to definitions until nothing changes. Pairs only go and never come, so
 * this ends.
 *
 * The worth of a pair is what one instruction instead of two saves, plus the selects that its users would need without
 * it, plus the gaps that it spares, minus its share of the selects that its own operands need.
 */
import type { BlockId, InstrId } from '../../ir/ids.js';
import { InstrFlag, TypeKind, hasFlag, instrValue } from '../../ir/snapshot.js';
import type { Draft } from '../draft/draft.js';
import type { Slot } from '../draft/frame.js';
import { CostModel } from '../cost/cost-model.js';
import { lostOffsetCost, lostWidth } from '../draft/losses.js';
import { canSelect } from '../cost/operands.js';
import type { ProfitModel } from '../plan.js';
import { meldedUniformity } from '../draft/uniformity.js';

const MOST_SWEEPS = 12;
/**
 * The price, in selects, of a select that is not allowed. It is high, because the users that need it would lose their
 * pair.
 */
const IMPOSSIBLE = 64;

export function prune(draft: Draft, profit: ProfitModel): void {
  for (let sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    dropIllegal(draft);
    if (profit === 'paper' || !dropUnprofitable(draft)) return;
  }
  dropIllegal(draft);
}

function dropIllegal(draft: Draft): void {
  const { frame } = draft;
  for (let changed = true; changed;) {
    changed = false;
    for (const { t: list } of frame.work) {
      for (const t of list) {
        if (draft.partner[t] < 0 || draft.isLegal(t)) continue;
        draft.unpair(t);
        changed = true;
      }
    }
    for (const [t] of draft.phis.filter(([phi, f]) => !draft.canSelectAll(frame.phiSlots(phi, f)))) {
      draft.unpairPhis(t);
      changed = true;
    }
  }
}

/** How many slots share a select, by `Slot.key`. */
class SlotCounts {
  private readonly counts = new Map<number, number>();
  constructor(draft: Draft) {
    for (const slot of draft.allSlots()) this.add(slot, 1);
  }
  add({ key }: Slot, by: number): void {
    this.counts.set(key, (this.counts.get(key) ?? 0) + by);
  }
  of(key: number): number {
    return this.counts.get(key) ?? 0;
  }
}

function dropUnprofitable(draft: Draft): boolean {
  const { ctx, frame } = draft;
  const { fn } = ctx;
  const { divergent } = meldedUniformity(draft);
  const counts = new SlotCounts(draft);
  let changed = false;

  /** The cost of the select that users need if the two stay apart. */
  const spared = (t: InstrId, f: InstrId, own: readonly Slot[]): number => {
    if (fn.typeKind[fn.instrType[t]] === TypeKind.Void) return 0;
    const [a, b] = [instrValue(fn, t), instrValue(fn, f)];
    const key = frame.keyOf(a, b);
    let users = counts.of(key);
    for (const s of own) if (s.key === key) users--;
    if (users <= 0) return 0;
    const cost = frame.selectCost(a, b, fn.instrBlock[t] as BlockId);
    return canSelect(ctx, a, b) ? cost : cost * IMPOSSIBLE;
  };
  const needed = (slots: readonly Slot[]): number => {
    let sum = 0;
    for (const s of slots) if (!draft.isOne(s)) sum += s.cost / Math.max(1, counts.of(s.key));
    return sum;
  };
  const forget = (slots: readonly Slot[]): void => {
    for (const s of slots) counts.add(s, -1);
    changed = true;
  };

  for (let k = frame.work.length - 1; k >= 0; k--) {
    const { t: list } = frame.work[k];
    if (list.length === 0) continue;
    const weight = frame.weight(frame.blocks[k].t as BlockId);
    for (let n = list.length - 1; n >= 0; n--) {
      const t = list[n];
      const f = draft.partner[t] as InstrId;
      if (f < 0) continue;
      const facts = draft.factsOf(t);
      const lost = lostOffsetCost(draft, ctx, t, f) + lostWidth(draft, ctx, t, f);
      const gain = facts.gain(divergent[t] === 1) - lost + gapCost(draft, t) + gapCost(draft, f);
      if (gain * weight + spared(t, f, facts.slots) - needed(facts.slots) >= 0) continue;
      forget(facts.slots);
      draft.unpair(t);
    }
  }
  for (const [t, f] of draft.phis) {
    const slots = frame.phiSlots(t, f);
    const wasUniform =
      ctx.divergence.valueDivergent[instrValue(fn, t)] === 0 && ctx.divergence.valueDivergent[instrValue(fn, f)] === 0;
    const lost = wasUniform && divergent[t] === 1 ? ctx.costs.target.valu * ctx.weight[fn.instrBlock[t]] : 0;
    if (spared(t, f, slots) - needed(slots) - lost > 0) continue;
    forget(slots);
    draft.unpairPhis(t);
  }
  return changed;
}

/** What `i` costs as a gap: little if it may be speculated, nothing more if a neighbour is a gap, otherwise a guard. */
function gapCost(draft: Draft, i: InstrId): number {
  const { ctx } = draft;
  const isSafe = hasFlag(ctx.fn, i, InstrFlag.Speculatable) || draft.frame.standIns(i).length > 0;
  if (isSafe && ctx.options.unpredicate !== 'always') return CostModel.speculate;
  const isGap = (x: number): boolean =>
    ctx.fn.instrBlock[x] === ctx.fn.instrBlock[i] &&
    draft.partner[x] < 0 &&
    !hasFlag(ctx.fn, x as InstrId, InstrFlag.Marker);
  return isGap(i - 1) || isGap(i + 1) ? 0 : ctx.costs.target.guard;
}

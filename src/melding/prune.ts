/**
 * Takes back pairs that are illegal with the operands they really get (rules 2 and 3), or that cost more in selects than they
 * save. Sweeps from users to definitions until nothing changes; pairs only ever go, so it ends.
 *
 * A pair is worth: what becoming one saves, plus the selects its users would need if it did not, plus the gaps it spares,
 * minus its share of the selects its own operands need.
 */
import type { InstrId } from '../ir/ids.js';
import { InstrFlag, TypeKind, hasFlag, terminatorOf } from '../ir/snapshot.js';
import type { Draft, Slot } from './draft.js';
import { CostModel, lostOffsetCost, pairGain } from './gains.js';
import { canSelect } from './operands.js';
import type { ProfitModel } from './plan.js';
import { meldedUniformity } from './uniformity.js';

const MOST_SWEEPS = 12;
/** Selects that are not allowed: whoever depends on them would fall too. */
const IMPOSSIBLE = 64;

export function prune(draft: Draft, profit: ProfitModel): void {
  for (let sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    dropIllegal(draft);
    if (profit === 'paper' || !dropUnprofitable(draft)) return;
  }
  dropIllegal(draft);
}

function dropIllegal(draft: Draft): void {
  for (let changed = true; changed; ) {
    changed = false;
    for (const t of draft.workOfT()) {
      if (draft.partner[t] < 0 || draft.isLegal(t)) continue;
      draft.unpair(t);
      changed = true;
    }
    const legal = draft.phis.filter(([t, g]) => draft.isLegalPhi(t, g));
    if (legal.length === draft.phis.length) continue;
    for (const phi of draft.phis) if (!legal.includes(phi)) draft.unpair(phi[0]);
    draft.phis = legal;
    changed = true;
  }
}

/** How many slots need the select of one pair of values. */
class SlotCounts {
  private readonly counts = new Map<number, number>();
  constructor(private readonly draft: Draft) {
    for (const slot of draft.allSlots()) this.add(slot, 1);
  }
  add(slot: Slot, by: number): void {
    const key = this.key(slot.t, slot.f);
    this.counts.set(key, (this.counts.get(key) ?? 0) + by);
  }
  of(t: number, f: number): number {
    return this.counts.get(this.key(t, f)) ?? 0;
  }
  private key(t: number, f: number): number {
    return t * this.draft.ctx.f.valueCount + f;
  }
}

function dropUnprofitable(draft: Draft): boolean {
  const { ctx } = draft;
  const { f } = ctx;
  const uniformity = meldedUniformity(draft);
  const counts = new SlotCounts(draft);
  let changed = false;

  /** Selects that users need if the two stay apart. */
  const spared = (t: InstrId, g: InstrId, own: readonly Slot[]): number => {
    if (f.typeKind[f.instrType[t]] === TypeKind.Void) return 0;
    const [a, b] = [draft.valueOf(t), draft.valueOf(g)];
    const users = counts.of(a, b) - own.filter((s) => s.t === a && s.f === b).length;
    if (users <= 0) return 0;
    const cost = draft.selectCost({ t: a, f: b, at: blockOf(draft, t), user: t });
    return canSelect(f, a, b) ? cost : cost * IMPOSSIBLE;
  };
  const needed = (slots: readonly Slot[]): number => {
    let sum = 0;
    for (const s of slots) if (!draft.same(s.t, s.f)) sum += draft.selectCost(s) / Math.max(1, counts.of(s.t, s.f));
    return sum;
  };
  const drop = (t: InstrId, slots: readonly Slot[]): void => {
    for (const s of slots) counts.add(s, -1);
    draft.unpair(t);
    changed = true;
  };

  for (let k = draft.blocks.length - 1; k >= 0; k--) {
    const { t: bt } = draft.blocks[k];
    for (let t = (terminatorOf(f, bt) - 1) as InstrId; t >= f.blockInstrStart[bt]; t--) {
      const g = draft.partner[t] as InstrId;
      if (g < 0 || draft.phis.some(([p]) => p === t)) continue;
      const slots = draft.slotsOf(t);
      const gain = pairGain(ctx, t, g, uniformity.divergent[t] === 1) - lostOffsetCost(draft, t, g) + gapCost(draft, t) + gapCost(draft, g);
      if (gain * ctx.weight[bt] + spared(t, g, slots) - needed(slots) < 0) drop(t, slots);
    }
  }
  draft.phis = draft.phis.filter(([t, g]) => {
    const slots = draft.slotsOfPhi(t, g);
    const wasUniform = ctx.divergence.valueDivergent[draft.valueOf(t)] === 0 && ctx.divergence.valueDivergent[draft.valueOf(g)] === 0;
    const lost = wasUniform && uniformity.divergent[t] === 1 ? ctx.costs.target.valu * ctx.weight[f.instrBlock[t]] : 0;
    if (spared(t, g, slots) - needed(slots) - lost > 0) return true;
    drop(t, slots);
    return false;
  });
  return changed;
}

const blockOf = (draft: Draft, t: InstrId): typeof draft.branch => draft.ctx.f.instrBlock[t] as typeof draft.branch;

/** What `i` costs as a gap: little when it may be speculated or has a gap for a neighbour, else a guard. */
function gapCost(draft: Draft, i: InstrId): number {
  const { ctx } = draft;
  if (hasFlag(ctx.f, i, InstrFlag.Speculatable)) return CostModel.speculate;
  const isGap = (x: number): boolean => ctx.f.instrBlock[x] === ctx.f.instrBlock[i] && draft.partner[x] < 0 && !hasFlag(ctx.f, x as InstrId, InstrFlag.Marker);
  return isGap(i - 1) || isGap(i + 1) ? 0 : ctx.costs.target.guard;
}

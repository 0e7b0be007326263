/**
 * Pairs the instructions and phis of a draft: candidates for phis, then an optimal alignment of each pair of corresponding
 * blocks in reverse post-order, so that for operands from earlier blocks it is known whether they are one value. Inside
 * one block the first attempt is optimistic (operands that could pair cost no select); prune.ts then judges exactly, and a
 * second attempt takes that outcome as its estimate.
 */
import type { BlockId, InstrId, ValueId } from '../ir/ids.js';
import { InstrFlag, Opcode, definingInstr, hasFlag, instrValue } from '../ir/snapshot.js';
import { MOST_CELLS, align } from './alignment.js';
import type { PlanningContext } from './context.js';
import type { Draft } from './draft.js';
import { incomingFrom } from './draft.js';
import { CostModel, pairGain } from './gains.js';
import { OperandOrder } from './matching.js';
import { canSelect, correspondingOperand, demandOn, isUniformAt, selectCycles } from './operands.js';
import type { ProfitModel } from './plan.js';

/** How users of two values are compared: this many of each are looked at. */
const MOST_USERS = 8;

/** Largest number of cells any pair of blocks of the draft needs. */
export function cellsOf(draft: Draft): number {
  const { f } = draft.ctx;
  const size = (b: BlockId): number => f.blockInstrStart[b + 1] - f.blockInstrStart[b];
  return Math.max(...draft.blocks.map((b) => size(b.t) * size(b.f)));
}

export const isTooLarge = (draft: Draft): boolean => cellsOf(draft) > MOST_CELLS;

/** Proposes phi pairs: equal types, most in common first in the order of the T side. */
export function proposePhis(draft: Draft): void {
  const { f } = draft.ctx;
  for (const { t: bt, f: bf } of draft.blocks) {
    const free: InstrId[] = phisOf(draft.ctx, bf);
    for (const t of phisOf(draft.ctx, bt)) {
      let best = -1;
      let bestAffinity = 0;
      for (let k = 0; k < free.length; k++) {
        if (f.instrType[free[k]] !== f.instrType[t]) continue;
        const affinity = phiAffinity(draft, t, free[k]);
        if (affinity > bestAffinity) [best, bestAffinity] = [k, affinity];
      }
      if (best < 0) continue;
      draft.phis.push([t, free[best]]);
      draft.pair(t, free[best], false);
      free.splice(best, 1);
    }
  }
}

function phisOf({ f }: PlanningContext, b: BlockId): InstrId[] {
  const list: InstrId[] = [];
  for (let i = f.blockInstrStart[b]; f.instrOpcode[i] === Opcode.Phi; i++) list.push(i as InstrId);
  return list;
}

function phiAffinity(draft: Draft, t: InstrId, g: InstrId): number {
  const { ctx, blockPartner } = draft;
  const { f } = ctx;
  let affinity = usersMayPair(draft, t, g, null) ? 2 : 0;
  for (let o = f.operandStart[t]; o < f.operandStart[t + 1]; o++) {
    const partner = blockPartner[f.operandBlock[o]];
    const a = f.operand[o] as ValueId;
    const b = partner < 0 ? outsideValue(draft, g) : incomingFrom(ctx, g, partner as BlockId);
    if (b === null) continue;
    const [i, j] = [definingInstr(f, a), definingInstr(f, b)];
    if (a === b) affinity += 1;
    else if (i >= 0 && j >= 0 && ctx.matcher.orders(i, j) !== OperandOrder.None) affinity += 1;
  }
  return affinity;
}

function outsideValue({ ctx: { f }, blockPartner }: Draft, phi: InstrId): ValueId | null {
  for (let o = f.operandStart[phi]; o < f.operandStart[phi + 1]; o++)
    if (blockPartner[f.operandBlock[o]] < 0) return f.operand[o] as ValueId;
  return null;
}

/** Whether some use of `t` and some use of `g` may become one (or did, if that is known), so that pairing both spares a select. */
function usersMayPair(draft: Draft, t: InstrId, g: InstrId, known: Int32Array | null): boolean {
  const { f, uses } = draft.ctx;
  const [a, b] = [instrValue(f, t), instrValue(f, g)];
  const endA = Math.min(uses.start[a + 1], uses.start[a] + MOST_USERS);
  const endB = Math.min(uses.start[b + 1], uses.start[b] + MOST_USERS);
  for (let x = uses.start[a]; x < endA; x++) {
    const u = uses.user[x];
    for (let y = uses.start[b]; y < endB; y++) {
      const v = uses.user[y];
      if (f.instrOpcode[u] !== f.instrOpcode[v] || f.instrKey[u] !== f.instrKey[v]) continue;
      if (f.instrOpcode[u] === Opcode.Phi || hasFlag(f, u as InstrId, InstrFlag.Terminator)) {
        if (u === v || draft.partner[u] === v) return true;
        continue;
      }
      if (known ? known[u] !== v : f.instrKey[u] < 0 || draft.blockPartner[f.instrBlock[u]] !== f.instrBlock[v]) continue;
      const mayCross = hasFlag(f, u as InstrId, InstrFlag.Commutative) || f.instrPredicate[u] >= 0;
      if (mayCross || uses.operand[x] - f.operandStart[u] === uses.operand[y] - f.operandStart[v]) return true;
    }
  }
  return false;
}

/**
 * Aligns every pair of blocks. `known`, if given, are the partners of an earlier attempt: what paired then is taken to pair
 * again, what did not is taken not to.
 */
export function alignBlocks(draft: Draft, profit: ProfitModel, known: Int32Array | null): void {
  const { ctx } = draft;
  const { target } = ctx.costs;
  for (const { t: bt, f: bf } of draft.blocks) {
    const t = [...draft.workOf(bt)];
    const g = [...draft.workOf(bf)];
    if (t.length === 0 || g.length === 0) continue;
    const speculatable = (list: readonly InstrId[]): Uint8Array =>
      Uint8Array.from(list, (i) => (hasFlag(ctx.f, i, InstrFlag.Speculatable) ? 1 : 0));
    const orders = new Uint8Array(t.length * g.length);
    let any = false;
    for (let i = 0; i < t.length; i++)
      for (let j = 0; j < g.length; j++)
        if (ctx.f.instrKey[t[i]] === ctx.f.instrKey[g[j]] && (orders[i * g.length + j] = ctx.matcher.orders(t[i], g[j])) !== 0)
          any = true;
    if (!any) continue;
    const scorer = new Scorer(draft, profit, bt, bf, known);
    const { partner } = align({
      countT: t.length,
      countF: g.length,
      score: (i, j) => {
        const allowed = orders[i * g.length + j];
        return allowed === 0 ? -Infinity : scorer.best(t[i], g[j], allowed).score;
      },
      speculatableT: speculatable(t),
      speculatableF: speculatable(g),
      speculateCost: CostModel.speculate,
      guardCost: target.guard,
      secondGuardCost: target.guard * CostModel.secondGuard,
    });
    for (let i = 0; i < t.length; i++) {
      const j = partner[i];
      if (j >= 0) draft.pair(t[i], g[j], scorer.best(t[i], g[j], orders[i * g.length + j]).swapped);
    }
  }
}

/** Gain of one pair under the estimate which operands are one value. */
class Scorer {
  constructor(
    private readonly draft: Draft,
    private readonly profit: ProfitModel,
    private readonly bt: BlockId,
    private readonly bf: BlockId,
    private readonly known: Int32Array | null,
  ) {}

  best(t: InstrId, g: InstrId, orders: number): { score: number; swapped: boolean } {
    const straight = (orders & OperandOrder.Straight) !== 0 ? this.score(t, g, false) : -Infinity;
    const crossed = (orders & OperandOrder.Swapped) !== 0 ? this.score(t, g, true) : -Infinity;
    return crossed > straight ? { score: crossed, swapped: true } : { score: straight, swapped: false };
  }

  private score(t: InstrId, g: InstrId, swapped: boolean): number {
    const { draft, profit } = this;
    const { ctx } = draft;
    const { f, divergence } = ctx;
    let selects = 0;
    let divergent = divergence.valueDivergent[instrValue(f, t)] === 1 || divergence.valueDivergent[instrValue(f, g)] === 1;
    for (let k = 0, n = f.operandStart[t + 1] - f.operandStart[t]; k < n; k++) {
      const kg = correspondingOperand(k, swapped);
      const a = f.operand[f.operandStart[t] + k] as ValueId;
      const b = f.operand[f.operandStart[g] + kg] as ValueId;
      const demand = demandOn(f, t, g, k, kg);
      if (demand !== 'any') {
        if (a !== b || (demand === 'uniform' && !isUniformAt(ctx, a, t, k, g, kg))) return -Infinity;
        continue;
      }
      if (this.mayBeSame(a, b)) continue;
      if (!canSelect(f, a, b)) return -Infinity;
      selects += draft.selectCost({ t: a, f: b, at: this.bt, user: t }) / ctx.weight[this.bt];
      divergent = true;
    }
    if (profit === 'paper') return ctx.costs.vector[t] + CostModel.pairBonus - selects * PAPER_SELECTS;
    const reward = usersMayPair(draft, t, g, this.known) ? selectCycles(ctx, instrValue(f, t)) : 0;
    return pairGain(ctx, t, g, divergent) + reward - selects;
  }

  private mayBeSame(a: ValueId, b: ValueId): boolean {
    const { draft, known } = this;
    if (draft.same(a, b)) return true;
    const { f, matcher } = draft.ctx;
    const [i, j] = [definingInstr(f, a), definingInstr(f, b)];
    if (i < 0 || j < 0 || f.instrBlock[i] !== this.bt || f.instrBlock[j] !== this.bf) return false;
    return known ? known[i] === j : matcher.orders(i, j) !== OperandOrder.None;
  }
}

/** The paper's alignment does not weigh selects; a trace of them decides between operand orders. */
const PAPER_SELECTS = 1 / 1024;

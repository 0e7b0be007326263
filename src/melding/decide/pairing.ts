/**
 * Pairs the phis and instructions of a draft. First it proposes phi pairs. Then each pair of corresponding blocks
 * gets an optimal alignment, in reverse post-order, so that it is known which operands from earlier blocks are one
 * value. Inside one block the first attempt is optimistic: operands that may pair cost no select. prune.ts then takes
 * back what was too optimistic, and a second attempt can use the outcome of the first as its estimate.
 */
import type { BlockId, InstrId, ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { Opcode, definingInstr } from '../../ir/snapshot.js';
import { MOST_CELLS, align } from './alignment.js';
import type { PlanningContext } from '../cost/context.js';
import type { Draft, PhiPairs } from '../draft/draft.js';
import type { BlockMatches, BlockWork } from '../draft/block-matches.js';
import { incomingFrom, type Frame } from '../draft/frame.js';
import { CostModel } from '../cost/cost-model.js';
import { OperandOrder } from '../cost/matching.js';
import type { ProfitModel } from '../plan.js';
import { areEqual } from './equal-arrays.js';
import { Scorer, usersMayPair } from './scorer.js';

export const isTooLarge = (frame: Frame): boolean => frame.cells > MOST_CELLS;

/**
 * Pairs phis of equal type: each T phi, in order, with the F phi it has most in common with. Pairs them in the draft,
 * too.
 */
export function proposePhis(draft: Draft): PhiPairs {
  const { fn } = draft.ctx;
  for (const [k, { t: bt, f: bf }] of draft.frame.blocks.entries()) {
    if (bt === NONE || bf === NONE || !draft.frame.mayPairPhis(k)) continue;
    const free: InstrId[] = phisOf(draft.ctx, bf);
    for (const t of phisOf(draft.ctx, bt)) {
      let best = -1;
      let bestAffinity = 0;
      for (let k = 0; k < free.length; k++) {
        if (fn.instrType[free[k]] !== fn.instrType[t]) continue;
        const affinity = phiAffinity(draft, t, free[k]);
        if (affinity > bestAffinity) [best, bestAffinity] = [k, affinity];
      }
      if (best < 0) continue;
      draft.pairPhis(t, free[best]);
      free.splice(best, 1);
    }
  }
  return draft.phis;
}

function phisOf({ fn }: PlanningContext, b: BlockId): InstrId[] {
  const list: InstrId[] = [];
  for (let i = fn.blockInstrStart[b]; fn.instrOpcode[i] === Opcode.Phi; i++) list.push(i as InstrId);
  return list;
}

function phiAffinity(draft: Draft, t: InstrId, f: InstrId): number {
  const { ctx } = draft;
  const { frame } = draft;
  const { fn } = ctx;
  let affinity = usersMayPair(draft, t, f, null) ? 2 : 0;
  for (let o = fn.operandStart[t]; o < fn.operandStart[t + 1]; o++) {
    const from = fn.operandBlock[o];
    const a = fn.operand[o] as ValueId;
    const isInside = frame.indexOf(from as BlockId) !== NONE;
    const b = isInside ? incomingFrom(ctx, f, frame.blockPartner[from] as BlockId) : outsideValue(draft, f);
    if (b === null) continue;
    const [i, j] = [definingInstr(fn, a), definingInstr(fn, b)];
    if (a === b) affinity += 1;
    else if (i >= 0 && j >= 0 && ctx.matcher.orders(i, j) !== OperandOrder.None) affinity += 1;
  }
  return affinity;
}

function outsideValue({ ctx: { fn }, frame }: Draft, phi: InstrId): ValueId | null {
  for (let o = fn.operandStart[phi]; o < fn.operandStart[phi + 1]; o++)
    if (frame.indexOf(fn.operandBlock[o] as BlockId) === NONE) return fn.operand[o] as ValueId;
  return null;
}

/**
 * Aligns every pair of blocks.
 *
 * @param known partners of an earlier attempt, or null. The estimate then is that the same instructions pair again, and
 * no others
 */
export function alignBlocks(draft: Draft, profit: ProfitModel, known: Int32Array | null): void {
  const { frame } = draft;
  const scorer = new Scorer(draft, profit, known);
  for (let k = 0; k < frame.work.length; k++) {
    const matches = frame.matches[k];
    if (!matches) continue;
    const { t, f } = frame.work[k];
    const { options, costs } = draft.ctx;
    scorer.enter(k);
    const gains = gainsOf(scorer, frame.work[k], matches);
    const partner =
      options.mode === 'tail-merge'
        ? commonTail(frame.work[k], matches, gains)
        : partnersBy(gains, frame.work[k], matches, costs.target.guard);
    for (let i = 0; i < t.length; i++) {
      const j = partner[i];
      if (j < 0) continue;
      // Where both orders are allowed, the pairs in front may change which one is better.
      const allowed = draft.ctx.matcher.orders(t[i], f[j]);
      draft.pair(
        t[i],
        f[j],
        allowed === OperandOrder.Either ? scorer.prefersCrossed(t[i], f[j]) : allowed === OperandOrder.Swapped,
      );
    }
  }
}

/** The longest common end of both blocks, matched from the last instruction on: classic tail merging. */
function commonTail({ t, f }: BlockWork, { cells }: BlockMatches, gains: Float64Array): Int32Array {
  const partner = new Int32Array(t.length).fill(NONE);
  for (let i = t.length - 1, j = f.length - 1; i >= 0 && j >= 0; i--, j--) {
    const cell = cells.indexOf(i * f.length + j);
    if (cell < 0 || gains[cell] === -Infinity) break;
    partner[i] = j;
  }
  return partner;
}

/** Unpairs everything in front of an instruction without a partner. Returns whether there was anything. */
export function keepTail(draft: Draft): boolean {
  let changed = false;
  for (const { t, f } of draft.frame.work) {
    let isTail = true;
    for (let i = t.length - 1, j = f.length - 1; i >= 0; i--, j--) {
      isTail &&= j >= 0 && draft.partner[t[i]] === f[j];
      if (isTail || draft.partner[t[i]] === NONE) continue;
      draft.unpair(t[i]);
      changed = true;
    }
  }
  return changed;
}

function gainsOf(scorer: Scorer, { t, f }: BlockWork, { cells, orders }: BlockMatches): Float64Array {
  const gains = new Float64Array(cells.length);
  const width = f.length;
  for (let k = 0, i = 0, end = width; k < cells.length; k++) {
    const cell = cells[k];
    for (; cell >= end; end += width) i++;
    gains[k] = scorer.best(t[i], f[cell - end + width], orders[k]);
  }
  return gains;
}

/**
 * The alignment for these gains. It is kept, because attempts that differ in other blocks often have equal gains in
 * one.
 */
function partnersBy(gains: Float64Array, work: BlockWork, matches: BlockMatches, guard: number): Int32Array {
  for (const earlier of matches.aligned) if (areEqual(earlier.gains, gains)) return earlier.partner;
  const { partner } = align({
    countT: work.t.length,
    countF: work.f.length,
    cells: matches.cells,
    gains,
    speculatableT: matches.speculatableT,
    speculatableF: matches.speculatableF,
    speculateCost: CostModel.speculate,
    guardCost: guard,
    secondGuardCost: guard * CostModel.secondGuard,
  });
  matches.aligned.push({ gains, partner });
  return partner;
}

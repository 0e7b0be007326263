/**
 * Scores one pair of instructions for the alignment: what the pair gains, minus an estimate of the selects that it
 * needs. Which operands become one value is not known before everything is aligned, so that is estimated, too.
 *
 * The alignment asks this of every two instructions of two blocks that match, often some hundred thousand times. So
 * nothing is kept per pair here, and nothing is allocated; draft/pair-facts.ts has what is known about pairs that a
 * draft really holds.
 */
import type { BlockId, InstrId, ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { InstrFlag, Opcode, ValueKind, definingInstr, hasFlag, instrValue } from '../../ir/snapshot.js';
import { CostModel } from '../cost/cost-model.js';
import { pairGain } from '../cost/gains.js';
import { OperandOrder } from '../cost/matching.js';
import { canSelect, correspondingOperand, isPoison, meetsDemand, moveCycles, selectCycles } from '../cost/operands.js';
import type { Draft } from '../draft/draft.js';
import type { ProfitModel } from '../plan.js';

/** The paper's alignment does not weigh selects. This small weight only decides between operand orders. */
const PAPER_SELECTS = 1 / 1024;
/** To compare the users of two values, this many users of each are looked at. */
const MOST_USERS = 8;

export class Scorer {
  /** The T block of the pair of blocks that is aligned. */
  private at = NONE as BlockId;
  /** How often that pair runs, and a select in front of it whose values come from outside. */
  private weight = 0;
  private weightOutside = 0;

  /** @param known partners of an earlier attempt, or null */
  constructor(
    private readonly draft: Draft,
    private readonly profit: ProfitModel,
    private readonly known: Int32Array | null,
  ) {}

  /** Goes to a pair of blocks, from which all pairs of instructions are until the next call. */
  enter(index: number): void {
    const { frame } = this.draft;
    this.at = frame.blocks[index].t as BlockId;
    this.weight = frame.weight(this.at);
    this.weightOutside = Math.min(frame.weight(frame.entry), this.weight);
  }

  /** The better of the allowed orders of operands; `-Infinity` if the two cannot pair. */
  best(t: InstrId, f: InstrId, orders: number): number {
    const straight = (orders & OperandOrder.Straight) === 0 ? Infinity : this.selects(t, f, false);
    const swapped = (orders & OperandOrder.Swapped) === 0 ? Infinity : this.selects(t, f, true);
    const least = Math.min(straight, swapped);
    if (least === Infinity) return -Infinity;
    const score = this.score(t, f, least);
    // More selects score less, unless it is the first one: then the result is divergent, and costs something else.
    const most = Math.max(straight, swapped);
    return least === 0 && most > 0 && most < Infinity ? Math.max(score, this.score(t, f, most)) : score;
  }

  prefersCrossed(t: InstrId, f: InstrId): boolean {
    const straight = this.selects(t, f, false);
    const swapped = this.selects(t, f, true);
    if (swapped === Infinity) return false;
    return straight === Infinity || this.score(t, f, swapped) > this.score(t, f, straight);
  }

  private score(t: InstrId, f: InstrId, selects: number): number {
    const { ctx } = this.draft;
    if (this.profit === 'paper') return ctx.costs.vector[t] + CostModel.pairBonus - selects * PAPER_SELECTS;
    const { valueDivergent } = ctx.divergence;
    const { argCount } = ctx.fn;
    const divergent = selects > 0 || valueDivergent[argCount + t] === 1 || valueDivergent[argCount + f] === 1;
    return pairGain(ctx, t, f, divergent) + this.reward(t, f) - selects;
  }

  /** What the pair spares where its results are used: a select, if two users may become one. */
  private reward(t: InstrId, f: InstrId): number {
    const { draft, known } = this;
    return usersMayPair(draft, t, f, known) ? selectCycles(draft.ctx, instrValue(draft.ctx.fn, t)) : 0;
  }

  /** Cycles of the selects of the operands, per run of the block; `Infinity` if the two cannot pair. */
  private selects(t: InstrId, f: InstrId, swapped: boolean): number {
    const { ctx, frame } = this.draft;
    const { fn } = ctx;
    const { operandStart, operand, valueKind } = fn;
    const firstT = operandStart[t];
    const firstF = operandStart[f];
    const count = operandStart[t + 1] - firstT;
    const isDemanding = ctx.isDemanding[t] === 1 || ctx.isDemanding[f] === 1;
    // Address arithmetic with different constants stays apart. One select of the bases then serves all addresses that
    // lie equally far apart, and wide accesses stay wide.
    const isOffset = this.profit !== 'paper' && fn.instrOpcode[t] === Opcode.GetElementPtr;
    let cost = 0;
    for (let k = 0; k < count; k++) {
      const kf = correspondingOperand(k, swapped);
      const a = operand[firstT + k] as ValueId;
      const b = operand[firstF + kf] as ValueId;
      if (isDemanding && !meetsDemand(ctx, t, f, k, kf)) return Infinity;
      if (a === b) continue;
      const i = definingInstr(fn, a);
      const j = definingInstr(fn, b);
      if (i !== NONE && j !== NONE ? this.mayBeOne(i, j) : isPoison(fn, a) || isPoison(fn, b)) continue;
      if (!canSelect(ctx, a, b)) return Infinity;
      if (isOffset && valueKind[a] === ValueKind.Constant && valueKind[b] === ValueKind.Constant) return Infinity;
      const runs = frame.holds(i) || frame.holds(j) ? this.weight : this.weightOutside;
      cost += (selectCycles(ctx, a) * runs + moveCycles(ctx, a, b)) / this.weight;
    }
    return cost;
  }

  /** Whether two instructions are one, or may become one. */
  private mayBeOne(i: InstrId, j: InstrId): boolean {
    const { draft, known } = this;
    const { frame, partner } = draft;
    if (partner[i] === j || (frame.earlier?.pairs(i, j) ?? false)) return true;
    const { fn, matcher } = draft.ctx;
    // Of values from other blocks it is known by now. Those of these two blocks are aligned together with their users.
    if (fn.instrBlock[i] !== this.at || fn.instrBlock[j] !== frame.blockPartner[this.at]) return false;
    return known ? known[i] === j : matcher.orders(i, j) !== OperandOrder.None;
  }
}

/**
 * Whether two users of the results may become one, or did if that is known. Then pairing what they use spares a select.
 *
 * @param known partners of an earlier attempt, or null
 */
export function usersMayPair(
  { ctx, frame, partner }: Draft,
  t: InstrId,
  f: InstrId,
  known: Int32Array | null,
): boolean {
  const { fn, uses } = ctx;
  const a = instrValue(fn, t);
  const b = instrValue(fn, f);
  const endA = Math.min(uses.start[a + 1], uses.start[a] + MOST_USERS);
  const endB = Math.min(uses.start[b + 1], uses.start[b] + MOST_USERS);
  for (let x = uses.start[a]; x < endA; x++) {
    const u = uses.user[x] as InstrId;
    const opcode = fn.instrOpcode[u];
    const isJoin = opcode === Opcode.Phi || hasFlag(fn, u, InstrFlag.Terminator);
    const mayCross = hasFlag(fn, u, InstrFlag.Commutative) || fn.instrPredicate[u] >= 0;
    for (let y = uses.start[b]; y < endB; y++) {
      const v = uses.user[y] as InstrId;
      if (fn.instrOpcode[v] !== opcode || fn.instrKey[u] !== fn.instrKey[v]) continue;
      if (isJoin) {
        // A phi or terminator that uses both values needs no partner.
        if (u === v || partner[u] === v) return true;
      } else if (mayCross || uses.operand[x] - fn.operandStart[u] === uses.operand[y] - fn.operandStart[v]) {
        const pairs = known
          ? known[u] === v
          : fn.instrKey[u] >= 0 && frame.blockPartner[fn.instrBlock[u]] === fn.instrBlock[v];
        if (pairs) return true;
      }
    }
  }
  return false;
}

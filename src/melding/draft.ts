/**
 * A meld while it is being decided: corresponding blocks of two subgraphs and, so far, which instructions and phis pair.
 * Everything that becomes one has operand *slots*: a value on the T side and one on the F side that will need a `select`
 * unless both become the same value. The slots of a draft are the single source for legality, pruning and cost.
 *
 * Invariants: `partner` is symmetric between both sides; terminators of corresponding blocks are partners from the start;
 * `swapped` is set on the T instruction.
 */
import type { CorrespondingBlocks } from '../analysis/isomorphism.js';
import type { BlockId, InstrId, ValueId } from '../ir/ids.js';
import { NONE } from '../ir/ids.js';
import { Opcode, definingInstr, instrValue, terminatorOf } from '../ir/snapshot.js';
import type { PlanningContext } from './context.js';
import { canSelect, correspondingOperand, demandOn, isPoison, isUniformAt, selectCycles } from './operands.js';
import { countsAsWork } from './profitability.js';

/** Where control goes behind the two subgraphs, as in `Meld`. */
export type DraftExit = { readonly kind: 'single'; readonly t: BlockId; readonly f: BlockId } | { readonly kind: 'shared' };

export interface Slot {
  readonly t: ValueId;
  readonly f: ValueId;
  /** Block where the select would stand: the user's, or the one at whose end a phi takes the value. */
  readonly at: BlockId;
  /** T instruction of the pair whose operand this is; `NONE` for phis behind the subgraphs. */
  readonly user: InstrId | -1;
}

export class Draft {
  /** `[instrCount]` partner of an instruction of either side, or `NONE`. */
  readonly partner: Int32Array;
  /** `[instrCount]` 1 on the T instruction of a pair whose first two operands correspond crosswise. */
  readonly swapped: Uint8Array;
  /** `[blockCount]` corresponding block of either side, or `NONE` outside. */
  readonly blockPartner: Int32Array;
  /** Phis that become one, `[t, f]`. */
  phis: (readonly [InstrId, InstrId])[] = [];

  constructor(
    readonly ctx: PlanningContext,
    /** E. */
    readonly branch: BlockId,
    /** Entry first, in reverse post-order of the T side. */
    readonly blocks: readonly CorrespondingBlocks[],
    readonly exit: DraftExit,
    /** Whether blocks of either side run before (after) the subgraphs, so that the sides part again. */
    readonly front: boolean,
    readonly back: boolean,
    /** Partners by melds of the same branch that will have been carried out before this one, or null. */
    private readonly earlier: Int32Array | null = null,
  ) {
    const { f } = ctx;
    this.partner = new Int32Array(f.instrCount).fill(NONE);
    this.swapped = new Uint8Array(f.instrCount);
    this.blockPartner = new Int32Array(f.blockCount).fill(NONE);
    for (const b of blocks) {
      this.blockPartner[b.t] = b.f;
      this.blockPartner[b.f] = b.t;
      this.pair(terminatorOf(f, b.t), terminatorOf(f, b.f), false);
    }
  }

  pair(t: InstrId, g: InstrId, swapped: boolean): void {
    this.partner[t] = g;
    this.partner[g] = t;
    this.swapped[t] = swapped ? 1 : 0;
  }

  unpair(t: InstrId): void {
    this.partner[this.partner[t]] = NONE;
    this.partner[t] = NONE;
    this.swapped[t] = 0;
  }

  /** Whether both values are one after the meld. */
  same(a: ValueId, b: ValueId): boolean {
    if (a === b) return true;
    const { f } = this.ctx;
    const [i, j] = [definingInstr(f, a), definingInstr(f, b)];
    if (i !== NONE && j !== NONE && (this.partner[i] === j || this.earlier?.[i] === j)) return true;
    return isPoison(f, a) || isPoison(f, b);
  }

  inside(v: ValueId): boolean {
    const i = definingInstr(this.ctx.f, v);
    return i !== NONE && this.blockPartner[this.ctx.f.instrBlock[i]] !== NONE;
  }

  /** Cycles over the whole run of the select a slot needs; what is the same all along is selected in front of loops. */
  selectCost(slot: Slot): number {
    const { ctx } = this;
    const at = this.inside(slot.t) || this.inside(slot.f) ? slot.at : this.blocks[0].t;
    return selectCycles(ctx, slot.t) * Math.min(ctx.weight[at], ctx.weight[slot.at]);
  }

  /** Work instructions of the T side in order, block after block. */
  *workOfT(): Generator<InstrId> {
    for (const b of this.blocks) yield* this.workOf(b.t);
  }

  *workOf(b: BlockId): Generator<InstrId> {
    const { f } = this.ctx;
    for (let i = f.blockInstrStart[b]; i < f.blockInstrStart[b + 1]; i++) if (countsAsWork(f, i as InstrId)) yield i as InstrId;
  }

  /** Slots of one pair of instructions or terminators. */
  slotsOf(t: InstrId): Slot[] {
    const { f } = this.ctx;
    const g = this.partner[t] as InstrId;
    const slots: Slot[] = [];
    for (let k = 0, n = f.operandStart[t + 1] - f.operandStart[t]; k < n; k++) {
      const kg = correspondingOperand(k, this.swapped[t] === 1);
      slots.push({
        t: f.operand[f.operandStart[t] + k] as ValueId,
        f: f.operand[f.operandStart[g] + kg] as ValueId,
        at: f.instrBlock[t] as BlockId,
        user: t,
      });
    }
    return slots;
  }

  /**
   * Slots of a melded phi: one per corresponding edge inside. The values from outside meet in the unifying block, a phi per
   * side and one select; several of them on a side are paired each with the first of the other, as one select serves all.
   */
  slotsOfPhi(t: InstrId, g: InstrId): Slot[] {
    const { f } = this.ctx;
    const slots: Slot[] = [];
    const outsideT: ValueId[] = [];
    const outsideF: ValueId[] = [];
    for (let o = f.operandStart[t]; o < f.operandStart[t + 1]; o++) {
      const from = f.operandBlock[o] as BlockId;
      if (this.blockPartner[from] === NONE) {
        outsideT.push(f.operand[o] as ValueId);
        continue;
      }
      const other = incomingFrom(this.ctx, g, this.blockPartner[from] as BlockId);
      if (other !== null) slots.push({ t: f.operand[o] as ValueId, f: other, at: from, user: t });
    }
    for (let o = f.operandStart[g]; o < f.operandStart[g + 1]; o++)
      if (this.blockPartner[f.operandBlock[o]] === NONE) outsideF.push(f.operand[o] as ValueId);
    for (let k = 0; k < Math.max(outsideT.length, outsideF.length); k++) {
      if (outsideT.length === 0 || outsideF.length === 0) break;
      const slot = { t: outsideT[k] ?? outsideT[0], f: outsideF[k] ?? outsideF[0], at: this.branch, user: t };
      if (!slots.some((s) => s.at === slot.at && s.t === slot.t && s.f === slot.f)) slots.push(slot);
    }
    return slots;
  }

  /** Slots of the phis behind the subgraphs that get one value from both sides. */
  exitSlots(): Slot[] {
    const { f, graph } = this.ctx;
    const slots: Slot[] = [];
    if (this.exit.kind === 'single' && this.exit.t !== this.exit.f) return slots;
    for (const { t, f: g } of this.blocks) {
      for (let e = graph.succStart[t]; e < graph.succStart[t + 1]; e++) {
        const to = graph.succ[e] as BlockId;
        if (this.blockPartner[to] !== NONE || (e > graph.succStart[t] && graph.succ[e - 1] === to)) continue;
        for (let i = f.blockInstrStart[to]; f.instrOpcode[i] === Opcode.Phi; i++) {
          const a = incomingFrom(this.ctx, i as InstrId, t);
          const b = incomingFrom(this.ctx, i as InstrId, g);
          if (a !== null && b !== null) slots.push({ t: a, f: b, at: t, user: NONE });
        }
      }
    }
    return slots;
  }

  /** Every slot of the draft. */
  allSlots(): Slot[] {
    const { f } = this.ctx;
    const slots = this.exitSlots();
    for (const b of this.blocks) slots.push(...this.slotsOf(terminatorOf(f, b.t)));
    for (const t of this.workOfT()) if (this.partner[t] !== NONE) slots.push(...this.slotsOf(t));
    for (const [t, g] of this.phis) slots.push(...this.slotsOfPhi(t, g));
    return slots;
  }

  /** Whether the pair of `t` holds with the operands as they are now. */
  isLegal(t: InstrId): boolean {
    const { ctx } = this;
    const g = this.partner[t] as InstrId;
    const swapped = this.swapped[t] === 1;
    return this.slotsOf(t).every((slot, k) => {
      const kg = correspondingOperand(k, swapped);
      const demand = demandOn(ctx.f, t, g, k, kg);
      if (demand !== 'any') return slot.t === slot.f && (demand === 'same' || isUniformAt(ctx, slot.t, t, k, g, kg));
      return this.same(slot.t, slot.f) || canSelect(ctx.f, slot.t, slot.f);
    });
  }

  isLegalPhi(t: InstrId, g: InstrId): boolean {
    return this.slotsOfPhi(t, g).every((s) => this.same(s.t, s.f) || canSelect(this.ctx.f, s.t, s.f));
  }

  valueOf(i: InstrId): ValueId {
    return instrValue(this.ctx.f, i);
  }
}

/** The value a phi takes from `from`, or null when that is no predecessor. */
export function incomingFrom(ctx: PlanningContext, phi: InstrId, from: BlockId): ValueId | null {
  const { f } = ctx;
  for (let o = f.operandStart[phi]; o < f.operandStart[phi + 1]; o++)
    if (f.operandBlock[o] === from) return f.operand[o] as ValueId;
  return null;
}

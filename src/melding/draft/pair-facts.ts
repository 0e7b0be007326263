/**
 * What is known about two instructions as a pair, whatever else pairs: their slots, whether operands that may not be
 * selected fit, and the gain. Pruning and the exact evaluation ask this again and again, so it is kept.
 */
import type { BlockId, InstrId, ValueId } from '../../ir/ids.js';
import type { Frame, Slot } from './frame.js';
import { pairGain } from '../cost/gains.js';
import { correspondingOperand, meetsDemand } from '../cost/operands.js';

export class PairFacts {
  readonly slots: readonly Slot[];
  /** Whether operands that must be the same, or uniform, are. */
  readonly demandsHold: boolean;
  private gainUniform = NaN;
  private gainDivergent = NaN;

  constructor(
    private readonly frame: Frame,
    private readonly t: InstrId,
    private readonly f: InstrId,
    swapped: boolean,
  ) {
    const { ctx } = frame;
    const { fn } = ctx;
    const at = fn.instrBlock[t] as BlockId;
    const slots: Slot[] = [];
    let demandsHold = true;
    for (let k = 0, n = fn.operandStart[t + 1] - fn.operandStart[t]; k < n; k++) {
      const kf = correspondingOperand(k, swapped);
      const a = fn.operand[fn.operandStart[t] + k] as ValueId;
      const b = fn.operand[fn.operandStart[f] + kf] as ValueId;
      demandsHold &&= meetsDemand(ctx, t, f, k, kf);
      slots.push(frame.slot(a, b, at));
    }
    this.slots = slots;
    this.demandsHold = demandsHold;
  }

  /** `pairGain`, depending on whether the result is divergent after the meld. */
  gain(divergent: boolean): number {
    const { frame, t, f } = this;
    if (divergent) {
      if (Number.isNaN(this.gainDivergent)) this.gainDivergent = pairGain(frame.ctx, t, f, true);
      return this.gainDivergent;
    }
    if (Number.isNaN(this.gainUniform)) this.gainUniform = pairGain(frame.ctx, t, f, false);
    return this.gainUniform;
  }
}

/** The facts about the pairs that drafts of one frame hold or held. */
export class PairTable {
  private readonly known = new Map<number, PairFacts>();
  private readonly instrCount: number;

  constructor(readonly frame: Frame) {
    this.instrCount = frame.ctx.fn.instrCount;
  }

  /** @param swapped whether the first two operands correspond crosswise */
  of(t: InstrId, f: InstrId, swapped: boolean): PairFacts {
    const key = (t * this.instrCount + f) * 2 + (swapped ? 1 : 0);
    let facts = this.known.get(key);
    if (facts === undefined) this.known.set(key, (facts = new PairFacts(this.frame, t, f, swapped)));
    return facts;
  }
}

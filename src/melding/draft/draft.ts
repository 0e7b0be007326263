/**
 * A draft is a meld that is being decided: which instructions and phis of the corresponding blocks of a frame pair so
 * far.
 *
 * Invariants:
 * - `partner` is symmetric between both sides, and `swapped` is set on the T instruction of a pair.
 * - Terminators of corresponding blocks are partners from the start, where both sides branch alike.
 * - A phi has a partner if, and only if, it is in `phis`.
 *
 * Every change discards what was derived from the pairs before it.
 */
import type { InstrId, ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { definingInstr, terminatorOf } from '../../ir/snapshot.js';
import type { PlanningContext } from '../cost/context.js';
import type { Frame, Slot } from './frame.js';
import type { PairFacts, PairTable } from './pair-facts.js';

/** Phis that become one, `[t, f]`. */
export type PhiPairs = readonly (readonly [InstrId, InstrId])[];

/** What a draft does to uniformity; uniformity.ts computes it. It holds until it is computed anew. */
export interface MeldedUniformity {
  /** `[instrCount]`: 1 when the result differs between threads after the meld. Instructions of the subgraphs only. */
  readonly divergent: Int32Array;
  /** Per block pair of the draft: whether the melded terminator is divergent. */
  readonly branch: Uint8Array;
}

const SEVERAL = -1;

export class Draft {
  readonly frame: Frame;
  readonly ctx: PlanningContext;
  /** `[instrCount]`: the partner of an instruction of either side, or `NONE`. */
  readonly partner: Int32Array;
  /** `[instrCount]`: 1 on the T instruction of a pair whose first two operands correspond crosswise. */
  readonly swapped: Int32Array;
  /** Where uniformity.ts keeps its result. */
  readonly divergent: Int32Array;
  /** The uniformity of the draft as it is now. Null until it is asked for. */
  uniformity: MeldedUniformity | null = null;
  private phiPairs: PhiPairs = [];
  /** Every slot. Null until it is asked for. */
  private slots: readonly Slot[] | null = null;
  /** By key of a select, the T value that needs it, or `SEVERAL`. Null until it is asked for. */
  private needing: Map<number, number> | null = null;

  /** @param pairs what is known about pairs, whether they are partners or not */
  constructor(readonly pairs: PairTable) {
    const { frame } = pairs;
    this.frame = frame;
    this.ctx = frame.ctx;
    const { fn } = frame.ctx;
    this.partner = frame.borrowTable();
    this.swapped = frame.borrowTable();
    this.divergent = frame.borrowTable();
    for (const b of frame.blocks)
      if (b.t !== NONE && b.f !== NONE && b.takes === null)
        this.pair(terminatorOf(fn, b.t), terminatorOf(fn, b.f), false);
  }

  /** Forgets all pairs and pairs these phis, for another attempt in the same tables. */
  restart(phis: PhiPairs): void {
    const { blockInstrStart } = this.ctx.fn;
    for (const { t, f } of this.frame.blocks) {
      for (const b of [t, f]) if (b !== NONE) this.partner.fill(NONE, blockInstrStart[b], blockInstrStart[b + 1] - 1);
      if (t !== NONE) this.swapped.fill(0, blockInstrStart[t], blockInstrStart[t + 1]);
    }
    this.phiPairs = [];
    this.changed();
    for (const [t, f] of phis) this.pairPhis(t, f);
  }

  private changed(): void {
    this.uniformity = null;
    this.slots = null;
    this.needing = null;
  }

  get phis(): PhiPairs {
    return this.phiPairs;
  }

  pair(t: InstrId, f: InstrId, swapped: boolean): void {
    this.partner[t] = f;
    this.partner[f] = t;
    this.swapped[t] = swapped ? 1 : 0;
    this.changed();
  }

  pairPhis(t: InstrId, f: InstrId): void {
    this.phiPairs = [...this.phiPairs, [t, f]];
    this.pair(t, f, false);
  }

  unpair(t: InstrId): void {
    this.partner[this.partner[t]] = NONE;
    this.partner[t] = NONE;
    this.swapped[t] = 0;
    this.changed();
  }

  unpairPhis(t: InstrId): void {
    this.unpair(t);
    this.phiPairs = this.phiPairs.filter(([phi]) => phi !== t);
  }

  /** Whether both values of a slot are one value after the meld. */
  isOne(slot: Slot): boolean {
    return slot.alike || (slot.defT !== NONE && this.partner[slot.defT] === slot.defF);
  }

  /** Whether both values are one value after the meld. */
  same(a: ValueId, b: ValueId): boolean {
    if (this.frame.areAlike(a, b)) return true;
    const i = definingInstr(this.ctx.fn, a);
    const j = definingInstr(this.ctx.fn, b);
    return i !== NONE && j !== NONE && this.partner[i] === j;
  }

  /** What is known about the pair of `t`, a work instruction that has a partner. */
  factsOf(t: InstrId): PairFacts {
    return this.pairs.of(t, this.partner[t] as InstrId, this.swapped[t] === 1);
  }

  /** Every slot of the draft. */
  allSlots(): readonly Slot[] {
    return (this.slots ??= this.findSlots());
  }

  private findSlots(): readonly Slot[] {
    const { frame, partner } = this;
    const slots: Slot[] = [];
    const add = (list: readonly Slot[]): void => {
      for (let k = 0; k < list.length; k++) slots.push(list[k]);
    };
    add(frame.exitSlots);
    for (const list of frame.terminatorSlots) add(list);
    for (const { t: list } of frame.work)
      for (let k = 0; k < list.length; k++) if (partner[list[k]] !== NONE) add(this.factsOf(list[k]).slots);
    for (const [t, f] of this.phiPairs) add(frame.phiSlots(t, f));
    return slots;
  }

  /** Whether several different accesses need the select of this key. */
  isSharedKey(key: number): boolean {
    return this.needingKeys().get(key) === SEVERAL;
  }

  /** Whether some pair needs the select of this key. */
  hasKey(key: number): boolean {
    return this.needingKeys().has(key);
  }

  private needingKeys(): ReadonlyMap<number, number> {
    if (this.needing !== null) return this.needing;
    this.needing = new Map();
    for (const slot of this.allSlots()) {
      if (this.isOne(slot)) continue;
      const first = this.needing.get(slot.key);
      if (first === undefined) this.needing.set(slot.key, slot.t);
      else if (first !== slot.t) this.needing.set(slot.key, SEVERAL);
    }
    return this.needing;
  }

  /** Whether each slot either is one value or may be selected. */
  canSelectAll(slots: readonly Slot[]): boolean {
    for (const slot of slots) if (!slot.selectable && !this.isOne(slot)) return false;
    return true;
  }

  /** Whether the pair of `t` is legal with the operands that it has now. */
  isLegal(t: InstrId): boolean {
    const facts = this.factsOf(t);
    return facts.demandsHold && this.canSelectAll(facts.slots);
  }
}

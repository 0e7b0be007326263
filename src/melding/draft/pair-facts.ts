/**
 * What is known about two instructions as a pair before it is decided what else pairs: their slots, whether operands
 * that may not be selected fit, the gain, and which of their users may pair. Every attempt to align needs this, so it
 * is kept.
 */
import type { BlockId, InstrId, ValueId } from '../../ir/ids.js';
import { InstrFlag, Opcode, hasFlag, instrValue } from '../../ir/snapshot.js';
import type { PlanningContext } from '../cost/context.js';
import type { Frame, Slot } from './frame.js';
import { pairGain } from '../cost/gains.js';
import { correspondingOperand, demandOn, isUniformOperand } from '../cost/operands.js';

/** To compare the users of two values, this many users of each are looked at. */
const MOST_USERS = 8;

/** Pairs of users that use two values at corresponding operands. The lists are flat: u0, v0, u1, v1 … */
export interface UserPairs {
  /** Whether a phi or terminator uses both values. Then no users have to pair. */
  readonly always: boolean;
  /** Pairs of phis and of terminators. */
  readonly joined: readonly number[];
  /** Pairs of other instructions with equal keys. */
  readonly work: readonly number[];
  /** Whether a pair of `work` stands in corresponding blocks, so that it may become one. */
  readonly mayPair: boolean;
}

export class PairFacts {
  readonly slots: readonly Slot[];
  /** Whether operands that must be the same, or uniform, are. */
  readonly demandsHold: boolean;
  /** Whether one of the results differs between threads before melding. */
  readonly isDivergent: boolean;
  private gainUniform = NaN;
  private gainDivergent = NaN;
  private userPairs: UserPairs | null = null;

  constructor(
    private readonly frame: Frame,
    private readonly t: InstrId,
    private readonly f: InstrId,
    swapped: boolean,
  ) {
    const { ctx } = frame;
    const { fn, divergence } = ctx;
    const at = fn.instrBlock[t] as BlockId;
    const slots: Slot[] = [];
    let demandsHold = true;
    for (let k = 0, n = fn.operandStart[t + 1] - fn.operandStart[t]; k < n; k++) {
      const kf = correspondingOperand(k, swapped);
      const a = fn.operand[fn.operandStart[t] + k] as ValueId;
      const b = fn.operand[fn.operandStart[f] + kf] as ValueId;
      const demand = demandOn(fn, t, f, k, kf);
      if (demand !== 'any' && a !== b) demandsHold = false;
      if (demand === 'uniform' && !(isUniformOperand(ctx, t, k) && isUniformOperand(ctx, f, kf))) demandsHold = false;
      slots.push(frame.slot(a, b, at));
    }
    this.slots = slots;
    this.demandsHold = demandsHold;
    this.isDivergent =
      divergence.valueDivergent[instrValue(fn, t)] === 1 || divergence.valueDivergent[instrValue(fn, f)] === 1;
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

  get users(): UserPairs {
    return (this.userPairs ??= userPairsOf(this.frame.ctx, this.frame.blockPartner, this.t, this.f));
  }
}

/** Facts about pairs are kept for frames of up to so many cells. Those of larger frames would take too much memory. */
const MOST_CELLS_KEPT = 40_000;

/** The facts about all pairs of one frame. The drafts of the frame share it. */
export class PairTable {
  private readonly known = new Map<number, PairFacts>();

  constructor(readonly frame: Frame) {}

  /** @param swapped whether the first two operands correspond crosswise */
  of(t: InstrId, f: InstrId, swapped: boolean): PairFacts {
    const { frame } = this;
    if (frame.cells > MOST_CELLS_KEPT) return new PairFacts(frame, t, f, swapped);
    const key = (t * frame.ctx.fn.instrCount + f) * 2 + (swapped ? 1 : 0);
    let facts = this.known.get(key);
    if (facts === undefined) this.known.set(key, (facts = new PairFacts(frame, t, f, swapped)));
    return facts;
  }
}

/** The users of `t` and of `f` that may become one. If they do, pairing `t` and `f` spares a select. */
export function userPairsOf(
  { fn, uses }: PlanningContext,
  blockPartner: Int32Array,
  t: InstrId,
  f: InstrId,
): UserPairs {
  const a = instrValue(fn, t);
  const b = instrValue(fn, f);
  const endA = Math.min(uses.start[a + 1], uses.start[a] + MOST_USERS);
  const endB = Math.min(uses.start[b + 1], uses.start[b] + MOST_USERS);
  const joined: number[] = [];
  const work: number[] = [];
  let always = false;
  let mayPair = false;
  for (let x = uses.start[a]; x < endA; x++) {
    const u = uses.user[x];
    const opcode = fn.instrOpcode[u];
    const isJoin = opcode === Opcode.Phi || hasFlag(fn, u as InstrId, InstrFlag.Terminator);
    const mayCross = hasFlag(fn, u as InstrId, InstrFlag.Commutative) || fn.instrPredicate[u] >= 0;
    for (let y = uses.start[b]; y < endB; y++) {
      const v = uses.user[y];
      if (fn.instrOpcode[v] !== opcode || fn.instrKey[u] !== fn.instrKey[v]) continue;
      if (isJoin) {
        if (u === v) always = true;
        else joined.push(u, v);
      } else if (mayCross || uses.operand[x] - fn.operandStart[u] === uses.operand[y] - fn.operandStart[v]) {
        work.push(u, v);
        if (fn.instrKey[u] >= 0 && blockPartner[fn.instrBlock[u]] === fn.instrBlock[v]) mayPair = true;
      }
    }
  }
  return { always, joined, work, mayPair };
}

/** Whether one of the pairs in a flat list are partners. */
export function hasPartners(pairs: readonly number[], partners: Int32Array): boolean {
  for (let k = 0; k < pairs.length; k += 2) if (partners[pairs[k]] === pairs[k + 1]) return true;
  return false;
}

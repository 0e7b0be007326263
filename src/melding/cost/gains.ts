/**
 * What it is worth, in cycles of one execution, that two instructions become one (rule 7): the one that is saved, minus
 * uniformity that is lost, a smaller alignment and folded LDS offsets, plus a credit for halved memory traffic.
 */
import type { InstrId, ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { InstrFlag, Opcode, ValueKind, definingInstr, hasFlag, instrValue } from '../../ir/snapshot.js';
import type { PlanningContext } from './context.js';
import type { Draft } from '../draft/draft.js';
import { AddressSpace } from './latency.js';

/** Constants of the cost model, in cycles unless a comment says otherwise; what depends on the target is in latency.ts. */
export const CostModel = {
  /** Per instruction that runs for every thread without being needed by all. */
  speculate: 0.25,
  /** A second guarded run in the same group, as a share of the first. */
  secondGuard: 0.75,
  /** Longest run that is speculated, in instructions (rule 4: measured, FINDINGS 3.3), and most cycles of it. */
  longestSpeculation: 8,
  speculationCycles: 48,
  /** One access to memory outside LDS less: bandwidth and cache traffic. */
  memoryCredit: 8,
  /** LDS access whose constant offset is no longer folded: two of them no longer become one `ds_read2`; a share of it. */
  lostLdsOffset: 0.5,
  /** Access split by a smaller alignment: a share of the access per extra part. */
  splitAccess: 0.5,
  /**
   * How likely threads of one wave take both sides. Where they do not, one side alone would have run, and the melded code
   * runs all of what was not paired.
   */
  divergence: 0.75,
  /** The same where a subgraph stands in a larger one: conditions that differ part threads in more ways. */
  divergenceEmbedded: 0.7,
  /** How far melding has to exceed what lowering a switch costs; both are rough. */
  loweringMargin: 1.5,
  /** Iterations of the shorter of two loops that become one, as a share of those of the longer. */
  iterations: 0.75,
  /**
   * A loop whose branch is the same for all threads and no longer would be, where loops are still to be unrolled: its indices
   * do not become constants any more. Per iteration.
   */
  lostUnrolling: 200,
  /** Keeps a pair on a tie: fewer values live. */
  pairBonus: 0.05,
  /** A meld must gain more than this, so that rounds end. */
  leastNet: 0.5,
} as const;

/** Cycles an instruction takes as it is, or as it becomes when its result is divergent. */
export function cyclesOf(ctx: PlanningContext, i: InstrId, divergent: boolean): number {
  const isVector = divergent || isMemoryWrite(ctx, i) || ctx.divergence.valueDivergent[instrValue(ctx.fn, i)] === 1;
  return isVector ? ctx.costs.vector[i] : ctx.costs.scalar[i];
}

const isMemoryWrite = (ctx: PlanningContext, i: InstrId): boolean => hasFlag(ctx.fn, i, InstrFlag.MayWriteMemory);

/** Gain of one instruction for `t` and `f`; `divergent` tells about its result. Selects are counted elsewhere. */
export function pairGain(ctx: PlanningContext, t: InstrId, f: InstrId, divergent: boolean): number {
  const isFused = (i: InstrId): boolean => ctx.fusedInto[i] !== NONE;
  // If their users do not become one either, `lostFusion` says what that costs.
  const melded = isFused(t) && isFused(f) ? 0 : Math.max(cyclesOf(ctx, t, divergent), cyclesOf(ctx, f, divergent));
  return (
    (isFused(t) ? 0 : cyclesOf(ctx, t, false)) +
    (isFused(f) ? 0 : cyclesOf(ctx, f, false)) -
    melded +
    memoryCredit(ctx, t) -
    splitCost(ctx, t, f) +
    CostModel.pairBonus
  );
}

/** What it costs that an instruction can no longer be computed along with its user. `i` is one of a pair, or a gap. */
export function lostFusion({ ctx, partner }: Draft, i: InstrId): number {
  const user = ctx.fusedInto[i];
  if (user === NONE) return 0;
  const other = partner[i];
  const otherUser = other === NONE ? NONE : ctx.fusedInto[other];
  // Of a pair, an instruction that was not fused is counted in full already.
  if (other !== NONE && otherUser === NONE) return 0;
  return partner[user] === otherUser ? 0 : ctx.costs.vector[i];
}

function memoryCredit({ fn }: PlanningContext, t: InstrId): number {
  const space = fn.instrAddressSpace[t];
  return space < 0 || space === AddressSpace.Local || space === AddressSpace.Region ? 0 : CostModel.memoryCredit;
}

/** A wide access that the smaller of two alignments splits into several. */
function splitCost(ctx: PlanningContext, t: InstrId, f: InstrId): number {
  const { fn } = ctx;
  const low = Math.min(fn.instrAlign[t], fn.instrAlign[f]);
  const high = Math.max(fn.instrAlign[t], fn.instrAlign[f]);
  if (low === high || low <= 0) return 0;
  const value = fn.instrOpcode[t] === Opcode.Store ? fn.operand[fn.operandStart[t]] : instrValue(fn, t);
  const bytes = fn.typeBits[fn.valueType[value]] / 8;
  const parts = (align: number): number => Math.max(1, bytes / Math.min(align, 16));
  return (parts(low) - parts(high)) * CostModel.splitAccess * ctx.costs.vector[t];
}

/**
 * LDS accesses of this pair whose addresses were a base and a constant, and no longer are. Where other accesses of both sides
 * lie equally far apart, all keep one base and their constants.
 */
export function lostOffsetCost(draft: Draft, t: InstrId, f: InstrId): number {
  const { ctx, frame } = draft;
  const { fn } = ctx;
  if (fn.instrAddressSpace[t] !== AddressSpace.Local) return 0;
  const at = fn.instrOpcode[t] === Opcode.Store ? 1 : 0;
  const a = fn.operand[fn.operandStart[t] + at] as ValueId;
  const b = fn.operand[fn.operandStart[f] + at] as ValueId;
  const cost = CostModel.lostLdsOffset * ctx.costs.vector[t];
  if (!draft.same(a, b)) {
    if (draft.isSharedKey(frame.keyOf(a, b))) return 0;
    return hasConstantOffset(ctx, a) || hasConstantOffset(ctx, b) ? cost : 0;
  }
  const i = definingInstr(fn, a);
  if (i < 0 || definingInstr(fn, b) < 0 || fn.instrOpcode[i] !== Opcode.GetElementPtr || draft.partner[i] < 0) return 0;
  for (const s of draft.factsOf(i).slots)
    if (s.t !== s.f && fn.valueKind[s.t] === ValueKind.Constant && fn.valueKind[s.f] === ValueKind.Constant)
      return cost;
  return 0;
}

/** A variable or a global with nothing but constants added. */
function hasConstantOffset({ fn }: PlanningContext, pointer: ValueId): boolean {
  if (fn.valueKind[pointer] === ValueKind.Global || fn.valueKind[pointer] === ValueKind.Constant) return true;
  const i = definingInstr(fn, pointer);
  if (i < 0 || fn.instrOpcode[i] !== Opcode.GetElementPtr) return false;
  for (let o = fn.operandStart[i] + 1; o < fn.operandStart[i + 1]; o++)
    if (fn.valueKind[fn.operand[o]] !== ValueKind.Constant) return false;
  return true;
}

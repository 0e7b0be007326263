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
  const isVector = divergent || isMemoryWrite(ctx, i) || ctx.divergence.valueDivergent[instrValue(ctx.f, i)] === 1;
  return isVector ? ctx.costs.vector[i] : ctx.costs.scalar[i];
}

const isMemoryWrite = (ctx: PlanningContext, i: InstrId): boolean => hasFlag(ctx.f, i, InstrFlag.MayWriteMemory);

/** Gain of one instruction for `t` and `g`; `divergent` tells about its result. Selects are counted elsewhere. */
export function pairGain(ctx: PlanningContext, t: InstrId, g: InstrId, divergent: boolean): number {
  const isFused = (i: InstrId): boolean => ctx.fusedInto[i] !== NONE;
  // If their users do not become one either, `lostFusion` says what that costs.
  const melded = isFused(t) && isFused(g) ? 0 : Math.max(cyclesOf(ctx, t, divergent), cyclesOf(ctx, g, divergent));
  return (
    (isFused(t) ? 0 : cyclesOf(ctx, t, false)) +
    (isFused(g) ? 0 : cyclesOf(ctx, g, false)) -
    melded +
    memoryCredit(ctx, t) -
    splitCost(ctx, t, g) +
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

function memoryCredit({ f }: PlanningContext, t: InstrId): number {
  const space = f.instrAddressSpace[t];
  return space < 0 || space === AddressSpace.Local || space === AddressSpace.Region ? 0 : CostModel.memoryCredit;
}

/** A wide access that the smaller of two alignments splits into several. */
function splitCost(ctx: PlanningContext, t: InstrId, g: InstrId): number {
  const { f } = ctx;
  const low = Math.min(f.instrAlign[t], f.instrAlign[g]);
  const high = Math.max(f.instrAlign[t], f.instrAlign[g]);
  if (low === high || low <= 0) return 0;
  const value = f.instrOpcode[t] === Opcode.Store ? f.operand[f.operandStart[t]] : instrValue(f, t);
  const bytes = f.typeBits[f.valueType[value]] / 8;
  const parts = (align: number): number => Math.max(1, bytes / Math.min(align, 16));
  return (parts(low) - parts(high)) * CostModel.splitAccess * ctx.costs.vector[t];
}

/**
 * LDS accesses of this pair whose addresses were a base and a constant, and no longer are. Where other accesses of both sides
 * lie equally far apart, all keep one base and their constants.
 */
export function lostOffsetCost(draft: Draft, t: InstrId, g: InstrId): number {
  const { ctx, frame } = draft;
  const { f } = ctx;
  if (f.instrAddressSpace[t] !== AddressSpace.Local) return 0;
  const at = f.instrOpcode[t] === Opcode.Store ? 1 : 0;
  const a = f.operand[f.operandStart[t] + at] as ValueId;
  const b = f.operand[f.operandStart[g] + at] as ValueId;
  const cost = CostModel.lostLdsOffset * ctx.costs.vector[t];
  if (!draft.same(a, b)) {
    if (draft.isSharedKey(frame.keyOf(a, b))) return 0;
    return hasConstantOffset(ctx, a) || hasConstantOffset(ctx, b) ? cost : 0;
  }
  const i = definingInstr(f, a);
  if (i < 0 || definingInstr(f, b) < 0 || f.instrOpcode[i] !== Opcode.GetElementPtr || draft.partner[i] < 0) return 0;
  for (const s of draft.factsOf(i).slots)
    if (s.t !== s.f && f.valueKind[s.t] === ValueKind.Constant && f.valueKind[s.f] === ValueKind.Constant) return cost;
  return 0;
}

/** A variable or a global with nothing but constants added. */
function hasConstantOffset({ f }: PlanningContext, pointer: ValueId): boolean {
  if (f.valueKind[pointer] === ValueKind.Global || f.valueKind[pointer] === ValueKind.Constant) return true;
  const i = definingInstr(f, pointer);
  if (i < 0 || f.instrOpcode[i] !== Opcode.GetElementPtr) return false;
  for (let o = f.operandStart[i] + 1; o < f.operandStart[i + 1]; o++)
    if (f.valueKind[f.operand[o]] !== ValueKind.Constant) return false;
  return true;
}

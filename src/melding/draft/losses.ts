/**
 * What a pair or a gap loses because of what else pairs in the draft: fusion with its user, and constant LDS offsets.
 * cost/gains.ts has the gains that depend on the two instructions alone.
 */
import type { InstrId, ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { Opcode, ValueKind, definingInstr } from '../../ir/snapshot.js';
import type { PlanningContext } from '../cost/context.js';
import { CostModel } from '../cost/cost-model.js';
import { AddressSpace } from '../cost/latency.js';
import type { Draft } from './draft.js';

/** Cost when an instruction can no longer be fused into its user (cost/fusion.ts). `i` is one of a pair, or a gap. */
export function lostFusion({ ctx, partner }: Draft, i: InstrId): number {
  const user = ctx.fusedInto[i];
  if (user === NONE) return 0;
  const other = partner[i];
  const otherUser = other === NONE ? NONE : ctx.fusedInto[other];
  // If only one instruction of a pair was fused, `pairGain` has counted the melded one in full already.
  if (other !== NONE && otherUser === NONE) return 0;
  return partner[user] === otherUser ? 0 : ctx.costs.vector[i];
}

/**
 * Cost when the two addresses of a pair of LDS accesses were a base and a constant, and the melded address is not. It
 * is zero where other accesses of both sides lie equally far apart: then all of them keep one base and their constants.
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

/** Whether the address is a base with nothing but constants added to it. */
export function hasConstantOffset({ fn }: PlanningContext, pointer: ValueId): boolean {
  if (fn.valueKind[pointer] === ValueKind.Global || fn.valueKind[pointer] === ValueKind.Constant) return true;
  const i = definingInstr(fn, pointer);
  if (i < 0 || fn.instrOpcode[i] !== Opcode.GetElementPtr) return false;
  for (let o = fn.operandStart[i] + 1; o < fn.operandStart[i + 1]; o++)
    if (fn.valueKind[fn.operand[o]] !== ValueKind.Constant) return false;
  return true;
}

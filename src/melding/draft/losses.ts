/**
 * What a pair or a gap loses because of what else pairs in the draft: fusion with its user, and constant LDS offsets.
 * cost/gains.ts has the gains that depend on the two instructions alone.
 */
import { AddressSpace } from '../../ir/address-space.js';
import type { InstrId, ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { Opcode, ValueKind, definingInstr, instrValue } from '../../ir/snapshot.js';
import type { PlanningContext } from '../cost/context.js';
import { CostModel } from '../cost/cost-model.js';
import { WORDS_OF_LINE, pointerOf, wordsOf } from '../cost/memory-accesses.js';
import type { Draft } from './draft.js';
import type { Group } from './groups.js';

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
 * Cost when a part of a wide access (cost/memory-accesses.ts) becomes an access of its own: its partner's address is
 * not as far away as those of the other parts, or it is a gap beside parts that have partners, or in other guarded
 * runs. Of a pair, or of a gap.
 *
 * A part touches as many lines of memory as the whole. These are the more, the further apart the threads are.
 *
 * @param guarded the guarded run that a gap is in; null: what is without a partner stays together
 */
export function lostWidth(
  draft: Draft,
  ctx: PlanningContext,
  i: InstrId,
  other: InstrId | -1,
  guarded: readonly InstrId[] | null = null,
): number {
  const { fn } = ctx;
  const { joined, wide } = ctx.memory;
  const parts = other === NONE ? joined[i] : Math.min(joined[i], joined[other]);
  if (parts === 1) return 0;
  const pointer = (each: InstrId): ValueId => pointerOf(fn, each);
  const words = ctx.countsBytes ? 1 : Math.max(1, parts * wordsOf(fn, i), ctx.strides.ofAccess(i));
  const whole = ctx.costs.target.issue * Math.min(WORDS_OF_LINE, words);
  const block = fn.instrBlock[i];
  /** The parts that stay together with this one. */
  let left = 0;
  for (let k = fn.blockInstrStart[block] as InstrId; k < fn.blockInstrStart[block + 1]; k++) {
    if (wide[k] !== wide[i]) continue;
    const partner = draft.partner[k] as InstrId | -1;
    if (other === NONE) left += partner === NONE && (guarded === null || guarded.includes(k)) ? 1 : 0;
    else if (partner !== NONE && wide[partner] === wide[other] && staysBeside(draft, pointer, [i, other], [k, partner]))
      left++;
  }
  return whole * Math.max(0, 1 / left - 1 / parts);
}

/** Whether two pairs of accesses are as far from each other after the meld as on both sides. */
function staysBeside(
  draft: Draft,
  pointer: (i: InstrId) => ValueId,
  [t, f]: readonly [InstrId, InstrId],
  [otherT, otherF]: readonly [InstrId, InstrId],
): boolean {
  const { frame } = draft;
  if (draft.same(pointer(t), pointer(f))) return draft.same(pointer(otherT), pointer(otherF));
  return frame.keyOf(pointer(t), pointer(f)) === frame.keyOf(pointer(otherT), pointer(otherF));
}

/** How long a wave waits for a load that is on its way alone. */
function waitingFor({ fn, divergence, costs }: PlanningContext, i: InstrId): number {
  const { target } = costs;
  const space = fn.instrAddressSpace[i];
  if (space === AddressSpace.Local) return target.lds * target.exposedLds;
  const isScalar = divergence.valueDivergent[instrValue(fn, i)] === 0 && costs.scalar[i] !== costs.vector[i];
  return (isScalar ? target.scalarMemory : target.global) * target.exposed;
}

/**
 * Cost when loads of a batch (cost/memory-accesses.ts) are no longer on their way together: the wave waits for them
 * where a guarded run uses one, and then again. Per run of the block pair. `pairGain` supposes that each pair of loads
 * spares its share of the waiting. Negative where hoisted loads, or such with stand-ins, join a batch.
 */
export function lostBatches({ partner, frame }: Draft, ctx: PlanningContext, groups: readonly Group[]): number {
  const { fn, memory } = ctx;
  if (ctx.costs.target.exposed === 0) return 0;
  const waiting = (i: InstrId): number => waitingFor(ctx, i);
  // Batches by side or segment: what the wave waits for, by key.
  const [sideT, sideF] = [new Map<number, number>(), new Map<number, number>()];
  let segment = new Map<number, number>();
  let [supposed, melded] = [0, 0];
  /** Whether loads join a batch that were apart from it. */
  let joins = false;
  const total = (batches: Map<number, number>): number => {
    let sum = 0;
    for (const cycles of batches.values()) sum += cycles;
    return sum;
  };
  const add = (batches: Map<number, number>, i: InstrId): void => {
    const batch = memory.depth[i] * 2 + (fn.instrAddressSpace[i] === AddressSpace.Local ? 0 : 1);
    // Only the melded code has hoisted loads in one batch with others.
    const key = batches === sideT || batches === sideF ? batch * fn.blockCount + fn.instrBlock[i] : batch;
    batches.set(key, Math.max(batches.get(key) ?? 0, waiting(i)));
  };
  for (const group of groups) {
    if (group.kind === 'pair') {
      const { t, f } = group;
      if (memory.depth[t] === 0) continue;
      joins ||= frame.hoistedLoads.has(t) || frame.hoistedLoads.has(f);
      add(sideT, t);
      add(sideF, f);
      add(segment, t);
      supposed += Math.min(waiting(t) / memory.batched[t], waiting(f) / memory.batched[f]);
      continue;
    }
    joins ||= group.standIns.size > 0;
    // The wave waits where a result is used, and not at the end of a guarded run.
    const isOne = group.speculate || !usesLoads(ctx, group.instrs);
    const own = isOne ? segment : new Map<number, number>();
    if (!isOne) {
      melded += total(segment);
      segment = new Map();
    }
    for (const i of group.instrs) {
      if (memory.depth[i] === 0 || partner[i] !== NONE) continue;
      add(group.side === 't' ? sideT : sideF, i);
      add(own, i);
    }
    if (!isOne) melded += total(own);
  }
  melded += total(segment);
  const lost = supposed - (total(sideT) + total(sideF) - melded);
  return joins ? lost : Math.max(0, lost);
}

/** Whether a run uses what is loaded in its block. */
function usesLoads({ fn, memory }: PlanningContext, run: readonly InstrId[]): boolean {
  for (const i of run)
    for (let o = fn.operandStart[i]; o < fn.operandStart[i + 1]; o++) {
      const defined = definingInstr(fn, fn.operand[o] as ValueId);
      if (defined !== NONE && memory.depth[defined] > 0 && fn.instrBlock[defined] === fn.instrBlock[i]) return true;
    }
  return false;
}

/**
 * Cost when the two addresses of a pair of LDS accesses were a base and a constant, and the melded address is not. It
 * is zero where other accesses of both sides lie equally far apart: then all of them keep one base and their constants.
 */
export function lostOffsetCost(draft: Draft, ctx: PlanningContext, t: InstrId, f: InstrId): number {
  const { frame } = draft;
  const { fn } = ctx;
  if (fn.instrAddressSpace[t] !== AddressSpace.Local) return 0;
  const at = fn.instrOpcode[t] === Opcode.Store ? 1 : 0;
  const a = fn.operand[fn.operandStart[t] + at] as ValueId;
  const b = fn.operand[fn.operandStart[f] + at] as ValueId;
  if (!draft.same(a, b)) return draft.isSharedKey(frame.keyOf(a, b)) ? 0 : offsetCost(ctx, a, b);
  const i = definingInstr(fn, a);
  if (i < 0 || definingInstr(fn, b) < 0 || fn.instrOpcode[i] !== Opcode.GetElementPtr || draft.partner[i] < 0) return 0;
  for (const s of draft.factsOf(i).slots)
    if (s.t !== s.f && fn.valueKind[s.t] === ValueKind.Constant && fn.valueKind[s.f] === ValueKind.Constant)
      return apartCost(ctx);
  return 0;
}

/** Cost when one access of LDS uses the select of two addresses that are a base and a constant. */
export const offsetCost = (ctx: PlanningContext, a: ValueId, b: ValueId): number =>
  hasConstantOffset(ctx, a) || hasConstantOffset(ctx, b) ? apartCost(ctx) : 0;

/** The address is computed apart. How long the wave waits does not change. */
const apartCost = ({ costs: { target } }: PlanningContext): number =>
  CostModel.lostLdsOffset * target.ldsIssue + target.valu;

/** Whether the address is a base with nothing but constants added to it. */
export function hasConstantOffset({ fn }: PlanningContext, pointer: ValueId): boolean {
  if (fn.valueKind[pointer] === ValueKind.Global || fn.valueKind[pointer] === ValueKind.Constant) return true;
  const i = definingInstr(fn, pointer);
  if (i < 0 || fn.instrOpcode[i] !== Opcode.GetElementPtr) return false;
  for (let o = fn.operandStart[i] + 1; o < fn.operandStart[i + 1]; o++)
    if (fn.valueKind[fn.operand[o]] !== ValueKind.Constant) return false;
  return true;
}

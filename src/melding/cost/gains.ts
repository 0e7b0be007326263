/**
 * The gain, in cycles of one execution, when two instructions become one, as far as it depends on these two alone: the
 * instruction that is saved, minus lost uniformity and a smaller alignment, plus a credit for halved memory traffic.
 * draft/losses.ts has the losses that depend on what else pairs. Selects are counted in draft/evaluate.ts.
 */
import type { InstrId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { Opcode, definingInstr, instrValue, type FunctionSnapshot } from '../../ir/snapshot.js';
import type { PlanningContext } from './context.js';
import { CostModel } from './cost-model.js';
import { variableCycles } from './integers.js';
import { elementCycles, indexOf } from './latency.js';
import { isInMemory, mayScatter, pointerOf } from './memory-accesses.js';

/** What instructions cost that have no partners. */
export type WorkCosts = Pick<PlanningContext, 'fn' | 'costs' | 'cost' | 'fusedInto'>;

/** Cycles that an instruction takes: as it is, or as it is after its result has become divergent. */
export const cyclesOf = ({ costs, cost }: Pick<WorkCosts, 'costs' | 'cost'>, i: InstrId, divergent: boolean): number =>
  divergent ? costs.vector[i] : cost[i];

/** Gain when one instruction replaces `t` and `f`. `divergent` says whether its result differs between threads. */
export function pairGain(ctx: PlanningContext, t: InstrId, f: InstrId, divergent: boolean): number {
  const { cost } = ctx;
  const isFusedT = ctx.fusedInto[t] !== NONE;
  const isFusedF = ctx.fusedInto[f] !== NONE;
  // Two fused instructions cost nothing as one either. If their users do not pair, `lostFusion` adds what that costs.
  const melded = isFusedT && isFusedF ? 0 : cyclesAsOne(ctx, t, f, divergent);
  return (
    (isFusedT ? 0 : cost[t]) +
    (isFusedF ? 0 : cost[f]) -
    melded +
    memoryCredit(ctx, t, f) -
    splitCost(ctx, t, f) -
    contention(ctx, t, f) +
    CostModel.pairBonus
  );
}

const cyclesAsOne = (ctx: PlanningContext, t: InstrId, f: InstrId, divergent: boolean): number =>
  Math.max(cyclesOf(ctx, t, divergent), cyclesOf(ctx, f, divergent), variable(ctx, t, f));

/**
 * What it costs if an atomic operation on one address becomes one on many. Where all threads have one address, code
 * generation mostly lets one of them operate for the whole wave. Otherwise the threads that meet at an address take
 * turns, and wait for those of all other waves, too. The snapshot does not say which operations are never reduced.
 */
function contention(ctx: PlanningContext, t: InstrId, f: InstrId): number {
  const { fn, divergence, costs, countsBytes } = ctx;
  if (countsBytes || fn.instrOpcode[t] !== Opcode.AtomicRMW || fn.instrOpcode[f] !== Opcode.AtomicRMW) return 0;
  const isUniform = (i: InstrId): boolean => divergence.valueDivergent[pointerOf(fn, i)] === 0;
  return (isUniform(t) || isUniform(f)) && !staysOneAddress(fn, t, f) ? fn.waveSize * costs.target.issue : 0;
}

/** Whether two pointers are the same value, or become one: each is computed in its own block, in the same way. */
function staysOneAddress(fn: FunctionSnapshot, t: InstrId, f: InstrId): boolean {
  const [a, b] = [pointerOf(fn, t), pointerOf(fn, f)];
  if (a === b) return true;
  const [ofT, ofF] = [definingInstr(fn, a), definingInstr(fn, b)];
  if (ofT === NONE || ofF === NONE) return false;
  const isOwn = fn.instrBlock[ofT] === fn.instrBlock[t] && fn.instrBlock[ofF] === fn.instrBlock[f];
  return isOwn && fn.instrOpcode[ofT] === fn.instrOpcode[ofF] && haveEqualOperands(fn, ofT, ofF);
}

function haveEqualOperands({ operand, operandStart }: FunctionSnapshot, a: InstrId, b: InstrId): boolean {
  const [inA, inB] = [a, b].map((i) => operand.subarray(operandStart[i], operandStart[i + 1]));
  return inA.length === inB.length && inA.every((value, k) => value === inB[k]);
}

/**
 * The cycles of a division whose divisors differ, or of an element whose index does. Two constants become a variable.
 * Two indices that all threads share become one that they do not.
 */
function variable({ fn, costs }: PlanningContext, t: InstrId, f: InstrId): number {
  const [indexT, indexF] = [indexOf(fn, t), indexOf(fn, f)];
  if (indexT !== indexF) return elementCycles(fn, t, costs.target) ?? 0;
  const divisor = (i: InstrId): number => fn.operand[fn.operandStart[i] + 1];
  const cycles = variableCycles(fn, t, costs.target);
  return cycles === null || divisor(t) === divisor(f) ? 0 : cycles;
}

function memoryCredit({ fn, costs, memory: { joined } }: PlanningContext, t: InstrId, f: InstrId): number {
  return isInMemory(fn.instrAddressSpace[t]) ? costs.target.memoryCredit / Math.max(joined[t], joined[f]) : 0;
}

/**
 * The unit's time that a pair of loads or stores does not spare. Where each thread accesses a line of memory of its
 * own, it takes as long as there are threads, and the threads of both sides are as many as before. It says whether a
 * meld pays, not what to pair: in a meld that pays otherwise, the pair still spares a guard.
 */
export function scatteredCost(
  { fn, costs, memory: { joined }, strides, divergence }: PlanningContext,
  t: InstrId,
  f: InstrId,
): number {
  if (!mayScatter(fn, divergence, t) || !mayScatter(fn, divergence, f)) return 0;
  const share = Math.min(strides.scattered(t), strides.scattered(f));
  const isStore = fn.instrOpcode[t] === Opcode.Store;
  const { target } = costs;
  const unit = (isStore ? target.store : target.issue) - target.valu + target.memoryCredit;
  return (share * unit) / Math.max(joined[t], joined[f]);
}

/** Cost of a wide access that the smaller of two alignments splits into several accesses. */
function splitCost(ctx: PlanningContext, t: InstrId, f: InstrId): number {
  const { fn } = ctx;
  if (fn.instrAlign[t] === fn.instrAlign[f]) return 0;
  const low = Math.min(fn.instrAlign[t], fn.instrAlign[f]);
  const high = Math.max(fn.instrAlign[t], fn.instrAlign[f]);
  if (low <= 0) return 0;
  const value = fn.instrOpcode[t] === Opcode.Store ? fn.operand[fn.operandStart[t]] : instrValue(fn, t);
  const bytes = fn.typeBits[fn.valueType[value]] / 8;
  const parts = (align: number): number => Math.max(1, bytes / Math.min(align, 16));
  return (parts(low) - parts(high)) * CostModel.splitAccess * ctx.costs.vector[t];
}

/**
 * Where code generation puts a branch around work that runs under an execution mask, for waves without a thread for it.
 * LLVM 23 (SIPreEmitPeephole, `mustRetainExeczBranch`) leaves the branch away where the latencies of its scheduling
 * model add up to no more than those of a branch that is taken and of one that is not. That is nine additions on GCN
 * and CDNA, six on RDNA (measured with llc-23). It always branches around memory accesses.
 */
import { NONE, type InstrId } from '../../ir/ids.js';
import { Opcode } from '../../ir/snapshot.js';
import type { WorkCosts } from './gains.js';
import { CostModel } from './cost-model.js';
import { cyclesOf } from './gains.js';

/** A quarter-rate instruction, in full-rate ones. What takes longer is several instructions. */
const SLOWEST = 4;

/**
 * Whether every wave runs it, also one without a thread for it.
 *
 * @param perCall instructions that a call of an intrinsic may need beside its own: a minimum of floats quiets what is
 *   no result of arithmetic first
 */
export function isUnskipped(ctx: WorkCosts, instrs: readonly InstrId[], perCall = 0): boolean {
  const { valu, resultAfter, unskipped } = ctx.costs.target;
  let latency = 0;
  for (const i of instrs) {
    if (ctx.fn.instrOpcode[i] === Opcode.Call) latency += resultAfter * perCall;
    if (ctx.fn.instrAddressSpace[i] !== NONE) return false;
    const units = workOf(ctx, i) / valu;
    if (units > 0) latency += units > SLOWEST ? resultAfter * units : resultAfter + units - 1;
  }
  return latency <= unskipped;
}

/** Whether a wave without a thread for it spares anything by the branch around it. */
export const isSkipped = (ctx: WorkCosts, instrs: readonly InstrId[]): boolean =>
  instrs.some((i) => ctx.fn.instrAddressSpace[i] !== NONE) ||
  (!isUnskipped(ctx, instrs) && cyclesAlone(ctx, instrs) > CostModel.skipping);

/** Cycles of instructions that have no partners, for threads that differ. */
export const cyclesAlone = (ctx: WorkCosts, instrs: readonly InstrId[]): number =>
  instrs.reduce((sum, i) => sum + workOf(ctx, i), 0);

/** What is fused with its user costs nothing. */
const workOf = (ctx: WorkCosts, i: InstrId): number => (ctx.fusedInto[i] === NONE ? cyclesOf(ctx, i, true) : 0);

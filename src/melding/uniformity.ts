/**
 * What melding does to uniformity (rule 7): a value that was the same for all threads of a wave no longer is when a select on the
 * divergent branch's condition feeds it, or when it is a phi behind a branch that has become divergent.
 *
 * A forward fixpoint over the blocks of a draft, from what divergence analysis says about the original. It sees the
 * subgraphs only; what becomes of users behind them is the cost model's business.
 */
import type { InstrId, ValueId } from '../ir/ids.js';
import { OperandFlag, Opcode, Uniformity, definingInstr, instrValue, isConditionalBranch, terminatorOf } from '../ir/snapshot.js';
import type { Draft } from './draft.js';

export interface MeldedUniformity {
  /** `[instrCount]`: 1 when the result differs between threads after the meld; instructions of the subgraphs only. */
  readonly divergent: Uint8Array;
  /** Per block pair of the draft: whether the melded terminator is divergent. */
  readonly branch: Uint8Array;
}

/** Chains of loop-carried phis settle in a few rounds; what has not by then counts as uniform, an estimate. */
const MOST_ROUNDS = 8;

export function meldedUniformity(draft: Draft): MeldedUniformity {
  const { ctx, blocks, partner } = draft;
  const { f, divergence } = ctx;
  const divergent = new Uint8Array(f.instrCount);
  const branch = new Uint8Array(blocks.length);
  const isDivergent = (v: ValueId): boolean => {
    const i = definingInstr(f, v);
    return divergence.valueDivergent[v] === 1 || (i >= 0 && divergent[i] === 1);
  };
  const meldedPhi = new Uint8Array(f.instrCount);
  for (const [t, g] of draft.phis) meldedPhi[t] = meldedPhi[g] = 1;
  let branchTurned = false;
  let changed = true;

  const becomesDivergent = (i: InstrId): boolean => {
    if (divergence.valueDivergent[instrValue(f, i)] === 1) return true;
    if (f.instrUniformity[i] === Uniformity.AlwaysUniform) return false;
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++) if (isDivergent(f.operand[o] as ValueId)) return true;
    // A phi whose paths different threads take now.
    if (f.instrOpcode[i] !== Opcode.Phi || !branchTurned) return false;
    for (let o = f.operandStart[i] + 1; o < f.operandStart[i + 1]; o++)
      if (f.operand[o] !== f.operand[o - 1]) return true;
    return false;
  };
  const mark = (i: InstrId): void => {
    if (divergent[i] === 1) return;
    divergent[i] = 1;
    changed = true;
  };

  for (let round = 0; changed && round < MOST_ROUNDS; round++) {
    changed = false;
    for (let k = 0; k < blocks.length; k++) {
      for (const b of [blocks[k].t, blocks[k].f])
        for (let i = f.blockInstrStart[b] as InstrId; i < f.blockInstrStart[b + 1] - 1; i++)
          if (divergent[i] === 0 && becomesDivergent(i as InstrId)) mark(i as InstrId);
      for (let i = f.blockInstrStart[blocks[k].t] as InstrId; i < f.blockInstrStart[blocks[k].t + 1] - 1; i++) {
        const g = partner[i] as InstrId;
        if (g < 0 || (divergent[i] === 1 && divergent[g] === 1)) continue;
        const slots = meldedPhi[i] === 1 ? draft.slotsOfPhi(i as InstrId, g) : draft.slotsOf(i as InstrId);
        if (divergent[i] === 1 || divergent[g] === 1 || slots.some((s) => !draft.same(s.t, s.f))) {
          mark(i as InstrId);
          mark(g);
        }
      }
      const terminator = terminatorOf(f, blocks[k].t);
      if (branch[k] === 1 || !isConditionalBranch(f, blocks[k].t)) continue;
      const [slot] = draft.slotsOf(terminator);
      const was = divergence.terminatorDivergent[blocks[k].t] === 1 || divergence.terminatorDivergent[blocks[k].f] === 1;
      if (was || !draft.same(slot.t, slot.f) || isDivergent(slot.t) || isDivergent(slot.f)) {
        branch[k] = 1;
        changed = true;
        // Where an exit of the shared kind is concerned, the phis behind it were divergent before.
        if (blocks.length > 1) branchTurned = true;
      }
    }
  }
  return { divergent, branch };
}

/**
 * Whether a value that must be uniform somewhere (rule 2: descriptors, `readlane` indices …) no longer is, followed from the
 * values that turned through all their users, in the subgraphs and behind them. A gap counts too: when it runs for every
 * thread, the threads of the other side would speak for it.
 */
export function breaksUniformDemand(draft: Draft, { divergent }: MeldedUniformity): boolean {
  const { f, divergence, uses } = draft.ctx;
  if (!draft.ctx.hasUniformDemands) return false;
  const turned = new Uint8Array(f.instrCount);
  const worklist: InstrId[] = [];
  const add = (i: InstrId): void => {
    if (turned[i] === 1 || divergence.valueDivergent[instrValue(f, i)] === 1) return;
    turned[i] = 1;
    worklist.push(i);
  };
  for (let i = 0; i < f.instrCount; i++) if (divergent[i] === 1) add(i as InstrId);
  for (let i = worklist.pop(); i !== undefined; i = worklist.pop()) {
    const v = instrValue(f, i);
    for (let u = uses.start[v]; u < uses.start[v + 1]; u++) {
      if ((f.operandFlags[uses.operand[u]] & OperandFlag.MustBeUniform) !== 0) return true;
      if (f.instrUniformity[uses.user[u]] !== Uniformity.AlwaysUniform) add(uses.user[u] as InstrId);
    }
  }
  return false;
}

/**
 * What melding does to uniformity (rule 7). A uniform value, the same for all threads of a wave, becomes divergent
 * when a select on the divergent branch's condition feeds it, or when it is a phi behind a branch that becomes
 * divergent.
 *
 * This is a forward fixpoint over the blocks of a draft. It starts from the divergence analysis of the original. It
 * sees the subgraphs only. evaluate.ts looks at their users behind the subgraphs.
 */
import type { BlockId, InstrId, ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import {
  OperandFlag,
  Opcode,
  Uniformity,
  definingInstr,
  instrValue,
  isConditionalBranch,
  terminatorOf,
} from '../../ir/snapshot.js';
import type { Draft, MeldedUniformity } from './draft.js';
import { hostBlock } from '../plan.js';

/**
 * Chains of loop-carried phis settle in a few rounds. After that, what is not yet marked counts as uniform: an
 * estimate.
 */
const MOST_ROUNDS = 8;

export function meldedUniformity(draft: Draft): MeldedUniformity {
  return (draft.uniformity ??= new Propagation(draft).run());
}

class Propagation {
  private readonly divergent: Int32Array;
  private readonly branch: Uint8Array;
  private branchTurned = false;
  private changed = false;

  constructor(private readonly draft: Draft) {
    this.divergent = draft.divergent;
    this.branch = new Uint8Array(draft.frame.blocks.length);
  }

  run(): MeldedUniformity {
    const { divergent, branch } = this;
    const { blocks } = this.draft.frame;
    for (const { t, f } of blocks) for (const b of [t, f]) if (b !== NONE) this.startFromOriginal(b);
    for (let round = 0; round < MOST_ROUNDS; round++) {
      this.changed = false;
      for (let k = 0; k < blocks.length; k++) {
        const { t, f } = blocks[k];
        for (const b of [t, f]) if (b !== NONE) this.followOperands(b);
        if (t !== NONE) this.followPairs(t);
        this.followBranch(k);
      }
      if (!this.changed) break;
    }
    return { divergent, branch };
  }

  private startFromOriginal(b: BlockId): void {
    const { fn, divergence } = this.draft.ctx;
    for (let i = fn.blockInstrStart[b] as InstrId; i < fn.blockInstrStart[b + 1] - 1; i++)
      this.divergent[i] = divergence.valueDivergent[instrValue(fn, i as InstrId)];
  }

  private followOperands(b: BlockId): void {
    const { fn } = this.draft.ctx;
    for (let i = fn.blockInstrStart[b] as InstrId; i < fn.blockInstrStart[b + 1] - 1; i++)
      if (this.divergent[i] === 0 && this.becomesDivergent(i as InstrId)) this.mark(i as InstrId);
  }

  private followPairs(b: BlockId): void {
    const { ctx, partner } = this.draft;
    const { blockInstrStart } = ctx.fn;
    for (let i = blockInstrStart[b] as InstrId; i < blockInstrStart[b + 1] - 1; i++) {
      const t = i as InstrId;
      const f = partner[t] as InstrId;
      if (f < 0) continue;
      const either = this.divergent[t] + this.divergent[f];
      if (either === 2 || (either === 0 && !this.needsSelect(t, f))) continue;
      this.mark(t);
      this.mark(f);
    }
  }

  private followBranch(k: number): void {
    const { ctx, frame } = this.draft;
    const { t, f, takes, passed } = frame.blocks[k];
    const host = hostBlock(frame.shape, frame.blocks[k]);
    if (this.branch[k] === 1 || !isConditionalBranch(ctx.fn, host)) return;
    const { terminatorDivergent } = ctx.divergence;
    const [slot] = frame.terminatorSlots[k];
    if (slot) {
      const was = terminatorDivergent[t] === 1 || terminatorDivergent[f] === 1;
      if (!was && this.draft.isOne(slot) && !this.isDivergent(slot.t) && !this.isDivergent(slot.f)) return;
    } else if (terminatorDivergent[host] === 0 && !(passed && takes !== null) && !this.isHostConditionDivergent(host))
      return;
    this.branch[k] = 1;
    this.changed = true;
    // With a shared exit there is only one block, and the phis behind it were divergent before.
    if (frame.blocks.length > 1) this.branchTurned = true;
  }

  private isHostConditionDivergent(host: BlockId): boolean {
    const { fn } = this.draft.ctx;
    return this.isDivergent(fn.operand[fn.operandStart[terminatorOf(fn, host)]] as ValueId);
  }

  private mark(i: InstrId): void {
    if (this.divergent[i] === 1) return;
    this.divergent[i] = 1;
    this.changed = true;
  }

  private isDivergent(v: ValueId): boolean {
    const { fn, divergence } = this.draft.ctx;
    if (divergence.valueDivergent[v] === 1) return true;
    const i = definingInstr(fn, v);
    return i >= 0 && this.divergent[i] === 1;
  }

  private becomesDivergent(i: InstrId): boolean {
    const { fn } = this.draft.ctx;
    if (fn.instrUniformity[i] === Uniformity.AlwaysUniform) return false;
    for (let o = fn.operandStart[i]; o < fn.operandStart[i + 1]; o++)
      if (this.isDivergent(fn.operand[o] as ValueId)) return true;
    // A phi becomes divergent if threads now come to it by different paths.
    if (fn.instrOpcode[i] !== Opcode.Phi || !this.branchTurned) return false;
    for (let o = fn.operandStart[i] + 1; o < fn.operandStart[i + 1]; o++)
      if (fn.operand[o] !== fn.operand[o - 1]) return true;
    return false;
  }

  private needsSelect(t: InstrId, f: InstrId): boolean {
    const { draft } = this;
    const slots = draft.ctx.fn.instrOpcode[t] === Opcode.Phi ? draft.frame.phiSlots(t, f) : draft.factsOf(t).slots;
    for (const slot of slots) if (!draft.isOne(slot)) return true;
    return false;
  }
}

/**
 * Whether an operand that must be uniform (rule 2: descriptors, `readlane` indices …) would no longer be. This
 * follows the values that become divergent through all their users, in the subgraphs and behind them. It includes
 * instructions without a partner: when such an instruction runs for every thread, threads of the other side take part
 * in it.
 */
export function breaksUniformDemand(draft: Draft, { divergent, branch }: MeldedUniformity): boolean {
  const { ctx, frame } = draft;
  const { fn, divergence, uses } = ctx;
  if (!ctx.hasUniformDemands) return false;
  const turned = new Uint8Array(fn.instrCount);
  const worklist: InstrId[] = [];
  const add = (i: InstrId): void => {
    if (turned[i] === 1 || divergence.valueDivergent[instrValue(fn, i)] === 1) return;
    turned[i] = 1;
    worklist.push(i);
  };
  for (const { t, f } of frame.blocks)
    for (const b of [t, f])
      if (b !== NONE)
        for (let i = fn.blockInstrStart[b]; i < fn.blockInstrStart[b + 1]; i++)
          if (divergent[i] === 1) add(i as InstrId);
  // Behind a branch that becomes divergent, threads come to the exits by different paths.
  if (branch.includes(1)) for (const phi of exitPhis(draft)) add(phi);
  for (let i = worklist.pop(); i !== undefined; i = worklist.pop()) {
    const v = instrValue(fn, i);
    for (let u = uses.start[v]; u < uses.start[v + 1]; u++) {
      if ((fn.operandFlags[uses.operand[u]] & OperandFlag.MustBeUniform) !== 0) return true;
      if (fn.instrUniformity[uses.user[u]] !== Uniformity.AlwaysUniform) add(uses.user[u] as InstrId);
    }
  }
  return false;
}

function* exitPhis({ ctx: { fn }, frame }: Draft): Iterable<InstrId> {
  for (const side of ['t', 'f'] as const) {
    const inside = new Set(frame.blocks.map((pair) => pair[side]));
    for (const b of inside) {
      if (b === NONE) continue;
      for (let s = fn.succStart[b]; s < fn.succStart[b + 1]; s++) {
        const exit = fn.succ[s] as BlockId;
        if (inside.has(exit)) continue;
        for (let i = fn.blockInstrStart[exit] as InstrId; fn.instrOpcode[i] === Opcode.Phi; i++) yield i;
      }
    }
  }
}

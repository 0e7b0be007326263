/**
 * What melding does to uniformity (rule 7): a value that was the same for all threads of a wave no longer is when a select on the
 * divergent branch's condition feeds it, or when it is a phi behind a branch that has become divergent.
 *
 * A forward fixpoint over the blocks of a draft, from what divergence analysis says about the original. It sees the
 * subgraphs only; what becomes of users behind them is the cost model's business.
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
import type { Draft } from './draft.js';
import { hostBlock } from './shape.js';

export interface MeldedUniformity {
  /** `[instrCount]`: 1 when the result differs between threads after the meld; instructions of the subgraphs only. */
  readonly divergent: Uint8Array;
  /** Per block pair of the draft: whether the melded terminator is divergent. */
  readonly branch: Uint8Array;
}

/** Chains of loop-carried phis settle in a few rounds; what has not by then counts as uniform, an estimate. */
const MOST_ROUNDS = 8;

export function meldedUniformity(draft: Draft): MeldedUniformity {
  return (draft.uniformity ??= new Propagation(draft).run());
}

class Propagation {
  private readonly divergent: Uint8Array;
  private readonly branch: Uint8Array;
  private branchTurned = false;
  private changed = false;

  constructor(private readonly draft: Draft) {
    this.divergent = new Uint8Array(draft.ctx.f.instrCount);
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
    const { f, divergence } = this.draft.ctx;
    for (let i = f.blockInstrStart[b] as InstrId; i < f.blockInstrStart[b + 1] - 1; i++)
      this.divergent[i] = divergence.valueDivergent[instrValue(f, i as InstrId)];
  }

  private followOperands(b: BlockId): void {
    const { f } = this.draft.ctx;
    for (let i = f.blockInstrStart[b] as InstrId; i < f.blockInstrStart[b + 1] - 1; i++)
      if (this.divergent[i] === 0 && this.becomesDivergent(i as InstrId)) this.mark(i as InstrId);
  }

  private followPairs(b: BlockId): void {
    const { ctx, partner } = this.draft;
    const { blockInstrStart } = ctx.f;
    for (let i = blockInstrStart[b] as InstrId; i < blockInstrStart[b + 1] - 1; i++) {
      const t = i as InstrId;
      const g = partner[t] as InstrId;
      if (g < 0) continue;
      const either = this.divergent[t] + this.divergent[g];
      if (either === 2 || (either === 0 && !this.needsSelect(t, g))) continue;
      this.mark(t);
      this.mark(g);
    }
  }

  private followBranch(k: number): void {
    const { ctx, frame } = this.draft;
    const { t, f: g, takes, passed } = frame.blocks[k];
    const host = hostBlock(frame.shape, frame.blocks[k]);
    if (this.branch[k] === 1 || !isConditionalBranch(ctx.f, host)) return;
    const { terminatorDivergent } = ctx.divergence;
    const [slot] = frame.terminatorSlots[k];
    if (slot) {
      const was = terminatorDivergent[t] === 1 || terminatorDivergent[g] === 1;
      if (!was && this.draft.isOne(slot) && !this.isDivergent(slot.t) && !this.isDivergent(slot.f)) return;
    } else if (terminatorDivergent[host] === 0 && !(passed && takes !== null) && !this.isHostConditionDivergent(host))
      return;
    this.branch[k] = 1;
    this.changed = true;
    // Where an exit of the shared kind is concerned, the phis behind it were divergent before.
    if (frame.blocks.length > 1) this.branchTurned = true;
  }

  private isHostConditionDivergent(host: BlockId): boolean {
    const { f } = this.draft.ctx;
    return this.isDivergent(f.operand[f.operandStart[terminatorOf(f, host)]] as ValueId);
  }

  private mark(i: InstrId): void {
    if (this.divergent[i] === 1) return;
    this.divergent[i] = 1;
    this.changed = true;
  }

  private isDivergent(v: ValueId): boolean {
    const { f, divergence } = this.draft.ctx;
    if (divergence.valueDivergent[v] === 1) return true;
    const i = definingInstr(f, v);
    return i >= 0 && this.divergent[i] === 1;
  }

  private becomesDivergent(i: InstrId): boolean {
    const { f } = this.draft.ctx;
    if (f.instrUniformity[i] === Uniformity.AlwaysUniform) return false;
    for (let o = f.operandStart[i]; o < f.operandStart[i + 1]; o++)
      if (this.isDivergent(f.operand[o] as ValueId)) return true;
    // A phi whose paths different threads take now.
    if (f.instrOpcode[i] !== Opcode.Phi || !this.branchTurned) return false;
    for (let o = f.operandStart[i] + 1; o < f.operandStart[i + 1]; o++)
      if (f.operand[o] !== f.operand[o - 1]) return true;
    return false;
  }

  private needsSelect(t: InstrId, g: InstrId): boolean {
    const { draft } = this;
    const slots = draft.ctx.f.instrOpcode[t] === Opcode.Phi ? draft.frame.phiSlots(t, g) : draft.factsOf(t).slots;
    for (const slot of slots) if (!draft.isOne(slot)) return true;
    return false;
  }
}

/**
 * Whether a value that must be uniform somewhere (rule 2: descriptors, `readlane` indices …) no longer is, followed from the
 * values that turned through all their users, in the subgraphs and behind them. A gap counts too: when it runs for every
 * thread, the threads of the other side would speak for it.
 */
export function breaksUniformDemand(draft: Draft, { divergent, branch }: MeldedUniformity): boolean {
  const { ctx } = draft;
  const { f, divergence, uses } = ctx;
  if (!ctx.hasUniformDemands) return false;
  const turned = new Uint8Array(f.instrCount);
  const worklist: InstrId[] = [];
  const add = (i: InstrId): void => {
    if (turned[i] === 1 || divergence.valueDivergent[instrValue(f, i)] === 1) return;
    turned[i] = 1;
    worklist.push(i);
  };
  for (let i = 0; i < f.instrCount; i++) if (divergent[i] === 1) add(i as InstrId);
  // Different threads come to the exits by different ways now.
  if (branch.includes(1)) for (const phi of exitPhis(draft)) add(phi);
  for (let i = worklist.pop(); i !== undefined; i = worklist.pop()) {
    const v = instrValue(f, i);
    for (let u = uses.start[v]; u < uses.start[v + 1]; u++) {
      if ((f.operandFlags[uses.operand[u]] & OperandFlag.MustBeUniform) !== 0) return true;
      if (f.instrUniformity[uses.user[u]] !== Uniformity.AlwaysUniform) add(uses.user[u] as InstrId);
    }
  }
  return false;
}

function* exitPhis({ ctx: { f }, frame }: Draft): Iterable<InstrId> {
  for (const side of ['t', 'f'] as const) {
    const inside = new Set(frame.blocks.map((pair) => pair[side]));
    for (const b of inside) {
      if (b === NONE) continue;
      for (let s = f.succStart[b]; s < f.succStart[b + 1]; s++) {
        const exit = f.succ[s] as BlockId;
        if (inside.has(exit)) continue;
        for (let i = f.blockInstrStart[exit] as InstrId; f.instrOpcode[i] === Opcode.Phi; i++) yield i;
      }
    }
  }
}

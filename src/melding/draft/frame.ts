/**
 * What all drafts of one candidate share: the corresponding blocks, their work, and facts about operands that do not
 * depend on what pairs. There are several drafts per candidate (decide/best-draft.ts), so these facts are found once.
 *
 * Everything that becomes one has operand *slots*. A slot is a value of the T side and a value of the F side that need
 * a `select` unless they become the same value. Legality, pruning and cost all work on slots.
 */
import type { BlockId, InstrId, ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { Opcode, definingInstr, terminatorOf } from '../../ir/snapshot.js';
import type { PlanningContext } from '../cost/context.js';
import { idleInstrs } from '../cost/idle-work.js';
import { reciprocalCycles } from '../cost/latency.js';
import { canSelect, isPoison, moveCycles, refoldedDivision, selectCycles } from '../cost/operands.js';
import { matchesOf, workOf, type BlockMatches, type BlockWork } from './block-matches.js';
import { findStandIns } from './stand-ins.js';
import type { EarlierPartners } from './partner-log.js';
import { hostBlock, type MeldExit, type MeldedBlock, type Shape } from '../plan.js';

export interface Slot {
  readonly t: ValueId;
  readonly f: ValueId;
  /** Equal for slots that share one select; see `Frame.keyOf`. */
  readonly key: number;
  /** The block where the select would stand: that of the user, or the one from whose end a phi takes the value. */
  readonly at: BlockId;
  /** Whether both are one value whatever a draft pairs. If so, the fields below mean nothing. */
  readonly alike: boolean;
  /** The instructions that define the values. If these pair, the values are one. Both are `NONE` unless both exist. */
  readonly defT: InstrId;
  readonly defF: InstrId;
  readonly selectable: boolean;
  /** Cycles of the select over the whole run. */
  readonly cost: number;
  /**
   * The phi of the join that takes the values, where threads leave from several blocks: then a phi of each side meets
   * them, and one select of these phis stands behind all blocks. Otherwise `NONE`.
   */
  readonly joined: InstrId | -1;
}

/** What a frame is made of. */
interface FrameParts {
  readonly ctx: PlanningContext;
  /** Block E, which ends in the divergent branch. */
  readonly branch: BlockId;
  readonly shape: Shape;
  readonly exit: MeldExit;
  /** Whether blocks of either side run before the subgraphs. Then the sides are apart in front of the meld. */
  readonly front: boolean;
  /** Whether blocks of either side run after the subgraphs. Then the sides part again behind the meld. */
  readonly back: boolean;
  /** Partners by melds of the same branch that are carried out before this one, or null. */
  readonly earlier: EarlierPartners | null;
}

export class Frame implements FrameParts {
  readonly ctx: PlanningContext;
  readonly branch: BlockId;
  readonly shape: Shape;
  readonly exit: MeldExit;
  readonly front: boolean;
  readonly back: boolean;
  readonly earlier: EarlierPartners | null;
  readonly blocks: readonly MeldedBlock[];
  /** `[blockCount]`: the corresponding block of the other side, or `NONE`. */
  readonly blockPartner: Int32Array;
  /** The entry of the host's subgraph. */
  readonly entry: BlockId;
  /** Per block pair. In the order of the blocks, or in another one that `reorder` was told. */
  work: readonly BlockWork[];
  /** The loads that are in the work of a block in front of their own (decide/hoisted-loads.ts). */
  hoistedLoads: ReadonlySet<InstrId> = new Set();
  /** The largest number of cells that the alignment of a pair of blocks needs. */
  readonly cells: number;
  /** `[blockCount]`: the index of the melded block that a block becomes. `NONE` for blocks outside. */
  private readonly index: Int32Array;
  /** Tables by instruction that drafts of this frame have borrowed. */
  private readonly borrowed: Int32Array[] = [];
  /** By both bases, and then by the distance that is left between the addresses. */
  private readonly baseKeys = new Map<number, Map<number, number>>();
  private baseKeyCount = 0;
  private readonly phis = new Map<number, readonly Slot[]>();
  private readonly knownStandIns = new Map<InstrId, readonly InstrId[]>();
  private blockMatches: readonly (BlockMatches | null)[] | null = null;
  private idleWork: Readonly<Record<'t' | 'f', readonly InstrId[]>> | null = null;
  private slotsOfExits: readonly Slot[] | null = null;
  private slotsOfTerminators: readonly (readonly Slot[])[] | null = null;

  constructor({ ctx, branch, shape, exit, front, back, earlier }: FrameParts) {
    const { fn } = ctx;
    this.ctx = ctx;
    this.branch = branch;
    this.shape = shape;
    this.exit = exit;
    this.front = front;
    this.back = back;
    this.earlier = earlier;
    this.blocks = shape.blocks;
    this.entry = hostBlock(shape, shape.blocks[0]);
    this.blockPartner = ctx.graph.tables.lend();
    this.index = ctx.graph.tables.lend();
    const work: BlockWork[] = [];
    let cells = 0;
    const size = (b: BlockId): number => fn.blockInstrStart[b + 1] - fn.blockInstrStart[b];
    for (const [k, { t, f }] of shape.blocks.entries()) {
      work.push({ t: t === NONE ? [] : workOf(ctx, t), f: f === NONE ? [] : workOf(ctx, f) });
      if (t !== NONE) this.index[t] = k;
      if (f !== NONE) this.index[f] = k;
      if (t === NONE || f === NONE) continue;
      this.blockPartner[t] = f;
      this.blockPartner[f] = t;
      cells = Math.max(cells, size(t) * size(f));
    }
    this.work = work;
    this.cells = cells;
  }

  /** What all waves run of a side without melds (cost/idle-work.ts). */
  get idle(): Readonly<Record<'t' | 'f', readonly InstrId[]>> {
    if (this.idleWork === null) {
      const { ctx, branch, blocks } = this;
      const of = (side: 't' | 'f'): readonly InstrId[] =>
        blocks.flatMap((pair) => (pair[side] === NONE ? [] : idleInstrs(ctx, branch, pair[side] as BlockId)));
      this.idleWork = { t: of('t'), f: of('f') };
    }
    return this.idleWork;
  }

  /**
   * A table by instruction that holds `NONE` everywhere. It may be written where the frame's blocks are, and is the
   * borrower's until the frame is released.
   */
  borrowTable(): Int32Array {
    const table = this.ctx.tables.lend();
    this.borrowed.push(table);
    return table;
  }

  /** Gives all tables back. After that, neither the frame nor a draft of it may be used. */
  release(): void {
    const { ctx, blocks, borrowed } = this;
    const { blockInstrStart } = ctx.fn;
    const own = blocks.flatMap(({ t, f }) => [t, f]).filter((b) => b !== NONE);
    for (const table of [this.blockPartner, this.index]) ctx.graph.tables.takeBack(table, own);
    for (const table of borrowed) {
      for (const b of own) table.fill(NONE, blockInstrStart[b], blockInstrStart[b + 1]);
      ctx.tables.takeBack(table, []);
    }
  }

  /** Changes the order of the instructions. What depends on each other must keep its order. */
  reorder(work: readonly BlockWork[], hoistedLoads = this.hoistedLoads): void {
    this.work = work;
    this.hoistedLoads = hoistedLoads;
    this.blockMatches = null;
  }

  /** Per block pair: which instructions match, or null when none do. */
  get matches(): readonly (BlockMatches | null)[] {
    return (this.blockMatches ??= this.work.map((w) => matchesOf(this.ctx, w, (i) => this.standIns(i).length > 0)));
  }

  /** The index of the melded block from which a load was hoisted; null for all that were not. */
  homeOf(i: InstrId): number | null {
    return this.hoistedLoads.has(i) ? this.indexOf(this.ctx.fn.instrBlock[i] as BlockId) : null;
  }

  /** The loads of the other side that may stand in for a load of the blocks (stand-ins.ts). */
  standIns(i: InstrId): readonly InstrId[] {
    if (this.hoistedLoads.has(i)) return [];
    let found = this.knownStandIns.get(i);
    if (found === undefined) this.knownStandIns.set(i, (found = findStandIns(this, i)));
    return found;
  }

  /** Whether both values are one value after every meld of these blocks. */
  areAlike(a: ValueId, b: ValueId): boolean {
    if (a === b) return true;
    const { fn } = this.ctx;
    if (isPoison(fn, a) || isPoison(fn, b)) return true;
    if (this.earlier === null) return false;
    const i = definingInstr(fn, a);
    const j = definingInstr(fn, b);
    return i !== NONE && j !== NONE && this.earlier.pairs(i, j);
  }

  /**
   * The key of the select of two values. Pairs of addresses that lie equally far apart have the same key: one select of
   * their bases serves all of them, and the rest is constant (`darm_share_address_selects` in the shim sees to that).
   */
  keyOf(t: ValueId, f: ValueId): number {
    const { valueBase, valueOffset, valueCount } = this.ctx.fn;
    if (valueBase[t] === NONE || valueBase[f] === NONE) return t * valueCount + f;
    const bases = valueBase[t] * valueCount + valueBase[f];
    let keys = this.baseKeys.get(bases);
    if (keys === undefined) this.baseKeys.set(bases, (keys = new Map<number, number>()));
    const distance = valueOffset[t] - valueOffset[f];
    let key = keys.get(distance);
    if (key === undefined) keys.set(distance, (key = -1 - this.baseKeyCount++));
    return key;
  }

  slot(t: ValueId, f: ValueId, at: BlockId, joined: InstrId | -1 = NONE): Slot {
    const snapshot = this.ctx.fn;
    const key = this.keyOf(t, f);
    if (this.areAlike(t, f))
      return {
        t,
        f,
        key,
        at,
        alike: true,
        defT: NONE as InstrId,
        defF: NONE as InstrId,
        selectable: true,
        cost: 0,
        joined,
      };
    const i = definingInstr(snapshot, t);
    const j = definingInstr(snapshot, f);
    const defined = i !== NONE && j !== NONE;
    return {
      t,
      f,
      key,
      at,
      alike: false,
      defT: defined ? i : (NONE as InstrId),
      defF: defined ? j : (NONE as InstrId),
      selectable: canSelect(this.ctx, t, f),
      cost: this.selectCost(t, f, at),
      joined,
    };
  }

  /** Cycles of `select C, t, f` over the whole run. A select of values from outside stands in front of loops. */
  selectCost(t: ValueId, f: ValueId, at: BlockId): number {
    const { ctx } = this;
    const early = this.isInside(t) || this.isInside(f) ? at : this.entry;
    const cycles = selectCycles(ctx, t) + refoldedDivision(ctx, t, f) + reciprocalCycles(ctx.costs, t, f);
    return cycles * Math.min(this.weight(early), this.weight(at)) + moveCycles(ctx, t, f);
  }

  /** How often the melded block of `b` runs: as often as the owner that runs more often. */
  weight(b: BlockId): number {
    const { weight } = this.ctx;
    const partner = this.blockPartner[b];
    return partner === NONE ? weight[b] : Math.max(weight[b], weight[partner]);
  }

  isInside(v: ValueId): boolean {
    return this.holds(definingInstr(this.ctx.fn, v));
  }

  /** Whether an instruction is in the blocks. The number may be `NONE`. */
  holds(i: InstrId | -1): boolean {
    return i !== NONE && this.index[this.ctx.fn.instrBlock[i]] !== NONE;
  }

  /**
   * The slots of a melded phi. There is one per pair of corresponding edges inside. The values from outside meet in the
   * unifying block: one phi per side, and one select of both. If a side has more of these values than the other, the
   * first value of the other side stands for those that are missing.
   */
  phiSlots(t: InstrId, f: InstrId): readonly Slot[] {
    const key = t * this.ctx.fn.instrCount + f;
    let slots = this.phis.get(key);
    if (slots === undefined) this.phis.set(key, (slots = this.findPhiSlots(t, f)));
    return slots;
  }

  private findPhiSlots(t: InstrId, f: InstrId): readonly Slot[] {
    const { ctx } = this;
    const { fn } = ctx;
    const slots: Slot[] = [];
    const at = this.indexOf(fn.instrBlock[t] as BlockId);
    for (let p = 0; p < this.blocks.length; p++) {
      const from = this.source(p, at);
      if (from.t === NONE || from.f === NONE) continue;
      const [a, b] = [incomingFrom(ctx, t, from.t), incomingFrom(ctx, f, from.f)];
      if (a !== null && b !== null) slots.push(this.slot(a, b, from.t));
    }
    const outside = (phi: InstrId): ValueId[] => {
      const values: ValueId[] = [];
      for (let o = fn.operandStart[phi]; o < fn.operandStart[phi + 1]; o++)
        if (this.index[fn.operandBlock[o]] === NONE) values.push(fn.operand[o] as ValueId);
      return values;
    };
    const [outsideT, outsideF] = [outside(t), outside(f)];
    if (outsideT.length === 0 || outsideF.length === 0) return slots;
    for (let k = 0; k < Math.max(outsideT.length, outsideF.length); k++) {
      const slot = this.slot(outsideT[k] ?? outsideT[0], outsideF[k] ?? outsideF[0], this.branch);
      if (!slots.some((s) => s.at === slot.at && s.key === slot.key)) slots.push(slot);
    }
    return slots;
  }

  /**
   * Whether phis of both owners of melded block `k` may become one. They may not where only one side has its entry, or
   * where an edge leads back to the entry of one side only. For phis of such an entry become phis of the unifying
   * block.
   */
  mayPairPhis(k: number): boolean {
    const { shape } = this;
    if (k !== 0 && k !== shape.guestEntry) return true;
    if (k !== 0 || shape.guestEntry !== 0) return false;
    return this.loops(shape.blocks[0].t as BlockId) === this.loops(shape.blocks[0].f as BlockId);
  }

  /** Whether an edge of the subgraph leads back to its entry `b`. */
  private loops(b: BlockId): boolean {
    const { predStart, pred } = this.ctx.graph;
    for (let e = predStart[b]; e < predStart[b + 1]; e++) if (this.index[pred[e]] !== NONE) return true;
    return false;
  }

  /** The index of the melded block that `b` becomes. `NONE` for blocks outside. */
  indexOf(b: BlockId): number {
    return this.index[b];
  }

  /**
   * The blocks whose edges arrive through melded block `p` at melded block `to` (`NONE`: behind the subgraphs): a block
   * of the host, and a block of the guest if one of its edges takes the same path.
   */
  private source(p: number, to: number): { readonly t: BlockId | -1; readonly f: BlockId | -1 } {
    const { shape } = this;
    const host = hostBlock(shape, shape.blocks[p]);
    const { graph } = this.ctx;
    let [own, guest]: (BlockId | -1)[] = [NONE, NONE];
    for (let e = graph.succStart[host]; e < graph.succStart[host + 1]; e++)
      if (this.indexOf(graph.succ[e] as BlockId) === to) own = host;
    if (own !== NONE) guest = this.guestSource(p, to);
    return shape.host === 't' ? { t: own, f: guest } : { t: guest, f: own };
  }

  private guestSource(p: number, to: number): BlockId | -1 {
    const { graph } = this.ctx;
    for (const b of this.blocks) {
      const guest = this.shape.host === 't' ? b.f : b.t;
      for (const [slot, leaves] of b.leaves.entries())
        if (leaves === p && this.indexOf(graph.succ[graph.succStart[guest] + slot] as BlockId) === to) return guest;
    }
    return NONE;
  }

  /** The slots of the phis behind the subgraphs that get a value from each side. */
  get exitSlots(): readonly Slot[] {
    return (this.slotsOfExits ??= this.findExitSlots());
  }

  private findExitSlots(): readonly Slot[] {
    const { fn, graph } = this.ctx;
    const slots: Slot[] = [];
    if (this.exit.kind === 'single' && this.exit.t !== this.exit.f) return slots;
    const isJoined = this.exit.kind === 'single' && this.leavesFromSeveral();
    for (let p = 0; p < this.blocks.length; p++) {
      const { t, f } = this.source(p, NONE);
      if (t === NONE || f === NONE) continue;
      for (let e = graph.succStart[t]; e < graph.succStart[t + 1]; e++) {
        const to = graph.succ[e] as BlockId;
        if (this.index[to] !== NONE || (e > graph.succStart[t] && graph.succ[e - 1] === to)) continue;
        for (let i = fn.blockInstrStart[to]; fn.instrOpcode[i] === Opcode.Phi; i++) {
          const a = incomingFrom(this.ctx, i as InstrId, t);
          const b = incomingFrom(this.ctx, i as InstrId, f);
          if (a !== null && b !== null) slots.push(this.slot(a, b, t, isJoined ? (i as InstrId) : NONE));
        }
      }
    }
    return slots;
  }

  /** Whether several melded blocks lead out of the subgraphs. */
  private leavesFromSeveral(): boolean {
    let count = 0;
    for (let p = 0; p < this.blocks.length; p++) {
      const { t, f } = this.source(p, NONE);
      if (t !== NONE || f !== NONE) count++;
    }
    return count > 1;
  }

  /**
   * Whether the phis behind subgraphs with one exit each may get a select of what comes from both sides. Where several
   * blocks leave, the values of a side meet in a phi first, so it is asked for each value of one with each of the
   * other.
   *
   * @param isOne whether two values are one value after the meld
   */
  canJoinAtExit(isOne: (a: ValueId, b: ValueId) => boolean): boolean {
    const { exit, ctx } = this;
    const { fn } = ctx;
    if (exit.kind !== 'single' || exit.t !== exit.f) return true;
    for (let i = fn.blockInstrStart[exit.t] as InstrId; fn.instrOpcode[i] === Opcode.Phi; i++) {
      const from = (side: 't' | 'f'): ValueId[] =>
        this.blocks.flatMap((pair) => (pair[side] === NONE ? [] : (incomingFrom(ctx, i, pair[side] as BlockId) ?? [])));
      const values = from('f');
      for (const a of from('t')) for (const b of values) if (!isOne(a, b) && !canSelect(ctx, a, b)) return false;
    }
    return true;
  }

  /** The slots of the terminators, per block pair. */
  get terminatorSlots(): readonly (readonly Slot[])[] {
    return (this.slotsOfTerminators ??= this.blocks.map(({ t, f, takes }) => {
      const { fn } = this.ctx;
      if (t === NONE || f === NONE || takes !== null) return [];
      const first = fn.operandStart[terminatorOf(fn, t)];
      const other = fn.operandStart[terminatorOf(fn, f)];
      const slots: Slot[] = [];
      for (let k = 0, n = fn.operandStart[terminatorOf(fn, t) + 1] - first; k < n; k++)
        slots.push(this.slot(fn.operand[first + k] as ValueId, fn.operand[other + k] as ValueId, t));
      return slots;
    }));
  }
}

/** The value that a phi takes from `from`, or null when that block is not a predecessor. */
export function incomingFrom(ctx: PlanningContext, phi: InstrId, from: BlockId): ValueId | null {
  const { fn } = ctx;
  for (let o = fn.operandStart[phi]; o < fn.operandStart[phi + 1]; o++)
    if (fn.operandBlock[o] === from) return fn.operand[o] as ValueId;
  return null;
}

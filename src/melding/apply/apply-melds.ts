/**
 * Carries out a plan. This is the code generation half of melding (paper, Algorithm 2, and "Pre and Post Processing
 * Steps").
 *
 * One meld turns   predT → S_T → x_T      into   predT ─┐                         ┌─ C ─→ x_T
 *                  predF → S_F → x_F             predF ─┴→ U → M (melded) → exit ─┴ ¬C ─→ x_F
 *
 * U, the unifying block, holds the phis that region simplification and SSA repair need. They bring what a thread's own
 * side defined in front of the subgraph, and `poison` for the threads of the other side.
 *
 * M has one block per block pair. A pair of instructions becomes one instruction with selected operands. An instruction
 * without a partner runs for its own threads only (the block is split, "unpredication"), or for all threads where the
 * plan says `speculate`; those of the other side may load from an address of their own (`standIn`). Where only the host
 * has a block, threads of the guest pass through it with a fixed condition, or never come there. What the guest defined
 * reaches its users through phis.
 *
 * The exit block joins the edges out of both subgraphs and branches on C. When both sides go on to the same block,
 * selects replace the branch. For exit kind `shared` (rule 1.8) there is no exit block: the melded block branches to
 * the common successors.
 *
 * The old blocks are read and not changed until their uses have moved over; then they are deleted. So operands can be
 * looked up in the live function, and one meld of a plan can follow another.
 */
import type { BlockRef, Editor, ValueRef } from '../../ir/editor.js';
import type { BlockId } from '../../ir/ids.js';
import { MeldedFlow } from './melded-flow.js';
import type { AlignedInstr, BlockPair, FlattenedBranch, FunctionPlan, HoistedSide, Meld } from '../plan.js';
import { askWave } from './ask-wave.js';
import { flattenBranch } from './flatten-branch.js';
import { hoistSide } from './hoist-side.js';
import { ReachingValues } from './reaching-values.js';
import { join, selectorOf, sideOf, unify, type Side } from './unify.js';

/** Is told what becomes of what while melds are carried out. It changes nothing. */
export interface MeldWatcher {
  /** A block was created: for melded block `index`, or for none of them. */
  created(block: BlockRef, index: number | null): void;
  /** The new `instr` in melded block `index` stands for `t` and `f`, or for the one of them that is not null. */
  melded(instr: ValueRef, t: ValueRef | null, f: ValueRef | null, index: number): void;
  /** An operand of what `t` and `f` became is a select. Operands are counted as in `t`. */
  selected(t: ValueRef, f: ValueRef, operand: number): void;
  /** The meld is complete and its old blocks are deleted. */
  done(meld: Meld): void;
  /** The side's block is deleted. */
  hoisted(side: HoistedSide): void;
  /** The tree's blocks are deleted, all but the root. */
  flattened(tree: FlattenedBranch): void;
}

/** What a plan changes. */
export type Edits = Pick<FunctionPlan, 'melds' | 'versions' | 'hoisted' | 'flattened'>;

/** Carries out one plan: versions, melds, hoisted sides and flattened branches, each in order. */
export function applyPlan(
  editor: Editor,
  { melds, versions, hoisted, flattened }: Edits,
  watcher: MeldWatcher | null = null,
): void {
  // A meld may replace the conditional branch of a later meld of the same region, and a version moves it to another
  // block, so all conditions are looked up first.
  const conditions = new Map<BlockId, ValueRef>();
  for (const meld of melds) conditions.set(meld.branch, editor.condition(editor.block(meld.branch)));
  for (const version of versions) askWave(editor, version);
  for (const meld of melds) {
    const builder = new MeldBuilder(editor, meld, conditions.get(meld.branch)!, watcher);
    builder.build();
    conditions.set(meld.branch, builder.condition);
    watcher?.done(meld);
  }
  for (const side of hoisted) {
    hoistSide(editor, side);
    watcher?.hoisted(side);
  }
  for (const tree of flattened) {
    flattenBranch(editor, tree);
    watcher?.flattened(tree);
  }
}

interface Clone {
  readonly instr: ValueRef;
  readonly t: ValueRef | null;
  readonly f: ValueRef | null;
  /** Otherwise, one of both only stands in for the other. */
  readonly isPair: boolean;
  readonly swapped: boolean;
  /** Values that only the instructions of the same guarded run see. */
  readonly local: ReadonlyMap<ValueRef, ValueRef> | null;
  /** Index of the melded block. */
  readonly index: number;
}

/**
 * With one phi, the exit block holds nothing, and LLVM merges it into the block behind it. Where many edges then meet,
 * `StructurizeCFG` makes copies for each. Set by a kernel with 18 edges, which was slower; with up to 13 none was.
 */
const MOST_JOINED = 16;

/**
 * What a phi behind the meld receives of both sides through a melded block; null: no thread of that side comes by it.
 */
interface Leaving {
  readonly t: ValueRef | null;
  readonly f: ValueRef | null;
  readonly block: BlockRef;
}

class MeldBuilder {
  readonly #t: Side;
  readonly #f: Side;
  readonly #host: Side;
  readonly #flow: MeldedFlow;
  readonly #heads: BlockRef[] = [];
  /** The block in which each melded block ends after the splits for guarded runs. */
  readonly #tails: BlockRef[] = [];
  readonly #clones: Clone[] = [];
  readonly #selects: Map<string, ValueRef>[];
  readonly #reaching: ReachingValues;
  readonly #unifying: BlockRef;
  #exit: BlockRef | null = null;
  /** Which side a thread is on: the condition of the branch, or the selector. */
  readonly condition: ValueRef;

  constructor(
    private readonly editor: Editor,
    private readonly meld: Meld,
    branchCondition: ValueRef,
    private readonly watcher: MeldWatcher | null,
  ) {
    this.#t = sideOf(editor, meld, 't');
    this.#f = sideOf(editor, meld, 'f');
    this.#host = meld.host === 't' ? this.#t : this.#f;
    const guest = meld.host === 't' ? this.#f : this.#t;
    this.#flow = new MeldedFlow(editor, meld, this.#host.blocks as readonly BlockRef[], guest.blocks);
    this.#selects = meld.blocks.map(() => new Map<string, ValueRef>());
    this.#unifying = this.#createBlock('unify', null);
    this.#reaching = new ReachingValues(editor, this.#flow, this.#heads, this.#tails, this.#unifying);
    this.condition =
      meld.front === undefined
        ? branchCondition
        : selectorOf(editor, this.#unifying, this.#t, this.#f, branchCondition);
  }

  build(): void {
    const front = (this.meld.front ?? []).map((id) => this.editor.block(id));
    unify(this.editor, this.#unifying, this.#t, this.#f, front);
    for (const [index, pair] of this.meld.blocks.entries()) {
      const head = this.#createBlock('meld', index);
      this.#heads.push(head);
      this.#createPhis(index, pair, head);
      this.#tails.push(this.#cloneInstructions(index, pair, head));
    }
    if (this.meld.exit.kind === 'single') {
      this.#exit = this.#createBlock('meld.exit', null);
      this.#heads.push(this.#exit);
    }
    for (const clone of this.#clones) this.#setOperands(clone);
    for (const [index, pair] of this.meld.blocks.entries()) this.#completePhis(index, pair);
    if (this.meld.exit.kind === 'shared') this.#joinSharedExits();
    for (const [index, pair] of this.meld.blocks.entries()) this.#terminate(index, pair);
    if (this.meld.exit.kind === 'single') this.#joinSingleExit(this.meld.exit.t, this.meld.exit.f);
    this.editor.appendBranch(this.#unifying, this.#heads[0]!);
    this.#retire();
  }

  #createBlock(name: string, index: number | null): BlockRef {
    const block = this.editor.createBlock(name, this.#t.entry);
    this.watcher?.created(block, index);
    return block;
  }

  // --- the melded blocks
  // ------------------------------------------------------------------------------------------------

  /**
   * Whether a phi of the side's block becomes a phi of the melded block. If no edge leads back to the side's entry, the
   * phis of the entry become phis of the unifying block instead.
   */
  #staysPhi(side: Side, index: number): boolean {
    return index !== side.entryIndex || side.loops;
  }

  #define(side: Side, old: ValueRef, now: ValueRef, index: number): void {
    side.map.set(old, now);
    this.#reaching.define(now, index);
  }

  #phisOf(side: Side, index: number): ValueRef[] {
    const block = side.blocks[index];
    return block ? this.editor.phis(block) : [];
  }

  #createPhis(index: number, pair: BlockPair, head: BlockRef): void {
    const { editor } = this;
    const melded = new Map(pair.phis.map(([t, f]) => [editor.instr(f), editor.instr(t)]));
    for (const side of [this.#t, this.#f]) {
      for (const phi of this.#phisOf(side, index)) {
        const partner = side === this.#f ? melded.get(phi) : undefined;
        if (!this.#staysPhi(side, index)) side.map.set(phi, side.arriving.get(phi)!);
        else if (partner !== undefined) side.map.set(phi, this.#t.map.get(partner)!);
        else this.#define(side, phi, editor.prependPhi(head, phi, []), index);
      }
    }
  }

  /** Clones the aligned instructions and splits at guarded runs; returns the block in which the melded block ends. */
  #cloneInstructions(index: number, pair: BlockPair, head: BlockRef): BlockRef {
    const { editor } = this;
    let current = head;
    let guarded: AlignedInstr[] = [];
    for (const line of pair.alignment) {
      const isPair = line.t !== -1 && line.f !== -1;
      if (!isPair && !line.speculate && pair.passed) {
        guarded.push(line);
        continue;
      }
      current = this.#guard(index, current, guarded);
      guarded = [];
      const t = line.t === -1 ? null : editor.instr(line.t);
      const f = line.f === -1 ? null : editor.instr(line.f);
      const instr = editor.appendClone(current, (t ?? f)!);
      if (t !== null) this.#define(this.#t, t, instr, index);
      if (f !== null) this.#define(this.#f, f, instr, index);
      if (t !== null && f !== null) editor.intersect(instr, t, f, line.swapped ?? false);
      if (line.hoisted || (line.speculate && pair.passed)) editor.speculate(instr);
      this.watcher?.melded(instr, t, f, index);
      const standIn = line.standIn === undefined ? null : editor.instr(line.standIn);
      if (standIn !== null) editor.intersect(instr, (t ?? f)!, standIn, false);
      const swapped = line.swapped ?? false;
      this.#clones.push({ instr, t: t ?? standIn, f: f ?? standIn, isPair, swapped, local: null, index });
    }
    return this.#guard(index, current, guarded);
  }

  /**
   * Guards a run of instructions that only their own threads may execute: `current` branches on C to a block for T and
   * one for F, both go on to a tail, and phis there bring the results. Returns the tail.
   */
  #guard(index: number, current: BlockRef, run: readonly AlignedInstr[]): BlockRef {
    if (run.length === 0) return current;
    const { editor } = this;
    const originals = {
      t: run.filter((line) => line.t !== -1).map((line) => editor.instr(line.t as never)),
      f: run.filter((line) => line.f !== -1).map((line) => editor.instr(line.f as never)),
    };
    const hoisted = new Set(
      run.filter((line) => line.hoisted).map(({ t, f }) => editor.instr((t === -1 ? f : t) as never)),
    );
    const own = (list: readonly ValueRef[]) => (list.length > 0 ? this.#createBlock('meld.own', index) : null);
    const ownT = own(originals.t);
    const ownF = own(originals.f);
    const tail = this.#createBlock('meld.tail', index);
    editor.appendConditionalBranch(current, this.condition, ownT ?? tail, ownF ?? tail);
    const fill = (side: Side, own: BlockRef | null, other: BlockRef, list: readonly ValueRef[]) => {
      if (own === null) return;
      const local = new Map<ValueRef, ValueRef>();
      for (const original of list) {
        const instr = editor.appendClone(own, original);
        local.set(original, instr);
        if (hoisted.has(original)) editor.speculate(instr);
        const [t, f] = side === this.#t ? [original, null] : [null, original];
        this.watcher?.melded(instr, t, f, index);
        this.#clones.push({ instr, t, f, isPair: false, swapped: false, local, index });
        if (editor.users(original).length === 0) continue;
        const missing = { value: editor.poison(original), block: other };
        this.#define(side, original, editor.prependPhi(tail, original, [{ value: instr, block: own }, missing]), index);
      }
      editor.appendBranch(own, tail);
    };
    fill(this.#t, ownT, ownF ?? current, originals.t);
    fill(this.#f, ownF, ownT ?? current, originals.f);
    return tail;
  }

  /** What stands for a value of the side in melded block `index`, or behind all of them (`MeldedFlow.exit`). */
  #mapped(side: Side, value: ValueRef, index: number, local: ReadonlyMap<ValueRef, ValueRef> | null = null): ValueRef {
    const now = local?.get(value) ?? side.map.get(value);
    if (now === undefined) return value;
    // The control flow is the host's own, so its definitions still dominate their users.
    return side === this.#host ? now : this.#reaching.at(now, index);
  }

  #setOperands({ instr, t, f, isPair, swapped, local, index: at }: Clone): void {
    const { editor } = this;
    const operandsT = t === null ? null : editor.operands(t);
    const operandsF = f === null ? null : editor.operands(f);
    if (operandsF && swapped) [operandsF[0], operandsF[1]] = [operandsF[1]!, operandsF[0]!];
    (operandsT ?? operandsF)!.forEach((_, index) => {
      const a = operandsT && this.#mapped(this.#t, operandsT[index]!, at, local);
      const b = operandsF && this.#mapped(this.#f, operandsF[index]!, at, local);
      if (a === null || b === null || a === b) return editor.setOperand(instr, index, (a ?? b)!);
      // Instructions come in the order of the melded block, so a select made earlier dominates this user.
      const key = `${a} ${b}`;
      let select = this.#selects[at]!.get(key);
      if (select === undefined) {
        select = editor.selectBefore(instr, this.condition, a, b);
        this.#selects[at]!.set(key, select);
      }
      if (isPair) this.watcher?.selected(t!, f!, index);
      editor.setOperand(instr, index, select);
    });
  }

  /** A select, unless one side is enough. Null means that no thread of that side uses the value. */
  #appendSelect(block: BlockRef, t: ValueRef | null, f: ValueRef | null, like: ValueRef): ValueRef {
    if (t === null || f === null) return t ?? f ?? this.editor.poison(like);
    return t === f ? t : this.editor.appendSelect(block, this.condition, t, f);
  }

  #completePhis(index: number, pair: BlockPair): void {
    const { editor } = this;
    const partners = new Map(pair.phis.map(([t, f]) => [editor.instr(t), editor.instr(f)]));
    const meldedF = new Set(partners.values());
    for (const side of [this.#t, this.#f]) {
      if (!this.#staysPhi(side, index)) continue;
      for (const phi of this.#phisOf(side, index)) {
        if (side === this.#f && meldedF.has(phi)) continue;
        const result = side.map.get(phi)!;
        const partner = side === this.#t ? partners.get(phi) : undefined;
        const join = (block: BlockRef, own: ValueRef | null, other: ValueRef | null) =>
          editor.addIncoming(result, {
            value: this.#appendSelect(block, side === this.#t ? own : other, side === this.#t ? other : own, phi),
            block,
          });
        if (index === 0) {
          const first = (of: Side, from: ValueRef) => (of.entryIndex === 0 ? of.arriving.get(from)! : null);
          join(this.#unifying, first(side, phi), partner === undefined ? null : first(this.#f, partner));
        }
        for (const from of this.#flow.predecessors(index)) {
          const other = partner === undefined ? null : this.#arrivingVia(this.#f, partner, from, index);
          join(this.#tails[from]!, this.#arrivingVia(side, phi, from, index), other);
        }
      }
    }
  }

  /** What a phi of the side, in or behind melded block `to`, receives through melded block `from`; null if nothing. */
  #arrivingVia(side: Side, phi: ValueRef, from: number, to: number): ValueRef | null {
    const source = this.#flow.source(side === this.#host, from, to);
    if (source !== null) {
      const entry = this.editor.incoming(phi).find(({ block }) => block === source);
      return entry === undefined ? null : this.#mapped(side, entry.value, from);
    }
    const entersHere = side !== this.#host && to === side.entryIndex && from === this.meld.entryLeaves;
    return entersHere ? side.arriving.get(phi)! : null;
  }

  // --- branches and exits
  // -----------------------------------------------------------------------------------------------

  #terminate(index: number, pair: BlockPair): void {
    const { editor } = this;
    const tail = this.#tails[index]!;
    const old = this.#host.blocks[index]!;
    const targets = this.#flow.successors(index).map((to, slot) => this.#heads[to] ?? editor.successors(old)[slot]!);
    const [t, f] = [this.#t.blocks[index], this.#f.blocks[index]];
    const branch =
      targets.length === 1 || targets[0] === targets[1]
        ? editor.appendBranch(tail, targets[0]!)
        : editor.appendConditionalBranch(tail, this.#direction(index, pair), targets[0]!, targets[1]!);
    if (t && f && pair.takes === null) editor.intersectBranch(branch, t, f);
    this.watcher?.melded(branch, null, null, index);
  }

  /** The condition of a melded branch. Each side has its own; for guest threads it may be fixed. */
  #direction(index: number, pair: BlockPair): ValueRef {
    const { editor } = this;
    const tail = this.#tails[index]!;
    const conditionOf = (side: Side): ValueRef | null => {
      if (side !== this.#host && pair.takes !== null) return editor.bool(pair.takes === 0);
      const block = side.blocks[index];
      if (!block) return null;
      const condition = this.#mapped(side, editor.condition(block), index);
      // The successors are in the host's order.
      return pair.swapped && side !== this.#host ? editor.appendNot(tail, condition) : condition;
    };
    return this.#appendSelect(tail, conditionOf(this.#t), conditionOf(this.#f), this.condition);
  }

  #joinSingleExit(xT: BlockId, xF: BlockId): void {
    const { editor } = this;
    const exit = this.#exit!;
    const [targetT, targetF] = [editor.block(xT), editor.block(xF)];
    if (targetT === targetF) {
      for (const phi of editor.phis(targetT))
        editor.addIncoming(phi, { value: this.#joinSides(exit, phi), block: exit });
      editor.appendBranch(exit, targetT);
      return;
    }
    const pass = (phi: ValueRef, own: (each: Leaving) => ValueRef | null): void =>
      editor.addIncoming(phi, { value: this.#phiOf(exit, phi, this.#leaving(phi), own), block: exit });
    for (const phi of editor.phis(targetT)) pass(phi, ({ t }) => t);
    for (const phi of editor.phis(targetF)) pass(phi, ({ f }) => f);
    editor.appendConditionalBranch(exit, this.condition, targetT, targetF);
  }

  /** By block that leads to what is behind the meld. */
  #leaving(phi: ValueRef): Leaving[] {
    return this.#flow.predecessors(this.#flow.exit).map((from) => ({
      t: this.#arrivingVia(this.#t, phi, from, this.#flow.exit),
      f: this.#arrivingVia(this.#f, phi, from, this.#flow.exit),
      block: this.#tails[from]!,
    }));
  }

  #phiOf(
    exit: BlockRef,
    phi: ValueRef,
    leaving: readonly Leaving[],
    valueOf: (each: Leaving) => ValueRef | null,
  ): ValueRef {
    const incoming = leaving.map((each) => ({ value: valueOf(each) ?? this.editor.poison(phi), block: each.block }));
    return join(this.editor, exit, phi, incoming);
  }

  /**
   * What a phi of the block to which both sides go on receives: one phi where both leave no block with different
   * values, otherwise a select between a phi of each side.
   */
  #joinSides(exit: BlockRef, phi: ValueRef): ValueRef {
    const leaving = this.#leaving(phi);
    const isOne = leaving.every(({ t, f }) => t === null || f === null || t === f);
    const others = this.editor.predecessors(this.editor.parent(phi)).filter((block) => !this.#isOld(block));
    if (isOne && leaving.length + others.length <= MOST_JOINED)
      return this.#phiOf(exit, phi, leaving, ({ t, f }) => t ?? f);
    const ofT = this.#phiOf(exit, phi, leaving, ({ t }) => t);
    const ofF = this.#phiOf(exit, phi, leaving, ({ f }) => f);
    return this.#appendSelect(exit, ofT, ofF, phi);
  }

  /** Rule 1.8: single blocks with the same successors. */
  #joinSharedExits(): void {
    const { editor } = this;
    const [tail] = this.#tails;
    for (const target of new Set(editor.successors(this.#t.entry))) {
      for (const phi of editor.phis(target)) {
        const leaving = (side: Side): ValueRef =>
          this.#mapped(side, editor.incoming(phi).find(({ block }) => block === side.entry)!.value, 0);
        const value = this.#appendSelect(tail!, leaving(this.#t), leaving(this.#f), phi);
        editor.addIncoming(phi, { value, block: tail! });
      }
    }
  }

  /** Moves the remaining uses over and deletes the old blocks. */
  #retire(): void {
    const { editor } = this;
    for (const side of [this.#t, this.#f])
      for (const [value] of side.map)
        if (editor.users(value).some((user) => !this.#isOld(editor.parent(user))))
          editor.replaceAllUses(value, this.#mapped(side, value, this.#flow.exit));
    editor.deleteBlocks([...this.#t.members, ...this.#f.members]);
  }

  #isOld(block: BlockRef): boolean {
    return this.#t.members.has(block) || this.#f.members.has(block);
  }
}

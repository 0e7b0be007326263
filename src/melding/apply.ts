/**
 * Carries out a plan: the code generation half of melding (paper, Algorithm 2, and "Pre and Post Processing Steps").
 *
 * One meld turns   predT → S_T → x_T      into   predT ─┐                         ┌─ C ─→ x_T
 *                  predF → S_F → x_F             predF ─┴→ U → M (melded) → exit ─┴ ¬C ─→ x_F
 *
 * U, the unifying block, holds the phis that region simplification and SSA repair ask for: what a thread's own side
 * defined in front of the subgraph arrives there, `poison` for the threads of the other side. M has one block per block
 * pair: pairs of instructions become one with selected operands, instructions without a partner run for their own threads
 * only (the block is split, "unpredication"), or for all where the plan says `speculate`. The exit block takes the edges
 * out of both subgraphs together and branches on C; when both sides go on to the same block, selects do instead. For exit
 * kind `shared` (rule 1.8) the melded block branches straight to the common successors.
 *
 * The old blocks are read, never changed, until their uses move over and they are deleted; so operands of instructions are
 * looked up in the live function, and several melds of one plan can follow each other.
 */
import { invariant } from '../errors.js';
import type { BlockRef, Editor, Incoming, ValueRef } from '../ir/editor.js';
import type { BlockId } from '../ir/ids.js';
import type { AlignedInstr, BlockPair, Meld } from './plan.js';

/** Carries out the melds of one plan, in order. */
export function applyMelds(editor: Editor, melds: readonly Meld[]): void {
  // A meld may replace the conditional branch that a later meld of the same region is about: look conditions up first.
  const conditions = new Map<BlockId, ValueRef>();
  for (const meld of melds) conditions.set(meld.branch, editor.condition(editor.block(meld.branch)));
  const deleted = new Set<BlockRef>();
  for (const meld of melds) new MeldBuilder(editor, meld, conditions.get(meld.branch)!, deleted).build();
}

/** What one side contributes. */
interface Side {
  readonly blocks: readonly BlockRef[];
  readonly members: ReadonlySet<BlockRef>;
  readonly entry: BlockRef;
  readonly predecessors: ReadonlySet<BlockRef>;
  /** Live blocks in front of the subgraph whose definitions do not dominate the unifying block. */
  readonly before: ReadonlySet<BlockRef>;
  /** Old value → what stands for it now. */
  readonly map: Map<ValueRef, ValueRef>;
  /** Phi of the entry block → its value on arrival from in front of the subgraph. */
  readonly arriving: Map<ValueRef, ValueRef>;
}

interface Clone {
  readonly instr: ValueRef;
  readonly t: ValueRef | null;
  readonly f: ValueRef | null;
  readonly swapped: boolean;
  /** Values that only the guarded run itself sees. */
  readonly local: ReadonlyMap<ValueRef, ValueRef> | null;
  /** Index of the block pair. */
  readonly pair: number;
}

class MeldBuilder {
  readonly #t: Side;
  readonly #f: Side;
  readonly #heads: BlockRef[] = [];
  /** Where each melded block ends, after the splits for guarded runs. */
  readonly #tails: BlockRef[] = [];
  readonly #clones: Clone[] = [];
  readonly #selects: Map<string, ValueRef>[];
  #unifying: BlockRef;
  #exit: BlockRef | null = null;

  constructor(
    private readonly editor: Editor,
    private readonly meld: Meld,
    private readonly condition: ValueRef,
    private readonly deleted: Set<BlockRef>,
  ) {
    this.#t = this.#side(meld.pairs.map((pair) => pair.t), meld.before.t); // prettier-ignore
    this.#f = this.#side(meld.pairs.map((pair) => pair.f), meld.before.f); // prettier-ignore
    this.#selects = meld.pairs.map(() => new Map<string, ValueRef>());
    this.#unifying = editor.createBlock('unify', this.#t.entry);
  }

  #side(ids: readonly BlockId[], before: readonly BlockId[]): Side {
    const blocks = ids.map((id) => this.editor.block(id));
    const members = new Set(blocks);
    const entry = blocks[0]!;
    const live = before.map((id) => this.editor.block(id)).filter((block) => !this.deleted.has(block));
    const predecessors = this.editor.predecessors(entry).filter((block) => !members.has(block));
    return {
      blocks,
      members,
      entry,
      predecessors: new Set(predecessors),
      before: new Set(live),
      map: new Map(),
      arriving: new Map(),
    };
  }

  build(): void {
    this.#unify();
    for (const [index, pair] of this.meld.pairs.entries()) {
      const head = this.editor.createBlock('meld', this.#t.entry);
      this.#heads.push(head);
      this.#createPhis(index, pair, head);
      this.#tails.push(this.#cloneInstructions(index, pair, head));
    }
    if (this.meld.exit.kind === 'single') this.#exit = this.editor.createBlock('meld.exit', this.#t.entry);
    for (const clone of this.#clones) this.#setOperands(clone);
    for (const [index, pair] of this.meld.pairs.entries()) this.#completePhis(index, pair);
    if (this.meld.exit.kind === 'shared') this.#joinSharedExits();
    for (const [index, pair] of this.meld.pairs.entries()) this.#terminate(index, pair);
    if (this.meld.exit.kind === 'single') this.#joinSingleExit(this.meld.exit.t, this.meld.exit.f);
    this.editor.appendBranch(this.#unifying, this.#heads[0]!);
    this.#retire();
  }

  // --- the unifying block -----------------------------------------------------------------------------------------------

  #unify(): void {
    const { editor } = this;
    const predecessors = [...new Set([...this.#t.predecessors, ...this.#f.predecessors])];
    const arrivals = predecessors.flatMap((block) => this.#edgesIn(block));
    for (const side of [this.#t, this.#f]) {
      // What a phi of the entry gets from outside is joined here, because the entry will have one predecessor outside.
      for (const phi of editor.phis(side.entry)) {
        const outside = editor.incoming(phi).filter((entry) => side.predecessors.has(entry.block));
        const value = (from: BlockRef) => outside.find((entry) => entry.block === from)?.value ?? editor.poison(phi);
        side.arriving.set(phi, this.#join(this.#unifying, phi, arrivals.map((block) => ({ value: value(block), block })))); // prettier-ignore
      }
      for (const block of side.before) this.#repairUses(side, block, arrivals);
    }
    for (const block of predecessors) {
      const leaves = this.#leavesOnlyToEntries(block);
      editor.redirect(block, this.#t.entry, this.#unifying);
      editor.redirect(block, this.#f.entry, this.#unifying);
      if (leaves) editor.branchTo(block, this.#unifying);
    }
  }

  #leavesOnlyToEntries(block: BlockRef): boolean {
    return this.editor.successors(block).every((to) => to === this.#t.entry || to === this.#f.entry);
  }

  /** The block, once per edge that it will have to the unifying block: a `switch` may have several. */
  #edgesIn(block: BlockRef): BlockRef[] {
    if (this.#leavesOnlyToEntries(block)) return [block];
    return this.editor.successors(block).flatMap((to) => (to === this.#t.entry || to === this.#f.entry ? [block] : []));
  }

  /** A phi, or the value itself where all entries agree. */
  #join(block: BlockRef, like: ValueRef, incoming: readonly Incoming[]): ValueRef {
    const [first] = incoming;
    invariant(first, 'a join without predecessors');
    if (incoming.every((entry) => entry.value === first.value)) return first.value;
    return this.editor.prependPhi(block, like, incoming);
  }

  /** Definitions in front of the subgraph no longer dominate what lies behind the unifying block (paper, Fig. 7). */
  #repairUses(side: Side, block: BlockRef, arrivals: readonly BlockRef[]): void {
    const { editor } = this;
    for (const definition of editor.instructions(block)) {
      let phi: ValueRef | null = null;
      for (const user of new Set(editor.users(definition))) {
        const entries = editor.phis(editor.parent(user)).includes(user) ? editor.incoming(user) : null;
        editor.operands(user).forEach((operand, index) => {
          const where = entries ? entries[index]!.block : editor.parent(user);
          if (operand !== definition || side.before.has(where)) return;
          phi ??= editor.prependPhi(
            this.#unifying,
            definition,
            arrivals.map((from) => ({
              value: side.predecessors.has(from) ? definition : editor.poison(definition),
              block: from,
            })),
          );
          editor.setOperand(user, index, phi);
        });
      }
    }
  }

  // --- the melded blocks ------------------------------------------------------------------------------------------------

  #hasInnerPredecessors(index: number): boolean {
    if (index > 0) return true;
    return this.editor.predecessors(this.#t.entry).some((block) => this.#t.members.has(block));
  }

  #createPhis(index: number, pair: BlockPair, head: BlockRef): void {
    const { editor } = this;
    const melded = new Map(pair.phis.map(([t, f]) => [editor.instr(f), editor.instr(t)]));
    const inner = this.#hasInnerPredecessors(index);
    for (const side of [this.#t, this.#f]) {
      for (const phi of editor.phis(side.blocks[index]!)) {
        const partner = side === this.#f ? melded.get(phi) : undefined;
        if (!inner) side.map.set(phi, side.arriving.get(phi)!);
        else if (partner !== undefined) side.map.set(phi, this.#t.map.get(partner)!);
        else side.map.set(phi, editor.prependPhi(head, phi, []));
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
      if (!isPair && !line.speculate) {
        guarded.push(line);
        continue;
      }
      current = this.#guard(index, current, guarded);
      guarded = [];
      const t = line.t === -1 ? null : editor.instr(line.t);
      const f = line.f === -1 ? null : editor.instr(line.f);
      const instr = editor.appendClone(current, (t ?? f)!);
      if (t !== null) this.#t.map.set(t, instr);
      if (f !== null) this.#f.map.set(f, instr);
      if (t !== null && f !== null) editor.intersect(instr, t, f, line.swapped ?? false);
      else editor.speculate(instr);
      this.#clones.push({ instr, t, f, swapped: line.swapped ?? false, local: null, pair: index });
    }
    return this.#guard(index, current, guarded);
  }

  /** `current: br C, ownT, ownF; tail: phis` for a run of instructions that only their own threads may execute. */
  #guard(index: number, current: BlockRef, run: readonly AlignedInstr[]): BlockRef {
    if (run.length === 0) return current;
    const { editor } = this;
    const originals = {
      t: run.filter((line) => line.t !== -1).map((line) => editor.instr(line.t as never)),
      f: run.filter((line) => line.f !== -1).map((line) => editor.instr(line.f as never)),
    };
    const own = (list: readonly ValueRef[]) => (list.length > 0 ? editor.createBlock('meld.own', this.#t.entry) : null);
    const ownT = own(originals.t);
    const ownF = own(originals.f);
    const tail = editor.createBlock('meld.tail', this.#t.entry);
    editor.appendConditionalBranch(current, this.condition, ownT ?? tail, ownF ?? tail);
    const fill = (side: Side, own: BlockRef | null, other: BlockRef, list: readonly ValueRef[]) => {
      if (own === null) return;
      const local = new Map<ValueRef, ValueRef>();
      for (const original of list) {
        const instr = editor.appendClone(own, original);
        local.set(original, instr);
        const [t, f] = side === this.#t ? [original, null] : [null, original];
        this.#clones.push({ instr, t, f, swapped: false, local, pair: index });
        if (editor.users(original).length === 0) continue;
        const missing = { value: editor.poison(original), block: other };
        side.map.set(original, editor.prependPhi(tail, original, [{ value: instr, block: own }, missing]));
      }
      editor.appendBranch(own, tail);
    };
    fill(this.#t, ownT, ownF ?? current, originals.t);
    fill(this.#f, ownF, ownT ?? current, originals.f);
    return tail;
  }

  #mapped(side: Side, value: ValueRef, local: ReadonlyMap<ValueRef, ValueRef> | null = null): ValueRef {
    return local?.get(value) ?? side.map.get(value) ?? value;
  }

  #setOperands({ instr, t, f, swapped, local, pair }: Clone): void {
    const { editor } = this;
    const operandsT = t === null ? null : editor.operands(t);
    const operandsF = f === null ? null : editor.operands(f);
    if (operandsF && swapped) [operandsF[0], operandsF[1]] = [operandsF[1]!, operandsF[0]!];
    (operandsT ?? operandsF)!.forEach((_, index) => {
      const a = operandsT && this.#mapped(this.#t, operandsT[index]!, local);
      const b = operandsF && this.#mapped(this.#f, operandsF[index]!, local);
      if (a === null || b === null || a === b) return editor.setOperand(instr, index, (a ?? b)!);
      // The instructions of a melded block come in order, so an earlier select of the same pair dominates this one.
      const key = `${a} ${b}`;
      let select = this.#selects[pair]!.get(key);
      if (select === undefined) {
        select = editor.selectBefore(instr, this.condition, a, b);
        this.#selects[pair]!.set(key, select);
      }
      editor.setOperand(instr, index, select);
    });
  }

  #appendSelect(block: BlockRef, t: ValueRef, f: ValueRef): ValueRef {
    return t === f ? t : this.editor.appendSelect(block, this.condition, t, f);
  }

  #completePhis(index: number, pair: BlockPair): void {
    if (!this.#hasInnerPredecessors(index)) return;
    const { editor } = this;
    const partners = new Map(pair.phis.map(([t, f]) => [editor.instr(t), editor.instr(f)]));
    const meldedF = new Set(partners.values());
    const inner = (side: Side, phi: ValueRef) =>
      editor.incoming(phi).filter((entry) => side.members.has(entry.block)).map(({ value, block }) => ({
        value: this.#mapped(side, value),
        from: side.blocks.indexOf(block),
      })); // prettier-ignore
    for (const side of [this.#t, this.#f]) {
      for (const phi of editor.phis(side.blocks[index]!)) {
        if (side === this.#f && meldedF.has(phi)) continue;
        const partner = side === this.#t ? partners.get(phi) : undefined;
        const result = side.map.get(phi)!;
        const other = partner === undefined ? null : inner(this.#f, partner);
        if (index === 0) {
          const arriving = side.arriving.get(phi)!;
          const value =
            partner === undefined
              ? arriving
              : this.#appendSelect(this.#unifying, arriving, this.#f.arriving.get(partner)!);
          editor.addIncoming(result, { value, block: this.#unifying });
        }
        // Several edges from one block bring one value.
        const leaving = new Map<number, ValueRef>();
        for (const { value, from } of inner(side, phi)) {
          const tail = this.#tails[from]!;
          const f = other?.find((entry) => entry.from === from)?.value ?? value;
          if (!leaving.has(from)) leaving.set(from, this.#appendSelect(tail, value, f));
          editor.addIncoming(result, { value: leaving.get(from)!, block: tail });
        }
      }
    }
  }

  // --- branches and exits -----------------------------------------------------------------------------------------------

  #terminate(index: number, pair: BlockPair): void {
    const { editor } = this;
    const tail = this.#tails[index]!;
    const old = this.#t.blocks[index]!;
    const targets = editor.successors(old).map((successor) => {
      const inner = this.#t.blocks.indexOf(successor);
      return inner >= 0 ? this.#heads[inner]! : (this.#exit ?? successor);
    });
    if (targets.length === 1 || (targets[0] === targets[1] && targets[0] === this.#exit)) {
      editor.appendBranch(tail, targets[0]!);
      return;
    }
    const t = this.#mapped(this.#t, editor.condition(old));
    let f = this.#mapped(this.#f, editor.condition(this.#f.blocks[index]!));
    if (pair.swapSuccessors) f = editor.appendNot(tail, f);
    editor.appendConditionalBranch(tail, this.#appendSelect(tail, t, f), targets[0]!, targets[1]!);
  }

  /** What a phi behind the subgraph gets from one side, by index of the block pair. */
  #leaving(side: Side, phi: ValueRef): Map<number, ValueRef> {
    const leaving = new Map<number, ValueRef>();
    for (const { value, block } of this.editor.incoming(phi))
      if (side.members.has(block)) leaving.set(side.blocks.indexOf(block), this.#mapped(side, value));
    return leaving;
  }

  #joinSingleExit(xT: BlockId, xF: BlockId): void {
    const { editor } = this;
    const exit = this.#exit!;
    const [targetT, targetF] = [editor.block(xT), editor.block(xF)];
    const joined = (side: Side, phi: ValueRef) =>
      this.#join(exit, phi, [...this.#leaving(side, phi)].map(([index, value]) => ({ value, block: this.#tails[index]! }))); // prettier-ignore
    if (targetT === targetF) {
      for (const phi of editor.phis(targetT)) {
        const [t, f] = [joined(this.#t, phi), joined(this.#f, phi)];
        editor.addIncoming(phi, { value: this.#appendSelect(exit, t, f), block: exit });
      }
      editor.appendBranch(exit, targetT);
      return;
    }
    for (const phi of editor.phis(targetT)) editor.addIncoming(phi, { value: joined(this.#t, phi), block: exit });
    for (const phi of editor.phis(targetF)) editor.addIncoming(phi, { value: joined(this.#f, phi), block: exit });
    editor.appendConditionalBranch(exit, this.condition, targetT, targetF);
  }

  #joinSharedExits(): void {
    const { editor } = this;
    const targets = new Set(this.#t.blocks.flatMap((block) => editor.successors(block)));
    for (const target of targets) {
      if (this.#t.members.has(target)) continue;
      for (const phi of editor.phis(target)) {
        const f = this.#leaving(this.#f, phi);
        for (const [index, value] of this.#leaving(this.#t, phi)) {
          const tail = this.#tails[index]!;
          editor.addIncoming(phi, { value: this.#appendSelect(tail, value, f.get(index)!), block: tail });
        }
      }
    }
  }

  /** Moves the remaining uses over and deletes the old blocks. */
  #retire(): void {
    const { editor } = this;
    for (const side of [this.#t, this.#f])
      for (const [old, now] of side.map) if (editor.users(old).length > 0) editor.replaceAllUses(old, now);
    const old = [...this.#t.blocks, ...this.#f.blocks];
    editor.deleteBlocks(old);
    for (const block of old) this.deleted.add(block);
  }
}

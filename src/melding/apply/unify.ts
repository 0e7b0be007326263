/**
 * The way into a meld: what each side contributes, and the unifying block, where the threads of both sides meet in
 * front of the melded blocks (paper, "Pre and Post Processing Steps" and Fig. 7).
 */
import { invariant } from '../../errors.js';
import type { BlockRef, Editor, Incoming, ValueRef } from '../../ir/editor.js';
import { NONE } from '../../ir/ids.js';
import type { Meld } from '../plan.js';

/** What one side contributes. */
export interface Side {
  /** By index of the melded block; null where the side has no block. */
  readonly blocks: readonly (BlockRef | null)[];
  readonly members: ReadonlySet<BlockRef>;
  readonly entry: BlockRef;
  readonly entryIndex: number;
  /**
   * Whether an edge of the subgraph leads back to its entry. If not, the phis of the entry move to the unifying block.
   */
  readonly loops: boolean;
  readonly predecessors: ReadonlySet<BlockRef>;
  /** The blocks in front of the subgraph. Their definitions do not dominate the unifying block. */
  readonly before: ReadonlySet<BlockRef>;
  /** From an old value to what stands for it now. */
  readonly map: Map<ValueRef, ValueRef>;
  /** From a phi of the entry block to its value when a thread arrives from outside. */
  readonly arriving: Map<ValueRef, ValueRef>;
}

export function sideOf(editor: Editor, meld: Meld, which: 't' | 'f'): Side {
  const blocks = meld.blocks.map((each) => (each[which] === NONE ? null : editor.block(each[which])));
  const members = new Set(blocks.filter((block) => block !== null));
  const entryIndex = which === meld.host ? 0 : meld.guestEntry;
  const entry = blocks[entryIndex]!;
  const predecessors = editor.predecessors(entry);
  return {
    blocks,
    members,
    entry,
    entryIndex,
    loops: predecessors.some((block) => members.has(block)),
    predecessors: new Set(predecessors.filter((block) => !members.has(block))),
    before: new Set(meld.before[which].map((id) => editor.block(id))),
    map: new Map(),
    arriving: new Map(),
  };
}

/** Fills the unifying block, except for its branch, and leads the entry edges of both sides there. */
export function unify(editor: Editor, unifying: BlockRef, t: Side, f: Side, front: readonly BlockRef[]): void {
  new Unifier(editor, unifying, t, f, front).build();
}

/**
 * A phi of the unifying block that says whether a thread comes from the T side. To be made before `unify` leads edges
 * there.
 *
 * @param like a condition
 */
export function selectorOf(editor: Editor, unifying: BlockRef, t: Side, f: Side, like: ValueRef): ValueRef {
  const incoming = entryEdges(editor, t, f).map((block) => {
    if (!t.predecessors.has(block)) return { value: editor.bool(false), block };
    if (!f.predecessors.has(block)) return { value: editor.bool(true), block };
    // It branches to both sides.
    const condition = editor.condition(block);
    if (editor.successors(block)[0] === t.entry) return { value: condition, block };
    const terminator = editor.instructions(block).at(-1)!;
    return { value: editor.selectBefore(terminator, condition, editor.bool(false), editor.bool(true)), block };
  });
  return editor.prependPhi(unifying, like, incoming);
}

/** The blocks from which edges lead into the sides. */
const entryBlocks = (t: Side, f: Side): BlockRef[] => [...new Set([...t.predecessors, ...f.predecessors])];

/** These blocks, each once per edge that it will have to the unifying block. A `switch` may have several. */
const entryEdges = (editor: Editor, t: Side, f: Side): BlockRef[] =>
  entryBlocks(t, f).flatMap((block) => {
    const successors = editor.successors(block);
    const entries = successors.filter((to) => to === t.entry || to === f.entry);
    return entries.length === successors.length ? [block] : entries.map(() => block);
  });

class Unifier {
  private readonly inFront: ReadonlySet<BlockRef>;

  constructor(
    private readonly editor: Editor,
    private readonly unifying: BlockRef,
    private readonly t: Side,
    private readonly f: Side,
    /** Blocks in front of both sides that are of neither. */
    front: readonly BlockRef[],
  ) {
    this.inFront = new Set([...t.before, ...f.before, ...front]);
  }

  build(): void {
    const { editor, unifying } = this;
    const predecessors = entryBlocks(this.t, this.f);
    const arrivals = entryEdges(editor, this.t, this.f);
    for (const side of [this.t, this.f]) {
      // The values that a phi of the entry gets from outside are joined here: later it has one predecessor outside.
      for (const phi of editor.phis(side.entry)) {
        const outside = editor.incoming(phi).filter((entry) => side.predecessors.has(entry.block));
        const value = (from: BlockRef) => outside.find((entry) => entry.block === from)?.value ?? editor.poison(phi);
        const incoming = arrivals.map((block) => ({ value: value(block), block }));
        side.arriving.set(phi, join(editor, unifying, phi, incoming));
      }
      for (const block of side.before) this.#repairUses(side, block, arrivals);
    }
    for (const block of predecessors) {
      const leaves = this.#leavesOnlyToEntries(block);
      editor.redirect(block, this.t.entry, unifying);
      editor.redirect(block, this.f.entry, unifying);
      if (leaves) editor.branchTo(block, unifying);
    }
  }

  #leavesOnlyToEntries(block: BlockRef): boolean {
    return this.editor.successors(block).every((to) => to === this.t.entry || to === this.f.entry);
  }

  /** Adds phis for definitions that no longer dominate their users behind the unifying block (paper, Fig. 7). */
  #repairUses(side: Side, block: BlockRef, arrivals: readonly BlockRef[]): void {
    const { editor } = this;
    for (const definition of editor.instructions(block)) {
      let phi: ValueRef | null = null;
      for (const user of new Set(editor.users(definition))) {
        const entries = editor.phis(editor.parent(user)).includes(user) ? editor.incoming(user) : null;
        editor.operands(user).forEach((operand, index) => {
          const where = entries ? entries[index]!.block : editor.parent(user);
          if (operand !== definition || this.inFront.has(where)) return;
          phi ??= editor.prependPhi(
            this.unifying,
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
}

/** A new phi, or the value itself where all incoming values are the same. */
export function join(editor: Editor, block: BlockRef, like: ValueRef, incoming: readonly Incoming[]): ValueRef {
  const [first] = incoming;
  invariant(first, 'a join without predecessors');
  if (incoming.every((entry) => entry.value === first.value)) return first.value;
  return editor.prependPhi(block, like, incoming);
}

/**
 * The control flow of the melded blocks while they are built. It is the host's control flow, over indices of melded
 * blocks. The index `exit` stands for everything behind them.
 */
import type { BlockRef, Editor } from '../../ir/editor.js';
import { NONE } from '../../ir/ids.js';
import type { Shape } from '../plan.js';

export class MeldedFlow {
  /** Index that stands for everything behind the subgraphs. */
  readonly exit: number;
  private readonly successorLists: readonly (readonly number[])[];
  private readonly predecessorLists: readonly number[][];
  /** Old guest blocks by edge: the melded block that the guest's edge arrives through, and the one it arrives at. */
  private readonly guestSources = new Map<number, BlockRef>();

  constructor(
    editor: Editor,
    shape: Shape,
    private readonly host: readonly BlockRef[],
    guest: readonly (BlockRef | null)[],
  ) {
    const count = host.length;
    this.exit = count;
    const indexIn = (blocks: readonly (BlockRef | null)[], block: BlockRef): number => {
      const index = blocks.indexOf(block);
      return index === NONE ? count : index;
    };
    this.successorLists = host.map((block) => editor.successors(block).map((to) => indexIn(host, to)));
    this.predecessorLists = Array.from({ length: count + 1 }, () => []);
    for (const [from, list] of this.successorLists.entries())
      for (const to of new Set(list)) this.predecessorLists[to]!.push(from);
    for (const [index, block] of guest.entries()) {
      if (block === null) continue;
      const targets = editor.successors(block);
      for (const [slot, from] of shape.blocks[index]!.leaves.entries())
        this.guestSources.set(this.edge(from, indexIn(guest, targets[slot]!)), block);
    }
  }

  /** In the order of the host's branch. `exit` stands for edges that leave. */
  successors(index: number): readonly number[] {
    return this.successorLists[index]!;
  }

  /** In ascending order, without duplicates. */
  predecessors(index: number): readonly number[] {
    return this.predecessorLists[index]!;
  }

  /** The old block of one side whose edge arrives at melded block `to` through `from`, or null. */
  source(ofHost: boolean, from: number, to: number): BlockRef | null {
    if (!ofHost) return this.guestSources.get(this.edge(from, to)) ?? null;
    return this.successorLists[from]!.includes(to) ? this.host[from]! : null;
  }

  /** The melded blocks (and `exit`) that control flow reaches from `start` without passing through `without`. */
  reachable(start: number, without: number): Uint8Array {
    const seen = new Uint8Array(this.exit + 1);
    const list = start === without ? [] : [start];
    for (const b of list) {
      if (seen[b] === 1) continue;
      seen[b] = 1;
      if (b === this.exit) continue;
      for (const to of this.successorLists[b]!) if (to !== without && seen[to] === 0) list.push(to);
    }
    return seen;
  }

  private edge(from: number, to: number): number {
    return from * (this.exit + 1) + to;
  }
}

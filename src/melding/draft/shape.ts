/**
 * The control flow that two melded subgraphs share: that of the *host* side, in which every block of the other side, the
 * *guest*, has a place. For isomorphic subgraphs the T side is the host, and every block has two owners.
 */
import { embed } from '../../analysis/embedding.js';
import { isomorphism, type BlockSet, type CorrespondingBlocks } from '../../analysis/isomorphism.js';
import type { BlockId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import type { PlanningContext } from '../cost/context.js';

/** One block of the melded subgraph. */
export interface MeldedBlock {
  /** `NONE` where only the host side has a block. */
  readonly t: BlockId | -1;
  readonly f: BlockId | -1;
  /** Successor 0 of `t` corresponds to successor 1 of `f`. */
  readonly swapped: boolean;
  /** The host block's successor that guest threads take where the guest does not branch itself; else null. */
  readonly takes: 0 | 1 | null;
  /** Whether guest threads come through. */
  readonly passed: boolean;
  /** Per successor of the guest's block: index of the melded block from which its edge arrives at the target. */
  readonly leaves: readonly number[];
}

export interface Shape {
  readonly host: 't' | 'f';
  /** The host's entry first, in reverse post-order of the host. */
  readonly blocks: readonly MeldedBlock[];
  /** Index of the melded block in which the guest starts. */
  readonly guestEntry: number;
  /** Index of the melded block from which the guest's way in arrives at its entry, or `NONE`: from in front. */
  readonly entryLeaves: number;
}

/** The block of the host side; there always is one. */
export const hostBlock = ({ host }: Pick<Shape, 'host'>, b: { readonly t: number; readonly f: number }): BlockId =>
  (host === 't' ? b.t : b.f) as BlockId;

/** Blocks that correspond one to one. */
export function pairedShape(ctx: PlanningContext, pairs: readonly CorrespondingBlocks[]): Shape {
  const { graph, order } = ctx;
  const blocks = pairs
    .toSorted((a, b) => order[a.t] - order[b.t])
    .map(({ t, f, swapped }, index): MeldedBlock => {
      const leaves = new Array<number>(graph.succStart[f + 1] - graph.succStart[f]).fill(index);
      return { t, f, swapped, takes: null, passed: true, leaves };
    });
  return { host: 't', blocks, guestEntry: 0, entryLeaves: NONE };
}

export function isomorphicShape(ctx: PlanningContext, t: BlockSet, f: BlockSet): Shape | null {
  const pairs = isomorphism(ctx.graph, t, f, (a, b) => ctx.profiles.common(a, b));
  return pairs && pairedShape(ctx, pairs);
}

/** The smaller subgraph placed in the larger one, or null when it does not fit or nothing is alike. */
export function embeddedShape(ctx: PlanningContext, t: BlockSet, f: BlockSet): Shape | null {
  const host = t.blocks.length >= f.blocks.length ? 't' : 'f';
  const [outer, inner] = host === 't' ? [t, f] : [f, t];
  const { guard } = ctx.costs.target;
  const depth = ctx.cycles.depthOf(inner.entry);
  const found = embed(
    ctx.graph,
    outer,
    inner,
    // In a deeper loop than its own a block would save once and cost many times.
    (at, guest) => (ctx.cycles.depthOf(at) > ctx.cycles.depthOf(guest) ? -guard : ctx.profiles.common(at, guest)),
    (at) =>
      Math.min(guard, ctx.profiles.latency(at)) *
      (ctx.cycles.depthOf(at) > depth ? ctx.weight[at] / ctx.weight[inner.entry] : 1),
  );
  if (!found || found.blocks.every((b) => b.guest === NONE || ctx.profiles.common(b.host, b.guest) === 0)) return null;
  const index = new Map(found.blocks.map((b, k) => [b.host, k]));
  const blocks = found.blocks.map(({ host: hostBlock, guest: guestBlock, leaves, ...rest }): MeldedBlock => ({
    t: host === 't' ? hostBlock : guestBlock,
    f: host === 't' ? guestBlock : hostBlock,
    ...rest,
    leaves: leaves.map((from) => index.get(from)!),
  }));
  const guestEntry = found.blocks.findIndex((b) => b.guest === inner.entry);
  return { host, blocks, guestEntry, entryLeaves: found.entryLeaves === NONE ? NONE : index.get(found.entryLeaves)! };
}

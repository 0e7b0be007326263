/**
 * Finds the control flow that two subgraphs share when they meld: the shape, with one block for each block of the host.
 */
import { embed } from '../../analysis/embedding.js';
import { isomorphism, type BlockSet, type CorrespondingBlocks } from '../../analysis/isomorphism.js';
import { NONE } from '../../ir/ids.js';
import type { PlanningContext } from '../cost/context.js';
import type { MeldedBlock, Shape } from '../plan.js';

/** The shape of blocks that correspond one to one. T is the host. */
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

/** The shape of two subgraphs with the same control flow, or null when their control flow differs. */
export function isomorphicShape(ctx: PlanningContext, t: BlockSet, f: BlockSet): Shape | null {
  const pairs = isomorphism(ctx.graph, t, f, (a, b) => ctx.profiles.common(a, b));
  return pairs && pairedShape(ctx, pairs);
}

/**
 * The smaller subgraph placed in the larger one. Null when it does not fit, or when no two blocks have work in common.
 */
export function embeddedShape(ctx: PlanningContext, t: BlockSet, f: BlockSet): Shape | null {
  const host = t.blocks.length >= f.blocks.length ? 't' : 'f';
  const [outer, inner] = host === 't' ? [t, f] : [f, t];
  const { guard } = ctx.costs.target;
  const depth = ctx.cycles.depthOf(inner.entry);
  const found = embed(
    ctx.graph,
    outer,
    inner,
    // In a deeper loop than its own, a block would save something once and cost something in every iteration.
    (at, guest) => (ctx.cycles.depthOf(at) > ctx.cycles.depthOf(guest) ? -guard : ctx.profiles.common(at, guest)),
    (at) =>
      Math.min(guard, ctx.profiles.latency(at)) *
      (ctx.cycles.depthOf(at) > depth ? ctx.weight[at] / ctx.weight[inner.entry] : 1),
  );
  if (!found || found.blocks.every((b) => b.guest === NONE || ctx.profiles.common(b.host, b.guest) === 0)) return null;
  const index = new Map(found.blocks.map((b, k) => [b.host, k]));
  const blocks = found.blocks.map((b): MeldedBlock => ({
    t: host === 't' ? b.host : b.guest,
    f: host === 't' ? b.guest : b.host,
    swapped: b.swapped,
    takes: b.takes,
    passed: b.passed,
    leaves: b.leaves.map((from) => index.get(from)!),
  }));
  const guestEntry = found.blocks.findIndex((b) => b.guest === inner.entry);
  return { host, blocks, guestEntry, entryLeaves: found.entryLeaves === NONE ? NONE : index.get(found.entryLeaves)! };
}

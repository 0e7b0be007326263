/**
 * Finds how the control flow of one single-entry single-exit block set (the *guest*) fits into that of a larger one
 * (the *host*). This is the general form of the paper's region replication ("Basic block-Region Melding"), where the
 * guest is a single block.
 *
 * An embedding maps every guest block to a host block of its own. It maps every guest edge, the way in and the ways out
 * to a path in the host; the inner blocks of a path belong to that path alone. A guest thread follows the mapped path.
 * Where a host block branches and the guest does not, it takes a fixed successor. So guest threads execute exactly
 * their own blocks, in order, and the bare control flow of the blocks that they pass. They never come to host blocks
 * that are on no path.
 *
 * The search routes one guest edge after the other, depth first, with backtracking and a bound on the steps. For the
 * target of an edge, every free host block that can be reached is a choice. The most promising choice comes first: the
 * one with the highest `score` minus the cost of the cheapest path to it. If the target has its place already, or is
 * the exit, the edge takes the cheapest path. The best total wins; among equals the first found. Recursion is as deep
 * as the guest has edges, which is bounded. Deterministic.
 */
import type { BlockId } from '../ir/ids.js';
import { NONE } from '../ir/ids.js';
import type { Graph } from './graph.js';
import type { BlockSet } from './isomorphism.js';

export interface EmbeddedBlock {
  readonly host: BlockId;
  /** `NONE` where there is no guest block. */
  readonly guest: BlockId | -1;
  /** Successor 0 of the host block corresponds to successor 1 of the guest block. */
  readonly swapped: boolean;
  /**
   * The successor of the host block that guest threads take, where the guest itself does not branch. Null where the
   * host block has one successor only, or where no guest threads come.
   */
  readonly takes: 0 | 1 | null;
  /** Whether guest threads come through. */
  readonly passed: boolean;
  /** Per successor of the guest block: the host block from which the guest's edge arrives at its target. */
  readonly leaves: readonly BlockId[];
}

export interface Embedding {
  /** One per host block, in the host's order. */
  readonly blocks: readonly EmbeddedBlock[];
  /** The host block from which guest threads arrive at their entry. `NONE`: their entry is at the entry of the host. */
  readonly entryLeaves: BlockId | -1;
  readonly score: number;
}

/** Larger block sets are not tried. */
const MOST_HOST_BLOCKS = 48;
const MOST_GUEST_BLOCKS = 12;
const MOST_STEPS = 400;
/** Most places that are tried for one guest block. */
const MOST_CHOICES = 6;

const EXIT = -2;
type Target = BlockId | typeof EXIT;

interface Edge {
  /** `NONE` for the way in. */
  readonly from: BlockId | -1;
  readonly slot: number;
  readonly to: Target;
  /** The host block that the path leaves, and the block that it goes to first. */
  readonly leaves: BlockId | -1;
  readonly at: Target;
}

/**
 * @param score what a guest block in the place of a host block is worth
 * @param passing what it costs that guest threads pass through a host block
 */
export function embed(
  graph: Graph,
  host: BlockSet,
  guest: BlockSet,
  score: (host: BlockId, guest: BlockId) => number,
  passing: (host: BlockId) => number,
): Embedding | null {
  if (host.blocks.length > MOST_HOST_BLOCKS || guest.blocks.length > MOST_GUEST_BLOCKS) return null;
  for (const b of [...host.blocks, ...guest.blocks]) if (degree(graph, b) < 1 || degree(graph, b) > 2) return null;
  const search = new Search(graph, host, guest, score, passing);
  const found = search.run();
  search.release();
  return found;
}

const degree = (graph: Graph, b: BlockId): number => graph.succStart[b + 1]! - graph.succStart[b]!;

class Search {
  private readonly inHost: Int32Array;
  private readonly inGuest: Int32Array;
  /** The host block of each guest block, and the reverse. `NONE` while free. */
  private readonly placeOf: Int32Array;
  private readonly guestAt: Int32Array;
  private readonly swapped: Int32Array;
  /**
   * Per host block: whether a path goes through it, and the successor that guest threads take there (-1: none is
   * fixed). Places of guest blocks do not count as passed.
   */
  private readonly passed: Int32Array;
  private readonly takes: Int32Array;
  /** Per guest block and successor slot: the host block from which the edge arrives. The way in has its own field. */
  private readonly leaves = new Map<BlockId, number[]>();
  private entryLeaves: BlockId | -1 = NONE;
  private total = 0;
  private steps = 0;
  private best: Embedding | null = null;

  constructor(
    private readonly graph: Graph,
    private readonly host: BlockSet,
    private readonly guest: BlockSet,
    private readonly score: (host: BlockId, guest: BlockId) => number,
    private readonly passing: (host: BlockId) => number,
  ) {
    const { tables } = graph;
    this.inHost = tables.lend();
    this.inGuest = tables.lend();
    for (const b of host.blocks) this.inHost[b] = 1;
    for (const b of guest.blocks) this.inGuest[b] = 1;
    this.placeOf = tables.lend();
    this.guestAt = tables.lend();
    this.swapped = tables.lend();
    this.passed = tables.lend();
    this.takes = tables.lend();
  }

  /** Gives the tables back. */
  release(): void {
    const { tables } = this.graph;
    for (const table of [this.inGuest, this.placeOf]) tables.takeBack(table, this.guest.blocks);
    for (const table of [this.inHost, this.guestAt, this.swapped, this.passed, this.takes])
      tables.takeBack(table, this.host.blocks);
  }

  run(): Embedding | null {
    this.follow([{ from: NONE, slot: 0, to: this.guest.entry, leaves: NONE, at: this.host.entry }]);
    return this.best;
  }

  private successor(b: BlockId, slot: number, inside: Int32Array): Target {
    const to = this.graph.succ[this.graph.succStart[b]! + slot]! as BlockId;
    return inside[to] === NONE ? EXIT : to;
  }

  /** Routes the first of the pending edges in every possible way, and then the others. */
  private follow(pending: readonly Edge[]): void {
    if (this.steps++ >= MOST_STEPS) return;
    const [edge, ...rest] = pending;
    if (edge === undefined) return this.finish();
    const { to } = edge;
    if (to === EXIT || this.placeOf[to] !== NONE) {
      const path = this.paths(edge.at).get(to === EXIT ? EXIT : (this.placeOf[to] as BlockId));
      if (path) this.along(edge, path, () => this.follow(rest));
      return;
    }
    const choices: { readonly place: BlockId; readonly path: Path; readonly value: number }[] = [];
    for (const [place, path] of this.paths(edge.at)) {
      if (place === EXIT || this.guestAt[place] !== NONE || this.passed[place] === 1) continue;
      if (degree(this.graph, to) > degree(this.graph, place)) continue;
      choices.push({ place, path, value: this.score(place, to) - path.cost });
    }
    choices.sort((a, b) => b.value - a.value);
    for (const { place, path } of choices.slice(0, MOST_CHOICES))
      this.along(edge, path, () => this.place(to, place, rest));
  }

  /** Puts a guest block in its place. Its edges join the pending ones. */
  private place(guest: BlockId, place: BlockId, rest: readonly Edge[]): void {
    const { graph, inHost, inGuest } = this;
    this.placeOf[guest] = place;
    this.guestAt[place] = guest;
    const worth = this.score(place, guest);
    this.total += worth;
    const out = (slot: number, hostSlot: number): Edge => ({
      from: guest,
      slot,
      to: this.successor(guest, slot, inGuest),
      leaves: place,
      at: this.successor(place, hostSlot, inHost),
    });
    if (degree(graph, guest) === 2) {
      for (const crossed of [0, 1]) {
        this.swapped[place] = crossed;
        this.follow([out(0, crossed), out(1, 1 - crossed), ...rest]);
      }
      this.swapped[place] = 0;
    } else {
      const branches = degree(graph, place) === 2;
      for (let slot = 0; slot < degree(graph, place); slot++) {
        this.takes[place] = branches ? slot : -1;
        this.follow([out(0, slot), ...rest]);
      }
      this.takes[place] = -1;
    }
    this.total -= worth;
    this.placeOf[guest] = NONE;
    this.guestAt[place] = NONE;
  }

  /** Reserves the blocks of a path for an edge while `next` runs. */
  private along(edge: Edge, path: Path, next: () => void): void {
    for (const { block, slot } of path.steps) {
      this.passed[block] = 1;
      this.takes[block] = degree(this.graph, block) === 2 ? slot : -1;
    }
    this.total -= path.cost;
    const arrives = path.steps.at(-1)?.block ?? edge.leaves;
    if (edge.from === NONE) this.entryLeaves = arrives;
    else {
      const list = this.leaves.get(edge.from) ?? [];
      list[edge.slot] = arrives;
      this.leaves.set(edge.from, list);
    }
    next();
    this.total += path.cost;
    for (const { block } of path.steps) {
      this.passed[block] = 0;
      this.takes[block] = -1;
    }
  }

  /**
   * The cheapest paths from `start` through free blocks to everything that can be reached. This is Dijkstra's
   * algorithm; there are few blocks, so it needs no heap.
   */
  private paths(start: Target): Map<Target, Path> {
    const found = new Map<Target, Path>([[start, { steps: [], cost: 0 }]]);
    const done = new Set<Target>();
    for (;;) {
      let at: Target | null = null;
      for (const [target, { cost }] of found)
        if (!done.has(target) && (at === null || cost < found.get(at)!.cost)) at = target;
      if (at === null) return found;
      done.add(at);
      if (at === EXIT || this.guestAt[at] !== NONE || this.passed[at] === 1) continue;
      const { steps, cost } = found.get(at)!;
      for (let slot = 0; slot < degree(this.graph, at); slot++) {
        const to = this.successor(at, slot, this.inHost);
        const through = cost + this.passing(at);
        if (!done.has(to) && through < (found.get(to)?.cost ?? Infinity))
          found.set(to, { steps: [...steps, { block: at, slot }], cost: through });
      }
    }
  }

  private finish(): void {
    if (this.best && this.total <= this.best.score) return;
    const blocks = this.host.blocks.map((host): EmbeddedBlock => {
      const guest = this.guestAt[host] as BlockId | -1;
      return {
        host,
        guest,
        swapped: this.swapped[host] === 1,
        takes: this.takes[host] === -1 ? null : (this.takes[host] as 0 | 1),
        passed: guest !== NONE || this.passed[host] === 1,
        leaves: guest === NONE ? [] : (this.leaves.get(guest)!.slice() as BlockId[]),
      };
    });
    this.best = { blocks, entryLeaves: this.entryLeaves, score: this.total };
  }
}

interface Path {
  /** The blocks that are passed, and the successor taken at each. */
  readonly steps: readonly { readonly block: BlockId; readonly slot: number }[];
  readonly cost: number;
}

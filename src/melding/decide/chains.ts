/** The subgraphs of both sides of a divergent region, and what is known about pairing them. */
import { deadEndsBehind } from '../../analysis/dead-ends.js';
import { sharedSuccessors, type DivergentRegion, type SideChain, type Subgraph } from '../../analysis/regions.js';
import type { BlockId } from '../../ir/ids.js';
import type { PlanningContext } from '../cost/context.js';
import type { EarlierPartners } from '../draft/partner-log.js';
import type { Meld, MeldExit } from '../plan.js';
import { isEmpty, judge, match, type Judged, type Matched, type Side } from './candidate.js';
import { wholeBand, type Band } from './chain-alignment.js';
import type { HopelessBlocks } from './hopeless-blocks.js';
import { mayWait, subgraphRefusal, waitRefusal } from './legality.js';

/**
 * Up to this many pairs of subgraphs, all are judged. Otherwise only those whose places differ by at most `NEAR`, so
 * that the time is linear in the length of the chains.
 */
const MOST_PAIRS = 256;
const NEAR = 8;

/** The subgraphs of a side without empty blocks. Those have nothing to meld, and must not stand between neighbours. */
export const working = (ctx: PlanningContext, chain: SideChain): Subgraph[] =>
  chain.subgraphs.filter((s) => s.blocks.length > 1 || !isEmpty(ctx, s.entry));

/** Both chains of subgraphs. The open blocks of rule 1.8 stand last on both sides. They pair with each other only. */
export class Chains {
  readonly countT: number;
  readonly countF: number;
  /** The pairs that are considered. */
  readonly band: Band;
  private readonly t: readonly ChainLink[];
  private readonly f: readonly ChainLink[];
  private readonly shared: { readonly swapped: boolean } | null;
  /** Per T subgraph: those of its band. */
  private readonly matches: readonly (readonly (Matched | null)[])[];

  constructor(
    private readonly ctx: PlanningContext,
    private readonly region: DivergentRegion,
    private readonly hopeless: HopelessBlocks | null,
  ) {
    this.shared = sharedSuccessors(ctx.graph, region);
    this.t = linksOf(ctx, region, region.t, this.shared !== null);
    this.f = linksOf(ctx, region, region.f, this.shared !== null);
    this.countT = this.t.length;
    this.countF = this.f.length;
    this.band = bandOf(this.countT, this.countF, this.shared !== null);
    this.matches = this.t.map((_, i) => {
      const row: (Matched | null)[] = [];
      for (let j = this.band.first[i]; j < this.band.end[i]; j++) row.push(this.match(i, j));
      return row;
    });
  }

  /** The pair must be in the band. Null for a pair that is not considered. */
  matched(i: number, j: number): Matched | null {
    return this.matches[i][j - this.band.first[i]];
  }

  /** Whether a pair is considered. The numbers may be any. */
  has(i: number, j: number): boolean {
    return i < this.countT && j >= this.band.first[i] && j < this.band.end[i] && this.matched(i, j) !== null;
  }

  judge(i: number, j: number, earlier: EarlierPartners | null): Judged | null {
    const matched = this.matched(i, j);
    const [t, f] = [this.t[i].exit, this.f[j].exit];
    const exit: MeldExit = t !== null && f !== null ? { kind: 'single', t, f } : { kind: 'shared' };
    return matched && judge(this.ctx, matched, exit, earlier, this.hopeless);
  }

  /**
   * The blocks of both sides between two melds of this region.
   *
   * @param last the subgraphs of the meld in front, or null when this is the first one
   */
  between(last: readonly [number, number] | null, [i, j]: readonly [number, number]): Meld['before'] {
    const { dominators } = this.ctx;
    const { t, f, front } = this.region;
    const inFront = ({ start }: SideChain): readonly BlockId[] =>
      last === null && front !== null ? front.filter((b) => dominators.dominates(b, start)) : [];
    const withDeadEnds = (blocks: readonly BlockId[]): readonly BlockId[] => [
      ...blocks,
      ...deadEndsBehind(blocks, this.region.deadEnds).map(({ block }) => block),
    ];
    return {
      t: withDeadEnds([...inFront(t), ...t.blocks.slice(last ? this.t[last[0]].end : 0, this.t[i].place)]),
      f: withDeadEnds([...inFront(f), ...f.blocks.slice(last ? this.f[last[1]].end : 0, this.f[j].place)]),
    };
  }

  private match(i: number, j: number): Matched | null {
    const isOpen = this.t[i].exit === null;
    if (isOpen !== (this.f[j].exit === null)) return null;
    return match(this.ctx, this.region.branch, this.t[i].side, this.f[j].side, isOpen ? this.shared : null);
  }
}

/** A subgraph of a chain, or its open block. */
interface ChainLink {
  readonly side: Side;
  /** Null for an open block. */
  readonly exit: BlockId | null;
  /** Where its blocks are in those of the chain. */
  readonly place: number;
  readonly end: number;
}

function linksOf(ctx: PlanningContext, region: DivergentRegion, chain: SideChain, withOpen: boolean): ChainLink[] {
  const { blocks } = chain;
  const orEnd = (index: number): number => (index < 0 ? blocks.length : index);
  const firstWork = orEnd(blocks.findIndex((b) => !isEmpty(ctx, b)));
  const firstWait = orEnd(blocks.findIndex((b) => mayWait(ctx, region, b)));
  const link = (own: readonly BlockId[], exit: BlockId | null, place: number): ChainLink => {
    const refusal = subgraphRefusal(ctx, own) ?? (firstWait < place ? waitRefusal : null);
    const side = { entry: own[0], blocks: own, front: firstWork < place, refusal };
    return { side, exit, place, end: place + own.length };
  };
  const links = working(ctx, chain).map((s) => link(s.blocks, s.exit, s.place));
  return withOpen ? [...links, link([chain.open as BlockId], null, blocks.length)] : links;
}

function bandOf(countT: number, countF: number, withOpen: boolean): Band {
  const band = wholeBand(countT, countF);
  if (countT * countF <= MOST_PAIRS) return band;
  const last = withOpen ? countF - 1 : countF;
  for (let i = 0; i < countT; i++) {
    const isOpen = withOpen && i === countT - 1;
    // In long chains, partners that are far apart are not worth the search.
    band.first[i] = isOpen ? last : Math.min(last, Math.max(0, i - NEAR));
    band.end[i] = isOpen ? countF : Math.min(last, i + NEAR + 1);
  }
  return band;
}

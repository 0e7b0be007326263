/** The subgraphs of both sides of a divergent region, and what is known about pairing them. */
import { sharedSuccessors, type DivergentRegion, type SideChain, type Subgraph } from '../../analysis/regions.js';
import type { BlockId } from '../../ir/ids.js';
import type { PlanningContext } from '../cost/context.js';
import type { MeldExit } from '../plan.js';
import { isEmpty, judge, match, type Judged, type Matched, type Side } from './candidate.js';
import { subgraphRefusal, waitRefusal } from './legality.js';

/** Subgraphs of a side beyond this many are left for the next round. */
const LONGEST_CHAIN = 32;
/** Up to this many pairs of subgraphs, all are judged. Otherwise only those whose places differ by at most `BAND`. */
const MOST_PAIRS = 256;
const BAND = 8;

/** The subgraphs of a side without empty blocks. Those have nothing to meld, and must not stand between neighbours. */
export const working = (ctx: PlanningContext, chain: SideChain): Subgraph[] =>
  chain.subgraphs.filter((s) => s.blocks.length > 1 || !isEmpty(ctx, s.entry));

/** The open blocks of rule 1.8 stand last on both sides. They pair with each other only. */
export class Chains {
  readonly countT: number;
  readonly countF: number;
  private readonly t: readonly Side[];
  private readonly f: readonly Side[];
  private readonly exitT: readonly BlockId[];
  private readonly exitF: readonly BlockId[];
  private readonly shared: { readonly swapped: boolean } | null;
  private readonly matches: (Matched | null)[];

  constructor(
    private readonly ctx: PlanningContext,
    private readonly region: DivergentRegion,
  ) {
    this.shared = sharedSuccessors(ctx.graph, region);
    const sides = (chain: SideChain): Side[] => {
      const all = working(ctx, chain);
      const refusal = (blocks: readonly BlockId[], before: readonly BlockId[]) =>
        subgraphRefusal(ctx, blocks) ?? waitRefusal(ctx, region.branch, before);
      const list = all.slice(0, LONGEST_CHAIN).map((s): Side => ({ ...s, refusal: refusal(s.blocks, s.before) }));
      if (!this.shared || list.length < all.length) return list;
      const entry = chain.open as BlockId;
      return [
        ...list,
        { entry, blocks: [entry], before: chain.beforeOpen, refusal: refusal([entry], chain.beforeOpen) },
      ];
    };
    this.t = sides(region.t);
    this.f = sides(region.f);
    this.exitT = working(ctx, region.t).map((s) => s.exit);
    this.exitF = working(ctx, region.f).map((s) => s.exit);
    this.countT = this.t.length;
    this.countF = this.f.length;
    this.matches = [];
    for (let i = 0; i < this.countT; i++) for (let j = 0; j < this.countF; j++) this.matches.push(this.match(i, j));
  }

  /** Null for a pair that is not considered. */
  matched(i: number, j: number): Matched | null {
    return this.matches[i * this.countF + j];
  }

  judge(i: number, j: number, earlier: Int32Array | null): Judged | null {
    const matched = this.matched(i, j);
    const exit: MeldExit =
      i < this.exitT.length ? { kind: 'single', t: this.exitT[i], f: this.exitF[j] } : { kind: 'shared' };
    return matched && judge(this.ctx, matched, exit, earlier);
  }

  private match(i: number, j: number): Matched | null {
    const [openT, openF] = [i >= this.exitT.length, j >= this.exitF.length];
    if (openT !== openF) return null;
    // In long chains, partners that are far apart are not worth the search.
    if (!openT && this.countT * this.countF > MOST_PAIRS && Math.abs(i - j) > BAND) return null;
    return match(this.ctx, this.region.branch, this.t[i], this.f[j], openT ? this.shared : null);
  }
}

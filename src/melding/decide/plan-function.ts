/**
 * Decides what melds in one round: from a snapshot and its analyses to a `FunctionPlan`. Pure; the same input gives the same
 * plan. The algorithm is the paper's "DARM Algorithm" with the order that the paper leaves open: per divergent branch an optimal
 * alignment of the two chains of subgraphs, then branches by gain, most profitable first, as long as their regions do not touch.
 *
 * A round ends melding when its plan holds no melds. That happens: every meld makes two instructions that are no selects (nor
 * phis, nor branches) into one, or, with the net model only, removes the branch without adding any. Melding copies
 * nothing, so neither is undone; only lowering a switch again adds compares, and the rounds are bounded. A pair that only a `select` matches does not count.
 *
 * Later melds of a branch suppose that the earlier ones of the same branch have been carried out.
 */
import { regionOf, sharedSuccessors } from '../../analysis/regions.js';
import type { DivergentRegion, SideChain, Subgraph } from '../../analysis/regions.js';
import type { BlockId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import type { FunctionSnapshot } from '../../ir/snapshot.js';
import { isConditionalBranch } from '../../ir/snapshot.js';
import { candidateOf, isEmpty, isPlainBlock, judge, match, round } from './candidate.js';
import type { Judged, Matched, Side } from './candidate.js';
import { alignChains } from './chain-alignment.js';
import type { Analyses } from '../../analysis/analyses.js';
import type { CanPair, PlanningContext } from '../cost/context.js';
import { planningContext } from '../cost/context.js';
import type { DraftExit } from '../draft/frame.js';
import { CostModel } from '../cost/gains.js';
import { functionRefusal, regionRefusal, subgraphRefusal, waitRefusal } from './legality.js';
import type { Refusal } from './legality.js';
import type { Candidate, FunctionPlan, Meld, PlanOptions } from '../plan.js';

/** Subgraphs of a side beyond this many are left for the next round. */
const LONGEST_CHAIN = 32;
/** Up to this many pairs of subgraphs all are judged, else those whose places in the chains differ by no more than `BAND`. */
const MOST_PAIRS = 256;
const BAND = 8;

/** What one branch would do in this round. */
interface BranchPlan {
  readonly branch: BlockId;
  readonly region: DivergentRegion;
  /** In chain order, with the `net` each adds. */
  readonly melds: readonly { readonly judged: Judged; readonly net: number }[];
  readonly total: number;
  readonly refused: readonly Candidate[];
}

export function planFunction(
  fn: FunctionSnapshot,
  analyses: Analyses,
  options: PlanOptions,
  canPair: CanPair,
): FunctionPlan {
  const branches: BlockId[] = [];
  for (let b = 0 as BlockId; b < fn.blockCount; b++)
    if (analyses.divergence.terminatorDivergent[b] === 1 && analyses.order[b] !== NONE && isConditionalBranch(fn, b))
      branches.push(b);
  if (branches.length === 0) return { candidates: [], melds: [] };

  const ctx = planningContext(fn, analyses, options, canPair);
  const whole = functionRefusal(fn);
  const perBranch = branches.map((b): BranchPlan | Candidate => {
    if (whole) return refusedBranch(ctx, b, whole);
    const found = regionOf(ctx, b);
    if (found.kind === 'refused') return refusedBranch(ctx, b, found);
    const refusal = regionRefusal(ctx, found.blocks) ?? modeRefusal(ctx, found);
    return refusal ? refusedBranch(ctx, b, refusal) : planBranch(ctx, found);
  });
  const taken = choose(
    fn,
    perBranch.filter((p): p is BranchPlan => 'melds' in p),
  );

  const candidates: Candidate[] = [];
  for (const p of perBranch) {
    if (!('melds' in p)) {
      candidates.push(p);
      continue;
    }
    const refusal = taken.includes(p) ? null : { rule: '7', reason: 'overlaps a more profitable meld of this round' };
    for (const m of p.melds) candidates.push(candidateOf(m.judged, refusal, m.net));
    candidates.push(...p.refused);
  }
  const melds = taken.flatMap((p) => p.melds.map(({ judged, net }): Meld => ({ ...judged.meld!, net: round(net) })));
  return { candidates, melds };
}

function refusedBranch({ fn }: PlanningContext, branch: BlockId, { rule, reason }: Refusal): Candidate {
  const [t, f] = [fn.succ[fn.succStart[branch]] as BlockId, fn.succ[fn.succStart[branch] + 1] as BlockId];
  return { branch, sides: [[t], [f]], kind: 'block-block', profit: 0, net: 0, verdict: 'refuse', rule, reason };
}

function planBranch(ctx: PlanningContext, region: DivergentRegion): BranchPlan {
  const { branch } = region;
  const { options } = ctx;
  const chains = new Chains(ctx, region);
  const { countT, countF } = chains;
  // Two melds side by side leave out the parting that each of them counts.
  const bonus = options.profit === 'net' ? 2 * ctx.costs.target.guard * ctx.weight[branch] : 0;
  // What melds in front make one matters behind them. As a guess at those melds, align by the paper's metric first.
  const guess = alignChains(
    countT,
    countF,
    (i, j) => (chains.matched(i, j)?.refusal === null ? chains.matched(i, j)!.profit : -Infinity),
    0,
  ).pairs;
  const guessed: Judged[] = [];
  const before = (i: number, j: number): Int32Array | null => {
    let tables: Int32Array | null = null;
    for (const [k, [a, b]] of guess.entries())
      if (a < i && b < j && guessed[k]?.partner) tables = merged(tables, guessed[k].partner);
    return tables;
  };
  for (const [i, j] of guess) guessed.push(chains.judge(i, j, before(i, j))!);
  const judged: (Judged | null)[][] = [];
  for (let i = 0; i < countT; i++) {
    judged.push([]);
    for (let j = 0; j < countF; j++) {
      const k = guess.findIndex(([a, b]) => a === i && b === j);
      judged[i].push(k >= 0 ? guessed[k] : chains.judge(i, j, before(i, j)));
    }
  }
  const { pairs, total } = alignChains(
    countT,
    countF,
    (i, j) => {
      const candidate = judged[i][j];
      return !candidate || candidate.refusal ? -Infinity : options.profit === 'net' ? candidate.net : candidate.profit;
    },
    bonus,
  );

  const least = options.profit === 'net' ? CostModel.leastNet : 0;
  const asGuessed = pairs.length === guess.length && pairs.every(([i, j], k) => guess[k][0] === i && guess[k][1] === j);
  const melds: { at: readonly [number, number]; judged: Judged; net: number }[] = [];
  let earlier: Int32Array | null = null;
  for (const [i, j] of total > least ? pairs : []) {
    // The guess may have been wrong; then judge again, now that it is known what lies in front.
    const candidate = asGuessed || !earlier ? judged[i][j]! : chains.judge(i, j, earlier)!;
    judged[i][j] = candidate;
    if (candidate.refusal) continue;
    const last = melds.at(-1)?.at;
    const next = last && last[0] === i - 1 && last[1] === j - 1;
    melds.push({ at: [i, j], judged: candidate, net: candidate.net + (next ? bonus : 0) });
    earlier = merged(earlier, candidate.partner!);
  }
  const sum = melds.reduce((all, m) => all + m.net, 0);
  const pays = options.profit === 'paper' || sum > least;
  return {
    branch,
    region,
    melds: pays ? melds : [],
    total: options.profit === 'net' ? sum : total,
    refused: refusedPairs(ctx, region, judged, pays ? melds.map((m) => m.at) : []),
  };
}

/** Empty blocks have nothing to meld, and must not stand between neighbours. */
const working = (ctx: PlanningContext, chain: SideChain): Subgraph[] =>
  chain.subgraphs.filter((s) => s.blocks.length > 1 || !isEmpty(ctx, s.entry));

/** The paper's baselines know diamonds only: both sides one block each. */
function modeRefusal(ctx: PlanningContext, { t, f }: DivergentRegion): Refusal | null {
  if (ctx.options.mode === 'darm') return null;
  for (const chain of [t, f]) {
    const [only, ...more] = working(ctx, chain);
    if (!chain.edgeDominated || chain.open !== NONE || !only || more.length > 0 || !isPlainBlock(ctx, only))
      return { rule: '1.1', reason: `${ctx.options.mode} melds diamonds only` };
  }
  return null;
}

/** The subgraphs of both sides, and what is known about pairing them. The open blocks of rule 1.8 come last and meet no other. */
class Chains {
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

  /** Null for a pair that is not looked at. */
  matched(i: number, j: number): Matched | null {
    return this.matches[i * this.countF + j];
  }

  judge(i: number, j: number, earlier: Int32Array | null): Judged | null {
    const matched = this.matched(i, j);
    const exit: DraftExit =
      i < this.exitT.length ? { kind: 'single', t: this.exitT[i], f: this.exitF[j] } : { kind: 'shared' };
    return matched && judge(this.ctx, matched, exit, earlier);
  }

  private match(i: number, j: number): Matched | null {
    const [openT, openF] = [i >= this.exitT.length, j >= this.exitF.length];
    if (openT !== openF) return null;
    // Long chains: partners far apart are not worth the search.
    if (!openT && this.countT * this.countF > MOST_PAIRS && Math.abs(i - j) > BAND) return null;
    return match(this.ctx, this.region.branch, this.t[i], this.f[j], openT ? this.shared : null);
  }
}

/** Both partner tables in one; they concern different blocks. */
function merged(a: Int32Array | null, b: Int32Array): Int32Array {
  return a ? b.map((partner, i) => (partner === NONE ? a[i] : partner)) : b;
}

/** Why what did not meld did not: per subgraph of T that stayed, its best partner among those of F that stayed. */
function refusedPairs(
  ctx: PlanningContext,
  region: DivergentRegion,
  judged: readonly (readonly (Judged | null)[])[],
  chosen: readonly (readonly [number, number])[],
): Candidate[] {
  const refused: Candidate[] = [];
  const usedF = new Set(chosen.map(([, j]) => j));
  const add = (j: Judged): void => {
    const unprofitable =
      ctx.options.profit === 'net' && j.net <= CostModel.leastNet
        ? 'costs more than it saves'
        : 'another pairing saves more';
    refused.push(candidateOf(j, j.refusal ?? { rule: '7', reason: unprofitable }));
  };
  judged.forEach((row, i) => {
    if (chosen.some(([a]) => a === i)) return;
    const rest = row.filter((pair, j): pair is Judged => pair !== null && !usedF.has(j));
    if (rest.length > 0) add(rest.reduce((best, j) => (rank(j) > rank(best) ? j : best)));
  });
  if (refused.length === 0 && chosen.length === 0) {
    const entered = region.t.edgeDominated && region.f.edgeDominated;
    refused.push(
      refusedBranch(ctx, region.branch, {
        rule: '1.3',
        reason: entered
          ? 'a side holds no subgraph with a single entry and exit'
          : 'other edges than the branch lead into a side',
      }),
    );
  }
  return refused;
}

/** Legal before refused, then by profit. */
const rank = (j: Judged): number => (j.refusal ? 0 : 1) + j.profit;

/** Most profitable branch first; none whose region touches that of one taken already. */
function choose(fn: FunctionSnapshot, plans: readonly BranchPlan[]): BranchPlan[] {
  const touched = new Uint8Array(fn.blockCount);
  const taken: BranchPlan[] = [];
  const willing = plans.filter((p) => p.melds.length > 0).sort((a, b) => b.total - a.total || a.branch - b.branch);
  for (const p of willing) {
    if (p.region.blocks.some((b) => touched[b] === 1)) continue;
    // Melds before it in this round may take away the uniformity it relies on.
    if (taken.length > 0 && p.melds.some((m) => m.judged.needsUniform)) continue;
    for (const b of p.region.blocks) touched[b] = 1;
    taken.push(p);
  }
  return taken;
}

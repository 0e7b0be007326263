/**
 * Decides what melds in one round: from a snapshot and its analyses to a `FunctionPlan`. Pure; the same input gives the same
 * plan. The algorithm is the paper's "DARM Algorithm" with the order that the paper leaves open: per divergent branch an optimal
 * alignment of the two chains of subgraphs, then branches by gain, most profitable first, as long as their regions do not touch.
 *
 * A round ends melding when its plan holds no melds. That happens: every meld makes two instructions that are no selects (nor
 * phis, nor branches) into one, or, with the net model only, removes the branch without adding any. Neither is ever undone,
 * as melding copies nothing. A pair that only a `select` matches does not count.
 *
 * Later melds of a branch suppose that the earlier ones of the same branch have been carried out.
 */
import { regionOf, sharedSuccessors } from '../analysis/regions.js';
import type { DivergentRegion, Subgraph } from '../analysis/regions.js';
import type { BlockId } from '../ir/ids.js';
import { NONE } from '../ir/ids.js';
import type { FunctionSnapshot } from '../ir/snapshot.js';
import { isConditionalBranch } from '../ir/snapshot.js';
import { candidateOf, judge, round } from './candidate.js';
import type { Judged, Side } from './candidate.js';
import { alignChains } from './chain-alignment.js';
import type { Analyses, CanPair, PlanningContext } from './context.js';
import { planningContext } from './context.js';
import { CostModel } from './gains.js';
import { functionRefusal, regionRefusal, subgraphRefusal } from './legality.js';
import type { Refusal } from './legality.js';
import type { Candidate, FunctionPlan, Meld, PlanOptions } from './plan.js';

/** Subgraphs of a side beyond this many are left for the next round. */
const LONGEST_CHAIN = 32;

/** What one branch would do in this round. */
interface BranchPlan {
  readonly branch: BlockId;
  readonly region: DivergentRegion;
  /** In chain order, with the `net` each adds. */
  readonly melds: readonly { readonly judged: Judged; readonly net: number }[];
  readonly total: number;
  readonly refused: readonly Candidate[];
}

export function planFunction(f: FunctionSnapshot, analyses: Analyses, options: PlanOptions, canPair: CanPair): FunctionPlan {
  const branches: BlockId[] = [];
  for (let b = 0 as BlockId; b < f.blockCount; b++)
    if (analyses.order[b] !== NONE && analyses.divergence.terminatorDivergent[b] === 1 && isConditionalBranch(f, b)) branches.push(b);
  if (branches.length === 0) return { candidates: [], melds: [] };

  const ctx = planningContext(f, analyses, canPair);
  const whole = functionRefusal(f);
  const perBranch = branches.map((b): BranchPlan | Candidate => {
    if (whole) return refusedBranch(ctx, b, whole);
    const found = regionOf(ctx, b);
    if (found.kind === 'refused') return refusedBranch(ctx, b, found);
    const refusal = regionRefusal(ctx, found.blocks);
    return refusal ? refusedBranch(ctx, b, refusal) : planBranch(ctx, found, options);
  });
  const taken = choose(f, perBranch.filter((p): p is BranchPlan => 'melds' in p));

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

function refusedBranch({ f }: PlanningContext, branch: BlockId, { rule, reason }: Refusal): Candidate {
  const [t, g] = [f.succ[f.succStart[branch]] as BlockId, f.succ[f.succStart[branch] + 1] as BlockId];
  return { branch, sides: [[t], [g]], kind: 'block-block', profit: 0, net: 0, verdict: 'refuse', rule, reason };
}

function planBranch(ctx: PlanningContext, region: DivergentRegion, options: PlanOptions): BranchPlan {
  const { branch } = region;
  const sideOf = (s: Subgraph): Side => ({ ...s, refusal: subgraphRefusal(ctx, s.blocks) });
  const t = region.t.subgraphs.slice(0, LONGEST_CHAIN).map(sideOf);
  const f = region.f.subgraphs.slice(0, LONGEST_CHAIN).map(sideOf);
  const judged = t.map((a, i) =>
    f.map((b, j) => {
      const exit = { kind: 'single', t: region.t.subgraphs[i].exit, f: region.f.subgraphs[j].exit } as const;
      return judge(ctx, branch, a, b, exit, options, null);
    }),
  );
  const valueOf = (j: Judged): number => (j.refusal ? -Infinity : options.profit === 'net' ? j.net : j.profit);
  // Two melds side by side leave out the parting that each of them counts.
  const bonus = options.profit === 'net' ? 2 * ctx.costs.target.guard * ctx.weight[branch] : 0;
  const open = judgeOpen(ctx, region, options);
  // The open pair comes last in both chains and meets no other.
  const openAt: readonly [number, number] | null = open ? [t.length, f.length] : null;
  const size = open ? 1 : 0;
  const at = (i: number, j: number): Judged | null =>
    openAt && (i === openAt[0] || j === openAt[1]) ? (i === openAt[0] && j === openAt[1] ? open : null) : judged[i][j];
  const { pairs, total } = alignChains(t.length + size, f.length + size, (i, j) => {
    const candidate = at(i, j);
    return candidate ? valueOf(candidate) : -Infinity;
  }, bonus);

  const chosen = total > (options.profit === 'net' ? CostModel.leastNet : 0) ? pairs : [];
  const melds = chosen.map(([i, j], k) => {
    const candidate = at(i, j)!;
    const next = k > 0 && chosen[k - 1][0] === i - 1 && chosen[k - 1][1] === j - 1;
    return { judged: candidate, net: candidate.net + (next ? bonus : 0) };
  });
  return { branch, region, melds, total, refused: refusedPairs(ctx, region, judged, open, chosen, options) };
}

/** Rule 1.8. */
function judgeOpen(ctx: PlanningContext, region: DivergentRegion, options: PlanOptions): Judged | null {
  const shared = sharedSuccessors(ctx.graph, region);
  if (!shared) return null;
  const side = (chain: DivergentRegion['t']): Side => {
    const entry = chain.open as BlockId;
    return { entry, blocks: [entry], before: chain.beforeOpen, refusal: subgraphRefusal(ctx, [entry]) };
  };
  return judge(ctx, region.branch, side(region.t), side(region.f), { kind: 'shared' }, options, shared);
}

/** Why what did not meld did not: per subgraph of T that stayed, its best partner among those of F that stayed. */
function refusedPairs(
  ctx: PlanningContext,
  region: DivergentRegion,
  judged: readonly (readonly Judged[])[],
  open: Judged | null,
  chosen: readonly (readonly [number, number])[],
  options: PlanOptions,
): Candidate[] {
  const refused: Candidate[] = [];
  const usedF = new Set(chosen.map(([, j]) => j));
  const add = (j: Judged): void => {
    const unprofitable = options.profit === 'net' && j.net <= CostModel.leastNet ? 'costs more than it saves' : 'another pairing saves more';
    refused.push(candidateOf(j, j.refusal ?? { rule: '7', reason: unprofitable }));
  };
  judged.forEach((row, i) => {
    if (chosen.some(([a]) => a === i)) return;
    const rest = row.filter((judgedPair, j) => !usedF.has(j) && !judgedPair.empty);
    if (rest.length > 0) add(rest.reduce((best, j) => (rank(j) > rank(best) ? j : best)));
  });
  if (open && !chosen.some(([i, j]) => i === judged.length && j === region.f.subgraphs.slice(0, LONGEST_CHAIN).length)) add(open);
  if (refused.length === 0 && chosen.length === 0) {
    const entered = region.t.edgeDominated && region.f.edgeDominated;
    refused.push(
      refusedBranch(ctx, region.branch, {
        rule: '1.3',
        reason: entered ? 'a side holds no subgraph with a single entry and exit' : 'other edges than the branch lead into a side',
      }),
    );
  }
  return refused;
}

/** Legal before refused, then by profit. */
const rank = (j: Judged): number => (j.refusal ? 0 : 1) + j.profit;

/** Most profitable branch first; none whose region touches that of one taken already. */
function choose(f: FunctionSnapshot, plans: readonly BranchPlan[]): BranchPlan[] {
  const touched = new Uint8Array(f.blockCount);
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

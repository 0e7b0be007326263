/**
 * One pair of subgraphs judged: may they meld, how profitable is it by the paper's metric, what does it gain in cycles, and
 * the meld itself.
 */
import { isomorphism } from '../analysis/isomorphism.js';
import type { CorrespondingBlocks } from '../analysis/isomorphism.js';
import type { BlockId } from '../ir/ids.js';
import { OperandFlag } from '../ir/snapshot.js';
import type { PlanningContext } from './context.js';
import type { Outcome } from './cost.js';
import { evaluate } from './cost.js';
import { Draft } from './draft.js';
import type { DraftExit } from './draft.js';
import { alignmentOf } from './groups.js';
import type { Refusal } from './legality.js';
import { canSelect } from './operands.js';
import { alignBlocks, isTooLarge, proposePhis } from './pairing.js';
import type { Candidate, Meld, MeldKind, PlanOptions } from './plan.js';
import { subgraphProfit } from './profitability.js';
import { prune } from './prune.js';

/** One side of a candidate. */
export interface Side {
  readonly entry: BlockId;
  readonly blocks: readonly BlockId[];
  readonly before: readonly BlockId[];
  /** Why this subgraph may not be melded with any other. */
  readonly refusal: Refusal | null;
}

export interface Judged {
  readonly branch: BlockId;
  readonly sides: readonly [readonly BlockId[], readonly BlockId[]];
  readonly kind: MeldKind;
  readonly profit: number;
  readonly net: number;
  readonly refusal: Refusal | null;
  /** The meld, when `refusal` is null; its `net` supposes that no neighbour melds. */
  readonly meld: Meld | null;
  /** A side holds no work at all; of no interest to a reader. */
  readonly empty: boolean;
  /** Holds operands that must stay uniform: wants a round in which nothing before it changes uniformity. */
  readonly needsUniform: boolean;
}

/** The correspondence of rule 1.8's blocks is known; otherwise it is searched. */
export function judge(
  ctx: PlanningContext,
  branch: BlockId,
  t: Side,
  f: Side,
  exit: DraftExit,
  options: PlanOptions,
  shared: { readonly swapped: boolean } | null,
): Judged {
  const kind: MeldKind = isPlainBlock(ctx, t) !== isPlainBlock(ctx, f) ? 'block-region' : t.blocks.length === 1 ? 'block-block' : 'region-region';
  const empty = t.blocks.every((b) => isEmpty(ctx, b)) || f.blocks.every((b) => isEmpty(ctx, b));
  const refuse = (rule: string, reason: string, profit = 0, net = 0): Judged => ({
    branch, sides: [t.blocks, f.blocks], kind, profit, net, refusal: { rule, reason }, meld: null, empty, needsUniform: false,
  });
  const refusal = t.refusal ?? f.refusal;
  if (refusal) return refuse(refusal.rule, refusal.reason);
  if (!shared && kind === 'block-region') return refuse('5', 'region replication is not implemented yet', bestBlockProfit(ctx, t, f));
  const found: readonly CorrespondingBlocks[] | null = shared
    ? [{ t: t.entry, f: f.entry, swapped: shared.swapped }]
    : isomorphism(ctx.graph, t, f, (a, b) => ctx.profiles.common(a, b));
  if (!found) return refuse('5', 'the regions are not isomorphic');
  const blocks = [...found].sort((a, b) => ctx.order[a.t] - ctx.order[b.t]);
  const profit = subgraphProfit(ctx.profiles, blocks.map((b) => [b.t, b.f] as const));
  if (profit < options.threshold) return refuse('7', 'profitability is below the threshold', profit);

  const front = [...t.before, ...f.before].some((b) => !isEmpty(ctx, b));
  const back = exit.kind === 'single' && throughEmpty(ctx, exit.t) !== throughEmpty(ctx, exit.f);
  const fresh = (): Draft => new Draft(ctx, branch, blocks, exit, front, back);
  if (isTooLarge(fresh())) return refuse('7', 'corresponding blocks are too large to align', profit);
  const [draft, outcome] = bestDraft(fresh, options);

  if (exit.kind === 'shared' && draft.exitSlots().some((s) => !draft.same(s.t, s.f) && !canSelect(ctx.f, s.t, s.f)))
    return refuse('3', 'a phi behind the blocks would need a select between different objects', profit, outcome.net);
  if (!shrinks(draft, outcome, options)) return refuse('2', 'no two instructions match', profit, outcome.net);
  const meld: Meld = {
    kind,
    branch,
    pairs: blocks.map((b, k) => ({
      t: b.t,
      f: b.f,
      alignment: alignmentOf(draft, outcome.groups[k]),
      phis: draft.phis.filter(([phi]) => ctx.f.instrBlock[phi] === b.t),
      swapSuccessors: b.swapped,
    })),
    exit,
    before: { t: t.before, f: f.before },
    profit,
    net: outcome.net,
  };
  return { branch, sides: [t.blocks, f.blocks], kind, profit, net: outcome.net, refusal: null, meld, empty, needsUniform: needsUniform(draft) };
}

/** Tries with and without melded phis, each once more with what the first attempt taught, and keeps the best. */
function bestDraft(fresh: () => Draft, options: PlanOptions): [Draft, Outcome] {
  let best: [Draft, Outcome] | null = null;
  const consider = (draft: Draft): void => {
    const outcome = evaluate(draft);
    const better = !best || Number(shrinks(draft, outcome, options)) - Number(shrinks(...best, options)) || outcome.net - best[1].net;
    if (better === true || Number(better) > 0) best = [draft, outcome];
  };
  const attempt = (phis: boolean): boolean => {
    const first = fresh();
    if (phis) proposePhis(first);
    if (phis && first.phis.length === 0) return false;
    alignBlocks(first, options.profit, null);
    const paired = pairCount(first);
    prune(first, options.profit);
    consider(first);
    if (pairCount(first) === paired) return true;
    const second = fresh();
    for (const phi of first.phis) second.pair(phi[0], phi[1], false);
    second.phis = [...first.phis];
    alignBlocks(second, options.profit, first.partner);
    prune(second, options.profit);
    consider(second);
    return true;
  };
  if (options.profit === 'net') attempt(true);
  attempt(false);
  return best!;
}

/** Whether the meld leaves less code than there was: what makes melding end (see planner.ts). */
function shrinks(draft: Draft, outcome: Outcome, options: PlanOptions): boolean {
  const dissolves = options.profit === 'net' && outcome.guardedRuns === 0 && !draft.front && !draft.back;
  return outcome.realPairs > 0 || dissolves;
}

function pairCount(draft: Draft): number {
  let count = 0;
  for (const p of draft.partner) if (p >= 0) count++;
  return count;
}

/** A single block without an edge to itself. */
const isPlainBlock = ({ graph }: PlanningContext, { blocks }: Side): boolean =>
  blocks.length === 1 && !graph.succ.subarray(graph.succStart[blocks[0]], graph.succStart[blocks[0] + 1]).includes(blocks[0]);

/** Nothing but an unconditional branch: clean-up takes it away. */
const isEmpty = ({ f }: PlanningContext, b: BlockId): boolean =>
  f.blockInstrStart[b + 1] - f.blockInstrStart[b] === 1 && f.succStart[b + 1] - f.succStart[b] === 1;

function throughEmpty(ctx: PlanningContext, b: BlockId): BlockId {
  for (let steps = 0; isEmpty(ctx, b) && steps < ctx.f.blockCount; steps++) b = ctx.f.succ[ctx.f.succStart[b]] as BlockId;
  return b;
}

/** MP_B of the block with the block of the region it fits best, over the whole: what replication could save at most. */
function bestBlockProfit(ctx: PlanningContext, t: Side, f: Side): number {
  let common = 0;
  let total = 0;
  for (const a of t.blocks) for (const b of f.blocks) common = Math.max(common, ctx.profiles.common(a, b));
  for (const b of [...t.blocks, ...f.blocks]) total += ctx.profiles.latency(b);
  return total === 0 ? 0 : common / total;
}

function needsUniform(draft: Draft): boolean {
  const { f } = draft.ctx;
  for (const t of draft.workOfT())
    if (draft.partner[t] >= 0)
      for (let o = f.operandStart[t]; o < f.operandStart[t + 1]; o++) if ((f.operandFlags[o] & OperandFlag.MustBeUniform) !== 0) return true;
  return false;
}

export const candidateOf = (j: Judged, refusal: Refusal | null, net = j.net): Candidate => ({
  branch: j.branch,
  sides: j.sides,
  kind: j.kind,
  profit: j.profit,
  net: round(net),
  verdict: refusal ? 'refuse' : 'meld',
  rule: refusal?.rule ?? null,
  reason: refusal?.reason ?? 'profitable',
});

/** Weighted sums of quarters and shares: two decimals are enough and print alike everywhere. */
export const round = (cycles: number): number => Math.round(cycles * 100) / 100;

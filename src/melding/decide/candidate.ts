/**
 * Judges one pair of subgraphs: whether they may meld, how profitable that is by the paper's metric, what it gains in
 * cycles, and what the meld looks like.
 */
import type { BlockId, InstrId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { OperandFlag } from '../../ir/snapshot.js';
import type { PlanningContext } from '../cost/context.js';
import { subgraphProfit } from '../cost/profitability.js';
import type { Draft } from '../draft/draft.js';
import { busyEffect, type Effect } from '../draft/evaluate.js';
import { Frame } from '../draft/frame.js';
import { alignmentOf } from '../draft/groups.js';
import type { EarlierPartners, Partners } from '../draft/partner-log.js';
import { embeddedShape, isomorphicShape, pairedShape } from '../draft/shape.js';
import { breaksUniformDemand, meldedUniformity } from '../draft/uniformity.js';
import type { Candidate, Meld, MeldExit, MeldKind, Shape } from '../plan.js';
import { refusal, type Refusal } from '../rules.js';
import { bestDraft, shrinks } from './best-draft.js';
import type { HopelessBlocks } from './hopeless-blocks.js';
import { isTooLarge } from './pairing.js';

/** The subgraph that one side contributes to a candidate. */
export interface Side {
  readonly entry: BlockId;
  readonly blocks: readonly BlockId[];
  /** Whether blocks of the side that are not empty stand in front of the subgraph. */
  readonly front: boolean;
  /** Why this subgraph may not meld with any other, or null. */
  readonly refusal: Refusal | null;
}

/** Two subgraphs compared by shape and by the paper's metric. Both are cheap to find. */
export interface Matched {
  readonly branch: BlockId;
  readonly t: Side;
  readonly f: Side;
  readonly kind: MeldKind;
  /** Null when refused. */
  readonly shape: Shape | null;
  readonly profit: number;
  readonly refusal: Refusal | null;
}

/** A meld whose neighbours are not known yet. */
export type LoneMeld = Omit<Meld, 'before'>;

/** A candidate with everything that is known about it. */
export interface Judged {
  readonly branch: BlockId;
  readonly sides: readonly [readonly BlockId[], readonly BlockId[]];
  readonly kind: MeldKind;
  readonly profit: number;
  /** Cycles that a wave gains which takes both sides. */
  readonly net: number;
  readonly effect: Effect;
  /** The effect where other waves hide everything but the work of shared units; `effect` where they cannot. */
  readonly busy: Effect;
  readonly refusal: Refusal | null;
  /**
   * The meld. Null when there is a refusal, or when `net` is so low that no neighbour can make up for it. The meld's
   * own `net` supposes that no neighbour melds.
   */
  readonly meld: LoneMeld | null;
  /** What becomes one by the meld. Null without one. */
  readonly partners: Partners | null;
  /** Whether long runs without a partner run for every thread. */
  readonly speculatesMuch: boolean;
  /** Whether some operand must stay uniform. Then no other meld of the same round may change what is uniform. */
  readonly needsUniform: boolean;
}

/** @param shared how the successors of the two blocks of rule 1.8 correspond; null: the correspondence is searched */
export function match(
  ctx: PlanningContext,
  branch: BlockId,
  t: Side,
  f: Side,
  shared: { readonly swapped: boolean } | null,
): Matched {
  const kind = kindOf(ctx, t, f);
  const { regionReplication, threshold } = ctx.options;
  const refused = (why: Refusal, profit = 0): Matched => ({ branch, t, f, kind, shape: null, profit, refusal: why });
  const sideRefusal = t.refusal ?? f.refusal;
  if (sideRefusal) return refused(sideRefusal);
  const shape = shared
    ? pairedShape(ctx, [{ t: t.entry, f: f.entry, swapped: shared.swapped }])
    : (isomorphicShape(ctx, t, f) ?? (regionReplication ? embeddedShape(ctx, t, f) : null));
  if (!shape && kind === 'block-region' && !regionReplication)
    return refused(refusal('DifferentControlFlow', 'region replication is off'), bestBlockProfit(ctx, t, f));
  if (!shape) {
    const reason = kind === 'block-region' ? 'no block of the region is like it' : 'neither region fits into the other';
    return refused(refusal('DifferentControlFlow', reason));
  }
  const owned = shape.blocks.flatMap(({ t: a, f: b }) => (a !== NONE && b !== NONE ? [[a, b] as const] : []));
  const profit = subgraphProfit(ctx.profiles, owned);
  if (profit < threshold) return refused(refusal('NotProfitable', 'profitability is below the threshold'), profit);
  return { branch, t, f, kind, shape, profit, refusal: null };
}

function kindOf(ctx: PlanningContext, t: Side, f: Side): MeldKind {
  if (isPlainBlock(ctx, t) !== isPlainBlock(ctx, f)) return 'block-region';
  return t.blocks.length === 1 ? 'block-block' : 'region-region';
}

/**
 * @param earlier partners by the melds in front of this one, or null
 * @param hopeless null: nothing is remembered
 */
export function judge(
  ctx: PlanningContext,
  matched: Matched,
  exit: MeldExit,
  earlier: EarlierPartners | null,
  hopeless: HopelessBlocks | null,
): Judged {
  const { branch, t, f, shape } = matched;
  if (!shape) return unfit(matched, matched.refusal!);
  const front = t.front || f.front;
  const back = exit.kind === 'single' && throughEmpty(ctx, exit.t) !== throughEmpty(ctx, exit.f);
  const frame = new Frame({ ctx, branch, shape, exit, front, back, earlier });
  const description = hopeless?.describe(frame) ?? null;
  const known = description && hopeless!.find(description, frame);
  const judged = known
    ? { ...unfit(matched, known.refusal, known.net), partners: known.partners }
    : judgeFrame(frame, matched);
  if (description && !known) hopeless!.add(description, frame, judged);
  frame.release();
  return judged;
}

function unfit(matched: Matched, refusal: Refusal | null, net = 0): Judged {
  const effect = { net, vain: { t: 0, f: 0 }, idle: { t: 0, f: 0 }, blocks: [], scattered: 0 };
  const made = { meld: null, partners: null, speculatesMuch: false, needsUniform: false };
  return judgedAs(matched, { net, effect, busy: effect, refusal, ...made });
}

const judgedAs = (
  { branch, t, f, kind, profit }: Matched,
  found: Omit<Judged, 'branch' | 'sides' | 'kind' | 'profit'>,
): Judged => ({
  branch,
  sides: [t.blocks, f.blocks],
  kind,
  profit,
  ...found,
});

function judgeFrame(frame: Frame, matched: Matched): Judged {
  const { ctx, branch, shape, exit } = frame;
  const { kind, profit } = matched;
  const refused = (why: Refusal, net = 0): Judged => unfit(matched, why, net);
  if (isTooLarge(frame)) return refused(refusal('NotProfitable', 'corresponding blocks are too large to align'));
  const { draft, outcome } = bestDraft(frame);
  const { net } = outcome;

  const canJoin =
    exit.kind === 'shared' ? draft.canSelectAll(frame.exitSlots) : frame.canJoinAtExit((a, b) => draft.same(a, b));
  if (!canJoin) {
    const reason = 'a phi behind the blocks would need a select between different objects';
    return refused(refusal('UnselectableOperand', reason), net);
  }
  if (!shrinks(draft, outcome)) return refused(refusal('NothingInCommon', 'no two instructions match'), net);
  if (breaksUniformDemand(draft, meldedUniformity(draft)))
    return refused(refusal('NothingInCommon', 'an operand that must be uniform would not be'), net);
  const meld: LoneMeld = {
    kind,
    branch,
    ...shape,
    blocks: shape.blocks.map((b, k) => ({
      alignment: alignmentOf(draft, outcome.groups[k]),
      phis: draft.phis.filter(([phi]) => ctx.fn.instrBlock[phi] === b.t),
      ...b,
    })),
    exit,
    profit,
    net,
  };
  // The outcome itself is large, and there are many candidates.
  const effect = { net, vain: outcome.vain, idle: outcome.idle, blocks: outcome.blocks, scattered: outcome.scattered };
  // Where the units are not kept busy, nobody asks.
  const busy = ctx.options.profit !== 'paper' && ctx.busyShare() > 0 ? busyEffect(draft, outcome) : effect;
  const { speculatesMuch } = outcome;
  const made = { meld, partners: partnersIn(draft), speculatesMuch, needsUniform: needsUniform(draft) };
  return judgedAs(matched, { net, effect, busy, refusal: null, ...made });
}

function partnersIn({ ctx, frame, partner }: Draft): Partners {
  const { blockInstrStart } = ctx.fn;
  const list: InstrId[] = [];
  for (const { t } of frame.blocks)
    for (let i = t === NONE ? 0 : blockInstrStart[t]; t !== NONE && i < blockInstrStart[t + 1]; i++)
      if (partner[i] !== NONE) list.push(i as InstrId, partner[i] as InstrId);
  return list;
}

/** A single block without an edge to itself. */
export const isPlainBlock = ({ graph }: PlanningContext, { blocks }: Pick<Side, 'blocks'>): boolean =>
  blocks.length === 1 &&
  !graph.succ.subarray(graph.succStart[blocks[0]], graph.succStart[blocks[0] + 1]).includes(blocks[0]);

/** Whether a block holds an unconditional branch and nothing else. Clean-up removes such blocks. */
export const isEmpty = ({ fn }: PlanningContext, b: BlockId): boolean =>
  fn.blockInstrStart[b + 1] - fn.blockInstrStart[b] === 1 && fn.succStart[b + 1] - fn.succStart[b] === 1;

/** The first block that is not empty, from `b` on. */
export function throughEmpty(ctx: PlanningContext, b: BlockId): BlockId {
  for (let steps = 0; isEmpty(ctx, b) && steps < ctx.fn.blockCount; steps++)
    b = ctx.fn.succ[ctx.fn.succStart[b]] as BlockId;
  return b;
}

/** What replication could save at most, as MP_S: only the block of the region that fits best has a partner. */
function bestBlockProfit(ctx: PlanningContext, t: Side, f: Side): number {
  let common = 0;
  let total = 0;
  for (const a of t.blocks) for (const b of f.blocks) common = Math.max(common, ctx.profiles.common(a, b));
  for (const b of [...t.blocks, ...f.blocks]) total += ctx.profiles.latency(b);
  return total === 0 ? 0 : common / total;
}

function needsUniform(draft: Draft): boolean {
  const { fn } = draft.ctx;
  for (const { t: list } of draft.frame.work)
    for (const t of list) {
      if (draft.partner[t] < 0) continue;
      for (let o = fn.operandStart[t]; o < fn.operandStart[t + 1]; o++)
        if ((fn.operandFlags[o] & OperandFlag.MustBeUniform) !== 0) return true;
    }
  return false;
}

/** What to report of a candidate. @param why the refusal that counts, or why it melds */
export const candidateOf = (judged: Judged, why: Refusal | string, net = judged.net): Candidate => ({
  branch: judged.branch,
  sides: judged.sides,
  kind: judged.kind,
  profit: judged.profit,
  net: round(net),
  ...(typeof why === 'string'
    ? { verdict: 'meld', rule: null, reason: why }
    : { verdict: 'refuse', rule: why.rule, reason: why.reason }),
});

/**
 * Two decimals. A net is a weighted sum of quarters and shares; this much is enough, and it prints alike everywhere.
 */
export const round = (cycles: number): number => Math.round(cycles * 100) / 100;

/**
 * One pair of subgraphs judged: may they meld, how profitable is it by the paper's metric, what does it gain in cycles, and
 * the meld itself.
 */
import type { BlockId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { OperandFlag } from '../../ir/snapshot.js';
import type { PlanningContext } from '../cost/context.js';
import type { Outcome } from '../draft/evaluate.js';
import { evaluate } from '../draft/evaluate.js';
import { Draft } from '../draft/draft.js';
import type { PhiPairs } from '../draft/draft.js';
import { Frame } from '../draft/frame.js';
import type { DraftExit } from '../draft/frame.js';
import { alignmentOf } from '../draft/groups.js';
import type { Refusal } from './legality.js';
import { alignBlocks, isTooLarge, keepTail, proposePhis } from './pairing.js';
import type { Candidate, Meld, MeldKind, ProfitModel } from '../plan.js';
import { subgraphProfit } from '../cost/profitability.js';
import { prune } from './prune.js';
import { embeddedShape, isomorphicShape, pairedShape, type Shape } from '../draft/shape.js';
import { breaksUniformDemand, meldedUniformity } from '../draft/uniformity.js';

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
  /** `[instrCount]` who becomes one with whom by the meld. */
  readonly partner: Int32Array | null;
  /** Holds operands that must stay uniform: wants a round in which nothing before it changes uniformity. */
  readonly needsUniform: boolean;
}

/** Two subgraphs compared by shape and by the paper's metric; what is cheap to know. */
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

/** @param shared the correspondence of rule 1.8's blocks; otherwise it is searched */
export function match(
  ctx: PlanningContext,
  branch: BlockId,
  t: Side,
  f: Side,
  shared: { readonly swapped: boolean } | null,
): Matched {
  const kind: MeldKind =
    isPlainBlock(ctx, t) !== isPlainBlock(ctx, f)
      ? 'block-region'
      : t.blocks.length === 1
        ? 'block-block'
        : 'region-region';
  const refuse = (rule: string, reason: string, profit = 0): Matched => ({
    branch,
    t,
    f,
    kind,
    shape: null,
    profit,
    refusal: { rule, reason },
  });
  const refusal = t.refusal ?? f.refusal;
  if (refusal) return refuse(refusal.rule, refusal.reason);
  const shape = shared
    ? pairedShape(ctx, [{ t: t.entry, f: f.entry, swapped: shared.swapped }])
    : (isomorphicShape(ctx, t, f) ?? (ctx.options.regionReplication ? embeddedShape(ctx, t, f) : null));
  if (!shape && kind === 'block-region' && !ctx.options.regionReplication)
    return refuse('5', 'region replication is off', bestBlockProfit(ctx, t, f));
  if (!shape)
    return refuse(
      '5',
      kind === 'block-region' ? 'no block of the region is like it' : 'neither region fits into the other',
    );
  const owned = shape.blocks.flatMap(({ t: a, f: b }) => (a !== NONE && b !== NONE ? [[a, b] as const] : []));
  const profit = subgraphProfit(ctx.profiles, owned);
  if (profit < ctx.options.threshold) return refuse('7', 'profitability is below the threshold', profit);
  return { branch, t, f, kind, shape, profit, refusal: null };
}

/** @param earlier partners by melds in front of this one */
export function judge(ctx: PlanningContext, matched: Matched, exit: DraftExit, earlier: Int32Array | null): Judged {
  const { branch, t, f, kind, shape, profit } = matched;
  const refuse = (rule: string, reason: string, net = 0): Judged => ({
    branch,
    sides: [t.blocks, f.blocks],
    kind,
    profit,
    net,
    refusal: { rule, reason },
    meld: null,
    partner: null,
    needsUniform: false,
  });
  if (!shape) return refuse(matched.refusal!.rule, matched.refusal!.reason);

  const front = [...t.before, ...f.before].some((b) => !isEmpty(ctx, b));
  const back = exit.kind === 'single' && throughEmpty(ctx, exit.t) !== throughEmpty(ctx, exit.f);
  const frame = new Frame(ctx, branch, shape, exit, front, back, earlier);
  if (isTooLarge(frame)) return refuse('7', 'corresponding blocks are too large to align');
  const [draft, outcome] = bestDraft(frame);

  if (exit.kind === 'shared' && !draft.canSelectAll(frame.exitSlots))
    return refuse('3', 'a phi behind the blocks would need a select between different objects', outcome.net);
  if (!shrinks(draft, outcome)) return refuse('2', 'no two instructions match', outcome.net);
  if (breaksUniformDemand(draft, meldedUniformity(draft)))
    return refuse('2', 'an operand that must be uniform would not be', outcome.net);
  const meld: Meld = {
    kind,
    branch,
    ...shape,
    blocks: shape.blocks.map((b, k) => ({
      ...b,
      alignment: alignmentOf(draft, outcome.groups[k]),
      phis: draft.phis.filter(([phi]) => ctx.fn.instrBlock[phi] === b.t),
    })),
    exit,
    before: { t: t.before, f: f.before },
    profit,
    net: outcome.net,
  };
  return {
    branch,
    sides: [t.blocks, f.blocks],
    kind,
    profit,
    net: outcome.net,
    refusal: null,
    meld,
    partner: draft.partner,
    needsUniform: needsUniform(draft),
  };
}

/** Only frames whose largest block pair has a number of cells in this range are aligned from several starts. */
const LEAST_CELLS_TWICE = 10;
const MOST_CELLS_TWICE = 40_000;
const MOST_REFINEMENTS = 2;

/**
 * Alignment sees one pair of blocks at a time and prices selects by estimate, so it starts from several places, is judged
 * exactly each time, and the best is refined: aligned again with its own outcome for an estimate. The starts: selects priced or not
 * (the paper's scores), with and without melded phis.
 */
function bestDraft(frame: Frame): [Draft, Outcome] {
  const { options } = frame.ctx;
  const attempts = new Attempts(frame);
  const phis = options.profit === 'net' ? attempts.proposePhis() : [];
  const start = (scores: ProfitModel): void => {
    if (phis.length > 0) attempts.improve(phis, scores, null);
    attempts.improve([], scores, null);
  };
  start(options.profit);
  // Blocks of a few instructions have no second alignment worth a look, very large ones take too long.
  const again = options.profit === 'net' && frame.cells >= LEAST_CELLS_TWICE && frame.cells <= MOST_CELLS_TWICE;
  if (!again || pairsAll(attempts.best.draft)) return [attempts.best.draft, attempts.best.outcome];
  start('paper');
  for (let round = 0; round < MOST_REFINEMENTS; round++) {
    const { draft } = attempts.best;
    if (!attempts.improve(draft.phis, 'net', draft.partner)) break;
  }
  return [attempts.best.draft, attempts.best.outcome];
}

/** The best of several attempts at one frame. */
class Attempts {
  private winner: { readonly draft: Draft; readonly outcome: Outcome } | null = null;
  /** A draft whose tables the next attempt takes. */
  private spare: Draft | null = null;
  /** What was aligned before: the same alignment comes to the same outcome, which is no better than the best. */
  private readonly seen = new Set<string>();

  constructor(private readonly frame: Frame) {}

  /** There is one after the first attempt. */
  get best(): { readonly draft: Draft; readonly outcome: Outcome } {
    return this.winner!;
  }

  proposePhis(): PhiPairs {
    this.spare = new Draft(this.frame);
    return proposePhis(this.spare);
  }

  /** Whether aligning with these phis, by `scores`, and with `known` for an estimate is better than the best so far. */
  improve(phis: PhiPairs, scores: ProfitModel, known: Int32Array | null): boolean {
    const draft = this.spare ?? new Draft(this.frame);
    this.spare = draft;
    draft.restart(phis);
    alignBlocks(draft, scores, known);
    const key = pairingKey(draft);
    if (this.seen.has(key)) return false;
    this.seen.add(key);
    const { profit, mode } = this.frame.ctx.options;
    do prune(draft, profit);
    while (mode === 'tail-merge' && keepTail(draft));
    const outcome = evaluate(draft);
    if (this.winner && !this.isBetter(draft, outcome)) return false;
    this.spare = this.winner?.draft ?? null;
    this.winner = { draft, outcome };
    return true;
  }

  private isBetter(draft: Draft, outcome: Outcome): boolean {
    const { best } = this;
    const shrinksMore = Number(shrinks(draft, outcome)) - Number(shrinks(best.draft, best.outcome));
    return shrinksMore > 0 || (shrinksMore === 0 && outcome.net > best.outcome.net);
  }
}

/** Equal for drafts of one frame with the same pairs. */
function pairingKey(draft: Draft): string {
  const key: number[] = [];
  for (const { t: list } of draft.frame.work) for (const t of list) key.push(draft.partner[t], draft.swapped[t]);
  for (const [t, f] of draft.phis) key.push(t, f);
  return key.join();
}

/** Whether no instruction is left without a partner. */
function pairsAll({ frame, partner }: Draft): boolean {
  for (const { t, f } of frame.work) {
    for (const i of t) if (partner[i] < 0) return false;
    for (const i of f) if (partner[i] < 0) return false;
  }
  return true;
}

/** Whether the meld leaves less code than there was: what makes melding end (see planner.ts). */
function shrinks({ frame }: Draft, outcome: Outcome): boolean {
  const dissolves = frame.ctx.options.profit === 'net' && outcome.guardedRuns === 0 && !frame.front && !frame.back;
  return outcome.realPairs > 0 || dissolves;
}

/** A single block without an edge to itself. */
export const isPlainBlock = ({ graph }: PlanningContext, { blocks }: Pick<Side, 'blocks'>): boolean =>
  blocks.length === 1 &&
  !graph.succ.subarray(graph.succStart[blocks[0]], graph.succStart[blocks[0] + 1]).includes(blocks[0]);

/** Nothing but an unconditional branch: clean-up takes it away. */
export const isEmpty = ({ fn }: PlanningContext, b: BlockId): boolean =>
  fn.blockInstrStart[b + 1] - fn.blockInstrStart[b] === 1 && fn.succStart[b + 1] - fn.succStart[b] === 1;

function throughEmpty(ctx: PlanningContext, b: BlockId): BlockId {
  for (let steps = 0; isEmpty(ctx, b) && steps < ctx.fn.blockCount; steps++)
    b = ctx.fn.succ[ctx.fn.succStart[b]] as BlockId;
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
  const { fn } = draft.ctx;
  for (const { t: list } of draft.frame.work)
    for (const t of list) {
      if (draft.partner[t] < 0) continue;
      for (let o = fn.operandStart[t]; o < fn.operandStart[t + 1]; o++)
        if ((fn.operandFlags[o] & OperandFlag.MustBeUniform) !== 0) return true;
    }
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

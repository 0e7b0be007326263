/**
 * Searches for the best pairing of the instructions and phis of one frame.
 *
 * The alignment sees one pair of blocks at a time and can only estimate what selects cost. So it starts several times,
 * with different estimates. Every result is pruned and then evaluated exactly. The best result is refined: it is
 * aligned again, and now the estimate is what paired in the result itself. The starts differ in whether selects have a
 * price (with the paper's scores they have none) and whether phis are melded.
 */
import { Draft, type PhiPairs } from '../draft/draft.js';
import { evaluate, type Outcome } from '../draft/evaluate.js';
import type { BlockWork } from '../draft/block-matches.js';
import type { Frame } from '../draft/frame.js';
import { PairTable } from '../draft/pair-facts.js';
import type { ProfitModel } from '../plan.js';
import { areEqual } from './equal-arrays.js';
import { hoisted } from './hoisted-loads.js';
import { reordered } from './reorder.js';
import { alignBlocks, keepTail, proposePhis } from './pairing.js';
import { prune } from './prune.js';

/** A draft and what it comes to. */
export interface Attempt {
  readonly draft: Draft;
  readonly outcome: Outcome;
}

/** Only frames whose largest block pair has a number of cells in this range are aligned from several starts. */
const LEAST_CELLS_TWICE = 10;
const MOST_CELLS_TWICE = 40_000;
const MOST_REFINEMENTS = 2;
/** Larger blocks keep their order. */
const MOST_CELLS_REORDERED = 4096;
/** How much more another order must gain, as a share: later melds are easier to find in the order of the block. */
const REORDERED_MARGIN = 0.05;

export function bestDraft(frame: Frame): Attempt {
  const { options } = frame.ctx;
  const attempts = new Attempts(frame);
  const phis = options.profit !== 'paper' ? attempts.proposePhis() : [];
  const start = (scores: ProfitModel): void => {
    if (phis.length > 0) attempts.improve(phis, scores, null);
    attempts.improve([], scores, null);
  };
  start(options.profit);
  // Blocks of a few instructions have no second alignment worth trying, and very large ones take too long.
  const again = options.profit !== 'paper' && frame.cells >= LEAST_CELLS_TWICE && frame.cells <= MOST_CELLS_TWICE;
  if (!again || pairsAll(attempts.best.draft)) return attempts.best;
  start('paper');
  for (let round = 0; round < MOST_REFINEMENTS; round++) {
    const { draft } = attempts.best;
    if (!attempts.improve(draft.phis, 'net', draft.partner)) break;
  }
  if (frame.cells <= MOST_CELLS_REORDERED) attempts.reorder();
  if (options.mode === 'darm' && frame.blocks.length > 1) attempts.hoist();
  return attempts.best;
}

/** The best of several attempts at one frame. */
class Attempts {
  private readonly pairs: PairTable;
  private winner: Attempt | null = null;
  /** A draft that lost. The next attempt uses its tables. */
  private spare: Draft | null = null;
  /** What was aligned before. Equal alignments have equal outcomes, so they cannot be better than the best. */
  private readonly seen: Int32Array[] = [];

  constructor(private readonly frame: Frame) {
    this.pairs = new PairTable(frame);
  }

  /** Exists after the first attempt. */
  get best(): Attempt {
    return this.winner!;
  }

  proposePhis(): PhiPairs {
    this.spare = new Draft(this.pairs);
    return proposePhis(this.spare);
  }

  /**
   * Aligns with these phis. Returns whether the result is better than the best so far.
   *
   * @param known partners of an earlier attempt, as an estimate of what will pair
   * @param margin how much better it must be
   */
  improve(phis: PhiPairs, scores: ProfitModel, known: Int32Array | null, margin = 0): boolean {
    const draft = this.spare ?? new Draft(this.pairs);
    this.spare = draft;
    draft.restart(phis);
    alignBlocks(draft, scores, known);
    const pairing = pairingOf(draft);
    for (const earlier of this.seen) if (areEqual(earlier, pairing)) return false;
    this.seen.push(pairing);
    const { profit, mode } = this.frame.ctx.options;
    do prune(draft, profit);
    while (mode === 'tail-merge' && keepTail(draft));
    const outcome = evaluate(draft);
    if (this.winner && !this.isBetter(draft, outcome, margin)) return false;
    this.spare = this.winner?.draft ?? null;
    this.winner = { draft, outcome };
    return true;
  }

  /** Tries another order of instructions, and keeps it if the result is better. */
  reorder(): void {
    const { frame } = this;
    const { work } = frame;
    const { draft: best, outcome } = this.best;
    const { phis } = best;
    const draft = this.spare ?? new Draft(this.pairs);
    this.spare = draft;
    draft.restart(phis);
    const other = reordered(draft);
    // Without phis, the order of the blocks was the first attempt.
    if (phis.length === 0 && isSameOrder(work, other)) return;
    frame.reorder(other);
    if (!this.improve(phis, 'net', null, REORDERED_MARGIN * Math.abs(outcome.net))) frame.reorder(work);
  }

  /** Tries again with loads in front that would pair there. */
  hoist(): void {
    const { frame } = this;
    const { work } = frame;
    const { draft } = this.best;
    const other = hoisted(draft);
    if (other === null) return;
    frame.reorder(other.work, other.loads);
    // What was seen had them elsewhere.
    this.seen.length = 0;
    if (!this.improve(draft.phis, 'net', null)) frame.reorder(work, new Set());
    else this.improve(this.best.draft.phis, 'net', this.best.draft.partner);
  }

  private isBetter(draft: Draft, outcome: Outcome, margin: number): boolean {
    const { best } = this;
    const shrinksMore = Number(shrinks(draft, outcome)) - Number(shrinks(best.draft, best.outcome));
    return shrinksMore > 0 || (shrinksMore === 0 && outcome.net > best.outcome.net + margin);
  }
}

/** Equal for drafts of one frame with the same pairs. */
function pairingOf({ frame, partner, swapped, phis }: Draft): Int32Array {
  let size = 2 * phis.length;
  for (const { t } of frame.work) size += t.length;
  const pairing = new Int32Array(size);
  let at = 0;
  for (const { t: list } of frame.work)
    for (let k = 0; k < list.length; k++) pairing[at++] = partner[list[k]] * 2 + swapped[list[k]];
  for (const [t, f] of phis) {
    pairing[at++] = t;
    pairing[at++] = f;
  }
  return pairing;
}

const isSameOrder = (a: readonly BlockWork[], b: readonly BlockWork[]): boolean =>
  a.every(({ t, f }, k) => t.every((i, n) => i === b[k].t[n]) && f.every((i, n) => i === b[k].f[n]));

/** Whether every instruction has a partner. */
function pairsAll({ frame, partner }: Draft): boolean {
  for (const { t, f } of frame.work) {
    for (const i of t) if (partner[i] < 0) return false;
    for (const i of f) if (partner[i] < 0) return false;
  }
  return true;
}

/**
 * Whether the meld leaves less code than there was. This is why melding ends (plan-function.ts). Without any pair, it
 * removes the branch, which is not worth long sides that every thread runs.
 */
export function shrinks({ frame }: Draft, outcome: Outcome): boolean {
  const isBare = outcome.guardedRuns === 0 && !outcome.speculatesMuch && !frame.front && !frame.back;
  const dissolves = frame.ctx.options.profit !== 'paper' && isBare;
  return outcome.realPairs > 0 || dissolves;
}

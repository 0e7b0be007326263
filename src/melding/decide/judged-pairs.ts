/**
 * The pairs of subgraphs of both sides, judged.
 *
 * What a pair gains depends on which values the melds in front of it make one. Which these are is chosen only when all
 * pairs have been judged. So each is judged behind a guess: the melds that the paper's metric would choose. Where the
 * guess turns out wrong, the pairs that meld are judged again.
 */
import type { Tables } from '../../analysis/tables.js';
import { PartnerLog, type EarlierPartners } from '../draft/partner-log.js';
import type { Judged } from './candidate.js';
import { alignChains, type ChainAlignment } from './chain-alignment.js';
import type { Chains } from './chains.js';

type Pairs = ChainAlignment['pairs'];

export class JudgedPairs {
  /** What paired in the guess, by place in it. */
  private readonly log: PartnerLog;
  private readonly guess: Pairs;
  /** By subgraph of T and of F: how many pairs of the guess lie in front of it. */
  private readonly inFrontT: Int32Array;
  private readonly inFrontF: Int32Array;
  /** By T subgraph: its pairs with the F subgraphs of its band. Null for a pair that is not considered. */
  private readonly rows: (Judged | null)[][];

  constructor(
    readonly chains: Chains,
    tables: Tables,
  ) {
    const { band, countT, countF } = chains;
    this.guess = alignChains(
      band,
      countF,
      (i, j) => {
        const matched = chains.matched(i, j);
        return matched?.refusal === null ? matched.profit : -Infinity;
      },
      0,
    ).pairs;
    this.inFrontT = countsInFront(this.guess, 0, countT);
    this.inFrontF = countsInFront(this.guess, 1, countF);
    this.log = new PartnerLog(tables);
    this.rows = Array.from({ length: countT }, () => []);
    for (const [k, [i, j]] of this.guess.entries()) {
      const pair = chains.judge(i, j, this.guessedInFrontOf(i, j))!;
      this.rows[i][j - band.first[i]] = pair;
      if (pair.partners) this.log.add(k, pair.partners);
    }
    for (const [i, row] of this.rows.entries())
      for (let j = band.first[i]; j < band.end[i]; j++)
        row[j - band.first[i]] ??= chains.judge(i, j, this.guessedInFrontOf(i, j));
  }

  /** A pair of the band that may meld; null for any other. */
  legal(i: number, j: number): Judged | null {
    const pair = this.rows[i][j - this.chains.band.first[i]];
    return pair && !pair.refusal ? pair : null;
  }

  /** Whether long runs without a partner would run for every thread in any pair. */
  get speculatesMuch(): boolean {
    return this.rows.some((row) => row.some((pair) => pair?.speculatesMuch));
  }

  /** The pairs of a T subgraph with those F subgraphs for which `counts`. */
  ofT(i: number, counts: (j: number) => boolean): Judged[] {
    const first = this.chains.band.first[i];
    return this.rows[i].filter((pair, k): pair is Judged => pair !== null && counts(first + k));
  }

  /** Aligns both chains by what a pair is worth; `bonus` is for two neighbours that both meld. */
  align(gain: (pair: Judged) => number, bonus: number): ChainAlignment {
    const { band, countF } = this.chains;
    return alignChains(
      band,
      countF,
      (i, j) => {
        const pair = this.legal(i, j);
        return pair ? gain(pair) : -Infinity;
      },
      bonus,
    );
  }

  isGuess(pairs: Pairs): boolean {
    const { guess } = this;
    return pairs.length === guess.length && pairs.every(([i, j], k) => guess[k][0] === i && guess[k][1] === j);
  }

  /**
   * A pair of the band behind the melds that are really in front of it.
   *
   * @param isGuessed whether these are as guessed
   */
  behind(i: number, j: number, earlier: EarlierPartners | null, isGuessed: boolean): Judged {
    const row = this.rows[i];
    const k = j - this.chains.band.first[i];
    // What was judged without any melds in front holds where there are none.
    const holds = isGuessed || (earlier === null && this.guessedInFrontOf(i, j) === null);
    if (!holds) row[k] = this.chains.judge(i, j, earlier);
    return row[k]!;
  }

  /** Gives the tables back. */
  release(): void {
    this.log.release();
  }

  private guessedInFrontOf(i: number, j: number): EarlierPartners | null {
    return this.log.until(Math.min(this.inFrontT[i], this.inFrontF[j]));
  }
}

/** By subgraph of one side: how many of these pairs have an earlier one. */
function countsInFront(pairs: Pairs, side: 0 | 1, count: number): Int32Array {
  const table = new Int32Array(count + 1);
  for (const pair of pairs) table[pair[side] + 1] = 1;
  for (let k = 1; k <= count; k++) table[k] += table[k - 1];
  return table;
}

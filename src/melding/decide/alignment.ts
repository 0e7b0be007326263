/**
 * Optimal alignment of two instruction sequences. It says which elements pair; pairs keep the order of both
 * sequences. Elements without a partner are gaps, and gaps have a cost.
 *
 * The algorithm is dynamic programming over the whole sequences (Needleman and Wunsch, 1970; that of Smith and
 * Waterman, 1981, aligns parts of them), with affine gap costs as in O. Gotoh, "An improved algorithm for matching
 * biological sequences" (1982). The paper's section "Instruction Alignment" leaves the gap function open.
 *
 * Between two pairs lies one group of gaps: a run of T, then a run of F. (T gaps may move past F gaps freely.) A run is
 * either speculated or guarded. A speculated run costs a little per element; every element must allow it. A guarded run
 * has one fixed cost, because it needs one change of the execution mask. The second guarded run of a group costs less,
 * because both share a diamond.
 *
 * Takes O(n·m) time and two bytes per cell. Deterministic: ties prefer a pair, then the earlier state in the order of
 * `State`.
 */
export interface AlignmentProblem {
  readonly countT: number;
  readonly countF: number;
  /** The cells `i * countF + j` whose elements may pair, ascending. */
  readonly cells: Int32Array;
  /** Gain per such cell. `-Infinity`: they must not pair after all. */
  readonly gains: Float64Array;
  /** `[countT]` and `[countF]`: 1 for elements that may run for every thread, otherwise 0. */
  readonly speculatableT: Uint8Array;
  readonly speculatableF: Uint8Array;
  readonly speculateCost: number;
  readonly guardCost: number;
  /** Cost of a guarded run of F behind a guarded run of T in the same group. */
  readonly secondGuardCost: number;
}

export interface Alignment {
  /** `[countT]`: the partner in F, or -1. */
  readonly partner: Int32Array;
  readonly total: number;
}

/** Block pairs with more cells are refused, because each cell takes two bytes for the way back. */
export const MOST_CELLS = 4_000_000;

/** What the last consumed element was: part of a pair (or nothing yet), or a gap of a run. */
const State = { Pair: 0, SpeculatedT: 1, GuardedT: 2, SpeculatedF: 3, GuardedF: 4 } as const;

// Where each state came from, packed in 16 bits: 3 bits for Pair, 1 bit for each T run, 2 bits for each F run.
const SPECULATED_T_SHIFT = 3;
const GUARDED_T_SHIFT = 4;
const SPECULATED_F_SHIFT = 5;
const GUARDED_F_SHIFT = 7;

/** Scratch memory, rows by state, used again: most problems are small. All is written before it is read. */
const rows = Array.from({ length: 5 }, () => new Float64Array(64));
let ways = new Uint16Array(4096);

const fitting = (table: Uint16Array<ArrayBuffer>, size: number): Uint16Array<ArrayBuffer> =>
  table.length < size ? new Uint16Array(size) : table;

export function align(problem: AlignmentProblem): Alignment {
  const { countT, countF, cells, gains, speculatableT, speculatableF, speculateCost, guardCost, secondGuardCost } =
    problem;
  const width = countF + 1;
  const from = (ways = fitting(ways, (countT + 1) * width));
  // The best totals that end in each state, by number of elements of F. They are those of the row above until a row
  // comes by.
  const row = (n: number): Float64Array => (rows[n].length < width ? (rows[n] = new Float64Array(2 * width)) : rows[n]);
  const pairs = row(0);
  const specTs = row(1);
  const guardTs = row(2);
  const specFs = row(3);
  const guardFs = row(4);
  for (let j = 0; j < width; j++) pairs[j] = specTs[j] = guardTs[j] = specFs[j] = guardFs[j] = -Infinity;
  /** Index into `cells` of the next cell to come. */
  let next = 0;

  for (let i = 0; i <= countT; i++) {
    const maySpeculateT = i > 0 && speculatableT[i - 1] === 1;
    const rowStart = (i - 1) * countF - 1;
    // What is to the left, and what is above that. In front of the first column there is nothing.
    let pair = -Infinity;
    let specT = -Infinity;
    let guardT = -Infinity;
    let specF = -Infinity;
    let guardF = -Infinity;
    let pairUp = -Infinity;
    let specTUp = -Infinity;
    let guardTUp = -Infinity;
    let specFUp = -Infinity;
    let guardFUp = -Infinity;
    for (let j = 0; j <= countF; j++) {
      let bits = 0;
      // A gap of F: a run of F opens behind a pair or a run of T.
      let nextSpecF = -Infinity;
      if (j > 0 && speculatableF[j - 1] === 1) {
        let came = 0;
        nextSpecF = pair;
        if (specT > nextSpecF) ((nextSpecF = specT), (came = 1));
        if (guardT > nextSpecF) ((nextSpecF = guardT), (came = 2));
        if (specF > nextSpecF) ((nextSpecF = specF), (came = 3));
        nextSpecF -= speculateCost;
        bits = came << SPECULATED_F_SHIFT;
      }
      let nextGuardF = pair - guardCost;
      let came = 0;
      if (specT - guardCost > nextGuardF) ((nextGuardF = specT - guardCost), (came = 1));
      if (guardT - secondGuardCost > nextGuardF) ((nextGuardF = guardT - secondGuardCost), (came = 2));
      if (guardF > nextGuardF) ((nextGuardF = guardF), (came = 3));
      bits |= came << GUARDED_F_SHIFT;
      // A pair, behind any state.
      pair = i === 0 && j === 0 ? 0 : -Infinity;
      if (j > 0 && cells[next] === rowStart + j) {
        const gain = gains[next++];
        if (gain !== -Infinity) {
          let state: number = State.Pair;
          pair = pairUp;
          if (specTUp > pair) ((pair = specTUp), (state = State.SpeculatedT));
          if (guardTUp > pair) ((pair = guardTUp), (state = State.GuardedT));
          if (specFUp > pair) ((pair = specFUp), (state = State.SpeculatedF));
          if (guardFUp > pair) ((pair = guardFUp), (state = State.GuardedF));
          pair += gain;
          bits |= state;
        }
      }
      // A gap of T: a run of T opens only behind a pair.
      pairUp = pairs[j];
      specTUp = specTs[j];
      guardTUp = guardTs[j];
      specT = -Infinity;
      if (maySpeculateT) {
        specT = pairUp;
        if (specTUp > specT) ((specT = specTUp), (bits |= 1 << SPECULATED_T_SHIFT));
        specT -= speculateCost;
      }
      guardT = pairUp - guardCost;
      if (guardTUp > guardT) ((guardT = guardTUp), (bits |= 1 << GUARDED_T_SHIFT));
      specF = nextSpecF;
      guardF = nextGuardF;
      specFUp = specFs[j];
      guardFUp = guardFs[j];
      pairs[j] = pair;
      specTs[j] = specT;
      guardTs[j] = guardT;
      specFs[j] = specF;
      guardFs[j] = guardF;
      from[i * width + j] = bits;
    }
  }

  let last: number = State.Pair;
  for (let s = 1; s < rows.length; s++) if (rows[s][countF] > rows[last][countF]) last = s;
  return { partner: pairsOnTheWay(from, countT, countF, last), total: rows[last][countF] };
}

/** Goes the way back from the last cell, which ends in this state. */
function pairsOnTheWay(from: Uint16Array, countT: number, countF: number, last: number): Int32Array {
  const partner = new Int32Array(countT).fill(-1);
  let state = last;
  for (let i = countT, j = countF; i > 0 || j > 0;) {
    const bits = from[i * (countF + 1) + j];
    switch (state) {
      case State.Pair:
        partner[--i] = --j;
        state = bits & 7;
        break;
      case State.SpeculatedT:
        i--;
        state = (bits >> SPECULATED_T_SHIFT) & 1 ? State.SpeculatedT : State.Pair;
        break;
      case State.GuardedT:
        i--;
        state = (bits >> GUARDED_T_SHIFT) & 1 ? State.GuardedT : State.Pair;
        break;
      default: {
        const came = (bits >> (state === State.SpeculatedF ? SPECULATED_F_SHIFT : GUARDED_F_SHIFT)) & 3;
        j--;
        state = came === 3 ? state : came;
      }
    }
  }
  return partner;
}

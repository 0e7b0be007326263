/**
 * Chooses which subgraphs of the two sides meld. Pairs keep the order of both sides (the paper's "Subgraph
 * Alignment", definition 7). Dynamic programming over both chains maximises the sum of values. Two melds that are
 * neighbours on both sides earn a bonus, because there is no branch between them.
 *
 * Takes time in proportion to the pairs of its band, and O(m + n). Deterministic: ties prefer fewer and later pairs.
 */
export interface ChainAlignment {
  /** Indices `[t, f]`, ascending on both sides. */
  readonly pairs: readonly (readonly [number, number])[];
  readonly total: number;
}

/** Which pairs are considered: for each T index i, the F indices `[first[i], end[i])`. Both arrays ascend. */
export interface Band {
  readonly first: Int32Array;
  readonly end: Int32Array;
}

export const wholeBand = (countT: number, countF: number): Band => ({
  first: new Int32Array(countT),
  end: new Int32Array(countT).fill(countF),
});

/**
 * An alignment whose total would be 0 or less is empty.
 *
 * @param value what pairing i with j is worth; `-Infinity` when they cannot pair
 */
export function alignChains(
  { first, end }: Band,
  countF: number,
  value: (i: number, j: number) => number,
  bonus: number,
): ChainAlignment {
  const countT = first.length;
  if (countT === 0 || countF === 0) return { pairs: [], total: 0 };
  if (countT === 1 && countF === 1 && first[0] < end[0]) {
    // Most branches have one subgraph on each side.
    const only = value(0, 0);
    return only > 0 ? { pairs: [[0, 0]], total: only } : { pairs: [], total: 0 };
  }
  /** Where each row of the tables starts. Row i is for the first i + 1 of T and `first[i]` to `end[i]` of F. */
  const start = new Int32Array(countT + 1);
  for (let i = 0; i < countT; i++) start[i + 1] = start[i] + end[i] - first[i] + 1;
  /** The best alignment that ends with the pair (i-1, j-1), and the best one within the first i and j. */
  const ending = new Float64Array(start[countT]).fill(-Infinity);
  const within = new Float64Array(start[countT]);
  const adjacent = new Uint8Array(start[countT]);
  const at = (i: number, j: number): number => start[i - 1] + j - first[i - 1];
  /** Outside of the band, nothing is added to what is at its border. */
  const bestWithin = (i: number, j: number): number => {
    while (i > 0 && j < first[i - 1]) i--;
    return i === 0 ? 0 : within[at(i, Math.min(j, end[i - 1]))];
  };
  const isInBand = (i: number, j: number): boolean => i > 0 && j > first[i - 1] && j <= end[i - 1];
  for (let i = 1; i <= countT; i++) {
    within[at(i, first[i - 1])] = bestWithin(i - 1, first[i - 1]);
    for (let j = first[i - 1] + 1; j <= end[i - 1]; j++) {
      const here = at(i, j);
      const own = value(i - 1, j - 1);
      let before = bestWithin(i - 1, j - 1);
      const neighbour = isInBand(i - 1, j - 1) ? ending[at(i - 1, j - 1)] + bonus : -Infinity;
      if (neighbour > before) {
        before = neighbour;
        adjacent[here] = 1;
      }
      ending[here] = own + before;
      within[here] = Math.max(within[here - 1], bestWithin(i - 1, j), ending[here]);
    }
  }
  const pairs: [number, number][] = [];
  let i = countT;
  let j = countF;
  const total = bestWithin(i, j);
  let mustPair = false;
  while (i > 0 && j > 0) {
    if (!mustPair) {
      const best = bestWithin(i, j);
      if (best <= 0) break;
      if (best === bestWithin(i - 1, j)) {
        i--;
        continue;
      }
      if (best === bestWithin(i, j - 1)) {
        j--;
        continue;
      }
    }
    pairs.push([i - 1, j - 1]);
    mustPair = adjacent[at(i, j)] === 1;
    i--;
    j--;
  }
  return { pairs: pairs.reverse(), total };
}

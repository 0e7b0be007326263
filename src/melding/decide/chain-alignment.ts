/**
 * Chooses which subgraphs of the two sides meld. Pairs keep the order of both sides (the paper's "Subgraph
 * Alignment", definition 7). Dynamic programming over both chains maximises the sum of values. Two melds that are
 * neighbours on both sides earn a bonus, because there is no branch between them.
 *
 * Takes O(m·n) time. Deterministic: ties prefer fewer and later pairs.
 */
export interface ChainAlignment {
  /** Indices `[t, f]`, ascending on both sides. */
  readonly pairs: readonly (readonly [number, number])[];
  readonly total: number;
}

/**
 * An alignment whose total would be 0 or less is empty.
 *
 * @param value what pairing i with j is worth; `-Infinity` when they cannot pair
 */
export function alignChains(
  countT: number,
  countF: number,
  value: (i: number, j: number) => number,
  bonus: number,
): ChainAlignment {
  const width = countF + 1;
  /** The best alignment that ends with the pair (i-1, j-1), and the best one within the first i and j. */
  const ending = new Float64Array((countT + 1) * width).fill(-Infinity);
  const within = new Float64Array((countT + 1) * width);
  const adjacent = new Uint8Array((countT + 1) * width);
  for (let i = 1; i <= countT; i++) {
    for (let j = 1; j <= countF; j++) {
      const at = i * width + j;
      const up = at - width - 1;
      const own = value(i - 1, j - 1);
      let before = within[up];
      if (ending[up] + bonus > before) {
        before = ending[up] + bonus;
        adjacent[at] = 1;
      }
      ending[at] = own + before;
      within[at] = Math.max(within[at - 1], within[at - width], ending[at]);
    }
  }
  const pairs: [number, number][] = [];
  let i = countT;
  let j = countF;
  const total = within[i * width + j];
  let mustPair = false;
  while (i > 0 && j > 0) {
    const at = i * width + j;
    if (!mustPair) {
      if (within[at] <= 0) break;
      if (within[at] === within[at - width]) {
        i--;
        continue;
      }
      if (within[at] === within[at - 1]) {
        j--;
        continue;
      }
    }
    pairs.push([i - 1, j - 1]);
    mustPair = adjacent[at] === 1;
    i--;
    j--;
  }
  return { pairs: pairs.reverse(), total };
}

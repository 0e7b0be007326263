/**
 * Memory for the numbers of lanes (lanes.ts). An estimate needs many arrays of one or two sizes for a short time, and
 * making them takes longer than filling them. So an estimate gives them back when it is over, for the next one.
 */

/** Of each size, so many arrays are kept on a thread. */
const MOST_KEPT = 128;
const free = new Map<number, Float64Array[]>();
const freeWords = new Map<number, Int32Array[]>();

export class LaneMemory {
  readonly #lent: Float64Array[] = [];
  readonly #lentWords: Int32Array[] = [];

  /** An array of this many numbers. What it holds means nothing. */
  take(size: number): Float64Array {
    const numbers = free.get(size)?.pop() ?? new Float64Array(size);
    this.#lent.push(numbers);
    return numbers;
  }

  /** The same for words. */
  takeWords(size: number): Int32Array {
    const words = freeWords.get(size)?.pop() ?? new Int32Array(size);
    this.#lentWords.push(words);
    return words;
  }

  /** Gives all arrays back. After that, none of them may be used. */
  release(): void {
    giveBack(free, this.#lent);
    giveBack(freeWords, this.#lentWords);
  }
}

function giveBack<T extends { readonly length: number }>(to: Map<number, T[]>, lent: T[]): void {
  for (const array of lent) {
    const kept = to.get(array.length);
    if (kept === undefined) to.set(array.length, [array]);
    else if (kept.length < MOST_KEPT) kept.push(array);
  }
  lent.length = 0;
}

/**
 * Memory for the numbers of lanes (lanes.ts). An estimate needs many arrays of one or two sizes for a short time, and
 * making them takes longer than filling them. So an estimate gives them back when it is over, for the next one.
 */

/** Of each size, so many arrays are kept on a thread. */
const MOST_KEPT = 128;
const free = new Map<number, Float64Array[]>();

export class LaneMemory {
  readonly #lent: Float64Array[] = [];

  /** An array of this many numbers. What it holds means nothing. */
  take(size: number): Float64Array {
    const numbers = free.get(size)?.pop() ?? new Float64Array(size);
    this.#lent.push(numbers);
    return numbers;
  }

  /** Gives all arrays back. After that, none of them may be used. */
  release(): void {
    for (const numbers of this.#lent) {
      const kept = free.get(numbers.length);
      if (kept === undefined) free.set(numbers.length, [numbers]);
      else if (kept.length < MOST_KEPT) kept.push(numbers);
    }
    this.#lent.length = 0;
  }
}

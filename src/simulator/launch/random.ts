/**
 * The random numbers of launch specs. The generator (mulberry32) and what is made of its words are part of the format:
 * docs/launch-spec.md, with test vectors.
 */
export class SpecRandom {
  #state: number;

  /** @param seed 32 bits count */
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** The next 32 bits. */
  word(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  }

  /** 0 ≤ result < 1, with 53 bits: the upper 27 of one word, then the upper 26 of the next. */
  fraction(): number {
    const high = this.word() >>> 5;
    const low = this.word() >>> 6;
    return (high * 2 ** 26 + low) / 2 ** 53;
  }
}

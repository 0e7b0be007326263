/**
 * Something that is made when it is first asked for and then kept. A failure is not kept: whoever asks next tries
 * again, since what failed may have been passing (too many open files, a file that was missing for a moment).
 */
export class Retried<T> {
  #made: Promise<T> | null = null;

  constructor(private readonly make: () => Promise<T>) {}

  get(): Promise<T> {
    if (this.#made === null) {
      const made = this.make();
      this.#made = made;
      made.catch(() => {
        if (this.#made === made) this.#made = null;
      });
    }
    return this.#made;
  }

  /** Gives it up; returns what there was, or null. */
  async take(): Promise<T | null> {
    const made = this.#made;
    this.#made = null;
    return (await made?.catch(() => null)) ?? null;
  }
}

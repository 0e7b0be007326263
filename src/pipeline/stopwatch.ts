/** Sums up wall time per phase, in milliseconds. A phase within another one does not count as that one's. */
export class Stopwatch {
  readonly #start = performance.now();
  readonly #phases = new Map<string, number>();

  /** Of the phase that goes on, what phases within it have taken. */
  #within = 0;

  time<T>(phase: string, work: () => T): T {
    const start = performance.now();
    const before = this.#within;
    this.#within = 0;
    try {
      return work();
    } finally {
      const taken = performance.now() - start;
      this.#phases.set(phase, (this.#phases.get(phase) ?? 0) + taken - this.#within);
      this.#within = before + taken;
    }
  }

  /** The phases so far and `total`, the time since the stopwatch was made. */
  milliseconds(): Record<string, number> {
    const rounded = (ms: number) => Math.round(ms * 1000) / 1000;
    const phases = [...this.#phases].map(([phase, ms]) => [phase, rounded(ms)] as const);
    return Object.fromEntries([...phases, ['total', rounded(performance.now() - this.#start)]]);
  }
}

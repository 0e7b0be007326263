/** Sums up wall time per phase, in milliseconds. */
export class Stopwatch {
  readonly #start = performance.now();
  readonly #phases = new Map<string, number>();

  time<T>(phase: string, work: () => T): T {
    const start = performance.now();
    try {
      return work();
    } finally {
      this.#phases.set(phase, (this.#phases.get(phase) ?? 0) + performance.now() - start);
    }
  }

  /** The phases so far and `total`, the time since the stopwatch was made. */
  milliseconds(): Record<string, number> {
    const rounded = (ms: number) => Math.round(ms * 1000) / 1000;
    const phases = [...this.#phases].map(([phase, ms]) => [phase, rounded(ms)] as const);
    return Object.fromEntries([...phases, ['total', rounded(performance.now() - this.#start)]]);
  }
}

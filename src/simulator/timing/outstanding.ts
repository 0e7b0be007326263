/**
 * The counters that `s_waitcnt` looks at. An operation's completion is known when it issues, so a counter is a list of
 * completion times, and "at most n outstanding" is the time of the (n + 1)-th last of them. They are kept ascending:
 * vector memory and LDS operations of a wave complete in order anyway, scalar loads need not.
 */
import { NO_WAIT } from './waitcnt.js';

/** In the order of `WaitCounts`. */
const COUNTERS = 4;
/** Completion times that each remembers, as a ring: more than any counter can hold (63). */
const RING = 64;

export class Outstanding {
  readonly #done: Float64Array;
  readonly #issued: Int32Array;

  constructor(waves: number) {
    this.#done = new Float64Array(waves * COUNTERS * RING);
    this.#issued = new Int32Array(waves * COUNTERS);
  }

  clear(wave: number): void {
    this.#issued.fill(0, wave * COUNTERS, (wave + 1) * COUNTERS);
  }

  /** @param counters a set of `Counter` */
  add(wave: number, counters: number, completion: number): void {
    const done = this.#done;
    for (let counter = 0; counter < COUNTERS; counter++) {
      if ((counters & (1 << counter)) === 0) continue;
      const ring = (wave * COUNTERS + counter) * RING;
      const count = this.#issued[wave * COUNTERS + counter]!++;
      const oldest = Math.max(0, count - RING + 1);
      let place = count;
      while (place > oldest && done[ring + ((place - 1) & (RING - 1))]! > completion) {
        done[ring + (place & (RING - 1))] = done[ring + ((place - 1) & (RING - 1))]!;
        place--;
      }
      done[ring + (place & (RING - 1))] = completion;
    }
  }

  /** When no more operations are outstanding than the four counts from `waits[first]` on allow. */
  waitedFor(wave: number, waits: Uint8Array, first: number): number {
    let time = 0;
    for (let counter = 0; counter < COUNTERS; counter++) {
      const allowed = waits[first + counter]!;
      if (allowed === NO_WAIT) continue;
      const needed = this.#issued[wave * COUNTERS + counter]! - allowed - 1;
      if (needed < 0) continue;
      const ring = (wave * COUNTERS + counter) * RING;
      time = Math.max(time, this.#done[ring + (needed & (RING - 1))]!);
    }
    return time;
  }
}

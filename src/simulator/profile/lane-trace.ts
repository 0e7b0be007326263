/** A wave's trace with its active lanes at each instruction: how many, and for a time line, which. */
import { WaveTrace } from '../workgroup.js';

export class LaneTrace extends WaveTrace {
  lanes: Uint8Array;
  /** EXEC: two words for each instruction; null: not kept. */
  masks: Uint32Array | null;
  #count = 0;

  /** @param workgroup number in the grid; @param wave number in the workgroup */
  constructor(
    readonly workgroup: number,
    readonly wave: number,
    { capacity, keepsMasks }: { readonly capacity: number; readonly keepsMasks: boolean },
  ) {
    super(capacity);
    this.lanes = new Uint8Array(this.words.length);
    this.masks = keepsMasks ? new Uint32Array(2 * this.words.length) : null;
  }

  pushLanes(active: number, low: number, high: number): void {
    if (this.#count === this.lanes.length) {
      const grown = new Uint8Array(2 * this.#count);
      grown.set(this.lanes);
      this.lanes = grown;
      if (this.masks !== null) {
        const masks = new Uint32Array(4 * this.#count);
        masks.set(this.masks);
        this.masks = masks;
      }
    }
    if (this.masks !== null) {
      this.masks[2 * this.#count] = low;
      this.masks[2 * this.#count + 1] = high;
    }
    this.lanes[this.#count++] = active;
  }
}

/** A wave's trace with the number of its active lanes at each instruction. */
import { WaveTrace } from '../workgroup.js';

export class LaneTrace extends WaveTrace {
  lanes: Uint8Array;
  #count = 0;

  /** @param workgroup number in the grid; @param wave number in the workgroup */
  constructor(
    readonly workgroup: number,
    readonly wave: number,
    capacity?: number,
  ) {
    super(capacity);
    this.lanes = new Uint8Array(this.words.length);
  }

  pushLanes(active: number): void {
    if (this.#count === this.lanes.length) {
      const grown = new Uint8Array(2 * this.#count);
      grown.set(this.lanes);
      this.lanes = grown;
    }
    this.lanes[this.#count++] = active;
  }
}
